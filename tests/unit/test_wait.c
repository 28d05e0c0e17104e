/*
 * The wait check: a register used before the wait that its load needs is found, by each family's counters, and code that
 * waits as it must is not. Each text is a program that runs right on an emulator that has no loads under way.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/emulator/memory_order.h"
#include "device/emulator/sanitizer/sanitizer.h"
#include "tests/support/group_runner.h"
#include "tests/support/kernel_module.h"
#include "tests/support/memory_runner.h"
#include "tests/support/wave_runner.h"

/* s[2:3] and v[10:11] are the address of a buffer, v0 0: a place in LDS or memory. part NULL: nothing to find. */
struct wait_case {
    const char *chip;
    uint32_t n_lanes;
    const char *text, *part;
};

static void hold(const struct wait_case *cases, size_t n_cases)
{
    for (size_t i = 0; i < n_cases; i++) {
        const struct wait_case *c = &cases[i];
        struct memory_runner runner = memory_runner_open(c->chip, c->n_lanes, 1024);
        memory_runner_addresses(&runner, 10, runner.address, 0);
        assert_true(wave_runner_watch(runner.wave, CHECKS_BASIC | 1u << FINDING_WAIT));
        bool clean = wave_runner_run(runner.wave, c->text);
        if (c->part ? clean || !wave_runner_found(runner.wave, FINDING_WAIT, c->part) : !clean)
            fail_msg("%s: %s", c->chip, c->text);
        memory_runner_close(&runner);
    }
}

#define HOLD(cases) hold(cases, sizeof(cases) / sizeof *(cases))

/* The text as a workgroup of n_items: the findings that it has. */
static uint32_t n_findings_of_group(const char *chip, uint32_t n_lanes, uint32_t n_items, const char *text,
                                    const char *part)
{
    uint8_t *bytes;
    size_t n_bytes;
    struct error error;
    struct group_checks *checks;
    assert_true(wave_runner_assemble(chip, n_lanes, text, &bytes, &n_bytes));
    struct group_launch launch = {
        .chip = chip, .n_lanes = n_lanes, .n_items = n_items, .code = bytes, .code_bytes = n_bytes, .lds_bytes = 1024};
    struct group_runner *runner = group_runner_open(&launch, &error);
    assert_non_null(runner);
    free(bytes);
    runner->dispatch.grid[0] = runner->dispatch.grid[1] = runner->dispatch.grid[2] = 1;
    runner->dispatch.checks_wanted = 1u << FINDING_WAIT;
    assert_true(sanitizer_dispatch_open(&runner->dispatch));
    assert_true(sanitizer_group_open(&runner->dispatch, runner->group.n_waves, &checks));
    sanitizer_group_start(&runner->group, checks, NULL);
    group_runner_run(runner);
    uint32_t n = runner->dispatch.n_findings_seen;
    if (n)
        assert_non_null(strstr(runner->findings[0].message, part));
    sanitizer_group_end(&runner->group);
    sanitizer_group_close(checks);
    sanitizer_dispatch_close(&runner->dispatch);
    runner->group.checks = NULL;
    group_runner_close(runner);
    return n;
}

/* One wave alone sees its own writes in order, and a read may stay under way. */
static void a_write_to_lds_that_a_barrier_does_not_wait_for_is_found(void **state)
{
    (void)state;
    static const struct {
        const char *chip, *text;
        uint32_t n_lanes, n_items;
        bool found;
    } cases[] = {
        {"gfx1151", "ds_store_b32 v0, v1\n s_barrier\n s_endpgm", 32, 64, true},
        {"gfx1151", "ds_store_b32 v0, v1\n s_waitcnt lgkmcnt(0)\n s_barrier\n s_endpgm", 32, 64, false},
        {"gfx1151", "ds_store_b32 v0, v1\n s_waitcnt vmcnt(0)\n s_barrier\n s_endpgm", 32, 64, true},
        {"gfx1151", "ds_store_b32 v0, v1\n ds_load_b32 v2, v0\n s_waitcnt lgkmcnt(1)\n s_barrier\n s_endpgm", 32, 64,
         false},
        {"gfx1151", "ds_add_u32 v0, v1\n s_barrier\n s_endpgm", 32, 64, true},
        {"gfx1151", "ds_load_b32 v1, v0\n s_barrier\n s_endpgm", 32, 64, false},
        {"gfx1151", "ds_store_b32 v0, v1\n s_barrier\n s_endpgm", 32, 32, false},
        {"gfx90a", "ds_write_b32 v0, v1\n s_barrier\n s_endpgm", 64, 128, true},
        {"gfx90a", "ds_write_b32 v0, v1\n s_waitcnt lgkmcnt(0)\n s_barrier\n s_endpgm", 64, 128, false},
        {"gfx1201", "ds_store_b32 v0, v1\n s_barrier_signal -1\n s_barrier_wait -1\n s_endpgm", 32, 64, true},
        {"gfx1201", "ds_store_b32 v0, v1\n s_wait_dscnt 0x0\n s_barrier_signal -1\n s_barrier_wait -1\n s_endpgm", 32, 64,
         false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t n = n_findings_of_group(cases[i].chip, cases[i].n_lanes, cases[i].n_items, cases[i].text,
                                         "comes to a barrier before a wait on lgkmcnt (dscnt)");
        if ((n > 0) != cases[i].found)
            fail_msg("%s: %u findings: %s", cases[i].chip, n, cases[i].text);
    }
}

static void a_use_before_the_wait_is_found(void **state)
{
    (void)state;
    static const struct wait_case cases[] = {
        {"gfx1151", 32, "global_load_b32 v1, v0, s[2:3]\n v_mov_b32 v2, v1", "v1 is read before a wait on vmcnt"},
        {"gfx1151", 32, "global_load_b32 v1, v0, s[2:3]\n v_mov_b32 v1, 0", "v1 is overwritten before a wait on vmcnt"},
        {"gfx1151", 32, "global_load_b64 v[2:3], v0, s[2:3]\n s_waitcnt vmcnt(1)\n v_mov_b32 v1, v3", "v3 is read"},
        {"gfx1151", 32, "ds_load_b32 v1, v0\n s_waitcnt vmcnt(0)\n v_mov_b32 v2, v1", "before a wait on lgkmcnt"},
        {"gfx1151", 32, "s_load_b32 s4, s[2:3], 0x0\n s_add_i32 s5, s4, 1", "s4 is read before a wait on lgkmcnt"},
        {"gfx1151", 32,
         "s_load_b64 s[4:5], s[2:3], 0x0\n s_load_b32 s6, s[2:3], 0x8\n s_waitcnt lgkmcnt(1)\n s_mov_b32 s7, s4",
         "s4 is read"}, /* scalar loads come back in any order */
        {"gfx1151", 32, "global_load_b32 v1, v0, s[2:3]\n global_store_b32 v0, v1, s[2:3]", "v1 is read"},
        {"gfx1151", 32, "global_load_d16_hi_b16 v1, v0, s[2:3]\n v_mov_b16 v2.l, v1.h", "v1 is read"},
        {"gfx1151", 32, "global_load_b32 v1, v0, s[2:3]\n v_dual_mov_b32 v2, v0 :: v_dual_mov_b32 v3, v1", "v1 is read"},
        {"gfx1151", 32, "ds_bpermute_b32 v1, v0, v2\n v_mov_b32 v3, v1", "v1 is read before a wait on lgkmcnt"},
        {"gfx90a", 64, "global_load_dword v1, v0, s[2:3]\n v_mov_b32 v2, v1", "v1 is read before a wait on vmcnt"},
        {"gfx90a", 64,
         "global_load_dword v1, v0, s[2:3]\n global_store_dword v0, v3, s[2:3]\n s_waitcnt vmcnt(2)\n v_mov_b32 v2, v1",
         "v1 is read"},
        {"gfx90a", 64, "ds_read_b32 v1, v0\n v_mov_b32 v2, v1", "v1 is read before a wait on lgkmcnt"},
        {"gfx90a", 64,
         "flat_load_dword v1, v[10:11]\n flat_load_dword v2, v[10:11]\n s_waitcnt vmcnt(1) lgkmcnt(1)\n v_mov_b32 v3, v1",
         "v1 is read before a wait on vmcnt"}, /* gfx9: flat accesses come back in any order */
        {"gfx90a", 64, "flat_load_dword v1, v[10:11]\n flat_load_dword v1, v[10:11]",
         "v1 is overwritten before a wait on vmcnt"}, /* so the earlier may land last */
        {"gfx90a", 64, "ds_read_b32 v1, v0\n flat_load_dword v2, v[10:11]\n s_waitcnt lgkmcnt(1)\n v_mov_b32 v3, v1",
         "v1 is read before a wait on lgkmcnt"},
        {"gfx1030", 32, "s_load_dword s4, s[2:3], 0x0\n v_mov_b32 v1, s4", "s4 is read before a wait on lgkmcnt"},
        {"gfx1201", 32, "global_load_b32 v1, v0, s[2:3]\n s_wait_dscnt 0x0\n v_mov_b32 v2, v1",
         "before a wait on vmcnt (loadcnt)"},
        {"gfx1201", 32, "ds_load_b32 v1, v0\n s_wait_loadcnt 0x0\n v_mov_b32 v2, v1", "before a wait on lgkmcnt (dscnt)"},
        {"gfx1201", 32, "s_load_b32 s4, s[2:3], 0x0\n s_wait_dscnt 0x0\n v_mov_b32 v1, s4", "before a wait on kmcnt"},
    };
    HOLD(cases);
}

static void code_that_waits_is_clean(void **state)
{
    (void)state;
    static const struct wait_case cases[] = {
        {"gfx1151", 32, "global_load_b32 v1, v0, s[2:3]\n s_waitcnt vmcnt(0)\n v_mov_b32 v2, v1", NULL},
        {"gfx1151", 32,
         "global_load_b32 v1, v0, s[2:3]\n global_load_b32 v2, v0, s[2:3]\n s_waitcnt vmcnt(1)\n v_mov_b32 v3, v1", NULL},
        {"gfx1151", 32,
         "global_load_b32 v1, v0, s[2:3]\n global_store_b32 v0, v2, s[2:3]\n s_waitcnt vmcnt(0)\n v_mov_b32 v3, v1",
         NULL}, /* stores have a counter of their own */
        {"gfx1151", 32, "global_load_b32 v1, v0, s[2:3]\n global_load_b32 v1, v0, s[2:3]", NULL}, /* in order */
        {"gfx1030", 32, "flat_load_dword v1, v[10:11]\n flat_load_dword v1, v[10:11]", NULL},
        {"gfx90a", 64, "global_load_dword v1, v0, s[2:3]\n global_load_dword v1, v0, s[2:3]", NULL},
        {"gfx1151", 32, "ds_load_b32 v1, v0\n ds_load_b32 v2, v0\n s_waitcnt lgkmcnt(1)\n v_mov_b32 v3, v1", NULL},
        {"gfx1151", 32, "global_load_d16_hi_b16 v1, v0, s[2:3]\n v_mov_b16 v2.l, v1.l", NULL},
        {"gfx1151", 32, "global_load_d16_b16 v1, v0, s[2:3]\n global_load_d16_hi_b16 v1, v0, s[2:3]", NULL},
        {"gfx90a", 64,
         "global_load_dword v1, v0, s[2:3]\n global_store_dword v0, v3, s[2:3]\n s_waitcnt vmcnt(1)\n v_mov_b32 v2, v1",
         NULL},
        {"gfx90a", 64, "s_load_dword s4, s[2:3], 0x0\n s_waitcnt lgkmcnt(0)\n v_mov_b32 v1, s4", NULL},
        {"gfx90a", 64, "flat_load_dword v1, v[10:11]\n s_waitcnt vmcnt(0) lgkmcnt(0)\n v_mov_b32 v2, v1", NULL},
        {"gfx1030", 32, "s_load_dword s4, s[2:3], 0x0\n s_waitcnt lgkmcnt(0)\n v_mov_b32 v1, s4", NULL},
        {"gfx1030", 32,
         "global_load_dword v1, v0, s[2:3]\n flat_load_dword v2, v[10:11]\n s_waitcnt vmcnt(1)\n v_mov_b32 v3, v1", NULL},
        {"gfx1151", 32, "ds_load_b32 v1, v0\n flat_load_b32 v2, v[10:11]\n s_waitcnt lgkmcnt(1)\n v_mov_b32 v3, v1", NULL},
        {"gfx1201", 32,
         "global_load_b32 v1, v0, s[2:3]\n ds_load_b32 v2, v0\n s_wait_loadcnt_dscnt 0x0\n v_add_nc_u32 v3, v1, v2", NULL},
        {"gfx1201", 32, "s_load_b32 s4, s[2:3], 0x0\n s_wait_kmcnt 0x0\n v_mov_b32 v1, s4", NULL},
    };
    HOLD(cases);
}

/* What starts a release: no store of the wave is outstanding. */
static void a_wait_for_all_stores_is_known_on_every_chip(void **state)
{
    (void)state;
    static const struct {
        const char *chip, *text;
        bool waits;
    } waits[] = {
        {"gfx90a", "s_waitcnt vmcnt(0)", true},
        {"gfx90a", "s_waitcnt vmcnt(1)", false},
        {"gfx90a", "s_waitcnt lgkmcnt(0)", false},
        {"gfx90a", "s_waitcnt vmcnt(0) lgkmcnt(0)", true},
        {"gfx1030", "s_waitcnt vmcnt(0)", false},
        {"gfx1030", "s_waitcnt_vscnt null, 0x0", true},
        {"gfx1151", "s_waitcnt_vscnt null, 0x1", false},
        {"gfx1151", "s_wait_idle", true},
        {"gfx1201", "s_wait_storecnt 0x0", true},
        {"gfx1201", "s_wait_loadcnt 0x0", false},
        {"gfx1201", "s_wait_storecnt_dscnt 0x1", true},
        {"gfx1201", "s_wait_storecnt_dscnt 0x100", false},
        {"gfx1201", "s_wait_idle", true},
    };
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        struct wave_runner *runner = wave_runner_open(waits[i].chip, strcmp(waits[i].chip, "gfx90a") == 0 ? 64 : 32);
        assert_true(wave_runner_load(runner, waits[i].text));
        if (((runner->code.instructions[0].ordering & MEMORY_STORES_DONE) != 0) != waits[i].waits)
            fail_msg("%s: %s", waits[i].chip, waits[i].text);
        wave_runner_close(runner);
    }
}

static void hold_kernel(const char *chip)
{
    const struct kernel_build build = {.chip = chip, .optimisation = "-O3"};
    struct kernel_module module;
    struct finding finding;
    assert_true(kernel_module_open(&module, "tests/kernels/wait.hip", &build, 1));
    module.device->set_checks(module.device, CHECKS_ALL);
    int in[64], out[64];
    for (int i = 0; i < 64; i++)
        in[i] = i;
    struct kernel_call call = {.kernel = "load_and_wait", .block = {64}, .buffers = {{out, sizeof out}, {in, sizeof in}}};
    assert_true(kernel_module_call(&module, &call));
    call.kernel = "load_without_wait";
    hipFunction_t function;
    assert_int_equal(module.device->hip->hipModuleGetFunction(&function, module.module, call.kernel), hipSuccess);
    void *memory = NULL;
    assert_int_equal(module.device->hip->hipMalloc(&memory, sizeof in), hipSuccess);
    assert_int_equal(module.device->hip->hipMemset(memory, 0, sizeof in), hipSuccess);
    void *parameters[] = {&memory, &memory};
    hipError_t result = module.device->hip->hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, parameters, NULL);
    assert_int_equal(result, hipErrorLaunchFailure);
    assert_true(module.device->take_findings(module.device, &finding, 1) >= 1);
    assert_int_equal(finding.kind, FINDING_WAIT);
    assert_non_null(strstr(finding.text, "is read before a wait on vmcnt"));
    assert_non_null(strstr(finding.text, "wait.hip"));
    kernel_module_close(&module);
}

static void a_wait_left_out_of_a_kernel_is_found(void **state)
{
    (void)state;
    hold_kernel("gfx1151");
    hold_kernel("gfx90a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_write_to_lds_that_a_barrier_does_not_wait_for_is_found),
        cmocka_unit_test(a_use_before_the_wait_is_found),
        cmocka_unit_test(code_that_waits_is_clean),
        cmocka_unit_test(a_wait_for_all_stores_is_known_on_every_chip),
        cmocka_unit_test(a_wait_left_out_of_a_kernel_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
