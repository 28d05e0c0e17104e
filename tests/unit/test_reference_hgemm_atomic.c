/* The reference of splits that add to C by atomics: what their additions may lose comes on top of the fixed order's bound.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reference/hgemm_atomic.h"

enum { K = 192, K_OF_TILE = 64, BF16_INFINITY = 0x7f80, TINY = 0x2080 /* 2^-62 */ };

/* One output of three splits, whose factors are all `factor`, with bf16 bits. */
static struct hgemm product_of(uint16_t factor, uint16_t factors[K])
{
    for (int i = 0; i < K; i++)
        factors[i] = factor;
    return (struct hgemm){.m = 1,
                          .n = 1,
                          .k = K,
                          .a = factors,
                          .b = factors,
                          .step = STEP_FMA_F32,
                          .k_of_tile = K_OF_TILE,
                          .k_of_split = K_OF_TILE,
                          .c_format = FORMAT_F32,
                          .n_threads = 1};
}

/* 192 products of 2^-124: each of three additions may lose a subnormal operand and a subnormal sum. */
static void each_addition_may_flush_an_operand_and_a_sum(void **state)
{
    (void)state;
    uint16_t factors[K];
    struct hgemm p = product_of(TINY, factors);
    struct bound ordered, atomic;
    hgemm_reference(&p, &ordered);
    hgemm_atomic_reference(&p, &atomic);
    assert_true(atomic.value == ordered.value && ordered.value == 192 * 0x1p-124);
    double more = atomic.error - ordered.error;
    assert_true(more >= 6 * 0x1p-126 && more < 6.001 * 0x1p-126);
}

/* A class is exact in any order. */
static void an_infinity_stays_exact(void **state)
{
    (void)state;
    uint16_t factors[K];
    struct hgemm p = product_of(BF16_INFINITY, factors);
    struct bound atomic;
    hgemm_atomic_reference(&p, &atomic);
    assert_true(isinf(atomic.value) && atomic.error == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_addition_may_flush_an_operand_and_a_sum),
        cmocka_unit_test(an_infinity_stays_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
