#include "reference/safetensors.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

/* The format's own limit of a header is 100 MB. */
enum { LENGTH_BYTES = 8, MOST_HEADER_BYTES = 100000000 };

/* A file being read. */
struct reading {
    struct safetensors *file;
    size_t n_file_bytes, n_header_bytes;
    struct error *error;
};

#define BAD(reading, ...)                                                                                                  \
    (error_set((reading)->error, STATUS_USAGE, __VA_ARGS__), error_prefix((reading)->error, "%s", (reading)->file->path))

static bool no_memory(const struct reading *reading)
{
    error_set(reading->error, STATUS_ENVIRONMENT, "out of host memory for its header");
    return error_prefix(reading->error, "%s", reading->file->path);
}

static const struct {
    const char *name;
    unsigned bits;
} dtypes[] = {{"BOOL", 8}, {"U8", 8},   {"I8", 8},   {"F8_E4M3", 8}, {"F8_E5M2", 8}, {"F8_E8M0", 8},
              {"I16", 16}, {"U16", 16}, {"F16", 16}, {"BF16", 16},   {"I32", 32},    {"U32", 32},
              {"F32", 32}, {"I64", 64}, {"U64", 64}, {"F64", 64}};

/* 0 for a dtype that is not known here. */
static unsigned dtype_bits(const char *name)
{
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        if (strcmp(dtypes[i].name, name) == 0)
            return dtypes[i].bits;
    return 0;
}

/* From `offset` of the file on: false where it ends before, with errno ENODATA. */
static bool read_at(const struct safetensors *file, size_t offset, void *to, size_t n_bytes)
{
    for (size_t done = 0; done < n_bytes;) {
        ssize_t got = pread(file->descriptor, (char *)to + done, n_bytes - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            errno = got == 0 ? ENODATA : errno;
            return false;
        }
        done += (size_t)got;
    }
    return true;
}

static const char *why_not_read(void)
{
    return errno == ENODATA ? "it became shorter while it was read" : strerror(errno);
}

static bool open_file(struct reading *reading)
{
    struct safetensors *file = reading->file;
    struct stat facts;
    file->descriptor = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe's would wait for a writer */
    if (file->descriptor < 0 || fstat(file->descriptor, &facts) != 0)
        return BAD(reading, "%s", strerror(errno));
    if (!S_ISREG(facts.st_mode))
        return BAD(reading, "not a regular file");
    reading->n_file_bytes = (size_t)facts.st_size;
    return true;
}

static bool read_header_length(struct reading *reading)
{
    unsigned char bytes[LENGTH_BYTES];
    uint64_t length = 0;
    if (reading->n_file_bytes < LENGTH_BYTES)
        return BAD(reading, "%zu bytes are no safetensors file: it starts with 8 that count its header's",
                   reading->n_file_bytes);
    if (!read_at(reading->file, 0, bytes, sizeof bytes))
        return BAD(reading, "%s", why_not_read());
    for (int i = LENGTH_BYTES - 1; i >= 0; i--)
        length = length << 8 | bytes[i];
    if (length > reading->n_file_bytes - LENGTH_BYTES)
        return BAD(reading, "its header would have %" PRIu64 " bytes, but %zu follow: cut short, or no safetensors file",
                   length, reading->n_file_bytes - LENGTH_BYTES);
    if (length > MOST_HEADER_BYTES)
        return BAD(reading, "its header would have %" PRIu64 " bytes; a safetensors file has at most %d", length,
                   MOST_HEADER_BYTES);
    reading->n_header_bytes = (size_t)length;
    reading->file->data_at = LENGTH_BYTES + reading->n_header_bytes;
    reading->file->n_data_bytes = reading->n_file_bytes - reading->file->data_at;
    return true;
}

/* Bytes of a file, as part of an error's one line. */
static void make_printable(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = ' ';
}

static bool is_printable(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            return false;
    return true;
}

static json_t *parse_header(const struct reading *reading)
{
    json_error_t problem;
    char *text = malloc(reading->n_header_bytes + 1);
    if (!text) {
        no_memory(reading);
        return NULL;
    }
    json_t *header = NULL;
    if (!read_at(reading->file, LENGTH_BYTES, text, reading->n_header_bytes)) {
        BAD(reading, "%s", why_not_read());
    } else {
        header = json_loadb(text, reading->n_header_bytes, JSON_REJECT_DUPLICATES, &problem);
        if (!header) {
            make_printable(problem.text);
            BAD(reading, "its header is not the JSON of one: %s (line %d, column %d)", problem.text, problem.line,
                problem.column);
        }
    }
    free(text);
    return header;
}

/* A count or offset of the header: an integer from 0 on. */
static bool take_count(const json_t *value, int64_t *count)
{
    *count = json_integer_value(value);
    return json_is_integer(value) && *count >= 0;
}

static bool take_dtype(const struct reading *reading, const json_t *facts, struct safetensor *tensor)
{
    const char *dtype = json_string_value(json_object_get(facts, "dtype"));
    if (!dtype || !is_printable(dtype))
        return BAD(reading, "tensor %s has no dtype", tensor->name);
    tensor->dtype = arena_format(&reading->file->arena, "%s", dtype);
    return tensor->dtype || no_memory(reading);
}

static bool take_shape(const struct reading *reading, const json_t *facts, struct safetensor *tensor)
{
    const json_t *shape = json_object_get(facts, "shape");
    if (!json_is_array(shape))
        return BAD(reading, "tensor %s has no shape", tensor->name);
    if (json_array_size(shape) > SAFETENSOR_DIMS)
        return BAD(reading, "tensor %s has %zu dimensions; at most %d are read", tensor->name, json_array_size(shape),
                   SAFETENSOR_DIMS);
    tensor->n_dims = (int)json_array_size(shape);
    for (int i = 0; i < tensor->n_dims; i++)
        if (!take_count(json_array_get(shape, (size_t)i), &tensor->dim[i]))
            return BAD(reading, "tensor %s: dimension %d of its shape is no integer from 0 on", tensor->name, i);
    return true;
}

static bool take_offsets(const struct reading *reading, const json_t *facts, struct safetensor *tensor)
{
    const json_t *offsets = json_object_get(facts, "data_offsets");
    int64_t first, end;
    if (json_array_size(offsets) != 2 || !take_count(json_array_get(offsets, 0), &first) ||
        !take_count(json_array_get(offsets, 1), &end) || first > end)
        return BAD(reading, "tensor %s: its data_offsets are not two integers, the first not above the second",
                   tensor->name);
    if ((uint64_t)end > reading->file->n_data_bytes)
        return BAD(reading,
                   "tensor %s ends at byte %" PRId64
                   " of the data, of which the file has %zu: cut short, or a wrong header",
                   tensor->name, end, reading->file->n_data_bytes);
    tensor->first = (size_t)first;
    tensor->n_bytes = (size_t)(end - first);
    return true;
}

/* The bytes that dtype and shape ask for are those between the offsets. */
static bool size_is_right(const struct reading *reading, const struct safetensor *tensor)
{
    char text[SAFETENSOR_TEXT_BYTES];
    uint64_t bits = dtype_bits(tensor->dtype);
    bool overflow = false;
    if (bits == 0)
        return true;
    for (int i = 0; i < tensor->n_dims; i++)
        overflow |= __builtin_mul_overflow(bits, (uint64_t)tensor->dim[i], &bits);
    safetensor_text(tensor, text);
    if (overflow)
        return BAD(reading, "tensor %s, %s, is larger than any file", tensor->name, text);
    return bits / 8 == tensor->n_bytes ||
           BAD(reading, "tensor %s, %s, takes %" PRIu64 " bytes, but its data_offsets span %zu", tensor->name, text,
               bits / 8, tensor->n_bytes);
}

static bool read_tensor(const struct reading *reading, const char *name, const json_t *facts)
{
    struct safetensor *tensor = &reading->file->tensors[reading->file->n_tensors];
    if (!is_printable(name))
        return BAD(reading, "the name of tensor %zu has control characters", reading->file->n_tensors);
    tensor->name = arena_format(&reading->file->arena, "%s", name);
    if (!tensor->name)
        return no_memory(reading);
    if (!json_is_object(facts))
        return BAD(reading, "tensor %s is described by no object of JSON", name);
    reading->file->n_tensors++;
    return take_dtype(reading, facts, tensor) && take_shape(reading, facts, tensor) &&
           take_offsets(reading, facts, tensor) && size_is_right(reading, tensor);
}

static int by_place(const void *a, const void *b)
{
    const struct safetensor *x = a, *y = b;
    size_t x_end = x->first + x->n_bytes, y_end = y->first + y->n_bytes;
    return x->first != y->first ? (x->first > y->first) - (x->first < y->first) : (x_end > y_end) - (x_end < y_end);
}

/* The format allows neither overlap nor gap. */
static bool fill_the_data(const struct reading *reading)
{
    struct safetensors *file = reading->file;
    size_t end = 0;
    qsort(file->tensors, file->n_tensors, sizeof *file->tensors, by_place);
    for (size_t i = 0; i < file->n_tensors; i++) {
        const struct safetensor *tensor = &file->tensors[i];
        if (tensor->first < end)
            return BAD(reading, "tensor %s starts at byte %zu of the data, but %s before it goes on to %zu: they overlap",
                       tensor->name, tensor->first, file->tensors[i - 1].name, end);
        if (tensor->first > end)
            return BAD(reading, "bytes %zu to %zu of the data, before tensor %s, are no tensor's", end, tensor->first,
                       tensor->name);
        end += tensor->n_bytes;
    }
    return end == file->n_data_bytes ||
           BAD(reading, "%zu bytes after the last tensor are no tensor's", file->n_data_bytes - end);
}

static bool read_tensors(const struct reading *reading, json_t *header)
{
    static const char metadata[] = "__metadata__";
    struct safetensors *file = reading->file;
    const char *name;
    json_t *facts;
    if (!json_is_object(header))
        return BAD(reading, "its header is no object of JSON");
    file->tensors = arena_alloc(&file->arena, (json_object_size(header) + 1) * sizeof *file->tensors);
    if (!file->tensors)
        return no_memory(reading);
    json_object_foreach(header, name, facts)
    {
        if (strcmp(name, metadata) != 0 && !read_tensor(reading, name, facts))
            return false;
    }
    return fill_the_data(reading);
}

bool safetensors_open(struct safetensors *file, const char *path, struct error *error)
{
    struct reading reading = {.file = file, .error = error};
    *file = (struct safetensors){.path = path, .descriptor = -1};
    if (!open_file(&reading) || !read_header_length(&reading))
        return false;
    json_t *header = parse_header(&reading);
    bool ok = header && read_tensors(&reading, header);
    json_decref(header);
    return ok;
}

void safetensors_close(struct safetensors *file)
{
    if (file->descriptor >= 0)
        close(file->descriptor);
    arena_free(&file->arena);
}

const struct safetensor *safetensors_find(const struct safetensors *file, const char *name)
{
    for (size_t i = 0; i < file->n_tensors; i++)
        if (strcmp(file->tensors[i].name, name) == 0)
            return &file->tensors[i];
    return NULL;
}

bool safetensors_read(const struct safetensors *file, const struct safetensor *tensor, void *to, struct error *error)
{
    return read_at(file, file->data_at + tensor->first, to, tensor->n_bytes) ||
           error_set(error, STATUS_USAGE, "%s: tensor %s: %s", file->path, tensor->name, why_not_read());
}

void safetensor_text(const struct safetensor *tensor, char text[SAFETENSOR_TEXT_BYTES])
{
    size_t used = (size_t)snprintf(text, SAFETENSOR_TEXT_BYTES, "%.20s [", tensor->dtype);
    for (int i = 0; i < tensor->n_dims && used < SAFETENSOR_TEXT_BYTES; i++)
        used += (size_t)snprintf(text + used, SAFETENSOR_TEXT_BYTES - used, "%s%" PRId64, i ? ", " : "", tensor->dim[i]);
    if (used < SAFETENSOR_TEXT_BYTES)
        snprintf(text + used, SAFETENSOR_TEXT_BYTES - used, "]");
}
