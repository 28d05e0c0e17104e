/* The command that repeats a verdict. */
#include <inttypes.h>
#include <string.h>

#include "contract/base/text.h"
#include "reports/report.h"

/* A word as a shell takes it. */
static void append_word(struct text *text, const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=./:,@%";
    if (*word && word[strspn(word, plain)] == '\0') {
        text_append(text, " %s", word);
        return;
    }
    text_append(text, " '");
    for (; *word; word++)
        if (*word == '\'')
            text_append(text, "'\\''");
        else
            text_append(text, "%c", *word);
    text_append(text, "'");
}

static void append_option(struct text *text, const char *option, const char *value)
{
    text_append(text, " --%s", option);
    append_word(text, value);
}

/* One --kernels a file of the comma list. */
static void append_files(struct text *text, const char *files, struct arena *arena)
{
    for (const char *at = files; at && *at;) {
        size_t length = strcspn(at, ",");
        const char *file = arena_format(arena, "%.*s", (int)length, at);
        append_option(text, "kernels", file ? file : "");
        at += length + (at[length] == ',');
    }
}

/* What the emulator was asked to do otherwise than it does by itself. */
static void append_emulator(struct text *text, const struct log_environment *environment)
{
    char all[VERDICT_CHECKS_BYTES];
    finding_kinds_list(CHECKS_ALL, " ", all, sizeof all);
    if (environment->checks && strcmp(environment->checks, all) != 0) {
        text_append(text, " --check ");
        for (const char *at = environment->checks; *at; at++)
            text_append(text, "%c", *at == ' ' ? ',' : *at);
    }
    if (environment->matrix_model && strcmp(environment->matrix_model, "chip") != 0)
        append_option(text, "matrix-model", environment->matrix_model);
    if (environment->n_devices)
        text_append(text, " --device-count %d", environment->n_devices);
}

static void append_environment(struct text *text, const struct log_environment *environment, const struct verdict *v)
{
    append_option(text, "chip", v->chip);
    text_append(text, " --seed %" PRIu64 " --runs %d", environment->seed, environment->n_runs);
    if (environment->device && strcmp(environment->device, "rocm") == 0)
        append_option(text, "device", "rocm");
    else
        append_emulator(text, environment);
}

static bool is_of_launcher(const struct verdict *v)
{
    return reg_launcher_check_find(v->name) != REG_LAUNCHER_CHECK_COUNT;
}

/* `run` does one case, or one byte contract. */
static bool is_of_case(const struct verdict *v)
{
    return v->subject == SUBJECT_GATE && *v->shape && v->gate != 0;
}

static void append_case(struct text *text, const struct verdict *v)
{
    append_word(text, v->registration);
    if (*v->name && !is_of_launcher(v)) {
        append_option(text, "bytes", v->name);
        return;
    }
    append_option(text, "shape", v->shape);
    if (*v->pattern)
        append_option(text, "pattern", v->pattern);
}

static void append_command(struct text *text, const struct report *report, const struct verdict *v, struct arena *arena)
{
    const struct log_environment *environment = &report->environment;
    const char *command = v->subject == SUBJECT_LIMIT ? "limits" : is_of_case(v) ? "run" : "gates";
    text_append(text, "hipcontract %s", command);
    if (is_of_case(v))
        append_case(text, v);
    else
        append_option(text, "only", v->registration);
    append_files(text, environment->kernels, arena);
    if (v->subject == SUBJECT_LIMIT) {
        append_option(text, "chip", v->chip);
        return;
    }
    if (!is_of_case(v) && environment->scope && strcmp(environment->scope, "default") != 0)
        text_append(text, " --%s", environment->scope);
    append_environment(text, environment, v);
    if (is_of_case(v) && v->schedule)
        text_append(text, " --schedule 0x%" PRIx64, v->schedule);
}

const char *report_repro(const struct report *report, const struct verdict *verdict, struct arena *arena)
{
    struct text text = {0};
    append_command(&text, report, verdict, arena);
    const char *command = text.failed ? NULL : arena_format(arena, "%s", text.data);
    text_free(&text);
    return command;
}
