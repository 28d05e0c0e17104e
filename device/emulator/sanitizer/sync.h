/*
 * The sync check: barriers that the waves of a workgroup, or the lanes of a wave, do not pass together. Callers may rely on
 * it costing nothing between barriers while no lane is missing from one.
 *
 * A wave that has ended does not count at a barrier, on every chip ("Vega" ISA and "RDNA3" ISA, S_BARRIER: it waits on the
 * surviving waves only), so a kernel whose spare waves return early is well-defined and gives no finding. Lanes of a wave
 * that are off at a barrier are no matter either while they stay off: they have returned. If they touch memory or come to a
 * barrier later, the kernel's threads did not all reach the barrier.
 */
#ifndef SANITIZER_SYNC_H
#define SANITIZER_SYNC_H

#include "device/emulator/sanitizer/sanitizer.h"

/* The wave's current instruction arrives at the workgroup's barrier: s_barrier, or gfx12's signal. */
void sync_arrive(struct wave *wave);
/* gfx12: the wave waits after its signal. */
void sync_wait(struct wave *wave);
/* The wave ends. */
void sync_end(struct wave *wave);
/* All waves that have not ended have arrived. */
void sync_complete(struct workgroup *group);
/* An access of a wave that has missed lanes. */
void sync_access(struct wave *wave, const struct access_record *record);

#endif
