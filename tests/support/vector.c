#include "tests/support/vector.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "contract/base/file.h"

static const char *const check_kind_names[] = {
    [CHECK_BITS] = "bits", [CHECK_F16] = "f16", [CHECK_F32] = "f32", [CHECK_F64] = "f64", [CHECK_READ] = "read"};

static int hex_digit(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/* The bytes of a hex string, with room for at_least (the rest 0); NULL where it is no hex. */
static const uint8_t *hex_bytes(const char *hex, size_t at_least, struct arena *arena, size_t *n_bytes)
{
    size_t n = hex ? strlen(hex) / 2 : 0;
    uint8_t *bytes = arena_alloc(arena, n > at_least ? n : at_least);
    for (size_t i = 0; bytes && i < n; i++) {
        int high = hex_digit(hex[2 * i]), low = hex_digit(hex[2 * i + 1]);
        if (high < 0 || low < 0)
            return NULL;
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    *n_bytes = n;
    return bytes;
}

static bool parse_check(const json_t *item, struct vector_check *check)
{
    const char *mask = json_string_value(json_array_get(item, 1)), *kind = json_string_value(json_array_get(item, 2));
    if (!mask || !kind || !json_is_integer(json_array_get(item, 0)))
        return false;
    check->dword = (uint32_t)json_integer_value(json_array_get(item, 0));
    check->mask = (uint32_t)strtoul(mask, NULL, 16);
    for (size_t i = 0; i < sizeof check_kind_names / sizeof *check_kind_names; i++)
        if (strcmp(kind, check_kind_names[i]) == 0) {
            check->kind = (enum check_kind)i;
            return true;
        }
    return false;
}

/* An f64 lies in two registers: its high half is the check of the same lane one register on. */
static void pair_f64_checks(struct vector_check *checks, size_t n_checks, uint32_t register_dwords)
{
    for (size_t i = 0; i < n_checks; i++)
        for (size_t j = i + 1; checks[i].kind == CHECK_F64 && !checks[i].is_high && j < n_checks; j++)
            if (checks[j].kind == CHECK_F64 && checks[j].dword == checks[i].dword + register_dwords) {
                checks[i].high_dword = checks[j].dword;
                checks[j].is_high = true;
            }
}

static bool parse_checks(const json_t *record, struct arena *arena, struct vector *vector)
{
    const json_t *list = json_object_get(record, "checks");
    vector->n_checks = json_array_size(list);
    struct vector_check *checks = arena_alloc(arena, (vector->n_checks + 1) * sizeof *checks);
    vector->checks = checks;
    for (size_t i = 0; checks && i < vector->n_checks; i++)
        if (!parse_check(json_array_get(list, i), &checks[i]) || (uint64_t)checks[i].dword * 4 + 4 > vector->output_bytes)
            return false;
    if (checks)
        pair_f64_checks(checks, vector->n_checks, vector->n_items);
    return checks && vector->n_checks > 0;
}

static uint32_t field(const json_t *record, const char *name)
{
    return (uint32_t)json_integer_value(json_object_get(record, name));
}

static const char *string_field(const json_t *record, const char *name, struct arena *arena)
{
    const char *value = json_string_value(json_object_get(record, name));
    return value ? arena_format(arena, "%s", value) : NULL;
}

static bool parse_vector(const json_t *record, struct arena *arena, struct vector *vector)
{
    size_t expect_bytes;
    const char *harness = json_string_value(json_object_get(record, "harness"));
    vector->id = string_field(record, "id", arena);
    vector->chip = string_field(record, "arch", arena);
    vector->n_lanes = field(record, "wave");
    vector->n_items = field(record, "lanes");
    vector->lds_bytes = field(record, "lds");
    vector->scratch_bytes = field(record, "scratch");
    vector->full = harness && strcmp(harness, "full") == 0;
    vector->approx = json_is_true(json_object_get(record, "approx"));
    vector->optional = json_is_true(json_object_get(record, "optional"));
    vector->ulp = field(record, "ulp");
    vector->output_bytes = field(record, "out_size");
    vector->code = hex_bytes(json_string_value(json_object_get(record, "code")), 0, arena, &vector->code_bytes);
    vector->expect =
        hex_bytes(json_string_value(json_object_get(record, "expect")), vector->output_bytes, arena, &expect_bytes);
    return vector->id && vector->chip && harness && (vector->n_lanes == 32 || vector->n_lanes == 64) &&
           vector->n_items > 0 && vector->n_items <= 1024 && vector->code && vector->code_bytes && vector->expect &&
           expect_bytes <= vector->output_bytes && parse_checks(record, arena, vector);
}

static size_t count_lines(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n + 1;
}

bool vectors_read(const char *path, struct arena *arena, struct vector **vectors, size_t *n_vectors, struct error *error)
{
    char *text;
    size_t n_bytes, n = 0, line = 1;
    if (!file_read(path, &text, &n_bytes, error))
        return false;
    struct vector *all = arena_alloc(arena, count_lines(text) * sizeof *all);
    bool ok = all;
    char *rest = text;
    for (char *row; ok && (row = strsep(&rest, "\n")); line++) {
        if (!*row)
            continue;
        json_t *record = json_loads(row, 0, NULL);
        ok = parse_vector(record, arena, &all[n]);
        json_decref(record);
        n += ok;
    }
    free(text);
    *vectors = all;
    *n_vectors = n;
    return ok || error_set(error, STATUS_USAGE, "%s:%zu: not a vector", path, line - 1);
}
