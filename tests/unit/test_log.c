/* The run log: what is written can be read, whatever the numbers are; files that cannot be written or read give one clear
 * line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "contract/base/file.h"
#include "reports/log.h"
#include "reports/verdict_json.h"

static const struct log_environment environment = {.version = "0",
                                                   .toolchain = "none",
                                                   .compiler = "none",
                                                   .device = "emulator",
                                                   .chips = "gfx1151",
                                                   .scope = "default",
                                                   .checks = "mem sync",
                                                   .matrix_model = "chip",
                                                   .seed = 1,
                                                   .n_runs = 5};

static struct verdict sample(void)
{
    struct verdict v = {.subject = SUBJECT_GATE,
                        .status = VERDICT_FAIL,
                        .gate = GATE_BOUND,
                        .chip = "gfx1151",
                        .device = "emulator",
                        .registration = "k",
                        .file = "kernels/k.c",
                        .line = 12,
                        .shape = "1x33",
                        .pattern = "signed",
                        .code = {0x0123456789abcdef, 0xfedcba9876543210},
                        .schedule = 0x8000000000000001,
                        .n_compared = 33,
                        .n_wrong = 1,
                        .worst_ratio = INFINITY,
                        .signed_mean = -0.1,
                        .twin = "k_portable",
                        .twin_code = {1, 2},
                        .n_twin = 33,
                        .twin_ratio = 0.5,
                        .worst = {"y", 7, 0xff800000, -INFINITY, 0x1.23456789abcdep-3, 1e-300},
                        .reason = "output 7 is \"inf\" times its bound"};
    return v;
}

/* A race of two waves, one of which no source line is known of. */
static struct finding sample_finding(void)
{
    struct finding finding = {
        .kind = FINDING_MEM,
        .has_other = true,
        .place = {.kernel = "k",
                  .offset_bytes = 0x1c4,
                  .instruction = "ds_store_b32 v0, v1",
                  .file = "kernels/k.hip",
                  .line = 12,
                  .workgroup = {1, 2, 3},
                  .wave = 4,
                  .lane = 31},
        .other = {.kernel = "k", .offset_bytes = -8, .instruction = "ds_load_b32 v0, v1", .wave = -1, .lane = -1},
        .message = "byte 4 of LDS is written while another reads it",
    };
    finding_listing_make(&finding.place.instructions, (const char *[]){"+0x1c0 s_nop 0", "+0x1c4 ds_store_b32 v0, v1"}, 2,
                         1);
    finding_listing_make(&finding.place.source, (const char *[]){"    tile[i] = x;", "", "}"}, 3, 0);
    finding_compose(&finding);
    return finding;
}

static void a_listing_keeps_the_nearest_lines_that_fit(void **state)
{
    (void)state;
    struct finding_listing listing = {0};
    char long_line[2 * sizeof listing.text], half[sizeof listing.text / 2];
    memset(long_line, 'x', sizeof long_line);
    long_line[sizeof long_line - 1] = '\0';
    memset(half, 'y', sizeof half);
    half[sizeof half - 1] = '\0';
    finding_listing_make(&listing, (const char *[]){"a", "", "c"}, 3, 2);
    assert_string_equal(listing.text, "a\n\nc\n");
    assert_int_equal(listing.at, 2);
    finding_listing_make(&listing, (const char *[]){half, "b", "c", half}, 4, 2);
    assert_memory_equal(listing.text, "b\nc\nyyy", 7);
    assert_int_equal(listing.at, 1);
    finding_listing_make(&listing, (const char *[]){"a", long_line, "c"}, 3, 1);
    assert_int_equal(listing.at, 0);
    assert_int_equal(strlen(listing.text), sizeof listing.text - 1);
    assert_int_equal(strchr(listing.text, '\n') - listing.text, sizeof listing.text - 2);
}

static void a_finding_is_one_line_of_all_its_fields(void **state)
{
    (void)state;
    struct finding finding = sample_finding();
    assert_string_equal(finding.text,
                        "k+0x1c4 ds_store_b32 v0, v1 (kernels/k.hip:12): workgroup 1,2,3 wave 4 lane 31: byte 4 of "
                        "LDS is written while another reads it; the other: k-0x8 ds_load_b32 v0, v1 in "
                        "workgroup 0,0,0");
    memset(finding.message, 'x', sizeof finding.message - 1);
    memset(finding.place.kernel, 'k', sizeof finding.place.kernel - 1);
    memset(finding.place.file, 'f', sizeof finding.place.file - 1);
    memset(finding.place.instruction, 'i', sizeof finding.place.instruction - 1);
    finding.other = finding.place;
    finding_compose(&finding);
    assert_int_equal(strlen(finding.text), sizeof finding.text - 1);
}

/* Gate 3's picture of a tensor of 3 x 40, and gate 5's figures: all but one are known. */
static void add_measures(struct verdict *v)
{
    v->ratio_histogram[0] = 100;
    v->ratio_histogram[RATIO_BIN_INFINITE] = 20;
    v->error_map = (struct error_map){.tensor = "y", .rows = 3, .columns = 40, .n_rows = 3, .n_columns = 4};
    for (int row = 0; row < 3; row++)
        memcpy(v->error_map.cell[row], (char[]){ERROR_MAP_UNDECIDED, ERROR_MAP_FIRST, 'b', 'a' + RATIO_BIN_INFINITE, 0}, 5);
    v->resources.are_known = true;
    for (uint32_t i = 0; i < RECORD_FIGURE_COUNT; i++)
        v->resources.figure[i] = i == RECORD_agprs ? RECORD_ABSENT : i == RECORD_limit ? 1 : 100 + i;
    snprintf(v->diagnosis.tensor, sizeof v->diagnosis.tensor, "y");
    snprintf(v->diagnosis.format, sizeof v->diagnosis.format, "f32");
    v->diagnosis.rows = 1;
    v->diagnosis.columns = 33;
    v->diagnosis.n_wrong = 2;
    v->diagnosis.first = (struct diagnosed_output){0, 5, 0x3f800000, 1, 0.1, 0x1p-24, 1e6, 0.5};
    v->diagnosis.worst = (struct diagnosed_output){0, 7, 0xff800000, -INFINITY, 0.25, 1e-300, INFINITY, INFINITY};
    v->diagnosis.n_near = DIAGNOSIS_NEAR;
    for (int n = 0; n < DIAGNOSIS_NEAR; n++)
        v->diagnosis.near[n] = (struct diagnosed_output){0, 3 + n, 0x7fc00000, NAN, n, INFINITY, n * 0.1, n * 3};
    snprintf(v->diagnosis.guess, sizeof v->diagnosis.guess, "they are 0; they fill whole rows: 1 of 2, the first row 0");
}

static void every_field_survives_the_log(void **state)
{
    (void)state;
    struct verdict v = sample(), back;
    v.has_finding = true;
    v.finding = sample_finding();
    add_measures(&v);
    json_t *object = verdict_to_json(&v);
    char *line = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_t *read = json_loads(line, 0, NULL);
    assert_true(verdict_from_json(read, &back));
    assert_memory_equal(&v, &back, sizeof v);
    json_decref(object);
    json_decref(read);
    free(line);
}

/* A compiler's words, or those of a wrong line, may be cut within a character. */
static void a_text_that_is_no_utf_8_is_not_lost(void **state)
{
    (void)state;
    struct verdict v = sample(), back;
    snprintf(v.reason, sizeof v.reason, "no \xe2\x80 here");
    json_t *object = verdict_to_json(&v);
    assert_true(verdict_from_json(object, &back));
    assert_string_equal(back.reason, "no ?? here");
    json_decref(object);
}

/* Short lines of another encoding: what stands for each byte takes no more room than it. */
static void lines_that_are_no_utf_8_survive_the_log(void **state)
{
    (void)state;
    enum { LINES = 60 };
    const char *lines[LINES];
    struct verdict v = sample(), back;
    for (int i = 0; i < LINES; i++)
        lines[i] = "\xe9";
    v.has_finding = true;
    v.finding = sample_finding();
    finding_listing_make(&v.finding.place.source, lines, LINES, LINES / 2);
    json_t *object = verdict_to_json(&v);
    assert_true(verdict_from_json(object, &back));
    for (char *at = v.finding.place.source.text; (at = strchr(at, '\xe9'));)
        *at = '?';
    assert_string_equal(back.finding.place.source.text, v.finding.place.source.text);
    assert_int_equal(back.finding.place.source.at, LINES / 2);
    json_decref(object);
}

static void every_status_and_subject_survives(void **state)
{
    (void)state;
    for (int subject = 0; subject < SUBJECT_COUNT; subject++)
        for (int status = 0; status < VERDICT_STATUS_COUNT; status++) {
            struct verdict v = {.subject = (enum verdict_subject)subject, .status = (enum verdict_status)status}, back;
            json_t *object = verdict_to_json(&v);
            assert_true(verdict_from_json(object, &back));
            assert_memory_equal(&v, &back, sizeof v);
            json_decref(object);
        }
}

#define OUTPUT      "{\"row\":0,\"column\":0,\"got_bits\":\"0x0\",\"got\":0,\"reference\":0,\"bound\":0,\"ratio\":0,\"ulps\":0}"
#define TWO_OUTPUTS OUTPUT "," OUTPUT
#define DIAGNOSIS_OF(tensor, near, guess)                                                                                  \
    "{\"tensor\":" tensor ",\"format\":\"f32\",\"rows\":1,\"columns\":1,\"wrong\":1,\"first\":" OUTPUT                     \
    ",\"worst\":" OUTPUT ",\"near\":" near ",\"guess\":" guess "}"

/* The spoils below are refused for what they spoil. */
static void a_diagnosis_without_a_fault_is_read(void **state)
{
    (void)state;
    struct verdict v = sample(), back;
    json_t *object = verdict_to_json(&v);
    json_object_set_new(object, "diagnosis",
                        json_loads(DIAGNOSIS_OF("\"y\"", "[" TWO_OUTPUTS "]", "\"they are 0\""), JSON_DECODE_ANY, NULL));
    assert_true(verdict_from_json(object, &back));
    assert_int_equal(back.diagnosis.n_near, 2);
    assert_string_equal(back.diagnosis.guess, "they are 0");
    json_decref(object);
}

static void wrong_types_are_refused(void **state)
{
    (void)state;
    struct verdict v = sample(), back;
    static const char *const spoils[][2] = {
        {"status", "\"fine\""},
        {"gate", "\"three\""},
        {"gate", "6"},
        {"gate", "-1"},
        {"code", "\"12\""},
        {"worst_ratio", "\"big\""},
        {"chip", "5"},
        {"finding", "{\"kind\":\"mem\"}"},
        {"ratio_histogram", "[1, 2]"},
        {"error_map", "{\"tensor\":\"y\",\"rows\":2,\"columns\":2,\"cells\":[\"aa\",\"a\"]}"},
        {"error_map", "{\"tensor\":\"y\",\"rows\":1,\"columns\":2,\"cells\":[\"a!\"]}"},
        {"resources", "{\"vgprs\":\"many\"}"},
        {"resources", "{\"vgprs\":-1}"},
        {"resources", "{\"colour\":1}"},
        {"finding", "{\"kind\":\"mem\",\"message\":\"m\",\"at\":{\"kernel\":\"k\",\"offset\":0,\"workgroup\":[0,0,0],"
                    "\"source\":{\"lines\":[\"a\"],\"at\":1}}}"},
        {"finding", "{\"kind\":\"mem\",\"message\":\"m\",\"at\":{\"kernel\":\"k\",\"offset\":0,\"workgroup\":[0,0,0],"
                    "\"source\":{\"lines\":[\"a\"],\"at\":1}}}"},
        {"diagnosis", "{\"tensor\":\"y\"}"},
        {"diagnosis", DIAGNOSIS_OF("\"y\"", "[]", "5")},
        {"diagnosis", DIAGNOSIS_OF("\"y\"", "{}", "\"\"")},
        {"diagnosis", DIAGNOSIS_OF("\"y\"", "[{\"row\":0,\"column\":0}]", "\"\"")},
        {"diagnosis", DIAGNOSIS_OF("\"a name of a tensor that has no room\"", "[]", "\"\"")},
        {"diagnosis",
         DIAGNOSIS_OF("\"y\"", "[" TWO_OUTPUTS "," TWO_OUTPUTS "," TWO_OUTPUTS "," TWO_OUTPUTS "," TWO_OUTPUTS "]",
                      "\"\"")}};
    for (size_t i = 0; i < sizeof spoils / sizeof *spoils; i++) {
        json_t *object = verdict_to_json(&v);
        json_object_set_new(object, spoils[i][0], json_loads(spoils[i][1], JSON_DECODE_ANY, NULL));
        assert_false(verdict_from_json(object, &back));
        json_decref(object);
    }
}

static void write_file(char path[64], const char *text)
{
    struct error error;
    snprintf(path, 64, "/tmp/hipcontract_test_XXXXXX");
    close(mkstemp(path));
    assert_true(file_write(path, text, strlen(text), &error));
}

static void log_that_cannot_be_opened_is_one_clear_line(void **state)
{
    (void)state;
    struct run_log log;
    struct error error;
    assert_false(log_open(&log, "/nonexistent/run.jsonl", &environment, &error));
    assert_int_equal(error.status, STATUS_USAGE);
    assert_string_equal(error.text, "/nonexistent/run.jsonl: cannot write the log: No such file or directory");
}

/* /dev/full accepts an open and refuses every byte. */
static void full_disk_is_kept_as_the_log_s_error(void **state)
{
    (void)state;
    struct run_log log;
    struct error error = {0};
    assert_false(log_open(&log, "/dev/full", &environment, &error));
    assert_int_equal(error.status, STATUS_USAGE);
    assert_non_null(strstr(error.text, "/dev/full: No space left on device"));
}

static void first_line_is_the_environment_and_last_the_summary(void **state)
{
    (void)state;
    char path[64], *data;
    size_t n;
    struct run_log log;
    struct error error;
    struct counts counts = {0};
    struct verdict v = sample();
    write_file(path, "");
    assert_true(log_open(&log, path, &environment, &error));
    log_sink(&log).verdict(&log, &v);
    log_sink(&log).registration_end(
        &log, &(struct registration_end){.registration = "k", .chip = "gfx1151", .duration_ns = 1234567890123});
    counts_of(&counts, "gfx1151")->n_kernels = 1;
    log_summary(&log, &counts, STATUS_RED, false);
    assert_true(log_close(&log, &error));
    assert_true(file_read(path, &data, &n, &error));
    assert_memory_equal(data, "{\"record\":\"environment\",\"format\":1,", 35);
    char *last = strstr(data, "{\"record\":\"summary\",\"exit\":1,\"interrupted\":false,");
    assert_non_null(last);
    assert_ptr_equal(strchr(last, '\n'), data + n - 1);
    free(data);
    struct run_history history;
    assert_true(history_read(path, &environment, &history, &error));
    size_t n_verdicts;
    const struct report_kernel *kernel = report_find(&history.report, "k", "gfx1151");
    const struct verdict *const *verdicts = history_verdicts(kernel, &n_verdicts);
    assert_int_equal(n_verdicts, 1);
    assert_memory_equal(verdicts[0], &v, sizeof v);
    assert_int_equal(kernel->duration_ns, 1234567890123);
    history_free(&history);
    unlink(path);
}

static size_t count(const char *text, const char *part)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, part)); at++)
        n++;
    return n;
}

/* The replayed registration stands in the file already, with the time that it took when it was decided. */
static void a_log_that_goes_on_keeps_one_end_of_each_registration(void **state)
{
    (void)state;
    struct run_log log;
    struct error error;
    struct verdict v = sample();
    const struct verdict *verdicts[] = {&v};
    struct report_kernel kernel = {.registration = "k",
                                   .chip = "gfx1151",
                                   .state = REPORT_FAIL,
                                   .is_finished = true,
                                   .verdicts = verdicts,
                                   .n_verdicts = 1,
                                   .duration_ns = 77};
    const struct run_history history = {.report = {.kernels = &kernel, .n_kernels = 1}};
    char path[64], *data;
    size_t n;
    write_file(path, "");
    assert_true(log_reopen(&log, path, &environment, &history, &error));
    v.replayed = true;
    log_sink(&log).verdict(&log, &v);
    log_sink(&log).registration_end(&log,
                                    &(struct registration_end){.registration = "k", .chip = "gfx1151", .replayed = true});
    log_sink(&log).registration_end(
        &log, &(struct registration_end){.registration = "other", .chip = "gfx1151", .duration_ns = 5});
    assert_true(log_close(&log, &error));
    assert_true(file_read(path, &data, &n, &error));
    assert_int_equal(count(data, "\"record\":\"verdict\""), 1);
    assert_int_equal(count(data, "\"record\":\"end\""), 2);
    assert_int_equal(count(data, "\"duration_ns\":77}"), 1);
    assert_int_equal(count(data, "\"duration_ns\":5}"), 1);
    free(data);
    unlink(path);
}

static const char *const first_line =
    "{\"record\":\"environment\",\"format\":1,\"device\":\"emulator\",\"scope\":\"default\",\"checks\":\"mem sync\","
    "\"matrix_model\":\"chip\",\"seed\":1,\"runs\":5}\n";

static void refused(const char *text, const char *says)
{
    char path[64];
    struct run_history history;
    struct error error = {0};
    write_file(path, text);
    assert_false(history_read(path, &environment, &history, &error));
    assert_int_equal(error.status, STATUS_USAGE);
    if (!strstr(error.text, says))
        fail_msg("'%s' does not say '%s'", error.text, says);
    history_free(&history);
    unlink(path);
}

static void logs_that_cannot_be_resumed_say_why(void **state)
{
    (void)state;
    char text[400];
    refused("", "an empty file, no log");
    refused("{\"record\":\"envir", "not one whole line");
    refused("{\"record\":\"verdict\"}\n", "starts with its environment");
    refused("{\"record\":\"environment\",\"format\":2}\n", "log format 2 is newer than this program's, 1");
    refused("{\"record\":\"environment\",\"format\":0}\n", "log format 0 is older");
    refused("{\"record\":\"environment\",\"format\":1,\"seed\":\"x\"}\n", "`seed` of the environment has the wrong type");
    refused("{\"record\":\"environment\",\"format\":1,\"seed\":2}\n", "another seed");
    refused("{\"record\":\"environment\",\"format\":1,\"seed\":1,\"runs\":3}\n", "another number of runs");
    refused("{\"record\":\"environment\",\"format\":1,\"seed\":1,\"runs\":5,\"scope\":\"full\"}\n", "--quick or --full");
    snprintf(text, sizeof text, "%snot json\n", first_line);
    refused(text, ":2: not a line of JSON");
    snprintf(text, sizeof text, "%s%s", first_line, first_line);
    refused(text, ":2: a second environment");
    snprintf(text, sizeof text, "%s{\"record\":\"verdict\",\"subject\":\"gate\",\"status\":\"fine\"}\n", first_line);
    refused(text, ":2: not a verdict");
}

/* What `with` holds of the first line's end, after the fields that fit. */
static void refused_with(const char *with, const char *says)
{
    char text[400];
    snprintf(text, sizeof text,
             "{\"record\":\"environment\",\"format\":1,\"scope\":\"default\",\"seed\":1,\"runs\":5,%s}\n", with);
    refused(text, says);
}

/* A verdict that other checks, or another model of sums, have made says nothing of these. */
static void verdicts_of_other_checks_are_not_taken_over(void **state)
{
    (void)state;
    refused_with("\"device\":\"rocm\"", "another device;");
    refused_with("\"device\":\"emulator\",\"checks\":\"none\",\"matrix_model\":\"chip\"", "another choice of checks;");
    refused_with("\"device\":\"emulator\",\"matrix_model\":\"chip\"", "another choice of checks;");
    refused_with("\"device\":\"emulator\",\"checks\":\"mem sync\",\"matrix_model\":\"ieee\"", "another matrix model;");
    refused_with("\"device\":\"emulator\",\"checks\":\"mem sync\",\"matrix_model\":\"chip\",\"device_count\":3",
                 "another number of devices;");
    refused_with("\"device\":\"emulator\",\"checks\":\"mem sync\",\"matrix_model\":\"chip\",\"kernels\":\"a.so\"",
                 "another list of --kernels;");
    refused_with("\"device\":\"emulator\",\"checks\":\"mem sync\",\"matrix_model\":\"chip\",\"shard\":1,\"shards\":2",
                 "another shard;");
}

static void last_line_that_was_cut_short_is_ignored(void **state)
{
    (void)state;
    char text[400], path[64];
    struct run_history history;
    struct error error = {0};
    snprintf(text, sizeof text, "%s{\"record\":\"verdict\",\"subj", first_line);
    write_file(path, text);
    assert_true(history_read(path, &environment, &history, &error));
    assert_int_equal(history.report.n_kernels, 0);
    assert_true(history.report.logs[0].is_cut);
    history_free(&history);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_finding_is_one_line_of_all_its_fields),
        cmocka_unit_test(a_listing_keeps_the_nearest_lines_that_fit),
        cmocka_unit_test(every_field_survives_the_log),
        cmocka_unit_test(a_text_that_is_no_utf_8_is_not_lost),
        cmocka_unit_test(lines_that_are_no_utf_8_survive_the_log),
        cmocka_unit_test(every_status_and_subject_survives),
        cmocka_unit_test(a_diagnosis_without_a_fault_is_read),
        cmocka_unit_test(wrong_types_are_refused),
        cmocka_unit_test(log_that_cannot_be_opened_is_one_clear_line),
        cmocka_unit_test(full_disk_is_kept_as_the_log_s_error),
        cmocka_unit_test(first_line_is_the_environment_and_last_the_summary),
        cmocka_unit_test(a_log_that_goes_on_keeps_one_end_of_each_registration),
        cmocka_unit_test(logs_that_cannot_be_resumed_say_why),
        cmocka_unit_test(verdicts_of_other_checks_are_not_taken_over),
        cmocka_unit_test(last_line_that_was_cut_short_is_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
