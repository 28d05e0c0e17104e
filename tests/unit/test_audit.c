/*
 * The audit machine and exact sums: each operation against identities that need no second library.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reference/audit.h"
#include "reference/exact.h"

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

static void sums_keep_what_doubles_lose(void **state)
{
    (void)state;
    audit_set(audit, 0, 0);
    audit_accumulate(audit, 0, 0x1p100, 1);
    audit_accumulate(audit, 0, 1 + 0x1p-52, 1 - 0x1p-53);
    audit_accumulate(audit, 0, -0x1p100, 1);
    assert_true(audit_get(audit, 0) == 1); /* a little below the tie */
    audit_set(audit, 1, 1);
    audit_sub(audit, 0, 0, 1);
    assert_true(audit_get(audit, 0) == 0x1p-53 - 0x1p-105);
}

/* 0.1 is no double: the distance of its double from 1/10 is known from its bits, 0x1.999999999999ap-4 = (1 + 2^-54 …)/10.
 */
static void distance_is_of_the_exact_value_and_rounded_up(void **state)
{
    (void)state;
    audit_set(audit, 0, 1);
    audit_set(audit, 1, 10);
    audit_div(audit, 0, 0, 1);
    double distance = audit_distance(audit, 0, 0.1);
    assert_true(distance >= 0x1p-55 / 10 * 2 && distance < 0x1p-55 / 10 * 2 * (1 + 0x1p-50));
    assert_true(audit_distance(audit, 0, INFINITY) == INFINITY && audit_distance(audit, 0, NAN) == INFINITY);
    audit_set(audit, 0, -INFINITY);
    assert_true(audit_distance(audit, 0, -INFINITY) == 0 && audit_distance(audit, 0, INFINITY) == INFINITY);
    audit_set(audit, 0, NAN);
    assert_true(audit_distance(audit, 0, NAN) == 0 && audit_distance(audit, 0, 0) == INFINITY);
}

/* Just above a tie of f16: rounding by way of double would fall on the tie, and to even. */
static void rounding_to_a_format_happens_once(void **state)
{
    (void)state;
    audit_set(audit, 0, 1 + 0x1p-11);
    audit_set(audit, 1, 0x1p-80);
    audit_add(audit, 0, 0, 1);
    assert_true(audit_get(audit, 0) == 1 + 0x1p-11);
    assert_true(audit_get_rounded(audit, 0, FORMAT_F16) == 1 + 0x1p-10);
    audit_set(audit, 0, 0x1p-25);
    assert_true(audit_get_rounded(audit, 0, FORMAT_F16) == 0);
    audit_add(audit, 0, 0, 1);
    assert_true(audit_get_rounded(audit, 0, FORMAT_F16) == 0x1p-24);
}

static void functions_agree_with_their_inverses_and_squares(void **state)
{
    (void)state;
    audit_set(audit, 0, 0.7);
    audit_exp(audit, 1, 0);
    audit_log(audit, 2, 1);
    assert_true(audit_distance(audit, 2, 0.7) < 0x1p-250);
    audit_sin(audit, 3, 0);
    audit_cos(audit, 4, 0);
    audit_mul(audit, 3, 3, 3);
    audit_fma(audit, 5, 4, 4, 3);
    assert_true(audit_distance(audit, 5, 1) < 0x1p-250);
    audit_set(audit, 6, 1.4); /* twice 0.7 as doubles: tanh x = (e^2x - 1)/(e^2x + 1) */
    audit_exp(audit, 6, 6);
    audit_set(audit, 7, 1);
    audit_sub(audit, 8, 6, 7);
    audit_add(audit, 9, 6, 7);
    audit_div(audit, 8, 8, 9);
    audit_tanh(audit, 9, 0);
    audit_sub(audit, 8, 8, 9);
    assert_true(audit_distance(audit, 8, 0) < 0x1p-250);
    audit_set(audit, 0, 2);
    audit_sqrt(audit, 1, 0);
    audit_mul(audit, 1, 1, 1);
    assert_true(audit_distance(audit, 1, 2) < 0x1p-250);
    audit_set(audit, 0, -10);
    audit_exp2(audit, 1, 0);
    audit_max(audit, 2, 0, 1);
    assert_true(audit_get(audit, 2) == 0x1p-10);
}

/* Known hard and easy values: e and its neighbours to 53 bits (OEIS A001113). */
static void exponentials_are_correctly_rounded(void **state)
{
    (void)state;
    assert_true(correct_exp(1) == 0x1.5bf0a8b145769p+1);
    assert_true(correct_exp(0) == 1 && correct_exp(-INFINITY) == 0 && correct_exp2(-3) == 0.125);
    assert_true(correct_exp2(0.5) == 0x1.6a09e667f3bcdp+0 && correct_log(2) == 0x1.62e42fefa39efp-1);
    assert_true(isinf(correct_exp(710)) && isnan(correct_exp(NAN)));
}

static void exact_sums_need_integers_below_2_to_the_24(void **state)
{
    (void)state;
    struct exact_sum sum = {.sum = 1000, .sum_abs = (1 << 24) - 1, .exponent = -10, .products_exact = true};
    assert_true(exact_premise_holds(&sum, false));
    assert_false(exact_premise_holds(&sum, true)); /* signs differ */
    struct exact_sum one_signed = {.sum = -5000, .sum_abs = 5000, .products_exact = true, .one_signed = true};
    assert_true(exact_premise_holds(&one_signed, true));
    struct exact_sum faults[] = {sum, sum, sum, sum, sum, one_signed};
    faults[0].sum_abs = 1 << 24;
    faults[1].products_exact = false;
    faults[2].exponent = -127;
    faults[3].exponent = 104;
    faults[4].sum = -(1 << 24);
    faults[5].sum_abs = 5001; /* cannot be of one sign */
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        assert_false(exact_premise_holds(&faults[i], false));
}

static void terms_that_no_integer_holds_are_left_out(void **state)
{
    (void)state;
    static const double refused[] = {0.5, 0x1p24, -0x1p24, 0x1p100, INFINITY, -INFINITY, NAN};
    struct exact_sum sum = {.products_exact = true};
    exact_add(&sum, 0x1p24 - 1);
    exact_add(&sum, -3);
    assert_true(sum.products_exact && sum.sum == (1 << 24) - 4 && sum.sum_abs == (1 << 24) + 2);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct exact_sum with = sum;
        exact_add(&with, refused[i]);
        assert_false(with.products_exact);
        assert_true(with.sum == sum.sum && with.sum_abs == sum.sum_abs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_keep_what_doubles_lose),
        cmocka_unit_test(distance_is_of_the_exact_value_and_rounded_up),
        cmocka_unit_test(rounding_to_a_format_happens_once),
        cmocka_unit_test(functions_agree_with_their_inverses_and_squares),
        cmocka_unit_test(exponentials_are_correctly_rounded),
        cmocka_unit_test(exact_sums_need_integers_below_2_to_the_24),
        cmocka_unit_test(terms_that_no_integer_holds_are_left_out),
    };
    return cmocka_run_group_tests_name("audit", tests, open_audit, close_audit);
}
