/*
 * Inside of the depth audit: where counts are kept. Nearly all registers hold one count in all lanes, so a row is one
 * number until lanes differ.
 */
#ifndef EMULATOR_DEPTH_STATE_H
#define EMULATOR_DEPTH_STATE_H

#include <stdalign.h>

#include "device/emulator/depth/depth.h"

/* What an instruction does to counts beyond taking the largest of its sources' (depth.def). */
enum depth_kind {
    DEPTH_CARRY,    /* nothing */
    DEPTH_SUM,      /* source 0 + source 1 */
    DEPTH_FMA,      /* source 0 * source 1 + source 2, or + the destination */
    DEPTH_STEPS,    /* a dot or matrix instruction's accumulator and products */
    DEPTH_QUOTIENT, /* v_div_fixup: source 2 / source 1; source 0 is an approximation of it */
    DEPTH_PAIR,     /* sources 0 and 1, each to a half of the result */
};

struct depth_opcode {
    uint8_t kind;         /* enum depth_kind */
    uint16_t steps, once; /* DEPTH_STEPS: roundings of the accumulator, and of products before they reach it */
};

/* enum depth_kind of a row of the opcode table: the first of depth.def that matches. */
uint8_t depth_kind_of(const char *mnemonic);

struct depth_dispatch {
    struct depth_opcode *opcodes; /* by row of the opcode table, of those that the code has */
};

enum { CARRIED_DWORDS = 4 };

struct depth_wave {
    uint32_t *lanes;                  /* [VGPR_ROWS][n_lanes]: two counts each, low half first; of mixed rows */
    uint32_t all[VGPR_ROWS];          /* of the other rows: every lane's */
    bool mixed[VGPR_ROWS];            /* lanes may differ */
    uint32_t scalars[SREG_COUNT + 1]; /* SREG_COUNT: SCC */
    uint8_t *scratch;                 /* memory's counts, [n_lanes][private_bytes] */
    size_t scratch_bytes;
    bool scratch_counted; /* it may hold others than DEPTH_DATA */
    /* On its way from memory to LDS, or back, by an instruction that names no register. */
    const struct instruction *carrier;
    unsigned n_carried;
    uint32_t carried[CARRIED_DWORDS][MAX_LANES];
};

struct depth_group {
    uint8_t *lds; /* memory's counts */
    uint32_t lds_bytes;
    bool lds_counted;
};

/* Memory keeps counts with the two lowest changed about, so that zeros say DEPTH_DATA. */
#define DEPTH_IN_MEMORY UINT32_C(0x00010001)

static inline uint32_t depth_both(uint32_t count)
{
    return count << 16 | count;
}

static inline uint32_t depth_larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Of two halves, the larger count. */
static inline uint32_t depth_any(uint32_t halves)
{
    return depth_larger(halves & 0xffff, halves >> 16);
}

/* Half by half. */
static inline uint32_t depth_larger_halves(uint32_t a, uint32_t b)
{
    return depth_larger(a & 0xffff, b & 0xffff) | depth_larger(a >> 16, b >> 16) << 16;
}

/* One more addition, or `n`: of constants alone there is none. */
static inline uint32_t depth_plus(uint32_t count, uint32_t n)
{
    return count == DEPTH_CONSTANT ? count : count + n > DEPTH_MOST ? DEPTH_MOST : count + n;
}

static inline uint64_t depth_exec(const struct wave *wave)
{
    return wave->exec & wave->full_exec;
}

static inline uint32_t depth_lane(const struct wave *wave, unsigned row, unsigned lane)
{
    const struct depth_wave *depth = wave->checks->depth;
    return depth->mixed[row] ? depth->lanes[(size_t)row * wave->n_lanes + lane] : depth->all[row];
}

/* The row's lanes, filled in where it was one number; it counts as mixed from then on. */
uint32_t *depth_spread(struct wave *wave, unsigned row);
/* The row as one number again where its lanes allow. */
void depth_settle(struct wave *wave, unsigned row);
/* Lanes of the row take one number, or each its own. */
void depth_set_all(struct wave *wave, unsigned row, uint64_t lanes, uint32_t halves);
void depth_set_lanes(struct wave *wave, unsigned row, uint64_t lanes, const uint32_t *halves);

/* What becomes of vector registers that an instruction names by lanes (depth_lanes.c): DPP's source 0 as each lane sees it
 * (values likewise), and the lanes that are written. */
uint64_t depth_dpp(struct wave *wave, const struct instruction *in, const uint32_t *lanes, uint32_t *moved);
void depth_permute(struct wave *wave, const struct instruction *in, const struct flow *flow);
void depth_swap_lanes(struct wave *wave, const struct instruction *in, const struct flow *flow);
void depth_move_registers(struct wave *wave, const struct instruction *in, const struct flow *flow);
void depth_read_lane(struct wave *wave, const struct instruction *in, const struct flow *flow);
void depth_write_lane(struct wave *wave, const struct instruction *in, const struct flow *flow);
void depth_matrix(struct wave *wave, const struct flow *flow, const struct depth_opcode *opcode);

/* A vector instruction whose lanes are each for themselves (depth_vector.c), a scalar one (depth_scalar.c). */
void depth_vector(struct wave *wave, const struct instruction *in, const struct flow *flow,
                  const struct depth_opcode *opcode);
void depth_scalar(struct wave *wave, const struct instruction *in, const struct flow *flow,
                  const struct depth_opcode *opcode);

/* Which halves of its sources each half of an instruction's result comes from: bit 2k + h for half h of source k. */
struct depth_halves {
    uint8_t from[2];
};
struct depth_halves depth_halves_of(const struct wave *wave, const struct instruction *in, const struct flow *flow,
                                    uint8_t kind);

/* Roundings of a dot or matrix instruction on the chip (depth_steps.c). */
void depth_steps(const struct dispatch *dispatch, const struct opcode *opcode, struct depth_opcode *to);

#endif
