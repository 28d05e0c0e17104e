/*
 * `hipcontract disasm`: what it prints for a compiled file of kernels, and how it refuses other files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "commands/commands.h"
#include "contract/base/file.h"
#include "toolchain/toolchain.h"

/* Runs the command with one argument and gives back its exit status and what it printed; the caller frees *output. */
static int run_disasm(const char *argument, char **output)
{
    char path[] = "/tmp/test_disasm_XXXXXX";
    int file = mkstemp(path), saved = dup(STDOUT_FILENO);
    size_t n_bytes;
    struct error error;
    assert_true(file >= 0 && saved >= 0);
    fflush(stdout);
    dup2(file, STDOUT_FILENO);
    int status = command_disasm(2, (char *[]){"disasm", (char *)(uintptr_t)argument, NULL});
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    close(file);
    assert_true(file_read(path, output, &n_bytes, &error));
    unlink(path);
    return status;
}

static void compile_everyday(const char *chip, const char *path)
{
    struct error error;
    struct compiled compiled;
    struct toolchain *toolchain = toolchain_open(NULL, &error);
    assert_non_null(toolchain);
    struct compile_request request = {.source_path = "tests/kernels/everyday.hip", .family = "everyday", .chip = chip};
    if (!toolchain_compile(toolchain, &request, &compiled, &error))
        fail_msg("%s", error.text);
    assert_true(file_write(path, compiled.bytes, compiled.n_bytes, &error));
    compiled_free(&compiled);
    toolchain_close(toolchain);
}

struct tally {
    unsigned n_functions, n_instructions, n_marked;
};

static struct tally tally_lines(char *output, char last_line[200])
{
    struct tally tally = {0};
    char *rest;
    for (char *line = strtok_r(output, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        tally.n_functions += line[strlen(line) - 1] == ':';
        tally.n_instructions += !strncmp(line, "  +0x", 5);
        tally.n_marked += !strncmp(line, "  +0x", 5) && line[11] == '!';
        snprintf(last_line, 200, "%s", line);
    }
    return tally;
}

/* The closing count is what was printed, and everything that the everyday kernels compile to is implemented on gfx1151. */
static void every_instruction_is_printed_and_counted(void **state)
{
    (void)state;
    char path[] = "/tmp/test_disasm_code_XXXXXX", last_line[200] = "", expected[200], *output;
    close(mkstemp(path));
    compile_everyday("gfx1151", path);
    assert_int_equal(run_disasm(path, &output), STATUS_OK);
    assert_non_null(strstr(output, "s_endpgm"));
    struct tally tally = tally_lines(output, last_line);
    assert_true(tally.n_functions >= 12);
    assert_true(tally.n_instructions > 10 * tally.n_functions);
    assert_int_equal(tally.n_marked, 0);
    snprintf(expected, sizeof expected, "%u instructions, 0 not implemented", tally.n_instructions);
    assert_string_equal(last_line, expected);
    free(output);
    unlink(path);
}

static void other_files_are_refused(void **state)
{
    (void)state;
    char *output;
    assert_int_equal(run_disasm("Makefile", &output), STATUS_USAGE);
    assert_string_equal(output, "");
    free(output);
    assert_int_equal(run_disasm("/nonexistent/k.co", &output), STATUS_USAGE);
    free(output);
    assert_int_equal(run_disasm("--colour", &output), STATUS_USAGE);
    free(output);
}

static void help_names_the_exit_statuses(void **state)
{
    (void)state;
    char *output;
    assert_int_equal(run_disasm("--help", &output), STATUS_OK);
    assert_non_null(strstr(output, "usage: hipcontract disasm"));
    assert_non_null(strstr(output, "Exit status: 0"));
    free(output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction_is_printed_and_counted),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(help_names_the_exit_statuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
