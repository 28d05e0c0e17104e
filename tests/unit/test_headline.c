/* A verdict's one line carries gate, kernel, chip, shape, figure and limit: who reads it alone knows what to look at. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reports/headline.h"
#include "tests/support/report_samples.h"

static void assert_headline(const struct verdict *v, const char *expected)
{
    struct text text = {0};
    headline(v, &text);
    assert_string_equal(text.data, expected);
    text_free(&text);
}

static void miss_is_in_units_of_the_bound(void **state)
{
    (void)state;
    struct verdict v = sample_miss(2447);
    assert_headline(&v, "gate 3, k, gfx1151, 1x33 (signed): 2447 times the bound, at most 1");
    v.worst_ratio = INFINITY;
    assert_headline(&v, "gate 3, k, gfx1151, 1x33 (signed): inf times the bound, at most 1");
    v.worst_ratio = NAN;
    assert_headline(&v, "gate 3, k, gfx1151, 1x33 (signed): nan times the bound, at most 1");
}

/* Gate 3 is red for three reasons, and its figure is that of the reason. */
static void twin_and_depth_have_figures_of_their_own(void **state)
{
    (void)state;
    struct verdict v = sample_miss(0.5);
    snprintf(v.twin, sizeof v.twin, "k_portable");
    v.twin_ratio = 1.5;
    v.depth_declared = 21, v.depth_measured = 20;
    assert_headline(&v, "gate 3, k, gfx1151, 1x33 (signed): 1.5 times both bounds away from twin k_portable, at most 1");
    v.twin_ratio = 0.5;
    v.depth_measured = 23;
    snprintf(v.depth_tensor, sizeof v.depth_tensor, "y");
    assert_headline(&v, "gate 3, k, gfx1151, 1x33 (signed): 23 additions on the way to y, at most 21 declared");
}

static void other_gates_count_what_is_wrong(void **state)
{
    (void)state;
    static const struct {
        int gate;
        const char *figure;
    } cases[] = {{GATE_BYTES, "3 of 33 elements differ, at most 0"},
                 {GATE_CLASSES, "3 of 33 outputs of the wrong class or outside their bound, at most 0"},
                 {GATE_EXACT, "3 of 33 sums not exact, at most 0"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct verdict v = sample_pass(cases[i].gate);
        v.status = VERDICT_FAIL;
        v.n_wrong = 3;
        struct text figure = {0};
        headline_figure(&v, &figure);
        assert_string_equal(figure.data, cases[i].figure);
        text_free(&figure);
    }
    struct verdict race = sample_race();
    assert_headline(&race, "gate 1, k, gfx1151, 1x33 (signed): a finding of race, at most none: byte 4 of LDS is written "
                           "while another reads it");
}

/* A guard that was written counts no element; limits and controls list their figures in words. */
static void reason_stands_where_there_is_no_figure(void **state)
{
    (void)state;
    struct verdict v = sample_pass(GATE_BYTES);
    v.status = VERDICT_FAIL;
    verdict_reason(&v, "run 1: guard after tensor y was written\nand more");
    assert_headline(&v, "gate 1, k, gfx1151, 1x33 (signed): run 1: guard after tensor y was written");
    v = (struct verdict){.subject = SUBJECT_LIMIT, .status = VERDICT_LIMIT_PROBLEM, .gate = GATE_LIMITS, .chip = "gfx90a"};
    snprintf(v.registration, sizeof v.registration, "k");
    verdict_reason(&v, "stale: vgprs 205 -> 211");
    assert_headline(&v, "gate 5, k, gfx90a: stale: vgprs 205 -> 211");
    v.status = VERDICT_BUILD_FAILED, v.subject = SUBJECT_GATE, v.gate = 0;
    verdict_reason(&v, "k.hip:3: expected ';'");
    assert_headline(&v, "k, gfx90a: build failed: k.hip:3: expected ';'");
}

static void names_say_what_they_are_of(void **state)
{
    (void)state;
    static const struct {
        enum verdict_subject subject;
        const char *name, *place;
    } cases[] = {{SUBJECT_CONTROL, "late", "gate 1, control late of k, gfx1151, 1x33 (signed)"},
                 {SUBJECT_TOOTH, "zeros", "gate 1, tooth zeros of k, gfx1151, 1x33 (signed)"},
                 {SUBJECT_GATE, "rows", "gate 1, byte contract rows of k, gfx1151, 1x33 (signed)"},
                 {SUBJECT_GATE, "devices", "gate 1, launcher check devices of k, gfx1151, 1x33 (signed)"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct verdict v = sample_pass(GATE_BYTES);
        v.subject = cases[i].subject;
        snprintf(v.name, sizeof v.name, "%s", cases[i].name);
        struct text place = {0};
        headline_place(&v, &place);
        assert_string_equal(place.data, cases[i].place);
        text_free(&place);
    }
}

static void detail_says_where_and_how_to_repeat(void **state)
{
    (void)state;
    struct verdict v = sample_miss(8);
    v.diagnosis = (struct diagnosis){.tensor = "y", .guess = "they are 0"};
    struct report report = sample_report(&v, 1, false);
    struct text text = {0};
    struct arena arena = {0};
    headline_detail(&report, report.problems[0], &text);
    assert_non_null(strstr(text.data, "gate 3 at 1x33 (signed): output 7 is 8 times its bound (y: got 2 = 0x40000000, "
                                      "reference 1, bound 0.125; 1 of 33 wrong)\n"));
    assert_non_null(strstr(text.data, "\n  guess: they are 0\n"));
    assert_non_null(strstr(text.data, "\nregistered at kernels/k/k.c:12\n"));
    const char *repeat = strstr(text.data, "\nrepeat with: ");
    assert_non_null(repeat);
    assert_memory_equal(repeat + strlen("\nrepeat with: "), report_repro(&report, report.problems[0], &arena),
                        strlen(report_repro(&report, report.problems[0], &arena)));
    text_free(&text);
    arena_free(&arena);
    report_free(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(miss_is_in_units_of_the_bound),   cmocka_unit_test(twin_and_depth_have_figures_of_their_own),
        cmocka_unit_test(other_gates_count_what_is_wrong), cmocka_unit_test(reason_stands_where_there_is_no_figure),
        cmocka_unit_test(names_say_what_they_are_of),      cmocka_unit_test(detail_says_where_and_how_to_repeat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
