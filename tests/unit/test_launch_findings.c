/*
 * What is told of a launch with many findings: the first of each sort and a count, the same whatever the host threads did.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/launch_bench.h"

/* Workgroups 0 to 2 store out of bounds and go on, workgroup 3 traps: what is reported is that, and nothing of later ones,
 * whatever the host threads did. */
static void findings_do_not_depend_on_host_threads(void **state)
{
    struct finding first[32];
    size_t n_first = 0;
    for (int round = 0; round < 6; round++) {
        struct bench bench =
            bench_open_with(state, (struct emulator_options){.n_threads = round ? 4 : 1, .checks = CHECKS_BASIC});
        struct finding findings[32];
        memset(findings, 0, sizeof findings);
        void *out = bench_allocate(&bench, 4);
        assert_int_equal(bench_launch(&bench, "fail_by_group", bench_flat(64, 64), (void *[]){&out}),
                         hipErrorLaunchFailure);
        size_t n = bench.device->take_findings(bench.device, findings, 32);
        assert_int_equal(n, 7); /* two waves each, and the first trap */
        assert_int_equal(findings[6].kind, FINDING_TRAP);
        assert_non_null(strstr(findings[5].text, "workgroup 2,0,0 wave 1"));
        if (round == 0)
            memcpy(first, findings, sizeof first);
        n_first = round == 0 ? n : n_first;
        for (size_t i = 0; i < n; i++)
            assert_string_equal(findings[i].text, first[i].text);
        bench_close(state);
    }
}

/* More findings than are kept: the first twenty workgroups' and a count of the rest. */
static void findings_past_the_first_are_counted(void **state)
{
    for (int n_threads = 1; n_threads <= 4; n_threads += 3) {
        struct bench bench =
            bench_open_with(state, (struct emulator_options){.n_threads = n_threads, .checks = CHECKS_BASIC});
        struct finding findings[32];
        void *out = NULL;
        long index = 0;
        assert_int_equal(bench_launch(&bench, "store_at", bench_flat(50, 1), (void *[]){&out, &index}),
                         hipErrorIllegalAddress);
        assert_int_equal(bench.device->take_findings(bench.device, findings, 32), 21);
        for (int i = 0; i < 20; i++) {
            char part[40];
            snprintf(part, sizeof part, "workgroup %d,0,0", i);
            assert_non_null(strstr(findings[i].text, part));
        }
        assert_string_equal(findings[20].text, "store_at: 30 more findings of this launch");
        bench_close(state);
    }
}

/* What note_by_group gives on so many host threads, workgroup `traps` trapping. */
static size_t noted(void **state, int n_threads, int traps, struct finding findings[64])
{
    struct bench bench = bench_open_with(
        state, (struct emulator_options){.n_threads = n_threads, .checks = CHECKS_BASIC | 1u << FINDING_NAN});
    const float large = 1e30f;
    int fails = 10;
    void *in = bench_allocate(&bench, 4), *out = bench_allocate(&bench, 64 * 4);
    bench_put(&bench, in, &large, 4);
    hipError_t expected = traps < 64 ? hipErrorLaunchFailure : hipErrorIllegalAddress;
    assert_int_equal(bench_launch(&bench, "note_by_group", bench_flat(64, 1), (void *[]){&in, &out, &fails, &traps}),
                     expected);
    size_t n = bench.device->take_findings(bench.device, findings, 64);
    bench_close(state);
    return n;
}

static void assert_of_group(const struct finding *finding, enum finding_kind kind, uint32_t group)
{
    assert_int_equal(finding->kind, kind);
    assert_int_equal(finding->place.workgroup[0], group);
}

/* However many notes come before it, a fault is told, and first; of either sort the first twenty and a count. */
static void notes_crowd_out_no_fault(void **state)
{
    struct finding findings[64];
    for (int n_threads = 1; n_threads <= 4; n_threads += 3) {
        assert_int_equal(noted(state, n_threads, 64, findings), 42);
        for (uint32_t i = 0; i < 20; i++) {
            assert_of_group(&findings[i], FINDING_MEM, 10 + i);
            assert_of_group(&findings[21 + i], FINDING_NAN, i);
        }
        assert_int_equal(findings[20].kind, FINDING_MEM);
        assert_string_equal(findings[20].text, "note_by_group: 34 more findings of this launch");
        assert_int_equal(findings[41].kind, FINDING_NAN);
        assert_string_equal(findings[41].text, "note_by_group: 44 more findings of this launch");
    }
}

/* Faults of workgroups after the one that traps take no note's place, whatever the host threads did. */
static void notes_of_an_abandoned_launch_do_not_depend_on_host_threads(void **state)
{
    struct finding findings[64];
    for (int round = 0; round < 6; round++) {
        assert_int_equal(noted(state, round ? 4 : 1, 30, findings), 40);
        for (uint32_t i = 0; i < 19; i++)
            assert_of_group(&findings[i], FINDING_MEM, 10 + i);
        assert_of_group(&findings[19], FINDING_TRAP, 30);
        for (uint32_t i = 0; i < 20; i++)
            assert_of_group(&findings[20 + i], FINDING_NAN, i);
        assert_int_equal(noted(state, round ? 4 : 1, 5, findings), 7);
        assert_of_group(&findings[0], FINDING_TRAP, 5);
        for (uint32_t i = 0; i < 6; i++)
            assert_of_group(&findings[1 + i], FINDING_NAN, i);
    }
}

#define FINDINGS_TEST(name) cmocka_unit_test_teardown(name, bench_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FINDINGS_TEST(findings_do_not_depend_on_host_threads),
        FINDINGS_TEST(findings_past_the_first_are_counted),
        FINDINGS_TEST(notes_crowd_out_no_fault),
        FINDINGS_TEST(notes_of_an_abandoned_launch_do_not_depend_on_host_threads),
    };
    return cmocka_run_group_tests(tests, bench_compile, bench_drop);
}
