/* Records of many families in one list: none is lost, and what was not compiled is not taken for gone. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contract/base/file.h"
#include "records/record_set.h"
#include "tests/support/scratch.h"

static bool holds(const struct record_set *set, const char *family, const char *kernel, const char *chip)
{
    for (size_t i = 0; i < set->n_records; i++)
        if (strcmp(set->families[i], family) == 0 && strcmp(set->records[i].kernel, kernel) == 0 &&
            strcmp(set->records[i].chip, chip) == 0)
            return true;
    return false;
}

static void add(struct record_set *set, const char *family, const char *kernel, const char *chip, uint32_t vgprs)
{
    struct record record = {.kernel = kernel, .chip = chip};
    record.figure[RECORD_vgprs] = vgprs;
    assert_true(record_set_add(set, family, &record));
}

static void names_are_copied_and_many_records_fit(void **state)
{
    (void)state;
    struct record_set set = {0};
    for (uint32_t i = 0; i < 300; i++) {
        char kernel[16], chip[16], family[16];
        snprintf(kernel, sizeof kernel, "k%u", i);
        snprintf(chip, sizeof chip, "c%u", i);
        snprintf(family, sizeof family, "f%u", i);
        add(&set, family, kernel, chip, i);
        assert_true(record_set_add_gap(&set, kernel, chip));
    }
    assert_int_equal(set.n_records, 300);
    assert_int_equal(set.n_gaps, 300);
    assert_true(holds(&set, "f0", "k0", "c0"));
    assert_true(holds(&set, "f299", "k299", "c299"));
    assert_int_equal(set.records[299].figure[RECORD_vgprs], 299);
    assert_string_equal(set.gaps[64].name, "k64");
    record_set_free(&set);
}

static bool is_of_gfx90a(void *context, const struct record *record)
{
    (void)context;
    return strcmp(record->chip, "gfx90a") == 0;
}

/* Two records, and the version that they are of: the kernel's name. */
static void write_records(const char *folder, const char *name, const char *kernel)
{
    char path[SCRATCH_PATH_BYTES];
    struct record_file file = {0};
    struct error error;
    assert_true(record_file_put(&file, &(struct record){.kernel = kernel, .chip = "gfx1151"}));
    assert_true(record_file_put(&file, &(struct record){.kernel = kernel, .chip = "gfx90a"}));
    assert_true(record_file_set_version(&file, kernel));
    snprintf(path, sizeof path, "%.300s/%s", folder, name);
    assert_true(record_file_write(path, &file, &error));
    record_file_free(&file);
}

static void a_folder_gives_the_records_of_all_of_its_files(void **state)
{
    (void)state;
    char folder[SCRATCH_PATH_BYTES], path[SCRATCH_PATH_BYTES];
    struct record_set set = {0};
    struct error error;
    assert_true(scratch_open(folder));
    write_records(folder, "ds4.txt", "a");
    write_records(folder, "exl3.txt", "b");
    write_records(folder, "notes.md", "c");
    write_records(folder, ".txt", "d");
    struct text problems = {0};
    assert_true(record_set_is_at(folder));
    assert_true(record_set_read(&set, folder, "there", NULL, &problems, &error));
    assert_int_equal(set.n_versions, 2);
    assert_int_equal(set.n_records, 4);
    assert_true(holds(&set, "ds4", "a", "gfx1151") && holds(&set, "exl3", "b", "gfx90a"));
    record_set_free(&set);
    const struct record_filter filter = {.wants = is_of_gfx90a};
    assert_true(record_set_read(&set, folder, "there", &filter, &problems, &error));
    assert_int_equal(problems.length, 0);
    assert_int_equal(set.n_records, 2);
    assert_true(holds(&set, "ds4", "a", "gfx90a") && holds(&set, "exl3", "b", "gfx90a"));
    record_set_free(&set);
    snprintf(path, sizeof path, "%.300s/none", folder);
    assert_false(record_set_is_at(path));
    assert_true(file_make_directories(path, &error));
    assert_false(record_set_is_at(path));
    file_remove_tree(path);
    assert_false(record_set_read(&set, path, "there", NULL, &problems, &error));
    assert_int_equal(error.status, STATUS_USAGE);
    assert_int_equal(strncmp(error.text, path, strlen(path)), 0);
    record_set_free(&set);
    scratch_close(folder);
}

static void a_wrong_line_is_told_by_the_name_that_is_shown_and_costs_no_other(void **state)
{
    (void)state;
    char folder[SCRATCH_PATH_BYTES], path[SCRATCH_PATH_BYTES], *data;
    size_t n_bytes;
    struct record_set set = {0};
    struct text problems = {0}, edited = {0};
    struct error error;
    assert_true(scratch_open(folder));
    write_records(folder, "ds4.txt", "a");
    snprintf(path, sizeof path, "%.300s/ds4.txt", folder);
    assert_true(file_read(path, &data, &n_bytes, &error));
    text_append(&edited, "%sb gfx1 1 2 3\n", data);
    assert_true(file_write(path, edited.data, edited.length, &error));
    assert_true(record_set_read(&set, folder, "HEAD~1:records/c", NULL, &problems, &error));
    assert_int_equal(set.n_records, 2);
    if (!problems.data || strncmp(problems.data, "HEAD~1:records/c/ds4.txt:", 25) != 0 ||
        strchr(problems.data, '\n') != problems.data + problems.length - 1)
        fail_msg("\"%s\"", problems.data ? problems.data : "");
    text_free(&problems);
    text_free(&edited);
    free(data);
    record_set_free(&set);
    scratch_close(folder);
}

/* The other side failed to compile family "hgemm" and kernel "old" of ds4 for gfx950: their records there have no
 * counterpart because of that; those of other chips, and one that is there after all, stay. */
static void what_the_other_side_did_not_compile_is_left_out(void **state)
{
    (void)state;
    struct record_set set = {0}, other = {0};
    add(&set, "hgemm", "gemm", "gfx950", 1);
    add(&set, "hgemm", "gemm", "gfx942", 1);
    add(&set, "hgemm", "there", "gfx950", 1);
    add(&set, "ds4", "old", "gfx950", 1);
    add(&set, "ds4", "gone", "gfx950", 1);
    add(&other, "hgemm", "there", "gfx950", 2);
    assert_true(record_set_add_gap(&other, "hgemm", "gfx950"));
    assert_true(record_set_add_gap(&other, "old", "gfx950"));
    assert_int_equal(record_set_leave_out(&set, &other), 2);
    assert_int_equal(set.n_records, 3);
    assert_true(holds(&set, "hgemm", "gemm", "gfx942"));
    assert_true(holds(&set, "hgemm", "there", "gfx950"));
    assert_true(holds(&set, "ds4", "gone", "gfx950"));
    assert_int_equal(record_set_leave_out(&other, &set), 0);
    record_set_free(&set);
    record_set_free(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_copied_and_many_records_fit),
        cmocka_unit_test(a_folder_gives_the_records_of_all_of_its_files),
        cmocka_unit_test(a_wrong_line_is_told_by_the_name_that_is_shown_and_costs_no_other),
        cmocka_unit_test(what_the_other_side_did_not_compile_is_left_out),
    };
    return cmocka_run_group_tests_name("record_set", tests, NULL, NULL);
}
