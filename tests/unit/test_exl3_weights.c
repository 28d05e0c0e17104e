/*
 * Real files: the checked-in layer is decoded to known weights, x is what rot_in would make of it, and a file that is not
 * the kernel's is refused in one line. `test_exl3_weights --write` writes tests/data/exl3.safetensors anew.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contract/base/file.h"
#include "contract/base/project.h"
#include "contract/host_case.h"
#include "contract/registry_list.h"
#include "contract/weights.h"
#include "reference/exl3_trellis.h"
#include "tests/support/exl3_file.h"
#include "tests/support/exl3_model.h"
#include "tests/support/scratch.h"

#define LINEAR "tf_exl3_linear_k8_w4"
#define ROT_IN "tf_exl3_rot_in"

/* Weights of windows of one 4-bit symbol: f16((1024 + s) 1774 2^-18 - 1329 2^-7), s the byte sum of symbol * 0x1111 *
 * 0x83DCD12D, worked out apart from this code. */
static const double symbol_weights[16] = {-3.453125,       1.453125,          1.1826171875,   0.90478515625,
                                          0.63427734375,   0.35693359375,     0.086181640625, 1.541015625,
                                          -0.4619140625,   2.71875,           0.71533203125,  0.44482421875,
                                          0.1673583984375, -0.10333251953125, 1.3515625,      -0.6513671875};

struct fixture {
    struct arena arena;
    struct registry registry;
    char folder[SCRATCH_PATH_BYTES];
    char layer[1024]; /* "FILE:NAME" of the checked-in file */
};

static void data_path(char path[512])
{
    struct error error = {0};
    if (!project_path(EXL3_FILE_PATH, path, 512, &error))
        fail_msg("%s", error.text);
}

static int open_fixture(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct error error = {0};
    char path[512];
    assert_true(scratch_open(f->folder) && registry_collect(&f->arena, &f->registry, &error));
    data_path(path);
    snprintf(f->layer, sizeof f->layer, "%s:" EXL3_FILE_LAYER, path);
    *state = f;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *f = *state;
    scratch_close(f->folder);
    arena_free(&f->arena);
    free(f);
    return 0;
}

static unsigned char *checked_in_bytes(size_t *n_bytes)
{
    return exl3_file_bytes(EXL3_FILE_K, EXL3_FILE_N, EXL3_FILE_BITS, NULL, NULL, n_bytes);
}

static void the_file_is_what_this_program_writes(void **state)
{
    (void)state;
    char path[512], *found;
    size_t n_bytes, n_found;
    struct error error = {0};
    unsigned char *bytes = checked_in_bytes(&n_bytes);
    data_path(path);
    if (!file_read(path, &found, &n_found, &error))
        fail_msg("%s", error.text);
    assert_int_equal(n_found, n_bytes);
    assert_memory_equal(found, bytes, n_bytes);
    free(found);
    free(bytes);
}

/* A case of the checked-in layer. */
struct opened {
    struct weights weights;
    struct reg_shape shape;
    struct host_case host;
};

static struct opened *open_layer(const struct fixture *f, const char *kernel, const char *layer, int64_t rows,
                                 enum reg_pattern pattern)
{
    struct opened *o = calloc(1, sizeof *o);
    struct error error = {0};
    const struct registration *r = registry_find(&f->registry, kernel);
    if (!weights_open(&o->weights, r, layer, &error) || !weights_shape(&o->weights, rows, &o->shape, &error) ||
        !host_case_open_file(&o->host, r, &o->shape, &o->weights.file, pattern, 1, 1, &error))
        fail_msg("%s", error.text);
    return o;
}

static struct opened *open_case(const struct fixture *f, const char *kernel, int64_t rows, enum reg_pattern pattern)
{
    return open_layer(f, kernel, f->layer, rows, pattern);
}

static void close_case(struct opened *o)
{
    host_case_close(&o->host);
    weights_close(&o->weights);
    free(o);
}

static const void *input(const struct opened *o, const char *name)
{
    for (int t = 0; t < o->host.plan.n_tensors; t++)
        if (strcmp(o->host.plan.tensor[t].name, name) == 0)
            return o->host.c.data[t];
    fail_msg("no tensor is named %s", name);
    return NULL;
}

static void a_layer_makes_the_shape_of_its_k_and_n(void **state)
{
    struct opened *o = open_case(*state, LINEAR, 16, REG_PATTERN_SIGNED);
    assert_string_equal(o->shape.label, "16x128x128");
    assert_int_equal(tensor_elements(&o->host.plan.tensor[next_output(&o->host.plan, 0)]), 16 * 128);
    assert_string_equal(o->weights.unused, "bias F16 [128]");
    close_case(o);
}

/* The weight of one place, the stream read bit by bit and the codebook's steps taken one at a time. */
static double weight_of_word_formula(int64_t tile, int t)
{
    uint16_t words[64];
    for (int i = 0; i < 64; i++)
        words[i] = exl3_file_word(tile, i, EXL3_FILE_BITS, EXL3_FILE_N / 16);
    uint32_t product = exl3_window_by_bits(words, EXL3_FILE_BITS, t) * UINT32_C(0x83DCD12D);
    uint32_t sum = (product & 255) + (product >> 8 & 255) + (product >> 16 & 255) + (product >> 24);
    return format_round(FORMAT_F16, (1024 + sum) * 1774 * 0x1p-18 - 1329 * 0x1p-7);
}

static void its_weights_decode_to_known_values(void **state)
{
    struct opened *o = open_case(*state, LINEAR, 1, REG_PATTERN_SIGNED);
    const uint16_t *w = input(o, "w");
    struct exl3_codebook codebook;
    exl3_codebook_init(&codebook);
    for (int tile = 0; tile < 64; tile++) {
        double weights[256];
        exl3_decode_tile(&codebook, w + tile * 64, EXL3_FILE_BITS, weights, 16);
        for (int t = 0; t < 256; t++) {
            double decoded = weights[exl3_row(t) * 16 + exl3_column(t)];
            assert_true(decoded == weight_of_word_formula(tile, t));
            if (tile < 16)
                assert_true(decoded == symbol_weights[tile]);
        }
    }
    close_case(o);
}

static void its_scales_are_the_files(void **state)
{
    struct opened *linear = open_case(*state, LINEAR, 1, REG_PATTERN_CLASSES);
    struct opened *rot_in = open_case(*state, ROT_IN, 3, REG_PATTERN_CLASSES);
    assert_string_equal(rot_in->shape.label, "3x128");
    for (int i = 0; i < 128; i++) {
        assert_true(format_load(FORMAT_F16, input(linear, "svh"), i) == exl3_file_svh(i));
        assert_true(format_load(FORMAT_F16, input(rot_in, "suh"), i) == exl3_file_suh(i));
    }
    close_case(linear);
    close_case(rot_in);
}

/* A file of another layer; its "FILE:NAME" goes to `layer`. */
static void write_layer(const struct fixture *f, int64_t k, int64_t n, int bits, const char *from, const char *to,
                        char layer[1024])
{
    size_t n_bytes;
    struct error error = {0};
    char path[SCRATCH_PATH_BYTES + 8];
    unsigned char *bytes = exl3_file_bytes(k, n, bits, from, to, &n_bytes);
    snprintf(path, sizeof path, "%s/layer", f->folder);
    snprintf(layer, 1024, "%s:" EXL3_FILE_LAYER, path);
    if (!file_write(path, bytes, n_bytes, &error))
        fail_msg("%s", error.text);
    free(bytes);
}

/* Every width has its kernel, which takes no other's layer. */
static void each_width_goes_with_its_kernel(void **state)
{
    static const int widths[] = {2, 3, 4, 5, 6, 8};
    struct fixture *f = *state;
    for (size_t of_file = 0; of_file < 6; of_file++) {
        char layer[1024], kernel[64];
        write_layer(f, 128, 256, widths[of_file], NULL, NULL, layer);
        for (size_t i = 0; i < 6; i++) {
            struct weights weights;
            struct reg_shape shape;
            struct error error = {0};
            snprintf(kernel, sizeof kernel, "tf_exl3_linear_k%d_w4", 2 * widths[i]);
            assert_true(weights_open(&weights, registry_find(&f->registry, kernel), layer, &error));
            assert_int_equal(weights_shape(&weights, 1, &shape, &error), i == of_file);
            weights_close(&weights);
        }
    }
}

/* x of the linear kernel, from the rows that any case of its shape would have, by rot_in's steps in f32. */
static void x_is_what_rot_in_makes_of_the_rows(void **state)
{
    static const enum reg_pattern patterns[] = {REG_PATTERN_SIGNED, REG_PATTERN_ONESIDED};
    enum { ROWS = 3, K = 384 };
    char layer[1024];
    write_layer(*state, K, 128, EXL3_FILE_BITS, NULL, NULL, layer);
    for (int p = 0; p < 2; p++) {
        struct opened *o = open_layer(*state, LINEAR, layer, ROWS, patterns[p]);
        uint16_t rows[ROWS * K];
        reg_fill(&o->host.c, 0, rows);
        for (int first = 0; first < ROWS * K; first += 128) {
            float x[128], suh[128], rotated[128];
            for (int i = 0; i < 128; i++) {
                x[i] = (float)format_load(FORMAT_F16, rows, first + i);
                suh[i] = (float)exl3_file_suh(first % K + i);
            }
            exl3_rot_in_group(x, suh, rotated);
            for (int i = 0; i < 128; i++)
                assert_true(format_load(FORMAT_F16, input(o, "x"), first + i) == rotated[i]);
        }
        close_case(o);
    }
}

/* The error of a file for a kernel; it must be refused. */
static void refusal(const struct fixture *f, const char *kernel, const char *name, int64_t rows, struct error *error)
{
    struct weights weights;
    struct reg_shape shape;
    *error = (struct error){0};
    assert_false(weights_open(&weights, registry_find(&f->registry, kernel), name, error) &&
                 weights_shape(&weights, rows, &shape, error));
    weights_close(&weights);
    assert_int_equal(error->status, STATUS_USAGE);
    assert_null(strchr(error->text, '\n'));
}

static void expect(const struct error *error, const char *words)
{
    if (!strstr(error->text, words))
        fail_msg("\"%s\" does not say \"%s\"", error->text, words);
}

static void layers_that_are_not_the_kernels_are_refused(void **state)
{
    static const struct {
        int64_t k, n;
        int bits;
        const char *from, *to, *words;
    } rows[] = {
        {128, 128, 4, "proj.trellis", "proj.trellix",
         "no tensor " EXL3_FILE_LAYER ".trellis (I16); of " EXL3_FILE_LAYER " the file has mul1, trellix, suh, svh, bias"},
        {128, 128, 4, "proj.suh", "proj.su", "no tensor " EXL3_FILE_LAYER ".suh (F16)"},
        {128, 128, 4, "q_proj.svh", "k_proj.svh", "no tensor " EXL3_FILE_LAYER ".svh (F16)"},
        {128, 128, 4, "proj.mul1", "proj.mulX", "no tensor " EXL3_FILE_LAYER ".mul1 (I32): its codebook is another one"},
        {128, 128, 4, "proj.bias", "proj.mcg",
         "tensor " EXL3_FILE_LAYER ".mcg: its codebook is mcg, and this kernel decodes codebook mul1 only"},
        {128, 128, 4, "\"I32\",\"shape\":[]", "\"I16\",\"shape\":[2]",
         "mul1 is I16 [2]; I32 in 0 dimensions (one number) is wanted"},
        {128, 128, 4, "\"I16\"", "\"U16\"", "trellis is U16 [8, 8, 64]; I16 in 3 dimensions, none of them 0, is wanted"},
        {128, 128, 4, "[8,8,64]", "[64,64]", "trellis is I16 [64, 64]; I16 in 3 dimensions"},
        {128, 128, 4, "\"F16\"", "\"BF16\"", "suh is BF16 [128]; F16 in 1 dimensions"},
        {128, 128, 4, "[8,8,64]", "[8,4,128]", "trellis is for K = 128 and N = 64, but suh has 128 and svh 128 elements"},
        {128, 128, 3, NULL, NULL, "trellis has 48 words a tile, 3 bits a weight; the kernel takes 64, 4 bits"},
        {128, 8192, 4, NULL, NULL, "N = 8192 runs with 8 waves a block, not 4"},
        {128, 192, 4, NULL, NULL, "K and N in multiples of 128"},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char layer[1024];
        struct error error;
        write_layer(f, rows[i].k, rows[i].n, rows[i].bits, rows[i].from, rows[i].to, layer);
        refusal(f, LINEAR, layer, 1, &error);
        expect(&error, f->folder);
        expect(&error, rows[i].words);
    }
}

/* Another multiplier is another codebook. */
static void a_marker_with_another_multiplier_is_refused(void **state)
{
    struct fixture *f = *state;
    char path[SCRATCH_PATH_BYTES + 8], name[sizeof path + 64];
    size_t n_bytes;
    struct error error = {0};
    unsigned char *bytes = checked_in_bytes(&n_bytes), *at = memmem(bytes, n_bytes, "\x2D\xD1\xDC\x83", 4);
    assert_non_null(at);
    at[0] = 0x2F;
    snprintf(path, sizeof path, "%s/layer", f->folder);
    snprintf(name, sizeof name, "%s:" EXL3_FILE_LAYER, path);
    assert_true(file_write(path, bytes, n_bytes, &error));
    refusal(f, LINEAR, name, 1, &error);
    expect(&error, "mul1 holds the multiplier 0x83DCD12F; the kernel's is 0x83DCD12D");
    free(bytes);
}

static void names_that_cannot_be_are_refused(void **state)
{
    struct fixture *f = *state;
    struct error error;
    char other[1100];
    refusal(f, LINEAR, "no_colon", 1, &error);
    expect(&error, "give FILE:NAME");
    refusal(f, LINEAR, ":name", 1, &error);
    expect(&error, "give FILE:NAME");
    refusal(f, "softmax_rows", f->layer, 1, &error);
    expect(&error, "softmax_rows takes no weights from files");
    refusal(f, LINEAR, "/nonexistent:x", 1, &error);
    expect(&error, "/nonexistent: No such file");
    snprintf(other, sizeof other, "%.*s:lm_head", (int)(strrchr(f->layer, ':') - f->layer), f->layer);
    refusal(f, ROT_IN, other, 1, &error);
    expect(&error, "no tensor lm_head.suh (F16); of lm_head the file has nothing");
    refusal(f, ROT_IN, f->layer, 65536, &error);
    expect(&error, "1 to 65535 rows");
}

static int write_file(void)
{
    char path[512];
    size_t n_bytes;
    struct error error = {0};
    unsigned char *bytes = checked_in_bytes(&n_bytes);
    bool ok = project_path(EXL3_FILE_PATH, path, sizeof path, &error) && file_write(path, bytes, n_bytes, &error);
    if (!ok)
        fprintf(stderr, "%s\n", error.text);
    free(bytes);
    return ok ? 0 : 1;
}

static void a_shape_out_of_range_is_refused_with_the_extent_that_is(void **state)
{
    const struct fixture *f = *state;
    const struct registration *r = registry_find(&f->registry, LINEAR);
    static const struct {
        struct reg_shape shape;
        const char *text;
    } rows[] = {{{.dim = {1048561, 128, 128}}, "linear takes 1 to 1048560 rows, not 1048561"},
                {{.dim = {1, 130, 256}}, "linear takes K and N in multiples of 128, not 130 x 256"},
                {{.dim = {1, 128, 8192}}, "N = 8192 runs with 8 waves a block, not 4"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct reg_plan plan;
        struct error error = {0};
        assert_false(r->plan(&rows[i].shape, &plan, &error));
        assert_string_equal(error.text, rows[i].text);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_file_is_what_this_program_writes),
        cmocka_unit_test(a_layer_makes_the_shape_of_its_k_and_n),
        cmocka_unit_test(its_weights_decode_to_known_values),
        cmocka_unit_test(its_scales_are_the_files),
        cmocka_unit_test(each_width_goes_with_its_kernel),
        cmocka_unit_test(x_is_what_rot_in_makes_of_the_rows),
        cmocka_unit_test(layers_that_are_not_the_kernels_are_refused),
        cmocka_unit_test(a_marker_with_another_multiplier_is_refused),
        cmocka_unit_test(names_that_cannot_be_are_refused),
        cmocka_unit_test(a_shape_out_of_range_is_refused_with_the_extent_that_is),
    };
    if (argc == 2 && strcmp(argv[1], "--write") == 0)
        return write_file();
    return cmocka_run_group_tests(tests, open_fixture, close_fixture);
}
