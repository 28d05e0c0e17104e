#include <math.h>

#include "kernels/hgemm/family.h"

/* Zeros, subnormal numbers, the smallest normal ones, some around 1, and large ones: 2^110 times K overflows nothing. */
static double edge_number(struct random_key key, uint64_t i, bool small_row)
{
    static const double sizes[] = {0, 0x1p-133, 0x1p-127, 0x1p-126, 1, 0x1p55};
    uint32_t n = small_row ? 4 : sizeof sizes / sizeof sizes[0];
    double size = sizes[random_below(key, i, n)] * (1 + random_unit(key, ~i) / 2);
    return random_bits(key, i) & 1 ? -size : size;
}

/* Magnitudes that keep k products below 2^24, of which bf16 holds those up to 256. */
static double exact_number(struct random_key key, uint64_t i, int64_t k)
{
    return 1 + (double)random_below(key, i, (uint32_t)fmin(256, sqrt(((1 << 24) - 1) / (double)k)));
}

/* Ones in about four of k places: sums of so few numbers have few more bits than bf16, so that many lie half way between
 * two of its numbers. All terms are positive: beside a negative sum gfx11's adder is not exact with a 0 (docs/numerics.md).
 */
static double few_ones(int64_t column, int64_t k)
{
    return column % (k < 4 ? 1 : k / 4) == 0;
}

static double number(const struct reg_case *c, int tensor, struct random_key key, int64_t i)
{
    int64_t k = c->plan->tensor[tensor].columns, row = i / k;
    if (c->pattern == REG_PATTERN_EDGES)
        return edge_number(key, (uint64_t)i, tensor == HGEMM_A && row % 2 == 1);
    if (tensor == HGEMM_A && row % 2 == 1 && c->plan->tensor[HGEMM_C].format == FORMAT_BF16)
        return few_ones(i % k, k);
    bool negative = tensor == HGEMM_A && random_bits(key, ~(uint64_t)row) >> 63;
    return (negative ? -1 : 1) * exact_number(key, (uint64_t)i, k);
}

void hgemm_fill(const struct reg_case *c, int tensor, void *data)
{
    const struct reg_tensor *t = &c->plan->tensor[tensor];
    struct reg_case unplanted = *c;
    unplanted.pattern = REG_PATTERN_SIGNED;
    if (c->pattern == REG_PATTERN_EXACT || c->pattern == REG_PATTERN_EDGES)
        for (int64_t i = 0; i < t->rows * t->columns; i++)
            format_store(t->format, data, i, number(c, tensor, reg_key(c, tensor), i));
    else if (c->pattern == REG_PATTERN_CLASSES && t->rows == 1)
        reg_fill(&unplanted, tensor, data); /* a single planted row would leave nothing finite */
    else
        reg_fill(c, tensor, data);
}
