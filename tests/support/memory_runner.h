/*
 * A wave runner with guest memory, LDS and scratch of known contents, for tests of memory instructions.
 */
#ifndef SUPPORT_MEMORY_RUNNER_H
#define SUPPORT_MEMORY_RUNNER_H

#include "tests/support/wave_runner.h"

enum { MEMORY_RUNNER_SCRATCH_BYTES = 256 /* a lane's */ };

struct memory_runner {
    struct wave_runner *wave;
    struct memory *memory;
    uint64_t address; /* of the allocation "buffer" */
    uint8_t *bytes;   /* its contents */
    size_t n_bytes;
};

/* n_bytes of memory named "buffer", byte i = memory_runner_byte(i); the LDS likewise, the scratch zero. gfx1151, 32 lanes
 * unless said otherwise. s[2:3] hold the buffer's address. */
struct memory_runner memory_runner_open(const char *chip, uint32_t n_lanes, size_t n_bytes);
void memory_runner_close(struct memory_runner *runner);
/* A byte that differs from its neighbours and has its top bit set for odd i / 3. */
uint8_t memory_runner_byte(size_t i);
/* n_bytes (at most 8) of the initial contents at i, little-endian. */
uint64_t memory_runner_value(size_t i, unsigned n_bytes);
/* Puts a 64-bit address into v[first:first+1] of each lane: base + lane * stride. */
void memory_runner_addresses(struct memory_runner *runner, unsigned first, uint64_t base, int64_t stride);
/* The lane's 32 bits of a register. */
uint32_t memory_runner_get(struct memory_runner *runner, unsigned vgpr, unsigned lane);
/* v[index] of lane l = value + l * step. */
void memory_runner_set(struct memory_runner *runner, unsigned vgpr, uint32_t value, uint32_t step);
/* Whether the text ran with exactly one finding, of kind MEM, that holds `part`; clears the findings. */
bool memory_runner_finds(struct memory_runner *runner, const char *text, const char *part);

#endif
