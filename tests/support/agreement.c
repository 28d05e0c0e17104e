#include "tests/support/agreement.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference/format.h"

/* Allowed for results that the hardware only approximates: |got - expect| <= this * max(1, |expect|). */
static const double approx_tolerance = 1e-5, approx_tolerance_f16 = 1e-3;

static uint32_t dword_at(const uint8_t *bytes, uint32_t dword)
{
    uint32_t value;
    memcpy(&value, bytes + 4 * (size_t)dword, 4);
    return value;
}

/* Steps between two bit patterns of one format; the patterns of each sign are in order. */
static uint64_t ulps_apart(uint64_t got, uint64_t expect, uint64_t sign)
{
    int64_t a = got & sign ? -(int64_t)(got & ~sign) : (int64_t)got;
    int64_t b = expect & sign ? -(int64_t)(expect & ~sign) : (int64_t)expect;
    return (uint64_t)llabs(a - b);
}

struct tolerance {
    double relative; /* 0: none */
    uint32_t ulp;
};

/* Numbers agree when equal, both NaN, or as near as the vector allows; infinities match in kind. -0 equals +0. */
static bool numbers_agree(uint64_t got, uint64_t expect, enum number_format format, struct tolerance tolerance)
{
    double x = format_load(format, &got, 0), y = format_load(format, &expect, 0);
    if (isnan(x) || isnan(y))
        return isnan(x) && isnan(y);
    if (x == y)
        return true;
    if (isinf(x) || isinf(y))
        return false;
    uint64_t sign = UINT64_C(1) << (8 * format_facts(format)->n_bytes - 1);
    return ulps_apart(got, expect, sign) <= tolerance.ulp || fabs(x - y) <= tolerance.relative * fmax(1, fabs(y));
}

static bool check_agrees(const struct vector *vector, const uint8_t *output, const struct vector_check *check)
{
    uint32_t got = dword_at(output, check->dword), expect = dword_at(vector->expect, check->dword);
    struct tolerance tolerance = {vector->approx ? approx_tolerance : 0, vector->ulp};
    struct tolerance tolerance_f16 = {vector->approx ? approx_tolerance_f16 : 0, vector->ulp};
    bool other_bits_equal = ((got ^ expect) & check->mask & 0xffff0000) == 0;
    switch (check->kind) {
    case CHECK_F16:
        return other_bits_equal && numbers_agree(got & 0xffff, expect & 0xffff, FORMAT_F16, tolerance_f16);
    case CHECK_F32:
        return numbers_agree(got, expect, FORMAT_F32, tolerance);
    case CHECK_F64:
        if (check->is_high || !check->high_dword)
            return check->is_high || got == expect;
        return numbers_agree((uint64_t)dword_at(output, check->high_dword) << 32 | got,
                             (uint64_t)dword_at(vector->expect, check->high_dword) << 32 | expect, FORMAT_F64, tolerance);
    case CHECK_READ: /* turned into some number by the test: f16 where only the low half is used */
        if (!vector->approx || ((got ^ expect) & check->mask) == 0)
            break;
        return expect >> 16 ? numbers_agree(got, expect, FORMAT_F32, tolerance)
                            : other_bits_equal && numbers_agree(got, expect, FORMAT_F16, tolerance_f16);
    default:
        break;
    }
    return ((got ^ expect) & check->mask) == 0;
}

size_t agreement_first_failure(const struct vector *vector, const uint8_t *output)
{
    for (size_t i = 0; i < vector->n_checks; i++)
        if (!check_agrees(vector, output, &vector->checks[i]))
            return i;
    return vector->n_checks;
}

/* Where a dword of the output comes from. */
static void name_place(const struct vector *vector, uint32_t dword, char *text, size_t n_bytes)
{
    uint32_t n = vector->n_items, scalar = dword - 16 * n;
    static const char *const names[] = {"vcc_lo", "scc", "exec_lo"};
    if (!vector->full)
        snprintf(text, n_bytes, "lane %u", dword);
    else if (dword < 16 * n)
        snprintf(text, n_bytes, "v%u lane %u", dword / n, dword % n);
    else if (scalar < 16)
        snprintf(text, n_bytes, "s%u", scalar);
    else if (scalar < 19)
        snprintf(text, n_bytes, "%s", names[scalar - 16]);
    else
        snprintf(text, n_bytes, "byte %u", 4 * dword);
}

void agreement_describe(const struct vector *vector, const uint8_t *output, size_t index, char *text, size_t n_bytes)
{
    const struct vector_check *check = &vector->checks[index];
    char place[48];
    name_place(vector, check->dword, place, sizeof place);
    if (check->kind == CHECK_F64 && check->high_dword)
        snprintf(text, n_bytes, "%s: got 0x%08x%08x, expected 0x%08x%08x", place, dword_at(output, check->high_dword),
                 dword_at(output, check->dword), dword_at(vector->expect, check->high_dword),
                 dword_at(vector->expect, check->dword));
    else
        snprintf(text, n_bytes, "%s: got 0x%08x, expected 0x%08x (mask 0x%08x)", place, dword_at(output, check->dword),
                 dword_at(vector->expect, check->dword), check->mask);
}

static bool is_nan_f32(uint32_t bits)
{
    return (bits & 0x7fffffff) > 0x7f800000;
}

bool agreement_whole(const struct vector *vector, const uint8_t *output)
{
    for (uint32_t i = 0; 4 * (size_t)i + 4 <= vector->output_bytes; i++) {
        uint32_t got = dword_at(output, i), expect = dword_at(vector->expect, i);
        if (got != expect && !(is_nan_f32(got) && is_nan_f32(expect)))
            return false;
    }
    return true;
}
