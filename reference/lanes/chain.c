/* Sums of a row of x with a slice under a policy: a chain in rising k, with rounded products and partial sums. */
#include "reference/lanes/rounding.h"

enum { VECTORS_AT_ONCE = 4 }; /* independent chains, so that one's roundings run while another's wait */

struct chain {
    struct rounding sum, product;
    const double *slice, *x;
    int n;
};

static inline __attribute__((always_inline)) void run_chains(const struct chain *chain, bool rounds_sum,
                                                             bool rounds_product, double *sums)
{
    for (int at = 0; at < LANES_GROUP; at += VECTORS_AT_ONCE * N_LANES) {
        f64s sum[VECTORS_AT_ONCE];
        for (int v = 0; v < VECTORS_AT_ONCE; v++)
            sum[v] = load(sums + at + v * N_LANES);
        for (int k = 0; k < chain->n; k++)
            for (int v = 0; v < VECTORS_AT_ONCE; v++) {
                f64s product = all(chain->x[k]) * load(chain->slice + k * LANES_GROUP + at + v * N_LANES);
                sum[v] = round_if(rounds_sum, &chain->sum, sum[v] + round_if(rounds_product, &chain->product, product));
            }
        for (int v = 0; v < VECTORS_AT_ONCE; v++)
            store(sums + at + v * N_LANES, sum[v]);
    }
}

void AT_LEVEL(chain)(enum number_format sum_format, enum number_format product_format, const double *slice, const double *x,
                     int n, double *sums)
{
    struct chain chain = {rounding_to(sum_format), rounding_to(product_format), slice, x, n};
    bool rounds_sum = sum_format != FORMAT_F64, rounds_product = product_format != FORMAT_F64;
    if (rounds_sum && rounds_product)
        run_chains(&chain, true, true, sums);
    else if (rounds_sum)
        run_chains(&chain, true, false, sums);
    else if (rounds_product)
        run_chains(&chain, false, true, sums);
    else
        run_chains(&chain, false, false, sums);
}
