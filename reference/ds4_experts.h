/*
 * References of the routed experts of a mixture, for a few tokens. An expert's matrices are rows of quantized weights;
 * activations are f32.
 *
 *     gate_up   mid[t][s][j] = silu(gate[e][j] . x[t]) * (up[e][j] . x[t])
 *     down      out[t][j] = sum over 6 s of weight[t][s] * (down[e][j] . mid[t][s])
 *
 * with e = selected[t][s] and silu(v) = v / (1 + exp(-v)).
 */
#ifndef REFERENCE_DS4_EXPERTS_H
#define REFERENCE_DS4_EXPERTS_H

#include <stdbool.h>
#include <stdint.h>

#include "reference/audit.h"
#include "reference/bound.h"
#include "reference/depth.h"
#include "reference/exact.h"
#include "reference/policy.h"

enum { DS4_LONGEST_RUN = 8, DS4_SUMMED_EXPERTS = 6 };

/* Neighbouring weights: scale * q[i] - minimum. */
struct ds4_run {
    double scale, minimum;
    double q[DS4_LONGEST_RUN];
};

/* How weights are stored, and how many neighbours a lane of these kernels sums before it scales. */
struct ds4_format {
    const char *name;
    int weights, words; /* of a block; words have 16 bits */
    int run;
    bool has_minimum;
    void (*decode)(const void *row, int64_t run, struct ds4_run *out);
};

extern const struct ds4_format ds4_q8_0, ds4_iq2_xxs, ds4_q2_k;

/* 16-bit words of a row of n weights. */
static inline int64_t ds4_row_words(const struct ds4_format *format, int64_t n)
{
    return (n + format->weights - 1) / format->weights * format->words;
}

struct ds4_gate_up {
    int64_t tokens, slots, mid, n;
    const struct ds4_format *format;
    int lanes;                 /* that share a row */
    const float *x;            /* [tokens][n] */
    const int32_t *selected;   /* [tokens][slots] */
    const uint16_t *gate, *up; /* [experts][mid] rows of n weights */
    int n_threads;
};

/* Adds the parts of an output's way (reference/depth.h); likewise below. */
void ds4_gate_up_depth(const struct ds4_gate_up *problem, struct depth *depth);
/* Outputs are [tokens * slots][mid]. */
void ds4_gate_up_reference(const struct ds4_gate_up *problem, struct bound *out);
void ds4_gate_up_audit(const struct ds4_gate_up *problem, int64_t row, int64_t column, struct audit *audit);
void ds4_gate_up_model(const struct ds4_gate_up *problem, const struct policy *policy, double *out);
/* The longer of the two sums behind an output whose gate is at least 20, where 1 + exp(-gate) rounds to 1 in f32. */
void ds4_gate_up_exact(const struct ds4_gate_up *problem, int64_t first, int64_t n, struct exact_sum *sums);

struct ds4_down {
    int64_t tokens, out_dim, n;
    const struct ds4_format *format;
    int lanes;
    const float *mid;        /* [tokens * 6][n] */
    const int32_t *selected; /* [tokens][6] */
    const float *weight;     /* [tokens][6] */
    const uint16_t *down;    /* [experts][out_dim] rows of n weights */
    int n_threads;
};

void ds4_down_depth(const struct ds4_down *problem, struct depth *depth);
void ds4_down_reference(const struct ds4_down *problem, struct bound *out);
void ds4_down_audit(const struct ds4_down *problem, int64_t token, int64_t column, struct audit *audit);
void ds4_down_model(const struct ds4_down *problem, const struct policy *policy, double *out);
void ds4_down_exact(const struct ds4_down *problem, int64_t first, int64_t n, struct exact_sum *sums);

/* v / (1 + exp2(-v * log2 e)) in f32 with the hardware's exp2 and a correctly rounded division. */
struct bound ds4_silu(struct bound v);

#endif
