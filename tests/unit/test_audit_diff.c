/* Two sets of records as a review: nothing that changed is left out, the worst stands first, and each line says what it
 * means. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "records/audit_diff.h"
#include "records/chips.h"

static struct record make(const char *kernel, const char *chip)
{
    struct record record = {.kernel = kernel, .chip = chip};
    static const struct {
        enum record_figure figure;
        uint32_t value;
    } plain[] = {{RECORD_vgprs, 205}, {RECORD_sgprs, 20},  {RECORD_lds, 64},     {RECORD_bound, 256},
                 {RECORD_wave, 32},   {RECORD_code, 8000}, {RECORD_occupancy, 7}};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        record.figure[plain[i].figure] = plain[i].value;
    return record;
}

static struct record with(struct record record, enum record_figure figure, uint32_t value)
{
    record.figure[figure] = value;
    return record;
}

/* "WORSE k 205 → 211 VGPRs: …\n" for each change. */
static struct text lines_of(const struct record *before, size_t n_before, const struct record *after, size_t n_after,
                            const struct audit_budgets *budgets)
{
    struct audit_diff diff;
    struct error error;
    struct text text = {0};
    assert_true(audit_diff_make(before, n_before, after, n_after, budgets, &diff, &error));
    for (size_t i = 0; i < diff.n_changes; i++) {
        text_append(&text, "%s %s ", audit_grade_word(diff.changes[i].grade), diff.changes[i].kernel);
        audit_change_text(&diff.changes[i], &text);
        text_append(&text, "\n");
    }
    text_append(&text, "%zu unchanged", diff.n_unchanged);
    audit_diff_free(&diff);
    return text;
}

static void expect(const struct record *before, size_t n_before, const struct record *after, size_t n_after,
                   const struct audit_budgets *budgets, const char *lines)
{
    struct text text = lines_of(before, n_before, after, n_after, budgets);
    assert_string_equal(text.data, lines);
    text_free(&text);
}

static void equal_records_are_counted_and_not_told(void **state)
{
    (void)state;
    const struct record records[] = {make("a", "gfx1151"), make("a", "gfx90a"), make("b", "gfx90a")};
    expect(records, 3, records, 3, NULL, "3 unchanged");
    expect(NULL, 0, NULL, 0, NULL, "0 unchanged");
}

static void each_change_is_told_with_its_consequence(void **state)
{
    (void)state;
    const struct record old = make("k", "gfx1151");
    const struct {
        struct record now;
        const char *line;
    } cases[] = {
        {with(with(old, RECORD_vgprs, 211), RECORD_occupancy, 6),
         "WORSE k 205 → 211 VGPRs: 7 → 6 waves a SIMD on gfx1151\n0 unchanged"},
        {with(old, RECORD_vgprs, 207), "WORSE k 205 → 207 VGPRs: still 7 waves a SIMD on gfx1151\n0 unchanged"},
        {with(with(old, RECORD_private, 64), RECORD_vspills, 16),
         "WORSE k 0 → 64 bytes of scratch, 0 → 16 spilled VGPRs: still 7 waves a SIMD on gfx1151\n0 unchanged"},
        {with(old, RECORD_sspills, 1), "WORSE k 0 → 1 spilled SGPRs: still 7 waves a SIMD on gfx1151\n0 unchanged"},
        {with(old, RECORD_lds, 128), "WORSE k 64 → 128 bytes of LDS: still 7 waves a SIMD on gfx1151\n0 unchanged"},
        {with(old, RECORD_agprs, 4), "WORSE k 0 → 4 AGPRs: still 7 waves a SIMD on gfx1151\n0 unchanged"},
        {with(with(old, RECORD_vgprs, 192), RECORD_occupancy, 8),
         "BETTER k 205 → 192 VGPRs: 7 → 8 waves a SIMD on gfx1151\n0 unchanged"},
        {with(old, RECORD_vgprs, 204), "BETTER k 205 → 204 VGPRs: still 7 waves a SIMD on gfx1151\n0 unchanged"},
        {with(old, RECORD_sgprs, 21), "CHANGED k 20 → 21 SGPRs: still 7 waves a SIMD on gfx1151\n0 unchanged"},
        {with(old, RECORD_code, 8004), "CHANGED k 8000 → 8004 bytes of code: still 7 waves a SIMD on gfx1151\n0 unchanged"},
        {with(old, RECORD_occupancy, 6), "WORSE k all else unchanged: 7 → 6 waves a SIMD on gfx1151\n0 unchanged"},
        {with(old, RECORD_bound, 128), "CHANGED k 256 → 128 threads at most: still 7 waves a SIMD on gfx1151\n0 unchanged"},
        {with(with(old, RECORD_vgprs, 206), RECORD_lds, 32),
         "CHANGED k 205 → 206 VGPRs, 64 → 32 bytes of LDS: still 7 waves a SIMD on gfx1151\n0 unchanged"},
        /* Half as many waves of twice the lanes hold as many lanes. */
        {with(with(with(old, RECORD_wave, 64), RECORD_occupancy, 4), RECORD_code, 9000),
         "BETTER k 32 → 64 lanes a wave, 8000 → 9000 bytes of code: 7 → 4 waves a SIMD on gfx1151\n0 unchanged"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect(&old, 1, &cases[i].now, 1, NULL, cases[i].line);
}

/* A file of an older version lacks columns: what nobody knows is no change. */
static void figures_that_one_side_lacks_are_not_compared(void **state)
{
    (void)state;
    struct record old = make("k", "gfx1151"), now = make("k", "gfx1151");
    for (int i = 0; i < RECORD_FIGURE_COUNT; i++)
        old.figure[i] = RECORD_ABSENT;
    expect(&old, 1, &now, 1, NULL, "1 unchanged");
    expect(&now, 1, &old, 1, NULL, "1 unchanged");
    old.figure[RECORD_vgprs] = 204;
    expect(&old, 1, &now, 1, NULL, "WORSE k 204 → 205 VGPRs: 7 waves a SIMD on gfx1151\n0 unchanged");
    now.figure[RECORD_private] = RECORD_ABSENT;
    expect(NULL, 0, &now, 1, NULL, "NEW k new: 205 VGPRs, 64 bytes of LDS: 7 waves a SIMD on gfx1151\n0 unchanged");
}

static void what_limits_the_waves_is_told_unless_the_simd_is_full(void **state)
{
    (void)state;
    struct record old = make("k", "gfx1151");
    struct record now = with(with(old, RECORD_vgprs, 211), RECORD_occupancy, 6);
    now = with(now, RECORD_limit, CHIP_LIMIT_VGPRS);
    expect(&old, 1, &now, 1, NULL, "WORSE k 205 → 211 VGPRs: 7 → 6 waves a SIMD on gfx1151, limited by VGPRs\n0 unchanged");
    now = with(old, RECORD_limit, CHIP_LIMIT_LDS);
    expect(&old, 1, &now, 1, NULL,
           "CHANGED k all else unchanged: still 7 waves a SIMD on gfx1151, limited by LDS\n0 unchanged");
    for (uint32_t limit = CHIP_LIMIT_SLOTS + 1; limit < CHIP_LIMIT_COUNT; limit++) {
        now = with(old, RECORD_limit, limit);
        struct text text = lines_of(&old, 1, &now, 1, NULL);
        if (!strstr(text.data, ", limited by "))
            fail_msg("%s: %s", chip_limit_name((enum chip_limit)limit), text.data);
        text_free(&text);
    }
}

static void a_note_of_the_caller_ends_the_words(void **state)
{
    (void)state;
    struct record old = make("k", "gfx1151"), now = with(old, RECORD_vspills, 2);
    struct audit_change change = {.grade = AUDIT_SPILLS,
                                  .kernel = "k",
                                  .chip = "gfx1151",
                                  .before = &old,
                                  .after = &now,
                                  .note = "spills at k.hip:9"};
    struct text text = {0};
    audit_change_text(&change, &text);
    assert_string_equal(text.data, "0 → 2 spilled VGPRs: still 7 waves a SIMD on gfx1151; spills at k.hip:9");
    text_free(&text);
}

/* A column that a later record gets must not be a change that nobody is told. */
static void every_figure_is_told(void **state)
{
    (void)state;
    const struct record old = make("k", "gfx1151");
    for (int i = 0; i < RECORD_FIGURE_COUNT; i++) {
        if (i == RECORD_limit)
            continue; /* follows from the figures that are told */
        struct record now = with(old, (enum record_figure)i, old.figure[i] + 1);
        struct text text = lines_of(&old, 1, &now, 1, NULL);
        const char *told = i == RECORD_limit ? ", limited by " : " → ";
        if (!strstr(text.data, "0 unchanged") || !strstr(text.data, told))
            fail_msg("%s: %s", record_figure_name((enum record_figure)i), text.data);
        text_free(&text);
    }
}

static void scratch_that_is_gone_is_better_though_it_costs_registers(void **state)
{
    (void)state;
    struct record old = with(make("k", "gfx90a"), RECORD_private, 32), now = with(make("k", "gfx90a"), RECORD_vgprs, 208);
    expect(&old, 1, &now, 1, NULL,
           "BETTER k 32 → 0 bytes of scratch, 205 → 208 VGPRs: still 7 waves a SIMD on gfx90a\n0 unchanged");
}

static void kernels_that_came_and_went_are_told(void **state)
{
    (void)state;
    const struct record before[] = {make("both", "gfx1151"), make("old", "gfx1151")};
    const struct record after[] = {make("both", "gfx1151"), make("both", "gfx90a")};
    expect(before, 2, after, 2, NULL,
           "GONE old gone on gfx1151\n"
           "NEW both new: 205 VGPRs, 64 bytes of LDS: 7 waves a SIMD on gfx90a\n1 unchanged");
}

/* Eleven changes in the wrong order, one or two of a grade. */
static void the_worst_stands_first(void **state)
{
    (void)state;
    const struct record old = make("", "gfx1151");
    struct record before[10], after[10];
    size_t n = 0;
#define PAIR(name, now_record)                                                                                             \
    (before[n] = old, before[n].kernel = (name), after[n] = (now_record), after[n].kernel = (name), n++)
    PAIR("better", with(old, RECORD_vgprs, 204));
    PAIR("code", with(old, RECORD_code, 1));
    PAIR("larger", with(old, RECORD_vgprs, 206));
    PAIR("larger_more", with(old, RECORD_vgprs, 207));
    PAIR("lds_doubled", with(old, RECORD_lds, 128));
    PAIR("waves_6", with(old, RECORD_occupancy, 6));
    PAIR("waves_3", with(old, RECORD_occupancy, 3));
    PAIR("scratch_64", with(old, RECORD_private, 64));
    PAIR("scratch_128", with(old, RECORD_private, 128));
    PAIR("new", old);
#undef PAIR
    before[9].kernel = "gone";
    static const char *const order[] = {"scratch_128", "scratch_64", "waves_3", "waves_6", "lds_doubled", "larger_more",
                                        "larger",      "gone",       "new",     "code",    "better"};
    struct audit_diff diff;
    struct error error;
    assert_true(audit_diff_make(before, n, after, n, NULL, &diff, &error));
    assert_int_equal(diff.n_changes, sizeof order / sizeof *order);
    for (size_t i = 0; i < diff.n_changes; i++)
        assert_string_equal(diff.changes[i].kernel, order[i]);
    assert_int_equal(diff.n_of[AUDIT_SPILLS], 2);
    assert_int_equal(diff.n_of[AUDIT_LARGER], 3);
    audit_diff_free(&diff);
}

/* Kernel "tight" may take 208 VGPRs on gfx1151, and everything elsewhere. */
static struct budget find_budget(void *context, const char *kernel, const char *chip)
{
    (void)context;
    bool tight = strcmp(kernel, "tight") == 0 && strcmp(chip, "gfx1151") == 0;
    return (struct budget){.most_vgprs = tight ? 208 : 0};
}

static void a_budget_that_is_exceeded_stands_before_all_changed_or_not(void **state)
{
    (void)state;
    const struct audit_budgets budgets = {.find = find_budget};
    const struct record before[] = {make("scratch", "gfx1151"), make("tight", "gfx1151"), make("tight", "gfx90a")};
    struct record after[] = {with(before[0], RECORD_private, 4096), with(before[1], RECORD_vgprs, 209),
                             with(before[2], RECORD_vgprs, 209)};
    expect(before, 3, after, 3, &budgets,
           "OVER tight 205 → 209 VGPRs: still 7 waves a SIMD on gfx1151; over budget: 209 VGPRs, the budget is 208\n"
           "WORSE scratch 0 → 4096 bytes of scratch: still 7 waves a SIMD on gfx1151\n"
           "WORSE tight 205 → 209 VGPRs: still 7 waves a SIMD on gfx90a\n0 unchanged");
    expect(after, 3, after, 3, &budgets,
           "OVER tight unchanged: still 7 waves a SIMD on gfx1151; over budget: 209 VGPRs, the budget is 208\n2 unchanged");
    expect(before, 0, &after[1], 1, &budgets,
           "OVER tight new: 209 VGPRs, 64 bytes of LDS: 7 waves a SIMD on gfx1151; over budget: 209 VGPRs, the budget is "
           "208\n0 unchanged");
    /* What is gone is over no budget, whatever it was. */
    expect(&after[1], 1, NULL, 0, &budgets, "GONE tight gone on gfx1151\n0 unchanged");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_records_are_counted_and_not_told),
        cmocka_unit_test(each_change_is_told_with_its_consequence),
        cmocka_unit_test(figures_that_one_side_lacks_are_not_compared),
        cmocka_unit_test(what_limits_the_waves_is_told_unless_the_simd_is_full),
        cmocka_unit_test(a_note_of_the_caller_ends_the_words),
        cmocka_unit_test(every_figure_is_told),
        cmocka_unit_test(scratch_that_is_gone_is_better_though_it_costs_registers),
        cmocka_unit_test(kernels_that_came_and_went_are_told),
        cmocka_unit_test(the_worst_stands_first),
        cmocka_unit_test(a_budget_that_is_exceeded_stands_before_all_changed_or_not),
    };
    return cmocka_run_group_tests_name("audit_diff", tests, NULL, NULL);
}
