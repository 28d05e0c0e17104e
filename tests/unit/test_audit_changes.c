/* The changes of an audit in each format: every one has the same changes, and a program can read those that are for it. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "records/chips.h"
#include "reports/audit_changes.h"

static struct record make(const char *kernel, uint32_t vgprs, uint32_t waves)
{
    struct record record = {.kernel = kernel, .chip = "gfx1151"};
    record.figure[RECORD_vgprs] = vgprs;
    record.figure[RECORD_wave] = 32;
    record.figure[RECORD_occupancy] = waves;
    record.figure[RECORD_limit] = CHIP_LIMIT_VGPRS;
    return record;
}

/* Two registers at once and LDS, so that a comma stands in the text; a kernel that is gone; a file that lacked a column. */
static char *write_all(enum audit_format format)
{
    struct record before[] = {make("gone", 8, 16), make("k", 205, 7)}, after[] = {make("k", 211, 6)};
    struct audit_diff diff;
    struct error error;
    char *out = NULL;
    size_t n_bytes;
    before[1].figure[RECORD_kernarg] = RECORD_ABSENT;
    after[0].figure[RECORD_agprs] = 4;
    assert_true(audit_diff_make(before, 2, after, 1, NULL, &diff, &error));
    FILE *stream = open_memstream(&out, &n_bytes);
    assert_non_null(stream);
    assert_true(audit_changes_write(stream, format, &diff));
    assert_int_equal(fclose(stream), 0);
    audit_diff_free(&diff);
    return out;
}

#define CHANGE "205 → 211 VGPRs, 0 → 4 AGPRs: 7 → 6 waves a SIMD on gfx1151, limited by VGPRs"

static void text_is_a_line_a_change(void **state)
{
    (void)state;
    char *out = write_all(AUDIT_FORMAT_TEXT);
    assert_string_equal(out, "WORSE   gfx1151 k  " CHANGE "\nGONE    gfx1151 gone  gone on gfx1151\n");
    free(out);
}

static void markdown_is_a_table(void **state)
{
    (void)state;
    char *out = write_all(AUDIT_FORMAT_MARKDOWN);
    assert_string_equal(out, "|  | kernel | chip | change |\n|---|---|---|---|\n| WORSE | k | gfx1151 | " CHANGE
                             " |\n| GONE | gone | gfx1151 | gone on gfx1151 |\n");
    free(out);
}

static size_t commas_outside_quotes(const char *line)
{
    size_t n = 0;
    bool quoted = false;
    for (; *line; line++) {
        quoted ^= *line == '"';
        n += *line == ',' && !quoted;
    }
    return n;
}

static void csv_has_the_figures_of_both_sides(void **state)
{
    (void)state;
    char *out = write_all(AUDIT_FORMAT_CSV), *rest = NULL;
    size_t n_lines = 0;
    assert_non_null(strstr(out, ",vgprs_before,"));
    assert_non_null(strstr(out, "\r\nWORSE,k,gfx1151,205,0,"));
    assert_non_null(strstr(out, ",\"" CHANGE "\"\r\n"));
    for (char *line = strtok_r(out, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest), n_lines++)
        assert_int_equal(commas_outside_quotes(line), 3 + 2 * RECORD_FIGURE_COUNT);
    assert_int_equal(n_lines, 3);
    free(out);
}

static void json_has_what_is_known_of_both_sides(void **state)
{
    (void)state;
    char *out = write_all(AUDIT_FORMAT_JSON);
    json_error_t wrong;
    json_t *all = json_loads(out, 0, &wrong);
    assert_non_null(all);
    assert_int_equal(json_array_size(all), 2);
    json_t *k = json_array_get(all, 0), *gone = json_array_get(all, 1);
    assert_string_equal(json_string_value(json_object_get(k, "change")), "WORSE");
    assert_string_equal(json_string_value(json_object_get(k, "text")), CHANGE);
    assert_true(json_is_false(json_object_get(k, "over_budget")));
    json_t *before = json_object_get(k, "before"), *after = json_object_get(k, "after");
    assert_int_equal(json_integer_value(json_object_get(before, "vgprs")), 205);
    assert_int_equal(json_integer_value(json_object_get(after, "occupancy")), 6);
    assert_null(json_object_get(before, "kernarg"));
    assert_int_equal(json_integer_value(json_object_get(after, "kernarg")), 0);
    assert_null(json_object_get(gone, "after"));
    assert_int_equal(json_integer_value(json_object_get(json_object_get(gone, "before"), "vgprs")), 8);
    json_decref(all);
    free(out);
}

static void nothing_that_changed_is_an_empty_table(void **state)
{
    (void)state;
    static const char *const expected[AUDIT_FORMAT_COUNT] = {[AUDIT_FORMAT_TEXT] = "",
                                                             [AUDIT_FORMAT_JSON] = "[]\n",
                                                             [AUDIT_FORMAT_CSV] = "change,kernel,chip,",
                                                             [AUDIT_FORMAT_MARKDOWN] =
                                                                 "|  | kernel | chip | change |\n|---|---|---|---|\n"};
    struct audit_diff diff;
    struct error error;
    assert_true(audit_diff_make(NULL, 0, NULL, 0, NULL, &diff, &error));
    for (int format = 0; format < AUDIT_FORMAT_COUNT; format++) {
        char *out = NULL;
        size_t n_bytes;
        FILE *stream = open_memstream(&out, &n_bytes);
        assert_non_null(stream);
        assert_true(audit_changes_write(stream, (enum audit_format)format, &diff));
        assert_int_equal(fclose(stream), 0);
        assert_int_equal(strncmp(out, expected[format], strlen(expected[format])), 0);
        assert_true(format == AUDIT_FORMAT_CSV || strlen(out) == strlen(expected[format]));
        free(out);
    }
    audit_diff_free(&diff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_a_line_a_change),
        cmocka_unit_test(markdown_is_a_table),
        cmocka_unit_test(csv_has_the_figures_of_both_sides),
        cmocka_unit_test(json_has_what_is_known_of_both_sides),
        cmocka_unit_test(nothing_that_changed_is_an_empty_table),
    };
    return cmocka_run_group_tests_name("audit_changes", tests, NULL, NULL);
}
