/* Names are chosen by any of the patterns given, and all of them by none. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "contract/base/globs.h"

static void a_name_that_any_pattern_matches_is_chosen(void **state)
{
    (void)state;
    static const char *const globs[] = {"rms_norm*", "softmax_rows"};
    assert_true(globs_choose(globs, 2, "rms_norm_rows"));
    assert_true(globs_choose(globs, 2, "softmax_rows"));
    assert_false(globs_choose(globs, 2, "softmax_rows_wide"));
    assert_false(globs_choose(globs, 1, "softmax_rows"));
}

static void no_pattern_chooses_all(void **state)
{
    (void)state;
    assert_true(globs_choose(NULL, 0, "softmax_rows"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_that_any_pattern_matches_is_chosen),
        cmocka_unit_test(no_pattern_chooses_all),
    };
    return cmocka_run_group_tests_name("globs", tests, NULL, NULL);
}
