/*
 * hgemm on the host: LDS that follows from the output's format, launches that cover C and no more, shapes that are refused,
 * and inputs that keep the premise of exact sums.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "contract/base/arena.h"
#include "contract/registry_list.h"
#include "kernels/hgemm/family.h"

static const char *const names[] = {"hgemm_bf16_fp32c",      "hgemm_bf16_bf16c",      "hgemm_bf16_fp32c_wmma",
                                    "hgemm_bf16_bf16c_wmma", "hgemm_bf16_fp32c_mfma", "hgemm_bf16_bf16c_mfma"};
enum { N_NAMES = sizeof names / sizeof *names };

struct fixture {
    struct arena arena;
    struct registry registry;
};

static int open_registry(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct error error;
    assert_non_null(f);
    assert_true(registry_collect(&f->arena, &f->registry, &error));
    *state = f;
    return 0;
}

static int close_registry(void **state)
{
    struct fixture *f = *state;
    arena_free(&f->arena);
    free(f);
    return 0;
}

/* Rows of 64 bf16 and of 64 f32 are 144 and 272 bytes with their padding. */
static void lds_holds_two_stages_or_the_tile_of_c(void **state)
{
    (void)state;
    struct hgemm_tile deep = {256, 32, 64, 64}, flat = {256, 128, 128, 16};
    assert_int_equal(hgemm_lds_bytes(deep, 4), 2 * 96 * 144);
    assert_int_equal(hgemm_lds_bytes(deep, 2), 2 * 96 * 144);
    assert_int_equal(hgemm_lds_bytes(flat, 4), 128 * 528); /* over 65536, and half of it not */
    assert_int_equal(hgemm_lds_bytes(flat, 2), 128 * 272);
    assert_true(hgemm_lds_bytes(flat, 4) > HGEMM_LDS_BYTES_MOST);
}

static bool plan_of(const struct fixture *f, const char *name, int64_t m, int64_t n, int64_t k, struct reg_plan *plan,
                    struct error *error)
{
    const struct registration *r = registry_find(&f->registry, name);
    struct reg_shape shape = {.label = "any", .dim = {m, n, k}};
    assert_non_null(r);
    return r->plan(&shape, plan, error);
}

static void a_grid_covers_c_and_no_more(void **state)
{
    struct reg_plan plan;
    struct error error;
    for (int i = 0; i < N_NAMES; i++) {
        assert_true(plan_of(*state, names[i], 33, 128, 7, &plan, &error));
        assert_int_equal(plan.grid[0], 2);
        assert_int_equal(plan.grid[1], 2);
        assert_true(plan_of(*state, names[i], 32, 129, 7, &plan, &error));
        assert_int_equal(plan.grid[0], 3);
        assert_int_equal(plan.grid[1], 1);
    }
}

/* Up to the last row that a grid reaches, and the last index that an int holds. */
static void shapes_past_the_kernels_limits_are_refused(void **state)
{
    static const int64_t fits[][3] = {{1, 1, 1}, {65535 * 32, 1, 1}, {1, INT32_MAX - 64, 1}, {1, 1, INT32_MAX - 64}};
    static const struct {
        int64_t dim[3];
        const char *text;
    } refused[] = {
        {{0, 1, 1}, "hgemm takes m from 1 to 2097120, not 0"},
        {{1, 0, 1}, "hgemm takes n from 1 to 2147483583, not 0"},
        {{1, 1, 0}, "hgemm takes k from 1 to 2147483583, not 0"},
        {{65535 * 32 + 1, 1, 1}, "hgemm takes m from 1 to 2097120, not 2097121"},
        {{1, INT32_MAX, 1}, "hgemm takes n from 1 to 2147483583, not 2147483647"},
        {{1, 1, INT32_MAX}, "hgemm takes k from 1 to 2147483583, not 2147483647"},
    };
    struct reg_plan plan;
    struct error error;
    for (int i = 0; i < N_NAMES; i++) {
        for (size_t s = 0; s < sizeof fits / sizeof *fits; s++)
            assert_true(plan_of(*state, names[i], fits[s][0], fits[s][1], fits[s][2], &plan, &error));
        for (size_t s = 0; s < sizeof refused / sizeof *refused; s++) {
            const int64_t *dim = refused[s].dim;
            assert_false(plan_of(*state, names[i], dim[0], dim[1], dim[2], &plan, &error));
            assert_int_equal(error.status, STATUS_USAGE);
            assert_string_equal(error.text, refused[s].text);
        }
    }
}

/* The largest factors of any K are integers that bf16 holds, and K products of two of them below 2^24. */
static void exact_factors_keep_their_sums_exact(void **state)
{
    static const int64_t ks[] = {1, 96, 1600, 7168};
    const struct registration *r = registry_find(&((struct fixture *)*state)->registry, names[0]);
    for (size_t i = 0; i < sizeof ks / sizeof *ks; i++) {
        struct reg_plan plan;
        struct error error;
        struct reg_shape shape = {.label = "any", .dim = {4, 3, ks[i]}};
        uint16_t *a = calloc((size_t)(4 * ks[i]), sizeof *a);
        double largest = 0;
        assert_true(r->plan(&shape, &plan, &error));
        struct reg_case c = {
            .registration = r, .shape = &shape, .pattern = REG_PATTERN_EXACT, .seed = 1, .plan = &plan, .data = {a}};
        assert_non_null(a);
        hgemm_fill(&c, HGEMM_A, a);
        for (int64_t t = 0; t < 4 * ks[i]; t++) {
            double x = format_load(FORMAT_BF16, a, t), first = format_load(FORMAT_BF16, a, t / ks[i] * ks[i]);
            assert_true(x == (double)(int64_t)x && x != 0 && (x < 0) == (first < 0));
            largest = x > largest ? x : -x > largest ? -x : largest;
        }
        assert_true(largest <= 256 && largest * largest * (double)ks[i] < 0x1p24);
        free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lds_holds_two_stages_or_the_tile_of_c),
        cmocka_unit_test(a_grid_covers_c_and_no_more),
        cmocka_unit_test(shapes_past_the_kernels_limits_are_refused),
        cmocka_unit_test(exact_factors_keep_their_sums_exact),
    };
    return cmocka_run_group_tests(tests, open_registry, close_registry);
}
