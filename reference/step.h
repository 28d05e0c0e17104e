/*
 * Dot and matrix instructions are not IEEE chains on every chip. Each step model here has an error that is derived from the
 * rule that was fitted to silicon (docs/numerics.md), in one table; a registration names the step it uses, not the chip.
 */
#ifndef REFERENCE_STEP_H
#define REFERENCE_STEP_H

#include <stdint.h>

#include "reference/bound.h"

/* X(name): how one accumulation of a group of products rounds. */
#define STEP_MODELS(X)                                                                                                   \
    X(FMA_F32)    /* one fma in f32 a product: IEEE */                                                                   \
    X(DOT2_GFX10) /* v_dot2_f32_f16 of gfx10 */                                                                          \
    X(DOT2_GFX11) /* v_dot2_f32_f16 and each WMMA step of gfx11: common grid, one's-complement adder */                  \
    X(DOT2_GFX12) /* v_dot2_f32_f16 of gfx12 */                                                                          \
    X(DOT2_ANY)   /* the worst of all dot2 steps and of a chain of two fma: what a kernel compiled for every chip uses */

#define STEP_ENUM(name) STEP_##name,
enum step_model { STEP_MODELS(STEP_ENUM) STEP_COUNT };
#undef STEP_ENUM

/* The sum of n_products exact products of f16 (or bf16) pairs, accumulated in f32 by a chain of steps of the model, each
 * taking products_per_step of them: sum and sum_abs are sum v_i and sum |v_i|; then through `more_additions` further f32
 * additions of partial sums (waves, lanes). Returns the bounded sum. */
struct bound step_chain(enum step_model model, int64_t n_products, double sum, double sum_abs, int64_t steps_longest_chain,
                        int64_t more_additions);

#endif
