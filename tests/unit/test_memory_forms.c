/*
 * Memory instructions that compilers emit on request only, in kernels (tests/kernels/memory_forms.hip), on every chip that
 * has them, with every check on: the values are right, and the sanitizer finds nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/kernel_module.h"

enum { ITEMS = 256 };

typedef void run_form(struct kernel_module *module);

static void call(struct kernel_module *module, const struct kernel_call *kernel)
{
    assert_true(kernel_module_call(module, kernel));
}

static void loads_to_lds(struct kernel_module *module)
{
    uint32_t in[ITEMS], out[ITEMS];
    for (uint32_t i = 0; i < ITEMS; i++)
        in[i] = 1000 + 3 * i;
    call(module, &(struct kernel_call){"to_lds", {1}, {ITEMS}, 0, {{in, sizeof in}, {out, sizeof out}}, {0}, 0});
    for (uint32_t i = 0; i < ITEMS; i++)
        assert_int_equal(out[i], 1000 + 3 * ((i + 100) % ITEMS));
}

static void clipped_buffer(struct kernel_module *module)
{
    enum { N = 150 };
    uint32_t in[ITEMS], out[2 * ITEMS];
    for (uint32_t i = 0; i < ITEMS; i++)
        in[i] = 7 * i + 5;
    memset(out, 0xee, sizeof out);
    call(module,
         &(struct kernel_call){"clipped_buffer", {1}, {ITEMS}, 0, {{in, sizeof in}, {out, sizeof out}}, {4 * N}, 1});
    for (uint32_t i = 0; i < ITEMS; i++) {
        assert_int_equal(out[i], i < N ? in[i] + 1 : 0xeeeeeeeeu);
        assert_int_equal(out[ITEMS + i], i < N ? in[i] : 0);
    }
}

/* Matrices of n_rows rows, as many lanes each as they have columns; a lane gets its column, n_rows words. */
static void check_columns(struct kernel_module *module, uint32_t n_rows, uint32_t n_columns)
{
    uint16_t in[8 * ITEMS], out[8 * ITEMS];
    uint32_t n_words = n_rows * ITEMS;
    for (uint32_t i = 0; i < n_words; i++)
        in[i] = (uint16_t)(31 * i + 7);
    call(module, &(struct kernel_call){"columns", {1}, {ITEMS}, 0, {{in, 2 * n_words}, {out, 2 * n_words}}, {0}, 0});
    for (uint32_t item = 0; item < ITEMS; item++)
        for (uint32_t row = 0; row < n_rows; row++) {
            uint32_t matrix = item / n_columns, column = item % n_columns;
            assert_int_equal(out[item * n_rows + row], in[(matrix * n_rows + row) * n_columns + column]);
        }
}

static void columns_of_16(struct kernel_module *module)
{
    check_columns(module, 4, 16);
}

static void columns_of_8(struct kernel_module *module)
{
    check_columns(module, 8, 8);
}

/* Sums of 256 ones and their like, exact in f16. */
static void packed_sums(struct kernel_module *module)
{
    const uint16_t f256 = 0x5c00, minus_256 = 0xdc00, f512 = 0x6000;
    uint16_t sum[2] = {0, 0}, out[2] = {0, 0};
    call(module, &(struct kernel_call){"packed_sums", {1}, {ITEMS}, 0, {{sum, sizeof sum}, {out, sizeof out}}, {0}, 0});
    assert_int_equal(sum[0], f256);
    assert_int_equal(sum[1], minus_256);
    assert_int_equal(out[0], f256);
    assert_int_equal(out[1], f512);
}

/* Bytes over 255. */
static void typed_loads(struct kernel_module *module)
{
    uint8_t in[ITEMS];
    float out[ITEMS];
    for (uint32_t i = 0; i < ITEMS; i++)
        in[i] = (uint8_t)(5 * i + 1);
    call(module, &(struct kernel_call){"typed", {1}, {ITEMS}, 0, {{in, sizeof in}, {out, sizeof out}}, {0}, 0});
    for (uint32_t i = 0; i < ITEMS; i++)
        assert_true(out[i] == (float)in[i] / 255.0f);
}

static const struct form {
    const char *chip;
    run_form *run;
} forms[] = {
    {"gfx1030", clipped_buffer}, {"gfx1151", clipped_buffer}, {"gfx1201", clipped_buffer}, {"gfx908", clipped_buffer},
    {"gfx90a", clipped_buffer},  {"gfx942", clipped_buffer},  {"gfx950", clipped_buffer},  {"gfx90a", loads_to_lds},
    {"gfx942", loads_to_lds},    {"gfx950", loads_to_lds},    {"gfx950", columns_of_16},   {"gfx1201", columns_of_8},
    {"gfx90a", typed_loads},     {"gfx1201", packed_sums},    {"gfx90a", packed_sums},     {"gfx942", packed_sums},
    {"gfx950", packed_sums},
};

static void forms_give_the_right_values_and_no_finding(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct kernel_module module;
        const struct kernel_build build = {.chip = forms[i].chip, .optimisation = "-O2"};
        assert_true(kernel_module_open(&module, "tests/kernels/memory_forms.hip", &build, 1));
        module.device->set_checks(module.device, CHECKS_ALL);
        forms[i].run(&module);
        kernel_module_close(&module);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_give_the_right_values_and_no_finding),
    };
    return cmocka_run_group_tests_name("memory forms", tests, NULL, NULL);
}
