/*
 * Instructions that rest on an assumption: which they are on a chip, which of a kernel's code, and what becomes of them in
 * the counts of a run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contract/counts.h"
#include "device/emulator/modelled.h"
#include "tests/support/wave_runner.h"

static const struct modelled *find(const char *chip, const char *mnemonic)
{
    return modelled_find(chip_find(chip), mnemonic);
}

/* The rule of gfx942's matrix instructions was fitted to silicon, gfx950's was not; integers need no rule. */
static void a_row_holds_for_its_families_alone(void **state)
{
    (void)state;
    assert_non_null(find("gfx950", "v_mfma_f32_16x16x16_f16"));
    assert_null(find("gfx942", "v_mfma_f32_16x16x16_f16"));
    assert_null(find("gfx950", "v_mfma_i32_16x16x32_i8"));
    assert_null(find("gfx1151", "v_wmma_f32_16x16x16_f16"));
    assert_null(find("gfx1151", "v_fma_f32"));
    assert_true(find("gfx90a", "v_exp_f32")->bounded);
    static const char *const unbounded[] = {"v_log_f32", "v_sin_f32", "v_cos_f16", "v_s_log_f16"};
    for (size_t i = 0; i < sizeof unbounded / sizeof *unbounded; i++)
        assert_false(find("gfx1201", unbounded[i])->bounded);
}

/* A row that fits no instruction of the opcode table is a slip of the pen. */
static void every_row_fits_an_instruction(void **state)
{
    (void)state;
    size_t n_rows, n_opcodes;
    const struct modelled *rows = modelled_table(&n_rows);
    const struct opcode *opcodes = opcode_table(&n_opcodes);
    for (size_t i = 0; i < n_rows; i++) {
        bool used = false;
        for (size_t k = 0; k < n_opcodes && !used; k++)
            for (enum chip_family family = 0; family <= CHIP_CDNA4; family++) {
                const struct chip chip = {.family = family};
                used |= modelled_find(&chip, opcodes[k].mnemonic) == &rows[i];
            }
        if (!used)
            fail_msg("no instruction falls under %s", rows[i].pattern);
    }
}

static const char program[] = "v_exp_f32 v1, v1\n"
                              "v_dot2_f32_f16 v2, v3, v4, v5\n"
                              "v_dot2_f32_f16 v2, v3, v4, v5\n"
                              "v_dot2c_f32_f16 v2, v3, v4\n";

static void code_names_each_modelled_instruction_once(void **state)
{
    (void)state;
    char text[200];
    struct wave_runner *runner = wave_runner_open("gfx950", 64);
    assert_true(wave_runner_load(runner, program));
    /* 4 bytes of v_exp, 8 of each dot2, 4 of the last. */
    assert_int_equal(modelled_in_code(&runner->code, 0, 24, text, sizeof text), 2);
    assert_string_equal(text, "v_dot2_f32_f16, v_dot2c_f32_f16");
    assert_int_equal(modelled_in_code(&runner->code, 0, 4, text, sizeof text), 0);
    assert_string_equal(text, "");
    wave_runner_close(runner);
}

/* What a function calls may lie anywhere in the code. */
static void a_call_takes_in_all_code(void **state)
{
    (void)state;
    char text[200];
    struct wave_runner *runner = wave_runner_open("gfx950", 64);
    assert_true(wave_runner_load(runner, "s_swappc_b64 s[30:31], s[4:5]\nv_dot2_f32_f16 v2, v3, v4, v5\n"));
    assert_int_equal(modelled_in_code(&runner->code, 0, 4, text, sizeof text), 1);
    wave_runner_close(runner);
}

/* Nothing is known of a function whose symbol is stripped, nor of one that jumps to another or branches there. */
static void unknown_code_takes_in_all_code(void **state)
{
    (void)state;
    char text[200];
    struct wave_runner *runner = wave_runner_open("gfx950", 64);
    assert_true(wave_runner_load(runner, program));
    assert_int_equal(modelled_in_code(&runner->code, 0, 0, text, sizeof text), 2);
    assert_int_equal(modelled_in_code(&runner->code, 8, 4, text, sizeof text), 2); /* no instruction starts there */
    assert_true(wave_runner_load(runner, "s_setpc_b64 s[4:5]\nv_dot2_f32_f16 v2, v3, v4, v5\n"));
    assert_int_equal(modelled_in_code(&runner->code, 0, 4, text, sizeof text), 1);
    assert_true(wave_runner_load(runner, "s_branch 1\ns_nop 0\nv_dot2_f32_f16 v2, v3, v4, v5\n"));
    assert_int_equal(modelled_in_code(&runner->code, 0, 8, text, sizeof text), 1);
    assert_int_equal(modelled_in_code(&runner->code, 4, 4, text, sizeof text), 0);
    wave_runner_close(runner);
}

static void names_are_whole_or_left_out(void **state)
{
    (void)state;
    char text[sizeof "v_dot2_f32_f16, v_dot2c_f32_f1"];
    struct wave_runner *runner = wave_runner_open("gfx950", 64);
    assert_true(wave_runner_load(runner, program));
    assert_int_equal(modelled_in_code(&runner->code, 0, 24, text, sizeof text), 1);
    assert_string_equal(text, "v_dot2_f32_f16");
    wave_runner_close(runner);
}

static void put(struct verdict_sink sink, int gate, const char *modelled)
{
    struct verdict v = {.subject = SUBJECT_GATE, .status = VERDICT_PASS, .gate = gate, .chip = "gfx950"};
    strcpy(v.modelled, modelled);
    sink.verdict(sink.context, &v);
}

static void counts_tell_modelled_gates_from_others(void **state)
{
    (void)state;
    struct counts counts = {0};
    struct verdict_sink sink = counts_sink(&counts);
    put(sink, GATE_BYTES, "");
    put(sink, GATE_BOUND, "v_a, v_b");
    put(sink, GATE_EXACT, "v_b");
    sink.registration_end(sink.context, &(struct registration_end){.registration = "kernel", .chip = "gfx950"});
    put(sink, GATE_BOUND, "v_c");
    put(sink, GATE_EXACT, "");
    sink.registration_end(sink.context, &(struct registration_end){.registration = "other", .chip = "gfx950"});
    assert_int_equal(counts.chips[0].n_cells_modelled, 3);
    assert_int_equal(counts.chips[0].n_cells_run, 2);
    assert_string_equal(counts.chips[0].modelled, "v_a, v_b, v_c");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_holds_for_its_families_alone),
        cmocka_unit_test(every_row_fits_an_instruction),
        cmocka_unit_test(code_names_each_modelled_instruction_once),
        cmocka_unit_test(a_call_takes_in_all_code),
        cmocka_unit_test(unknown_code_takes_in_all_code),
        cmocka_unit_test(names_are_whole_or_left_out),
        cmocka_unit_test(counts_tell_modelled_gates_from_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
