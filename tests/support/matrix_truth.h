/*
 * One element of a matrix product by the written rule of a chip, slow and in exact integers: shares nothing with the
 * emulator.
 */
#ifndef SUPPORT_MATRIX_TRUTH_H
#define SUPPORT_MATRIX_TRUTH_H

#include <stdbool.h>
#include <stdint.h>

enum matrix_type { F16, BF16, F32, F64, XF32, FP8, BF8, FP8_FNUZ, BF8_FNUZ, FP6, BF6, FP4, I8, IU8, IU4, I32 };

int matrix_type_bits(enum matrix_type type);

/* How a chip adds up (docs/fidelity.md). */
enum matrix_adder {
    ADDER_FMA,            /* one fused multiply-add a product, f32 or f64 */
    ADDER_PAIRWISE,       /* gfx908 */
    ADDER_PAIRWISE_FLUSH, /* gfx90a */
    ADDER_GROUP,          /* gfx942, gfx950 */
    ADDER_GFX11,          /* steps of two products */
    ADDER_GFX12,          /* steps of four */
    ADDER_INTEGER
};

struct matrix_problem {
    enum matrix_adder adder;
    enum matrix_type a_type, b_type, result;
    int k, group;                      /* group: of the pairwise adders */
    const uint64_t *a, *b;             /* [k], bits */
    const int *a_scale, *b_scale;      /* [k / 32] E8M0 bytes, or NULL */
    bool a_signed, b_signed, saturate; /* integers */
    uint64_t c;
};

uint64_t matrix_truth(const struct matrix_problem *problem);

#endif
