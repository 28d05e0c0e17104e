#include "reports/mutation_log.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/json_text.h"

/* Takes the reference. A line that could not be written whole is the last. */
static void write_line(struct mutation_log *log, json_t *object)
{
    char *text = json_text(object, JSON_COMPACT);
    if (!log->failed)
        log->failed = !text || fputs(text, log->file) == EOF || fputc('\n', log->file) == EOF || fflush(log->file) != 0;
    free(text);
}

bool mutation_log_open(struct mutation_log *log, const char *path, const struct mutation_log_head *head,
                       struct error *error)
{
    *log = (struct mutation_log){.file = fopen(path, "we"), .path = path};
    if (!log->file)
        return error_set(error, STATUS_USAGE, "%s: %s", path, strerror(errno));
    write_line(log, json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:i, s:i}", "record", "mutate", "version", head->version,
                              "compiler", head->compiler, "scope", head->scope, "seed", (json_int_t)head->seed, "sample",
                              (json_int_t)head->sample, "seeds", head->n_seeds, "runs", head->n_runs));
    return true;
}

static void set_text(json_t *object, const char *key, const char *text)
{
    if (*text)
        json_object_set_new(object, key, json_string(text));
}

static void set_number(json_t *object, const char *key, double number)
{
    json_object_set_new(object, key, isfinite(number) ? json_real(number) : json_string("infinite"));
}

static void add_killer(json_t *object, const struct trial_result *result)
{
    if (result->outcome != TRIAL_REFUSED || result->gate)
        json_object_set_new(object, "step", json_string(trial_step_name(result->step)));
    if (result->gate)
        json_object_set_new(object, "gate", json_integer(result->gate));
    set_text(object, "shape", result->shape);
    set_text(object, "pattern", result->pattern);
    set_text(object, "name", result->name);
    set_text(object, "reason", result->reason);
}

static void add_survival(json_t *object, const struct trial_result *result)
{
    json_object_set_new(object, "cases", json_integer((json_int_t)result->n_cases));
    json_object_set_new(object, "cases_differ", json_integer((json_int_t)result->n_cases_differ));
    if (result->n_cases_differ) {
        set_text(object, "shape", result->moved_shape);
        set_text(object, "pattern", result->moved_pattern);
        json_object_set_new(object, "outputs_differ", json_integer(result->n_differ));
        set_number(object, "moved", result->moved);
    }
    if (!result->seed)
        return;
    json_object_set_new(object, "other_seed", json_integer((json_int_t)result->seed));
    set_text(object, "other_shape", result->seed_shape);
    set_text(object, "other_pattern", result->seed_pattern);
    if (result->seed_gate)
        json_object_set_new(object, "other_gate", json_integer(result->seed_gate));
    set_text(object, "other_reason", result->seed_reason);
}

static json_t *mutant_line(const struct mutation_score *score, size_t i)
{
    const struct mutant *m = &score->list->mutants[i];
    const struct trial_result *result = &score->results[i];
    json_t *object =
        json_pack("{s:s, s:s, s:s, s:s, s:I, s:s, s:s, s:s, s:s, s:I}", "record", "mutant", "chip", score->chip,
                  "registration", score->registration, "kernel", m->kernel, "offset", (json_int_t)m->offset_bytes,
                  "operator", mutation_operator_name(m->op), "before", m->before, "after", m->after, "outcome",
                  trial_outcome_name(result->outcome), "executed", (json_int_t)m->n_executed);
    if (!object)
        return NULL;
    set_text(object, "file", m->file);
    if (*m->file)
        json_object_set_new(object, "line", json_integer(m->line));
    if (m->op == MUTATION_LOOP_ROUND)
        json_object_set_new(object, "taken", json_integer((json_int_t)m->n_taken));
    if (trial_outcome_kills(result->outcome) || result->outcome == TRIAL_UNSUPPORTED)
        add_killer(object, result);
    else if (result->outcome == TRIAL_SURVIVED)
        add_survival(object, result);
    json_object_set_new(object, "duration_ns", json_integer((json_int_t)result->duration_ns));
    return object;
}

/* Counts by outcome, those of gates by gate, and the percentage. */
static json_t *tally_object(const struct mutation_tally *tally)
{
    json_t *object = json_object();
    double percent = mutation_percent(tally);
    for (int i = 0; i < TRIAL_OUTCOME_COUNT; i++)
        json_object_set_new(object, trial_outcome_name((enum trial_outcome)i), json_integer((json_int_t)tally->n[i]));
    json_t *gates = json_array();
    for (int gate = GATE_BYTES; gate < GATE_LIMITS; gate++)
        json_array_append_new(gates, json_integer((json_int_t)tally->n_gate[gate]));
    json_object_set_new(object, "gates", gates);
    if (!isnan(percent))
        json_object_set_new(object, "percent", json_real(percent));
    return object;
}

static json_t *operators_object(const struct mutation_score *score)
{
    json_t *object = json_object();
    for (int op = 0; op < MUTATION_OPERATOR_COUNT; op++)
        json_object_set_new(object, mutation_operator_name((enum mutation_operator)op),
                            tally_object(&score->by_operator[op]));
    return object;
}

void mutation_log_score(struct mutation_log *log, const struct mutation_score *score)
{
    if (!log->file)
        return;
    for (size_t i = 0; i < score->list->n; i++)
        write_line(log, mutant_line(score, i));
    write_line(log, json_pack("{s:s, s:s, s:s, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I}", "record", "score", "chip",
                              score->chip, "registration", score->registration, "tally", tally_object(&score->all),
                              "operators", operators_object(score), "instructions", (json_int_t)score->list->n_instructions,
                              "executed", (json_int_t)score->list->n_executed, "edits", (json_int_t)score->list->n_edits,
                              "steps", (json_int_t)score->n_steps, "left_out", (json_int_t)score->n_left_out, "duration_ns",
                              (json_int_t)score->duration_ns));
}

bool mutation_log_close(struct mutation_log *log, const struct mutation_tally *all, enum status status, struct error *error)
{
    if (!log->file)
        return true;
    write_line(log, json_pack("{s:s, s:i, s:o}", "record", "summary", "exit", (int)status, "tally", tally_object(all)));
    bool closed = fclose(log->file) == 0;
    log->file = NULL;
    return (closed && !log->failed) ||
           error_set(error, STATUS_USAGE, "%s: cannot be written; the log is not whole", log->path);
}
