#include "reports/log_environment.h"

#include <stddef.h>
#include <string.h>

enum field_kind { FIELD_TEXT, FIELD_INT, FIELD_UINT64 };

struct field {
    const char *name, *words;
    enum field_kind kind;
    size_t offset;
    int uses; /* log_use bits: runs that differ here are not of one kind */
};

#define FIELD(kind, name, member, words, uses)                                                                             \
    {                                                                                                                      \
        name, words, kind, offsetof(struct log_environment, member), uses                                                  \
    }
static const struct field fields[] = {
    FIELD(FIELD_TEXT, "hipcontract", version, "version of hipcontract", LOG_TO_MERGE),
    FIELD(FIELD_TEXT, "commit", commit, "commit", LOG_TO_MERGE),
    FIELD(FIELD_TEXT, "records", records, "records touched", 0),
    FIELD(FIELD_TEXT, "toolchain", toolchain, "toolchain", LOG_TO_MERGE),
    FIELD(FIELD_TEXT, "compiler", compiler, "compiler", LOG_TO_MERGE),
    FIELD(FIELD_TEXT, "command", command, "command", LOG_TO_MERGE),
    FIELD(FIELD_UINT64, "seed", seed, "seed", LOG_TO_RESUME | LOG_TO_MERGE | LOG_TO_COMPARE),
    FIELD(FIELD_INT, "runs", n_runs, "number of runs", LOG_TO_RESUME | LOG_TO_MERGE),
    FIELD(FIELD_TEXT, "scope", scope, "choice of --quick or --full", LOG_TO_RESUME | LOG_TO_MERGE),
    FIELD(FIELD_TEXT, "device", device, "device", LOG_TO_RESUME | LOG_TO_MERGE),
    FIELD(FIELD_TEXT, "checks", checks, "choice of checks", LOG_TO_RESUME | LOG_TO_MERGE),
    FIELD(FIELD_INT, "device_count", n_devices, "number of devices", LOG_TO_RESUME | LOG_TO_MERGE),
    FIELD(FIELD_TEXT, "kernels", kernels, "list of --kernels", LOG_TO_RESUME | LOG_TO_MERGE),
    FIELD(FIELD_TEXT, "matrix_model", matrix_model, "matrix model", LOG_TO_RESUME | LOG_TO_MERGE),
    FIELD(FIELD_TEXT, "chips", chips, "chips", 0),
    FIELD(FIELD_TEXT, "only", only, "choice of --only", LOG_TO_MERGE),
    FIELD(FIELD_INT, "shard", shard, "shard", LOG_TO_RESUME),
    FIELD(FIELD_INT, "shards", n_shards, "number of shards", LOG_TO_RESUME | LOG_TO_MERGE),
    FIELD(FIELD_TEXT, "outputs", outputs, "folder of outputs", 0),
    FIELD(FIELD_TEXT, "split", split, "split into shards", LOG_TO_MERGE),
    FIELD(FIELD_TEXT, "registrations", registrations, "registrations", 0),
};
#undef FIELD
enum { N_FIELDS = sizeof fields / sizeof *fields };

static const void *member(const struct log_environment *environment, const struct field *field)
{
    return (const char *)environment + field->offset;
}

static const char *text_of(const struct log_environment *environment, const struct field *field)
{
    return *(const char *const *)member(environment, field);
}

/* NULL where it says nothing. */
static json_t *field_to_json(const struct log_environment *environment, const struct field *field)
{
    const char *text;
    int number;
    switch (field->kind) {
    case FIELD_TEXT:
        text = text_of(environment, field);
        return text ? json_string(text) : NULL;
    case FIELD_INT:
        number = *(const int *)member(environment, field);
        return number ? json_integer(number) : NULL;
    case FIELD_UINT64:
        return json_integer((json_int_t) * (const uint64_t *)member(environment, field));
    }
    return NULL;
}

json_t *log_environment_to_json(const struct log_environment *environment)
{
    json_t *object = json_pack("{s:s, s:i}", "record", "environment", "format", LOG_FORMAT);
    for (size_t i = 0; i < N_FIELDS && object; i++) {
        json_t *value = field_to_json(environment, &fields[i]);
        if (value)
            json_object_set_new(object, fields[i].name, value);
    }
    return object;
}

static bool text_from_json(const json_t *json, struct arena *arena, const char **text, struct error *error)
{
    *text = arena_format(arena, "%s", json_string_value(json));
    return *text || error_set(error, STATUS_ENVIRONMENT, "out of host memory for the log");
}

static bool field_from_json(const struct field *field, const json_t *json, struct arena *arena, void *at,
                            struct error *error)
{
    if (field->kind == FIELD_TEXT ? !json_is_string(json) : !json_is_integer(json))
        return error_set(error, STATUS_USAGE, "`%s` of the environment has the wrong type", field->name);
    if (field->kind == FIELD_TEXT)
        return text_from_json(json, arena, at, error);
    if (field->kind == FIELD_INT)
        *(int *)at = (int)json_integer_value(json);
    else
        *(uint64_t *)at = (uint64_t)json_integer_value(json);
    return true;
}

static bool check_format(const json_t *object, struct error *error)
{
    const json_t *format = json_object_get(object, "format");
    if (!json_is_integer(format))
        return error_set(error, STATUS_USAGE, "the environment has no `format`");
    if (json_integer_value(format) > LOG_FORMAT)
        return error_set(error, STATUS_USAGE, "log format %lld is newer than this program's, %d; read it with a newer one",
                         (long long)json_integer_value(format), LOG_FORMAT);
    return json_integer_value(format) == LOG_FORMAT ||
           error_set(error, STATUS_USAGE, "log format %lld is older than this program's, %d; make the log anew",
                     (long long)json_integer_value(format), LOG_FORMAT);
}

bool log_environment_from_json(const json_t *object, struct arena *arena, struct log_environment *environment,
                               struct error *error)
{
    *environment = (struct log_environment){0};
    if (!check_format(object, error))
        return false;
    for (size_t i = 0; i < N_FIELDS; i++) {
        const json_t *json = json_object_get(object, fields[i].name);
        if (json && !field_from_json(&fields[i], json, arena, (char *)environment + fields[i].offset, error))
            return false;
    }
    return true;
}

bool log_environment_copy(const struct log_environment *environment, struct arena *arena, struct log_environment *copy)
{
    bool ok = true;
    *copy = *environment;
    for (size_t i = 0; i < N_FIELDS; i++) {
        const char **text = (const char **)((char *)copy + fields[i].offset);
        if (fields[i].kind != FIELD_TEXT || !*text)
            continue;
        *text = arena_format(arena, "%s", *text);
        ok &= *text != NULL;
    }
    return ok;
}

static bool is_same(const struct log_environment *a, const struct log_environment *b, const struct field *field)
{
    if (field->kind == FIELD_INT)
        return *(const int *)member(a, field) == *(const int *)member(b, field);
    if (field->kind == FIELD_UINT64)
        return *(const uint64_t *)member(a, field) == *(const uint64_t *)member(b, field);
    const char *text_a = text_of(a, field), *text_b = text_of(b, field);
    return text_a && text_b ? strcmp(text_a, text_b) == 0 : text_a == text_b;
}

const char *log_environment_difference(const struct log_environment *a, const struct log_environment *b, enum log_use use)
{
    for (size_t i = 0; i < N_FIELDS; i++)
        if (fields[i].uses & (int)use && !is_same(a, b, &fields[i]))
            return fields[i].words;
    return NULL;
}
