#include "reference/exact.h"

#include <math.h>
#include <stdlib.h>

/* Integers below this are exact in f32, and so is their sum in any order while sum |terms| stays below it. */
#define F32_EXACT_LIMIT (INT64_C(1) << 24)

/* Units of 2^exponent that keep every sum a normal f32: dot steps flush subnormal ones. */
enum { EXPONENT_MIN = -126, EXPONENT_MAX = 127 - 24 };

bool exact_is_term(double units)
{
    return fabs(units) < (double)F32_EXACT_LIMIT && units == rint(units);
}

void exact_add(struct exact_sum *sum, double units)
{
    if (!exact_is_term(units)) {
        sum->products_exact = false;
        return;
    }
    sum->sum += (int64_t)units;
    sum->sum_abs += (int64_t)fabs(units);
}

bool exact_premise_holds(const struct exact_sum *sum, bool needs_one_signed)
{
    bool in_range = sum->sum_abs >= 0 && sum->sum_abs < F32_EXACT_LIMIT && llabs(sum->sum) <= sum->sum_abs;
    bool signs_agree = sum->one_signed == (llabs(sum->sum) == sum->sum_abs);
    return sum->products_exact && in_range && signs_agree && sum->exponent >= EXPONENT_MIN &&
           sum->exponent <= EXPONENT_MAX && (sum->one_signed || !needs_one_signed);
}
