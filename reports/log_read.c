/* A run log as what --resume goes on from. */
#include "reports/log.h"

static bool can_be_resumed(const char *path, const struct log_environment *then, const struct log_environment *now,
                           struct error *error)
{
    const char *differs = log_environment_difference(then, now, LOG_TO_RESUME);
    return !differs || error_set(error, STATUS_USAGE,
                                 "%s cannot be resumed: it was made with another %s; use the same options, or a new log",
                                 path, differs);
}

bool history_read(const char *path, const struct log_environment *environment, struct run_history *history,
                  struct error *error)
{
    struct report *report = &history->report;
    *history = (struct run_history){0};
    return report_add_log(report, path, error) && can_be_resumed(path, &report->logs[0].environment, environment, error) &&
           report_settle(report, error);
}

const struct verdict *const *history_verdicts(const struct report_kernel *kernel, size_t *n_verdicts)
{
    bool counts = kernel && kernel->is_finished && kernel->state != REPORT_NOT_RUN;
    *n_verdicts = counts ? kernel->n_verdicts - kernel->n_limits : 0;
    return *n_verdicts ? kernel->verdicts : NULL;
}

static const struct verdict *const *find_finished(void *context, const char *registration, const char *chip,
                                                  size_t *n_verdicts)
{
    const struct run_history *history = context;
    return history_verdicts(report_find(&history->report, registration, chip), n_verdicts);
}

struct decided history_decided(const struct run_history *history)
{
    return (struct decided){.find = find_finished, .context = (void *)history};
}

void history_free(struct run_history *history)
{
    report_free(&history->report);
}
