/*
 * Shapes of matrix instructions and where their elements lie in registers. D[i][j] = C[i][j] + sum over k of A[i][k]
 * B[k][j], for each of `blocks` independent products; A is m x k, B is k x n.
 *
 * Layouts are those of AMD's matrix instruction calculator 1.3.2, as a rule: a lane holds `run` elements of consecutive k
 * (of i for C and D), then the next group of lanes has its turn, and after the last group the first goes on with its next
 * register bits. tests/support/matrix_layouts.def has each instruction's own expressions.
 */
#ifndef EMULATOR_MATRIX_SHAPE_H
#define EMULATOR_MATRIX_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "device/emulator/matrix_factor.h"

enum matrix_result { RESULT_F32, RESULT_F64, RESULT_I32, RESULT_F16, RESULT_BF16 };

struct matrix_shape {
    uint8_t m, n, k, blocks;
    uint8_t a_format, b_format; /* enum factor_id; 8-bit floats in OCP's encoding, FNUZ where the chip has it */
    uint8_t result;             /* enum matrix_result */
    uint8_t group; /* products that gfx908 and gfx90a add up before they reach the accumulator; 0: no such form */
};

/* Products that gfx942 and later add up before they reach the accumulator: 16 of formats of 8 bits and fewer, 4 of xf32, 8
 * of f16 and bf16, at most k. */
static inline int matrix_group_products(unsigned factor_format, int k)
{
    int n = factor_bits(factor_format) <= 8 ? 16 : factor_bits(factor_format) == 16 ? 8 : 4;
    return n < k ? n : k;
}

/* Elements of A or B of the widest shape, and of D. */
enum { MATRIX_FACTORS = 2048, MATRIX_RESULTS = 2048 };

struct matrix_layout {
    uint8_t run;            /* consecutive elements of a lane */
    uint8_t n_groups;       /* groups of lanes */
    bool swapped;           /* the two bits of the group's number are exchanged (gfx12, wave64) */
    uint8_t group_lanes;    /* from one group to the next */
    uint8_t block_lanes;    /* from one block to the next; 0: blocks lie in registers */
    uint8_t block_elements; /* from one block to the next within a lane */
};

struct matrix_place {
    uint16_t element; /* of the lane, counted in elements from the operand's first register */
    uint8_t lane;     /* of index 0 along the lanes */
};

/* Where element `along` (k of A and B, i of C and D) of block b begins; the other index counts lanes from there. */
static inline struct matrix_place matrix_place(const struct matrix_layout *layout, unsigned along, unsigned b)
{
    unsigned turn = along / layout->run, group = turn % layout->n_groups;
    if (layout->swapped)
        group = group >> 1 | (group & 1) << 1;
    return (struct matrix_place){
        .element = (uint16_t)(turn / layout->n_groups * layout->run + along % layout->run + b * layout->block_elements),
        .lane = (uint8_t)(group * layout->group_lanes + b * layout->block_lanes),
    };
}

#endif
