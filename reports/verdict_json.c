#include "reports/verdict_json.h"

#include <stddef.h>
#include <string.h>

#include "reports/cells.h"
#include "reports/diagnosis_json.h"
#include "reports/error_map_json.h"
#include "reports/finding_json.h"
#include "reports/values_json.h"

enum field_kind { FIELD_TEXT, FIELD_INT, FIELD_INT64, FIELD_COUNTS, FIELD_REAL, FIELD_HEX64, FIELD_HASH };

struct field {
    const char *name;
    enum field_kind kind;
    size_t offset, n_bytes;
};

#define FIELD(kind, name, member)                                                                                          \
    {                                                                                                                      \
        name, kind, offsetof(struct verdict, member), sizeof(((struct verdict *)0)->member)                                \
    }
static const struct field fields[] = {
    FIELD(FIELD_INT, "gate", gate),
    FIELD(FIELD_TEXT, "chip", chip),
    FIELD(FIELD_TEXT, "device", device),
    FIELD(FIELD_TEXT, "registration", registration),
    FIELD(FIELD_TEXT, "file", file),
    FIELD(FIELD_INT, "line", line),
    FIELD(FIELD_TEXT, "name", name),
    FIELD(FIELD_TEXT, "shape", shape),
    FIELD(FIELD_TEXT, "pattern", pattern),
    FIELD(FIELD_HASH, "code", code),
    FIELD(FIELD_HASH, "output", output),
    FIELD(FIELD_INT, "runs", n_runs),
    FIELD(FIELD_HEX64, "schedule", schedule),
    FIELD(FIELD_TEXT, "checks", checks),
    FIELD(FIELD_INT64, "compared", n_compared),
    FIELD(FIELD_INT64, "wrong", n_wrong),
    FIELD(FIELD_INT64, "undecided", n_undecided),
    FIELD(FIELD_INT64, "finite", n_finite),
    FIELD(FIELD_INT64, "nonfinite", n_nonfinite),
    FIELD(FIELD_REAL, "worst_ratio", worst_ratio),
    FIELD(FIELD_REAL, "signed_mean", signed_mean),
    FIELD(FIELD_TEXT, "twin", twin),
    FIELD(FIELD_HASH, "twin_code", twin_code),
    FIELD(FIELD_INT64, "twin_compared", n_twin),
    FIELD(FIELD_REAL, "twin_ratio", twin_ratio),
    FIELD(FIELD_TEXT, "depth_tensor", depth_tensor),
    FIELD(FIELD_INT64, "depth_declared", depth_declared),
    FIELD(FIELD_INT64, "depth_measured", depth_measured),
    FIELD(FIELD_TEXT, "depth_parts", depth_parts),
    FIELD(FIELD_COUNTS, "ratio_histogram", ratio_histogram),
    FIELD(FIELD_REAL, "miss_fp16", miss_fp16),
    FIELD(FIELD_REAL, "miss_bf16", miss_bf16),
    FIELD(FIELD_TEXT, "tensor", worst.tensor),
    FIELD(FIELD_INT64, "element", worst.index),
    FIELD(FIELD_HEX64, "got_bits", worst.got_bits),
    FIELD(FIELD_REAL, "got", worst.got),
    FIELD(FIELD_REAL, "reference", worst.reference),
    FIELD(FIELD_REAL, "bound", worst.bound),
    FIELD(FIELD_INT64, "duration_ns", duration_ns),
    FIELD(FIELD_TEXT, "modelled", modelled),
    FIELD(FIELD_TEXT, "reason", reason),
};
#undef FIELD
enum { N_FIELDS = sizeof fields / sizeof *fields };

static json_t *hash_to_json(const struct hash128 *hash)
{
    char text[33];
    hash_hex(*hash, text);
    return json_string(text);
}

static json_t *counts_to_json(const int64_t *counts, size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(array, json_integer(counts[i]));
    return array;
}

static bool counts_from_json(const json_t *array, int64_t *counts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const json_t *count = json_array_get(array, i);
        counts[i] = json_integer_value(count);
        if (!json_is_integer(count) || counts[i] < 0)
            return false;
    }
    return json_array_size(array) == n;
}

static json_t *field_to_json(const struct field *field, const void *at)
{
    switch (field->kind) {
    case FIELD_TEXT:
        return cell_text_to_json(at);
    case FIELD_INT:
        return json_integer(*(const int *)at);
    case FIELD_INT64:
        return json_integer(*(const int64_t *)at);
    case FIELD_COUNTS:
        return counts_to_json(at, field->n_bytes / sizeof(int64_t));
    case FIELD_REAL:
        return number_to_json(*(const double *)at);
    case FIELD_HEX64:
        return number_bits_to_json(*(const uint64_t *)at);
    case FIELD_HASH:
        return hash_to_json(at);
    }
    return NULL;
}

static bool field_from_json(const struct field *field, const json_t *json, void *at)
{
    const char *text = json_string_value(json);
    switch (field->kind) {
    case FIELD_TEXT:
        if (!text || strlen(text) >= field->n_bytes)
            return false;
        memcpy(at, text, strlen(text) + 1);
        return true;
    case FIELD_INT:
        *(int *)at = (int)json_integer_value(json);
        return json_is_integer(json);
    case FIELD_INT64:
        *(int64_t *)at = json_integer_value(json);
        return json_is_integer(json);
    case FIELD_COUNTS:
        return counts_from_json(json, at, field->n_bytes / sizeof(int64_t));
    case FIELD_REAL:
        return number_from_json(json, at);
    case FIELD_HEX64:
        return number_bits_from_json(json, at);
    case FIELD_HASH:
        return hash_from_hex(text, at);
    }
    return false;
}

/* Nothing is lost by leaving out a field whose bytes are all zero: that is what reading starts from. */
static bool says_nothing(const struct field *field, const void *at)
{
    static const unsigned char zeros[sizeof(struct verdict)];
    return field->kind == FIELD_TEXT ? *(const char *)at == '\0' : memcmp(at, zeros, field->n_bytes) == 0;
}

static json_t *resources_to_json(const struct verdict_resources *resources)
{
    struct record record = {0};
    memcpy(record.figure, resources->figure, sizeof record.figure);
    return cell_figures_to_json(&record);
}

static bool resources_from_json(const json_t *object, struct verdict_resources *resources)
{
    struct record record = {0};
    resources->are_known = cell_figures_from_json(object, &record);
    memcpy(resources->figure, record.figure, sizeof record.figure);
    return resources->are_known;
}

json_t *verdict_to_json(const struct verdict *verdict)
{
    json_t *object = json_object();
    if (!object)
        return NULL;
    json_object_set_new(object, "record", json_string("verdict"));
    json_object_set_new(object, "subject", json_string(verdict_subject_name(verdict->subject)));
    json_object_set_new(object, "status", json_string(verdict_status_name(verdict->status)));
    for (size_t i = 0; i < N_FIELDS; i++) {
        const void *at = (const char *)verdict + fields[i].offset;
        if (!says_nothing(&fields[i], at))
            json_object_set_new(object, fields[i].name, field_to_json(&fields[i], at));
    }
    if (*verdict->error_map.tensor)
        json_object_set_new(object, "error_map", error_map_to_json(&verdict->error_map));
    if (*verdict->diagnosis.tensor)
        json_object_set_new(object, "diagnosis", diagnosis_to_json(&verdict->diagnosis));
    if (verdict->resources.are_known)
        json_object_set_new(object, "resources", resources_to_json(&verdict->resources));
    if (verdict->has_finding)
        json_object_set_new(object, "finding", finding_to_json(&verdict->finding));
    return object;
}

/* The index of a name among n names, or -1. */
static int index_of(const char *name, const char *(*name_of)(int), int n)
{
    for (int i = 0; name && i < n; i++)
        if (strcmp(name, name_of(i)) == 0)
            return i;
    return -1;
}

static const char *subject_by_index(int i)
{
    return verdict_subject_name((enum verdict_subject)i);
}

static const char *status_by_index(int i)
{
    return verdict_status_name((enum verdict_status)i);
}

bool verdict_from_json(const json_t *object, struct verdict *verdict)
{
    *verdict = (struct verdict){0};
    int subject = index_of(json_string_value(json_object_get(object, "subject")), subject_by_index, SUBJECT_COUNT);
    int status = index_of(json_string_value(json_object_get(object, "status")), status_by_index, VERDICT_STATUS_COUNT);
    if (subject < 0 || status < 0)
        return false;
    verdict->subject = (enum verdict_subject)subject;
    verdict->status = (enum verdict_status)status;
    for (size_t i = 0; i < N_FIELDS; i++) {
        const json_t *json = json_object_get(object, fields[i].name);
        if (json && !field_from_json(&fields[i], json, (char *)verdict + fields[i].offset))
            return false;
    }
    /* Readers count by gate: a number that is none would reach past their arrays. */
    if (verdict->gate < 0 || verdict->gate > GATE_LIMITS)
        return false;
    const json_t *finding = json_object_get(object, "finding"), *map = json_object_get(object, "error_map");
    const json_t *resources = json_object_get(object, "resources"), *diagnosis = json_object_get(object, "diagnosis");
    verdict->has_finding = finding != NULL;
    return (!finding || finding_from_json(finding, &verdict->finding)) &&
           (!map || error_map_from_json(map, &verdict->error_map)) &&
           (!diagnosis || diagnosis_from_json(diagnosis, &verdict->diagnosis)) &&
           (!resources || resources_from_json(resources, &verdict->resources));
}
