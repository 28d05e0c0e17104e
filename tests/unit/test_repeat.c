/* The command that repeats a verdict is one that the program takes, and asks for what the verdict is of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wordexp.h>

#include <cmocka.h>

#include "commands/options.h"
#include "reports/failures.h"

static const struct log_environment usual = {.device = "emulator",
                                             .checks = "mem init race sync wait",
                                             .matrix_model = "chip",
                                             .scope = "default",
                                             .seed = 7,
                                             .n_runs = 5};

static struct verdict red_case(void)
{
    return (struct verdict){.subject = SUBJECT_GATE,
                            .status = VERDICT_FAIL,
                            .gate = GATE_BOUND,
                            .chip = "gfx942",
                            .device = "emulator",
                            .registration = "k",
                            .shape = "2x33",
                            .pattern = "signed"};
}

/* The command as a shell splits it and as the program reads it. */
struct read_back {
    char *command;
    wordexp_t words;
    struct arguments arguments;
};

static struct read_back read_back(const struct verdict *v, const struct log_environment *environment, int command_mask)
{
    struct text text = {0};
    struct read_back read = {0};
    struct error error = {0};
    repeat_command(v, environment, &text);
    read.command = text.data;
    assert_int_equal(wordexp(text.data, &read.words, WRDE_NOCMD | WRDE_UNDEF), 0);
    assert_true(read.words.we_wordc > 2);
    assert_string_equal(read.words.we_wordv[0], "hipcontract");
    if (!arguments_parse((int)read.words.we_wordc - 1, read.words.we_wordv + 1, command_mask, &read.arguments, &error))
        fail_msg("%s: %s", text.data, error.text);
    return read;
}

static void read_free(struct read_back *read)
{
    wordfree(&read->words);
    free(read->command);
}

static void a_case_is_run_again(void **state)
{
    (void)state;
    struct verdict v = red_case();
    struct read_back read = read_back(&v, &usual, FOR_RUN);
    assert_string_equal(read.arguments.command, "run");
    assert_string_equal(read.arguments.kernel, "k");
    assert_string_equal(read.arguments.shape, "2x33");
    assert_int_equal(read.arguments.pattern, REG_PATTERN_SIGNED);
    assert_int_equal(read.arguments.n_chips, 1);
    assert_string_equal(read.arguments.chips[0], "gfx942");
    assert_int_equal(read.arguments.seed, 7);
    assert_int_equal(read.arguments.n_runs, 5);
    assert_int_equal(read.arguments.schedule, 0);
    assert_int_equal(read.arguments.checks, CHECKS_ALL);
    assert_null(strstr(read.command, "--check"));
    read_free(&read);
}

static void a_schedule_is_that_of_the_red_launch(void **state)
{
    (void)state;
    struct verdict v = red_case();
    v.gate = GATE_BYTES;
    v.schedule = 0xfedcba9876543211;
    struct read_back read = read_back(&v, &usual, FOR_RUN);
    assert_true(read.arguments.schedule == v.schedule);
    read_free(&read);
}

static void what_is_not_the_default_of_a_run_is_asked_for(void **state)
{
    (void)state;
    struct log_environment environment = usual;
    struct verdict v = red_case();
    environment.checks = "mem wait";
    environment.matrix_model = "ieee";
    environment.n_devices = 3;
    environment.n_runs = 9;
    environment.kernels = "./a.so,b dir/b.so";
    struct read_back read = read_back(&v, &environment, FOR_RUN);
    assert_int_equal(read.arguments.checks, 1u << FINDING_MEM | 1u << FINDING_WAIT);
    assert_int_equal(read.arguments.matrix_model, MATRIX_MODEL_IEEE);
    assert_int_equal(read.arguments.n_devices, 3);
    assert_int_equal(read.arguments.n_runs, 9);
    assert_int_equal(read.arguments.n_kernel_files, 2);
    assert_string_equal(read.arguments.kernel_files[0], "./a.so");
    assert_string_equal(read.arguments.kernel_files[1], "b dir/b.so");
    read_free(&read);
    environment.checks = "none";
    read = read_back(&v, &environment, FOR_RUN);
    assert_int_equal(read.arguments.checks, 0);
    read_free(&read);
}

static void a_gpu_is_asked_for_without_options_of_the_emulator(void **state)
{
    (void)state;
    struct log_environment environment = {.device = "rocm", .scope = "default", .seed = 1, .n_runs = 5};
    struct verdict v = red_case();
    struct read_back read = read_back(&v, &environment, FOR_RUN);
    assert_true(read.arguments.on_gpu);
    read_free(&read);
}

static void words_survive_a_shell(void **state)
{
    (void)state;
    static const char *const labels[] = {"k 128", "it's", "$HOME", "a;b", "*", "\"q\"", "#1"};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        struct verdict v = red_case();
        snprintf(v.shape, sizeof v.shape, "%s", labels[i]);
        struct read_back read = read_back(&v, &usual, FOR_RUN);
        assert_string_equal(read.arguments.shape, labels[i]);
        read_free(&read);
    }
}

/* It brings its shape and pattern; a launcher's check has those of its case. */
static void a_byte_contract_is_run_by_name_and_a_launchers_check_by_its_shape(void **state)
{
    (void)state;
    struct verdict v = red_case();
    snprintf(v.name, sizeof v.name, "rows");
    struct read_back read = read_back(&v, &usual, FOR_RUN);
    assert_string_equal(read.arguments.bytes, "rows");
    assert_null(read.arguments.shape);
    assert_int_equal(read.arguments.pattern, REG_PATTERN_COUNT);
    read_free(&read);
    snprintf(v.name, sizeof v.name, "%s", reg_launcher_check_name(REG_LAUNCHER_WAVE));
    read = read_back(&v, &usual, FOR_RUN);
    assert_null(read.arguments.bytes);
    assert_string_equal(read.arguments.shape, "2x33");
    read_free(&read);
}

/* A control, a tooth, a known finding, and a proof that took all shapes. */
static void what_is_of_no_case_repeats_the_registration(void **state)
{
    (void)state;
    static const enum verdict_subject subjects[] = {SUBJECT_CONTROL, SUBJECT_TOOTH, SUBJECT_KNOWN, SUBJECT_GATE};
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        struct log_environment environment = usual;
        struct verdict v = red_case();
        v.subject = subjects[i];
        environment.scope = "quick";
        if (v.subject == SUBJECT_GATE)
            *v.shape = *v.pattern = '\0';
        else
            snprintf(v.name, sizeof v.name, "c");
        struct read_back read = read_back(&v, &environment, FOR_CONTRACT);
        assert_string_equal(read.arguments.command, "gates");
        assert_int_equal(read.arguments.n_only, 1);
        assert_string_equal(read.arguments.only[0], "k");
        assert_string_equal(read.arguments.chips[0], "gfx942");
        assert_true(read.arguments.quick);
        assert_int_equal(read.arguments.seed, 7);
        read_free(&read);
    }
}

static void a_limit_repeats_gate_5(void **state)
{
    (void)state;
    struct log_environment environment = usual;
    struct verdict v = {.subject = SUBJECT_LIMIT, .gate = GATE_LIMITS, .chip = "gfx90a", .registration = "k_tiled"};
    environment.kernels = "a.so";
    struct read_back read = read_back(&v, &environment, FOR_LIMITS);
    assert_string_equal(read.arguments.command, "limits");
    assert_string_equal(read.arguments.only[0], "k_tiled");
    assert_string_equal(read.arguments.chips[0], "gfx90a");
    assert_string_equal(read.arguments.kernel_files[0], "a.so");
    read_free(&read);
}

/* What is printed of failures that were noted; freed by the caller. */
static char *printed(struct failures *failures)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    failures_print(failures, out);
    fclose(out);
    failures_free(failures);
    return text;
}

static int count_of(const char *text, const char *what)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at += strlen(what))
        n++;
    return n;
}

static void what_does_not_fail_is_not_repeated(void **state)
{
    (void)state;
    for (int status = 0; status < VERDICT_STATUS_COUNT; status++) {
        struct failures failures = {0};
        struct verdict v = red_case();
        v.status = (enum verdict_status)status;
        failures_note(&failures, &v, "FAIL  k");
        char *text = printed(&failures);
        assert_int_equal(strlen(text) > 0, verdict_exit(&v) != STATUS_OK);
        free(text);
    }
}

static void a_failure_is_followed_by_its_command(void **state)
{
    (void)state;
    struct failures failures = {.environment = &usual};
    struct verdict v = red_case();
    failures_note(&failures, &v, "FAIL  gfx942 k  gate 3 at 2x33 (signed): red");
    char *text = printed(&failures);
    assert_string_equal(text, "FAILURES 1\nFAIL  gfx942 k  gate 3 at 2x33 (signed): red\n"
                              "      hipcontract run k --shape 2x33 --pattern signed --chip gfx942 --seed 7 --runs 5\n");
    free(text);
}

/* One broken kernel does not hide the others. */
static void a_registration_takes_a_few_lines_and_a_count(void **state)
{
    (void)state;
    struct failures failures = {.environment = &usual};
    struct verdict v = red_case();
    for (int i = 0; i < FAILURES_EACH + 4; i++)
        failures_note(&failures, &v, "FAIL  first");
    snprintf(v.registration, sizeof v.registration, "other");
    failures_note(&failures, &v, "FAIL  second");
    char *text = printed(&failures);
    assert_int_equal(count_of(text, "FAIL  first"), FAILURES_EACH);
    assert_int_equal(count_of(text, "FAIL  second"), 1);
    assert_int_equal(count_of(text, "      and 4 more of k on gfx942\n"), 1);
    assert_int_equal(count_of(text, " more of other"), 0);
    assert_int_equal(strncmp(text, "FAILURES 8\n", 11), 0);
    free(text);
}

static void so_many_failures_and_no_more(void **state)
{
    (void)state;
    struct failures failures = {0};
    struct verdict v = red_case();
    for (int i = 0; i < FAILURES_ALL + 9; i++) {
        snprintf(v.registration, sizeof v.registration, "k%d", i);
        failures_note(&failures, &v, "FAIL  red");
    }
    char *text = printed(&failures);
    assert_int_equal(count_of(text, "FAIL  red\n"), FAILURES_ALL);
    assert_int_equal(count_of(text, "FAILURES 109\n"), 1);
    assert_int_equal(count_of(text, "      only 100 of them are repeated here\n"), 1);
    assert_int_equal(count_of(text, " more of "), 0);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_case_is_run_again),
        cmocka_unit_test(a_schedule_is_that_of_the_red_launch),
        cmocka_unit_test(what_is_not_the_default_of_a_run_is_asked_for),
        cmocka_unit_test(a_gpu_is_asked_for_without_options_of_the_emulator),
        cmocka_unit_test(words_survive_a_shell),
        cmocka_unit_test(a_byte_contract_is_run_by_name_and_a_launchers_check_by_its_shape),
        cmocka_unit_test(what_is_of_no_case_repeats_the_registration),
        cmocka_unit_test(a_limit_repeats_gate_5),
        cmocka_unit_test(what_does_not_fail_is_not_repeated),
        cmocka_unit_test(a_failure_is_followed_by_its_command),
        cmocka_unit_test(a_registration_takes_a_few_lines_and_a_count),
        cmocka_unit_test(so_many_failures_and_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
