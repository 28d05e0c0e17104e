/* Errors are one line, whatever is quoted in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "contract/base/error.h"

static void a_quoted_control_character_becomes_a_question_mark(void **state)
{
    (void)state;
    struct error error;
    assert_false(error_set(&error, STATUS_USAGE, "%s: no such file", "a\nb\x1b[31m\x7f"));
    assert_string_equal(error.text, "a?b?[31m?: no such file");
    assert_false(error_prefix(&error, "run\t%d", 1));
    assert_string_equal(error.text, "run?1: a?b?[31m?: no such file");
    assert_int_equal(error.status, STATUS_USAGE);
}

static void letters_outside_ascii_stay(void **state)
{
    (void)state;
    struct error error;
    error_set(&error, STATUS_USAGE, "%s", "größe 64 → 32");
    assert_string_equal(error.text, "größe 64 → 32");
}

static void a_line_that_is_too_long_is_cut(void **state)
{
    (void)state;
    struct error error;
    char word[2 * sizeof error.text];
    memset(word, 'x', sizeof word);
    word[sizeof word - 1] = '\0';
    error_set(&error, STATUS_USAGE, "%s", word);
    assert_int_equal(strlen(error.text), sizeof error.text - 1);
    error_prefix(&error, "%s", "file");
    assert_int_equal(strlen(error.text), sizeof error.text - 1);
    assert_int_equal(strncmp(error.text, "file: xx", 8), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quoted_control_character_becomes_a_question_mark),
        cmocka_unit_test(letters_outside_ascii_stay),
        cmocka_unit_test(a_line_that_is_too_long_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
