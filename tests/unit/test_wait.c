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

struct group_case {
    const char *chip;
    uint32_t n_lanes, n_items;
    const char *text;
    bool found;
};

/* The findings of the text as a workgroup. */
static uint32_t n_findings_of_group(const struct group_case *c, unsigned wanted, struct finding *first)
{
    uint8_t *bytes;
    size_t n_bytes;
    struct error error;
    struct group_checks *checks;
    assert_true(wave_runner_assemble(c->chip, c->n_lanes, c->text, &bytes, &n_bytes));
    struct group_launch launch = {.chip = c->chip,
                                  .n_lanes = c->n_lanes,
                                  .n_items = c->n_items,
                                  .code = bytes,
                                  .code_bytes = n_bytes,
                                  .lds_bytes = 4096};
    struct group_runner *runner = group_runner_open(&launch, &error);
    assert_non_null(runner);
    free(bytes);
    runner->dispatch.grid[0] = runner->dispatch.grid[1] = runner->dispatch.grid[2] = 1;
    runner->dispatch.checks_wanted = wanted;
    assert_true(sanitizer_dispatch_open(&runner->dispatch));
    assert_true(sanitizer_group_open(&runner->dispatch, runner->group.n_waves, &checks));
    sanitizer_group_start(&runner->group, checks, NULL);
    group_runner_run(runner);
    sanitizer_group_end(&runner->group);
    uint32_t n = runner->dispatch.n_findings_seen;
    *first = runner->findings[0];
    sanitizer_group_close(checks);
    sanitizer_dispatch_close(&runner->dispatch);
    runner->group.checks = NULL;
    group_runner_close(runner);
    return n;
}

static void hold_groups(const struct group_case *cases, size_t n_cases)
{
    static const char what[] = "with no wait on lgkmcnt (dscnt) before the barrier between the two";
    struct finding first;
    for (size_t i = 0; i < n_cases; i++) {
        uint32_t n = n_findings_of_group(&cases[i], 1u << FINDING_RACE | 1u << FINDING_WAIT, &first);
        if ((n > 0) != cases[i].found || (n && (first.kind != FINDING_WAIT || !strstr(first.message, what))))
            fail_msg("%s: %u findings%s%s: %s", cases[i].chip, n, n ? ", " : "", n ? first.message : "", cases[i].text);
    }
}

#define HOLD_GROUPS(cases) hold_groups(cases, sizeof(cases) / sizeof *(cases))

/* v1 is a dword of LDS of each work-item's own, v2 one of the other wave's. */
#define PLACES        "v_lshlrev_b32 v1, 2, v0\n v_xor_b32 v2, 0x80, v1\n "
#define PLACES_OF_64  "v_lshlrev_b32 v1, 2, v0\n v_xor_b32 v2, 0x100, v1\n "
#define WAIT          "s_waitcnt lgkmcnt(0)\n "
#define BARRIER       "s_barrier\n "
#define SPLIT_BARRIER "s_barrier_signal -1\n s_barrier_wait -1\n "
#define END           WAIT "s_endpgm"
#define END_OF_GFX12  "s_wait_dscnt 0x0\n s_endpgm"

static void a_write_to_lds_that_another_wave_meets_without_a_wait_is_found(void **state)
{
    (void)state;
    static const struct group_case cases[] = {
        {"gfx1151", 32, 64, PLACES "ds_store_b32 v1, v0\n " BARRIER "ds_load_b32 v3, v2\n " END, true},
        {"gfx1151", 32, 64, PLACES "ds_store_b32 v1, v0\n " BARRIER "ds_store_b32 v2, v0\n " END, true},
        {"gfx1151", 32, 64, PLACES "ds_store_b32 v1, v0\n " BARRIER "ds_add_u32 v2, v0\n " END, true},
        {"gfx1151", 32, 64, PLACES "ds_add_u32 v1, v0\n " BARRIER "ds_load_b32 v3, v2\n " END, true},
        {"gfx1151", 32, 64, PLACES "ds_store_b32 v1, v0\n s_waitcnt vmcnt(0)\n " BARRIER "ds_load_b32 v3, v2\n " END, true},
        /* the wait comes after the barrier */
        {"gfx1151", 32, 64, PLACES "ds_store_b32 v1, v0\n " BARRIER WAIT "ds_load_b32 v3, v2\n " END, true},
        /* the later of two, which no wait for one covers */
        {"gfx1151", 32, 64,
         PLACES "ds_store_b32 v1, v0\n ds_store_b32 v1, v0 offset:256\n s_waitcnt lgkmcnt(1)\n " BARRIER
                "ds_load_b32 v3, v2 offset:256\n " END,
         true},
        /* the second of so many that the first must be done */
        {"gfx1151", 32, 64,
         PLACES "ds_store_b32 v1, v0 offset:512\n ds_store_b32 v1, v0\n .rept 63\n ds_store_b32 v1, v0 offset:256\n "
                ".endr\n " BARRIER "ds_load_b32 v3, v2\n " END,
         true},
        /* an atomic beside a plain write that has landed */
        {"gfx1151", 32, 64,
         PLACES "ds_store_b32 v1, v0\n " WAIT BARRIER "ds_add_u32 v1, v0\n " BARRIER "ds_load_b32 v3, v2\n " END, true},
        /* two barriers, neither after a wait */
        {"gfx1151", 32, 64, PLACES "ds_store_b32 v1, v0\n " BARRIER BARRIER "ds_load_b32 v3, v2\n " END, true},
        {"gfx90a", 64, 128, PLACES_OF_64 "ds_write_b32 v1, v0\n " BARRIER "ds_read_b32 v3, v2\n " END, true},
        {"gfx1201", 32, 64, PLACES "ds_store_b32 v1, v0\n " SPLIT_BARRIER "ds_load_b32 v3, v2\n " END_OF_GFX12, true},
        /* the wait comes after the signal */
        {"gfx1201", 32, 64,
         PLACES "ds_store_b32 v1, v0\n s_barrier_signal -1\n s_wait_dscnt 0x0\n s_barrier_wait -1\n "
                "ds_load_b32 v3, v2\n " END_OF_GFX12,
         true},
    };
    HOLD_GROUPS(cases);
}

static void a_write_to_lds_that_has_landed_or_that_no_other_wave_meets_is_not(void **state)
{
    (void)state;
    static const struct group_case cases[] = {
        {"gfx1151", 32, 64, PLACES "ds_store_b32 v1, v0\n " WAIT BARRIER "ds_load_b32 v3, v2\n " END, false},
        {"gfx1151", 32, 64, PLACES "ds_store_b32 v1, v0\n " BARRIER "ds_load_b32 v3, v1\n " END, false},
        {"gfx1151", 32, 64, PLACES "ds_store_b32 v1, v0\n " BARRIER "s_endpgm", false},
        {"gfx1151", 32, 32, PLACES "ds_store_b32 v1, v0\n " BARRIER "ds_load_b32 v3, v1\n " END, false},
        /* two buffers: the first barrier is about the other */
        {"gfx1151", 32, 64,
         PLACES "ds_store_b32 v1, v0\n " WAIT BARRIER
                "ds_store_b32 v1, v0 offset:256\n ds_load_b32 v3, v2\n " BARRIER WAIT BARRIER
                "ds_load_b32 v3, v2 offset:256\n " END,
         false},
        /* the first of two, which a wait for one covers */
        {"gfx1151", 32, 64,
         PLACES "ds_store_b32 v1, v0\n ds_store_b32 v1, v0 offset:256\n s_waitcnt lgkmcnt(1)\n " BARRIER
                "ds_load_b32 v3, v2\n " END,
         false},
        /* so many writes that the first must be done */
        {"gfx1151", 32, 64,
         PLACES "ds_store_b32 v1, v0\n .rept 64\n ds_store_b32 v1, v0 offset:256\n .endr\n " BARRIER
                "ds_load_b32 v3, v2\n " END,
         false},
        /* a load to LDS, whose counter is another, after a write */
        {"gfx90a", 64, 128,
         PLACES_OF_64 "v_readfirstlane_b32 s0, v0\n s_lshl_b32 m0, s0, 2\n ds_write_b32 v1, v0 offset:1024\n "
                      "buffer_load_dword v3, s[4:7], 0 offen lds\n s_waitcnt vmcnt(0)\n " BARRIER
                      "ds_read_b32 v3, v2\n " END,
         false},
        /* a read that is under way, as a write elsewhere is */
        {"gfx1151", 32, 64,
         PLACES "ds_store_b32 v1, v0 offset:256\n ds_load_b32 v3, v1\n " BARRIER "ds_store_b32 v2, v0\n " END, false},
        /* LDS takes a wave's atomics after its writes before them, and atomics in any order */
        {"gfx1151", 32, 64, PLACES "ds_add_u32 v1, v0\n " BARRIER "ds_add_u32 v2, v0\n " END, false},
        /* so who sees the atomic sees the write */
        {"gfx1151", 32, 64,
         PLACES "v_mov_b32 v4, 0\n v_readfirstlane_b32 s0, v0\n ds_store_b32 v1, v0\n " BARRIER
                "ds_add_u32 v4, v0 offset:1024\n s_cmp_eq_u32 s0, 0\n s_cbranch_scc1 END\n ds_load_b32 v3, v2\n "
                "END:\n " END,
         false},
        {"gfx90a", 64, 128, PLACES_OF_64 "ds_write_b32 v1, v0\n " WAIT BARRIER "ds_read_b32 v3, v2\n " END, false},
        {"gfx1201", 32, 64,
         PLACES "ds_store_b32 v1, v0\n s_wait_dscnt 0x0\n " SPLIT_BARRIER "ds_load_b32 v3, v2\n " END_OF_GFX12, false},
        /* a write between signal and wait, that the next barrier finds landed */
        {"gfx1201", 32, 64,
         PLACES "s_barrier_signal -1\n ds_store_b32 v1, v0\n s_barrier_wait -1\n s_wait_dscnt 0x0\n " SPLIT_BARRIER
                "ds_load_b32 v3, v2\n " END_OF_GFX12,
         false},
    };
    HOLD_GROUPS(cases);
}

/* The end of a wave waits for what it has under way. */
static void a_write_to_lds_of_a_wave_that_has_ended_has_landed(void **state)
{
    (void)state;
    static const struct group_case cases[] = {
        {"gfx1151", 32, 64,
         PLACES "v_readfirstlane_b32 s0, v0\n ds_store_b32 v1, v0\n s_cmp_eq_u32 s0, 0\n s_cbranch_scc1 END\n " BARRIER
                "ds_load_b32 v3, v2\n " WAIT "END:\n s_endpgm",
         false},
    };
    HOLD_GROUPS(cases);
}

static void one_check_alone_says_nothing_of_barriers(void **state)
{
    (void)state;
    static const struct group_case early = {"gfx1151", 32, 64,
                                            PLACES "ds_store_b32 v1, v0\n " BARRIER "ds_load_b32 v3, v2\n " END, false};
    struct finding first;
    assert_int_equal(n_findings_of_group(&early, 1u << FINDING_RACE, &first), 0);
    assert_int_equal(n_findings_of_group(&early, 1u << FINDING_WAIT, &first), 0);
    assert_int_equal(n_findings_of_group(&early, 1u << FINDING_RACE | 1u << FINDING_WAIT, &first), 1);
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
        cmocka_unit_test(a_write_to_lds_that_another_wave_meets_without_a_wait_is_found),
        cmocka_unit_test(a_write_to_lds_that_has_landed_or_that_no_other_wave_meets_is_not),
        cmocka_unit_test(a_write_to_lds_of_a_wave_that_has_ended_has_landed),
        cmocka_unit_test(one_check_alone_says_nothing_of_barriers),
        cmocka_unit_test(a_use_before_the_wait_is_found),
        cmocka_unit_test(code_that_waits_is_clean),
        cmocka_unit_test(a_wait_for_all_stores_is_known_on_every_chip),
        cmocka_unit_test(a_wait_left_out_of_a_kernel_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
