/* Budgets: every ceiling that a record breaks is told, and one that it just meets is kept. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "records/budget.h"

static struct record plain_record(void)
{
    struct record record = {.kernel = "k", .chip = "gfx1151"};
    record.figure[RECORD_vgprs] = 96;
    record.figure[RECORD_occupancy] = 16;
    return record;
}

static void a_ceiling_that_is_just_met_is_kept(void **state)
{
    (void)state;
    struct record record = plain_record();
    char text[BUDGET_TEXT_BYTES];
    assert_true(budget_holds(&(struct budget){0}, &record, text));
    assert_true(budget_holds(&(struct budget){true, 96, 16}, &record, text));
    assert_string_equal(text, "");
}

static void each_broken_ceiling_is_told(void **state)
{
    (void)state;
    static const struct {
        struct budget budget;
        enum record_figure figure; /* set to value */
        uint32_t value;
        const char *text;
    } cases[] = {
        {{.no_scratch = true}, RECORD_private, 64, "64 bytes of scratch, the budget is none"},
        {{.no_scratch = true}, RECORD_vspills, 3, "3 spilled VGPRs, the budget is none"},
        {{.no_scratch = true}, RECORD_sspills, 2, "2 spilled SGPRs, the budget is none"},
        {{.no_scratch = true}, RECORD_dynamic, 1, "1 dynamic stacks, the budget is none"},
        {{.most_vgprs = 96}, RECORD_vgprs, 97, "97 VGPRs, the budget is 96"},
        {{.least_waves = 16}, RECORD_occupancy, 15, "15 waves a SIMD, the budget wants 16"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record record = plain_record();
        char text[BUDGET_TEXT_BYTES];
        assert_true(budget_holds(&cases[i].budget, &record, text));
        record.figure[cases[i].figure] = cases[i].value;
        assert_false(budget_holds(&cases[i].budget, &record, text));
        assert_string_equal(text, cases[i].text);
        assert_true(budget_holds(&(struct budget){0}, &record, text));
    }
}

static void all_that_are_broken_stand_in_one_text(void **state)
{
    (void)state;
    struct record record = plain_record();
    char text[BUDGET_TEXT_BYTES];
    for (int i = 0; i < RECORD_FIGURE_COUNT; i++)
        record.figure[i] = UINT32_MAX;
    record.figure[RECORD_occupancy] = 1;
    assert_false(budget_holds(&(struct budget){true, 1, UINT32_MAX}, &record, text));
    assert_non_null(strstr(text, "4294967295 bytes of scratch, the budget is none; 4294967295 spilled VGPRs"));
    assert_non_null(strstr(text, "; 1 waves a SIMD, the budget wants 4294967295"));
}

static void of_two_budgets_the_stricter_ceiling_holds(void **state)
{
    (void)state;
    struct budget none = {0}, a = {true, 96, 4}, b = {false, 128, 8};
    struct budget both = budget_both(a, b);
    assert_true(both.no_scratch);
    assert_int_equal(both.most_vgprs, 96);
    assert_int_equal(both.least_waves, 8);
    both = budget_both(none, b);
    assert_false(both.no_scratch);
    assert_int_equal(both.most_vgprs, 128);
    both = budget_both(b, none);
    assert_int_equal(both.most_vgprs, 128);
    assert_int_equal(both.least_waves, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ceiling_that_is_just_met_is_kept),
        cmocka_unit_test(each_broken_ceiling_is_told),
        cmocka_unit_test(all_that_are_broken_stand_in_one_text),
        cmocka_unit_test(of_two_budgets_the_stricter_ceiling_holds),
    };
    return cmocka_run_group_tests_name("budget", tests, NULL, NULL);
}
