/* JSON of which a part had no memory is no text, and the next is one again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "reports/json_text.h"
#include "tests/support/room.h"

enum { ROOM_BYTES = 8 << 20, WORD_BYTES = 2 * ROOM_BYTES };

/* An object that lacks what there was no memory for, as jansson makes it. */
static json_t *object_cut_short(void)
{
    static char word[WORD_BYTES];
    memset(word, 'x', sizeof word - 1);
    json_t *object = json_object();
    json_object_set_new(object, "status", json_string("pass"));
    json_object_set_new(object, "reason", json_string(word));
    return object;
}

static void a_value_that_lacks_a_part_has_no_text(void **state)
{
    (void)state;
    enum { RIGHT, WAS_WHOLE, HAS_TEXT, SPOILS_THE_NEXT };
    pid_t child = fork();
    if (child == 0) {
        room_limit(ROOM_BYTES);
        json_t *object = object_cut_short();
        if (json_object_size(object) != 1)
            _exit(WAS_WHOLE);
        if (json_text(object, JSON_COMPACT))
            _exit(HAS_TEXT);
        char *next = json_text(json_pack("[i]", 1), JSON_COMPACT);
        _exit(next && strcmp(next, "[1]") == 0 ? RIGHT : SPOILS_THE_NEXT);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), RIGHT);
}

static void no_value_has_no_text(void **state)
{
    (void)state;
    assert_null(json_text(NULL, 0));
}

static void what_is_written_is_the_text_and_a_newline(void **state)
{
    (void)state;
    char *text = NULL;
    size_t n_bytes;
    FILE *out = open_memstream(&text, &n_bytes);
    assert_non_null(out);
    assert_true(json_write(out, json_pack("{s:i}", "a", 1), JSON_COMPACT));
    assert_false(json_write(out, NULL, JSON_COMPACT));
    fclose(out);
    assert_string_equal(text, "{\"a\":1}\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_that_lacks_a_part_has_no_text),
        cmocka_unit_test(no_value_has_no_text),
        cmocka_unit_test(what_is_written_is_the_text_and_a_newline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
