/* What the files of the ds4 family share. */
#ifndef KERNELS_DS4_H
#define KERNELS_DS4_H

#include "contract/registry.h"
#include "reference/blocks.h"
#include "reference/ds4.h"

#define DS4_SOURCE "kernels/ds4/ds4.hip"
#define DS4_EPS    1e-6f
/* 1 / sqrt(mean square + eps) of numbers up to 4: from 2^-3 to 2^10, in f32. */
#define DS4_BESIDE_NORM .beside_unit = -26, .beside_log = 10

enum { DS4_THREADS = 256, DS4_ELEMENTS_OF_ROUND = 4 * DS4_THREADS };

static inline struct reg_arg ds4_tensor_arg(int tensor)
{
    return (struct reg_arg){.kind = REG_ARG_TENSOR, .tensor = tensor};
}

static inline struct reg_arg ds4_int_arg(int64_t value)
{
    return (struct reg_arg){.kind = REG_ARG_I32, .integer = value};
}

static inline struct reg_arg ds4_eps_arg(void)
{
    return (struct reg_arg){.kind = REG_ARG_F32, .real = DS4_EPS};
}

/* Rows whose sums of squares stay finite: row r % 3 == 0 mixes sizes from subnormals to 2^52, 1 is tiny throughout, 2 is
 * zeros of both signs. */
void ds4_fill_edges(const struct reg_case *c, int tensor, float *data);
/* A row of n integers times 64 whose mean square is 2^16 exactly. */
void ds4_exact_row(struct random_key key, int64_t row, int64_t n, float *out);

/* Rows of f32 activations: edges as above, exact integers of -8 to 8, classes planted only where there are several rows (a
 * single one would leave nothing finite). */
void ds4_fill_x(const struct reg_case *c, int tensor, float *data);

/* A tensor of Q8_0 rows, declared as FORMAT_U16 with Q8_0_WORDS columns a block. Scales of 2^-8 to 2^-6 and q of -127 to
 * 127, which are positive where the pattern is one-sided or exact; exact scales are 1, 2 or 4 times 2^-6. What lies past a
 * row's end is not zero. Classes: rows r % 16 == 5 have a scale that is NaN, and r % 16 == 9 an infinite one. */
void ds4_fill_q8_0(const struct reg_case *c, int tensor, void *data);

/* The f16 scale of block i, and the planting of classes, in blocks of any format. */
double ds4_block_scale(const struct reg_case *c, struct random_key key, uint64_t i);
void ds4_plant_scales(const struct reg_case *c, int tensor, int words_of_block, int scale_word, uint16_t *data);

#endif
