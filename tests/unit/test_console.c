/* The lines that tools parse keep their form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reports/console.h"

/* What the console prints for verdicts of one registration, then its end where `ends`. Freed by the caller. */
static char *printed(const struct verdict *verdicts, size_t n, bool ends)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    struct console console = {.out = out};
    struct verdict_sink sink = console_sink(&console);
    for (size_t i = 0; i < n; i++)
        sink.verdict(sink.context, &verdicts[i]);
    if (ends)
        sink.registration_end(sink.context,
                              &(struct registration_end){.registration = "tf_exl3_rot_in", .chip = "gfx1151"});
    console_free(&console);
    fclose(out);
    return text;
}

static void assert_prints(const struct verdict *verdicts, size_t n, bool ends, const char *expected)
{
    char *text = printed(verdicts, n, ends);
    assert_string_equal(text, expected);
    free(text);
}

#define GATE_OF(number, shape_label)                                                                                       \
    .subject = SUBJECT_GATE, .gate = number, .chip = "gfx1151", .registration = "tf_exl3_rot_in", .shape = shape_label

static void pass_line(void **state)
{
    (void)state;
    struct verdict verdicts[] = {
        {GATE_OF(1, "1x128"), .status = VERDICT_PASS, .n_runs = 5, .checks = "mem sync", .worst.index = -1},
        {GATE_OF(2, "1x128"), .status = VERDICT_PASS, .n_nonfinite = 256, .n_finite = 3840, .n_compared = 4096},
        {GATE_OF(3, "64x512"), .status = VERDICT_PASS, .worst_ratio = 0.99345, .n_compared = 1},
        {GATE_OF(3, "64x512"), .status = VERDICT_PASS, .worst_ratio = 0.5, .n_compared = 1},
        {GATE_OF(4, "k 128"), .status = VERDICT_PASS, .miss_fp16 = 250, .miss_bf16 = 912, .n_compared = 1},
        {GATE_OF(4, "k 16"), .status = VERDICT_PASS, .miss_fp16 = 0, .miss_bf16 = 1000, .n_compared = 1},
    };
    assert_prints(
        verdicts, sizeof verdicts / sizeof *verdicts, true,
        "PASS  gfx1151 tf_exl3_rot_in  4 shapes  gate 1: 5 runs byte-identical, guards intact, mem sync clean; gate 2: 256 "
        "non-finite and "
        "3840 finite outputs match; gate 3: worst 0.993 of the bound; gate 4: exact at k 128, fp16 sums would miss 250x "
        "and "
        "bf16 912x\n");
}

static void pass_line_names_the_twin(void **state)
{
    (void)state;
    struct verdict verdicts[] = {
        {GATE_OF(3, "64x512"), .status = VERDICT_PASS, .worst_ratio = 0.5, .n_compared = 1, .twin = "portable"},
        {GATE_OF(4, ""), .status = VERDICT_NOT_RUN, .reason = "no exact sums"},
    };
    assert_prints(
        verdicts, 2, true,
        "PASS  gfx1151 tf_exl3_rot_in  1 shape  gate 1: 0 runs byte-identical, guards intact; gate 2: 0 non-finite "
        "and 0 finite outputs match; gate 3: worst 0.5 of the bound, twin portable not for this chip; gate 4: no "
        "exact sums\n");
    verdicts[0].n_twin = 1;
    verdicts[0].twin_ratio = 0.25;
    assert_prints(
        verdicts, 2, true,
        "PASS  gfx1151 tf_exl3_rot_in  1 shape  gate 1: 0 runs byte-identical, guards intact; gate 2: 0 non-finite "
        "and 0 finite outputs match; gate 3: worst 0.5 of the bound, twin portable within 0.25 of both bounds; "
        "gate 4: no exact sums\n");
}

static void pass_line_names_the_byte_contracts_that_held(void **state)
{
    (void)state;
    struct verdict verdicts[] = {
        {GATE_OF(1, "1x128"), .status = VERDICT_PASS, .n_runs = 5, .worst.index = -1},
        {GATE_OF(1, "64x512"), .status = VERDICT_PASS, .name = "rows", .n_runs = 17, .checks = "mem sync"},
        {GATE_OF(1, "2x512"), .status = VERDICT_PASS, .name = "weights", .n_runs = 1},
        {GATE_OF(0, "9x512"), .status = VERDICT_NOT_RUN, .name = "head"},
        {GATE_OF(4, ""), .status = VERDICT_NOT_RUN, .reason = "no exact sums"},
    };
    assert_prints(verdicts, sizeof verdicts / sizeof *verdicts, true,
                  "PASS  gfx1151 tf_exl3_rot_in  1 shape  gate 1: 5 runs byte-identical, guards intact, bytes: rows, "
                  "weights (1 left out); gate 2: 0 non-finite and 0 finite outputs match; gate 4: no exact sums\n");
}

/* A line that said "byte-identical" would deny the finding above it. */
static void pass_line_claims_nothing_that_a_known_finding_denies(void **state)
{
    (void)state;
    struct verdict verdicts[] = {
        {GATE_OF(1, "1x128"), .status = VERDICT_KNOWN_FINDING, .pattern = "signed", .n_runs = 5, .checks = "mem sync",
         .reason = "run 2 differs from run 1"},
        {GATE_OF(2, "1x128"), .status = VERDICT_PASS, .n_nonfinite = 1, .n_finite = 2, .n_compared = 3},
        {GATE_OF(1, "64x512"), .status = VERDICT_PASS, .n_runs = 5, .checks = "mem sync", .worst.index = -1},
        {GATE_OF(4, ""), .status = VERDICT_NOT_RUN, .reason = "no exact sums"},
    };
    assert_prints(verdicts, sizeof verdicts / sizeof *verdicts, true,
                  "KNOWN gfx1151 tf_exl3_rot_in  gate 1 at 1x128 (signed): run 2 differs from run 1\n"
                  "PASS  gfx1151 tf_exl3_rot_in  2 shapes  gate 1: known finding, 5 runs; gate 2: 1 non-finite and 2 "
                  "finite outputs match; gate 4: no exact sums\n");
}

static void broken_byte_contract_lines(void **state)
{
    (void)state;
    struct verdict verdicts[] = {
        {GATE_OF(1, "64x512"), .status = VERDICT_FAIL, .pattern = "signed", .name = "rows",
         .reason = "row 5 alone: out[5][0] is 0x1 and in the launch of all 0x2; 1 of 128 elements differ"},
        {GATE_OF(1, "64x512"), .status = VERDICT_LAUNCH_FAILED, .name = "rows",
         .reason = "row 5 alone: hipModuleLaunchKernel: hipErrorLaunchFailure"},
    };
    assert_prints(verdicts, 2, true,
                  "FAIL  gfx1151 tf_exl3_rot_in  bytes rows: gate 1 at 64x512 (signed): row 5 alone: out[5][0] is 0x1 and "
                  "in the launch of all 0x2; 1 of 128 elements differ\n"
                  "FAIL  gfx1151 tf_exl3_rot_in  launch failed: bytes rows: gate 1 at 64x512: row 5 alone: "
                  "hipModuleLaunchKernel: hipErrorLaunchFailure\n");
}

static void fail_line_has_bits_reference_and_bound(void **state)
{
    (void)state;
    struct verdict v = {GATE_OF(3, "64x512x128"),
                        .status = VERDICT_FAIL,
                        .pattern = "signed",
                        .n_wrong = 3,
                        .n_compared = 64,
                        .worst = {"y", 0, 0x3f800000, 1, 0.5, 0.25},
                        .reason = "output 0 is 2 times its bound"};
    assert_prints(&v, 1, true,
                  "FAIL  gfx1151 tf_exl3_rot_in  gate 3 at 64x512x128 (signed): output 0 is 2 times its bound (y: got 1 = "
                  "0x3f800000, "
                  "reference 0.5, bound 0.25; 3 of 64 wrong)\n");
}

/* A log has one NaN, and what is read from it must print as the run did. */
static void nan_has_no_sign_in_a_line(void **state)
{
    (void)state;
    static const double values[] = {(double)NAN, -(double)NAN};
    for (size_t i = 0; i < 2; i++) {
        struct verdict v = {GATE_OF(GATE_BOUND, "1x33"), .status = VERDICT_FAIL, .n_compared = 33, .n_wrong = 1};
        v.worst = (struct verdict_element){"y", 0, 0xfff5fff5, values[i], 1, 0.5};
        struct text text = {0};
        console_explain(&v, &text);
        assert_non_null(strstr(text.data, "(y: got nan = 0xfff5fff5, reference 1, bound 0.5; 1 of 33 wrong)"));
        text_free(&text);
    }
}

static void failed_launch_line(void **state)
{
    (void)state;
    struct verdict v = {GATE_OF(1, "1x128"), .status = VERDICT_LAUNCH_FAILED,
                        .reason = "run 1: hipModuleLaunchKernel: hipErrorLaunchFailure"};
    assert_prints(&v, 1, true,
                  "FAIL  gfx1151 tf_exl3_rot_in  launch failed: gate 1 at 1x128: run 1: hipModuleLaunchKernel: "
                  "hipErrorLaunchFailure\n");
}

static void died_lines(void **state)
{
    (void)state;
    struct verdict verdicts[] = {{GATE_OF(1, "1x128"), .status = VERDICT_DIED, .pattern = "signed",
                                  .reason = "its process was ended by signal 11 (Segmentation fault)"},
                                 {.subject = SUBJECT_CONTROL,
                                  .status = VERDICT_DIED,
                                  .gate = 3,
                                  .chip = "gfx1151",
                                  .name = "c",
                                  .reason = "it took longer than 5 s and was ended (--time-limit)"}};
    assert_prints(verdicts, 2, true,
                  "FAIL  gfx1151 tf_exl3_rot_in  died: gate 1 at 1x128 (signed): its process was ended by signal 11 "
                  "(Segmentation fault)\n"
                  "MISS  gfx1151 c  died, before gate 3: it took longer than 5 s and was ended (--time-limit)\n");
}

static void red_miss_blind_and_limit_lines(void **state)
{
    (void)state;
    struct verdict verdicts[] = {
        {.subject = SUBJECT_CONTROL,
         .status = VERDICT_RED,
         .gate = 3,
         .chip = "gfx1151",
         .name = "c",
         .reason = "output 0 is 235 times its bound"},
        {.subject = SUBJECT_CONTROL,
         .status = VERDICT_MISS,
         .gate = 3,
         .chip = "gfx1151",
         .name = "c",
         .reason = "stayed green: x one row late"},
        {.subject = SUBJECT_TOOTH,
         .status = VERDICT_BLIND,
         .chip = "gfx1151",
         .registration = "k",
         .name = "sum_bf16",
         .reason = "no gate catches it at any shape"},
        {.subject = SUBJECT_LIMIT,
         .status = VERDICT_PASS,
         .gate = 5,
         .chip = "gfx1151",
         .registration = "k",
         .reason = "record current"},
        {.subject = SUBJECT_LIMIT,
         .status = VERDICT_LIMIT_PROBLEM,
         .gate = 5,
         .chip = "gfx1151",
         .registration = "k",
         .reason = "record stale: vgprs 205 -> 211"},
    };
    assert_prints(verdicts, sizeof verdicts / sizeof *verdicts, false,
                  "RED   gfx1151 c  as planted, at gate 3: output 0 is 235 times its bound\n"
                  "MISS  gfx1151 c  stayed green: x one row late\n"
                  "BLIND gfx1151 k  tooth sum_bf16: no gate catches it at any shape\n"
                  "LIMIT gfx1151 k  record current\n"
                  "LIMIT gfx1151 k  record stale: vgprs 205 -> 211\n");
}

static void at_most_twenty_failures_then_a_count(void **state)
{
    (void)state;
    struct verdict verdicts[25];
    for (int i = 0; i < 25; i++)
        verdicts[i] = (struct verdict){GATE_OF(3, "1x128"), .status = VERDICT_FAIL, .reason = "red", .worst.index = -1};
    char *text = printed(verdicts, 25, true);
    int lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    assert_int_equal(lines, 21);
    assert_non_null(strstr(text, "and 5 more failures"));
    free(text);
}

static void summary_line_is_last_and_stable(void **state)
{
    (void)state;
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    struct console console = {.out = out};
    struct counts counts = {.n_chips = 1,
                            .chips = {{.chip = "gfx1151",
                                       .n_kernels = 169,
                                       .n_pass = 169,
                                       .n_known = 2,
                                       .n_controls = 44,
                                       .n_red = 44,
                                       .n_limit_problems = 1,
                                       .n_cells_run = 838,
                                       .n_cells_modelled = 2,
                                       .modelled = "v_mfma_f32_16x16x32_f16",
                                       .n_cells_not_run = 5,
                                       .gates_ns = 444983123456,
                                       .limits_ns = 2447000000}}};
    console_summary(&console, &counts, false);
    console_free(&console);
    fclose(out);
    assert_string_equal(
        text, "COVERAGE gfx1151 169 kernels x gates 1-5: 838 run, 2 modelled, 5 not run; modelled: "
              "v_mfma_f32_16x16x32_f16\n"
              "SUMMARY gfx1151 169 kernels: 169 pass gates 1-4, 0 fail, 2 known findings; 44 controls: 44 red as planted, "
              "0 missed; 1 limit problems; gates 444983 ms, limits 2447 ms\n");
    free(text);
}

/* What a run of that one verdict prints, its summary too; freed by the caller. */
static char *run_of(const struct verdict *v, bool color)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    struct console console = {.out = out, .color = color};
    struct counts counts = {0};
    counts_sink(&counts).verdict(&counts, v);
    console_sink(&console).verdict(&console, v);
    console_summary(&console, &counts, false);
    console_free(&console);
    fclose(out);
    return text;
}

/* The first of a registration says all of its diagnosis, the others what the pattern tells; the end repeats that. */
static void a_failing_bound_shows_its_diagnosis(void **state)
{
    (void)state;
    struct diagnosed_output output = {2, 1, 0x3f800000, 1, 0.5, 0.25, 2, 4194304};
    struct verdict v = {GATE_OF(3, "4x2"), .status = VERDICT_FAIL, .reason = "red", .worst.index = -1,
                        .diagnosis = {"y", "f32", 4, 2, 1, output, output, {output}, 1, "they are 0"}};
    struct verdict verdicts[] = {v, v, v};
    *verdicts[2].diagnosis.guess = '\0';
    assert_prints(verdicts, 3, false,
                  "FAIL  gfx1151 tf_exl3_rot_in  gate 3 at 4x2: red\n"
                  "      worst  y[2][1]  got 1 = 0x3f800000, reference 0.5, bound 0.25: 2 bounds, 4.194e+06 ulps\n"
                  "      guess: they are 0\n"
                  "FAIL  gfx1151 tf_exl3_rot_in  gate 3 at 4x2: red\n"
                  "      guess: they are 0\n"
                  "FAIL  gfx1151 tf_exl3_rot_in  gate 3 at 4x2: red\n");
    char *text = run_of(&v, false);
    assert_non_null(
        strstr(text, "FAILURES 1\nFAIL  gfx1151 tf_exl3_rot_in  gate 3 at 4x2: red\n      guess: they are 0\n"));
    free(text);
}

/* A control that was not run is neither red nor missed, and no green line. */
static void controls_not_run_are_told_apart(void **state)
{
    (void)state;
    struct verdict v = {.subject = SUBJECT_CONTROL,
                        .status = VERDICT_NOT_RUN,
                        .gate = GATE_BYTES,
                        .chip = "gfx1151",
                        .name = "c",
                        .reason = "its check, race, is not made here"};
    char *text = run_of(&v, true);
    assert_string_equal(
        text,
        "\033[33mSKIP\033[0m  gfx1151 c  its check, race, is not made here\n"
        "COVERAGE gfx1151 0 kernels x gates 1-5: 0 run, 0 modelled, 0 not run\n"
        "SUMMARY gfx1151 0 kernels: 0 pass gates 1-4, 0 fail, 0 known findings; 1 controls: 0 red as planted, 0 missed; "
        "1 not run; 0 limit problems; gates 0 ms, limits 0 ms\n");
    free(text);
}

/* A control that is right on this chip by coincidence is neither red nor missed. */
static void controls_that_must_be_green_are_told_apart(void **state)
{
    (void)state;
    struct verdict v = {.subject = SUBJECT_CONTROL,
                        .status = VERDICT_GREEN,
                        .gate = GATE_BOUND,
                        .chip = "gfx1151",
                        .name = "c",
                        .reason = "right here by coincidence: a width of 64"};
    char *text = run_of(&v, false);
    assert_string_equal(
        text,
        "GREEN gfx1151 c  as it must be here, at gate 3: right here by coincidence: a width of 64\n"
        "COVERAGE gfx1151 0 kernels x gates 1-5: 0 run, 0 modelled, 0 not run\n"
        "SUMMARY gfx1151 0 kernels: 0 pass gates 1-4, 0 fail, 0 known findings; 1 controls: 0 red as planted, 0 missed; "
        "1 green as they must be; 0 limit problems; gates 0 ms, limits 0 ms\n");
    free(text);
}

static void a_byte_contract_left_out_is_no_shape(void **state)
{
    (void)state;
    struct verdict v = {.subject = SUBJECT_GATE, .status = VERDICT_NOT_RUN, .chip = "gfx1151", .shape = "6x50"};
    char *text = run_of(&v, false);
    assert_non_null(strstr(text, "0 not run; 1 shapes left out\n"));
    free(text);
    snprintf(v.name, sizeof v.name, "rows");
    text = run_of(&v, false);
    assert_non_null(strstr(text, "0 not run; 1 byte contracts left out\n"));
    free(text);
}

static void time_left_follows_the_share_done(void **state)
{
    (void)state;
    char text[16];
    progress_left(0, 1000000000, text);
    assert_string_equal(text, "");
    progress_left(0.25, 10000000000, text);
    assert_string_equal(text, "0:30");
    progress_left(0.5, 3661000000000, text);
    assert_string_equal(text, "1:01:01");
}

/* Registrations that passed and failed, the share of all chips, and the time that the rest takes. */
static void status_line_counts_registrations(void **state)
{
    (void)state;
    char line[PROGRESS_COLUMNS];
    struct progress progress = progress_begin(stderr, true);
    struct verdict_sink counts = progress_counts(&progress);
    static const enum verdict_status statuses[] = {VERDICT_PASS, VERDICT_FAIL, VERDICT_KNOWN_FINDING, VERDICT_INVALID,
                                                   VERDICT_PASS};
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        struct verdict v = {.gate = GATE_BYTES, .status = statuses[i]}, after = {.gate = GATE_BOUND};
        counts.verdict(counts.context, &v);
        counts.verdict(counts.context, &after);
        counts.registration_end(counts.context, &(struct registration_end){.registration = "k", .chip = "gfx1151"});
    }
    progress.part = 1;
    progress.n_parts = 2;
    progress_line(&progress, "k", "1x33", 0.5, 30000000000, 150, line);
    assert_string_equal(line, "[###############.....]  75 %  0:10 left  3 passed, 2 failed  k 1x33");
    progress_line(&progress, "k", "1x33", 0.5, 30000000000, 30, line);
    assert_string_equal(line, "[###############.....]  75 %  ");
    progress_line(&progress, "k", "1x33", 0.5, 30000000000, 10000, line);
    assert_int_equal(strlen(line), strlen("[###############.....]  75 %  0:10 left  3 passed, 2 failed  k 1x33"));
}

static void no_status_line_in_a_pipe(void **state)
{
    (void)state;
    for (int is_terminal = 0; is_terminal < 2; is_terminal++) {
        char *text = NULL;
        size_t length;
        FILE *out = open_memstream(&text, &length);
        struct progress progress = progress_begin(out, is_terminal);
        progress.last_ns -= 3600000000000;
        struct progress_sink sink = progress_sink(&progress);
        sink.step(sink.context, "k", "1x33", 0.5);
        progress_clear(&progress);
        fclose(out);
        assert_int_equal(strstr(text, "k 1x33") != NULL, is_terminal);
        assert_int_equal(length > 0, is_terminal);
        free(text);
    }
}

/* The lines that tools read last stay last. */
static void failures_are_repeated_before_the_summary(void **state)
{
    (void)state;
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    struct log_environment environment = {.seed = 1, .n_runs = 5};
    struct console console = {.out = out, .failures.environment = &environment};
    struct counts counts = {0};
    struct verdict_sink sinks[] = {counts_sink(&counts), console_sink(&console)};
    struct verdict verdicts[] = {
        {GATE_OF(3, "1x128"), .status = VERDICT_FAIL, .pattern = "signed", .reason = "red", .worst.index = -1},
        {GATE_OF(4, "1x128"), .status = VERDICT_KNOWN_FINDING, .reason = "known", .worst.index = -1},
        {.subject = SUBJECT_CONTROL,
         .status = VERDICT_MISS,
         .gate = 3,
         .chip = "gfx1151",
         .registration = "tf_exl3_rot_in",
         .name = "c",
         .reason = "stayed green: x one row late"},
    };
    for (size_t i = 0; i < 3; i++)
        for (size_t s = 0; s < 2; s++)
            sinks[s].verdict(sinks[s].context, &verdicts[i]);
    console_sink(&console).registration_end(
        &console, &(struct registration_end){.registration = "tf_exl3_rot_in", .chip = "gfx1151"});
    fflush(out);
    size_t decided = length;
    console_summary(&console, &counts, false);
    console_free(&console);
    fclose(out);
    static const char expected[] =
        "FAILURES 2\n"
        "FAIL  gfx1151 tf_exl3_rot_in  gate 3 at 1x128 (signed): red\n"
        "      hipcontract run tf_exl3_rot_in --shape 1x128 --pattern signed --chip gfx1151 --seed 1 --runs 5\n"
        "MISS  gfx1151 c  stayed green: x one row late\n"
        "      hipcontract gates --only tf_exl3_rot_in --chip gfx1151 --seed 1 --runs 5\n"
        "COVERAGE gfx1151 ";
    assert_int_equal(strncmp(text + decided, expected, strlen(expected)), 0);
    free(text);
}

/* A launcher's checks have a list of their own in the line, and name themselves when red. */
static void launcher_checks_are_named(void **state)
{
    (void)state;
    char *line;
    size_t n_bytes;
    FILE *out = open_memstream(&line, &n_bytes);
    struct console console = {.out = out};
    struct verdict_sink sink = console_sink(&console);
    struct verdict v = {.gate = GATE_BYTES, .chip = "gfx1151", .registration = "k", .shape = "1x1", .worst.index = -1};
    v.n_runs = 5;
    sink.verdict(sink.context, &v);
    snprintf(v.name, sizeof v.name, "rows");
    v.status = VERDICT_PASS;
    sink.verdict(sink.context, &v);
    snprintf(v.name, sizeof v.name, "devices");
    sink.verdict(sink.context, &v);
    snprintf(v.name, sizeof v.name, "wave size");
    v.status = VERDICT_NOT_RUN;
    sink.verdict(sink.context, &v);
    sink.registration_end(sink.context, &(struct registration_end){.registration = "k", .chip = "gfx1151"});
    snprintf(v.name, sizeof v.name, "devices");
    v.status = VERDICT_FAIL;
    snprintf(v.reason, sizeof v.reason, "run 3 on device 1: wrong");
    sink.verdict(sink.context, &v);
    console_free(&console);
    fclose(out);
    assert_non_null(strstr(line, ", guards intact, bytes: rows, launcher: devices (1 left out); gate 2: "));
    assert_non_null(strstr(line, "\nFAIL  gfx1151 k  launcher, devices: gate 1 at 1x1: run 3 on device 1: wrong\n"));
    free(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pass_line),
        cmocka_unit_test(pass_line_names_the_twin),
        cmocka_unit_test(pass_line_names_the_byte_contracts_that_held),
        cmocka_unit_test(pass_line_claims_nothing_that_a_known_finding_denies),
        cmocka_unit_test(broken_byte_contract_lines),
        cmocka_unit_test(fail_line_has_bits_reference_and_bound),
        cmocka_unit_test(nan_has_no_sign_in_a_line),
        cmocka_unit_test(failed_launch_line),
        cmocka_unit_test(died_lines),
        cmocka_unit_test(red_miss_blind_and_limit_lines),
        cmocka_unit_test(at_most_twenty_failures_then_a_count),
        cmocka_unit_test(summary_line_is_last_and_stable),
        cmocka_unit_test(a_failing_bound_shows_its_diagnosis),
        cmocka_unit_test(controls_not_run_are_told_apart),
        cmocka_unit_test(controls_that_must_be_green_are_told_apart),
        cmocka_unit_test(a_byte_contract_left_out_is_no_shape),
        cmocka_unit_test(time_left_follows_the_share_done),
        cmocka_unit_test(status_line_counts_registrations),
        cmocka_unit_test(no_status_line_in_a_pipe),
        cmocka_unit_test(failures_are_repeated_before_the_summary),
        cmocka_unit_test(launcher_checks_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
