/*
 * One wave from text to registers: decode, run loop, endings.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/wave_runner.h"

/* An unimplemented instruction must end the wave with a finding that names it, never be skipped. */
static void unknown_instruction_is_a_finding(void **state)
{
    (void)state;
    struct wave_runner *runner = wave_runner_open("gfx1151", 32);
    assert_false(wave_runner_run(runner, "exp mrt0 v0, v1, v2, v3 done"));
    assert_int_equal(runner->findings[0].kind, FINDING_UNSUPPORTED);
    assert_non_null(strstr(runner->findings[0].text, "exp mrt0 v0"));
    wave_runner_close(runner);
}

/* An undecodable dword is swept over; it is a finding only when executed. */
static void undecodable_dword_is_a_finding_when_executed(void **state)
{
    (void)state;
    struct wave_runner *runner = wave_runner_open("gfx1151", 32);
    assert_true(wave_runner_run_hex(runner, "0000b0bf"
                                            "ffffffff"));
    assert_false(wave_runner_run_hex(runner, "ffffffff"
                                             "0000b0bf"));
    assert_int_equal(runner->findings[0].kind, FINDING_UNSUPPORTED);
    wave_runner_close(runner);
}

static void running_off_the_end_is_a_trap(void **state)
{
    (void)state;
    struct wave_runner *runner = wave_runner_open("gfx1151", 32);
    assert_false(wave_runner_run_hex(runner, "000080bf")); /* s_nop 0 */
    assert_int_equal(runner->findings[0].kind, FINDING_TRAP);
    wave_runner_close(runner);
}

/* __builtin_trap ends the launch; __builtin_debugtrap is nothing without a debugger. */
static void only_the_debug_trap_goes_on(void **state)
{
    (void)state;
    struct wave_runner *runner = wave_runner_open("gfx1151", 32);
    assert_true(wave_runner_run(runner, "s_trap 3\ns_mov_b32 s0, 7"));
    assert_int_equal(runner->wave.sgpr[0], 7);
    assert_false(wave_runner_run(runner, "s_trap 2\ns_mov_b32 s0, 8"));
    assert_int_equal(runner->findings[0].kind, FINDING_TRAP);
    assert_int_equal(runner->wave.sgpr[0], 7);
    wave_runner_close(runner);
}

static void waits_and_hints_do_nothing(void **state)
{
    (void)state;
    struct wave_runner *runner = wave_runner_open("gfx1151", 32);
    assert_true(wave_runner_run(runner, "s_nop 3\ns_waitcnt vmcnt(0) lgkmcnt(2)\ns_waitcnt_vscnt null, 0\n"
                                        "s_delay_alu instid0(VALU_DEP_1)\ns_clause 0x3\ns_sleep 1"));
    assert_int_equal(runner->wave.n_executed, 7);
    wave_runner_close(runner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_instruction_is_a_finding), cmocka_unit_test(undecodable_dword_is_a_finding_when_executed),
        cmocka_unit_test(running_off_the_end_is_a_trap),    cmocka_unit_test(only_the_debug_trap_goes_on),
        cmocka_unit_test(waits_and_hints_do_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
