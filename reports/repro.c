/* The command that repeats a verdict of a report. */
#include "reports/repeat.h"
#include "reports/report.h"

const char *report_repro(const struct report *report, const struct verdict *verdict, struct arena *arena)
{
    struct text text = {0};
    repeat_command(verdict, &report->environment, &text);
    const char *command = text.failed ? NULL : arena_format(arena, "%s", text.data);
    text_free(&text);
    return command;
}
