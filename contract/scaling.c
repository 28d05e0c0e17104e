/*
 * By which powers of two a case's inputs may be scaled.
 *
 * With the unit of a number, the power of two of its lowest bit that is set, every product is a multiple of the product of
 * its factors' smallest units, and so is every sum of them; rounding makes units larger only. No result of which that unit
 * is a normal number underflows, and scaled ones round as the others do. A result is at most the number of terms times the
 * largest product; the roundings of a chain do not double it.
 */
#include <limits.h>
#include <math.h>

#include "contract/relations.h"

/* Exponents of a tensor's numbers other than 0: 2^smallest <= |x| < 2^(largest + 1), all multiples of 2^unit. */
struct extent {
    bool is_zero; /* there are none */
    int smallest, largest, unit;
};

enum { BEYOND_FORMATS = 1 << 16 };

static int exponent_of(double value)
{
    int exponent;
    frexp(value, &exponent);
    return exponent - 1;
}

static int unit_of(double value)
{
    int exponent;
    int64_t digits = (int64_t)ldexp(frexp(fabs(value), &exponent), 53);
    return exponent - 53 + __builtin_ctzll((uint64_t)digits);
}

/* Infinities and NaN leave no power. */
static void extend(struct extent *e, double value)
{
    if (value == 0)
        return;
    bool finite = isfinite(value);
    int exponent = finite ? exponent_of(value) : BEYOND_FORMATS, unit = finite ? unit_of(value) : BEYOND_FORMATS;
    bool first = e->is_zero;
    e->is_zero = false;
    e->smallest = first || exponent < e->smallest ? exponent : e->smallest;
    e->largest = first || exponent > e->largest ? exponent : e->largest;
    e->unit = first || unit < e->unit ? unit : e->unit;
}

/* Of what the kernel multiplies: the numbers as it rounds them. */
static struct extent extent_of(const struct host_case *host, int t, enum number_format rounded)
{
    struct extent extent = {.is_zero = true};
    const struct reg_tensor *tensor = &host->plan.tensor[t];
    for (int64_t i = 0; i < tensor_elements(tensor); i++)
        extend(&extent, format_round(rounded, format_load(tensor->format, host->c.data[t], i)));
    return extent;
}

/* What a product has beside its scaled factor, and how many are added: exponents that only widen the range. */
struct rest {
    int unit, largest;
};

static int at_most_zero(int exponent)
{
    return exponent < 0 ? exponent : 0;
}

static int at_least_zero(int exponent)
{
    return exponent > 0 ? exponent : 0;
}

static struct rest rest_of(const struct reg_scaling *scaling, const struct host_case *host)
{
    struct rest rest = {at_most_zero(scaling->beside_unit), at_least_zero(scaling->beside_log)};
    int64_t most_terms = 1;
    for (int t = 0; t < host->plan.n_tensors; t++) {
        if (!(scaling->factors >> t & 1))
            continue;
        int64_t elements = tensor_elements(&host->plan.tensor[t]);
        most_terms = elements > most_terms ? elements : most_terms;
        struct extent extent = extent_of(host, t, FORMAT_F64);
        if (scaling->inputs >> t & 1 || extent.is_zero)
            continue;
        rest.unit += at_most_zero(extent.unit);
        rest.largest += at_least_zero(extent.largest + 1);
    }
    rest.largest += exponent_of((double)most_terms) + 2; /* rounded up, and for what rounding adds */
    return rest;
}

/* The powers that are left. */
struct range {
    int low, high;
};

static void narrow(struct range *range, int low, int high)
{
    range->low = low > range->low ? low : range->low;
    range->high = high < range->high ? high : range->high;
}

/* The numbers stay normal in a format, also where they are rounded up to the next power of two. */
static void stay_normal(struct range *range, const struct extent *extent, enum number_format format)
{
    const struct format_facts *facts = format_facts(format);
    narrow(range, facts->exponent_min - extent->smallest, facts->exponent_max - 1 - extent->largest);
}

static void narrow_to_input(struct range *range, const struct reg_scaling *scaling, const struct host_case *host, int t,
                            const struct rest *rest)
{
    const struct format_facts *sums = format_facts(scaling->sums);
    struct extent stored = extent_of(host, t, FORMAT_F64), read = extent_of(host, t, scaling->rounded);
    if (stored.is_zero)
        return;
    stay_normal(range, &stored, host->plan.tensor[t].format);
    stay_normal(range, &stored, scaling->rounded);
    narrow(range, sums->exponent_min - rest->unit - read.unit, sums->exponent_max - 1 - rest->largest - read.largest);
}

bool scaling_is_narrower(enum number_format format, enum number_format than)
{
    const struct format_facts *facts = format_facts(format), *others = format_facts(than);
    return facts->exponent_min > others->exponent_min || facts->exponent_max < others->exponent_max;
}

static void narrow_to_output(struct range *range, const struct reg_tensor *tensor, const void *data)
{
    struct extent extent = {.is_zero = true};
    const struct format_facts *facts = format_facts(tensor->format);
    for (int64_t i = 0; i < tensor_elements(tensor); i++) {
        double value = fabs(format_load(tensor->format, data, i));
        if (value >= ldexp(1, facts->exponent_min) && value <= facts->largest)
            extend(&extent, value);
    }
    if (!extent.is_zero)
        stay_normal(range, &extent, tensor->format);
}

bool scaling_powers(const struct reg_scaling *scaling, const struct host_case *host, const struct outputs *all,
                    int powers[2], struct error *error)
{
    struct range range = {INT_MIN, INT_MAX};
    struct rest rest = rest_of(scaling, host);
    const struct format_facts *sums = format_facts(scaling->sums);
    for (int t = 0; t < host->plan.n_tensors; t++)
        if (scaling->inputs >> t & 1)
            narrow_to_input(&range, scaling, host, t, &rest);
        else if (scaling->outputs >> t & 1 && scaling_is_narrower(host->plan.tensor[t].format, scaling->sums))
            narrow_to_output(&range, &host->plan.tensor[t], all->data[t]);
    bool holds_unscaled = range.low <= 0 && range.high >= 0 && range.low > INT_MIN && rest.unit >= sums->exponent_min &&
                          rest.largest < sums->exponent_max;
    if (!holds_unscaled || (range.low == 0 && range.high == 0))
        return error_set(error, STATUS_USAGE,
                         "no power of two scales these inputs such that all results stay normal numbers of %s: they allow "
                         "2^%d to 2^%d; take numbers nearer to 1, or with fewer digits",
                         sums->name, range.low, range.high);
    powers[0] = range.low;
    powers[1] = range.high;
    return true;
}
