#include "reports/history.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "reports/history_schema.h"
#include "reports/history_state.h"

enum { PATIENCE_MS = 10000 };

bool history_default_path(char path[HISTORY_PATH_BYTES], struct error *error)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    int length = -1;
    /* The XDG base directory specification: a relative path is ignored. */
    if (data && *data == '/')
        length = snprintf(path, HISTORY_PATH_BYTES, "%s/hipcontract/history.db", data);
    else if (home && *home == '/')
        length = snprintf(path, HISTORY_PATH_BYTES, "%s/.local/share/hipcontract/history.db", home);
    if (length < 0)
        return error_set(error, STATUS_USAGE, "no place for the history: set XDG_DATA_HOME or HOME, or give --db FILE");
    return length < HISTORY_PATH_BYTES || error_set(error, STATUS_USAGE, "%s…: the path is too long", path);
}

static bool open_database(struct history *history, const char *path, enum history_mode mode, struct error *error)
{
    struct stat facts;
    if (mode == HISTORY_READ && stat(path, &facts) != 0)
        return error_set(error, STATUS_USAGE, "%s: %s; `hipcontract contract` records runs", path,
                         errno == ENOENT ? "there is no history yet" : strerror(errno));
    if (!database_open(&history->database, path, mode == HISTORY_RECORD, error))
        return false;
    database_set_patience(&history->database, history->patience_ms);
    if (mode == HISTORY_RECORD && database_is_read_only(&history->database))
        return error_set(error, STATUS_USAGE, "%s: cannot be written; give a --db that can", path);
    /* Half the waiting for the disk. What a kill can do is the same; what a power failure can do to a file system that
     * reorders writes is not, and a history can be recorded from the logs again. */
    if (mode == HISTORY_RECORD &&
        !database_script(&history->database, "PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = NORMAL", error))
        return false;
    return history_schema_prepare(&history->database, mode == HISTORY_RECORD, error);
}

struct history *history_open(const char *path, enum history_mode mode, struct error *error)
{
    struct history *history = calloc(1, sizeof *history);
    if (!history) {
        error_set(error, STATUS_ENVIRONMENT, "out of host memory for the history");
        return NULL;
    }
    history->patience_ms = PATIENCE_MS;
    if (open_database(history, path, mode, error))
        return history;
    history_close(history);
    return NULL;
}

void history_close(struct history *history)
{
    if (!history)
        return;
    free(history->verdicts);
    free(history->ends);
    database_close(&history->database);
    free(history);
}

void history_set_patience(struct history *history, int milliseconds)
{
    history->patience_ms = milliseconds;
    database_set_patience(&history->database, milliseconds);
}
