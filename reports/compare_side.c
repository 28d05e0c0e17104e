#include "reports/compare_side.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "contract/base/file.h"
#include "contract/base/text.h"
#include "reports/kept_outputs.h"
#include "reports/log_lines.h"
#include "reports/npy.h"
#include "reports/verdict_json.h"

/* A log being read. */
struct side_reading {
    struct compare_side *side;
    struct arena *arena;
    size_t capacity;
    const struct logged_outputs *outputs; /* of the case whose verdict comes next; NULL: none */
};

static bool no_memory(struct error *error)
{
    return error_set(error, STATUS_ENVIRONMENT, "out of host memory for the comparison");
}

static bool read_outputs(struct side_reading *reading, const json_t *object, struct error *error)
{
    struct logged_outputs *outputs = arena_alloc(reading->arena, sizeof *outputs);
    if (!outputs)
        return no_memory(error);
    reading->outputs = outputs;
    return outputs_from_json(object, reading->arena, outputs) ||
           error_set(error, STATUS_USAGE, "not outputs that this version writes");
}

static bool is_about(const struct logged_outputs *outputs, const struct side_case *c)
{
    return outputs && !*c->name && strcmp(outputs->registration, c->registration) == 0 &&
           strcmp(outputs->chip, c->chip) == 0 && strcmp(outputs->shape, c->shape) == 0 &&
           strcmp(outputs->pattern, c->pattern) == 0;
}

static bool grow(struct side_reading *reading)
{
    struct compare_side *side = reading->side;
    if (side->n_cases < reading->capacity)
        return true;
    size_t capacity = reading->capacity ? 2 * reading->capacity : 64;
    struct side_case *grown = realloc(side->cases, capacity * sizeof *grown);
    if (!grown)
        return false;
    side->cases = grown;
    reading->capacity = capacity;
    return true;
}

static bool add_case(struct side_reading *reading, const struct verdict *v, struct error *error)
{
    struct arena *arena = reading->arena;
    struct side_case c = {.registration = arena_format(arena, "%s", v->registration),
                          .name = arena_format(arena, "%s", v->name),
                          .chip = arena_format(arena, "%s", v->chip),
                          .shape = arena_format(arena, "%s", v->shape),
                          .pattern = arena_format(arena, "%s", v->pattern),
                          .status = v->status,
                          .code = v->code,
                          .output = v->output,
                          .modelled = ""};
    if (!c.registration || !c.name || !c.chip || !c.shape || !c.pattern || !grow(reading))
        return no_memory(error);
    c.outputs = is_about(reading->outputs, &c) ? reading->outputs : NULL;
    reading->outputs = NULL;
    reading->side->cases[reading->side->n_cases++] = c;
    return true;
}

/* The gate that judges a case's numbers comes after gate 1. */
static bool note_modelled(const struct side_reading *reading, const struct verdict *v, struct error *error)
{
    const struct compare_side *side = reading->side;
    struct side_case *last = side->n_cases ? &side->cases[side->n_cases - 1] : NULL;
    if (!last || !*v->modelled || strcmp(last->registration, v->registration) != 0 || strcmp(last->name, v->name) != 0 ||
        strcmp(last->chip, v->chip) != 0 || strcmp(last->shape, v->shape) != 0 || strcmp(last->pattern, v->pattern) != 0)
        return true;
    last->modelled = arena_format(reading->arena, "%s", v->modelled);
    return last->modelled || no_memory(error);
}

/* Gate 1's verdicts that are about outputs: not those that no code was launched for. */
static bool is_case(const struct verdict *v)
{
    static const struct hash128 none;
    return v->gate == GATE_BYTES && *v->shape && (v->status == VERDICT_LAUNCH_FAILED || !hash_equal(v->output, none));
}

static bool read_verdict(struct side_reading *reading, const json_t *object, struct error *error)
{
    struct verdict v;
    if (!verdict_from_json(object, &v))
        return error_set(error, STATUS_USAGE, "not a verdict that this version writes");
    if (v.subject != SUBJECT_GATE)
        return true;
    return is_case(&v) ? add_case(reading, &v, error) : note_modelled(reading, &v, error);
}

static bool read_line(void *context, enum log_record record, const json_t *object, struct error *error)
{
    struct side_reading *reading = context;
    switch (record) {
    case LOG_ENVIRONMENT:
        return log_environment_from_json(object, reading->arena, &reading->side->environment, error);
    case LOG_OUTPUTS:
        return read_outputs(reading, object, error);
    case LOG_VERDICT:
        return read_verdict(reading, object, error);
    case LOG_END:
    case LOG_SUMMARY:
    case LOG_RECORD_COUNT:
        break;
    }
    return true;
}

static bool is_folder(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

bool compare_side_read(struct compare_side *side, const char *path, struct arena *arena, struct error *error)
{
    struct side_reading reading = {.side = side, .arena = arena};
    *side = (struct compare_side){.path = arena_format(arena, is_folder(path) ? "%s/" KEPT_OUTPUTS_LOG : "%s", path)};
    return side->path ? log_lines_read(side->path, read_line, &reading, &side->is_cut, error) : no_memory(error);
}

void compare_side_free(struct compare_side *side)
{
    free(side->cases);
    side->cases = NULL;
    side->n_cases = 0;
}

/* What comes before the last slash, with it; "" where there is none. */
static int folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

enum kept_place { BESIDE_LOG, NAMED_BESIDE_LOG, AS_NAMED, KEPT_PLACES };

/* The folder of kept outputs at a place; left empty where the log names none. */
static void append_place(struct text *text, const struct compare_side *side, enum kept_place place)
{
    const char *named = side->environment.outputs;
    int beside = folder_length(side->path);
    if (place == BESIDE_LOG)
        text_append(text, "%.*s.", beside, side->path);
    else if (named && place == NAMED_BESIDE_LOG)
        text_append(text, "%.*s%s", beside, side->path, named + folder_length(named));
    else if (named)
        text_append(text, "%s", named);
}

static bool read_kept(const char *path, const struct logged_tensor *tensor, void **data, struct error *error)
{
    if (!npy_read(path, tensor->format, tensor->rows, tensor->columns, data, error))
        return false;
    size_t n_bytes = (size_t)(tensor->rows * tensor->columns) * format_facts(tensor->format)->n_bytes;
    if (hash_equal(hash_bytes(*data, n_bytes), tensor->hash))
        return true;
    free(*data);
    *data = NULL;
    return error_set(error, STATUS_USAGE, "%s: not what the run left: its hash is not the log's", path);
}

bool compare_side_kept(const struct compare_side *side, const struct side_case *c, const struct logged_tensor *tensor,
                       void **data, struct error *error)
{
    const struct kept_case of = {c->chip, c->registration, c->shape, c->pattern};
    bool is_wrong = false;
    *data = NULL;
    for (int place = 0; place < KEPT_PLACES && !*data; place++) {
        struct text folder = {0}, path = {0};
        append_place(&folder, side, (enum kept_place)place);
        if (folder.data) {
            kept_outputs_folder(&path, folder.data, &of);
            kept_outputs_file(&path, tensor->name, tensor->format);
            if (file_exists(path.data))
                is_wrong |= !read_kept(path.data, tensor, data, error);
        }
        text_free(&folder);
        text_free(&path);
    }
    return *data || !is_wrong;
}
