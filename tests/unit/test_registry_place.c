/* Each registration knows where it stands, and its verdicts say so: a report that points at another line sends its reader
 * to the wrong kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contract/base/file.h"
#include "contract/base/project.h"
#include "contract/registry_list.h"
#include "contract/verdict.h"
#include "tests/support/source_line.h"

struct fixture {
    struct arena arena;
    struct registry registry;
};

static int open_registry(void **state)
{
    static struct fixture fixture;
    struct error error;
    *state = &fixture;
    return registry_collect(&fixture.arena, &fixture.registry, &error) ? 0 : -1;
}

static int close_registry(void **state)
{
    arena_free(&((struct fixture *)*state)->arena);
    return 0;
}

/* The text of a line, from 1, of a file below the project's root; "" where it has no such line. The caller frees it. */
static char *line_of(const char *file, int line)
{
    char path[4096], *data;
    size_t n_bytes;
    struct error error;
    if (!project_path(file, path, sizeof path, &error) || !file_read(path, &data, &n_bytes, &error))
        return strdup("");
    const char *at = data;
    for (int i = 1; i < line && at; i++)
        at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
    char *text = strndup(at ? at : "", at ? strcspn(at, "\n") : 0);
    free(data);
    return text;
}

static void registration_stands_where_reg_kernel_is_said(void **state)
{
    struct fixture *f = *state;
    const struct registration *r = registry_find(&f->registry, "softmax_rows");
    assert_non_null(r);
    assert_string_equal(r->file, "kernels/softmax/softmax.c");
    assert_int_equal(r->line, source_line(r->file, "REG_KERNEL(&softmax_rows)"));
}

/* Those of a macro that registers stand where it is used, not where it is defined. */
static void no_registration_stands_inside_a_macro(void **state)
{
    struct fixture *f = *state;
    assert_true(f->registry.n_registrations > 0);
    for (size_t i = 0; i < f->registry.n_registrations; i++) {
        const struct registration *r = f->registry.registrations[i];
        char *text = line_of(r->file, r->line);
        if (!*text || text[strlen(text) - 1] == '\\')
            fail_msg("%s stands at %s:%d: %s", r->name, r->file, r->line, text);
        free(text);
    }
}

static void verdict_says_where_its_registration_stands(void **state)
{
    (void)state;
    struct registration r = {.name = "k", .file = "kernels/k.c", .line = 7};
    struct verdict v = {0};
    verdict_registration(&v, &r);
    assert_string_equal(v.registration, "k");
    assert_string_equal(v.file, "kernels/k.c");
    assert_int_equal(v.line, 7);
    r.file = NULL;
    verdict_registration(&v, &r);
    assert_string_equal(v.file, "");
    assert_int_equal(v.line, 0);
}

/* Part of a path would name another file. */
static void path_without_room_is_left_out_whole(void **state)
{
    (void)state;
    char path[VERDICT_FILE_BYTES + 1];
    struct registration r = {.name = "k", .file = path, .line = 7};
    struct verdict v = {0};
    memset(path, 'p', sizeof path);
    path[VERDICT_FILE_BYTES] = 0;
    verdict_place(&v, &r);
    assert_string_equal(v.file, "");
    assert_int_equal(v.line, 0);
    path[VERDICT_FILE_BYTES - 1] = 0;
    verdict_place(&v, &r);
    assert_string_equal(v.file, path);
    assert_int_equal(v.line, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registration_stands_where_reg_kernel_is_said),
        cmocka_unit_test(no_registration_stands_inside_a_macro),
        cmocka_unit_test(verdict_says_where_its_registration_stands),
        cmocka_unit_test(path_without_room_is_left_out_whole),
    };
    return cmocka_run_group_tests(tests, open_registry, close_registry);
}
