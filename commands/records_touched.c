#include "commands/records_touched.h"

#include <string.h>

#include "toolchain/process.h"

/* Adds git's lines to the list; NULL where git failed. */
static const char *add_lines(const char *list, const char *const *argv, const char *root, struct arena *arena)
{
    struct process_result result;
    if (!list || !process_run(argv, root, &result, NULL))
        return NULL;
    if (result.exit_status != 0)
        list = NULL;
    for (const char *at = result.out.data; list && at && *at;) {
        size_t n = strcspn(at, "\n");
        list = arena_format(arena, "%s%s%.*s", list, *list ? "," : "", (int)n, at);
        at += n + (at[n] == '\n');
    }
    process_result_free(&result);
    return list;
}

const char *records_touched(const char *root, struct arena *arena)
{
    static const char *const changed[] = {"git", "diff", "--name-only", "--relative", "HEAD^1", "--", "records", NULL};
    static const char *const new[] = {"git", "ls-files", "--others", "--exclude-standard", "--", "records", NULL};
    return add_lines(add_lines("", changed, root, arena), new, root, arena);
}
