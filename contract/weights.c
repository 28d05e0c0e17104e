#include "contract/weights.h"

#include <inttypes.h>
#include <string.h>

#include "contract/base/text.h"
#include "contract/host_case.h"
#include "reference/safetensors.h"

/* A weights file being read. */
struct reading {
    struct weights *weights;
    struct safetensors file;
    const char *name; /* the part after the colon */
    struct error *error;
};

static bool no_memory(const struct reading *reading)
{
    return error_set(reading->error, STATUS_ENVIRONMENT, "out of host memory for the weights of %s",
                     reading->weights->name);
}

/* What stands after "NAME." in a tensor's name; NULL: another's tensor. */
static const char *suffix_of(const struct reading *reading, const struct safetensor *tensor)
{
    size_t length = strlen(reading->name);
    return strncmp(tensor->name, reading->name, length) == 0 && tensor->name[length] == '.' ? tensor->name + length + 1
                                                                                            : NULL;
}

static const struct safetensor *find(const struct reading *reading, const char *suffix)
{
    for (size_t i = 0; i < reading->file.n_tensors; i++) {
        const char *own = suffix_of(reading, &reading->file.tensors[i]);
        if (own && strcmp(own, suffix) == 0)
            return &reading->file.tensors[i];
    }
    return NULL;
}

static bool is_missing(const struct reading *reading, const struct reg_file_tensor *wanted)
{
    struct text there = {0};
    for (size_t i = 0; i < reading->file.n_tensors; i++) {
        const char *suffix = suffix_of(reading, &reading->file.tensors[i]);
        if (suffix)
            text_append(&there, "%s%s", there.data ? ", " : "", suffix);
    }
    error_set(reading->error, STATUS_USAGE, "%s: no tensor %s.%s (%s)%s%s; of %s the file has %.300s", reading->file.path,
              reading->name, wanted->suffix, wanted->dtype, wanted->missing ? ": " : "",
              wanted->missing ? wanted->missing : "", reading->name, there.data ? there.data : "nothing");
    text_free(&there);
    return false;
}

static bool has_form(const struct reading *reading, const struct safetensor *tensor, const struct reg_file_tensor *wanted)
{
    char text[SAFETENSOR_TEXT_BYTES];
    if (strcmp(tensor->dtype, wanted->dtype) == 0 && tensor->n_dims == wanted->n_dims && tensor->n_bytes > 0)
        return true;
    safetensor_text(tensor, text);
    return error_set(reading->error, STATUS_USAGE, "%s: tensor %s is %s; %s in %d dimensions%s is wanted",
                     reading->file.path, tensor->name, text, wanted->dtype, wanted->n_dims,
                     wanted->n_dims ? ", none of them 0," : " (one number)");
}

static bool read_data(const struct reading *reading, const struct safetensor *tensor, size_t i)
{
    struct reg_file *file = &reading->weights->file;
    void *data = arena_alloc(&reading->weights->arena, tensor->n_bytes);
    if (!data)
        return no_memory(reading);
    memcpy(file->dim[i], tensor->dim, (size_t)tensor->n_dims * sizeof *tensor->dim);
    file->data[i] = data;
    file->n_bytes[i] = tensor->n_bytes;
    return safetensors_read(&reading->file, tensor, data, reading->error);
}

static bool read_tensor(const struct reading *reading, size_t i)
{
    const struct reg_file_tensor *wanted = &reading->weights->registration->weights->tensors[i];
    const struct safetensor *tensor = find(reading, wanted->suffix);
    if (wanted->refused)
        return !tensor || error_set(reading->error, STATUS_USAGE, "%s: tensor %s: %s", reading->file.path, tensor->name,
                                    wanted->refused);
    return tensor ? has_form(reading, tensor, wanted) && read_data(reading, tensor, i) : is_missing(reading, wanted);
}

static bool is_wanted(const struct registration *registration, const char *suffix)
{
    for (size_t i = 0; i < registration->weights->n_tensors; i++)
        if (strcmp(registration->weights->tensors[i].suffix, suffix) == 0)
            return true;
    return false;
}

static bool name_the_unused(const struct reading *reading)
{
    struct text unused = {0};
    for (size_t i = 0; i < reading->file.n_tensors; i++) {
        char text[SAFETENSOR_TEXT_BYTES];
        const char *suffix = suffix_of(reading, &reading->file.tensors[i]);
        if (!suffix || is_wanted(reading->weights->registration, suffix))
            continue;
        safetensor_text(&reading->file.tensors[i], text);
        text_append(&unused, "%s%s %s", unused.data ? ", " : "", suffix, text);
    }
    reading->weights->unused = arena_format(&reading->weights->arena, "%s", unused.data ? unused.data : "");
    text_free(&unused);
    return reading->weights->unused || no_memory(reading);
}

static bool read_tensors(struct reading *reading)
{
    for (size_t i = 0; i < reading->weights->registration->weights->n_tensors; i++)
        if (!read_tensor(reading, i))
            return false;
    return name_the_unused(reading);
}

bool weights_open(struct weights *weights, const struct registration *registration, const char *name, struct error *error)
{
    struct reading reading = {.weights = weights, .error = error};
    const char *colon = strrchr(name, ':');
    *weights = (struct weights){.registration = registration, .name = name, .unused = ""};
    if (!colon || colon == name || !colon[1])
        return error_set(error, STATUS_USAGE, "--weights %s: give FILE:NAME, a safetensors file and a layer in it", name);
    if (!registration->weights)
        return error_set(error, STATUS_USAGE, "%s takes no weights from files; run it with --shape", registration->name);
    char *path = arena_format(&weights->arena, "%.*s", (int)(colon - name), name);
    if (!path)
        return no_memory(&reading);
    reading.name = colon + 1;
    bool ok = safetensors_open(&reading.file, path, error) && read_tensors(&reading);
    safetensors_close(&reading.file);
    return ok;
}

static const char *label(struct weights *weights, const struct reg_shape *shape)
{
    char *text = arena_format(&weights->arena, "%" PRId64, shape->dim[0]);
    for (int d = 1; d < REG_MAX_DIMS && shape->dim[d] && text; d++)
        text = arena_format(&weights->arena, "%sx%" PRId64, text, shape->dim[d]);
    return text;
}

static const struct reg_tensor *find_input(const struct reg_plan *plan, const char *name)
{
    for (int t = 0; t < plan->n_tensors; t++)
        if (plan->tensor[t].role == REG_INPUT && strcmp(plan->tensor[t].name, name) == 0)
            return &plan->tensor[t];
    return NULL;
}

static bool inputs_take_the_file(const struct weights *weights, const struct reg_plan *plan, struct error *error)
{
    for (size_t i = 0; i < weights->registration->weights->n_tensors; i++) {
        const struct reg_file_tensor *tensor = &weights->registration->weights->tensors[i];
        const struct reg_tensor *input = tensor->input ? find_input(plan, tensor->input) : NULL;
        if (tensor->input && !input)
            return error_set(error, STATUS_USAGE, "registration %s: its plan has no input %s, which %s should fill",
                             weights->registration->name, tensor->input, tensor->suffix);
        if (input && tensor_bytes(input) != weights->file.n_bytes[i])
            return error_set(error, STATUS_USAGE, "%s.%s has %zu bytes; the kernel's %s takes %zu", weights->name,
                             tensor->suffix, weights->file.n_bytes[i], input->name, tensor_bytes(input));
    }
    return true;
}

bool weights_shape(struct weights *weights, int64_t rows, struct reg_shape *shape, struct error *error)
{
    const struct registration *r = weights->registration;
    struct reg_plan plan = {0};
    *shape = (struct reg_shape){0};
    if (!r->weights->shape(r, &weights->file, rows, shape->dim, error) || !r->plan(shape, &plan, error))
        return error_prefix(error, "%s is not for %s", weights->name, r->name);
    shape->label = label(weights, shape);
    if (!shape->label)
        return error_set(error, STATUS_ENVIRONMENT, "out of host memory for a shape's label");
    return inputs_take_the_file(weights, &plan, error);
}

void weights_close(struct weights *weights)
{
    arena_free(&weights->arena);
}
