/*
 * What a launch did, counted for each instruction of its code: executions, lanes, bytes, cache lines, LDS passes. Counts
 * are sums over waves, so they do not depend on host threads.
 */
#ifndef EMULATOR_PROFILE_H
#define EMULATOR_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "device/device.h"
#include "device/emulator/sanitizer/sanitizer.h"

/* Zeroed rows for n_instructions of a code; NULL when the host is out of memory. The caller frees with free. */
struct instruction_profile *profile_open(uint32_t n_instructions);
/* Adds one profile's rows to another's. */
void profile_add(struct instruction_profile *to, const struct instruction_profile *from, uint32_t n_instructions);

/* An execution of an instruction by a wave whose profile is set; before it runs, while exec still is what it runs with. */
void profile_instruction(struct wave *wave, const struct instruction *in);
/* After it ran: whether a branch was taken. */
void profile_branch(struct wave *wave, const struct instruction *in);
/* One access of the wave's current instruction. */
void profile_access(struct wave *wave, const struct access_record *record);

/* Passes that the banks of LDS need for an access of n_bytes a lane at the byte addresses of the lanes in the mask. A pass
 * serves one dword a bank. As many consecutive lanes go together as fill the banks once with n_bytes each; of these, lanes
 * that touch the same dword share it. n_banks is a power of two, at most 64. *least is what the same lanes need when no two
 * dwords share a bank. */
uint32_t profile_lds_passes(uint32_t n_banks, uint32_t n_lanes, uint64_t lanes, const uint64_t *bytes, uint32_t n_bytes,
                            uint32_t *least);
/* Cache lines of line_bytes (a power of two) that the lanes' bytes touch; at most two a lane. */
uint32_t profile_lines(uint32_t line_bytes, uint64_t lanes, const uint64_t *bytes, uint32_t n_bytes);

#endif
