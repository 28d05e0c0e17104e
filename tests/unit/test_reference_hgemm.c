/*
 * The reference of bf16 products: bounds that are those of its terms one by one and hold a chain in f32, depths by hand,
 * classes, and exact sums in the format of C.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "contract/base/random.h"
#include "reference/hgemm.h"

enum { MOST_K = 512 };

/* One row of A and one of B, of bf16 as stored. */
struct pair {
    uint16_t a[MOST_K], b[MOST_K];
};

static void pair_set(struct pair *pair, int64_t t, double a, double b)
{
    format_store(FORMAT_BF16, pair->a, t, a);
    format_store(FORMAT_BF16, pair->b, t, b);
}

static struct hgemm one_output(const struct pair *pair, int64_t k)
{
    return (struct hgemm){.m = 1,
                          .n = 1,
                          .k = k,
                          .a = pair->a,
                          .b = pair->b,
                          .step = STEP_FMA_F32,
                          .k_of_tile = 64,
                          .c_format = FORMAT_F32,
                          .n_threads = 1};
}

static struct bound bound_of(const struct hgemm *p)
{
    struct bound out = {NAN, NAN};
    hgemm_reference(p, &out);
    return out;
}

/* Numbers of either sign, of 2^-3 to 2^3. */
static void pair_draw(struct pair *pair, int64_t k, uint64_t seed)
{
    struct random_key key = random_key_for(seed, "pair");
    for (int64_t t = 0; t < k; t++)
        pair_set(pair, t, ldexp(2 * random_unit(key, (uint64_t)t) - 1, (int)(t % 7) - 3),
                 ldexp(2 * random_unit(key, ~(uint64_t)t) - 1, (int)(t % 5) - 2));
}

static struct bound term_by_term(const struct hgemm *p)
{
    struct step_terms terms = {0};
    for (int64_t t = 0; t < p->k; t++)
        step_terms_add(&terms, FORMAT_BF16, format_load(FORMAT_BF16, p->a, t), format_load(FORMAT_BF16, p->b, t));
    terms.n_products = (p->k + 63) / 64 * 64;
    return step_chain(p->step, &terms, terms.n_products / step_products(p->step), 0);
}

static void the_bound_is_that_of_the_terms_one_by_one(void **state)
{
    (void)state;
    static const enum step_model models[] = {STEP_FMA_F32, STEP_WMMA_ANY, STEP_MFMA_ANY};
    static const double special[] = {0, 0x1p-133, 0x1p-127, INFINITY}; /* last also what is not special */
    struct pair pair;
    for (size_t m = 0; m < sizeof models / sizeof *models; m++)
        for (size_t s = 0; s < sizeof special / sizeof *special; s++) {
            struct hgemm p = one_output(&pair, 300);
            p.step = models[m];
            pair_draw(&pair, p.k, 7 + s);
            if (isfinite(special[s]))
                pair_set(&pair, 123, special[s], 3);
            struct bound got = bound_of(&p), wanted = term_by_term(&p);
            assert_true(got.error == wanted.error && got.error > 0);
            assert_true(fabs(got.value - wanted.value) <= 0x1p-40 * fabs(wanted.value));
        }
}

/* 1 and then 127 times just less than half its spacing: a chain of fma stays at 1, and loses nearly gamma_128 of it. */
static void the_bound_holds_a_chain_that_loses_all_but_its_first_term(void **state)
{
    (void)state;
    struct pair pair;
    struct hgemm p = one_output(&pair, 128);
    float chain = 0;
    for (int64_t t = 0; t < p.k; t++) {
        pair_set(&pair, t, t == 0 ? 1 : 0x1.fep-13, t == 0 ? 1 : 0x1p-12);
        chain = fmaf((float)format_load(FORMAT_BF16, pair.a, t), (float)format_load(FORMAT_BF16, pair.b, t), chain);
    }
    struct bound bound = bound_of(&p);
    double lost = fabs(chain - bound.value);
    assert_true(chain == 1 && bound.value == 1 + 127 * 0x1.fep-25);
    assert_true(lost <= bound.error && lost > 0.98 * bound.error);
}

/* What is left of 2^60 - 2^60 is below the last bit of either in float64. */
static void what_cancels_leaves_the_small_terms(void **state)
{
    (void)state;
    struct pair pair;
    struct hgemm p = one_output(&pair, 4);
    pair_set(&pair, 0, 0x1p30, 0x1p30);
    pair_set(&pair, 1, 0x1p-10, 1);
    pair_set(&pair, 2, -0x1p30, 0x1p30);
    pair_set(&pair, 3, 3, 1);
    assert_true(bound_of(&p).value == 3 + 0x1p-10);
}

static void a_store_as_bf16_adds_half_a_spacing(void **state)
{
    (void)state;
    struct pair pair;
    struct hgemm p = one_output(&pair, 2);
    pair_set(&pair, 0, 1, 1);
    pair_set(&pair, 1, 0x1p-9, 1);
    double sum = bound_of(&p).error;
    p.c_format = FORMAT_BF16;
    struct bound stored = bound_of(&p);
    assert_true(stored.value == 1 + 0x1p-9);
    assert_true(stored.error >= sum + 0x1p-8 && stored.error < sum + 0x1.01p-8);
}

static struct hgemm of_k(enum step_model step, int64_t k, int64_t k_of_split)
{
    return (struct hgemm){.k = k, .step = step, .k_of_tile = 64, .k_of_split = k_of_split};
}

static int64_t depth_of(const struct hgemm *p)
{
    struct depth depth = {0};
    hgemm_depth(p, &depth);
    return depth_total(&depth);
}

/* Zeros fill the last tile, and take part in its steps. */
static void the_chain_has_whole_tiles_of_k(void **state)
{
    (void)state;
    struct hgemm fma = of_k(STEP_FMA_F32, 96, 0), wmma = of_k(STEP_WMMA_ANY, 96, 0), mfma = of_k(STEP_MFMA_ANY, 64, 0);
    assert_int_equal(hgemm_steps(&fma), 128);
    assert_int_equal(depth_of(&fma), 128);
    assert_int_equal(hgemm_steps(&wmma), 64); /* of gfx11's pairs */
    assert_int_equal(depth_of(&wmma), 64);
    assert_int_equal(hgemm_steps(&mfma), 16);
    assert_int_equal(depth_of(&mfma), 64); /* as of gfx950 nothing is known: a chain of fma */
}

/* 7168 in splits of 1024 are seven, whose sums take six additions; the last of 1100 is short, and adds one. */
static void splits_shorten_the_chain_and_add_their_sums(void **state)
{
    (void)state;
    struct hgemm even = of_k(STEP_FMA_F32, 7168, 1024), ragged = of_k(STEP_FMA_F32, 1100, 512),
                 one = of_k(STEP_FMA_F32, 96, 1024);
    assert_int_equal(hgemm_splits(&even), 7);
    assert_int_equal(hgemm_steps(&even), 1024);
    assert_int_equal(depth_of(&even), 1024 + 6);
    assert_int_equal(hgemm_splits(&ragged), 3);
    assert_int_equal(depth_of(&ragged), 512 + 2);
    assert_int_equal(hgemm_splits(&one), 1);
    assert_int_equal(depth_of(&one), 128);
}

static enum value_class class_of(double a, double b, double other)
{
    struct pair pair;
    struct hgemm p = one_output(&pair, 3);
    pair_set(&pair, 0, a, b);
    pair_set(&pair, 1, other, 1);
    pair_set(&pair, 2, 1, 1);
    return bound_class(bound_of(&p), FORMAT_F32);
}

static void classes_follow_the_products(void **state)
{
    (void)state;
    assert_int_equal(class_of(NAN, 1, 1), CLASS_NAN);
    assert_int_equal(class_of(INFINITY, 0, 1), CLASS_NAN);
    assert_int_equal(class_of(INFINITY, -2, 1), CLASS_MINUS_INF);
    assert_int_equal(class_of(INFINITY, 1, -INFINITY), CLASS_NAN);
    assert_int_equal(class_of(0x1p100, 0x1p100, 1), CLASS_UNDECIDED); /* of finite terms no class but finite is promised */
    assert_int_equal(class_of(1, 1, 1), CLASS_FINITE);
}

static void exact_sums_are_rounded_to_the_format_of_c(void **state)
{
    (void)state;
    struct pair pair;
    struct hgemm p = one_output(&pair, 2);
    struct exact_sum sum;
    pair_set(&pair, 0, 16, 16);
    pair_set(&pair, 1, -1, -1);
    hgemm_exact(&p, 0, 1, &sum);
    assert_true(sum.sum == 257 && sum.sum_abs == 257 && sum.one_signed && sum.products_exact && sum.expected == 257);
    p.c_format = FORMAT_BF16;
    hgemm_exact(&p, 0, 1, &sum);
    assert_true(sum.expected == 256);
    pair_set(&pair, 1, -1, 0.5);
    hgemm_exact(&p, 0, 1, &sum);
    assert_false(sum.products_exact);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bound_is_that_of_the_terms_one_by_one),
        cmocka_unit_test(the_bound_holds_a_chain_that_loses_all_but_its_first_term),
        cmocka_unit_test(what_cancels_leaves_the_small_terms),
        cmocka_unit_test(a_store_as_bf16_adds_half_a_spacing),
        cmocka_unit_test(the_chain_has_whole_tiles_of_k),
        cmocka_unit_test(splits_shorten_the_chain_and_add_their_sums),
        cmocka_unit_test(classes_follow_the_products),
        cmocka_unit_test(exact_sums_are_rounded_to_the_format_of_c),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
