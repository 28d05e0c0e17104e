/*
 * Number formats: every rounding against MPFR, which rounds once by construction.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "contract/base/random.h"
#include "reference/audit.h"
#include "reference/format.h"

static struct audit *audit;

static int open_audit(void **state)
{
    (void)state;
    audit = audit_open();
    return audit ? 0 : -1;
}

static int close_audit(void **state)
{
    (void)state;
    audit_close(audit);
    return 0;
}

static bool same_double(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* format_round and a store-load round trip must give what MPFR gives. */
static void check_rounding(enum number_format format, double value)
{
    audit_set(audit, 0, value);
    double expected = audit_get_rounded(audit, 0, format), got = format_round(format, value);
    uint64_t cell = UINT64_MAX;
    format_store(format, &cell, 0, value);
    double stored = format_load(format, &cell, 0);
    if (same_double(got, expected) && same_double(stored, expected))
        return;
    fail_msg("%s of %a: expected %a, format_round %a, stored %a", format_facts(format)->name, value, expected, got, stored);
}

static void check_both_signs(enum number_format format, double value)
{
    check_rounding(format, value);
    check_rounding(format, -value);
}

/* Around each number of a 16-bit format: itself, the midpoint to the next one, and a double's ulp on either side of it. */
static void check_all_16_bit(enum number_format format)
{
    uint16_t infinity = format == FORMAT_F16 ? 0x7c00 : 0x7f80;
    for (uint16_t bits = 0; bits < infinity; bits++) {
        uint16_t next_bits = bits + 1;
        double value = format_load(format, &bits, 0), next = format_load(format, &next_bits, 0);
        if (isinf(next)) /* where the next number would be, were the exponents unbounded: the overflow threshold is the
                            midpoint */
            next = value + 2 * format_half_spacing(format, value);
        double middle = value + (next - value) / 2;
        assert_true(format_half_spacing(format, value) == (next - value) / 2);
        check_both_signs(format, value);
        check_both_signs(format, middle);
        check_both_signs(format, nextafter(middle, 0));
        check_both_signs(format, nextafter(middle, INFINITY));
        check_both_signs(format, nextafter(value, 0));
    }
}

static void f16_rounding_equals_mpfr_at_every_value_and_midpoint(void **state)
{
    (void)state;
    check_all_16_bit(FORMAT_F16);
}

static void bf16_rounding_equals_mpfr_at_every_value_and_midpoint(void **state)
{
    (void)state;
    check_all_16_bit(FORMAT_BF16);
}

static void every_16_bit_pattern_survives_load_and_store(void **state)
{
    (void)state;
    static const enum number_format formats[] = {FORMAT_F16, FORMAT_BF16};
    for (size_t f = 0; f < 2; f++)
        for (uint32_t bits = 0; bits <= UINT16_MAX; bits++) {
            uint16_t from = (uint16_t)bits, to = 0;
            double value = format_load(formats[f], &from, 0);
            format_store(formats[f], &to, 0, value);
            if (isnan(value))
                assert_int_equal(to, formats[f] == FORMAT_F16 ? 0x7e00 : 0x7fc0);
            else
                assert_int_equal(to, from);
        }
}

static double f32_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Loads equal the host's own conversion, stores MPFR's, over a sweep of exponents and significands. */
static void f32_rounding_equals_mpfr(void **state)
{
    (void)state;
    struct random_key key = random_key_for(1, "f32_rounding");
    for (uint32_t i = 0; i < 200000; i++) {
        uint32_t bits = i < 40000 ? i % 10000 + (i / 10000) * 0x7f7fd8f0u / 3 : (uint32_t)random_bits(key, i) & 0x7fffffff;
        if (bits >= 0x7f7fffff)
            continue;
        double value = f32_of(bits), middle = value + (f32_of(bits + 1) - value) / 2;
        assert_true(same_double(format_load(FORMAT_F32, &bits, 0), value));
        check_both_signs(FORMAT_F32, value);
        check_both_signs(FORMAT_F32, middle);
        check_both_signs(FORMAT_F32, nextafter(middle, 0));
        check_both_signs(FORMAT_F32, nextafter(middle, INFINITY));
        check_rounding(FORMAT_F32, value + value * 0x1p-24 * random_unit(key, i));
    }
}

static void rounding_overflows_at_half_a_spacing_past_the_largest(void **state)
{
    (void)state;
    static const double thresholds[][2] = {{FORMAT_F32, 0x1.ffffffp127}, {FORMAT_F16, 65520}, {FORMAT_BF16, 0x1.ffp127}};
    for (size_t i = 0; i < 3; i++) {
        enum number_format format = (enum number_format)thresholds[i][0];
        double threshold = thresholds[i][1];
        assert_true(isinf(format_round(format, threshold)));
        assert_true(format_round(format, nextafter(threshold, 0)) == format_facts(format)->largest);
        check_both_signs(format, threshold);
        check_both_signs(format, nextafter(threshold, 0));
        check_both_signs(format, 0x1p1023);
        check_both_signs(format, INFINITY);
    }
}

static void doubles_of_any_exponent_round_as_mpfr_says(void **state)
{
    (void)state;
    static const enum number_format formats[] = {FORMAT_F32, FORMAT_F16, FORMAT_BF16};
    struct random_key key = random_key_for(2, "any_exponent");
    for (uint64_t i = 0; i < 60000; i++) {
        int exponent = (int)random_below(key, 2 * i, 320) - 180;
        double value = ldexp(1 + random_unit(key, 2 * i + 1), exponent);
        check_both_signs(formats[i % 3], value);
    }
    for (size_t f = 0; f < 3; f++)
        for (int exponent = -1074; exponent < -130; exponent += 13)
            check_both_signs(formats[f], ldexp(1, exponent));
}

static void table_agrees_with_the_definitions_of_the_formats(void **state)
{
    (void)state;
    static const enum number_format formats[] = {FORMAT_F64, FORMAT_F32, FORMAT_F16, FORMAT_BF16};
    for (size_t i = 0; i < 4; i++) {
        const struct format_facts *f = format_facts(formats[i]);
        assert_true(f->unit_roundoff == ldexp(1, -f->precision_bits));
        assert_true(f->half_subnormal == ldexp(1, f->exponent_min - f->precision_bits));
        assert_true(f->largest == ldexp(2 - 2 * f->unit_roundoff, f->exponent_max));
        assert_true(format_half_spacing(formats[i], 0) == f->half_subnormal);
        assert_true(format_half_spacing(formats[i], 1) == f->unit_roundoff);
    }
}

static void integers_are_stored_nearest_and_saturated(void **state)
{
    (void)state;
    int8_t i8[4];
    uint16_t u16[2];
    static const double values[4] = {2.5, -129, 1e9, NAN};
    static const int8_t expected[4] = {2, -128, 127, 0};
    for (int i = 0; i < 4; i++)
        format_store(FORMAT_I8, i8, i, values[i]);
    assert_memory_equal(i8, expected, sizeof expected);
    format_store(FORMAT_U16, u16, 0, -3);
    format_store(FORMAT_U16, u16, 1, 65534.7);
    assert_int_equal(u16[0], 0);
    assert_int_equal(u16[1], 65535);
    int32_t lowest = INT32_MIN;
    assert_true(format_load(FORMAT_I32, &lowest, 0) == -2147483648.0);
    assert_true(format_load(FORMAT_U32, &lowest, 0) == 2147483648.0);
}

static uint64_t bits_of(enum number_format format, double value)
{
    uint64_t cell = 0;
    format_store(format, &cell, 0, value);
    return format_bits(format, &cell, 0);
}

/* Over all bit patterns of a 16-bit format: an ulp leads from each number to the next larger one. */
static void check_neighbours(enum number_format format)
{
    uint64_t before = bits_of(format, -INFINITY);
    for (uint32_t i = 0; before != bits_of(format, INFINITY); i++) {
        uint64_t magnitude = before & 0x7fff;
        uint64_t next = before & 0x8000 ? (magnitude == 1 ? 0 : 0x8000 | (magnitude - 1)) : magnitude + 1;
        assert_true(format_load(format, &next, 0) > format_load(format, &before, 0));
        assert_int_equal(format_ulps(format, before, next), 1);
        assert_int_equal(format_ulps(format, bits_of(format, -INFINITY), next), i + 1);
        before = next;
    }
}

static void ulps_count_the_numbers_between(void **state)
{
    (void)state;
    check_neighbours(FORMAT_F16);
    check_neighbours(FORMAT_BF16);
    assert_int_equal(format_ulps(FORMAT_F32, bits_of(FORMAT_F32, 1), bits_of(FORMAT_F32, 2)), 1 << 23);
    assert_int_equal(format_ulps(FORMAT_F32, bits_of(FORMAT_F32, -0x1p-149), bits_of(FORMAT_F32, 0x1p-148)), 3);
    assert_int_equal(format_ulps(FORMAT_F64, bits_of(FORMAT_F64, 1), bits_of(FORMAT_F64, 1 - 0x1p-53)), 1);
    assert_int_equal(format_ulps(FORMAT_F64, bits_of(FORMAT_F64, -INFINITY), bits_of(FORMAT_F64, INFINITY)),
                     2 * (UINT64_C(0x7ff) << 52));
    assert_int_equal(format_ulps(FORMAT_I8, bits_of(FORMAT_I8, -128), bits_of(FORMAT_I8, 127)), 255);
    assert_int_equal(format_ulps(FORMAT_I32, bits_of(FORMAT_I32, -5), bits_of(FORMAT_I32, -3)), 2);
    assert_int_equal(format_ulps(FORMAT_U8, 0, 255), 255);
}

static void ulps_of_zeros_and_nans(void **state)
{
    (void)state;
    for (int format = FORMAT_F64; format <= FORMAT_BF16; format++) {
        enum number_format f = (enum number_format)format;
        uint64_t nan = bits_of(f, NAN), infinity = bits_of(f, INFINITY);
        assert_int_equal(format_ulps(f, bits_of(f, 0.0), bits_of(f, -0.0)), 0);
        assert_int_equal(format_ulps(f, nan, nan + 1), 0);
        assert_int_equal(format_ulps(f, nan, infinity), UINT64_MAX);
        assert_int_equal(format_ulps(f, bits_of(f, 0), nan), UINT64_MAX);
        assert_int_equal(format_ulps(f, bits_of(f, format_facts(f)->largest), infinity), 1);
    }
}

static void formats_are_found_by_name(void **state)
{
    (void)state;
    for (int format = 0; format < FORMAT_COUNT; format++)
        assert_int_equal(format_find(format_facts((enum number_format)format)->name), format);
    assert_int_equal(format_find("f8"), FORMAT_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_agrees_with_the_definitions_of_the_formats),
        cmocka_unit_test(f16_rounding_equals_mpfr_at_every_value_and_midpoint),
        cmocka_unit_test(bf16_rounding_equals_mpfr_at_every_value_and_midpoint),
        cmocka_unit_test(every_16_bit_pattern_survives_load_and_store),
        cmocka_unit_test(f32_rounding_equals_mpfr),
        cmocka_unit_test(rounding_overflows_at_half_a_spacing_past_the_largest),
        cmocka_unit_test(doubles_of_any_exponent_round_as_mpfr_says),
        cmocka_unit_test(integers_are_stored_nearest_and_saturated),
        cmocka_unit_test(ulps_count_the_numbers_between),
        cmocka_unit_test(ulps_of_zeros_and_nans),
        cmocka_unit_test(formats_are_found_by_name),
    };
    return cmocka_run_group_tests_name("format", tests, open_audit, close_audit);
}
