/*
 * Who touched which byte last: the memory of the race check. Cells are as coarse as the accesses allow: a block of
 * BLOCK_BYTES starts as one cell and is cut finer, for good, when an access covers only a part of one. So the shadow is
 * exact by byte and yet small where waves read and write whole lines.
 */
#ifndef SANITIZER_RACE_SHADOW_H
#define SANITIZER_RACE_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How an access takes part in the memory model; NONE: no access. */
enum race_kind {
    RACE_NONE,
    RACE_PLAIN,
    RACE_COHERENT, /* a load or store that goes to the chip's coherent cache: what atomic loads and stores compile to */
    RACE_ATOMIC,   /* reads and writes in one */
};

/* One access to the bytes of a cell. */
struct race_stamp {
    uint32_t clock;       /* the wave's, from 1; 0 where there is no access */
    uint32_t group;       /* linear index of the workgroup */
    uint32_t instruction; /* index into the code */
    uint8_t wave, lane;   /* lane: of the cell's first byte */
    uint8_t lane_bytes;   /* the next lane's bytes begin this much higher; 0: the lane covers all of the cell */
    uint8_t kind;         /* enum race_kind */
};

enum { RACE_READERS = 2 };

/* The last write, and reads of it by waves that nothing orders with each other: two tell apart "I alone" from "others".
 * Atomics after a plain write stand among the reads, so that other workgroups' atomics are still held against it. */
struct race_cell {
    struct race_stamp write, read[RACE_READERS];
};

enum { RACE_BLOCK_SHIFT = 9, RACE_BLOCK_BYTES = 1 << RACE_BLOCK_SHIFT };

struct race_block {
    uint64_t number; /* address / RACE_BLOCK_BYTES */
    struct race_cell *cells;
    uint8_t shift; /* a cell is 1 << shift bytes */
};

/* Consecutive cells of one block. */
struct race_part {
    struct race_cell *cells; /* NULL: the host is out of memory */
    unsigned n_cells, shift;
    uint32_t n_bytes; /* n_cells << shift */
};

struct race_shadow;

/* NULL when the host is out of memory. */
struct race_shadow *race_shadow_open(void);
void race_shadow_close(struct race_shadow *shadow);
/* Forgets all accesses and keeps the storage. */
void race_shadow_clear(struct race_shadow *shadow);
/* The cells of [address, address + n_bytes), or of its first bytes where it crosses into another block; n_bytes > 0. No
 * cell is coarser than 1 << max_shift bytes. Valid until the next call. */
struct race_part race_shadow_part(struct race_shadow *shadow, uint64_t address, uint64_t n_bytes, unsigned max_shift);
/* All blocks, in the order of their first access. */
const struct race_block *race_shadow_blocks(const struct race_shadow *shadow, size_t *n_blocks);
/* The lane whose access covers the byte `offset` bytes into the stamp's cell. */
static inline int race_stamp_lane(const struct race_stamp *stamp, uint32_t offset)
{
    return stamp->lane_bytes ? stamp->lane + (int)(offset / stamp->lane_bytes) : stamp->lane;
}

#endif
