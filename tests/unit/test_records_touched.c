/* The records that a change touches are those of its own commit and of the working tree, below the root alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "commands/records_touched.h"
#include "contract/base/file.h"
#include "tests/support/scratch.h"

struct fixture {
    char folder[SCRATCH_PATH_BYTES], root[SCRATCH_PATH_BYTES];
    struct arena arena;
};

static void git(const struct fixture *f, const char *first, const char *second, const char *third)
{
    const char *const argv[] = {"git", "-C",   f->folder, "-c", "user.name=a", "-c", "user.email=a@example.org",
                                first, second, third,     NULL};
    char *said = scratch_run(argv);
    assert_non_null(said);
    free(said);
}

static void write_record(const struct fixture *f, const char *name, const char *text)
{
    char records[SCRATCH_PATH_BYTES + 16], path[SCRATCH_PATH_BYTES];
    struct error error;
    snprintf(records, sizeof records, "%s/records", f->root);
    assert_true(file_make_directories(records, &error));
    assert_true(scratch_write(records, name, text, path));
}

static void commit(const struct fixture *f, const char *message)
{
    git(f, "add", "--all", NULL);
    git(f, "commit", "--quiet", message);
}

/* A repository whose root of the project is a folder of it. */
static int open_repository(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    *state = f;
    if (!f || !scratch_open(f->folder))
        return -1;
    /* A hook that runs the tests names its own repository. */
    unsetenv("GIT_DIR");
    unsetenv("GIT_WORK_TREE");
    unsetenv("GIT_INDEX_FILE");
    snprintf(f->root, sizeof f->root, "%.400s/below", f->folder);
    return 0;
}

static int close_repository(void **state)
{
    struct fixture *f = *state;
    scratch_close(f->folder);
    arena_free(&f->arena);
    free(f);
    return 0;
}

static void touched_are_the_commit_s_and_what_is_not_committed(void **state)
{
    struct fixture *f = *state;
    char path[SCRATCH_PATH_BYTES];
    git(f, "init", "--quiet", NULL);
    write_record(f, "a.txt", "first");
    write_record(f, "b.txt", "first");
    write_record(f, "c.txt", "first");
    commit(f, "--message=first");
    write_record(f, "a.txt", "second");
    assert_true(scratch_write(f->root, "kernel.hip", "second", path));
    commit(f, "--message=second");
    assert_string_equal(records_touched(f->root, &f->arena), "records/a.txt");
    write_record(f, "b.txt", "third");
    write_record(f, "new.txt", "third");
    assert_string_equal(records_touched(f->root, &f->arena), "records/a.txt,records/b.txt,records/new.txt");
    write_record(f, "a.txt", "first");
    assert_string_equal(records_touched(f->root, &f->arena), "records/b.txt,records/new.txt");
}

static void commit_that_touches_no_record_has_none(void **state)
{
    struct fixture *f = *state;
    char path[SCRATCH_PATH_BYTES];
    git(f, "init", "--quiet", NULL);
    write_record(f, "a.txt", "first");
    commit(f, "--message=first");
    assert_true(scratch_write(f->folder, "other.txt", "second", path));
    commit(f, "--message=second");
    assert_string_equal(records_touched(f->root, &f->arena), "");
}

/* A checkout of one commit alone, as CI often makes it, must not look as if nothing were touched. */
static void without_a_parent_or_a_repository_nothing_is_known(void **state)
{
    struct fixture *f = *state;
    struct error error;
    assert_true(file_make_directories(f->root, &error));
    assert_null(records_touched(f->root, &f->arena));
    git(f, "init", "--quiet", NULL);
    write_record(f, "a.txt", "first");
    commit(f, "--message=first");
    assert_null(records_touched(f->root, &f->arena));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(touched_are_the_commit_s_and_what_is_not_committed, open_repository,
                                        close_repository),
        cmocka_unit_test_setup_teardown(commit_that_touches_no_record_has_none, open_repository, close_repository),
        cmocka_unit_test_setup_teardown(without_a_parent_or_a_repository_nothing_is_known, open_repository,
                                        close_repository),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
