#include "kernels/ds4/ds4.h"

#include <math.h>

/* Octets of integers whose squares add up to 128, a mean square of 16. */
static const int8_t octets[][8] = {
    {8, 6, 4, 2, 2, 2, 0, 0},  {7, 5, 5, 5, 2, 0, 0, 0}, {9, 5, 3, 3, 2, 0, 0, 0}, {4, 4, 4, 4, 4, 4, 4, 4},
    {10, 4, 2, 2, 2, 0, 0, 0}, {7, 7, 5, 2, 1, 0, 0, 0}, {6, 6, 6, 4, 2, 0, 0, 0},
};

enum { N_OCTETS = sizeof octets / sizeof octets[0] };

void ds4_exact_row(struct random_key key, int64_t row, int64_t n, float *out)
{
    int64_t whole = n / 8 * 8;
    for (int64_t i = 0; i < n; i++) {
        uint64_t octet = (uint64_t)(row * n + i / 8 * 8), at = (uint64_t)(row * n + i);
        uint32_t which = random_below(key, octet, N_OCTETS), turn = random_below(key, ~octet, 8);
        float value = i < whole ? octets[which][((uint32_t)i + turn) % 8] : 4; /* past the last octet: 4^2 = 16 */
        out[i] = 64 * (random_bits(key, at) >> 63 ? -value : value);
    }
}

static float edge_of_mixed_row(struct random_key key, uint64_t i)
{
    static const float sizes[] = {0x1p-149f, 0x1p-127f, 0x1p-126f, 0x1p-75f, 0x1p-20f, 1, 0x1p40f, 0x1p52f};
    float sign = random_bits(key, i) & 1 ? -1 : 1;
    return sign * sizes[random_below(key, i, 8)] * (float)(1 + random_unit(key, i) / 2);
}

static float edge_of_tiny_row(struct random_key key, uint64_t i)
{
    static const float sizes[] = {0, 0x1p-149f, 0x1p-130f, 0x1p-126f};
    return (random_bits(key, i) & 1 ? -1.0f : 1.0f) * sizes[random_below(key, i, 4)];
}

void ds4_fill_edges(const struct reg_case *c, int tensor, float *data)
{
    const struct reg_tensor *t = &c->plan->tensor[tensor];
    struct random_key key = reg_key(c, tensor);
    for (int64_t i = 0; i < t->rows * t->columns; i++)
        switch (i / t->columns % 3) {
        case 0:
            data[i] = edge_of_mixed_row(key, (uint64_t)i);
            break;
        case 1:
            data[i] = edge_of_tiny_row(key, (uint64_t)i);
            break;
        default:
            data[i] = random_bits(key, (uint64_t)i) & 1 ? -0.0f : 0.0f;
        }
}

void ds4_fill_x(const struct reg_case *c, int tensor, float *data)
{
    const struct reg_tensor *t = &c->plan->tensor[tensor];
    struct random_key key = reg_key(c, tensor);
    if (c->pattern == REG_PATTERN_EDGES)
        ds4_fill_edges(c, tensor, data);
    else if (c->pattern != REG_PATTERN_CLASSES || t->rows > 1)
        reg_fill(c, tensor, data);
    else
        for (int64_t i = 0; i < t->columns; i++)
            data[i] = (float)(2 * random_unit(key, (uint64_t)i) - 1);
}
