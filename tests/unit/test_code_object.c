/* Code objects: hostile bytes never crash the reader, foreign files get a line that helps, relocations land. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <elf.h>

#include "contract/base/file.h"
#include "contract/base/random.h"
#include "device/code_metadata.h"
#include "device/code_extent.h"
#include "device/code_object.h"
#include "tests/support/scratch.h"
#include "toolchain/toolchain.h"

static const char source[] =
    "#include <hip/hip_runtime.h>\n"
    "__device__ int counter[4];\n"
    "__device__ int *pointers[2] = {&counter[1], &counter[3]};\n"
    "extern \"C\" __global__ __launch_bounds__(64) void bump(int by, const float *from, float *to)\n"
    "{\n"
    "    __shared__ float tile[96];\n"
    "    tile[threadIdx.x] = from[threadIdx.x];\n"
    "    __syncthreads();\n"
    "    to[threadIdx.x] = tile[63 - threadIdx.x];\n"
    "    atomicAdd(pointers[threadIdx.x & 1], by);\n"
    "}\n";

struct fixture {
    char folder[SCRATCH_PATH_BYTES];
    uint8_t *bytes; /* a code object for gfx1151 */
    size_t n_bytes;
};

static int open_fixture(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct error error = {0};
    struct compiled compiled = {0};
    char path[SCRATCH_PATH_BYTES];
    struct toolchain *toolchain = toolchain_open(NULL, &error);
    struct compile_request request = {.source_path = path, .family = "test", .chip = "gfx1151"};
    if (!fixture || !toolchain || !scratch_open(fixture->folder) ||
        !scratch_write(fixture->folder, "bump.hip", source, path) ||
        !toolchain_compile(toolchain, &request, &compiled, &error)) {
        print_error("%s\n", error.text);
        return -1;
    }
    toolchain_close(toolchain);
    fixture->bytes = compiled.bytes;
    fixture->n_bytes = compiled.n_bytes;
    *state = fixture;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *fixture = *state;
    scratch_close(fixture->folder);
    free(fixture->bytes);
    free(fixture);
    return 0;
}

/* Parses a copy that ends where its allocation ends, and loads what parses: a reader that goes past the end is seen. */
static bool parse_copy(const uint8_t *bytes, size_t n_bytes, struct error *error)
{
    uint8_t *copy = malloc(n_bytes ? n_bytes : 1);
    struct code_object object;
    assert_non_null(copy);
    memcpy(copy, bytes, n_bytes);
    *error = (struct error){0};
    bool ok = code_object_parse(copy, n_bytes, "k.co", &object, error);
    if (ok) {
        size_t image_bytes = code_object_image_bytes(&object);
        uint8_t *image = malloc(image_bytes);
        if (image)
            assert_true(code_object_load(&object, UINT64_C(0x7f0000000000), image, image_bytes, error));
        free(image);
        code_object_free(&object);
    } else {
        /* One line that names the file. */
        assert_int_equal(strncmp(error->text, "k.co: ", 6), 0);
        assert_null(strchr(error->text, '\n'));
        assert_int_equal(error->status, STATUS_USAGE);
    }
    free(copy);
    return ok;
}

static void figures_of_a_known_kernel_are_read(void **state)
{
    const struct fixture *fixture = *state;
    struct code_object object;
    struct error error;
    assert_true(code_object_parse(fixture->bytes, fixture->n_bytes, "k.co", &object, &error));
    assert_string_equal(object.chip, "gfx1151");
    assert_int_equal(object.version, 5);
    assert_int_equal(object.n_kernels, 1);
    const struct code_kernel *kernel = code_object_kernel(&object, "bump");
    assert_non_null(kernel);
    assert_null(code_object_kernel(&object, "bum"));
    assert_int_equal(kernel->lds_bytes, 96 * 4);
    assert_int_equal(kernel->descriptor.group_segment_bytes, 96 * 4);
    assert_int_equal(kernel->max_workgroup_threads, 64);
    assert_int_equal(kernel->wave_size, 32);
    /* int, pad, two pointers. */
    assert_true(kernel->n_args >= 3);
    assert_int_equal(kernel->args[0].size_bytes, 4);
    assert_int_equal(kernel->args[0].kind, CODE_ARG_BY_VALUE);
    assert_int_equal(kernel->args[1].offset_bytes, 8);
    assert_int_equal(kernel->args[2].offset_bytes, 16);
    assert_int_equal(kernel->args[2].kind, CODE_ARG_GLOBAL_BUFFER);
    const struct code_segment *text = code_segment_at(&object, kernel->entry_address, kernel->code_bytes);
    assert_non_null(text);
    assert_true(text->executable);
    assert_null(code_segment_at(&object, UINT64_MAX - 3, 8));
    code_object_free(&object);
}

static uint64_t symbol_address(const struct code_object *object, const char *name)
{
    for (size_t i = 0; i < object->n_symbols; i++)
        if (strcmp(object->symbols[i].name, name) == 0)
            return object->symbols[i].address;
    fail_msg("no symbol %s", name);
    return 0;
}

static void relocated_pointers_point_at_the_loaded_object(void **state)
{
    const struct fixture *fixture = *state;
    struct code_object object;
    struct error error;
    assert_true(code_object_parse(fixture->bytes, fixture->n_bytes, "k.co", &object, &error));
    size_t image_bytes = code_object_image_bytes(&object);
    uint8_t *image = malloc(image_bytes);
    assert_non_null(image);
    static const uint64_t places[] = {0, 0x100000, UINT64_C(0x7fff12345000)};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        uint64_t pointers[2];
        assert_true(code_object_load(&object, places[i], image, image_bytes, &error));
        memcpy(pointers, image + symbol_address(&object, "pointers"), sizeof pointers);
        assert_int_equal(pointers[0], places[i] + symbol_address(&object, "counter") + 4);
        assert_int_equal(pointers[1], places[i] + symbol_address(&object, "counter") + 12);
    }
    assert_false(code_object_load(&object, 0, image, image_bytes - 1, &error));
    free(image);
    code_object_free(&object);
}

static void truncated_files_are_refused_at_every_length(void **state)
{
    const struct fixture *fixture = *state;
    struct error error;
    for (size_t n_bytes = 0; n_bytes < fixture->n_bytes; n_bytes += 64)
        assert_false(parse_copy(fixture->bytes, n_bytes, &error));
    assert_false(parse_copy(fixture->bytes, fixture->n_bytes - 1, &error));
    assert_true(parse_copy(fixture->bytes, fixture->n_bytes, &error));
}

/* A loader that has no length takes the file by its headers (hipModuleLoadData), and must not be led past its end by a
 * section that nobody else reads. */
static void a_section_past_the_file_is_refused(void **state)
{
    const struct fixture *fixture = *state;
    struct error error;
    Elf64_Ehdr header;
    Elf64_Shdr section;
    uint8_t *bytes = malloc(fixture->n_bytes);
    assert_non_null(bytes);
    memcpy(bytes, fixture->bytes, fixture->n_bytes);
    memcpy(&header, bytes, sizeof header);
    size_t last = header.e_shoff + (header.e_shnum - 1u) * sizeof section;
    memcpy(&section, bytes + last, sizeof section);
    section.sh_type = SHT_PROGBITS;
    section.sh_offset = fixture->n_bytes - 8;
    section.sh_size = 8;
    memcpy(bytes + last, &section, sizeof section);
    assert_int_equal(code_extent(bytes, UINT64_MAX), fixture->n_bytes);
    section.sh_size = 9;
    memcpy(bytes + last, &section, sizeof section);
    assert_false(parse_copy(bytes, fixture->n_bytes, &error));
    assert_non_null(strstr(error.text, "truncated"));
    section.sh_size = UINT64_MAX - 4;
    memcpy(bytes + last, &section, sizeof section);
    assert_int_equal(code_extent(bytes, UINT64_MAX), 0);
    assert_false(parse_copy(bytes, fixture->n_bytes, &error));
    free(bytes);
}

/* Damage in the headers and the note is likelier to mislead than damage in code: half of the flips go there. */
static void damaged_bytes_never_crash_the_reader(void **state)
{
    const struct fixture *fixture = *state;
    uint8_t *bytes = malloc(fixture->n_bytes);
    assert_non_null(bytes);
    struct random_key key = random_key_for(0x5eed, "flips");
    int n_parsed = 0, n_refused = 0;
    for (uint64_t seed = 0; seed < 6000; seed++) {
        memcpy(bytes, fixture->bytes, fixture->n_bytes);
        uint64_t n_flips = 1 + random_bits(key, seed * 64) % 6;
        for (uint64_t flip = 0; flip < n_flips; flip++) {
            uint64_t draw = random_bits(key, seed * 64 + 1 + flip), range = fixture->n_bytes;
            size_t at = draw >> 16 & 1 ? draw % 1400 : draw % range;
            if (draw >> 17 & 1) /* the section headers, at the end */
                at = range - 1 - draw % 1200;
            bytes[at] = draw >> 18 & 1 ? (uint8_t)(draw >> 24) : bytes[at] ^ (uint8_t)(1u << (draw >> 20 & 7));
        }
        struct error error;
        bool ok = parse_copy(bytes, fixture->n_bytes, &error);
        n_parsed += ok;
        n_refused += !ok;
    }
    /* Both happen: the test neither damages nothing nor refuses everything. */
    assert_true(n_parsed > 100);
    assert_true(n_refused > 1000);
    free(bytes);
}

static void expect_refusal(const void *bytes, size_t n_bytes, const char *words)
{
    struct error error;
    assert_false(parse_copy(bytes, n_bytes, &error));
    if (!strstr(error.text, words))
        fail_msg("\"%s\" does not say \"%s\"", error.text, words);
}

static void foreign_files_get_a_line_that_helps(void **state)
{
    (void)state;
    struct error error;
    char *self;
    size_t n_bytes;
    expect_refusal("", 0, "empty");
    expect_refusal("#!/bin/sh\n", 10, "not an ELF file");
    expect_refusal("\177ELF", 4, "truncated");
    expect_refusal("__CLANG_OFFLOAD_BUNDLE__\1\0\0\0", 28, "clang-offload-bundler --unbundle");
    expect_refusal("CCOB\2\0\0\0", 8, "clang-offload-bundler --unbundle");
    expect_refusal("BC\xc0\xde", 4, "LLVM bitcode");
    expect_refusal("!<arch>\n", 8, "archive");
    assert_true(file_read("/proc/self/exe", &self, &n_bytes, &error) || n_bytes == 0);
    expect_refusal(self, n_bytes, "machine 62");
    free(self);
    assert_false(file_read("/", &self, &n_bytes, &error));
    assert_string_equal(error.text, "/: Is a directory");
}

enum { OFFSET_TYPE = 16, OFFSET_OSABI = 7, OFFSET_ABI_VERSION = 8, OFFSET_FLAGS = 48 };

static void expect_refused_byte(const struct fixture *fixture, size_t offset, uint8_t value, const char *words)
{
    uint8_t *bytes = malloc(fixture->n_bytes);
    assert_non_null(bytes);
    memcpy(bytes, fixture->bytes, fixture->n_bytes);
    bytes[offset] = value;
    expect_refusal(bytes, fixture->n_bytes, words);
    free(bytes);
}

static void header_fields_that_cannot_be_are_named(void **state)
{
    const struct fixture *fixture = *state;
    expect_refused_byte(fixture, OFFSET_FLAGS, 0x2f, "machine 0x2f"); /* gfx906: no row of the table */
    expect_refused_byte(fixture, OFFSET_FLAGS, 0x54, "generic target gfx11-generic");
    expect_refused_byte(fixture, OFFSET_FLAGS, 0x41, "not the ELF flags' chip gfx1100");
    expect_refused_byte(fixture, OFFSET_ABI_VERSION, 1, "versions 4, 5 and 6");
    expect_refused_byte(fixture, OFFSET_ABI_VERSION, 5, "versions 4, 5 and 6");
    expect_refused_byte(fixture, OFFSET_OSABI, 0, "not AMDGPU HSA");
    expect_refused_byte(fixture, OFFSET_TYPE, 1, "not a linked code object");
}

/* MessagePack that announces more than there is must not be allocated for. */
/* What is printed of an object would reach the terminal. */
static void names_with_control_characters_are_refused(void **state)
{
    static const char name[] = "counter";
    const struct fixture *fixture = *state;
    uint8_t *bytes = malloc(fixture->n_bytes);
    memcpy(bytes, fixture->bytes, fixture->n_bytes);
    size_t n_changed = 0;
    for (uint8_t *at = bytes; (at = memmem(at, fixture->n_bytes - (size_t)(at - bytes), name, sizeof name));
         at++, n_changed++)
        *at = '\033';
    assert_true(n_changed > 0);
    expect_refusal(bytes, fixture->n_bytes, "has control characters in its name: ?ounter");
    free(bytes);
}

static void metadata_sizes_are_checked_before_they_are_believed(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t n_bytes;
    } cases[] = {
        {"\xdd\xff\xff\xff\xff", 5},                                                      /* a list of 2^32 - 1 */
        {"\xdf\xff\xff\xff\xff\x01", 6},                                                  /* a map of 2^32 - 1 */
        {"\xdb\xff\xff\xff\xff", 5},                                                      /* a string of 4 GiB */
        {"\xc1", 1},                                                                      /* the format's unused byte */
        {"\xc9\xff\xff\xff\xff\x01", 6},                                                  /* an extension of 4 GiB */
        {"\x81\xa1", 2},                                                                  /* cut in a key */
        {"\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\xc0", 18}, /* too deep */
        {"\x80", 1},                                                                      /* no target */
        {"\xc0", 1},                                                                      /* not a map */
        {"", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        struct code_metadata metadata;
        struct error error = {0};
        assert_false(code_metadata_parse((const uint8_t *)cases[i].bytes, cases[i].n_bytes, &arena, &metadata, &error));
        assert_int_equal(strncmp(error.text, "metadata", 8), 0);
        arena_free(&arena);
    }
}

/* Versions 4 and 6 come from other compilers and flags than ours. */
static void code_object_versions_4_and_6_are_read(void **state)
{
    const struct fixture *fixture = *state;
    static const char kernel[] = "kernel void k(global int *p) { *p = 1; }\n";
    char path[SCRATCH_PATH_BYTES], made[SCRATCH_PATH_BYTES], flag[40];
    assert_true(scratch_write(fixture->folder, "k.cl", kernel, path));
    snprintf(made, sizeof made, "%.400s/k.co", fixture->folder);
    for (int version = 4; version <= 6; version += 2) {
        snprintf(flag, sizeof flag, "-mcode-object-version=%d", version);
        char *said =
            scratch_run((const char *const[]){"clang-22", "-x", "cl", "-cl-std=CL2.0", "--target=amdgcn-amd-amdhsa",
                                              "-mcpu=gfx90a", "-nogpulib", flag, path, "-o", made, NULL});
        assert_non_null(said);
        free(said);
        char *bytes;
        size_t n_bytes;
        struct error error;
        struct code_object object;
        assert_true(file_read(made, &bytes, &n_bytes, &error));
        assert_true(code_object_parse(bytes, n_bytes, "k.co", &object, &error));
        assert_int_equal(object.version, version);
        assert_string_equal(object.chip, "gfx90a");
        assert_non_null(code_object_kernel(&object, "k"));
        code_object_free(&object);
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_of_a_known_kernel_are_read),
        cmocka_unit_test(relocated_pointers_point_at_the_loaded_object),
        cmocka_unit_test(truncated_files_are_refused_at_every_length),
        cmocka_unit_test(a_section_past_the_file_is_refused),
        cmocka_unit_test(damaged_bytes_never_crash_the_reader),
        cmocka_unit_test(foreign_files_get_a_line_that_helps),
        cmocka_unit_test(header_fields_that_cannot_be_are_named),
        cmocka_unit_test(names_with_control_characters_are_refused),
        cmocka_unit_test(metadata_sizes_are_checked_before_they_are_believed),
        cmocka_unit_test(code_object_versions_4_and_6_are_read),
    };
    return cmocka_run_group_tests_name("code_object", tests, open_fixture, close_fixture);
}
