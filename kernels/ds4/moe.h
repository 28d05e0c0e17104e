/* What the registrations of routed experts share. */
#ifndef KERNELS_DS4_MOE_H
#define KERNELS_DS4_MOE_H

#include "kernels/ds4/ds4.h"
#include "reference/ds4_experts.h"

#define DS4_WHOLE_BLOCKS "a row has whole blocks of 256 weights, a multiple of every tile: there is no tail to drop"

/* A registration's variant: the blocks of its weights, and the lanes that share a row. */
struct ds4_moe_variant {
    const struct ds4_format *format;
    int lanes;
};

/* Rows of n weights have whole blocks, where the format's kernels need that. */
bool ds4_rows_fit(const struct ds4_format *format, int64_t n, struct error *error);

/* Rows of blocks declared as FORMAT_U16. positive: no weight is negative where the pattern is exact. */
void ds4_fill_iq2_xxs(const struct reg_case *c, int tensor, bool positive, void *data);
void ds4_fill_q2_k(const struct reg_case *c, int tensor, void *data);

/* The experts that each row's token selected, all different; there are as many as a row has columns, at least. */
void ds4_fill_selected(const struct reg_case *c, int tensor, int64_t experts, int32_t *selected);

#endif
