/* Notes of what was compared (tests/support/evidence.h): instructions that did not run leave none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "contract/base/file.h"
#include "tests/support/kernel_module.h"
#include "tests/support/wave_runner.h"

static char notes_path[32];

/* What was noted since the last call; the caller frees. */
static char *take_notes(void)
{
    char *text;
    size_t n_bytes;
    struct error error;
    if (!file_read(notes_path, &text, &n_bytes, &error))
        fail_msg("%s", error.text);
    assert_int_equal(truncate(notes_path, 0), 0);
    return text;
}

static void code_behind_a_branch_is_not_noted(void **state)
{
    (void)state;
    struct wave_runner *runner = wave_runner_open("gfx90a", 64);
    assert_non_null(runner);
    assert_true(wave_runner_load(runner, "s_cmp_eq_u32 s0, s0\ns_cbranch_scc1 last\nv_add_u32_e32 v0, v1, v2\nlast:\n"
                                         "v_xor_b32_e32 v0, v1, v2\ns_endpgm\ns_trap 2\n"));
    char *notes = take_notes();
    assert_string_equal(notes, "");
    free(notes);
    assert_true(wave_runner_run_next(runner));
    wave_runner_close(runner);
    notes = take_notes();
    assert_string_equal(notes, "gfx90a s_cmp_eq_u32 test_evidence\ngfx90a s_cbranch_scc1 test_evidence\n"
                               "gfx90a v_xor_b32 test_evidence\ngfx90a s_endpgm test_evidence\n");
    free(notes);
}

static void code_that_ended_in_a_finding_is_not_noted(void **state)
{
    (void)state;
    struct wave_runner *runner = wave_runner_open("gfx1151", 32);
    assert_non_null(runner);
    assert_false(wave_runner_run(runner, "v_xor_b32_e32 v0, v1, v2\ns_trap 2"));
    wave_runner_close(runner);
    char *notes = take_notes();
    assert_string_equal(notes, "");
    free(notes);
}

static struct kernel_module open_everyday(void)
{
    struct kernel_module module;
    const struct kernel_build build = {.chip = "gfx1151", .optimisation = "-O3"};
    assert_true(kernel_module_open(&module, "tests/kernels/everyday.hip", &build, 1));
    return module;
}

static bool call_saxpy(struct kernel_module *module, const char *name)
{
    float x[3] = {1, 2, 3}, y[3] = {4, 5, 6};
    const struct kernel_call call = {.kernel = name,
                                     .block = {3},
                                     .buffers = {{x, sizeof x}, {y, sizeof y}},
                                     .scalars = {0x40000000, 3},
                                     .n_scalars = 2};
    return kernel_module_call(module, &call);
}

/* Of the file's kernels, others use LDS. */
static void only_kernels_that_were_called_are_noted(void **state)
{
    (void)state;
    struct kernel_module module = open_everyday();
    assert_true(call_saxpy(&module, "saxpy"));
    kernel_module_close(&module);
    char *notes = take_notes();
    assert_non_null(strstr(notes, "gfx1151 global_store_b32 test_evidence\n"));
    assert_null(strstr(notes, "gfx1151 ds_"));
    free(notes);
}

static void a_module_with_a_call_that_failed_is_not_noted(void **state)
{
    (void)state;
    struct kernel_module module = open_everyday();
    assert_true(call_saxpy(&module, "saxpy"));
    assert_false(call_saxpy(&module, "no_such_kernel"));
    kernel_module_close(&module);
    char *notes = take_notes();
    assert_string_equal(notes, "");
    free(notes);
}

static int open_notes(void **state)
{
    (void)state;
    strcpy(notes_path, "/tmp/evidence_XXXXXX");
    int file = mkstemp(notes_path);
    return file < 0 || close(file) != 0 || setenv("HIPCONTRACT_EVIDENCE", notes_path, 1) != 0;
}

static int close_notes(void **state)
{
    (void)state;
    return unlink(notes_path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_behind_a_branch_is_not_noted),
        cmocka_unit_test(code_that_ended_in_a_finding_is_not_noted),
        cmocka_unit_test(only_kernels_that_were_called_are_noted),
        cmocka_unit_test(a_module_with_a_call_that_failed_is_not_noted),
    };
    return cmocka_run_group_tests(tests, open_notes, close_notes);
}
