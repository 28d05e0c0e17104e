#include "tests/support/fault_outcome.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "contract/base/error.h"
#include "contract/base/file.h"
#include "tests/support/scratch.h"

enum { LIMIT_S = 60 };

static const char *const class_names[] = {
#define CLASS_NAME(id, name, what) name,
    FAULT_CLASSES(CLASS_NAME)
#undef CLASS_NAME
};

static void redirect(const char *path, int descriptor)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || dup2(file, descriptor) < 0)
        _exit(127);
    close(file);
}

static void become(char *const argv[], const char *folder, const char *library, const char *class, unsigned long at)
{
    char number[32], cache[SCRATCH_PATH_BYTES + 8];
    snprintf(number, sizeof number, "%lu", at);
    snprintf(cache, sizeof cache, "%s/cache", folder);
    if (chdir(folder) != 0)
        _exit(127);
    redirect("out", STDOUT_FILENO);
    redirect("err", STDERR_FILENO);
    setenv("LD_PRELOAD", library, 1);
    setenv(FAULT_CLASS_VARIABLE, class, 1);
    setenv(FAULT_AT_VARIABLE, number, 1);
    setenv(FAULT_RECORD_VARIABLE, "calls", 1);
    setenv("HIPCONTRACT_CACHE", cache, 0);
    alarm(LIMIT_S);
    execv(argv[0], argv);
    _exit(127);
}

/* "" where the file is not there. */
static char *text_of(const char *folder, const char *name)
{
    char path[PATH_MAX], *text = NULL;
    size_t n_bytes;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return file_read(path, &text, &n_bytes, NULL) ? text : strdup("");
}

/* Takes out what no two runs have alike, at any depth, what is known of the commit, as a log without it is one of a run
 * that could not ask git, and diagnoses, which a red verdict lacks where there is no memory for one. */
static void drop_circumstances(json_t *value)
{
    const char *key;
    json_t *member;
    size_t i;
    if (json_is_object(value)) {
        json_object_del(value, "duration_ns");
        json_object_del(value, "gates_ns");
        json_object_del(value, "limits_ns");
        json_object_del(value, "commit");
        json_object_del(value, "records");
        json_object_del(value, "diagnosis");
        json_object_foreach(value, key, member) drop_circumstances(member);
    }
    json_array_foreach(value, i, member) drop_circumstances(member);
}

static void read_log(const char *folder, struct outcome *outcome)
{
    char *text = text_of(folder, "run.jsonl"), *rest = text;
    outcome->lines = json_array();
    for (char *line; (line = strsep(&rest, "\n")) && (*line || rest);) {
        json_t *object = json_loads(line, 0, NULL);
        outcome->has_bad_line |= !object && rest;
        drop_circumstances(object);
        if (object)
            json_array_append_new(outcome->lines, object);
    }
    free(text);
}

static void read_calls(const char *folder, struct outcome *outcome)
{
    char *text = text_of(folder, "calls"), *rest = text;
    for (char *line; (line = strsep(&rest, "\n"));) {
        for (int i = 0; i < FAULT_CLASS_COUNT; i++) {
            size_t length = strlen(class_names[i]);
            if (strncmp(line, class_names[i], length) == 0 && line[length] == ' ')
                outcome->calls[i] = strtoul(line + length, NULL, 10);
        }
        if (strncmp(line, "failed ", 7) == 0)
            snprintf(outcome->failed, sizeof outcome->failed, "%s", line + 7);
    }
    free(text);
}

bool outcome_run(char *const argv[], const char *library, const char *class, unsigned long at, struct outcome *outcome)
{
    char folder[SCRATCH_PATH_BYTES];
    int status = 0;
    *outcome = (struct outcome){.status = -1, .signal = -1};
    if (!scratch_open(folder))
        return false;
    pid_t child = fork();
    if (child == 0)
        become(argv, folder, library, class, at);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status))
        outcome->status = WEXITSTATUS(status);
    else
        outcome->signal = WTERMSIG(status);
    outcome->out = text_of(folder, "out");
    outcome->err = text_of(folder, "err");
    read_log(folder, outcome);
    read_calls(folder, outcome);
    scratch_close(folder);
    return child > 0 && outcome->status != 127;
}

void outcome_free(struct outcome *outcome)
{
    free(outcome->out);
    free(outcome->err);
    json_decref(outcome->lines);
    *outcome = (struct outcome){0};
}

static bool wrong(char text[OUTCOME_TEXT_BYTES], const char *what, const char *detail)
{
    snprintf(text, OUTCOME_TEXT_BYTES, "%s%.500s", what, detail);
    return true;
}

static const char *field(const json_t *line, const char *name)
{
    const char *text = json_string_value(json_object_get(line, name));
    return text ? text : "";
}

static bool has_line(const json_t *lines, const json_t *line)
{
    size_t i;
    json_t *other;
    json_array_foreach(lines, i, other) if (json_equal(other, line)) return true;
    return false;
}

/* A verdict that says of the environment that it failed, not of the kernel: by its status, or a control that was missed by
 * its reason. */
static bool blames_environment(const json_t *line)
{
    static const char *const names[] = {"not-run", "launch-failed", "build-failed", "died", "invalid"};
    const char *status = field(line, "status"), *reason = field(line, "reason");
    bool is_missed = strcmp(status, "miss") == 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(status, names[i]) == 0)
            return true;
    return is_missed && (strstr(reason, "out of host memory") || strstr(reason, "hipError") || strstr(reason, "not run: "));
}

/* A kernel that is right is not said to be wrong, nor more than was found out about it. */
static bool has_wrong_verdict(const struct outcome *outcome, const struct outcome *undisturbed, char *text)
{
    size_t i;
    json_t *line;
    json_array_foreach(outcome->lines, i, line) if (strcmp(field(line, "record"), "verdict") == 0 &&
                                                    !blames_environment(line) && !has_line(undisturbed->lines, line))
    {
        char *json = json_dumps(line, JSON_COMPACT);
        wrong(text, "a verdict that is not so: ", json);
        free(json);
        return true;
    }
    return false;
}

/* Nothing here ends a worker from outside: one that a signal ended did what the run must not do either. */
static bool has_crashed_worker(const struct outcome *outcome, char *text)
{
    for (size_t i = 0; i < json_array_size(outcome->lines); i++) {
        const json_t *line = json_array_get(outcome->lines, i);
        if (strcmp(field(line, "status"), "died") == 0 && strstr(field(line, "reason"), "ended by signal"))
            return wrong(text, "a worker crashed: ", field(line, "reason"));
    }
    return false;
}

static bool has_end(const json_t *lines, const char *registration)
{
    size_t i;
    json_t *line;
    json_array_foreach(lines, i, line) if (strcmp(field(line, "record"), "end") == 0 &&
                                           strcmp(field(line, "registration"), registration) == 0) return true;
    return false;
}

/* "PASS  CHIP NAME  …" is printed when the registration has ended. */
static bool has_lost_verdict(const struct outcome *outcome, char *text)
{
    bool is_said = strstr(outcome->err, "the log is not") || strstr(outcome->err, "cannot write the log");
    char name[100];
    for (const char *at = outcome->out; at && !is_said; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (sscanf(at, "PASS %*s %99s", name) == 1 && !has_end(outcome->lines, name))
            return wrong(text, "printed as passed and not in the log: ", name);
    }
    return false;
}

/* Bytes of a line of n, up to where its times begin: "SUMMARY …; gates 12 ms", "SCORE …; 12 ms". */
static size_t before_times(const char *line, size_t n)
{
    const char *gates = strstr(line, "gates ");
    if (strncmp(line, "SUMMARY", 7) == 0 && gates && gates < line + n)
        return (size_t)(gates - line);
    if (strncmp(line, "SCORE", 5) == 0 && n > 3 && strncmp(line + n - 3, " ms", 3) == 0)
        while (n > 0 && line[n - 1] != ';')
            n--;
    return n;
}

static bool prints_same(const char *a, const char *b)
{
    while (*a && *b) {
        size_t n = strcspn(a, "\n"), m = strcspn(b, "\n"), said = before_times(a, n);
        if (said != before_times(b, m) || strncmp(a, b, said) != 0)
            return false;
        a += n + (a[n] != '\0');
        b += m + (b[m] != '\0');
    }
    return *a == *b;
}

static bool has_problem_line(const char *out)
{
    static const char *const words[] = {"FAIL ", "MISS ", "BLIND ", "INVALID ", "LIMIT "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(out, words[i]))
            return true;
    return false;
}

bool outcome_is_wrong(const struct outcome *outcome, const struct outcome *undisturbed, char text[OUTCOME_TEXT_BYTES])
{
    if (outcome->signal >= 0)
        return wrong(text, "ended by ", outcome->signal == SIGALRM ? "nothing: it hangs" : strsignal(outcome->signal));
    if (outcome->status > STATUS_INTERRUPTED)
        return wrong(text, "an exit status that is not documented", "");
    if (outcome->has_bad_line)
        return wrong(text, "a damaged line within the log", "");
    if (has_crashed_worker(outcome, text) || has_wrong_verdict(outcome, undisturbed, text) ||
        has_lost_verdict(outcome, text))
        return true;
    if (outcome->status != STATUS_OK)
        return !outcome->err[0] && !has_problem_line(outcome->out) &&
               wrong(text, "a status other than 0 without a word", "");
    if (!json_equal(outcome->lines, undisturbed->lines))
        return wrong(text, "status 0, and another log", "");
    return !prints_same(outcome->out, undisturbed->out) && wrong(text, "status 0, and other lines", "");
}
