/*
 * The references' inner loops over whole groups of 128 columns, built for several host instruction sets. Each function
 * gives the same bits at every level, and the same as the plain function that it names.
 */
#ifndef REFERENCE_LANES_H
#define REFERENCE_LANES_H

#include <stdint.h>

#include "reference/bound.h"
#include "reference/format.h"
#include "reference/step.h"

/*
 * A slice is 16 rows of W under one group of columns, decoded from the group's eight tiles: [16][128] doubles, columns in
 * the order of their places, so that a vector takes the same column of neighbouring tiles.
 */
enum { LANES_GROUP = 128, LANES_TILES = 8, LANES_SLICE_ROWS = 16 };

static inline int lanes_place(int column)
{
    return column % 16 * LANES_TILES + column / 16;
}

/* Sums over K of a row of x with each column, at the columns' places; excess: what sum_aligned has beyond sum_abs. */
struct lanes_sums {
    double value[LANES_GROUP], magnitude[LANES_GROUP], excess[LANES_GROUP];
};

/* From sums to bounds: step_chain, the rotation, times scale, times svh, stored in `format`. */
struct lanes_finish {
    int64_t n_products, more_additions; /* of step_chain */
    int n_models;
    struct step_factors models[STEP_MOST_MODELS];
    double scale;
    enum number_format format; /* FORMAT_F32, or one that is narrower */
};

/* X(name, arguments) */
#define LANE_FUNCTIONS(X)                                                                                                  \
    /* format_load of n f16 numbers. */                                                                                    \
    X(load_f16, (const uint16_t *from, int64_t n, double *values))                                                         \
    /* Decodes eight tiles of codebook mul1 that follow one another: exl3_weight of exl3_window. */                        \
    X(decode, (const uint16_t *tiles, int bits, double *slice))                                                            \
    /* Adds x * slice and |x| * |slice| to the sums of n_rows rows; x and its magnitudes have `stride` doubles a row. */   \
    X(products, (const double *slice, const double *x, const double *magnitude, int64_t stride, int64_t n_rows,            \
                 struct lanes_sums *sums))                                                                                 \
    /* sum = round(sum + round(x[k] * slice[k])) for the first n of a slice's rows: policy_add of policy_product. */       \
    X(chain, (enum number_format sum_format, enum number_format product_format, const double *slice, const double *x,      \
              int n, double *sums))                                                                                        \
    /* format_round of each. */                                                                                            \
    X(round, (enum number_format format, int64_t n, double *values))                                                       \
    /* In place, each butterfly rounded to the format: policy_add. */                                                      \
    X(hadamard, (enum number_format format, double *values))                                                               \
    /* In place, of values and errors that are finite and overflow nothing: bound_add. */                                  \
    X(hadamard_bound, (enum number_format format, double *values, double *errors))                                         \
    /* One group of one row, of sums and factors svh that are finite f16. */                                               \
    X(finish, (const struct lanes_finish *finish, const double *svh, const struct lanes_sums *sums, struct bound *out))

struct lanes {
#define LANES_MEMBER(name, arguments) void(*name) arguments;
    LANE_FUNCTIONS(LANES_MEMBER)
#undef LANES_MEMBER
};

/* The best that was built and that this host has, or what HIPCONTRACT_LEVEL asks for; v1 is always there. */
const struct lanes *lanes_of_host(void);

#endif
