/* What a history adds to a report: earlier runs that can be compared, oldest first, and no others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "reports/report_past.h"
#include "tests/support/history_runs.h"

static const struct log_environment environment = {.version = "0",
                                                   .toolchain = "some-clang",
                                                   .device = "emulator",
                                                   .chips = "gfx1151",
                                                   .scope = "quick",
                                                   .seed = 1,
                                                   .n_runs = 5};

static void open_place(struct history_place *place)
{
    assert_true(scratch_open(place->folder));
    snprintf(place->path, sizeof place->path, "%s/h.db", place->folder);
}

/* Gate 3 of a registration, and the registers of its kernel. */
static void put_kernel(struct verdict_sink sink, double ratio, uint32_t vgprs)
{
    struct verdict bound = {.subject = SUBJECT_GATE,
                            .status = VERDICT_PASS,
                            .gate = GATE_BOUND,
                            .registration = "k",
                            .chip = "gfx1151",
                            .n_compared = 9,
                            .worst_ratio = ratio};
    struct verdict limit = {.subject = SUBJECT_LIMIT,
                            .status = VERDICT_PASS,
                            .gate = GATE_LIMITS,
                            .registration = "k",
                            .chip = "gfx1151",
                            .resources = {.are_known = true}};
    for (int i = 0; i < RECORD_FIGURE_COUNT; i++)
        limit.resources.figure[i] = RECORD_ABSENT;
    limit.resources.figure[RECORD_vgprs] = vgprs;
    sink.verdict(sink.context, &bound);
    if (sink.registration_end)
        sink.registration_end(sink.context,
                              &(struct registration_end){.registration = "k", .chip = "gfx1151", .duration_ns = 5});
    sink.verdict(sink.context, &limit);
}

static struct history *begin_run(const struct history_place *place, const struct log_environment *of, double ratio,
                                 uint32_t vgprs)
{
    struct history *history = history_begun(place->path, of);
    put_kernel(history_sink(history), ratio, vgprs);
    return history;
}

static void record_run(const struct history_place *place, const struct log_environment *of, double ratio, uint32_t vgprs)
{
    struct error error = {0};
    struct history *history = begin_run(place, of, ratio, vgprs);
    assert_true(history_finish(history, STATUS_OK, 5, &error));
    history_close(history);
}

/* A report of one run with what the history adds. */
static struct report report_with_past(const struct history_place *place)
{
    struct report report = {0};
    struct error error = {0};
    struct history *history = history_opened(place->path, HISTORY_READ);
    assert_true(report_begin(&report, &environment, &error));
    put_kernel(report_sink(&report), 0.9, 99);
    report_end(&report, &(struct counts){0}, STATUS_OK, false);
    if (!report_settle(&report, &error) || !report_add_past(&report, history, &error))
        fail_msg("%s", error.text);
    history_close(history);
    assert_int_equal(report.n_kernels, 1);
    return report;
}

static void runs_are_oldest_first(void **state)
{
    (void)state;
    struct history_place place;
    open_place(&place);
    for (uint32_t run = 1; run <= 3; run++)
        record_run(&place, &environment, 0.125 * run, 10 * run);
    struct report report = report_with_past(&place);
    const struct report_past *past = &report.kernels[0].past;
    assert_int_equal(past->n_worst_ratios, 3);
    assert_int_equal(past->n_vgprs, 3);
    for (uint32_t run = 1; run <= 3; run++) {
        assert_true(past->worst_ratios[run - 1] == 0.125 * run);
        assert_int_equal(past->vgprs[run - 1], 10 * run);
    }
    report_free(&report);
    scratch_close(place.folder);
}

/* Another scope has other shapes, another device is another witness, another toolchain other registers; a run that did not
 * end may be the report's own. */
static void runs_that_cannot_be_compared_are_left_out(void **state)
{
    (void)state;
    struct history_place place;
    struct log_environment other_scope = environment, other_device = environment, other_toolchain = environment;
    open_place(&place);
    other_scope.scope = "full";
    other_device.device = "rocm";
    other_toolchain.toolchain = "other-clang";
    record_run(&place, &environment, 0.5, 10);
    record_run(&place, &other_scope, 0.6, 11);
    record_run(&place, &other_device, 0.7, 12);
    record_run(&place, &other_toolchain, 0.75, 13);
    history_close(begin_run(&place, &environment, 0.8, 14));
    struct report report = report_with_past(&place);
    const struct report_past *past = &report.kernels[0].past;
    assert_int_equal(past->n_worst_ratios, 2);
    assert_true(past->worst_ratios[0] == 0.5 && past->worst_ratios[1] == 0.75);
    assert_int_equal(past->n_vgprs, 3);
    assert_int_equal(past->vgprs[0], 10);
    assert_int_equal(past->vgprs[2], 12);
    report_free(&report);
    scratch_close(place.folder);
}

static void only_the_last_runs_are_told(void **state)
{
    (void)state;
    struct history_place place;
    open_place(&place);
    for (uint32_t run = 0; run < REPORT_PAST_RUNS + 3; run++)
        record_run(&place, &environment, 0.5, run);
    struct report report = report_with_past(&place);
    assert_int_equal(report.kernels[0].past.n_vgprs, REPORT_PAST_RUNS);
    assert_int_equal(report.kernels[0].past.vgprs[REPORT_PAST_RUNS - 1], REPORT_PAST_RUNS + 2);
    report_free(&report);
    scratch_close(place.folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_oldest_first),
        cmocka_unit_test(runs_that_cannot_be_compared_are_left_out),
        cmocka_unit_test(only_the_last_runs_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
