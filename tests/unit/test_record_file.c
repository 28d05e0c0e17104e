/* Record files: written as they are read, and whatever is wrong with one costs no other line, nor is any lost. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contract/base/file.h"
#include "records/chips.h"
#include "records/record_file.h"
#include "tests/support/scratch.h"

#define COLUMNS                                                                                                            \
    "# kernel chip vgprs agprs sgprs lds private vspills sspills bound wave code kernarg dynamic occupancy limit\n"
#define A_LINE "a_kernel gfx1151 21 0 20 64 16 1 2 256 32 844 24 0 16 slots\n"
#define B_LINE "b_kernel gfx90a 30 4 20 64 0 0 0 256 64 844 280 1 7 lds\n"

static const char aligned[] =
    "# recorded with Debian clang version 22.1.8 (1~deb12u1)\n"
    "# kernel chip    vgprs agprs sgprs lds private vspills sspills bound wave code kernarg dynamic occupancy limit\n"
    "a_kernel gfx1151    21     0    20  64      16       1       2   256   32  844      24       0        16 slots\n"
    "b_kernel gfx90a     30     4    20  64       0       0       0   256   64  844     280       1         7   lds\n";

struct fixture {
    char folder[SCRATCH_PATH_BYTES], path[SCRATCH_PATH_BYTES];
    struct record_file file;
};

static int open_fixture(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    if (!fixture || !scratch_open(fixture->folder))
        return -1;
    *state = fixture;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *fixture = *state;
    record_file_free(&fixture->file);
    scratch_close(fixture->folder);
    free(fixture);
    return 0;
}

static void read_text(struct fixture *fixture, const char *text)
{
    struct error error;
    record_file_free(&fixture->file);
    assert_true(scratch_write(fixture->folder, "in.txt", text, fixture->path));
    assert_true(record_file_read(fixture->path, &fixture->file, &error));
}

static void expect_written(struct fixture *fixture, const char *expected)
{
    struct error error;
    char *text;
    size_t n_bytes;
    assert_true(record_file_write(fixture->path, &fixture->file, &error));
    assert_true(file_read(fixture->path, &text, &n_bytes, &error));
    assert_string_equal(text, expected);
    free(text);
}

static void expect_refused(struct fixture *fixture, const char *words)
{
    struct error error;
    char *before, *after;
    size_t n_before, n_after;
    assert_true(file_read(fixture->path, &before, &n_before, &error));
    assert_false(record_file_write(fixture->path, &fixture->file, &error));
    assert_int_equal(error.status, STATUS_USAGE);
    if (!strstr(error.text, words))
        fail_msg("\"%s\" does not say \"%s\"", error.text, words);
    assert_true(file_read(fixture->path, &after, &n_after, &error));
    assert_int_equal(n_before, n_after);
    assert_memory_equal(before, after, n_before);
    free(before);
    free(after);
}

static void records_are_written_sorted_and_aligned_and_read_back(void **state)
{
    struct fixture *fixture = *state;
    struct error error;
    read_text(fixture, "# recorded with Debian clang version 22.1.8 (1~deb12u1)\n" COLUMNS A_LINE "\n" B_LINE);
    assert_int_equal(fixture->file.n_problems, 0);
    assert_string_equal(fixture->file.version, "Debian clang version 22.1.8 (1~deb12u1)");
    const struct record *record = record_file_find(&fixture->file, "b_kernel", "gfx90a");
    assert_non_null(record);
    assert_int_equal(record->figure[RECORD_kernarg], 280);
    assert_int_equal(record->figure[RECORD_dynamic], 1);
    assert_int_equal(record->figure[RECORD_limit], CHIP_LIMIT_LDS);
    assert_null(record_file_find(&fixture->file, "a_kernel", "gfx90a"));
    snprintf(fixture->path, sizeof fixture->path, "%.300s/made/deep/out.txt", fixture->folder);
    expect_written(fixture, aligned);
    record_file_free(&fixture->file);
    assert_true(record_file_read(fixture->path, &fixture->file, &error));
    assert_int_equal(fixture->file.n_problems, 0);
    assert_int_equal(fixture->file.n_records, 2);
    record_file_remove(&fixture->file, "a_kernel", "gfx1151");
    assert_int_equal(fixture->file.n_records, 1);
    assert_string_equal(fixture->file.records[0].kernel, "b_kernel");
}

static void records_put_in_any_order_are_found_in_order(void **state)
{
    struct fixture *fixture = *state;
    enum { N = 300 };
    char name[16];
    for (int i = 0; i < N; i++) {
        struct record record = {.kernel = name, .chip = i % 2 ? "gfx90a" : "gfx1151"};
        snprintf(name, sizeof name, "k%03d", i * 7 % N);
        record.figure[RECORD_code] = (uint32_t)(i * 7 % N);
        assert_true(record_file_put(&fixture->file, &record));
    }
    assert_int_equal(fixture->file.n_records, N);
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(fixture->file.records[i].figure[RECORD_code], i);
}

static void a_missing_file_is_an_empty_one(void **state)
{
    struct fixture *fixture = *state;
    struct error error;
    assert_true(record_file_read("/nowhere/records.txt", &fixture->file, &error));
    assert_int_equal(fixture->file.n_records + fixture->file.n_problems, 0);
}

/* Each with a good line before and after, which stay. */
static void wrong_lines_are_named_and_cost_no_other(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        const char *line, *words;
        bool is_lost;
    } cases[] = {
        {"k gfx1151 1 2 3\n", ":3: 5 columns, a record has 16", true},
        {"k gfx1151 1 0 2 0 0 0 0 256 32 100 8 0 16 slots 7\n", ":3: 17 columns, a record has 16", true},
        {"k gfx1151 1 0 2 0 0 0 0 256 32 100 8 0 16 slots 7 8 9\n", ":3: 18 columns or more, a record has 16", true},
        {"not a record at all\n", ":3: 5 columns, a record has 16", true},
        {"{\"kernel\":1}\n", ":3: 1 columns, a record has 16", true},
        {"k gfx1 1 0 2 0 0 0 0 256 32 100 8 0 16 slots\n", ":3: gfx1 is no known chip", true},
        {"k gfx1151 1 0 x2 0 0 0 0 256 32 100 8 0 16 slots\n", ":3: sgprs is not a number: x2", true},
        {"k gfx1151 -1 0 2 0 0 0 0 256 32 100 8 0 16 slots\n", ":3: vgprs is not a number: -1", true},
        {"k gfx1151 1 0 2 4294967295 0 0 0 256 32 100 8 0 16 slots\n", ":3: lds is not a number", true},
        {"k gfx1151 1 0 2 0 0 0 0 256 32 100 8 0 16 16\n", ":3: limit is nothing that limits an occupancy: 16", true},
        {A_LINE, ":3: a_kernel gfx1151 has a record already", true},
        {"a_kernel gfx1030 1 0 2 0 0 0 0 256 32 100 8 0 16 slots\n",
         ":3: a_kernel gfx1030 stands after a_kernel gfx1151; `hipcontract limits --update` sorts them", false},
        {"# kernel chip vgprs colour\n", ":3: colour is no column of a record", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        snprintf(text, sizeof text, COLUMNS A_LINE "%s" COLUMNS B_LINE, cases[i].line);
        read_text(fixture, text);
        assert_int_equal(fixture->file.n_problems, 1);
        const struct record_problem *problem = fixture->file.problems;
        if (!strstr(problem->text, cases[i].words))
            fail_msg("\"%s\" does not say \"%s\"", problem->text, cases[i].words);
        assert_int_equal(strncmp(problem->text, fixture->path, strlen(fixture->path)), 0);
        assert_int_equal(problem->is_lost, cases[i].is_lost);
        assert_non_null(record_file_find(&fixture->file, "a_kernel", "gfx1151"));
        assert_non_null(record_file_find(&fixture->file, "b_kernel", "gfx90a"));
        if (cases[i].is_lost)
            expect_refused(fixture, "nothing is written: mend or delete that line first");
    }
}

static void a_file_that_was_cut_short_is_found(void **state)
{
    struct fixture *fixture = *state;
    for (size_t length = sizeof aligned - 2; length > sizeof aligned - 60; length--) {
        char text[sizeof aligned];
        memcpy(text, aligned, length);
        text[length] = '\0';
        read_text(fixture, text);
        assert_int_equal(fixture->file.n_problems, 1);
        assert_non_null(strstr(fixture->file.problems->text, ":4: the file ends within a record"));
        assert_non_null(record_file_find(&fixture->file, "a_kernel", "gfx1151"));
        assert_null(record_file_find(&fixture->file, "b_kernel", "gfx90a"));
    }
}

static void files_that_cannot_be_read_whole_are_problems(void **state)
{
    struct fixture *fixture = *state;
    struct error error;
    assert_true(record_file_read(fixture->folder, &fixture->file, &error));
    assert_int_equal(fixture->file.n_problems, 1);
    assert_non_null(strstr(fixture->file.problems->text, "cannot be read"));
    record_file_free(&fixture->file);
    static const char nul[] = COLUMNS A_LINE "\0" B_LINE;
    snprintf(fixture->path, sizeof fixture->path, "%.300s/nul.txt", fixture->folder);
    assert_true(file_write(fixture->path, nul, sizeof nul - 1, &error));
    assert_true(record_file_read(fixture->path, &fixture->file, &error));
    assert_int_equal(fixture->file.n_problems, 1);
    assert_non_null(strstr(fixture->file.problems->text, ":3: a NUL byte; what follows it is not read"));
    assert_int_equal(fixture->file.n_records, 1);
    expect_refused(fixture, "a NUL byte");
}

static void a_lost_line_is_made_good_by_the_record_that_it_names(void **state)
{
    struct fixture *fixture = *state;
    struct error error;
    read_text(fixture, COLUMNS A_LINE "b_kernel gfx90a 30 4 20 lost\n");
    struct record record = {
        .kernel = "b_kernel", .chip = "gfx90a", .figure = {30, 4, 20, 64, 0, 0, 0, 256, 64, 844, 280, 1, 7}};
    record.figure[RECORD_limit] = CHIP_LIMIT_LDS;
    expect_refused(fixture, "in.txt:3: 6 columns");
    assert_true(record_file_put(&fixture->file, &record));
    assert_true(record_file_set_version(&fixture->file, "Debian clang version 22.1.8 (1~deb12u1)"));
    expect_written(fixture, aligned);
    /* Of two lines for one kernel, neither is dropped before it was measured. */
    read_text(fixture, COLUMNS A_LINE B_LINE B_LINE);
    expect_refused(fixture, "in.txt:4: b_kernel gfx90a has a record already");
    assert_true(record_file_put(&fixture->file, &record));
    assert_true(record_file_write(fixture->path, &fixture->file, &error));
}

static void columns_that_an_older_file_lacks_are_absent(void **state)
{
    struct fixture *fixture = *state;
    char word[RECORD_WORD_BYTES];
    read_text(fixture, "# kernel chip vgprs occupancy code\nk gfx1151 30 16 844\n");
    assert_int_equal(fixture->file.n_problems, 0);
    const struct record *record = record_file_find(&fixture->file, "k", "gfx1151");
    assert_non_null(record);
    assert_null(fixture->file.version);
    assert_int_equal(record->figure[RECORD_vgprs], 30);
    assert_int_equal(record->figure[RECORD_occupancy], 16);
    assert_int_equal(record->figure[RECORD_code], 844);
    assert_int_equal(record->figure[RECORD_limit], RECORD_ABSENT);
    record_figure_text(record, RECORD_limit, word);
    assert_string_equal(word, "?");
    /* Written beside a record that has all, it is read again as it was. */
    static const char written[] =
        "# kernel chip    vgprs agprs sgprs lds private vspills sspills bound wave code kernarg dynamic occupancy limit\n"
        "k        gfx1151    30     ?     ?   ?       ?       ?       ?     ?    ?  844       ?       ?        16     ?\n";
    expect_written(fixture, written);
    read_text(fixture, written);
    assert_int_equal(fixture->file.n_problems, 0);
    expect_written(fixture, written);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        TEST(records_are_written_sorted_and_aligned_and_read_back),
        TEST(records_put_in_any_order_are_found_in_order),
        TEST(a_missing_file_is_an_empty_one),
        TEST(wrong_lines_are_named_and_cost_no_other),
        TEST(a_file_that_was_cut_short_is_found),
        TEST(files_that_cannot_be_read_whole_are_problems),
        TEST(a_lost_line_is_made_good_by_the_record_that_it_names),
        TEST(columns_that_an_older_file_lacks_are_absent),
    };
    return cmocka_run_group_tests_name("record files", tests, NULL, NULL);
}
