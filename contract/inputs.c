/* The default inputs: pure functions of (seed, registration, shape, pattern, tensor, element). */
#include "contract/registry.h"

#include <math.h>

/* Elements of a tensor under one pattern. */
struct fill {
    const struct reg_tensor *tensor;
    const struct format_facts *facts;
    struct random_key key;
};

static double fill_signed(const struct fill *fill, int64_t i)
{
    double unit = random_unit(fill->key, (uint64_t)i);
    if (fill->facts->is_float)
        return 2 * unit - 1;
    double low = fill->facts->largest * 2 + 1; /* number of values of an integer format of either sign */
    return fmin(floor(unit * low) - fill->facts->largest, fill->facts->largest);
}

static double fill_onesided(const struct fill *fill, int64_t i)
{
    double unit = random_unit(fill->key, (uint64_t)i);
    return fill->facts->is_float ? 0.5 + unit / 2 : floor(unit * fill->facts->largest);
}

static double fill_edges(const struct fill *fill, int64_t i)
{
    if (!fill->facts->is_float)
        return random_bits(fill->key, (uint64_t)i) & 1 ? fill->facts->largest : 0;
    double sign = random_bits(fill->key, (uint64_t)i) & 1 ? -1 : 1;
    double smallest_normal = ldexp(1, fill->facts->exponent_min);
    double smallest = ldexp(1, fill->facts->exponent_min - fill->facts->precision_bits + 1);
    switch (random_below(fill->key, (uint64_t)i, 8)) {
    case 0:
        return sign * fill->facts->largest;
    case 1:
        return sign * smallest_normal;
    case 2:
        return sign * smallest;
    case 3:
        return sign * (smallest_normal - smallest);
    case 4:
        return sign * 0.0;
    default:
        return fill_signed(fill, i);
    }
}

static double fill_exact(const struct fill *fill, int64_t i)
{
    double value = (double)random_below(fill->key, (uint64_t)i, 17) - 8;
    bool is_unsigned =
        fill->tensor->format == FORMAT_U8 || fill->tensor->format == FORMAT_U16 || fill->tensor->format == FORMAT_U32;
    return is_unsigned ? fabs(value) : value;
}

static double element(const struct fill *fill, enum reg_pattern pattern, int64_t i)
{
    switch (pattern) {
    case REG_PATTERN_ONESIDED:
        return fill_onesided(fill, i);
    case REG_PATTERN_EDGES:
        return fill_edges(fill, i);
    case REG_PATTERN_EXACT:
        return fill_exact(fill, i);
    default:
        return fill_signed(fill, i);
    }
}

/* What the k-th planted row holds: NaN, +inf, -inf, both infinities, or only the largest value. */
static void plant_row(const struct fill *fill, void *data, int64_t first, int64_t n, int64_t k)
{
    enum number_format format = fill->tensor->format;
    int64_t at = first + (int64_t)random_below(fill->key, (uint64_t)(first + k), (uint32_t)n);
    int64_t other = at + 1 < first + n ? at + 1 : first;
    switch (k % 5) {
    case 0:
        format_store(format, data, at, NAN);
        break;
    case 1:
        format_store(format, data, at, INFINITY);
        break;
    case 2:
        format_store(format, data, at, -INFINITY);
        break;
    case 3:
        format_store(format, data, at, INFINITY);
        format_store(format, data, other, -INFINITY);
        break;
    default:
        for (int64_t i = first; i < first + n; i++)
            format_store(format, data, i, fill->facts->largest);
    }
}

/* Rows r with r % 4 == 1; where there is one row only, its columns. */
static void plant_classes(const struct fill *fill, void *data)
{
    int64_t rows = fill->tensor->rows, columns = fill->tensor->columns;
    if (rows == 1) {
        for (int64_t c = 1; c < columns; c += 4)
            plant_row(fill, data, c, 1, c / 4);
        return;
    }
    for (int64_t r = 1; r < rows; r += 4)
        plant_row(fill, data, r * columns, columns, r / 4);
}

void reg_fill(const struct reg_case *c, int tensor, void *data)
{
    struct fill fill = {&c->plan->tensor[tensor], format_facts(c->plan->tensor[tensor].format), reg_key(c, tensor)};
    int64_t n = fill.tensor->rows * fill.tensor->columns;
    for (int64_t i = 0; i < n; i++)
        format_store(fill.tensor->format, data, i, element(&fill, c->pattern, i));
    if (c->pattern == REG_PATTERN_CLASSES && fill.facts->is_float)
        plant_classes(&fill, data);
}

void reg_fill_scalable(const struct reg_case *c, int tensor, void *data)
{
    const struct reg_tensor *t = &c->plan->tensor[tensor];
    struct random_key key = reg_key(c, tensor);
    for (int64_t i = 0; i < t->rows * t->columns; i++) {
        double magnitude = 0.0625 + 0.9375 * random_unit(key, (uint64_t)i);
        format_store(t->format, data, i, random_bits(key, ~(uint64_t)i) >> 63 ? -magnitude : magnitude);
    }
}
