/* Products of rows of x with a slice. x and W are f16, 11 bits each, so that their products are exact in float64 and one
 * fused operation rounds as a product and a sum do. */
#include "reference/lanes/vector.h"

enum { ROWS_AT_ONCE = 2 };

/* One vector of columns of n_rows rows: sums over the slice's rows, then one addition to the sums of all. */
static inline __attribute__((always_inline)) void add_column(const double *slice, const double *x, const double *magnitude,
                                                             int64_t stride, int n_rows, int at, struct lanes_sums *sums)
{
    f64s value[ROWS_AT_ONCE], sizes[ROWS_AT_ONCE];
    for (int k = 0; k < LANES_SLICE_ROWS; k++) {
        f64s w = load(slice + k * LANES_GROUP + at), size = absolute(w);
        for (int r = 0; r < n_rows; r++) {
            f64s factor = all(x[r * stride + k]), factor_size = all(magnitude[r * stride + k]);
            value[r] = k == 0 ? factor * w : add_exact_product(factor, w, value[r]);
            sizes[r] = k == 0 ? factor_size * size : add_exact_product(factor_size, size, sizes[r]);
        }
    }
    for (int r = 0; r < n_rows; r++) {
        store(&sums[r].value[at], load(&sums[r].value[at]) + value[r]);
        store(&sums[r].magnitude[at], load(&sums[r].magnitude[at]) + sizes[r]);
    }
}

void AT_LEVEL(products)(const double *slice, const double *x, const double *magnitude, int64_t stride, int64_t n_rows,
                        struct lanes_sums *sums)
{
    int64_t row = 0;
    for (; row + ROWS_AT_ONCE <= n_rows; row += ROWS_AT_ONCE)
        for (int at = 0; at < LANES_GROUP; at += N_LANES)
            add_column(slice, x + row * stride, magnitude + row * stride, stride, ROWS_AT_ONCE, at, sums + row);
    for (; row < n_rows; row++)
        for (int at = 0; at < LANES_GROUP; at += N_LANES)
            add_column(slice, x + row * stride, magnitude + row * stride, stride, 1, at, sums + row);
}
