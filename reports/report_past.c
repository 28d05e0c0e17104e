#include "reports/report_past.h"

#include <string.h>

/* Runs that ended, on the report's device with its choice of shapes; what is still running is the report's own. */
static bool is_comparable(const struct report *report, const struct history_run *run)
{
    const struct log_environment *e = &report->environment;
    return run->exit >= 0 && run->device && e->device && strcmp(run->device, e->device) == 0 && run->scope && e->scope &&
           strcmp(run->scope, e->scope) == 0;
}

static bool add_ratios(struct report *report, struct report_kernel *kernel, const struct history_row *rows, size_t n_rows)
{
    double *ratios = arena_alloc(&report->arena, REPORT_PAST_RUNS * sizeof *ratios);
    size_t n = 0;
    if (!ratios)
        return false;
    for (size_t i = n_rows; i-- > 0;) /* newest first, and oldest first is wanted */
        if (strcmp(rows[i].registration, kernel->registration) == 0 && strcmp(rows[i].chip, kernel->chip) == 0 &&
            is_comparable(report, &rows[i].run) && n < REPORT_PAST_RUNS)
            ratios[n++] = rows[i].worst_ratio;
    kernel->past.worst_ratios = ratios;
    kernel->past.n_worst_ratios = n;
    return true;
}

static bool is_same_toolchain(const struct report *report, const struct history_run *run)
{
    const char *toolchain = report->environment.toolchain;
    return run->exit >= 0 && run->toolchain && toolchain && strcmp(run->toolchain, toolchain) == 0;
}

static bool add_vgprs(struct report *report, struct report_kernel *kernel, const struct history_kernel *rows, size_t n_rows)
{
    uint32_t *vgprs = arena_alloc(&report->arena, REPORT_PAST_RUNS * sizeof *vgprs);
    size_t n = 0;
    if (!vgprs)
        return false;
    for (size_t i = n_rows; i-- > 0;)
        if (strcmp(rows[i].kernel, kernel->registration) == 0 && strcmp(rows[i].chip, kernel->chip) == 0 &&
            is_same_toolchain(report, &rows[i].run) && rows[i].figure[RECORD_vgprs] != RECORD_ABSENT &&
            n < REPORT_PAST_RUNS)
            vgprs[n++] = rows[i].figure[RECORD_vgprs];
    kernel->past.vgprs = vgprs;
    kernel->past.n_vgprs = n;
    return true;
}

bool report_add_past(struct report *report, struct history *history, struct error *error)
{
    const struct history_filter filter = {.chips = report->environment.chips, .n_last = REPORT_PAST_RUNS};
    struct history_row *rows;
    struct history_kernel *kernels;
    size_t n_rows, n_kernels;
    if (!history_rows(history, &filter, &report->arena, &rows, &n_rows, error) ||
        !history_kernels(history, &filter, &report->arena, &kernels, &n_kernels, error))
        return false;
    for (size_t i = 0; i < report->n_kernels; i++)
        if (!add_ratios(report, &report->kernels[i], rows, n_rows) ||
            !add_vgprs(report, &report->kernels[i], kernels, n_kernels))
            return error_set(error, STATUS_ENVIRONMENT, "out of host memory for past runs");
    return true;
}
