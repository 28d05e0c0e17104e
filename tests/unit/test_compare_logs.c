/* Two runs compared by what they left: which cases and rows differ, by how many ulps where both kept the outputs, and what
 * that says of the instructions that were executed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contract/base/file.h"
#include "reports/compare_table.h"
#include "reports/fidelity_report.h"
#include "reports/kept_outputs.h"
#include "reports/log.h"
#include "tests/support/scratch.h"

enum { ROWS = 3, COLUMNS = 4, ELEMENTS = ROWS * COLUMNS };

/* A case as a run leaves it: outputs y, f32, of which one element is `ulps` above 1 + element. */
struct left {
    const char *registration, *chip, *shape;
    uint64_t code;
    int element;   /* that is off; -1: none */
    uint32_t ulps; /* UINT32_MAX: it is a NaN */
    enum verdict_status status;
    const char *modelled;
};

/* How a run is recorded. */
struct recorded {
    const char *name; /* of its folder */
    struct log_environment environment;
    bool with_outputs, keeps;
};

static char scratch[SCRATCH_PATH_BYTES];
static const struct log_environment emulated = {.version = "0", .device = "emulator", .chips = "gfx1151", .seed = 1};
static const struct log_environment on_gpu = {.version = "0", .device = "rocm", .chips = "gfx1151", .seed = 1};
static const struct reg_plan plan = {.n_tensors = 1, .tensor = {{"y", FORMAT_F32, REG_OUTPUT, ROWS, COLUMNS}}};

static int open_scratch(void **state)
{
    (void)state;
    return scratch_open(scratch) ? 0 : -1;
}

static int close_scratch(void **state)
{
    (void)state;
    scratch_close(scratch);
    return 0;
}

static void fill(const struct left *left, float y[ELEMENTS])
{
    for (int i = 0; i < ELEMENTS; i++)
        y[i] = (float)(1 + i);
    if (left->element < 0)
        return;
    uint32_t bits = 0x7fc00000;
    if (left->ulps != UINT32_MAX) {
        memcpy(&bits, &y[left->element], sizeof bits);
        bits += left->ulps;
    }
    memcpy(&y[left->element], &bits, sizeof bits);
}

static void put(struct verdict_stream *stream, const struct left *left, const struct executed *executed, size_t n_executed)
{
    float y[ELEMENTS];
    fill(left, y);
    struct case_outputs outputs = {.registration = left->registration,
                                   .chip = left->chip,
                                   .shape = left->shape,
                                   .pattern = "signed",
                                   .code = {left->code, 1},
                                   .plan = &plan,
                                   .data = {y},
                                   .executed = executed,
                                   .n_executed = n_executed};
    struct verdict v = {.subject = SUBJECT_GATE, .status = left->status, .gate = GATE_BYTES, .code = outputs.code};
    snprintf(v.registration, sizeof v.registration, "%s", left->registration);
    snprintf(v.chip, sizeof v.chip, "%s", left->chip);
    snprintf(v.shape, sizeof v.shape, "%s", left->shape);
    snprintf(v.pattern, sizeof v.pattern, "signed");
    if (left->status != VERDICT_LAUNCH_FAILED) {
        stream_put_outputs(stream, &outputs);
        v.output = hash_bytes(y, sizeof y);
    }
    stream_put(stream, &v);
    v.gate = GATE_BOUND;
    v.output = (struct hash128){0};
    snprintf(v.modelled, sizeof v.modelled, "%s", left->modelled ? left->modelled : "");
    stream_put(stream, &v);
}

/* Writes the log of a run, and its outputs, to scratch/name; its path in path. */
static void record(const struct recorded *as, const struct left *left, size_t n, const struct executed *executed,
                   size_t n_executed, char path[SCRATCH_PATH_BYTES])
{
    struct verdict_stream stream = {0};
    struct run_log log;
    struct kept_outputs kept;
    struct error error = {0};
    char log_path[2 * SCRATCH_PATH_BYTES];
    snprintf(path, SCRATCH_PATH_BYTES, "%.400s/%.80s", scratch, as->name);
    file_remove_tree(path);
    snprintf(log_path, sizeof log_path, "%s/run.jsonl", path);
    assert_true(kept_outputs_open(&kept, path, &error) && log_open(&log, log_path, &as->environment, &error));
    log.with_outputs = as->with_outputs;
    stream_add(&stream, log_sink(&log));
    if (as->keeps)
        stream_add(&stream, kept_outputs_sink(&kept));
    for (size_t i = 0; i < n; i++)
        put(&stream, &left[i], executed, n_executed);
    assert_true(log_close(&log, &error) && kept_outputs_close(&kept, &error));
}

/* A run of one case that keeps its outputs. */
static void keep_one(const char *name, int element, uint32_t ulps, char path[SCRATCH_PATH_BYTES])
{
    const struct left left = {.registration = "k", .chip = "gfx1151", .shape = "3x4", .element = element, .ulps = ulps};
    record(&(struct recorded){name, emulated, true, true}, &left, 1, NULL, 0, path);
}

static void runs_that_left_the_same_are_equal(void **state)
{
    (void)state;
    char a[SCRATCH_PATH_BYTES], b[SCRATCH_PATH_BYTES];
    struct comparison comparison;
    keep_one("a", -1, 0, a);
    keep_one("b", -1, 0, b);
    assert_true(compare_logs(&comparison, a, b, NULL));
    assert_int_equal(comparison.n_cases, 1);
    assert_int_equal(comparison.n_equal, 1);
    assert_int_equal(comparison.n_different, 0);
    assert_true(comparison.cases[0].is_same_code);
    compare_free(&comparison);
}

static void kept_outputs_are_compared_by_element(void **state)
{
    (void)state;
    char a[SCRATCH_PATH_BYTES], b[SCRATCH_PATH_BYTES];
    struct comparison comparison;
    keep_one("a", 6, 0, a);
    keep_one("b", 6, 2, b);
    assert_true(compare_logs(&comparison, a, b, NULL));
    assert_int_equal(comparison.n_different, 1);
    assert_int_equal(comparison.cases[0].n_tensors, 1);
    const struct compare_tensor *t = &comparison.cases[0].tensors[0];
    assert_int_equal(t->n_rows_different, 1);
    assert_int_equal(t->first_row, 1);
    assert_true(t->has_elements);
    assert_int_equal(t->n_different, 1);
    assert_int_equal(t->n_within_an_ulp, 0);
    assert_int_equal(t->most_ulps, 2);
    assert_int_equal(t->worst, 6);
    assert_true(t->a == 7 && t->b == 7 + 2 * 0x1p-21);
    compare_free(&comparison);
}

static char *printed(const struct comparison *comparison)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    compare_table_print(out, comparison);
    fclose(out);
    return text;
}

static void a_difference_is_one_line(void **state)
{
    (void)state;
    char a[SCRATCH_PATH_BYTES], b[SCRATCH_PATH_BYTES];
    struct comparison comparison;
    keep_one("a", 6, 0, a);
    keep_one("b", 6, 2, b);
    assert_true(compare_logs(&comparison, a, b, NULL));
    char *text = printed(&comparison);
    assert_non_null(strstr(text, "\nDIFFERS  gfx1151 k  3x4 (signed): y: 1 of 3 rows, first 1; 1 of 12 elements, 0 of them "
                                 "within 1 ulp, worst 2 ulps at y[1][2]: 0x40e00000 = 7, 0x40e00002 = 7.00000095\n"));
    assert_non_null(strstr(text, "\nSUMMARY 1 cases compared: 0 equal byte for byte, 1 differ; 0 of another code object; 0 "
                                 "only in A, 0 only in B\n"));
    free(text);
    compare_free(&comparison);
}

/* The outputs in one log only, or hashes without files: what is known is told, and nothing more. */
static void what_is_not_known_is_not_told(void **state)
{
    (void)state;
    const struct left left[] = {{"k", "gfx1151", "3x4", 1, -1, 0, VERDICT_PASS, NULL},
                                {"k", "gfx1151", "3x4", 1, 9, 5, VERDICT_PASS, NULL}};
    static const struct {
        bool a_hashes, b_hashes, a_keeps, b_keeps;
        size_t n_tensors;
        bool has_elements;
    } rows[] = {
        {false, false, false, false, 0, false}, {true, false, true, true, 0, false}, {true, true, false, false, 1, false},
        {true, true, true, false, 1, false},    {true, true, true, true, 1, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char a[SCRATCH_PATH_BYTES], b[SCRATCH_PATH_BYTES];
        struct comparison comparison;
        record(&(struct recorded){"a", emulated, rows[i].a_hashes, rows[i].a_keeps}, &left[0], 1, NULL, 0, a);
        record(&(struct recorded){"b", emulated, rows[i].b_hashes, rows[i].b_keeps}, &left[1], 1, NULL, 0, b);
        assert_true(compare_logs(&comparison, a, b, NULL));
        assert_int_equal(comparison.n_different, 1);
        assert_int_equal(comparison.n_problems, 0);
        assert_int_equal(comparison.cases[0].n_tensors, rows[i].n_tensors);
        if (rows[i].n_tensors) {
            assert_int_equal(comparison.cases[0].tensors[0].first_row, 2);
            assert_int_equal(comparison.cases[0].tensors[0].has_elements, rows[i].has_elements);
        }
        compare_free(&comparison);
    }
}

static void the_worst_comes_first(void **state)
{
    (void)state;
    const struct left a_left[] = {{"equal", "gfx1151", "3x4", 1, -1, 0, VERDICT_PASS, NULL},
                                  {"one", "gfx1151", "3x4", 1, -1, 0, VERDICT_PASS, NULL},
                                  {"known", "gfx1151", "3x4", 1, -1, 0, VERDICT_KNOWN_FINDING, NULL},
                                  {"failed", "gfx1151", "3x4", 1, -1, 0, VERDICT_LAUNCH_FAILED, NULL},
                                  {"nan", "gfx1151", "3x4", 1, -1, 0, VERDICT_PASS, NULL},
                                  {"nine", "gfx1151", "3x4", 1, -1, 0, VERDICT_PASS, NULL}};
    struct left b_left[6];
    memcpy(b_left, a_left, sizeof b_left);
    for (int i = 1; i < 6; i++) {
        b_left[i].status = VERDICT_PASS;
        b_left[i].element = i;
        b_left[i].ulps = (uint32_t[]){0, 1, 1000, 0, UINT32_MAX, 9}[i];
    }
    char a[SCRATCH_PATH_BYTES], b[SCRATCH_PATH_BYTES];
    struct comparison comparison;
    record(&(struct recorded){"a", emulated, true, true}, a_left, 6, NULL, 0, a);
    record(&(struct recorded){"b", emulated, true, true}, b_left, 6, NULL, 0, b);
    assert_true(compare_logs(&comparison, a, b, NULL));
    static const struct {
        const char *name;
        enum compare_outcome outcome;
    } expected[] = {{"failed", COMPARE_NO_OUTPUTS}, {"nan", COMPARE_DIFFERENT},  {"nine", COMPARE_DIFFERENT},
                    {"one", COMPARE_DIFFERENT},     {"known", COMPARE_UNSTABLE}, {"equal", COMPARE_EQUAL}};
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(comparison.cases[i].a->registration, expected[i].name);
        assert_int_equal(comparison.cases[i].outcome, expected[i].outcome);
    }
    assert_int_equal(comparison.n_equal, 1);
    assert_int_equal(comparison.n_unstable, 1);
    assert_int_equal(comparison.n_different, 4);
    compare_free(&comparison);
}

static void cases_of_one_run_only_are_listed(void **state)
{
    (void)state;
    const struct left a_left[] = {{"k", "gfx1151", "3x4", 1, -1, 0, VERDICT_PASS, NULL},
                                  {"k", "gfx1151", "1x1", 1, -1, 0, VERDICT_PASS, NULL},
                                  {"k", "gfx1151", "2x2", 1, -1, 0, VERDICT_PASS, NULL}};
    const struct left b_left[] = {{"other", "gfx1151", "3x4", 1, -1, 0, VERDICT_PASS, NULL},
                                  {"k", "gfx1151", "3x4", 2, -1, 0, VERDICT_PASS, NULL}};
    char a[SCRATCH_PATH_BYTES], b[SCRATCH_PATH_BYTES];
    struct comparison comparison;
    record(&(struct recorded){"a", emulated, true, false}, a_left, 3, NULL, 0, a);
    record(&(struct recorded){"b", emulated, true, false}, b_left, 2, NULL, 0, b);
    assert_true(compare_logs(&comparison, a, b, NULL));
    assert_int_equal(comparison.n_cases, 1);
    assert_false(comparison.cases[0].is_same_code);
    assert_int_equal(comparison.n_only_a, 2);
    assert_int_equal(comparison.n_only_b, 1);
    char *text = printed(&comparison);
    assert_non_null(strstr(text, "\nONLY-A   gfx1151 k  2 cases, first 1x1 (signed)\n"));
    assert_non_null(strstr(text, "\nONLY-B   gfx1151 other  1 case, first 3x4 (signed)\n"));
    free(text);
    compare_free(&comparison);
}

static void what_cannot_be_compared_is_one_line(void **state)
{
    (void)state;
    char a[SCRATCH_PATH_BYTES], b[SCRATCH_PATH_BYTES];
    struct comparison comparison;
    struct error error = {0};
    struct log_environment reseeded = emulated;
    const struct left left = {"k", "gfx1151", "3x4", 1, -1, 0, VERDICT_PASS, NULL},
                      other = {"j", "gfx1151", "3x4", 1, -1, 0, VERDICT_PASS, NULL};
    reseeded.seed = 2;
    record(&(struct recorded){"a", emulated, true, false}, &left, 1, NULL, 0, a);
    record(&(struct recorded){"b", reseeded, true, false}, &left, 1, NULL, 0, b);
    assert_false(compare_logs(&comparison, a, b, &error));
    assert_int_equal(error.status, STATUS_USAGE);
    assert_non_null(strstr(error.text, "another seed"));
    compare_free(&comparison);
    record(&(struct recorded){"b", emulated, true, false}, &other, 1, NULL, 0, b);
    assert_false(compare_logs(&comparison, a, b, &error));
    assert_non_null(strstr(error.text, "no case in common"));
    compare_free(&comparison);
    assert_false(compare_logs(&comparison, a, "/nonexistent/run.jsonl", &error));
    assert_non_null(strstr(error.text, "/nonexistent/run.jsonl"));
    compare_free(&comparison);
}

/* One chip each: any two. Several: the same. */
static void chips_are_matched_where_there_are_several(void **state)
{
    (void)state;
    const struct left left[] = {{"k", "gfx1100", "3x4", 1, -1, 0, VERDICT_PASS, NULL},
                                {"k", "gfx90a", "3x4", 1, 0, 1, VERDICT_PASS, NULL}};
    char a[SCRATCH_PATH_BYTES], b[SCRATCH_PATH_BYTES];
    struct comparison comparison;
    record(&(struct recorded){"a", emulated, true, true}, &left[0], 1, NULL, 0, a);
    record(&(struct recorded){"b", emulated, true, true}, &left[1], 1, NULL, 0, b);
    assert_true(compare_logs(&comparison, a, b, NULL));
    assert_int_equal(comparison.n_different, 1);
    compare_free(&comparison);
    record(&(struct recorded){"a", emulated, true, true}, left, 2, NULL, 0, a);
    assert_true(compare_logs(&comparison, a, b, NULL));
    assert_int_equal(comparison.n_equal, 1);
    assert_int_equal(comparison.n_only_a, 1);
    assert_string_equal(comparison.only_a[0]->chip, "gfx1100");
    compare_free(&comparison);
}

/* As a log that was continued has it. */
static void the_last_of_a_case_counts(void **state)
{
    (void)state;
    const struct left left[] = {{"k", "gfx1151", "3x4", 1, 3, 1, VERDICT_PASS, NULL},
                                {"k", "gfx1151", "3x4", 1, -1, 0, VERDICT_PASS, NULL}};
    char a[SCRATCH_PATH_BYTES], b[SCRATCH_PATH_BYTES];
    struct comparison comparison;
    record(&(struct recorded){"a", emulated, true, false}, left, 2, NULL, 0, a);
    record(&(struct recorded){"b", emulated, true, false}, &left[1], 1, NULL, 0, b);
    assert_true(compare_logs(&comparison, a, b, NULL));
    assert_int_equal(comparison.n_cases, 1);
    assert_int_equal(comparison.n_equal, 1);
    compare_free(&comparison);
}

static void a_damaged_file_is_told_and_costs_only_its_elements(void **state)
{
    (void)state;
    char a[SCRATCH_PATH_BYTES], b[SCRATCH_PATH_BYTES], file[2 * SCRATCH_PATH_BYTES], *data;
    size_t n_bytes;
    struct comparison comparison;
    keep_one("a", 6, 0, a);
    keep_one("b", 6, 2, b);
    snprintf(file, sizeof file, "%s/gfx1151/k/3x4/signed/y.f32.npy", b);
    assert_true(file_read(file, &data, &n_bytes, NULL));
    data[n_bytes - 1] ^= 1;
    assert_true(file_write(file, data, n_bytes, NULL));
    free(data);
    assert_true(compare_logs(&comparison, a, b, NULL));
    assert_int_equal(comparison.n_different, 1);
    assert_int_equal(comparison.cases[0].tensors[0].n_rows_different, 1);
    assert_false(comparison.cases[0].tensors[0].has_elements);
    assert_int_equal(comparison.n_problems, 1);
    assert_non_null(strstr(comparison.problems[0], "y.f32.npy: not what the run left"));
    compare_free(&comparison);
}

/* A log that was copied from another machine names a folder there; here it has its outputs beside it, and what is at the
 * path that it names is another run's. */
static void kept_outputs_are_found_beside_a_log(void **state)
{
    (void)state;
    char a[SCRATCH_PATH_BYTES], b[SCRATCH_PATH_BYTES], log[2 * SCRATCH_PATH_BYTES], moved[2 * SCRATCH_PATH_BYTES];
    struct comparison comparison;
    struct log_environment named = emulated;
    keep_one("b", 6, 2, b);
    named.outputs = b;
    const struct left left = {"k", "gfx1151", "3x4", 1, 6, 0, VERDICT_PASS, NULL};
    record(&(struct recorded){"far/b", named, true, true}, &left, 1, NULL, 0, a);
    snprintf(log, sizeof log, "%s/run.jsonl", a);
    snprintf(moved, sizeof moved, "%s/far/run.jsonl", scratch);
    assert_int_equal(rename(log, moved), 0);
    assert_true(compare_logs(&comparison, moved, b, NULL));
    assert_int_equal(comparison.n_problems, 0);
    assert_true(comparison.cases[0].tensors[0].has_elements);
    assert_int_equal(comparison.cases[0].tensors[0].most_ulps, 2);
    compare_free(&comparison);
}

static void outputs_of_another_shape_are_told(void **state)
{
    (void)state;
    char a[SCRATCH_PATH_BYTES], b[SCRATCH_PATH_BYTES], log[2 * SCRATCH_PATH_BYTES], *data, *at;
    size_t n_bytes;
    struct comparison comparison;
    keep_one("a", 6, 0, a);
    keep_one("b", 6, 2, b);
    snprintf(log, sizeof log, "%s/run.jsonl", b);
    assert_true(file_read(log, &data, &n_bytes, NULL));
    at = strstr(data, "\"columns\":4");
    assert_non_null(at);
    at[10] = '5';
    assert_true(file_write(log, data, n_bytes, NULL));
    free(data);
    assert_true(compare_logs(&comparison, a, b, NULL));
    assert_int_equal(comparison.n_different, 1);
    assert_false(comparison.cases[0].tensors[0].has_shape);
    char *text = printed(&comparison);
    assert_non_null(strstr(text, "y has not the same format and shape in both"));
    free(text);
    compare_free(&comparison);
}

static void json_has_every_case(void **state)
{
    (void)state;
    char a[SCRATCH_PATH_BYTES], b[SCRATCH_PATH_BYTES], *text = NULL;
    size_t n;
    struct comparison comparison;
    keep_one("a", 6, 0, a);
    keep_one("b", 6, UINT32_MAX, b);
    assert_true(compare_logs(&comparison, a, b, NULL));
    FILE *out = open_memstream(&text, &n);
    assert_true(compare_table_json(out, &comparison));
    fclose(out);
    json_t *object = json_loads(text, 0, NULL), *first = json_array_get(json_object_get(object, "cases"), 0);
    json_t *tensor = json_array_get(json_object_get(first, "tensors"), 0);
    assert_string_equal(json_string_value(json_object_get(first, "outcome")), "different");
    assert_string_equal(json_string_value(json_object_get(tensor, "most_ulps")), "nan");
    assert_string_equal(json_string_value(json_object_get(tensor, "b_bits")), "0x7fc00000");
    assert_int_equal(json_integer_value(json_object_get(object, "different")), 1);
    json_decref(object);
    free(text);
    compare_free(&comparison);
}

static const struct fidelity_row *row_of(const struct fidelity_report *report, const char *mnemonic)
{
    for (size_t i = 0; i < report->n_rows; i++)
        if (strcmp(report->rows[i].mnemonic, mnemonic) == 0)
            return &report->rows[i];
    return NULL;
}

/* Two cases execute v_add, the second, which differs, v_mul, and v_exp too; a third is of another code object. */
static void record_fidelity(char gpu[SCRATCH_PATH_BYTES], char emulator[SCRATCH_PATH_BYTES])
{
    static const struct executed executed[] = {
        {"v_add_f32", "VALU", 10}, {"v_mul_f32", "VALU", 2}, {"v_exp_f32", "TRANSCENDENTAL", 1}};
    const struct left left[] = {{"same", "gfx1151", "3x4", 1, -1, 0, VERDICT_PASS, NULL},
                                {"off", "gfx1151", "3x4", 1, 5, 1, VERDICT_PASS, "v_exp_f32"},
                                {"rebuilt", "gfx1151", "3x4", 2, -1, 0, VERDICT_PASS, NULL},
                                {"red", "gfx1151", "3x4", 1, -1, 0, VERDICT_FAIL, NULL}};
    struct left silicon[4];
    memcpy(silicon, left, sizeof silicon);
    silicon[1].element = -1;
    silicon[2].code = 3;
    record(&(struct recorded){"gpu", on_gpu, true, false}, silicon, 4, NULL, 0, gpu);
    char path[2 * SCRATCH_PATH_BYTES];
    struct verdict_stream stream = {0};
    struct run_log log;
    snprintf(emulator, SCRATCH_PATH_BYTES, "%.400s/emulator.jsonl", scratch);
    snprintf(path, sizeof path, "%s", emulator);
    assert_true(log_open(&log, path, &emulated, NULL));
    log.with_outputs = true;
    stream_add(&stream, log_sink(&log));
    for (size_t i = 0; i < 4; i++)
        put(&stream, &left[i], executed, i == 0 ? 1 : 3);
    assert_true(log_close(&log, NULL));
}

static void equal_outputs_speak_for_what_was_executed(void **state)
{
    (void)state;
    char gpu[SCRATCH_PATH_BYTES], emulator[SCRATCH_PATH_BYTES];
    struct comparison comparison;
    struct fidelity_report report = {0};
    record_fidelity(gpu, emulator);
    assert_true(compare_logs(&comparison, gpu, emulator, NULL) && fidelity_report_make(&report, &comparison, NULL));
    assert_true(report.is_silicon);
    assert_int_equal(report.n_equal, 1);
    assert_int_equal(report.n_different, 1);
    assert_int_equal(report.n_other_code, 1);
    assert_int_equal(report.n_unstable, 1);
    assert_int_equal(report.n_rows, 3);
    const struct fidelity_row *add = row_of(&report, "v_add_f32"), *exp = row_of(&report, "v_exp_f32");
    assert_int_equal(fidelity_state(add), FIDELITY_IN_DOUBT);
    assert_int_equal(add->n_executed, 10);
    assert_int_equal(fidelity_state(exp), FIDELITY_DIFFERS);
    assert_true(exp->is_modelled && !add->is_modelled);
    assert_string_equal(report.rows[2].mnemonic, "v_add_f32"); /* the least suspect last */
    fidelity_report_free(&report);
    compare_free(&comparison);
}

static void a_report_is_lines_by_class_and_instruction(void **state)
{
    (void)state;
    char gpu[SCRATCH_PATH_BYTES], emulator[SCRATCH_PATH_BYTES], *text = NULL;
    size_t n;
    struct comparison comparison;
    struct fidelity_report report = {0};
    record_fidelity(gpu, emulator);
    assert_true(compare_logs(&comparison, gpu, emulator, NULL) && fidelity_report_make(&report, &comparison, NULL));
    FILE *out = open_memstream(&text, &n);
    fidelity_report_print(out, &report);
    fclose(out);
    assert_non_null(strstr(text,
                           "FIDELITY A (rocm) and B (emulator): 2 cases are evidence: 1 equal byte for byte, 1 differ; "
                           "not evidence: 0 of another chip, 1 of another code object, 1 red at gate 1, 0 without "));
    assert_null(strstr(text, "NOTE"));
    assert_non_null(strstr(text, "\nCLASS    gfx1151 VALU  2 instructions: 0 agree, 1 in doubt, 1 differ\n"));
    assert_non_null(strstr(text, "\nDIFFERS  gfx1151 TRANSCENDENTAL v_exp_f32  1 cases differ, 0 are equal; modelled: an "
                                 "assumption\n"));
    assert_non_null(strstr(text, "\nDOUBT    gfx1151 VALU v_add_f32  1 cases differ, 1 are equal\n"));
    free(text);
    fidelity_report_free(&report);
    compare_free(&comparison);
}

/* Even where their code objects had the same bytes. */
static void another_chip_is_no_evidence(void **state)
{
    (void)state;
    static const struct executed executed[] = {{"v_add_f32", "VALU", 10}};
    const struct left left[] = {{"k", "gfx1150", "3x4", 1, -1, 0, VERDICT_PASS, NULL},
                                {"k", "gfx1151", "3x4", 1, -1, 0, VERDICT_PASS, NULL}};
    char a[SCRATCH_PATH_BYTES], b[SCRATCH_PATH_BYTES];
    struct comparison comparison;
    struct fidelity_report report = {0};
    struct error error = {0};
    record(&(struct recorded){"a", on_gpu, true, false}, &left[0], 1, NULL, 0, a);
    record(&(struct recorded){"b", emulated, true, false}, &left[1], 1, executed, 1, b);
    assert_true(compare_logs(&comparison, a, b, NULL));
    assert_int_equal(comparison.n_equal, 1);
    assert_false(fidelity_report_make(&report, &comparison, &error));
    assert_non_null(strstr(error.text, "no case is evidence: 1 of another chip"));
    fidelity_report_free(&report);
    compare_free(&comparison);
}

static void without_counts_there_is_no_evidence(void **state)
{
    (void)state;
    char a[SCRATCH_PATH_BYTES], b[SCRATCH_PATH_BYTES];
    struct comparison comparison;
    struct fidelity_report report = {0};
    struct error error = {0};
    keep_one("a", -1, 0, a);
    keep_one("b", -1, 0, b);
    assert_true(compare_logs(&comparison, a, b, NULL));
    assert_false(fidelity_report_make(&report, &comparison, &error));
    assert_int_equal(error.status, STATUS_USAGE);
    assert_non_null(strstr(error.text, "no case is evidence"));
    assert_non_null(strstr(error.text, "1 without counts"));
    assert_false(report.is_silicon);
    fidelity_report_free(&report);
    compare_free(&comparison);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_that_left_the_same_are_equal),
        cmocka_unit_test(kept_outputs_are_compared_by_element),
        cmocka_unit_test(a_difference_is_one_line),
        cmocka_unit_test(what_is_not_known_is_not_told),
        cmocka_unit_test(the_worst_comes_first),
        cmocka_unit_test(cases_of_one_run_only_are_listed),
        cmocka_unit_test(what_cannot_be_compared_is_one_line),
        cmocka_unit_test(chips_are_matched_where_there_are_several),
        cmocka_unit_test(the_last_of_a_case_counts),
        cmocka_unit_test(a_damaged_file_is_told_and_costs_only_its_elements),
        cmocka_unit_test(kept_outputs_are_found_beside_a_log),
        cmocka_unit_test(outputs_of_another_shape_are_told),
        cmocka_unit_test(json_has_every_case),
        cmocka_unit_test(equal_outputs_speak_for_what_was_executed),
        cmocka_unit_test(a_report_is_lines_by_class_and_instruction),
        cmocka_unit_test(another_chip_is_no_evidence),
        cmocka_unit_test(without_counts_there_is_no_evidence),
    };
    return cmocka_run_group_tests_name("compare_logs", tests, open_scratch, close_scratch);
}
