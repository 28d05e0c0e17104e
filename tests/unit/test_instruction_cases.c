/*
 * Every case of tests/conformance/ (the .cases files): state before, instructions, state after as derived from the ISA.
 */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "contract/base/project.h"
#include "tests/support/case_file.h"

static void all_cases_of_the_tree_agree(void **state)
{
    (void)state;
    char pattern[4096];
    struct error error;
    glob_t files;
    if (!project_path("tests/conformance/*.cases", pattern, sizeof pattern, &error))
        fail_msg("%s", error.text);
    assert_int_equal(glob(pattern, 0, NULL, &files), 0);
    struct case_tally tally = {0};
    for (size_t i = 0; i < files.gl_pathc; i++)
        if (!case_file_run(files.gl_pathv[i], NULL, stderr, &tally, &error))
            fail_msg("%s", error.text);
    globfree(&files);
    assert_true(tally.n_run > 0);
    assert_int_equal(tally.n_failed, 0);
}

static char *write_cases(const char *text)
{
    char *path = strdup("/tmp/cases_XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    return path;
}

/* A wrong expectation must fail, for each kind of place. */
static void a_wrong_expectation_fails(void **state)
{
    (void)state;
    static const char *const wrong[] = {"v1 = 1 2 3", "s4 = 2",        "vcc = 1",   "exec = 1",
                                        "scc = 1",    "memory[8] = 1", "lds[8] = 1"};
    struct error error;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "chip gfx1151\nwave 32\ncase wrong\nset v1 = 1 2\nset s4 = 3\nrun\n s_nop 0\nexpect %s\n", wrong[i]);
        char *path = write_cases(text);
        struct case_tally tally = {0};
        FILE *out = tmpfile();
        assert_true(case_file_run(path, NULL, out, &tally, &error));
        assert_int_equal(tally.n_run, 1);
        assert_int_equal(tally.n_failed, 1);
        fclose(out);
        unlink(path);
        free(path);
    }
}

static void malformed_files_are_refused_with_their_line(void **state)
{
    (void)state;
    static const char *const texts[] = {"case early\n",
                                        "chip gfx1151 gfx1152x\nwave 32\ncase x\nrun\n s_nop 0\nexpect s4 = 0\n",
                                        "chip \nwave 32\ncase x\nrun\n s_nop 0\nexpect s4 = 0\n",
                                        "chip gfx1151\nwave 16\n",
                                        "chip gfx1151\nwave 32\ncase x\nset w1 = 1\n",
                                        "chip gfx1151\nwave 32\ncase x\nset v1 = 1q\n",
                                        "chip gfx1151\nwave 32\ncase x\nset s1 = 0x1ffffffff\n",
                                        "chip gfx1151\nwave 32\ncase x\nrun\n s_nop 0\n",
                                        "chip gfx1151\nwave 32\nexpect v1 = 1\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *path = write_cases(texts[i]);
        struct case_tally tally = {0};
        struct error error = {0};
        assert_false(case_file_run(path, NULL, stderr, &tally, &error));
        assert_int_equal(error.status, STATUS_USAGE);
        assert_non_null(strstr(error.text, path));
        unlink(path);
        free(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_cases_of_the_tree_agree),
        cmocka_unit_test(a_wrong_expectation_fails),
        cmocka_unit_test(malformed_files_are_refused_with_their_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
