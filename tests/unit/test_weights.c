/* Weights from a file, for a family that is nobody's: which bytes reach which input, and what a wrong hook is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contract/base/file.h"
#include "contract/host_case.h"
#include "contract/weights.h"
#include "tests/support/exl3_file.h"
#include "tests/support/fake_kernels.h"
#include "tests/support/scratch.h"

enum { COLUMNS = 40 };

static char folder[SCRATCH_PATH_BYTES], layer[SCRATCH_PATH_BYTES + 16];

/* y = X w with w the file's "layer.w", and "layer.scale" for the fill of X alone. */
static int write_layer(void **state)
{
    (void)state;
    float data[COLUMNS + 1];
    size_t n_bytes;
    struct error error = {0};
    for (int i = 0; i <= COLUMNS; i++)
        data[i] = (float)(i + 1) / 64;
    unsigned char *bytes = safetensors_bytes("{\"layer.w\":{\"dtype\":\"F32\",\"shape\":[40],\"data_offsets\":[0,160]},"
                                             "\"layer.scale\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[160,164]},"
                                             "\"layer.none\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[164,164]}}",
                                             data, sizeof data, &n_bytes);
    assert_true(scratch_open(folder));
    snprintf(layer, sizeof layer, "%s/a:b", folder); /* only the last colon ends the file's name */
    assert_true(file_write(layer, bytes, n_bytes, &error));
    snprintf(layer, sizeof layer, "%s/a:b:layer", folder);
    free(bytes);
    return 0;
}

static int remove_layer(void **state)
{
    (void)state;
    scratch_close(folder);
    return 0;
}

static bool shape_of_w(const struct registration *r, const struct reg_file *file, int64_t rows, int64_t dim[REG_MAX_DIMS],
                       struct error *error)
{
    (void)r;
    (void)error;
    dim[0] = rows;
    dim[1] = file->dim[0][0];
    return true;
}

static bool shape_one_short(const struct registration *r, const struct reg_file *file, int64_t rows,
                            int64_t dim[REG_MAX_DIMS], struct error *error)
{
    bool ok = shape_of_w(r, file, rows, dim, error);
    dim[1]--;
    return ok;
}

static bool shape_of_nobody(const struct registration *r, const struct reg_file *file, int64_t rows,
                            int64_t dim[REG_MAX_DIMS], struct error *error)
{
    (void)r, (void)file, (void)rows, (void)dim;
    return error_set(error, STATUS_USAGE, "40 is not 41");
}

static void fill_with_scale(const struct reg_case *c, int tensor, void *data)
{
    const struct reg_tensor *x = &c->plan->tensor[tensor];
    assert_int_equal(tensor, FAKE_X);
    for (int64_t i = 0; i < tensor_elements(x); i++)
        memcpy((float *)data + i, c->file->data[1], sizeof(float));
}

static const struct reg_file_tensor tensors[] = {{.suffix = "w", .dtype = "F32", .n_dims = 1, .input = "w"},
                                                 {.suffix = "scale", .dtype = "F32"}};

static void bytes_reach_their_input_and_the_fill(void **state)
{
    (void)state;
    static const struct reg_weights hook = {tensors, 2, shape_of_w, fill_with_scale};
    struct registration r = fake_registration("dot");
    struct weights weights;
    struct reg_shape shape;
    struct host_case host;
    struct error error = {0};
    r.weights = &hook;
    if (!weights_open(&weights, &r, layer, &error) || !weights_shape(&weights, 3, &shape, &error) ||
        !host_case_open_file(&host, &r, &shape, &weights.file, REG_PATTERN_CLASSES, 1, 1, &error))
        fail_msg("%s", error.text);
    assert_string_equal(shape.label, "3x40");
    assert_string_equal(weights.unused, "none F32 [0]");
    for (int i = 0; i < COLUMNS; i++)
        assert_true(((float *)host.c.data[FAKE_W])[i] == (float)(i + 1) / 64);
    for (int i = 0; i < 3 * COLUMNS; i++)
        assert_true(((float *)host.c.data[FAKE_X])[i] == (float)(COLUMNS + 1) / 64);
    host_case_close(&host);
    weights_close(&weights);
}

/* Without a fill of the hook's own, the registration's fills the rest. */
static void other_inputs_are_filled_as_ever(void **state)
{
    (void)state;
    static const struct reg_weights hook = {tensors, 1, shape_of_w, NULL};
    struct registration r = fake_registration("dot");
    struct weights weights;
    struct reg_shape shape;
    struct host_case with, without;
    struct error error = {0};
    r.weights = &hook;
    assert_true(weights_open(&weights, &r, layer, &error) && weights_shape(&weights, 3, &shape, &error));
    assert_string_equal(weights.unused, "scale F32 [], none F32 [0]");
    assert_true(host_case_open_file(&with, &r, &shape, &weights.file, REG_PATTERN_SIGNED, 1, 1, &error));
    assert_true(host_case_open(&without, &r, &shape, REG_PATTERN_SIGNED, 1, 1, &error));
    assert_memory_equal(with.c.data[FAKE_X], without.c.data[FAKE_X], 3 * COLUMNS * sizeof(float));
    assert_memory_not_equal(with.c.data[FAKE_W], without.c.data[FAKE_W], COLUMNS * sizeof(float));
    host_case_close(&with);
    host_case_close(&without);
    weights_close(&weights);
}

static void hooks_that_do_not_fit_their_plan_are_refused(void **state)
{
    (void)state;
    static const struct reg_file_tensor no_input[] = {{.suffix = "w", .dtype = "F32", .n_dims = 1, .input = "nothing"}};
    static const struct reg_file_tensor output[] = {{.suffix = "w", .dtype = "F32", .n_dims = 1, .input = "y"}};
    static const struct {
        struct reg_weights hook;
        const char *says;
    } rows[] = {
        {{tensors, 2, shape_one_short, NULL}, "layer.w has 160 bytes; the kernel's w takes 156"},
        {{no_input, 1, shape_of_w, NULL}, "its plan has no input nothing, which w should fill"},
        {{output, 1, shape_of_w, NULL}, "its plan has no input y, which w should fill"},
        {{tensors, 2, shape_of_nobody, NULL}, "layer is not for fake_dot: 40 is not 41"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct registration r = fake_registration("dot");
        struct weights weights;
        struct reg_shape shape;
        struct error error = {0};
        r.weights = &rows[i].hook;
        assert_true(weights_open(&weights, &r, layer, &error));
        assert_false(weights_shape(&weights, 3, &shape, &error));
        assert_int_equal(error.status, STATUS_USAGE);
        if (!strstr(error.text, rows[i].says))
            fail_msg("\"%s\" does not say \"%s\"", error.text, rows[i].says);
        weights_close(&weights);
    }
}

static void a_tensor_of_no_elements_is_refused(void **state)
{
    (void)state;
    static const struct reg_file_tensor none = {.suffix = "none", .dtype = "F32", .n_dims = 1};
    static const struct reg_weights hook = {&none, 1, shape_of_w, NULL};
    struct registration r = fake_registration("dot");
    struct weights weights;
    struct error error = {0};
    r.weights = &hook;
    assert_false(weights_open(&weights, &r, layer, &error));
    assert_non_null(strstr(error.text, "layer.none is F32 [0]; F32 in 1 dimensions, none of them 0, is wanted"));
    weights_close(&weights);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_reach_their_input_and_the_fill),
        cmocka_unit_test(other_inputs_are_filled_as_ever),
        cmocka_unit_test(a_tensor_of_no_elements_is_refused),
        cmocka_unit_test(hooks_that_do_not_fit_their_plan_are_refused),
    };
    return cmocka_run_group_tests(tests, write_layer, remove_layer);
}
