/*
 * An SQLite database as values and errors: statements run with bound values, rows given to a function, each failure one
 * line that says what to do. Inner header of reports/.
 */
#ifndef REPORTS_DATABASE_H
#define REPORTS_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/base/error.h"

enum { DATABASE_PATH_BYTES = 500 };

struct database {
    sqlite3 *handle;
    char path[DATABASE_PATH_BYTES];
};

/* What takes the place of a `?`. */
enum sql_kind { SQL_NULL, SQL_INTEGER, SQL_REAL, SQL_TEXT };
struct sql_value {
    enum sql_kind kind;
    int64_t integer;
    double real;
    const char *text; /* borrowed */
};

struct sql_value sql_null(void);
struct sql_value sql_integer(int64_t value);
/* SQLite has no NaN: it is NULL there. */
struct sql_value sql_real(double value);
/* NULL is NULL. */
struct sql_value sql_text(const char *text);

/* `SQL_VALUES(sql_text(a), sql_integer(b))` as the two arguments that the functions below take. */
#define SQL_VALUES(...)                                                                                                    \
    (const struct sql_value[]){__VA_ARGS__}, sizeof((const struct sql_value[]){__VA_ARGS__}) / sizeof(struct sql_value)

/* Opens PATH, and makes the file where it is wanted. Where it cannot be written it is opened to be read, and
 * database_is_read_only tells. Errors of this and all others: STATUS_USAGE, "PATH: reason; what to do", but for
 * STATUS_ENVIRONMENT out of memory. database_close in either case. */
bool database_open(struct database *database, const char *path, bool create, struct error *error);
void database_close(struct database *database);
bool database_is_read_only(const struct database *database);
/* How long a statement waits for another process's lock. */
void database_set_patience(struct database *database, int milliseconds);

/* Statements without values. */
bool database_script(struct database *database, const char *statements, struct error *error);
/* One statement that gives no rows. */
bool database_run(struct database *database, const char *statement, const struct sql_value *values, size_t n_values,
                  struct error *error);
/* One statement; row is called with each row as a statement to take sqlite3_column_… of, and ends the query with false (out
 * of memory). */
bool database_select(struct database *database, const char *statement, const struct sql_value *values, size_t n_values,
                     bool (*row)(void *context, sqlite3_stmt *statement), void *context, struct error *error);
/* The one number that a statement gives. */
bool database_number(struct database *database, const char *statement, int64_t *number, struct error *error);

#endif
