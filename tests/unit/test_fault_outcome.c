/* What must not be left by a run in which a call failed is noticed: each kind, made by hand. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/fault_outcome.h"

#define PASSED      "{\"record\":\"verdict\",\"status\":\"pass\",\"registration\":\"k\",\"gate\":3}"
#define FAILED      "{\"record\":\"verdict\",\"status\":\"fail\",\"registration\":\"k\",\"gate\":3}"
#define REFUSED     "{\"record\":\"verdict\",\"status\":\"launch-failed\",\"registration\":\"k\",\"gate\":3}"
#define MISSED(why) "{\"record\":\"verdict\",\"status\":\"miss\",\"registration\":\"k\",\"gate\":3,\"reason\":\"" why "\"}"
#define DIED(how)                                                                                                          \
    "{\"record\":\"verdict\",\"status\":\"died\",\"registration\":\"k\",\"gate\":1,\"reason\":\"its process " how "\"}"
#define ENDED "{\"record\":\"end\",\"registration\":\"k\"}"

static struct outcome made(int status, const char *out, const char *err, const char *lines)
{
    struct outcome outcome = {
        .status = status, .signal = -1, .out = (char *)out, .err = (char *)err, .lines = json_loads(lines, 0, NULL)};
    assert_non_null(outcome.lines);
    return outcome;
}

/* The words for what is wrong with it; "" for nothing. */
static const char *judged(struct outcome outcome)
{
    static char text[OUTCOME_TEXT_BYTES];
    struct outcome undisturbed = made(0, "PASS  gfx1151 k  1 shapes\nSUMMARY gates 5 ms\n", "", "[" PASSED "," ENDED "]");
    text[0] = '\0';
    bool wrong = outcome_is_wrong(&outcome, &undisturbed, text);
    assert_int_equal(wrong, text[0] != '\0');
    json_decref(outcome.lines);
    json_decref(undisturbed.lines);
    return text;
}

static void a_run_that_was_not_disturbed_is_right(void **state)
{
    (void)state;
    assert_string_equal(judged(made(0, "PASS  gfx1151 k  1 shapes\nSUMMARY gates 7 ms\n", "", "[" PASSED "," ENDED "]")),
                        "");
}

static void a_failure_that_is_said_is_right(void **state)
{
    (void)state;
    assert_string_equal(judged(made(3, "", "hipcontract: out of host memory\n", "[" PASSED "]")), "");
    assert_string_equal(judged(made(1, "FAIL  gfx1151 k  hipErrorOutOfMemory\n", "", "[" REFUSED "]")), "");
    assert_string_equal(judged(made(2, "PASS  gfx1151 k  1 shapes\n", "run.jsonl: full; the log is not\n", "[" PASSED "]")),
                        "");
}

static void a_crash_and_a_hang_are_wrong(void **state)
{
    (void)state;
    struct outcome outcome = made(-1, "", "", "[]");
    outcome.signal = SIGSEGV;
    assert_non_null(strstr(judged(outcome), "ended by Segmentation fault"));
    outcome = made(-1, "", "", "[]");
    outcome.signal = SIGALRM;
    assert_non_null(strstr(judged(outcome), "hangs"));
}

static void a_crash_of_a_worker_is_wrong(void **state)
{
    (void)state;
    assert_non_null(
        strstr(judged(made(1, "FAIL  gfx1151 k\n", "", "[" DIED("was ended by signal 11 (Segmentation fault)") "]")),
               "a worker crashed: its process was ended by signal 11"));
    assert_string_equal(judged(made(1, "FAIL  gfx1151 k\n", "", "[" DIED("ended itself with exit status 3") "]")), "");
}

static void silence_is_wrong(void **state)
{
    (void)state;
    assert_non_null(strstr(judged(made(3, "", "", "[]")), "without a word"));
    assert_non_null(strstr(judged(made(0, "PASS  gfx1151 k  1 shapes\nSUMMARY gates 5 ms\n", "", "[" PASSED "]")),
                           "printed as passed and not in the log: k"));
    assert_non_null(strstr(judged(made(0, "SUMMARY gates 5 ms\n", "", "[" PASSED "," ENDED "]")), "other lines"));
    assert_non_null(strstr(judged(made(0, "", "", "[" ENDED "]")), "another log"));
}

static void a_verdict_that_blames_the_kernel_is_wrong(void **state)
{
    (void)state;
    assert_non_null(strstr(judged(made(1, "FAIL  gfx1151 k\n", "", "[" FAILED "]")), "a verdict that is not so"));
    assert_non_null(
        strstr(judged(made(1, "MISS  gfx1151 c\n", "", "[" MISSED("stayed green") "]")), "a verdict that is not so"));
    assert_string_equal(judged(made(1, "MISS  gfx1151 c\n", "", "[" MISSED("hipMalloc failed: hipErrorOutOfMemory") "]")),
                        "");
}

static void a_status_that_is_not_documented_is_wrong(void **state)
{
    (void)state;
    assert_non_null(strstr(judged(made(134, "", "Aborted\n", "[]")), "not documented"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_that_was_not_disturbed_is_right),
        cmocka_unit_test(a_failure_that_is_said_is_right),
        cmocka_unit_test(a_crash_and_a_hang_are_wrong),
        cmocka_unit_test(a_crash_of_a_worker_is_wrong),
        cmocka_unit_test(silence_is_wrong),
        cmocka_unit_test(a_verdict_that_blames_the_kernel_is_wrong),
        cmocka_unit_test(a_status_that_is_not_documented_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
