/*
 * Inside of the init check: which bits of registers, LDS and scratch somebody has set. Polarity differs on purpose:
 * registers carry what is undefined, so that clean code tests zeros; bytes of memory carry what is defined, so that fresh
 * pages of zeros say that nothing is.
 */
#ifndef EMULATOR_INIT_H
#define EMULATOR_INIT_H

#include "device/emulator/sanitizer/checks.h"
#include "device/emulator/sanitizer/flow.h"

enum { ROW_BYTES = 4 };

/* Of a byte of LDS, scratch or global memory. */
enum byte_state { BYTE_UNWRITTEN, BYTE_DEFINED, BYTE_UNDEFINED /* an undefined value was stored */ };

/* Where a place's undefined bits came from: the load that brought them; NULL: nobody had set the register. */
struct init_origin {
    const struct instruction *in;
    uint8_t space; /* enum access_space */
    uint8_t state; /* enum byte_state of the first such byte */
};

struct init_wave {
    uint64_t rows[VGPR_ROWS][ROW_BYTES]; /* lanes whose byte of the register is undefined */
    uint32_t scalars[SREG_COUNT + 1];    /* bits that are undefined; SREG_COUNT: SCC, bit 0 */
    struct init_origin origin[FLOW_PLACES];
    uint8_t *scratch; /* [n_lanes][stride]: enum byte_state */
    size_t scratch_bytes;
};

struct init_group {
    uint8_t *lds; /* enum byte_state */
    uint32_t lds_bytes;
};

static inline uint64_t row_any(const uint64_t row[ROW_BYTES])
{
    return row[0] | row[1] | row[2] | row[3];
}

/* The undefined lanes of what a range reads of one row. */
static inline uint64_t row_part(const uint64_t row[ROW_BYTES], unsigned part)
{
    return (part == FLOW_HIGH ? 0 : row[0] | row[1]) | (part == FLOW_LOW ? 0 : row[2] | row[3]);
}

static inline uint64_t wave_exec(const struct wave *wave)
{
    return wave->exec & wave->full_exec;
}

/* Undefined bits of an operand's or a result's dwords as one number. */
#define ALL_UNDEFINED UINT64_MAX

/* What one lane, or a scalar instruction, reads of its first three sources: up to 64 bits each, selections and halves
 * shifted down. */
struct init_sources {
    uint64_t value[3], undefined[3];
    bool wide[3];  /* 64 bits */
    bool same01;   /* sources 0 and 1 are the same register */
    uint8_t n;     /* of them */
    bool any_more; /* a source beyond these is undefined */
};

/* The undefined bits of a result (init_bits.c). */
uint64_t init_result_bits(const struct flow *flow, const struct instruction *in, const struct init_sources *sources);
/* Whether some result bit is 1 whatever the undefined bits are: decides SCC of logic. Of BITWISE; false of others. */
bool init_surely_nonzero(const struct flow *flow, const struct init_sources *sources);

/* A vector instruction (init_lanes.c) and a scalar one (init_scalar.c). */
void init_vector(struct wave *wave, const struct instruction *in, const struct flow *flow);
void init_scalar(struct wave *wave, const struct instruction *in, const struct flow *flow);
/* Instructions that move lanes about, by running their handler on the undefined bits (init_shadow.c). */
void init_permute(struct wave *wave, const struct instruction *in, const struct flow *flow);
void init_swap_lanes(struct wave *wave, const struct instruction *in, const struct flow *flow);
void init_matrix(struct wave *wave, const struct instruction *in, const struct flow *flow);
/* DPP: source 0's undefined bytes as each lane sees them, and the lanes that are written. */
uint64_t init_dpp(struct wave *wave, const struct instruction *in, unsigned row, unsigned n_rows,
                  uint64_t moved[][ROW_BYTES]);

/* Remembers where a place's undefined bits came from, and reports their use; lane -1: a scalar one. `place` is one that the
 * use read. */
void init_pass_origin(struct init_wave *init, const struct flow *flow);
void init_report(struct wave *wave, unsigned place, int lane, const char *use);

#endif
