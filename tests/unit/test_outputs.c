/* Outputs of cases in the log and in files: what is written can be read, and a file that is not the case's is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "contract/base/file.h"
#include "contract/executed.h"
#include "reports/kept_outputs.h"
#include "reports/npy.h"
#include "reports/outputs_json.h"
#include "tests/support/scratch.h"

enum { ROWS = 3, COLUMNS = 5 };

static const float y[ROWS][COLUMNS] = {{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}, {1, 2, 3, 4, 5}};
static const uint16_t z[2] = {0x3f80, 0xbf80};
static const struct executed executed[] = {{"v_add_f32", "VALU", 12}, {"s_mov_b32", "SALU", 3}, {"v_mul_f32", "VALU", 1}};
static const struct reg_plan plan = {
    .n_tensors = 3,
    .tensor = {{"x", FORMAT_F32, REG_INPUT, 1, 1},
               {"y", FORMAT_F32, REG_OUTPUT, ROWS, COLUMNS},
               {"z", FORMAT_BF16, REG_OUTPUT, 1, 2}},
};

static struct case_outputs sample(void)
{
    return (struct case_outputs){.registration = "k",
                                 .chip = "gfx1151",
                                 .shape = "3x5",
                                 .pattern = "signed",
                                 .code = {1, 2},
                                 .plan = &plan,
                                 .data = {NULL, y, z},
                                 .executed = executed,
                                 .n_executed = 3};
}

static void outputs_survive_the_log(void **state)
{
    (void)state;
    struct case_outputs outputs = sample();
    struct logged_outputs back;
    struct arena arena = {0};
    json_t *object = outputs_to_json(&outputs);
    assert_true(outputs_from_json(object, &arena, &back));
    json_decref(object);
    assert_string_equal(back.registration, "k");
    assert_string_equal(back.pattern, "signed");
    assert_true(hash_equal(back.code, outputs.code));
    assert_int_equal(back.n_tensors, 2);
    assert_string_equal(back.tensors[0].name, "y");
    assert_int_equal(back.tensors[0].rows, ROWS);
    assert_int_equal(back.tensors[0].columns, COLUMNS);
    assert_true(hash_equal(back.tensors[0].hash, hash_bytes(y, sizeof y)));
    for (int row = 0; row < ROWS; row++)
        assert_true(hash_equal(back.tensors[0].row_hashes[row], hash_bytes(y[row], sizeof y[row])));
    assert_int_equal(back.tensors[1].format, FORMAT_BF16);
    assert_int_equal(back.n_executed, 3);
    for (size_t i = 0; i < back.n_executed; i++) { /* by class now */
        const struct executed *row = &back.executed[i];
        const struct executed *expected = &executed[i == 0 ? 0 : 3 - i];
        assert_string_equal(row->mnemonic, expected->mnemonic);
        assert_string_equal(row->class, expected->class);
        assert_int_equal(row->n_executed, expected->n_executed);
    }
    arena_free(&arena);
}

/* Of a GPU, which counts nothing. */
static void outputs_without_counts_have_none(void **state)
{
    (void)state;
    struct case_outputs outputs = sample();
    struct logged_outputs back;
    struct arena arena = {0};
    outputs.n_executed = 0;
    json_t *object = outputs_to_json(&outputs);
    assert_null(json_object_get(object, "executed"));
    assert_true(outputs_from_json(object, &arena, &back));
    assert_int_equal(back.n_executed, 0);
    json_decref(object);
    arena_free(&arena);
}

/* Sets a field of the record, or of its first tensor. */
static void spoil(json_t *object, const char *name, const char *value)
{
    json_t *spoiled = json_loads(value, JSON_DECODE_ANY, NULL);
    json_t *tensor = json_array_get(json_object_get(object, "tensors"), 0);
    json_object_set_new(json_object_get(tensor, name) ? tensor : object, name, spoiled);
}

static void wrong_fields_are_refused(void **state)
{
    (void)state;
    static const char *const spoils[][2] = {
        {"registration", "5"},
        {"code", "\"12\""},
        {"tensors", "[]"},
        {"tensors", "[5]"},
        {"executed", "[1]"},
        {"executed", "{\"VALU\": 5}"},
        {"executed", "{\"VALU\": {\"v_a\": \"1\"}}"},
        {"format", "\"f8\""},
        {"rows", "4"},
        {"columns", "0"},
        {"columns", "9223372036854775807"},
        {"hash", "\"xyz\""},
        {"row_hashes", "[]"},
        {"row_hashes", "[\"0\", \"1\", \"2\"]"},
    };
    for (size_t i = 0; i < sizeof spoils / sizeof *spoils; i++) {
        struct case_outputs outputs = sample();
        struct logged_outputs back;
        struct arena arena = {0};
        json_t *object = outputs_to_json(&outputs);
        spoil(object, spoils[i][0], spoils[i][1]);
        if (outputs_from_json(object, &arena, &back))
            fail_msg("%s as %s is taken", spoils[i][0], spoils[i][1]);
        json_decref(object);
        arena_free(&arena);
    }
}

static void a_hash_is_read_only_as_it_is_written(void **state)
{
    (void)state;
    char hex[33];
    struct hash128 hash = hash_bytes("a", 1), back = {0};
    hash_hex(hash, hex);
    assert_true(hash_from_hex(hex, &back) && hash_equal(hash, back));
    assert_false(hash_from_hex(NULL, &back) || hash_from_hex("", &back) || hash_from_hex(hex + 1, &back));
    hex[20] = 'G';
    assert_false(hash_from_hex(hex, &back));
    memcpy(hex, "0x", 2);
    assert_false(hash_from_hex(hex, &back));
}

static char folder[SCRATCH_PATH_BYTES];

static int open_folder(void **state)
{
    (void)state;
    return scratch_open(folder) ? 0 : -1;
}

static int close_folder(void **state)
{
    (void)state;
    scratch_close(folder);
    return 0;
}

static const char *scratch_path(const char *name)
{
    static char path[2 * SCRATCH_PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void a_tensor_comes_back_from_its_file(void **state)
{
    (void)state;
    struct error error = {0};
    void *back = NULL;
    const char *path = scratch_path("y.npy");
    assert_true(npy_write(path, FORMAT_F32, ROWS, COLUMNS, y, &error));
    assert_true(npy_read(path, FORMAT_F32, ROWS, COLUMNS, &back, &error));
    assert_memory_equal(back, y, sizeof y);
    free(back);
}

/* As numpy.save writes it, but for the number of spaces. */
static void a_file_is_what_numpy_reads(void **state)
{
    (void)state;
    char *file = NULL;
    size_t n_bytes;
    const char *path = scratch_path("z.npy");
    assert_true(npy_write(path, FORMAT_BF16, 1, 2, z, NULL));
    if (!file_read(path, &file, &n_bytes, NULL)) {
        fail_msg("%s is not there", path);
        return;
    }
    assert_memory_equal(file, "\x93NUMPY\x01\x00", 8);
    size_t header = 10 + (unsigned char)file[8] + 256 * (size_t)(unsigned char)file[9];
    assert_int_equal(header % 64, 0);
    assert_int_equal(n_bytes, header + sizeof z);
    assert_memory_equal(file + 10, "{'descr': '<u2', 'fortran_order': False, 'shape': (1, 2), }", 59);
    assert_int_equal(file[header - 1], '\n');
    assert_memory_equal(file + header, z, sizeof z);
    free(file);
}

static void a_file_of_another_tensor_is_refused(void **state)
{
    (void)state;
    struct error error = {0};
    void *back = NULL;
    const char *path = scratch_path("y.npy");
    assert_true(npy_write(path, FORMAT_F32, ROWS, COLUMNS, y, &error));
    assert_false(npy_read(path, FORMAT_F32, COLUMNS, ROWS, &back, &error));
    assert_non_null(strstr(error.text, "y.npy: not the f32 tensor of 5 x 3"));
    assert_false(npy_read(path, FORMAT_I32, ROWS, COLUMNS, &back, &error));
    assert_true(file_write(path, "\x93NUMPY", 6, &error));
    assert_false(npy_read(path, FORMAT_F32, ROWS, COLUMNS, &back, &error));
}

static void outputs_are_kept_by_case(void **state)
{
    (void)state;
    struct kept_outputs kept;
    struct error error = {0};
    void *back = NULL;
    struct case_outputs outputs = sample();
    char into[2 * SCRATCH_PATH_BYTES];
    outputs.shape = "3x5 a/b";
    snprintf(into, sizeof into, "%s", scratch_path("kept"));
    assert_true(kept_outputs_open(&kept, into, &error));
    kept_outputs_sink(&kept).outputs(&kept, &outputs);
    assert_true(kept_outputs_close(&kept, &error));
    assert_true(
        npy_read(scratch_path("kept/gfx1151/k/3x5%20a%2Fb/signed/y.f32.npy"), FORMAT_F32, ROWS, COLUMNS, &back, &error));
    free(back);
    assert_true(npy_read(scratch_path("kept/gfx1151/k/3x5%20a%2Fb/signed/z.bf16.npy"), FORMAT_BF16, 1, 2, &back, &error));
    free(back);
    assert_false(file_exists(scratch_path("kept/gfx1151/k/3x5%20a%2Fb/signed/x.f32.npy")));
}

static void a_folder_that_cannot_be_written_is_told_once(void **state)
{
    (void)state;
    struct kept_outputs kept;
    struct error error = {0};
    struct case_outputs outputs = sample();
    char into[2 * SCRATCH_PATH_BYTES];
    assert_true(file_write(scratch_path("file"), "", 0, &error));
    assert_false(kept_outputs_open(&kept, scratch_path("file"), &error));
    assert_int_equal(error.status, STATUS_USAGE);
    snprintf(into, sizeof into, "%s", scratch_path("folder"));
    assert_true(kept_outputs_open(&kept, into, &error));
    assert_true(file_write(scratch_path("folder/gfx1151"), "", 0, &error));
    kept_outputs_sink(&kept).outputs(&kept, &outputs);
    outputs.chip = "gfx1100";
    kept_outputs_sink(&kept).outputs(&kept, &outputs);
    assert_false(kept_outputs_close(&kept, &error));
    assert_int_equal(error.status, STATUS_USAGE);
    assert_non_null(strstr(error.text, "folder/gfx1151"));
    assert_non_null(strstr(error.text, "the verdicts above are complete, the kept outputs are not"));
}

/* A device whose instructions have each been executed `executions` times. */
static uint64_t executions;

static void visit(struct device *device, profile_visitor *visitor, void *context)
{
    (void)device;
    static const struct hash128 code = {1, 2}, other = {3, 4};
    const struct instruction_profile counts = {.n_executed = executions}, once = {.n_executed = 1};
    const struct profiled_instruction rows[] = {
        {.code = code, .text = "v_add_f32 v0, v1, v2", .mnemonic = "v_add_f32", .class = "VALU", .counts = &counts},
        {.code = other, .text = "v_rcp_f32 v0, v1", .mnemonic = "v_rcp_f32", .class = "TRANSCENDENTAL", .counts = &counts},
        {.code = code, .text = "v_add_f32 v3, v1, v2", .mnemonic = "v_add_f32", .class = "VALU", .counts = &counts},
        {.code = code, .text = "s_nop 0", .mnemonic = "s_nop", .class = "HINT", .counts = &once},
        {.code = code,
         .text = "v_dual_mov_b32 v0, v1 :: v_dual_add_f32 v2, v3, v4",
         .mnemonic = "v_dual",
         .class = "VALU",
         .counts = &counts},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        visitor(context, &rows[i]);
}

static void executions_are_counted_from_a_mark_on(void **state)
{
    (void)state;
    struct device device = {.visit_profile = visit};
    struct arena arena = {0};
    struct executed_list before, list;
    executions = 10;
    assert_true(executed_count(&device, (struct hash128){1, 2}, &arena, &before, NULL));
    assert_int_equal(before.n, 4);
    executions = 13;
    assert_true(executed_count(&device, (struct hash128){1, 2}, &arena, &list, NULL));
    executed_since(&before, &list);
    assert_int_equal(list.n, 3);
    assert_string_equal(list.rows[0].mnemonic, "v_add_f32");
    assert_int_equal(list.rows[0].n_executed, 2 * 3);
    assert_string_equal(list.rows[1].mnemonic, "v_dual_mov_b32");
    assert_string_equal(list.rows[2].mnemonic, "v_dual_add_f32");
    assert_int_equal(list.rows[2].n_executed, 3);
    arena_free(&arena);
}

static void a_device_that_does_not_count_executes_nothing_known(void **state)
{
    (void)state;
    struct device device = {0};
    struct arena arena = {0};
    struct executed_list list;
    assert_true(executed_count(&device, (struct hash128){1, 2}, &arena, &list, NULL));
    assert_int_equal(list.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_survive_the_log),
        cmocka_unit_test(outputs_without_counts_have_none),
        cmocka_unit_test(wrong_fields_are_refused),
        cmocka_unit_test(a_hash_is_read_only_as_it_is_written),
        cmocka_unit_test(a_tensor_comes_back_from_its_file),
        cmocka_unit_test(a_file_is_what_numpy_reads),
        cmocka_unit_test(a_file_of_another_tensor_is_refused),
        cmocka_unit_test(outputs_are_kept_by_case),
        cmocka_unit_test(a_folder_that_cannot_be_written_is_told_once),
        cmocka_unit_test(executions_are_counted_from_a_mark_on),
        cmocka_unit_test(a_device_that_does_not_count_executes_nothing_known),
    };
    return cmocka_run_group_tests_name("outputs", tests, open_folder, close_folder);
}
