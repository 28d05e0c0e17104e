/*
 * The depth audit's side of the emulator: beside every value of a launch, the additions that round on the longest way to it
 * (docs/numerics.md, "Depth"). Callers may rely on registers and memory being the same with and without it, and on the
 * counts not depending on host threads. It hangs in the sanitizer's loop (sanitizer.h): off, it costs nothing beyond that.
 *
 * A count is kept for each half of a dword, in registers as in memory, so that packed halves keep theirs apart:
 * DEPTH_CONSTANT for what the code itself put there, else DEPTH_DATA + additions. An addition to a zero of the code's does
 * not round and is not counted: so a chain of fma from a cleared accumulator counts its terms less one, whatever the data.
 */
#ifndef EMULATOR_DEPTH_H
#define EMULATOR_DEPTH_H

#include "device/emulator/sanitizer/flow.h"
#include "device/emulator/sanitizer/sanitizer.h"

enum { DEPTH_CONSTANT, DEPTH_DATA, DEPTH_MOST = DEPTH_DATA + DEVICE_DEPTH_MOST };

/* Openers give false when the host is out of memory; closers take what was never opened. */
bool depth_dispatch_open(struct dispatch *dispatch);
void depth_dispatch_close(struct dispatch *dispatch);
bool depth_group_open(const struct dispatch *dispatch, struct group_checks *checks);
void depth_group_close(struct group_checks *checks);
void depth_group_start(struct workgroup *group);
bool depth_wave_open(const struct dispatch *dispatch, struct wave_checks *checks);
void depth_wave_close(struct wave_checks *checks);
void depth_wave_start(struct wave *wave);
/* Before the instruction changes anything: its sources' values decide what a zero is, its lane masks who is written. */
void depth_before(struct wave *wave, const struct instruction *in, const struct flow *flow);
void depth_access(struct wave *wave, const struct access_record *record);

/* The additions behind a count of memory's: the largest of n_bytes at a live guest address, and the offset of the first
 * byte that has it. 0 where nothing was counted. */
uint32_t depth_of_memory(const struct memory *memory, uint64_t address, size_t n_bytes, size_t *at);

#endif
