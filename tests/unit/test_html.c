/* The HTML report's data and how they stand in a page. What the page makes of them is tests/end_to_end/html.sh's matter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "reports/html.h"
#include "reports/html_data.h"
#include "reports/html_page.h"

#define PAGE "<script>@REPORT@</script>"
static const struct html_page page = {PAGE, sizeof PAGE - 1, HTML_BYTES};
static const struct log_environment environment = {.version = "0",
                                                   .toolchain = "none",
                                                   .device = "emulator",
                                                   .chips = "gfx1151",
                                                   .scope = "quick",
                                                   .seed = 1,
                                                   .n_runs = 5};

static struct verdict verdict_of(const char *registration, int gate, enum verdict_status status)
{
    struct verdict v = {.subject = SUBJECT_GATE,
                        .status = status,
                        .gate = gate,
                        .chip = "gfx1151",
                        .device = "emulator",
                        .shape = "1x33",
                        .pattern = "signed",
                        .n_compared = 33,
                        .duration_ns = 10,
                        .worst.index = -1};
    snprintf(v.registration, sizeof v.registration, "%s", registration);
    return v;
}

static struct verdict bound_of(const char *registration, double ratio, int64_t n_within)
{
    struct verdict v = verdict_of(registration, GATE_BOUND, ratio > 1 ? VERDICT_FAIL : VERDICT_PASS);
    v.worst_ratio = ratio;
    v.ratio_histogram[RATIO_BIN_BOUND] = n_within;
    v.ratio_histogram[RATIO_BIN_BOUND + 1] = ratio > 1;
    return v;
}

/* Of a run that is over and holds the verdicts, all of registrations that follow each other. */
static struct report report_of(const struct verdict *verdicts, size_t n)
{
    struct report report = {0};
    struct error error = {0};
    assert_true(report_begin(&report, &environment, &error));
    struct verdict_sink sink = report_sink(&report);
    for (size_t i = 0; i < n; i++) {
        sink.verdict(sink.context, &verdicts[i]);
        if (sink.registration_end && (i + 1 == n || strcmp(verdicts[i].registration, verdicts[i + 1].registration) != 0))
            sink.registration_end(sink.context, &(struct registration_end){.registration = verdicts[i].registration,
                                                                           .chip = verdicts[i].chip});
    }
    report_end(&report, &(struct counts){0}, STATUS_OK, false);
    if (!report_settle(&report, &error))
        fail_msg("%s", error.text);
    return report;
}

/* What a page of at most so many bytes holds in the place of the mark. */
static char *written_within(const struct report *report, size_t most_bytes)
{
    struct html_page small = page;
    small.most_bytes = most_bytes;
    char *text;
    size_t n_bytes;
    struct error error = {0};
    FILE *out = open_memstream(&text, &n_bytes);
    if (!html_write_page(out, &small, report, &error))
        fail_msg("%s", error.text);
    fclose(out);
    assert_memory_equal(text, "<script>", 8);
    assert_string_equal(text + n_bytes - 9, "</script>");
    text[n_bytes - 9] = '\0';
    memmove(text, text + 8, n_bytes - 16);
    return text;
}

static json_t *data_within(const struct report *report, size_t most_bytes)
{
    char *text = written_within(report, most_bytes);
    json_error_t why;
    json_t *data = json_loads(text, 0, &why);
    if (!data)
        fail_msg("%s", why.text);
    free(text);
    return data;
}

static json_t *data_of(const struct report *report)
{
    return data_within(report, HTML_BYTES);
}

static json_t *kernel_of(json_t *data, size_t i)
{
    return json_array_get(json_object_get(data, "kernels"), i);
}

static json_int_t count_of(json_t *kernel, size_t bin)
{
    return json_integer_value(json_array_get(json_object_get(kernel, "histogram"), bin));
}

static void cases_of_a_registration_add_up_to_one_histogram(void **state)
{
    (void)state;
    struct verdict verdicts[] = {bound_of("k", 0.9, 30), bound_of("k", 0.8, 12), bound_of("other", 0.7, 5)};
    struct report report = report_of(verdicts, 3);
    json_t *data = data_of(&report);
    assert_int_equal(count_of(kernel_of(data, 0), RATIO_BIN_BOUND), 42);
    assert_int_equal(count_of(kernel_of(data, 1), RATIO_BIN_BOUND), 5);
    json_decref(data);
    report_free(&report);
}

/* The nearest case to its bound, with its map; the others only as rows. */
static void the_worst_case_is_told_in_full(void **state)
{
    (void)state;
    struct verdict verdicts[] = {bound_of("k", 0.5, 30), bound_of("k", 0.9, 12)};
    for (int i = 0; i < 2; i++)
        verdicts[i].error_map = (struct error_map){"y", 1, 1, 1, 1, {"n"}};
    struct report report = report_of(verdicts, 2);
    json_t *data = data_of(&report), *kernel = kernel_of(data, 0), *told = json_object_get(kernel, "verdicts");
    assert_int_equal(json_array_size(json_object_get(kernel, "cases")), 2);
    assert_int_equal(json_array_size(told), 1);
    assert_int_equal(json_integer_value(json_object_get(kernel, "worst")), 0);
    json_t *worst = json_array_get(told, 0);
    assert_true(json_number_value(json_object_get(worst, "worst_ratio")) == 0.9);
    assert_non_null(json_object_get(worst, "error_map"));
    json_decref(data);
    report_free(&report);
}

static void problems_are_ranked_and_can_be_repeated(void **state)
{
    (void)state;
    struct verdict verdicts[] = {bound_of("a", 2, 1), bound_of("b", 9, 1), bound_of("c", 0.5, 1)};
    struct report report = report_of(verdicts, 3);
    json_t *data = data_of(&report);
    static const json_int_t ranks[] = {1, 0};
    for (size_t i = 0; i < 2; i++) {
        json_t *told = json_array_get(json_object_get(kernel_of(data, i), "verdicts"), 0);
        assert_int_equal(json_integer_value(json_object_get(told, "rank")), ranks[i]);
        assert_non_null(strstr(json_string_value(json_object_get(told, "repeat")), "hipcontract run"));
    }
    json_t *passed = json_array_get(json_object_get(kernel_of(data, 2), "verdicts"), 0);
    assert_null(json_object_get(passed, "rank"));
    json_decref(data);
    report_free(&report);
}

/* Text of a log that looks like markup is text in the page: no "<" is left in the data, and it reads back. */
static void text_that_looks_like_markup_stays_text(void **state)
{
    (void)state;
    struct verdict v = verdict_of("k", GATE_BYTES, VERDICT_FAIL);
    verdict_reason(&v, "</script><!-- <b>");
    struct report report = report_of(&v, 1);
    char *text = written_within(&report, HTML_BYTES);
    assert_null(strchr(text, '<'));
    free(text);
    json_t *data = data_of(&report);
    json_t *told = json_array_get(json_object_get(kernel_of(data, 0), "verdicts"), 0);
    assert_string_equal(json_string_value(json_object_get(told, "reason")), v.reason);
    json_decref(data);
    report_free(&report);
}

/* More cases than fit: those that passed are left out and counted, what failed stays. */
static void a_large_report_leaves_out_what_passed(void **state)
{
    (void)state;
    enum { N = 300, FEW_BYTES = 3000 };
    static struct verdict verdicts[N];
    for (int i = 0; i < N; i++)
        verdicts[i] = verdict_of("k", GATE_BYTES, i == 7 ? VERDICT_FAIL : VERDICT_PASS);
    struct report report = report_of(verdicts, N);
    static const struct {
        size_t most_bytes, n_rows;
    } expected[] = {{HTML_BYTES, N}, {FEW_BYTES, 1}};
    for (size_t i = 0; i < 2; i++) {
        json_t *data = data_within(&report, expected[i].most_bytes), *kernel = kernel_of(data, 0);
        assert_int_equal(json_array_size(json_object_get(kernel, "cases")), expected[i].n_rows);
        assert_int_equal(json_integer_value(json_object_get(kernel, "n_cases")), N);
        json_decref(data);
    }
    char *text = written_within(&report, FEW_BYTES);
    assert_true(strlen(text) + page.n_bytes <= FEW_BYTES);
    free(text);
    report_free(&report);
}

/* Where all is red, the worst problems are told in full and the others are counted. */
static void a_report_of_many_problems_tells_the_worst(void **state)
{
    (void)state;
    enum { N = HTML_PROBLEMS + 100 };
    static struct verdict verdicts[N];
    for (int i = 0; i < N; i++)
        verdicts[i] = bound_of("k", 2 + i, 1);
    struct report report = report_of(verdicts, N);
    json_t *data = data_within(&report, 3000), *kernel = kernel_of(data, 0), *told = json_object_get(kernel, "verdicts");
    assert_int_equal(json_integer_value(json_object_get(data, "n_problems")), N);
    assert_int_equal(json_array_size(json_object_get(kernel, "cases")), N);
    assert_int_equal(json_array_size(told), HTML_PROBLEMS);
    for (size_t i = 0; i < json_array_size(told); i++)
        assert_true(json_integer_value(json_object_get(json_array_get(told, i), "rank")) < HTML_PROBLEMS);
    json_decref(data);
    report_free(&report);
}

static void a_program_without_the_page_says_so(void **state)
{
    (void)state;
    struct verdict v = verdict_of("k", GATE_BYTES, VERDICT_PASS);
    struct report report = report_of(&v, 1);
    struct error error = {0};
    FILE *out = fopen("/dev/null", "w");
    assert_false(html_write_page(out, &(struct html_page){"", 0, HTML_BYTES}, &report, &error));
    assert_int_equal(error.status, STATUS_ENVIRONMENT);
    assert_non_null(strstr(error.text, "nodejs and npm"));
    fclose(out);
    report_free(&report);
}

static void a_full_disk_is_an_error(void **state)
{
    (void)state;
    struct verdict v = verdict_of("k", GATE_BYTES, VERDICT_PASS);
    struct report report = report_of(&v, 1);
    struct error error = {0};
    FILE *out = fopen("/dev/full", "w");
    assert_false(html_write_page(out, &page, &report, &error));
    assert_int_equal(error.status, STATUS_USAGE);
    assert_string_equal(error.text, "No space left on device");
    fclose(out);
    report_free(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_of_a_registration_add_up_to_one_histogram),
        cmocka_unit_test(the_worst_case_is_told_in_full),
        cmocka_unit_test(problems_are_ranked_and_can_be_repeated),
        cmocka_unit_test(text_that_looks_like_markup_stays_text),
        cmocka_unit_test(a_large_report_leaves_out_what_passed),
        cmocka_unit_test(a_report_of_many_problems_tells_the_worst),
        cmocka_unit_test(a_program_without_the_page_says_so),
        cmocka_unit_test(a_full_disk_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
