/*
 * Safetensors files: what a right one holds, and that a wrong one is refused in one line that says what is wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "contract/base/file.h"
#include "reference/safetensors.h"
#include "tests/support/exl3_file.h"
#include "tests/support/scratch.h"

enum { DATA_BYTES = 64, LENGTH_BYTES = 8 };

struct fixture {
    char folder[SCRATCH_PATH_BYTES], path[SCRATCH_PATH_BYTES + 8];
};

static int open_fixture(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_true(scratch_open(f->folder));
    snprintf(f->path, sizeof f->path, "%s/file", f->folder);
    *state = f;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *f = *state;
    scratch_close(f->folder);
    free(f);
    return 0;
}

static void write_bytes(const struct fixture *f, const void *bytes, size_t n_bytes)
{
    FILE *file = fopen(f->path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n_bytes, file), n_bytes);
    assert_int_equal(fclose(file), 0);
}

static void write_file(const struct fixture *f, const char *header)
{
    unsigned char data[DATA_BYTES];
    size_t n_bytes;
    for (int i = 0; i < DATA_BYTES; i++)
        data[i] = (unsigned char)i;
    unsigned char *bytes = safetensors_bytes(header, data, sizeof data, &n_bytes);
    write_bytes(f, bytes, n_bytes);
    free(bytes);
}

static void a_right_file_gives_its_tensors_and_their_bytes(void **state)
{
    const struct fixture *f = *state;
    struct safetensors file;
    struct error error = {0};
    unsigned char bytes[24];
    char text[SAFETENSOR_TEXT_BYTES];
    write_file(f,
               "{\"b\":{\"dtype\":\"F16\",\"shape\":[3,4],\"data_offsets\":[36,60]},\"__metadata__\":{\"format\":\"pt\"},"
               "\"a\":{\"dtype\":\"F32\",\"shape\":[9],\"data_offsets\":[0,36]},"
               "\"none\":{\"dtype\":\"I64\",\"shape\":[4,0],\"data_offsets\":[60,60]},"
               "\"one\":{\"dtype\":\"I32\",\"shape\":[],\"data_offsets\":[60,64]}}");
    if (!safetensors_open(&file, f->path, &error))
        fail_msg("%s", error.text);
    assert_int_equal(file.n_tensors, 4);
    const struct safetensor *b = safetensors_find(&file, "b");
    assert_non_null(b);
    safetensor_text(b, text);
    assert_string_equal(text, "F16 [3, 4]");
    assert_true(safetensors_read(&file, b, bytes, &error));
    for (int i = 0; i < 24; i++)
        assert_int_equal(bytes[i], 36 + i);
    assert_int_equal(safetensors_find(&file, "one")->n_dims, 0);
    assert_null(safetensors_find(&file, "__metadata__"));
    safetensors_close(&file);
}

static void is_one_line(const char *text)
{
    for (; *text; text++)
        assert_true((unsigned char)*text >= ' ' && *text != 0x7f);
}

static void refused(const struct fixture *f, const char *words)
{
    struct safetensors file;
    struct error error = {0};
    assert_false(safetensors_open(&file, f->path, &error));
    safetensors_close(&file);
    assert_int_equal(error.status, STATUS_USAGE);
    is_one_line(error.text);
    if (!strstr(error.text, words) || strncmp(error.text, f->path, strlen(f->path)) != 0)
        fail_msg("\"%s\" does not say \"%s\" of %s", error.text, words, f->path);
}

#define A(facts)    "{\"a\":{" facts "}}"
#define SHAPE(dims) A("\"dtype\":\"U8\",\"shape\":[" dims "],\"data_offsets\":[0,64]")
#define PAIR(a, b)                                                                                                         \
    "{\"a\":{\"dtype\":\"U8\",\"shape\":[32],\"data_offsets\":[" a "]},"                                                   \
    "\"b\":{\"dtype\":\"U8\",\"shape\":[32],\"data_offsets\":[" b "]}}"

static void wrong_headers_are_refused(void **state)
{
    static const struct {
        const char *header, *words;
    } rows[] = {
        {"", "its header is not the JSON of one: "},
        {"{\"a\":\n\x01", "its header is not the JSON of one: "},
        {"{\"a\":{}}}", "its header is not the JSON of one: "},
        {"[1]", "its header is no object of JSON"},
        {"{}", "64 bytes after the last tensor are no tensor's"},
        {"{\"a\":{},\"a\":{}}", "duplicate object key"},
        {"{\"\x7f\":{},\"\x7f\":{}}", "duplicate object key"},
        {"{\"a\\u0000b\":{}}", "its header is not the JSON of one: "},
        {"{\"a\\nb\":{}}", "the name of tensor 0 has control characters"},
        {"{\"a\":7}", "tensor a is described by no object of JSON"},
        {A("\"shape\":[64],\"data_offsets\":[0,64]"), "tensor a has no dtype"},
        {A("\"dtype\":8,\"shape\":[64],\"data_offsets\":[0,64]"), "tensor a has no dtype"},
        {A("\"dtype\":\"U\\n8\",\"shape\":[64],\"data_offsets\":[0,64]"), "tensor a has no dtype"},
        {A("\"dtype\":\"U8\",\"data_offsets\":[0,64]"), "tensor a has no shape"},
        {A("\"dtype\":\"U8\",\"shape\":{},\"data_offsets\":[0,64]"), "tensor a has no shape"},
        {SHAPE("-1"), "tensor a: dimension 0 of its shape is no integer from 0 on"},
        {SHAPE("8,8.5"), "tensor a: dimension 1 of its shape is no integer from 0 on"},
        {SHAPE("18446744073709551616"), "too big integer"},
        {SHAPE("1,1,1,1,1,1,1,1,64"), "tensor a has 9 dimensions; at most 8 are read"},
        {SHAPE("4294967296,4294967296"), "tensor a, U8 [4294967296, 4294967296], is larger than any file"},
        {SHAPE("63"), "tensor a, U8 [63], takes 63 bytes, but its data_offsets span 64"},
        {SHAPE("0"), "tensor a, U8 [0], takes 0 bytes, but its data_offsets span 64"},
        {A("\"dtype\":\"F16\",\"shape\":[64],\"data_offsets\":[0,64]"), "takes 128 bytes, but its data_offsets span 64"},
        {A("\"dtype\":\"U8\",\"shape\":[64]"), "tensor a: its data_offsets are not two integers"},
        {A("\"dtype\":\"U8\",\"shape\":[64],\"data_offsets\":[0]"), "tensor a: its data_offsets are not two integers"},
        {A("\"dtype\":\"U8\",\"shape\":[64],\"data_offsets\":[0,\"64\"]"),
         "tensor a: its data_offsets are not two integers"},
        {A("\"dtype\":\"U8\",\"shape\":[64],\"data_offsets\":[-1,63]"), "tensor a: its data_offsets are not two integers"},
        {A("\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[9,8]"), "tensor a: its data_offsets are not two integers"},
        {A("\"dtype\":\"U8\",\"shape\":[65],\"data_offsets\":[0,65]"),
         "tensor a ends at byte 65 of the data, of which the file has 64"},
        {A("\"dtype\":\"U8\",\"shape\":[64],\"data_offsets\":[9223372036854775743,9223372036854775807]"),
         "tensor a ends at byte 9223372036854775807 of the data"},
        {PAIR("0,32", "31,63"), "tensor b starts at byte 31 of the data, but a before it goes on to 32: they overlap"},
        {PAIR("0,32", "0,32"), "they overlap"},
        {PAIR("32,64", "0,31"), "tensor b, U8 [32], takes 32 bytes, but its data_offsets span 31"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[32],\"data_offsets\":[32,64]}}",
         "bytes 0 to 32 of the data, before tensor a, are no tensor's"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[32],\"data_offsets\":[0,32]}}",
         "32 bytes after the last tensor are no tensor's"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        write_file(*state, rows[i].header);
        refused(*state, rows[i].words);
    }
}

static void wrong_lengths_are_refused(void **state)
{
    unsigned char bytes[] = "\x03\0\0\0\0\0\0\0{}";
    write_bytes(*state, bytes, 0);
    refused(*state, "0 bytes are no safetensors file");
    write_bytes(*state, bytes, 7);
    refused(*state, "7 bytes are no safetensors file");
    write_bytes(*state, bytes, LENGTH_BYTES + 2);
    refused(*state, "its header would have 3 bytes, but 2 follow");
    memset(bytes, 0xff, LENGTH_BYTES);
    write_bytes(*state, bytes, LENGTH_BYTES + 2);
    refused(*state, "its header would have 18446744073709551615 bytes, but 2 follow");
}

/* A sparse file of 200 MB whose header would be 128 MiB: no such memory is asked for. */
static void a_header_beyond_the_formats_limit_is_refused(void **state)
{
    const struct fixture *f = *state;
    static const unsigned char length[LENGTH_BYTES] = {0, 0, 0, 8};
    write_bytes(f, length, sizeof length);
    assert_int_equal(truncate(f->path, 200000000), 0);
    refused(f, "its header would have 134217728 bytes; a safetensors file has at most 100000000");
}

static void what_is_no_file_is_refused(void **state)
{
    struct fixture folder = *(struct fixture *)*state;
    snprintf(folder.path, sizeof folder.path, "%s", folder.folder);
    refused(&folder, "not a regular file");
    snprintf(folder.path, sizeof folder.path, "%s/none", folder.folder);
    refused(&folder, "No such file");
    snprintf(folder.path, sizeof folder.path, "%s/pipe", folder.folder);
    assert_int_equal(mkfifo(folder.path, 0600), 0);
    alarm(10); /* opening a pipe that nobody writes to can wait for ever */
    refused(&folder, "not a regular file");
    alarm(0);
}

static void every_truncation_is_refused(void **state)
{
    size_t n_bytes;
    unsigned char *bytes = exl3_file_bytes(128, 128, 4, NULL, NULL, &n_bytes);
    const struct fixture *f = *state;
    write_bytes(f, bytes, n_bytes);
    for (size_t n = n_bytes; n-- > 0;) {
        assert_int_equal(truncate(f->path, (off_t)n), 0);
        refused(f, "");
    }
    free(bytes);
}

/* A tensor of a file that opens lies in its data, whatever byte of the header was another. */
static void opens_within_the_data(const struct fixture *f, size_t n_bytes)
{
    struct safetensors file;
    struct error error = {0};
    if (safetensors_open(&file, f->path, &error)) {
        for (size_t i = 0; i < file.n_tensors; i++) {
            const struct safetensor *tensor = &file.tensors[i];
            void *data = malloc(tensor->n_bytes + 1);
            assert_true(file.data_at + tensor->first + tensor->n_bytes <= n_bytes);
            assert_true(safetensors_read(&file, tensor, data, &error));
            free(data);
        }
    } else {
        assert_int_equal(error.status, STATUS_USAGE);
        is_one_line(error.text);
    }
    safetensors_close(&file);
}

static void a_changed_byte_of_the_header_reads_nothing_outside(void **state)
{
    static const unsigned char changes[] = {0, 1, '0', '9', '"', ',', ']', '}', '-', 0x80, 0xff};
    size_t n_bytes;
    unsigned char *bytes = exl3_file_bytes(128, 128, 4, NULL, NULL, &n_bytes);
    size_t n_header = LENGTH_BYTES + (bytes[0] | (size_t)bytes[1] << 8);
    const struct fixture *f = *state;
    write_bytes(f, bytes, n_bytes);
    int descriptor = open(f->path, O_WRONLY | O_CLOEXEC);
    for (size_t at = 0; at < n_header; at++) {
        for (size_t i = 0; i < sizeof changes; i++) {
            assert_int_equal(pwrite(descriptor, &changes[i], 1, (off_t)at), 1);
            opens_within_the_data(f, n_bytes);
        }
        assert_int_equal(pwrite(descriptor, &bytes[at], 1, (off_t)at), 1);
    }
    close(descriptor);
    free(bytes);
}

static void a_file_that_shrinks_under_the_reader_is_an_error(void **state)
{
    const struct fixture *f = *state;
    struct safetensors file;
    struct error error = {0};
    unsigned char bytes[64];
    write_file(f, SHAPE("64"));
    assert_true(safetensors_open(&file, f->path, &error));
    assert_int_equal(truncate(f->path, (off_t)(file.data_at + 63)), 0);
    assert_false(safetensors_read(&file, safetensors_find(&file, "a"), bytes, &error));
    assert_non_null(strstr(error.text, "tensor a: it became shorter while it was read"));
    safetensors_close(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_right_file_gives_its_tensors_and_their_bytes),
        cmocka_unit_test(wrong_headers_are_refused),
        cmocka_unit_test(wrong_lengths_are_refused),
        cmocka_unit_test(a_header_beyond_the_formats_limit_is_refused),
        cmocka_unit_test(what_is_no_file_is_refused),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(a_changed_byte_of_the_header_reads_nothing_outside),
        cmocka_unit_test(a_file_that_shrinks_under_the_reader_is_an_error),
    };
    return cmocka_run_group_tests(tests, open_fixture, close_fixture);
}
