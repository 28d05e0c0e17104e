/* The files of a revision are those that were committed, below the root alone, and the repository is left as it was. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "commands/revision.h"
#include "contract/base/file.h"
#include "tests/support/scratch.h"

static void git(const char *folder, const char *first, const char *second, const char *third)
{
    const char *const argv[] = {"git", "-C",   folder, "-c", "user.name=a", "-c", "user.email=a@example.org",
                                first, second, third,  NULL};
    char *said = scratch_run(argv);
    assert_non_null(said);
    free(said);
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[SCRATCH_PATH_BYTES];
    assert_true(scratch_write(folder, name, text, path));
}

/* Two commits, of which the second changes and adds a file; then a change that is in neither. */
static int open_repository(void **state)
{
    char *folder = malloc(SCRATCH_PATH_BYTES), below[SCRATCH_PATH_BYTES];
    struct error error;
    if (!folder || !scratch_open(folder))
        return -1;
    /* A hook that runs the tests names its own repository. */
    unsetenv("GIT_DIR");
    unsetenv("GIT_WORK_TREE");
    unsetenv("GIT_INDEX_FILE");
    snprintf(below, sizeof below, "%.400s/below", folder);
    git(folder, "init", "--quiet", NULL);
    if (!file_make_directories(below, &error))
        return -1;
    write_file(folder, "top.txt", "first");
    write_file(below, "low.txt", "first");
    git(folder, "add", "--all", NULL);
    git(folder, "commit", "--quiet", "--message=first");
    write_file(below, "low.txt", "second");
    write_file(below, "new.txt", "second");
    git(folder, "add", "--all", NULL);
    git(folder, "commit", "--quiet", "--message=second");
    write_file(below, "low.txt", "not committed");
    *state = folder;
    return 0;
}

static int close_repository(void **state)
{
    scratch_close(*state);
    free(*state);
    return 0;
}

static bool holds(const char *folder, const char *name, const char *text)
{
    char path[PATH_MAX + 32], *data;
    size_t n_bytes;
    struct error error;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!file_exists(path))
        return text == NULL;
    assert_true(file_read(path, &data, &n_bytes, &error));
    bool equal = text && strcmp(data, text) == 0;
    free(data);
    return equal;
}

static void a_revision_has_the_files_that_it_had(void **state)
{
    const char *root = *state;
    struct revision revision;
    struct error error;
    assert_true(revision_open(root, "HEAD~1", &revision, &error));
    assert_int_equal(strlen(revision.commit), 40);
    assert_true(holds(revision.folder, "top.txt", "first"));
    assert_true(holds(revision.folder, "below/low.txt", "first"));
    assert_true(holds(revision.folder, "below/new.txt", NULL));
    assert_true(holds(revision.folder, "revision.tar", NULL));
    char folder[PATH_MAX];
    memcpy(folder, revision.folder, sizeof folder);
    revision_close(&revision);
    assert_false(file_exists(folder));
    assert_true(revision_open(root, "HEAD", &revision, &error));
    assert_true(holds(revision.folder, "below/low.txt", "second"));
    revision_close(&revision);
    /* The working tree is as it was. */
    assert_true(holds(root, "below/low.txt", "not committed"));
}

static void a_root_within_a_repository_has_its_own_part(void **state)
{
    char root[SCRATCH_PATH_BYTES];
    struct revision revision;
    struct error error;
    snprintf(root, sizeof root, "%.400s/below", (const char *)*state);
    assert_true(revision_open(root, "HEAD~1", &revision, &error));
    assert_true(holds(revision.folder, "low.txt", "first"));
    assert_true(holds(revision.folder, "top.txt", NULL));
    revision_close(&revision);
}

static void what_is_no_revision_is_refused_in_a_line(void **state)
{
    static const char *const names[] = {"nobody", "", "--all", "HEAD~9", "HEAD:top.txt", "HEAD..HEAD~1"};
    struct revision revision;
    struct error error;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_false(revision_open(*state, names[i], &revision, &error));
        assert_int_equal(error.status, STATUS_USAGE);
        assert_non_null(strstr(error.text, " is no revision"));
        assert_null(strchr(error.text, '\n'));
    }
}

static void a_root_in_no_repository_is_refused(void **state)
{
    (void)state;
    char folder[SCRATCH_PATH_BYTES];
    struct revision revision;
    struct error error;
    assert_true(scratch_open(folder));
    setenv("GIT_CEILING_DIRECTORIES", "/tmp", 1);
    assert_false(revision_open(folder, "HEAD", &revision, &error));
    assert_int_equal(error.status, STATUS_USAGE);
    assert_null(strchr(error.text, '\n'));
    scratch_close(folder);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_repository, close_repository)
    const struct CMUnitTest tests[] = {
        TEST(a_revision_has_the_files_that_it_had),
        TEST(a_root_within_a_repository_has_its_own_part),
        TEST(what_is_no_revision_is_refused_in_a_line),
        cmocka_unit_test(a_root_in_no_repository_is_refused),
    };
    return cmocka_run_group_tests_name("revision", tests, NULL, NULL);
}
