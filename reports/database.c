#include "reports/database.h"

#include <stdio.h>
#include <string.h>

struct sql_value sql_null(void)
{
    return (struct sql_value){.kind = SQL_NULL};
}

struct sql_value sql_integer(int64_t value)
{
    return (struct sql_value){.kind = SQL_INTEGER, .integer = value};
}

struct sql_value sql_real(double value)
{
    return (struct sql_value){.kind = SQL_REAL, .real = value};
}

struct sql_value sql_text(const char *text)
{
    return (struct sql_value){.kind = text ? SQL_TEXT : SQL_NULL, .text = text};
}

/* What can be done about it. */
static const char *advice(int code)
{
    static const struct {
        int code;
        const char *text;
    } rows[] = {
        {SQLITE_BUSY, "; another process holds it: try again when that is done"},
        {SQLITE_LOCKED, "; another process holds it: try again when that is done"},
        {SQLITE_FULL, "; make room on the disk"},
        {SQLITE_READONLY, "; give a --db that can be written"},
        {SQLITE_CANTOPEN, "; give a --db in a folder that exists and can be written"},
        {SQLITE_NOTADB, "; give another --db, or move the file away"},
        {SQLITE_CORRUPT, "; move the file away, and the next run begins a new one"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].code == code)
            return rows[i].text;
    return "";
}

static bool fail(const struct database *database, struct error *error)
{
    int code = database->handle ? sqlite3_errcode(database->handle) & 0xff : SQLITE_NOMEM;
    return error_set(error, code == SQLITE_NOMEM ? STATUS_ENVIRONMENT : STATUS_USAGE, "%s: %s%s", database->path,
                     database->handle ? sqlite3_errmsg(database->handle) : sqlite3_errstr(code), advice(code));
}

bool database_open(struct database *database, const char *path, bool create, struct error *error)
{
    *database = (struct database){0};
    if ((size_t)snprintf(database->path, sizeof database->path, "%s", path) >= sizeof database->path)
        return error_set(error, STATUS_USAGE, "%.80s…: the path is too long", path);
    const int flags = SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);
    return sqlite3_open_v2(path, &database->handle, flags, NULL) == SQLITE_OK || fail(database, error);
}

void database_close(struct database *database)
{
    sqlite3_close(database->handle);
    database->handle = NULL;
}

bool database_is_read_only(const struct database *database)
{
    return sqlite3_db_readonly(database->handle, "main") == 1;
}

void database_set_patience(struct database *database, int milliseconds)
{
    sqlite3_busy_timeout(database->handle, milliseconds);
}

bool database_script(struct database *database, const char *statements, struct error *error)
{
    return sqlite3_exec(database->handle, statements, NULL, NULL, NULL) == SQLITE_OK || fail(database, error);
}

/* The index of a value from 1, as SQLite counts. */
static int bind(sqlite3_stmt *statement, int index, const struct sql_value *value)
{
    switch (value->kind) {
    case SQL_INTEGER:
        return sqlite3_bind_int64(statement, index, value->integer);
    case SQL_REAL:
        return sqlite3_bind_double(statement, index, value->real);
    case SQL_TEXT:
        return sqlite3_bind_text(statement, index, value->text, -1, SQLITE_STATIC);
    case SQL_NULL:
        break;
    }
    return sqlite3_bind_null(statement, index);
}

bool database_select(struct database *database, const char *statement, const struct sql_value *values, size_t n_values,
                     bool (*row)(void *context, sqlite3_stmt *statement), void *context, struct error *error)
{
    sqlite3_stmt *compiled = NULL;
    int code = sqlite3_prepare_v2(database->handle, statement, -1, &compiled, NULL);
    for (size_t i = 0; i < n_values && code == SQLITE_OK; i++)
        code = bind(compiled, (int)i + 1, &values[i]);
    bool goes_on = true;
    while ((code == SQLITE_OK || code == SQLITE_ROW) && goes_on) {
        code = sqlite3_step(compiled);
        if (code == SQLITE_ROW && row)
            goes_on = row(context, compiled);
    }
    bool ok = code == SQLITE_DONE || fail(database, error);
    if (!goes_on)
        ok = error_set(error, STATUS_ENVIRONMENT, "out of host memory for %s", database->path);
    sqlite3_finalize(compiled);
    return ok;
}

bool database_run(struct database *database, const char *statement, const struct sql_value *values, size_t n_values,
                  struct error *error)
{
    return database_select(database, statement, values, n_values, NULL, NULL, error);
}

static bool take_number(void *context, sqlite3_stmt *statement)
{
    *(int64_t *)context = sqlite3_column_int64(statement, 0);
    return true;
}

bool database_number(struct database *database, const char *statement, int64_t *number, struct error *error)
{
    return database_select(database, statement, NULL, 0, take_number, number, error);
}
