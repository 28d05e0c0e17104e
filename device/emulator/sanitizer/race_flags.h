/*
 * What happened before what between workgroups of a launch. A wave releases its past at an address when it updates or
 * stores there with no store of its own outstanding; a wave acquires what was released at an address by an atomic or a
 * coherent load of it and the cache invalidation that follows (AMDGPUUsage, "Memory Model": the code of release and acquire
 * at agent scope). Launches whose code has no such invalidation order nothing, and those that have run on one host thread.
 */
#ifndef SANITIZER_RACE_FLAGS_H
#define SANITIZER_RACE_FLAGS_H

#include <stdbool.h>
#include <stdint.h>

#include "device/emulator/sanitizer/race_shadow.h"

struct race_flags;

/* NULL when the host is out of memory. */
struct race_flags *race_flags_open(void);
void race_flags_close(struct race_flags *flags);
/* `by` names the workgroup, wave and clock; its other waves' accesses up to covered are part of its past. */
bool race_flags_release(struct race_flags *flags, uint64_t address, const struct race_stamp *by, uint32_t covered);
/* What is released at an address by now: a token for race_flags_acquire; 0: nothing. */
struct race_token {
    uint32_t flag, n_releases;
};
struct race_token race_flags_look(const struct race_flags *flags, uint64_t address);
/* `by` learns what the token stands for: its wave from that clock on, its workgroup's other waves from a later one on. */
bool race_flags_acquire(struct race_flags *flags, struct race_token token, const struct race_stamp *by);
/* Whether an access of one workgroup happened before one of another. */
bool race_flags_ordered(struct race_flags *flags, const struct race_stamp *before, const struct race_stamp *after);

#endif
