#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/emulate_plan.h"
#include "contract/base/file.h"
#include "contract/base/random.h"

static const struct emulate_type types[] = {
#define TYPE_ROW(name, bytes, format, is_signed) {#name, bytes, format, is_signed},
    EMULATE_TYPES(TYPE_ROW)
#undef TYPE_ROW
};

static const struct {
    const char *word;
    bool takes_count;
} buffers[] = {
#define BUFFER_ROW(kind, word, takes_count) {word, takes_count},
    EMULATE_BUFFERS(BUFFER_ROW)
#undef BUFFER_ROW
};

static const struct emulate_type *find_type(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].name) == length && memcmp(types[i].name, name, length) == 0)
            return &types[i];
    return NULL;
}

bool emulate_number(const char *text, uint64_t limit, uint64_t *value)
{
    char *end;
    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    *value = strtoull(text, &end, 0);
    return errno == 0 && *end == 0 && *value <= limit;
}

static bool integer_fits(const struct emulate_type *type, const char *text, uint64_t *bits)
{
    char *end;
    errno = 0;
    unsigned n_bits = 8 * (unsigned)type->n_bytes;
    if (type->is_signed) {
        int64_t value = strtoll(text, &end, 0), top = (int64_t)(UINT64_MAX >> (65 - n_bits));
        *bits = (uint64_t)value;
        return errno == 0 && *text && *end == 0 && value >= -top - 1 && value <= top;
    }
    *bits = strtoull(text, &end, 0);
    return errno == 0 && *text && *text != '-' && *end == 0 && *bits <= UINT64_MAX >> (64 - n_bits);
}

static bool parse_scalar(const struct emulate_type *type, const char *text, struct emulate_argument *argument)
{
    char *end = NULL;
    uint64_t bits;
    argument->kind = ARGUMENT_VALUE;
    argument->type = type;
    argument->value_bytes = type->n_bytes;
    if (type->format == FORMAT_COUNT) {
        if (!integer_fits(type, text, &bits))
            return false;
        memcpy(argument->value, &bits, type->n_bytes);
        return true;
    }
    if (type->format == FORMAT_F32) {
        float value = strtof(text, &end);
        memcpy(argument->value, &value, sizeof value);
    } else {
        format_store(type->format, argument->value, 0, strtod(text, &end));
    }
    return *text && *end == 0;
}

static bool parse_hex(const char *text, struct emulate_argument *argument)
{
    size_t n_digits = strlen(text);
    argument->kind = ARGUMENT_VALUE;
    argument->value_bytes = n_digits / 2;
    if (n_digits == 0 || n_digits % 2 || argument->value_bytes > sizeof argument->value)
        return false;
    for (size_t i = 0; i < argument->value_bytes; i++) {
        unsigned byte;
        if (!isxdigit((unsigned char)text[2 * i]) || !isxdigit((unsigned char)text[2 * i + 1]) ||
            sscanf(text + 2 * i, "%2x", &byte) != 1)
            return false;
        argument->value[i] = (uint8_t)byte;
    }
    return true;
}

/* Takes "+BYTES" off the end of a text. */
static void take_offset(char *text, struct emulate_argument *argument)
{
    char *plus = strrchr(text, '+');
    if (plus && emulate_number(plus + 1, UINT64_MAX, &argument->offset_bytes))
        *plus = 0;
    else
        argument->offset_bytes = 0;
}

static bool read_contents(const char *path, const char *text, struct emulate_argument *argument, struct error *error)
{
    size_t n_bytes;
    if (!file_read(path, &argument->contents, &n_bytes, error))
        return false;
    if (n_bytes == 0 || n_bytes % argument->type->n_bytes)
        return error_set(error, STATUS_USAGE, "--arg %s: %zu bytes are no whole number of %s elements", text, n_bytes,
                         argument->type->name);
    argument->count = n_bytes / argument->type->n_bytes;
    return true;
}

/* Colon-separated fields after the word: type, file or count, output file; pad=BYTES may stand among the last ones. */
struct fields {
    const char *type, *subject, *out;
    uint64_t pad_bytes;
};

static bool split_fields(char *rest, struct fields *fields)
{
    char *save = NULL;
    size_t n = 0;
    for (char *field = strtok_r(rest, ":", &save); field; field = strtok_r(NULL, ":", &save)) {
        if (strncmp(field, "pad=", 4) == 0) {
            if (!emulate_number(field + 4, EMULATE_GUARD_BYTES, &fields->pad_bytes))
                return false;
            continue;
        }
        if (n > 2)
            return false;
        *(n == 0 ? &fields->type : n == 1 ? &fields->subject : &fields->out) = field;
        n++;
    }
    return n >= 2;
}

static bool fill_buffer(const char *text, const struct fields *fields, struct emulate_argument *argument,
                        struct error *error)
{
    bool takes_count = buffers[argument->kind].takes_count,
         writes = argument->kind == ARGUMENT_OUT || argument->kind == ARGUMENT_INOUT;
    argument->type = find_type(fields->type, strlen(fields->type));
    if (!argument->type)
        return error_set(error, STATUS_USAGE,
                         "--arg %s: no type %s; types are i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64", text,
                         fields->type);
    if (fields->out && !writes)
        return error_set(error, STATUS_USAGE, "--arg %s: only out: and inout: name an output file", text);
    if (takes_count && (!emulate_number(fields->subject, UINT64_C(1) << 40, &argument->count) || argument->count == 0))
        return error_set(error, STATUS_USAGE, "--arg %s: %s is no number of elements", text, fields->subject);
    if (!takes_count && !read_contents(fields->subject, text, argument, error))
        return false;
    const char *out = fields->out ? fields->out : argument->kind == ARGUMENT_INOUT ? fields->subject : NULL;
    argument->out_path = out ? strdup(out) : NULL;
    return true;
}

static bool parse_buffer(const char *text, char *copy, struct emulate_argument *argument, struct error *error)
{
    char *colon = strchr(copy, ':');
    struct fields fields = {0};
    size_t kind = 0, n_kinds = sizeof buffers / sizeof *buffers;
    if (colon)
        *colon = 0;
    while (colon && kind < n_kinds && strcmp(buffers[kind].word, copy) != 0)
        kind++;
    if (!colon || kind == n_kinds)
        return error_set(error, STATUS_USAGE,
                         "--arg %s: neither TYPE=VALUE, bytes=HEX, null, @K nor in: inout: out: rand: zero: sparse:", text);
    argument->kind = (enum emulate_argument_kind)kind;
    if (!split_fields(colon + 1, &fields))
        return error_set(error, STATUS_USAGE, "--arg %s: wanted %s:TYPE:%s, and pad= at most %d", text, copy,
                         buffers[kind].takes_count ? "COUNT" : "FILE", EMULATE_GUARD_BYTES);
    return fill_buffer(text, &fields, argument, error);
}

static void name_argument(size_t index, struct emulate_argument *argument)
{
    if (emulate_is_buffer(argument))
        snprintf(argument->name, sizeof argument->name, "argument %zu (%s:%s %" PRIu64 ")", index,
                 buffers[argument->kind].word, argument->type->name, argument->count);
    else
        snprintf(argument->name, sizeof argument->name, "argument %zu", index);
}

static bool parse_copy(const char *text, char *copy, struct emulate_argument *argument, struct error *error)
{
    char *equals = strchr(copy, '='), *colon = strchr(copy, ':');
    uint64_t same;
    if (equals && !colon) {
        const struct emulate_type *type = find_type(copy, (size_t)(equals - copy));
        bool is_bytes = equals - copy == 5 && memcmp(copy, "bytes", 5) == 0;
        if (type ? parse_scalar(type, equals + 1, argument) : is_bytes && parse_hex(equals + 1, argument))
            return true;
        return error_set(error, STATUS_USAGE,
                         "--arg %s: not a type with a value of it, nor bytes= with up to %d bytes in hex", text,
                         EMULATE_VALUE_BYTES);
    }
    take_offset(copy, argument);
    if (strcmp(copy, "null") == 0) {
        argument->kind = ARGUMENT_NULL;
        return true;
    }
    if (copy[0] == '@' && emulate_number(copy + 1, EMULATE_ARGUMENTS - 1, &same)) {
        argument->kind = ARGUMENT_SAME;
        argument->same = same;
        return true;
    }
    return parse_buffer(text, copy, argument, error);
}

bool emulate_argument_parse(const char *text, size_t index, struct emulate_argument *argument, struct error *error)
{
    char *copy = strdup(text);
    *argument = (struct emulate_argument){0};
    bool ok = copy ? parse_copy(text, copy, argument, error) : error_set(error, STATUS_ENVIRONMENT, "out of memory");
    free(copy);
    if (ok)
        name_argument(index, argument);
    return ok;
}

void emulate_argument_free(struct emulate_argument *argument)
{
    free(argument->contents);
    free(argument->out_path);
}

uint8_t emulate_poison_byte(uint64_t poison, uint64_t i)
{
    return (uint8_t)(random_bits((struct random_key){poison}, i / 8) >> 8 * (i % 8));
}

static void fill_random(const struct emulate_argument *argument, uint8_t *bytes)
{
    struct random_key key = random_key_for(1, argument->name);
    for (uint64_t i = 0; i < argument->count; i++) {
        uint64_t bits = random_bits(key, i);
        if (argument->type->format == FORMAT_COUNT)
            memcpy(bytes + i * argument->type->n_bytes, &bits, argument->type->n_bytes);
        else
            format_store(argument->type->format, bytes, (int64_t)i, 2 * random_unit(key, i) - 1);
    }
}

void emulate_argument_fill(const struct emulate_argument *argument, uint64_t poison, uint8_t *bytes)
{
    uint64_t n_bytes = argument->count * argument->type->n_bytes;
    switch (argument->kind) {
    case ARGUMENT_IN:
    case ARGUMENT_INOUT:
        memcpy(bytes, argument->contents, n_bytes);
        break;
    case ARGUMENT_OUT:
        for (uint64_t i = 0; i < n_bytes; i++)
            bytes[i] = emulate_poison_byte(poison, i);
        break;
    case ARGUMENT_RAND:
        fill_random(argument, bytes);
        break;
    default:
        memset(bytes, 0, n_bytes);
    }
}
