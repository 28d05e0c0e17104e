/*
 * Source lines of compiled kernels' instructions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/code_lines.h"
#include "device/code_object.h"
#include "device/emulator/code.h"
#include "tests/support/source_line.h"
#include "toolchain/toolchain.h"

static const char source[] = "tests/kernels/launch.hip";

struct compiled_kernels {
    struct compiled compiled;
    struct code_object object;
    struct code_lines *lines;
};

static int compile_kernels(void **state)
{
    struct error error;
    struct compiled_kernels *kernels = calloc(1, sizeof *kernels);
    struct compile_request request = {.source_path = source, .family = "launch", .chip = "gfx1151"};
    struct toolchain *toolchain = toolchain_open(NULL, &error);
    bool ok = toolchain && toolchain_compile(toolchain, &request, &kernels->compiled, &error) &&
              code_object_parse(kernels->compiled.bytes, kernels->compiled.n_bytes, source, &kernels->object, &error);
    if (!ok)
        fprintf(stderr, "test_code_lines: %s\n", error.text);
    toolchain_close(toolchain);
    kernels->lines = code_lines_open(kernels->compiled.bytes, kernels->compiled.n_bytes);
    *state = kernels;
    return ok ? 0 : -1;
}

static int drop_kernels(void **state)
{
    struct compiled_kernels *kernels = *state;
    code_lines_close(kernels->lines);
    code_object_free(&kernels->object);
    compiled_free(&kernels->compiled);
    free(kernels);
    return 0;
}

/* The address of a kernel's first instruction whose text starts so. */
static uint64_t address_of(const struct compiled_kernels *kernels, const char *kernel_name, const char *start)
{
    struct error error;
    struct emulated_code code;
    const struct code_kernel *kernel = code_object_kernel(&kernels->object, kernel_name);
    size_t n_bytes = code_object_image_bytes(&kernels->object);
    uint8_t *image = calloc(1, n_bytes);
    assert_true(code_object_load(&kernels->object, 0, image, n_bytes, &error));
    assert_true(
        code_decode(chip_find("gfx1151"), 32, image, n_bytes, kernel->entry_address, kernel->code_bytes, &code, &error));
    uint64_t address = UINT64_MAX;
    for (uint32_t i = code.n_instructions; i-- > 0;)
        if (strncmp(code.instructions[i].text, start, strlen(start)) == 0)
            address = code.instructions[i].offset_bytes;
    code_free(&code);
    free(image);
    assert_true(address != UINT64_MAX);
    return address;
}

static void assert_line(const struct compiled_kernels *kernels, uint64_t address, const char *text)
{
    char file[100] = "";
    uint32_t line = 0;
    assert_true(code_lines_find(kernels->lines, address, file, sizeof file, &line));
    assert_string_equal(file, source);
    uint32_t wanted = source_line(source, text);
    assert_true(wanted > 0);
    assert_int_equal(line, wanted);
}

static void a_store_is_at_its_statement(void **state)
{
    assert_line(*state, address_of(*state, "store_at", "global_store_b32"), "out[index] = 7;");
}

/* The barrier's own line is in a header of HIP; a person needs the call. */
static void code_of_a_system_header_is_at_its_call(void **state)
{
    assert_line(*state, address_of(*state, "reverse_block", "s_barrier"), "__syncthreads();");
}

static void addresses_outside_the_code_have_no_line(void **state)
{
    const struct compiled_kernels *kernels = *state;
    char file[100];
    uint32_t line;
    assert_false(code_lines_find(kernels->lines, 0, file, sizeof file, &line));
    assert_false(code_lines_find(kernels->lines, UINT64_MAX, file, sizeof file, &line));
}

static void files_without_tables_are_refused(void **state)
{
    (void)state;
    static const char text[] = "no code object";
    assert_null(code_lines_open(text, sizeof text));
    code_lines_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_store_is_at_its_statement),
        cmocka_unit_test(code_of_a_system_header_is_at_its_call),
        cmocka_unit_test(addresses_outside_the_code_have_no_line),
        cmocka_unit_test(files_without_tables_are_refused),
    };
    return cmocka_run_group_tests(tests, compile_kernels, drop_kernels);
}
