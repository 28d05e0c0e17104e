/* Dumped lines have the bytes of each row and their hashes, whatever made them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "commands/row_dump.h"

/* A case of two inputs, a workspace and an output. */
struct dumped_case {
    struct registration registration;
    struct reg_shape shape;
    struct host_case host;
    struct outputs outputs;
    unsigned char bytes[12];
    uint16_t halves[3];
    float out[2];
};

/* The buffer of xxHash's own sanity check (cli/xsum_sanity_check.c). */
static void fill_sanity_buffer(unsigned char *bytes, size_t n)
{
    uint64_t generator = 2654435761u;
    for (size_t i = 0; i < n; i++, generator *= 11400714785074694797u)
        bytes[i] = (unsigned char)(generator >> 56);
}

static void open_case(struct dumped_case *d)
{
    *d = (struct dumped_case){.registration = {.name = "k"}, .shape = {.label = "2x6"}, .halves = {0x3c00, 0xfc00, 0x8000}};
    fill_sanity_buffer(d->bytes, sizeof d->bytes);
    d->out[0] = 1.5f;
    d->out[1] = -0.0f;
    struct reg_plan *plan = &d->host.plan;
    plan->n_tensors = 4;
    plan->tensor[0] = (struct reg_tensor){"x", FORMAT_U8, REG_INPUT, 2, 6};
    plan->tensor[1] = (struct reg_tensor){"scratch", FORMAT_U8, REG_WORKSPACE, 9, 1};
    plan->tensor[2] = (struct reg_tensor){"h", FORMAT_F16, REG_INPUT, 1, 3};
    plan->tensor[3] = (struct reg_tensor){"y", FORMAT_F32, REG_OUTPUT, 2, 1};
    d->host.c = (struct reg_case){.registration = &d->registration,
                                  .shape = &d->shape,
                                  .pattern = REG_PATTERN_EDGES,
                                  .plan = plan,
                                  .data = {d->bytes, NULL, d->halves, NULL}};
    d->outputs.data[3] = d->out;
}

enum { TEXT_BYTES = 4096 };

static void print(const struct row_dump *dump, const struct dumped_case *d, char text[TEXT_BYTES])
{
    FILE *out = fmemopen(text, TEXT_BYTES, "w");
    row_dump_print(dump, out, &d->host, &d->outputs);
    assert_int_equal(fclose(out), 0);
}

/* XXH3-128 of the first 6 and 12 bytes of xxHash's sanity buffer, with seed 0, as its sanity check has them (high half
 * first). */
static void hashes_of_rows_and_of_the_whole(void **state)
{
    (void)state;
    struct dumped_case d;
    struct row_dump dump = {.hashes = true, .row = -1};
    char text[TEXT_BYTES];
    open_case(&d);
    print(&dump, &d, text);
    assert_non_null(strstr(text, "HASH k 2x6 edges x all 6e3efd8fc7802b18061a192713f69ad9\n"
                                 "HASH k 2x6 edges x 0 082afe0b8162d12a3e7039bdda43cfc6\n"
                                 "HASH k 2x6 edges x 1 "));
    assert_non_null(strstr(text, "\nHASH k 2x6 edges y 1 "));
    assert_null(strstr(text, "scratch"));
    assert_null(strstr(text, "ROW"));
}

/* The text of a line that starts so. */
static void line_of(const char *text, const char *start, char line[80])
{
    const char *at = strstr(text, start);
    assert_non_null(at);
    snprintf(line, 80, "%.*s", (int)strcspn(at, "\n"), at);
}

static void one_bit_changes_the_row_s_hash_and_the_whole_s(void **state)
{
    (void)state;
    static const char *const starts[] = {"HASH k 2x6 edges x all ", "HASH k 2x6 edges x 1 ", "HASH k 2x6 edges x 0 ",
                                         "HASH k 2x6 edges h all ", "HASH k 2x6 edges y all "};
    struct dumped_case d;
    struct row_dump dump = {.hashes = true, .row = -1};
    char line[80], before[TEXT_BYTES], after[TEXT_BYTES];
    open_case(&d);
    print(&dump, &d, before);
    d.bytes[11] ^= 1;
    print(&dump, &d, after);
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        line_of(before, starts[i], line);
        assert_int_equal(strstr(after, line) != NULL, i >= 2);
    }
}

static void row_has_bits_and_values_of_the_tensors_that_have_it(void **state)
{
    (void)state;
    struct dumped_case d;
    struct row_dump dump = {.row = 0};
    char text[TEXT_BYTES];
    open_case(&d);
    print(&dump, &d, text);
    assert_non_null(strstr(text, "ROW k 2x6 edges x 0 5 0x32 50\n"
                                 "ROW k 2x6 edges h 0 0 0x3c00 1\n"
                                 "ROW k 2x6 edges h 0 1 0xfc00 -inf\n"
                                 "ROW k 2x6 edges h 0 2 0x8000 -0\n"
                                 "ROW k 2x6 edges y 0 0 0x3fc00000 1.5\n"));
    assert_null(strstr(text, "HASH"));
    dump.row = 1;
    print(&dump, &d, text);
    assert_non_null(strstr(text, "ROW k 2x6 edges y 1 0 0x80000000 -0\n"));
    assert_null(strstr(text, " h "));
}

static void output_that_no_launch_left_is_none(void **state)
{
    (void)state;
    struct dumped_case d;
    struct row_dump dump = {.hashes = true, .row = 1};
    char text[TEXT_BYTES];
    open_case(&d);
    d.outputs.data[3] = NULL;
    print(&dump, &d, text);
    assert_non_null(strstr(text, "\nHASH k 2x6 edges y all none\nROW k 2x6 edges y 1 none\n"));
    assert_non_null(strstr(text, "x 0 082afe0b8162d12a3e7039bdda43cfc6\n"));
}

/* The workspace has nine rows, but is never dumped. */
static void row_that_no_tensor_has_is_refused(void **state)
{
    (void)state;
    struct dumped_case d;
    struct error error = {0};
    open_case(&d);
    assert_true(row_dump_fits(&(struct row_dump){.row = -1}, &d.host.plan, &error));
    assert_true(row_dump_fits(&(struct row_dump){.row = 1}, &d.host.plan, &error));
    assert_false(row_dump_fits(&(struct row_dump){.row = 2}, &d.host.plan, &error));
    assert_int_equal(error.status, STATUS_USAGE);
    assert_string_equal(error.text, "--dump-row 2: no tensor of this shape has that row; give 0 to 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_of_rows_and_of_the_whole),
        cmocka_unit_test(one_bit_changes_the_row_s_hash_and_the_whole_s),
        cmocka_unit_test(row_has_bits_and_values_of_the_tensors_that_have_it),
        cmocka_unit_test(output_that_no_launch_left_is_none),
        cmocka_unit_test(row_that_no_tensor_has_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
