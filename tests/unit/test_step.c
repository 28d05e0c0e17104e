/*
 * Dot and matrix steps: chains of the adders' integer models never leave step_chain's bound, and chains built against them
 * come near it.
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
#include "reference/step.h"
#include "tests/support/dot_model.h"
#include "tests/support/matrix_truth.h"

enum { MAX_PRODUCTS = 2048 };

struct chain {
    enum number_format format;
    int n_products; /* even */
    double a[MAX_PRODUCTS], b[MAX_PRODUCTS];
};

static float step_fma_pair(enum number_format format, float acc, const double a[2], const double b[2])
{
    (void)format;
    return fmaf((float)a[1], (float)b[1], fmaf((float)a[0], (float)b[0], acc));
}

static float flushed(float value)
{
    return fabsf(value) < 0x1p-126f ? copysignf(0, value) : value;
}

static float step_fma_pair_flushed(enum number_format format, float acc, const double a[2], const double b[2])
{
    return flushed(step_fma_pair(format, flushed(acc), a, b));
}

static float step_products_added(enum number_format format, float acc, const double a[2], const double b[2])
{
    (void)format;
    return acc + ((float)(a[0] * b[0]) + (float)(a[1] * b[1]));
}

struct silicon {
    const char *name;
    enum step_model model;
    float (*step)(enum number_format, float, const double[2], const double[2]);
    int steps_a_pair;
};

static const struct silicon silicon[] = {
    {"fma", STEP_FMA_F32, step_fma_pair, 2},
    {"gfx10 fma", STEP_DOT2_GFX10, step_fma_pair, 1},
    {"gfx10 add", STEP_DOT2_GFX10, step_products_added, 1},
    {"gfx11", STEP_DOT2_GFX11, dot2_gfx11, 1},
    {"gfx12", STEP_DOT2_GFX12, dot2_gfx12, 1},
    {"gfx9, gfx10 fma, flushed", STEP_DOT2_GFX10, step_fma_pair_flushed, 1},
};
enum { N_SILICON = sizeof silicon / sizeof *silicon };

static float run_chain(const struct silicon *s, const struct chain *chain)
{
    float acc = 0;
    for (int i = 0; i < chain->n_products; i += 2)
        acc = s->step(chain->format, acc, chain->a + i, chain->b + i);
    return acc;
}

static struct step_terms terms_of(const struct chain *chain)
{
    struct step_terms terms = {0};
    for (int i = 0; i < chain->n_products; i++)
        step_terms_add(&terms, chain->format, chain->a[i], chain->b[i]);
    return terms;
}

/* The share of the bound that the chain's error takes; fails when it is more than all, for its own model or for the worst
 * of all. */
static double share_of_bound(const struct silicon *s, const struct chain *chain)
{
    struct step_terms terms = terms_of(chain);
    double got = run_chain(s, chain);
    struct bound own = step_chain(s->model, &terms, chain->n_products / 2 * s->steps_a_pair, 0);
    struct bound any = step_chain(STEP_DOT2_ANY, &terms, chain->n_products / 2, 0);
    double distance = fabs(got - own.value);
    if (distance > own.error || distance > any.error)
        fail_msg("%s, %d products: %a is %a from %a, bound %a, worst of all models %a", s->name, chain->n_products, got,
                 distance, own.value, own.error, any.error);
    return distance / own.error;
}

/* acc + a0 b0 + a1 b1 with results worked out by hand from the rules. */
static void models_give_the_worked_examples(void **state)
{
    (void)state;
    static const struct {
        float acc;
        double a[2], b[2];
        uint32_t gfx11, gfx12;
    } rows[] = {
        {1, {3, 8}, {8, 4}, 0x42640000, 0x42640000},
        {-1, {3, 8}, {8, 4}, 0x425c0001, 0x425c0000},
        {1, {-3, 8}, {8, 4}, 0x410ffffe, 0x41100000},
        {0, {1, -1}, {1, 1}, 0xb3800000, 0x00000000},
        {-0x1p24f, {1, 1}, {0.5, 0.5}, 0xcb7ffffe, 0xcb7fffff},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        float results[2] = {dot2_gfx11(FORMAT_F16, rows[i].acc, rows[i].a, rows[i].b),
                            dot2_gfx12(FORMAT_F16, rows[i].acc, rows[i].a, rows[i].b)};
        uint32_t bits[2];
        memcpy(bits, results, sizeof bits);
        assert_int_equal(bits[0], rows[i].gfx11);
        assert_int_equal(bits[1], rows[i].gfx12);
    }
}

/* Factors of the kind: 0 signed, 1 one-sided, 2 any exponent, 3 with subnormal factors, 4 with many zeros. */
static double random_factor(struct random_key key, uint64_t index, enum number_format format, int kind)
{
    double fraction = 1 + random_unit(key, 4 * index), sign = random_bits(key, 4 * index + 1) & 1 ? -1 : 1;
    int spread = kind == 2 ? 20 : 3, lowest = kind == 3 ? format_facts(format)->exponent_min - 6 : -spread / 2;
    if (kind == 3 && format == FORMAT_BF16 && random_below(key, 4 * index + 2, 2))
        lowest = 100; /* so that flushed products count */
    if (kind == 4 && random_below(key, 4 * index + 3, 3))
        return sign * 0;
    int exponent = lowest + (int)random_below(key, 4 * index + 2, (uint32_t)spread + (kind == 3 ? 8 : 0));
    return format_round(format,
                        (kind == 1 ? 1 : sign) * ldexp(fraction, exponent > 13 && format == FORMAT_F16 ? 13 : exponent));
}

static void fill_chain(struct chain *chain, struct random_key key, enum number_format format, int kind)
{
    chain->format = format;
    chain->n_products = 2 * (1 + (int)random_below(key, 0, 200));
    for (int i = 0; i < chain->n_products; i++) {
        chain->a[i] = random_factor(key, 10 + 2 * (uint64_t)i, format, kind);
        chain->b[i] = random_factor(key, 11 + 2 * (uint64_t)i, format, kind == 1 ? 1 : 0);
    }
}

static void random_chains_never_leave_their_bound(void **state)
{
    (void)state;
    struct chain chain;
    double worst[N_SILICON] = {0};
    for (uint64_t i = 0; i < 3000; i++) {
        struct random_key key = {random_bits(random_key_for(7, "chains"), i)};
        fill_chain(&chain, key, i % 7 == 0 ? FORMAT_BF16 : FORMAT_F16, (int)(i % 5));
        for (int s = 0; s < N_SILICON; s++)
            worst[s] = fmax(worst[s], share_of_bound(&silicon[s], &chain));
    }
    for (int s = 0; s < N_SILICON; s++)
        print_message("  %s: worst share of the bound on random chains %.3f\n", silicon[s].name, worst[s]);
}

/* An accumulator of 1024 that then loses every product: pairs of the given sizes, in units of its grid (2^-26 of it; half
 * its spacing is 4 units), the second half of them with accumulator and products negated where the adder is symmetric. */
static double adversarial_share(const struct silicon *s, double first_units, double second_units)
{
    struct chain chain = {.format = FORMAT_F16, .n_products = 1024};
    const double unit = 0x1p-16;
    chain.a[0] = 1024;
    chain.b[0] = 1;
    for (int i = 2; i < chain.n_products; i++) {
        chain.b[i] = 0x1p-6;
        chain.a[i] = format_round(FORMAT_F16, (i & 1 ? second_units : first_units) * unit * 0x1p6);
    }
    return share_of_bound(s, &chain);
}

static void chains_built_against_an_adder_come_near_its_bound(void **state)
{
    (void)state;
    /* fma: each product just under half a spacing. gfx11: two cut to 2 units each, then a tie to even. gfx12: the pair is
     * cut to 4 units, a tie. */
    static const double units[N_SILICON][2] = {{3.998, 3.998}, {3.998, 3.998}, {3.998, 0},
                                               {2.998, 2.998}, {2.5, 2.498},   {3.998, 3.998}};
    static const double least[N_SILICON] = {0.95, 0.95, 0.45, 0.95, 0.95, 0.95};
    for (int s = 0; s < N_SILICON; s++) {
        double share = adversarial_share(&silicon[s], units[s][0], units[s][1]);
        print_message("  %s: %.3f of the bound\n", silicon[s].name, share);
        assert_true(share > least[s]);
    }
}

static void the_worst_model_bounds_every_model(void **state)
{
    (void)state;
    struct chain chain;
    fill_chain(&chain, random_key_for(8, "any"), FORMAT_F16, 0);
    struct step_terms terms = terms_of(&chain);
    double any = step_chain(STEP_DOT2_ANY, &terms, chain.n_products / 2, 5).error;
    double largest = step_chain(STEP_FMA_F32, &terms, chain.n_products, 5).error;
    for (int model = STEP_DOT2_GFX10; model <= STEP_DOT2_GFX12; model++)
        largest = fmax(largest, step_chain((enum step_model)model, &terms, chain.n_products / 2, 5).error);
    assert_true(any >= largest && any < 1.01 * largest);
}

/* A product with a subnormal factor is cut on a grid far coarser than itself: sum_aligned must carry that, and does. */
static void subnormal_factors_are_cut_coarsely_and_the_aligned_sum_knows(void **state)
{
    (void)state;
    struct chain chain = {.format = FORMAT_F16, .n_products = 2, .a = {0x1p-24, 0x1.554p-12}, .b = {1, 0x1.554p-13}};
    struct step_terms terms = terms_of(&chain), careless = terms;
    careless.sum_aligned = careless.sum_abs;
    double got = dot2_gfx11(FORMAT_F16, 0, chain.a, chain.b), off = fabs(got - terms.sum);
    assert_true(off <= step_chain(STEP_DOT2_GFX11, &terms, 1, 0).error);
    assert_true(off > step_chain(STEP_DOT2_GFX11, &careless, 1, 0).error);
}

/* One step from zero: the grid is the larger product's, unit 2^-24. Both products are negative against the accumulator's
 * +0, so the complement takes a unit from each, and a tie goes away from zero: 3 units, of 4 in the bound. */
static void gfx11_loses_a_unit_for_each_term_of_the_other_sign(void **state)
{
    (void)state;
    struct chain chain = {.format = FORMAT_F16, .n_products = 2, .a = {-1, -0x1.004p-14}, .b = {1, 1}};
    double share = share_of_bound(&silicon[3], &chain);
    assert_true(fabs(run_chain(&silicon[3], &chain) - terms_of(&chain).sum) == 3 * 0x1p-24);
    assert_true(share > 0.74);
}

/* One step from zero: the smaller product is floored by almost a unit, and a tie then goes down: 2 units, of 3 in the
 * bound. */
static void gfx12_floors_the_smaller_product(void **state)
{
    (void)state;
    double worst = 0;
    for (int i = 0; i < 1024; i++)
        for (int j = i % 16; j < 1024; j += 16) {
            struct chain chain = {
                .format = FORMAT_F16, .n_products = 2, .a = {1, ldexp(1024 + i, -17)}, .b = {1, ldexp(1024 + j, -17)}};
            worst = fmax(worst, share_of_bound(&silicon[4], &chain));
        }
    assert_true(worst > 0.64);
}

/* gfx11 takes a subnormal bf16 factor for zero, however large the product would be. */
static void flushed_bf16_factors_are_in_the_bound(void **state)
{
    (void)state;
    struct chain chain = {.format = FORMAT_BF16, .n_products = 2, .a = {0x1p-127, 0}, .b = {0x1p120, 0}};
    assert_true(run_chain(&silicon[3], &chain) == 0);
    assert_true(share_of_bound(&silicon[3], &chain) > 0.99);
}

static void later_additions_of_partial_sums_are_covered(void **state)
{
    (void)state;
    struct chain chain, part;
    for (uint64_t i = 0; i < 500; i++) {
        fill_chain(&chain, (struct random_key){random_bits(random_key_for(9, "parts"), i)}, FORMAT_F16, (int)(i % 3));
        struct step_terms terms = terms_of(&chain);
        float sum = 0;
        int longest = 0;
        for (int w = 0; w < 4; w++) { /* four waves, each a quarter, added in order */
            int from = chain.n_products / 2 * w / 4 * 2, to = chain.n_products / 2 * (w + 1) / 4 * 2;
            part = (struct chain){.format = FORMAT_F16, .n_products = to - from};
            memcpy(part.a, chain.a + from, sizeof(double) * (size_t)(to - from));
            memcpy(part.b, chain.b + from, sizeof(double) * (size_t)(to - from));
            sum += run_chain(&silicon[3], &part);
            longest = dot_larger(longest, (to - from) / 2);
        }
        struct bound b = step_chain(STEP_DOT2_GFX11, &terms, longest, 3);
        assert_true(fabs(sum - b.value) <= b.error);
    }
}

/* ---- matrix instructions: steps of several products, by the written rules ---- */

struct matrix_adder_model {
    const char *name;
    enum step_model model, any;
    enum matrix_adder adder;
    int n_products; /* of a step */
};

static const struct matrix_adder_model matrix_models[] = {
    {"gfx11 WMMA", STEP_DOT2_GFX11, STEP_WMMA_ANY, ADDER_GFX11, 2},
    {"gfx12 WMMA", STEP_WMMA_GFX12, STEP_WMMA_ANY, ADDER_GFX12, 4},
    {"gfx90a MFMA", STEP_MFMA_GFX90A, STEP_MFMA_ANY, ADDER_PAIRWISE_FLUSH, 4},
    {"gfx942 MFMA", STEP_MFMA_GFX942, STEP_MFMA_ANY, ADDER_GROUP, 8},
    {"fma", STEP_FMA_F32, STEP_MFMA_ANY, ADDER_FMA, 1},
};
enum { N_MATRIX_MODELS = sizeof matrix_models / sizeof *matrix_models };

static uint64_t bits_of(enum number_format format, double value)
{
    uint64_t bits = 0;
    format_store(format, &bits, 0, value);
    return bits;
}

static float run_matrix_chain(const struct matrix_adder_model *m, const struct chain *chain)
{
    enum matrix_type type = chain->format == FORMAT_F16 ? F16 : BF16;
    uint64_t a[MAX_PRODUCTS], b[MAX_PRODUCTS];
    for (int i = 0; i < chain->n_products; i++) {
        a[i] = bits_of(chain->format, chain->a[i]);
        b[i] = bits_of(chain->format, chain->b[i]);
    }
    const struct matrix_problem problem = {.adder = m->adder,
                                           .a_type = type,
                                           .b_type = type,
                                           .result = F32,
                                           .k = chain->n_products,
                                           .group = 4,
                                           .a = a,
                                           .b = b};
    uint64_t result = matrix_truth(&problem);
    return (float)format_load(FORMAT_F32, &result, 0);
}

/* The share of its own bound; fails where the error is more than all of it, or of the bound of the set. */
static double share_of_matrix_bound(const struct matrix_adder_model *m, const struct chain *chain)
{
    struct step_terms terms = terms_of(chain);
    double got = run_matrix_chain(m, chain);
    struct bound own = step_chain(m->model, &terms, chain->n_products / m->n_products, 0);
    struct bound any = step_chain(m->any, &terms, chain->n_products / (m->any == STEP_WMMA_ANY ? 2 : 4), 0);
    double distance = fabs(got - own.value);
    if (distance > own.error || own.error > any.error)
        fail_msg("%s, %d products: %a is %a from %a, bound %a, worst of the set %a", m->name, chain->n_products, got,
                 distance, own.value, own.error, any.error);
    return distance / own.error;
}

static void random_matrix_chains_never_leave_their_bound(void **state)
{
    (void)state;
    struct chain chain;
    double worst[N_MATRIX_MODELS] = {0};
    for (uint64_t i = 0; i < 1500; i++) {
        struct random_key key = {random_bits(random_key_for(11, "matrix chains"), i)};
        fill_chain(&chain, key, i % 7 == 0 ? FORMAT_BF16 : FORMAT_F16, (int)(i % 5));
        while (chain.n_products % 8 != 0) { /* whole steps */
            chain.a[chain.n_products] = chain.b[chain.n_products] = 0;
            chain.n_products++;
        }
        for (int m = 0; m < N_MATRIX_MODELS; m++)
            worst[m] = fmax(worst[m], share_of_matrix_bound(&matrix_models[m], &chain));
    }
    for (int m = 0; m < N_MATRIX_MODELS; m++)
        print_message("  %s: worst share of the bound on random chains %.3f\n", matrix_models[m].name, worst[m]);
}

/* 1024, then steps of which each loses all: products in units of 2^-26 of it, of which half its spacing is 4. gfx11: two
 * cut to 2, then a tie. gfx12: two pairs cut to 2, then a tie. The others: just below half a spacing a step. */
static void matrix_chains_built_against_an_adder_come_near_its_bound(void **state)
{
    (void)state;
    static const double units[N_MATRIX_MODELS] = {2.998, 1.499, 0.9995, 0.49975, 3.998};
    for (int m = 0; m < N_MATRIX_MODELS; m++) {
        struct chain chain = {.format = FORMAT_F16, .n_products = MAX_PRODUCTS, .a = {1024}, .b = {1}};
        for (int i = matrix_models[m].n_products; i < chain.n_products; i++) {
            chain.b[i] = 0x1p-6;
            chain.a[i] = format_round(FORMAT_F16, units[m] * 0x1p-10);
        }
        double share = share_of_matrix_bound(&matrix_models[m], &chain);
        print_message("  %s: %.3f of the bound\n", matrix_models[m].name, share);
        assert_true(share > 0.94);
    }
}

/* A zero factor has the exponent -126: times 2^127 it puts the grid at 2^(1-24), where 2^-20 + 2^-27 loses its last bit. */
static void gfx942_aligns_to_zero_products_too(void **state)
{
    (void)state;
    struct chain chain = {.format = FORMAT_BF16, .n_products = 8, .a = {0, 0x1.02p-20}, .b = {0x1p127, 1}};
    struct step_terms terms = terms_of(&chain), careless = terms;
    careless.sum_zeros = 0;
    double off = fabs(run_matrix_chain(&matrix_models[3], &chain) - terms.sum);
    assert_true(off == 0x1p-27);
    assert_true(off <= step_chain(STEP_MFMA_GFX942, &terms, 1, 0).error);
    assert_true(off > step_chain(STEP_MFMA_GFX942, &careless, 1, 0).error);
}

/* A subnormal f16 factor is a zero, however large the product. */
static void gfx90a_flushes_subnormal_halves_and_the_bound_knows(void **state)
{
    (void)state;
    struct chain chain = {.format = FORMAT_F16, .n_products = 4, .a = {0x1p-15}, .b = {1024}};
    assert_true(run_matrix_chain(&matrix_models[2], &chain) == 0);
    assert_true(share_of_matrix_bound(&matrix_models[2], &chain) > 0.99);
}

/* Roundings on the way of a term, as the comments of step.c derive them; of a set, its deepest model. */
static void a_chain_is_as_deep_as_its_deepest_model(void **state)
{
    (void)state;
    static const struct {
        enum step_model model;
        int64_t n_steps, depth;
    } rows[] = {
        {STEP_FMA_F32, 7, 7},    {STEP_DOT2_GFX10, 7, 14}, {STEP_DOT2_GFX11, 7, 7},
        {STEP_WMMA_GFX12, 7, 7}, {STEP_MFMA_GFX90A, 7, 9}, {STEP_MFMA_GFX942, 7, 7},
        {STEP_DOT2_ANY, 7, 14},  {STEP_WMMA_ANY, 8, 8},    {STEP_MFMA_ANY, 7, 4 * 7},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(step_depth(rows[i].model, rows[i].n_steps), rows[i].depth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_give_the_worked_examples),
        cmocka_unit_test(random_chains_never_leave_their_bound),
        cmocka_unit_test(chains_built_against_an_adder_come_near_its_bound),
        cmocka_unit_test(the_worst_model_bounds_every_model),
        cmocka_unit_test(subnormal_factors_are_cut_coarsely_and_the_aligned_sum_knows),
        cmocka_unit_test(gfx11_loses_a_unit_for_each_term_of_the_other_sign),
        cmocka_unit_test(gfx12_floors_the_smaller_product),
        cmocka_unit_test(flushed_bf16_factors_are_in_the_bound),
        cmocka_unit_test(later_additions_of_partial_sums_are_covered),
        cmocka_unit_test(random_matrix_chains_never_leave_their_bound),
        cmocka_unit_test(matrix_chains_built_against_an_adder_come_near_its_bound),
        cmocka_unit_test(gfx942_aligns_to_zero_products_too),
        cmocka_unit_test(gfx90a_flushes_subnormal_halves_and_the_bound_knows),
        cmocka_unit_test(a_chain_is_as_deep_as_its_deepest_model),
    };
    return cmocka_run_group_tests_name("step", tests, NULL, NULL);
}
