/* The cache is keyed by content: whatever can change the code object changes the key, and nothing stale is ever served. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "contract/base/file.h"
#include "device/code_object.h"
#include "tests/support/scratch.h"
#include "toolchain/cache.h"
#include "toolchain/process.h"
#include "toolchain/toolchain.h"

/* HIP without its headers, so that a compile takes little time. */
static const char source[] = "#include \"factor.h\"\n"
                             "extern \"C\" __attribute__((global)) void scale(float *p)\n"
                             "{\n"
                             "    p[__builtin_amdgcn_workitem_id_x()] *= 1.25f * FACTOR;\n"
                             "}\n";
static const char other_body[] = "#include \"factor.h\"\n"
                                 "extern \"C\" __attribute__((global)) void scale(float *p)\n"
                                 "{\n"
                                 "    p[__builtin_amdgcn_workitem_id_x()] *= 1.50f * FACTOR;\n"
                                 "}\n";
static const char header[] = "#ifndef FACTOR\n#define FACTOR 3.0f\n#endif\n";

struct fixture {
    char folder[SCRATCH_PATH_BYTES], cache[SCRATCH_PATH_BYTES], path[SCRATCH_PATH_BYTES];
    struct toolchain *toolchain;
};

static void write_sources(struct fixture *fixture, const char *body, const char *included)
{
    char path[SCRATCH_PATH_BYTES];
    assert_true(scratch_write(fixture->folder, "factor.h", included, path));
    assert_true(scratch_write(fixture->folder, "scale.hip", body, fixture->path));
}

static int open_fixture(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct error error = {0};
    if (!fixture || !scratch_open(fixture->folder))
        return -1;
    snprintf(fixture->cache, sizeof fixture->cache, "%.400s/cache", fixture->folder);
    fixture->toolchain = toolchain_open(fixture->cache, &error);
    if (!fixture->toolchain) {
        print_error("%s\n", error.text);
        return -1;
    }
    write_sources(fixture, source, header);
    *state = fixture;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *fixture = *state;
    toolchain_close(fixture->toolchain);
    scratch_close(fixture->folder);
    free(fixture);
    return 0;
}

struct variant {
    const char *chip, *define, *optimisation;
    unsigned wave_size;
};

static struct compiled compile(const struct fixture *fixture, struct variant variant)
{
    struct compile_request request = {.source_path = fixture->path,
                                      .family = "scale",
                                      .chip = variant.chip ? variant.chip : "gfx1151",
                                      .defines = &variant.define,
                                      .n_defines = variant.define != NULL,
                                      .optimisation = variant.optimisation,
                                      .wave_size = variant.wave_size};
    struct compiled compiled;
    struct error error = {0};
    if (!toolchain_compile(fixture->toolchain, &request, &compiled, &error))
        fail_msg("%s", error.text);
    return compiled;
}

/* The variant is compiled, not taken from the cache, and has another key than the plain one; asked again, it is a hit. */
static void expect_miss_then_hit(const struct fixture *fixture, struct variant variant, struct hash128 plain)
{
    struct compiled first = compile(fixture, variant), second = compile(fixture, variant);
    assert_false(first.from_cache);
    assert_false(hash_equal(first.key, plain));
    assert_true(second.from_cache);
    assert_true(hash_equal(first.key, second.key));
    assert_int_equal(first.n_bytes, second.n_bytes);
    assert_memory_equal(first.bytes, second.bytes, first.n_bytes);
    compiled_free(&first);
    compiled_free(&second);
}

static void the_same_source_is_compiled_once(void **state)
{
    const struct fixture *fixture = *state;
    struct compiled first = compile(fixture, (struct variant){0}), second = compile(fixture, (struct variant){0});
    assert_false(first.from_cache);
    assert_true(second.from_cache);
    assert_memory_equal(first.bytes, second.bytes, first.n_bytes);
    compiled_free(&first);
    compiled_free(&second);
}

static void chip_flags_and_definitions_are_in_the_key(void **state)
{
    const struct fixture *fixture = *state;
    struct compiled plain = compile(fixture, (struct variant){0});
    expect_miss_then_hit(fixture, (struct variant){.chip = "gfx1100"}, plain.key);
    expect_miss_then_hit(fixture, (struct variant){.chip = "gfx90a"}, plain.key);
    expect_miss_then_hit(fixture, (struct variant){.define = "FACTOR=4.0f"}, plain.key);
    expect_miss_then_hit(fixture, (struct variant){.define = "UNUSED"}, plain.key);
    expect_miss_then_hit(fixture, (struct variant){.optimisation = "-O0"}, plain.key);
    expect_miss_then_hit(fixture, (struct variant){.wave_size = 64}, plain.key);
    compiled_free(&plain);
}

static void a_constant_in_a_kernel_body_changes_the_key(void **state)
{
    struct fixture *fixture = *state;
    struct compiled plain = compile(fixture, (struct variant){0});
    write_sources(fixture, other_body, header);
    expect_miss_then_hit(fixture, (struct variant){0}, plain.key);
    write_sources(fixture, source, header);
    struct compiled again = compile(fixture, (struct variant){0});
    assert_true(again.from_cache && hash_equal(again.key, plain.key));
    compiled_free(&again);
    compiled_free(&plain);
}

static void a_constant_in_an_included_header_changes_the_key(void **state)
{
    struct fixture *fixture = *state;
    struct compiled plain = compile(fixture, (struct variant){0});
    write_sources(fixture, source, "#ifndef FACTOR\n#define FACTOR 7.0f\n#endif\n");
    expect_miss_then_hit(fixture, (struct variant){0}, plain.key);
    compiled_free(&plain);
}

static void a_damaged_entry_is_compiled_anew(void **state)
{
    const struct fixture *fixture = *state;
    struct compiled plain = compile(fixture, (struct variant){0});
    char path[SCRATCH_PATH_BYTES * 2], *entry;
    size_t n_bytes;
    struct error error;
    cache_path(fixture->cache, plain.key, path, sizeof path);
    assert_true(file_read(path, &entry, &n_bytes, &error));
    const struct {
        size_t n_bytes, flipped;
    } damages[] = {{n_bytes, n_bytes / 2}, {n_bytes, 3}, {n_bytes, 32}, {n_bytes / 2, 0}, {20, 0}, {0, 0}};
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        entry[damages[i].flipped] ^= 4;
        assert_true(file_write(path, entry, damages[i].n_bytes, &error));
        entry[damages[i].flipped] ^= 4;
        struct compiled again = compile(fixture, (struct variant){0});
        assert_false(again.from_cache);
        assert_int_equal(again.n_bytes, plain.n_bytes);
        assert_memory_equal(again.bytes, plain.bytes, plain.n_bytes);
        compiled_free(&again);
    }
    struct compiled last = compile(fixture, (struct variant){0});
    assert_true(last.from_cache);
    compiled_free(&last);
    compiled_free(&plain);
    free(entry);
}

static void code_objects_do_not_name_the_machine(void **state)
{
    const struct fixture *fixture = *state;
    struct compiled plain = compile(fixture, (struct variant){0});
    assert_null(memmem(plain.bytes, plain.n_bytes, fixture->folder, strlen(fixture->folder)));
    compiled_free(&plain);
}

static void a_kernel_that_does_not_compile_says_so_with_family_and_chip(void **state)
{
    struct fixture *fixture = *state;
    write_sources(fixture, "extern \"C\" __attribute__((global)) void scale(float *p) { p[0] = nothing; }\n", header);
    struct compile_request request = {.source_path = fixture->path, .family = "scale", .chip = "gfx942"};
    struct compiled compiled;
    struct error error;
    assert_false(toolchain_compile(fixture->toolchain, &request, &compiled, &error));
    assert_int_equal(error.status, STATUS_RED);
    assert_non_null(strstr(error.text, "family scale for gfx942 does not compile: "));
    assert_non_null(strstr(error.text, "use of undeclared identifier 'nothing'"));
    assert_null(compiled.bytes);
    request.source_path = "kernels/none/none.hip";
    assert_false(toolchain_compile(fixture->toolchain, &request, &compiled, &error));
    assert_int_equal(error.status, STATUS_RED);
    assert_non_null(strstr(error.text, "kernels/none/none.hip"));
    request.chip = "../x";
    assert_false(toolchain_compile(fixture->toolchain, &request, &compiled, &error));
    assert_int_equal(error.status, STATUS_USAGE);
}

static void a_missing_compiler_is_an_environment_error_with_the_command(void **state)
{
    const struct fixture *fixture = *state;
    struct error error;
    setenv("HIPCONTRACT_CLANG", "/nowhere/clang", 1);
    struct toolchain *toolchain = toolchain_open(fixture->cache, &error);
    unsetenv("HIPCONTRACT_CLANG");
    assert_null(toolchain);
    assert_int_equal(error.status, STATUS_ENVIRONMENT);
    assert_non_null(strstr(error.text, "/nowhere/clang"));
    assert_non_null(strstr(error.text, "apt-get install clang-22"));
}

/* A ROCm compiler is told by its own version line, wherever it lies. */
static void a_rocm_compiler_gets_its_own_records(void **state)
{
    const struct fixture *fixture = *state;
    char path[SCRATCH_PATH_BYTES];
    struct error error;
    assert_true(scratch_write(fixture->folder, "amdclang++",
                              "#!/bin/sh\necho 'AMD clang version 19.0.0git (https://example.org 25133)'\n", path));
    assert_int_equal(access(path, F_OK), 0);
    char *made = scratch_run((const char *const[]){"chmod", "+x", path, NULL});
    assert_non_null(made);
    free(made);
    setenv("HIPCONTRACT_CLANG", path, 1);
    struct toolchain *toolchain = toolchain_open(fixture->cache, &error);
    unsetenv("HIPCONTRACT_CLANG");
    assert_non_null(toolchain);
    assert_string_equal(toolchain_name(toolchain), "rocm-clang-19");
    toolchain_close(toolchain);
}

static void processes_give_output_and_status(void **state)
{
    (void)state;
    struct process_result result;
    struct error error;
    /* More on both streams than a pipe holds. */
    static const char script[] = "i=0; while [ $i -lt 3000 ]; do echo 0123456789012345678901234567890123456789; "
                                 "echo 0123456789012345678901234567890123456789 >&2; i=$((i+1)); done; exit 7";
    assert_true(process_run((const char *const[]){"sh", "-c", script, NULL}, "/", &result, &error));
    assert_int_equal(result.exit_status, 7);
    assert_int_equal(result.out.n_bytes, 3000 * 41);
    assert_int_equal(result.err.n_bytes, 3000 * 41);
    process_result_free(&result);
    assert_true(process_run((const char *const[]){"sh", "-c", "kill -9 $$", NULL}, "/", &result, &error));
    assert_int_equal(result.signal, 9);
    process_result_free(&result);
    assert_false(process_run((const char *const[]){"/nowhere/program", NULL}, "/", &result, &error));
    assert_int_equal(error.status, STATUS_ENVIRONMENT);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        TEST(the_same_source_is_compiled_once),
        TEST(chip_flags_and_definitions_are_in_the_key),
        TEST(a_constant_in_a_kernel_body_changes_the_key),
        TEST(a_constant_in_an_included_header_changes_the_key),
        TEST(a_damaged_entry_is_compiled_anew),
        TEST(code_objects_do_not_name_the_machine),
        TEST(a_kernel_that_does_not_compile_says_so_with_family_and_chip),
        TEST(a_missing_compiler_is_an_environment_error_with_the_command),
        TEST(a_rocm_compiler_gets_its_own_records),
        cmocka_unit_test(processes_give_output_and_status),
    };
    return cmocka_run_group_tests_name("toolchain", tests, NULL, NULL);
}
