#include "reports/outputs_json.h"

#include <string.h>

/* So that no size in bytes overflows. */
#define MOST_ELEMENTS (INT64_MAX / 8)

static json_t *hash_to_json(const void *data, size_t n_bytes)
{
    char hex[33];
    hash_hex(hash_bytes(data, n_bytes), hex);
    return json_string(hex);
}

static json_t *tensor_to_json(const struct reg_tensor *tensor, const unsigned char *data)
{
    size_t row_bytes = (size_t)tensor->columns * format_facts(tensor->format)->n_bytes;
    json_t *rows = json_array();
    for (int64_t row = 0; row < tensor->rows; row++)
        json_array_append_new(rows, hash_to_json(data + (size_t)row * row_bytes, row_bytes));
    return json_pack("{s:s, s:s, s:I, s:I, s:o, s:o}", "tensor", tensor->name, "format", format_facts(tensor->format)->name,
                     "rows", (json_int_t)tensor->rows, "columns", (json_int_t)tensor->columns, "hash",
                     hash_to_json(data, (size_t)tensor->rows * row_bytes), "row_hashes", rows);
}

/* {"VALU": {"v_add_f32": 12, …}, …} */
static json_t *executed_to_json(const struct executed *executed, size_t n_executed)
{
    json_t *classes = json_object();
    for (size_t i = 0; i < n_executed; i++) {
        json_t *class = json_object_get(classes, executed[i].class);
        if (!class) {
            class = json_object();
            json_object_set_new(classes, executed[i].class, class);
        }
        json_object_set_new(class, executed[i].mnemonic, json_integer((json_int_t)executed[i].n_executed));
    }
    return classes;
}

json_t *outputs_to_json(const struct case_outputs *outputs)
{
    char code[33];
    json_t *tensors = json_array();
    for (int t = 0; t < outputs->plan->n_tensors; t++)
        if (outputs->data[t])
            json_array_append_new(tensors, tensor_to_json(&outputs->plan->tensor[t], outputs->data[t]));
    hash_hex(outputs->code, code);
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o*}", "record", "outputs", "registration",
                     outputs->registration, "chip", outputs->chip, "shape", outputs->shape, "pattern", outputs->pattern,
                     "code", code, "tensors", tensors, "executed",
                     outputs->n_executed ? executed_to_json(outputs->executed, outputs->n_executed) : NULL);
}

/* A copy of a field's text; NULL where it is none. */
static const char *text_of(const json_t *object, const char *key, struct arena *arena)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? arena_format(arena, "%s", text) : NULL;
}

static bool rows_from_json(const json_t *array, struct arena *arena, struct logged_tensor *tensor)
{
    if (!json_is_array(array) || (int64_t)json_array_size(array) != tensor->rows)
        return false;
    struct hash128 *hashes = arena_alloc(arena, (size_t)tensor->rows * sizeof *hashes);
    for (size_t row = 0; hashes && row < (size_t)tensor->rows; row++)
        if (!hash_from_hex(json_string_value(json_array_get(array, row)), &hashes[row]))
            return false;
    tensor->row_hashes = hashes;
    return hashes != NULL;
}

static bool tensor_from_json(const json_t *object, struct arena *arena, struct logged_tensor *tensor)
{
    const char *format = json_string_value(json_object_get(object, "format"));
    *tensor = (struct logged_tensor){.name = text_of(object, "tensor", arena),
                                     .format = format ? format_find(format) : FORMAT_COUNT,
                                     .rows = json_integer_value(json_object_get(object, "rows")),
                                     .columns = json_integer_value(json_object_get(object, "columns"))};
    return tensor->name && tensor->format < FORMAT_COUNT && tensor->rows > 0 && tensor->columns > 0 &&
           tensor->columns <= MOST_ELEMENTS / tensor->rows &&
           hash_from_hex(json_string_value(json_object_get(object, "hash")), &tensor->hash) &&
           rows_from_json(json_object_get(object, "row_hashes"), arena, tensor);
}

static bool tensors_from_json(const json_t *array, struct arena *arena, struct logged_outputs *outputs)
{
    struct logged_tensor *tensors = arena_alloc(arena, json_array_size(array) * sizeof *tensors);
    if (!tensors || json_array_size(array) == 0)
        return false;
    for (size_t i = 0; i < json_array_size(array); i++)
        if (!tensor_from_json(json_array_get(array, i), arena, &tensors[i]))
            return false;
    outputs->tensors = tensors;
    outputs->n_tensors = json_array_size(array);
    return true;
}

static size_t count_executed(const json_t *classes)
{
    size_t n = 0;
    const char *name;
    json_t *class;
    json_object_foreach((json_t *)classes, name, class) n += json_object_size(class);
    return n;
}

static bool class_from_json(const char *class, json_t *counts, struct arena *arena, struct executed *executed, size_t *n)
{
    const char *mnemonic;
    json_t *count;
    const char *kept = arena_format(arena, "%s", class);
    json_object_foreach(counts, mnemonic, count)
    {
        struct executed row = {arena_format(arena, "%s", mnemonic), kept, (uint64_t)json_integer_value(count)};
        if (!kept || !row.mnemonic || !json_is_integer(count))
            return false;
        executed[(*n)++] = row;
    }
    return json_is_object(counts);
}

static bool executed_from_json(const json_t *classes, struct arena *arena, struct logged_outputs *outputs)
{
    const char *name;
    json_t *class;
    struct executed *executed = arena_alloc(arena, count_executed(classes) * sizeof *executed);
    if (!executed || (classes && !json_is_object(classes)))
        return false;
    json_object_foreach((json_t *)classes, name,
                        class) if (!class_from_json(name, class, arena, executed, &outputs->n_executed)) return false;
    outputs->executed = executed;
    return true;
}

bool outputs_from_json(const json_t *object, struct arena *arena, struct logged_outputs *outputs)
{
    *outputs = (struct logged_outputs){.registration = text_of(object, "registration", arena),
                                       .chip = text_of(object, "chip", arena),
                                       .shape = text_of(object, "shape", arena),
                                       .pattern = text_of(object, "pattern", arena)};
    return outputs->registration && outputs->chip && outputs->shape && outputs->pattern &&
           hash_from_hex(json_string_value(json_object_get(object, "code")), &outputs->code) &&
           tensors_from_json(json_object_get(object, "tensors"), arena, outputs) &&
           executed_from_json(json_object_get(object, "executed"), arena, outputs);
}
