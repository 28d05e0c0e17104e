#include "commands/report_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "contract/base/file.h"
#include "reports/github.h"
#include "reports/html.h"
#include "reports/junit.h"
#include "reports/receipt.h"
#include "reports/sarif.h"

static const struct {
    const char *name;
    bool has_file;
    bool (*write)(FILE *out, const struct report *report, struct error *error);
} rows[] = {
#define REPORT_FILE_ROW(id, name, value, commands, help, writer) {name, (value) != NULL, writer},
    REPORT_FILES(REPORT_FILE_ROW)
#undef REPORT_FILE_ROW
};

bool report_files_are_wanted(const struct report_files *files)
{
    for (int i = 0; i < REPORT_FILE_COUNT; i++)
        if (files->path[i])
            return true;
    return false;
}

/* A pipe, a device or a link such as /dev/stdout, whose place no file may take. */
static bool is_no_file(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

/* The file's folder takes new files: they are written beside it, then take its place. */
static bool check_folder(const char *path, struct error *error)
{
    const char *slash = strrchr(path, '/');
    char folder[1000];
    int length = !slash ? 1 : slash == path ? 1 : (int)(slash - path);
    snprintf(folder, sizeof folder, "%.*s", length, slash ? path : ".");
    return access(folder, W_OK | X_OK) == 0 || error_set(error, STATUS_USAGE, "cannot write there: %s", strerror(errno));
}

bool report_files_check(const struct report_files *files, struct error *error)
{
    for (int i = 0; i < REPORT_FILE_COUNT; i++)
        if (files->path[i] && rows[i].has_file && !is_no_file(files->path[i]) && !check_folder(files->path[i], error))
            return error_prefix(error, "--%s %s", rows[i].name, files->path[i]);
    return true;
}

static bool write_through(const char *path, const char *data, size_t n_bytes, struct error *error)
{
    FILE *out = fopen(path, "w");
    bool ok = out && fwrite(data, 1, n_bytes, out) == n_bytes;
    if (out)
        ok = fclose(out) == 0 && ok;
    return ok || error_set(error, STATUS_USAGE, "cannot be written: %s", strerror(errno));
}

/* Made in memory first: a format that cannot be written leaves an older file as it was. */
static bool write_file(enum report_file id, const char *path, const struct report *report, struct error *error)
{
    char *data = NULL;
    size_t n_bytes = 0;
    FILE *out = open_memstream(&data, &n_bytes);
    bool ok = out && rows[id].write(out, report, error);
    if (!out || (fclose(out) != 0 && ok))
        ok = error_set(error, STATUS_ENVIRONMENT, "out of host memory for the file");
    ok = ok && (is_no_file(path) ? write_through(path, data, n_bytes, error) : file_write(path, data, n_bytes, error));
    free(data);
    return ok;
}

static bool write_one(enum report_file id, const char *path, const struct report *report, struct error *error)
{
    if (rows[id].has_file)
        return write_file(id, path, report, error) || error_prefix(error, "--%s %s", rows[id].name, path);
    bool ok = rows[id].write(stdout, report, error) &&
              (fflush(stdout) == 0 || error_set(error, STATUS_USAGE, "standard output: %s", strerror(errno)));
    return ok || error_prefix(error, "--%s", rows[id].name);
}

bool report_files_write(const struct report_files *files, const struct report *report, struct error *error)
{
    struct error later;
    bool ok = true;
    for (int i = 0; i < REPORT_FILE_COUNT; i++)
        if (files->path[i])
            ok &= write_one((enum report_file)i, files->path[i], report, ok ? error : &later);
    return ok;
}
