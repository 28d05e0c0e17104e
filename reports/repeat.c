#include "reports/repeat.h"

#include <inttypes.h>
#include <string.h>

static void append_option(struct text *text, const char *name, const char *value)
{
    text_append(text, " --%s", name);
    text_append_word(text, value);
}

/* Each word of a comma list as an option of its own. */
static void append_each(struct text *text, const char *name, const char *list)
{
    struct text word = {0};
    for (const char *at = list; at && *at; at += strspn(at, ",")) {
        size_t length = strcspn(at, ",");
        word.length = 0;
        text_append(&word, "%.*s", (int)length, at);
        if (word.data)
            append_option(text, name, word.data);
        at += length;
    }
    text_free(&word);
}

/* The log has the names with blanks between, the option wants commas. */
static void append_checks(struct text *text, const char *checks)
{
    char all[VERDICT_CHECKS_BYTES], list[VERDICT_CHECKS_BYTES];
    finding_kinds_list(CHECKS_ALL, " ", all, sizeof all);
    if (!checks || strcmp(checks, all) == 0)
        return;
    snprintf(list, sizeof list, "%s", checks);
    for (char *at = list; (at = strchr(at, ' ')) != NULL;)
        *at = ',';
    append_option(text, "check", list);
}

/* What the emulator was asked to do otherwise than it does by itself. */
static void append_emulator(struct text *text, const struct log_environment *environment)
{
    append_checks(text, environment->checks);
    if (environment->matrix_model && strcmp(environment->matrix_model, "chip") != 0)
        append_option(text, "matrix-model", environment->matrix_model);
    if (environment->n_devices)
        text_append(text, " --device-count %d", environment->n_devices);
}

/* What decides the numbers of any command that runs a kernel. */
static void append_device(struct text *text, const struct verdict *v, const struct log_environment *environment)
{
    append_option(text, "chip", v->chip);
    text_append(text, " --seed %" PRIu64 " --runs %d", environment->seed, environment->n_runs);
    if (environment->device && strcmp(environment->device, "rocm") == 0)
        append_option(text, "device", "rocm");
    else
        append_emulator(text, environment);
}

/* A gate's name that is no launcher's check is a byte contract's, which has its own shape and pattern. */
static bool is_byte_contract(const struct verdict *v)
{
    return *v->name && reg_launcher_check_find(v->name) == REG_LAUNCHER_CHECK_COUNT;
}

void repeat_options(const struct verdict *v, const struct log_environment *environment, struct text *text)
{
    if (!is_byte_contract(v) && *v->pattern)
        append_option(text, "pattern", v->pattern);
    append_each(text, "kernels", environment->kernels);
    append_device(text, v, environment);
    if (v->schedule)
        text_append(text, " --schedule 0x%" PRIx64, v->schedule);
}

static void repeat_case(const struct verdict *v, const struct log_environment *environment, struct text *text)
{
    bool is_bytes = is_byte_contract(v);
    text_append(text, "hipcontract run");
    text_append_word(text, v->registration);
    append_option(text, is_bytes ? "bytes" : "shape", is_bytes ? v->name : v->shape);
    repeat_options(v, environment, text);
}

static void repeat_registration(const struct verdict *v, const struct log_environment *environment, struct text *text)
{
    text_append(text, "hipcontract gates");
    append_option(text, "only", v->registration);
    append_each(text, "kernels", environment->kernels);
    if (environment->scope && strcmp(environment->scope, "default") != 0)
        text_append(text, " --%s", environment->scope);
    append_device(text, v, environment);
}

static void repeat_limit(const struct verdict *v, const struct log_environment *environment, struct text *text)
{
    text_append(text, "hipcontract limits");
    append_option(text, "only", v->registration);
    append_each(text, "kernels", environment->kernels);
    append_option(text, "chip", v->chip);
}

/* `run` does one case, or one byte contract. */
static bool is_of_case(const struct verdict *v)
{
    return v->subject == SUBJECT_GATE && *v->shape && v->gate != 0;
}

void repeat_command(const struct verdict *v, const struct log_environment *environment, struct text *text)
{
    if (v->subject == SUBJECT_LIMIT)
        repeat_limit(v, environment, text);
    else if (is_of_case(v))
        repeat_case(v, environment, text);
    else
        repeat_registration(v, environment, text);
}
