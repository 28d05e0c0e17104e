/* Tables and trends of the history, as text and as JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "reports/history_table.h"
#include "reports/sparkline.h"

static void draws(const double *values, size_t n, const char *expected)
{
    struct text text = {0};
    sparkline_append(&text, values, n);
    assert_string_equal(text.data, expected);
    text_free(&text);
}

static void bars_span_the_finite_values(void **state)
{
    (void)state;
    draws((double[]){0, 1, 2, 3, 4, 5, 6, 7}, 8, "▁▂▃▄▅▆▇█");
    draws((double[]){-5, 5, -5}, 3, "▁█▁");
    draws((double[]){3, 3}, 2, "▁▁");
    draws((double[]){1, (double)INFINITY, (double)NAN, 2}, 4, "▁∞ █");
    draws((double[]){(double)NAN, (double)INFINITY}, 2, " ∞");
}

static struct history_run sample_run(int64_t id)
{
    /* 2026-11-30 09:45 UTC, and a day earlier for each run before it */
    return (struct history_run){.id = id,
                                .started_s = 1796031900 - (3 - id) * 86400,
                                .duration_ns = 1500000000,
                                .exit = STATUS_OK,
                                .commit = "0123456789abcdef",
                                .toolchain = "some-clang",
                                .device = "emulator",
                                .chips = "gfx1151",
                                .scope = "quick",
                                .n_registrations = 2,
                                .worst_ratio = 0.75};
}

static struct history_row sample_row(int64_t id, const char *registration, double ratio, int64_t duration_ns)
{
    return (struct history_row){.run = sample_run(id),
                                .registration = registration,
                                .chip = "gfx1151",
                                .code = "aabbccddeeff00112233445566778899",
                                .n_verdicts = 9,
                                .worst_ratio = ratio,
                                .duration_ns = duration_ns};
}

/* What a function writes; the caller frees. */
static char *runs_text(const struct history_run *runs, size_t n)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_true(history_runs_write_text(out, runs, n));
    fclose(out);
    return text;
}

static char *rows_text(const struct history_row *rows, size_t n)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_true(history_rows_write_text(out, rows, n));
    fclose(out);
    return text;
}

static char *rows_json(const struct history_row *rows, size_t n_rows, const struct history_kernel *kernels,
                       size_t n_kernels)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_true(history_rows_write_json(out, rows, n_rows, kernels, n_kernels));
    fclose(out);
    return text;
}

static void runs_are_one_line_each(void **state)
{
    (void)state;
    struct history_run runs[] = {sample_run(3), sample_run(2), sample_run(1)};
    runs[0].exit = STATUS_RED;
    runs[0].n_red = 1;
    runs[0].worst_ratio = (double)INFINITY;
    runs[1].exit = runs[1].duration_ns = -1;
    runs[1].commit = NULL;
    runs[2].duration_ns = 123000000000;
    runs[2].shard = 2;
    runs[2].n_shards = 8;
    char *text = runs_text(runs, 3);
    assert_string_equal(text,
                        "run  started (UTC)     commit      device    scope      kernels  red  known  limits  worst    "
                        "time  result      chips\n"
                        "  3  2026-11-30 09:45  0123456789  emulator  quick            2    1      0       0    inf  "
                        "1.50 s  RED         gfx1151\n"
                        "  2  2026-11-29 09:45  -           emulator  quick            2    0      0       0   0.75      "
                        " -  unfinished  gfx1151\n"
                        "  1  2026-11-28 09:45  0123456789  emulator  quick 2/8        2    0      0       0   0.75   "
                        "123 s  holds       gfx1151\n");
    free(text);
}

/* Trends go from the oldest run to the newest, lines the other way; a single run has no trend. */
static void registrations_have_their_trend_and_their_runs(void **state)
{
    (void)state;
    struct history_row rows[] = {sample_row(3, "k", 0.5, 30000000), sample_row(2, "k", 0.25, -1),
                                 sample_row(1, "k", 0.25, 10000000), sample_row(3, "l", 0.125, 2000000000)};
    rows[0].n_red = 3;
    rows[0].first_red = "gate 3 at 4x64 (signed)";
    rows[2].n_known = 1;
    rows[3].run.kernels = "mine.so";
    char *text = rows_text(rows, 4);
    assert_string_equal(
        text, "k on gfx1151 (emulator, quick shapes): 3 runs\n"
              "  worst      ▁▁█  0.25 → 0.5\n"
              "  time       ▁ █  10 ms → 30 ms\n"
              "  run  started (UTC)     commit      code      worst   time  result\n"
              "    3  2026-11-30 09:45  0123456789  aabbccdd    0.5  30 ms  RED gate 3 at 4x64 (signed), and 2 more\n"
              "    2  2026-11-29 09:45  0123456789  aabbccdd   0.25      -  holds\n"
              "    1  2026-11-28 09:45  0123456789  aabbccdd   0.25  10 ms  holds but for known findings\n"
              "\n"
              "l on gfx1151 (emulator, quick shapes, of mine.so): 1 run\n"
              "  run  started (UTC)     commit      code      worst    time  result\n"
              "    3  2026-11-30 09:45  0123456789  aabbccdd  0.125  2.00 s  holds\n");
    free(text);
}

static struct history_kernel sample_kernel(int64_t id, uint32_t vgprs)
{
    struct history_kernel kernel = {.run = sample_run(id), .kernel = "symbol", .chip = "gfx1151"};
    for (int i = 0; i < RECORD_FIGURE_COUNT; i++)
        kernel.figure[i] = (uint32_t)i;
    kernel.figure[RECORD_vgprs] = vgprs;
    kernel.figure[RECORD_limit] = 0;
    return kernel;
}

static char *kernels_text(const struct history_kernel *kernels, size_t n)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_true(history_kernels_write_text(out, kernels, n));
    fclose(out);
    return text;
}

/* A peak that is over, or a dip, is told. */
static void a_trend_names_what_its_ends_do_not_show(void **state)
{
    (void)state;
    struct history_row rows[] = {sample_row(3, "k", 0.25, -1), sample_row(2, "k", (double)INFINITY, 5000000),
                                 sample_row(1, "k", 0.25, -1)};
    char *text = rows_text(rows, 3);
    assert_non_null(strstr(text, "  worst      ▁∞▁  0.25 → 0.25, most inf\n  time        ▁   5 ms → 5 ms\n"));
    free(text);
    struct history_kernel kernels[] = {sample_kernel(3, 20), sample_kernel(2, 10), sample_kernel(1, 30)};
    text = kernels_text(kernels, 3);
    assert_non_null(strstr(text, "  vgprs      █▁▅  30 → 20, least 10\n"));
    free(text);
}

/* What never changed needs no line of its own. */
static void resources_have_a_trend_where_they_changed(void **state)
{
    (void)state;
    struct history_kernel kernels[] = {sample_kernel(3, 211), sample_kernel(2, 205), sample_kernel(1, RECORD_ABSENT)};
    kernels[0].problem = "record stale: vgprs 205 -> 211";
    char *text = kernels_text(kernels, 3);
    assert_non_null(strstr(text, "resources of symbol on gfx1151 (some-clang): 3 runs\n"
                                 "  vgprs       ▁█  205 → 211\n"
                                 "  run  started (UTC)     commit      vgprs  agprs  sgprs  lds "));
    assert_non_null(strstr(text, "\n    3  2026-11-30 09:45  0123456789    211      1      2    3 "));
    assert_non_null(strstr(text, "\n    1  2026-11-28 09:45  0123456789      ?      1 "));
    assert_non_null(strstr(text, "  record stale: vgprs 205 -> 211\n"));
    assert_non_null(strstr(text, "  current\n"));
    free(text);
    kernels[1].run.toolchain = "another-clang";
    text = kernels_text(kernels, 2);
    assert_non_null(strstr(text, "\n\nresources of symbol on gfx1151 (another-clang): 1 run\n"));
    free(text);
}

/* A scope, a device, a chip or a file of kernels makes another registration of it. */
static void what_cannot_be_compared_is_not_one_trend(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        struct history_row rows[] = {sample_row(2, "k", 0.5, 1), sample_row(1, "k", 0.5, 1)};
        const char **fields[] = {&rows[1].run.scope, &rows[1].run.device, &rows[1].chip, &rows[1].run.kernels,
                                 &rows[1].registration};
        *fields[i] = "other";
        char *text = rows_text(rows, 2);
        assert_null(strstr(text, "2 runs"));
        assert_non_null(strstr(text, "other"));
        free(text);
    }
}

static void json_leaves_out_what_is_unknown(void **state)
{
    (void)state;
    struct history_row rows[] = {sample_row(3, "k", (double)INFINITY, 30), sample_row(2, "k", 0.25, -1)};
    rows[0].first_red = "gate 3 at 4x64 (signed)";
    const struct history_kernel kernel = sample_kernel(3, RECORD_ABSENT);
    char *text = rows_json(rows, 2, &kernel, 1);
    json_t *object = json_loads(text, 0, NULL);
    const json_t *array = json_object_get(object, "registrations");
    const json_t *resources = json_object_get(json_array_get(json_object_get(object, "kernels"), 0), "resources");
    assert_int_equal(json_integer_value(json_object_get(resources, "agprs")), 1);
    assert_null(json_object_get(resources, "vgprs"));
    const json_t *first = json_array_get(array, 0), *second = json_array_get(array, 1);
    assert_int_equal(json_array_size(array), 2);
    assert_int_equal(json_integer_value(json_object_get(first, "duration_ns")), 30);
    assert_string_equal(json_string_value(json_object_get(first, "worst_ratio")), "inf");
    assert_string_equal(json_string_value(json_object_get(first, "first_red")), "gate 3 at 4x64 (signed)");
    assert_int_equal(json_integer_value(json_object_get(second, "run")), 2);
    assert_true(json_real_value(json_object_get(second, "worst_ratio")) == 0.25);
    assert_null(json_object_get(second, "duration_ns"));
    assert_null(json_object_get(second, "first_red"));
    assert_null(json_object_get(second, "kernels"));
    json_decref(object);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_span_the_finite_values),
        cmocka_unit_test(runs_are_one_line_each),
        cmocka_unit_test(registrations_have_their_trend_and_their_runs),
        cmocka_unit_test(a_trend_names_what_its_ends_do_not_show),
        cmocka_unit_test(resources_have_a_trend_where_they_changed),
        cmocka_unit_test(what_cannot_be_compared_is_not_one_trend),
        cmocka_unit_test(json_leaves_out_what_is_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
