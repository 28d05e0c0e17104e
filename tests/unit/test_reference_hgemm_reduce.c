/*
 * The reference that adds split-K's partial sums: the order in its bytes, bounds that hold the kernel's chain and are not
 * far above it, and classes where an overflow may come before an infinity.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reference/hgemm_reduce.h"

static struct hgemm_reduce one_output(const float *partial, int64_t splits, enum number_format format)
{
    return (struct hgemm_reduce){.splits = splits, .rows = 1, .n = 1, .partial = partial, .format = format};
}

static struct bound bound_of(const float *partial, int64_t splits, enum number_format format)
{
    struct hgemm_reduce p = one_output(partial, splits, format);
    struct bound out = {NAN, NAN};
    hgemm_reduce_reference(&p, &out);
    return out;
}

/* 2^24 swallows ones that come after it, one at a time. */
static void the_bytes_are_those_of_the_rising_order(void **state)
{
    (void)state;
    const float falling[] = {0x1p24f, 1, 1}, rising[] = {1, 1, 0x1p24f};
    float out;
    struct hgemm_reduce p = one_output(falling, 3, FORMAT_F32);
    hgemm_reduce_bytes(&p, &out);
    assert_true(out == 0x1p24f);
    p.partial = rising;
    hgemm_reduce_bytes(&p, &out);
    assert_true(out == 0x1p24f + 2);
}

/* The chain loses both ones: 2 of a sum of 2^24 + 2, whose bound is gamma_2 of it, 2 (1 + 2^-23) and a little. */
static void the_bound_holds_a_chain_that_loses_most(void **state)
{
    (void)state;
    const float partial[] = {0x1p24f, 1, 1};
    struct bound out = bound_of(partial, 3, FORMAT_F32);
    assert_true(out.value == 0x1p24 + 2);
    assert_true(out.error >= 2 && out.error < 2 + 0x1p-20);
}

static void one_split_is_stored_as_it_is(void **state)
{
    (void)state;
    const float partial[] = {0x1.000002p0f};
    assert_true(bound_of(partial, 1, FORMAT_F32).error < 0x1p-50);
    struct bound halved = bound_of(partial, 1, FORMAT_BF16); /* half a spacing of bf16 at 1 */
    assert_true(halved.value == 0x1.000002p0);
    assert_true(halved.error >= 0x1p-23 && halved.error < 0x1.00001p-8);
}

/* Two of the largest are an infinity before -inf comes, and then NaN; alone, -inf decides. */
static void an_overflow_before_an_infinity_leaves_the_class_open(void **state)
{
    (void)state;
    const float open[] = {0x1.fffffep127f, 0x1.fffffep127f, -INFINITY}, decided[] = {1, 2, -INFINITY},
                both[] = {INFINITY, 0x1.fffffep127f, -INFINITY};
    assert_true(isinf(bound_of(open, 3, FORMAT_F32).error));
    struct bound out = bound_of(decided, 3, FORMAT_F32);
    assert_true(out.value == -INFINITY && out.error == 0);
    assert_int_equal(bound_class(bound_of(both, 3, FORMAT_F32), FORMAT_F32), CLASS_NAN);
}

static void the_depth_is_an_addition_a_split_but_the_first(void **state)
{
    (void)state;
    struct hgemm_reduce p = one_output(NULL, 16, FORMAT_F32);
    struct depth depth = {0};
    hgemm_reduce_depth(&p, &depth);
    assert_int_equal(depth_total(&depth), 15);
    assert_int_equal(hgemm_reduce_additions(1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bytes_are_those_of_the_rising_order),
        cmocka_unit_test(the_bound_holds_a_chain_that_loses_most),
        cmocka_unit_test(one_split_is_stored_as_it_is),
        cmocka_unit_test(an_overflow_before_an_infinity_leaves_the_class_open),
        cmocka_unit_test(the_depth_is_an_addition_a_split_but_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
