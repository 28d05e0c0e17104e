/*
 * Dot and matrix instructions are not IEEE chains on every chip. Each step model here has an error that is derived from the
 * rule that was fitted to silicon (docs/numerics.md), in one table; a registration names the step it uses, not the chip.
 */
#ifndef REFERENCE_STEP_H
#define REFERENCE_STEP_H

#include <math.h>
#include <stdint.h>

#include "reference/bound.h"

/* X(name): how one accumulation of a group of products rounds. */
#define STEP_MODELS(X)                                                                                                     \
    X(FMA_F32)     /* one fma in f32 a product: IEEE */                                                                    \
    X(DOT2_GFX10)  /* v_dot2_* of gfx9, gfx10; modelled: the worse of two fma and of exact products added */               \
    X(DOT2_GFX11)  /* v_dot2_f32_f16 and each WMMA step of gfx11: common grid, one's-complement adder */                   \
    X(DOT2_GFX12)  /* v_dot2_f32_f16 of gfx12: common grid, floor */                                                       \
    X(WMMA_GFX12)  /* four products of a WMMA of gfx12: two pairs, each on a grid, floor */                                \
    X(MFMA_GFX90A) /* four products of an MFMA of gfx90a: a tree of f32 additions, subnormals flushed */                   \
    X(MFMA_GFX942) /* eight products of an MFMA of gfx942: common grid, cut, then floor */                                 \
    X(DOT2_ANY)    /* the worst of all dot2 steps and of a chain of two fma: what a kernel compiled for every chip uses */ \
    X(WMMA_ANY)    /* the worst of gfx11's and gfx12's WMMA; counts steps of two products */                               \
    X(MFMA_ANY)    /* the worst of gfx90a's and gfx942's MFMA and, for gfx950's, of which no rule is public, of a chain of \
                    * fma; counts steps of four products */

#define STEP_ENUM(name) STEP_##name,
enum step_model { STEP_MODELS(STEP_ENUM) STEP_COUNT };
#undef STEP_ENUM

/* Sums over the products a_i b_i of f16 (or bf16) factors behind one output. Adders that align to a common grid take it
 * from the factors' exponents, not from the product: a subnormal factor counts as the smallest normal one there. */
struct step_terms {
    int64_t n_products;
    double sum, sum_abs;  /* sum a_i b_i and sum |a_i b_i| */
    double finite_abs;    /* sum_abs over the products that are finite; matters where sum is an infinity */
    double sum_aligned;   /* sum step_magnitude(a_i) step_magnitude(b_i): sum_abs where no factor is subnormal */
    double sum_flushed;   /* sum |a_i b_i| over products with a subnormal bf16 factor (gfx11 takes it for zero); f16: 0 */
    double sum_subnormal; /* the same of either format (gfx90a's MFMA takes them for zero) */
    double sum_zeros; /* sum over products with a zero factor of 2^-126 step_magnitude(other factor), at least 2^-252: where
                       * gfx942's MFMA aligns them */
};

/* The smallest normal number of f16, else of bf16. */
static inline double step_smallest(enum number_format format)
{
    return format == FORMAT_F16 ? 0x1p-14 : 0x1p-126;
}

/* |a| as alignment sees it: 0 for a zero, else at least the format's smallest normal. */
static inline double step_magnitude(enum number_format format, double a)
{
    return a == 0 ? 0 : fmax(fabs(a), step_smallest(format));
}

/* Adds one product of two factors of the format to the sums. */
void step_terms_add(struct step_terms *terms, enum number_format format, double a, double b);

/* Products of one of the steps that the model counts. */
int step_products(enum step_model model);

/* A chain's error as a function of its sums: (carried T + (products T + aligned Q) + tiny) / divisor for T = sum_abs and Q
 * = sum_aligned, infinite where the divisor is 0; sum_flushed comes on top where flushes_bf16, sum_subnormal where
 * flushes_all, and sum_zeros joins Q where aligns_zeros. */
struct step_factors {
    double carried, products, aligned, tiny, divisor;
    bool flushes_bf16, flushes_all, aligns_zeros;
};
enum { STEP_MOST_MODELS = 3 };
/* Those of chains of up to steps_longest_chain steps and of n_products products; the error is the largest of the models
 * that the model stands for (the ones of STEP_x_ANY). Returns how many they are. */
int step_factors(enum step_model model, int64_t n_products, int64_t steps_longest_chain,
                 struct step_factors factors[STEP_MOST_MODELS]);

/* Roundings that an element of the accumulator or a product passes through in a chain of that many of the model's steps,
 * the most of the models it stands for: one a step where a step rounds once; of gfx10's dot2 two; a chain of fma has one a
 * product; of gfx90a's MFMA the two levels of the first step's tree come on top. */
int64_t step_depth(enum step_model model, int64_t n_steps);

/* The sum of the terms' exact products, accumulated in f32 by chains of steps of the model from a zero accumulator, the
 * longest of steps_longest_chain steps (FMA_F32: a product each; dot2: two each; matrix: as listed), then through
 * more_additions further f32 additions of partial sums (waves, lanes). Returns the bounded sum. Zero products count as
 * products, except those that fill up a chain's last step. An infinite or NaN sum is the chain's too, but undecided where
 * finite products may overflow to the other infinity, or where the model takes an infinity's other factor for zero. */
struct bound step_chain(enum step_model model, const struct step_terms *terms, int64_t steps_longest_chain,
                        int64_t more_additions);

#endif
