#include "reports/output.h"

#include <errno.h>
#include <string.h>

bool output_end(FILE *out, bool had_memory, struct error *error)
{
    if (!had_memory)
        return error_set(error, STATUS_ENVIRONMENT, "out of host memory for the report");
    /* A write before this one may have failed, whose reason is gone. */
    bool failed = ferror(out) != 0;
    if (fflush(out) != 0)
        return error_set(error, STATUS_USAGE, "the report cannot be written: %s", strerror(errno));
    return !failed || error_set(error, STATUS_USAGE, "the report cannot be written whole");
}
