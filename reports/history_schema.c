#include "reports/history_schema.h"

#include <stdio.h>

/* The steps from one version to the next; a step that was released is never changed. Times are nanoseconds, hashes 32
 * hexadecimal digits, names those of the run log (docs/log-format.md). */
static const char *const steps[] = {
    /* duration_ns and exit of a run are NULL until it ends, those of a registration where an earlier run decided it. */
    "CREATE TABLE runs (id INTEGER PRIMARY KEY, started_s INTEGER NOT NULL, duration_ns INTEGER, exit INTEGER,"
    " hipcontract TEXT NOT NULL, commit_id TEXT, toolchain TEXT NOT NULL, compiler TEXT, device TEXT NOT NULL,"
    " chips TEXT NOT NULL, scope TEXT NOT NULL, checks TEXT, matrix_model TEXT, seed INTEGER NOT NULL,"
    " runs INTEGER NOT NULL, device_count INTEGER, kernels TEXT);"
    "CREATE TABLE registrations (run INTEGER NOT NULL REFERENCES runs, registration TEXT NOT NULL, chip TEXT NOT NULL,"
    " code TEXT, verdicts INTEGER NOT NULL, red INTEGER NOT NULL, known INTEGER NOT NULL, invalid INTEGER NOT NULL,"
    " worst_ratio REAL, duration_ns INTEGER, PRIMARY KEY (registration, chip, run)) WITHOUT ROWID;"
    "CREATE INDEX registrations_of_run ON registrations (run);"
    /* What verdicts are about, so that each name is kept once. */
    "CREATE TABLE cases (id INTEGER PRIMARY KEY, subject TEXT NOT NULL, gate INTEGER NOT NULL, registration TEXT NOT NULL,"
    " name TEXT NOT NULL, shape TEXT NOT NULL, pattern TEXT NOT NULL,"
    " UNIQUE (registration, subject, gate, name, shape, pattern));"
    "CREATE TABLE verdicts (id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs, chip TEXT NOT NULL,"
    " case_id INTEGER NOT NULL REFERENCES cases, status TEXT NOT NULL, red INTEGER NOT NULL, ratio REAL,"
    " wrong INTEGER NOT NULL, duration_ns INTEGER NOT NULL, reason TEXT);"
    "CREATE INDEX red_verdicts ON verdicts (run, chip) WHERE red;",
    /* figures is a JSON object of a record's columns; problem is what gate 5 says of a record that is not current. */
    ("CREATE TABLE kernels (run INTEGER NOT NULL REFERENCES runs, kernel TEXT NOT NULL, chip TEXT NOT NULL,"
     " figures TEXT NOT NULL, problem TEXT, PRIMARY KEY (kernel, chip, run)) WITHOUT ROWID;"),
    /* Of --shard; NULL: all of the run. */
    "ALTER TABLE runs ADD COLUMN shard INTEGER; ALTER TABLE runs ADD COLUMN shards INTEGER;",
};
enum { VERSION = sizeof steps / sizeof *steps };

int history_schema_version(void)
{
    return VERSION;
}

/* What a file says of itself. */
struct identity {
    int64_t application, version, n_tables;
};

static bool identify(struct database *database, struct identity *identity, struct error *error)
{
    return database_number(database, "PRAGMA application_id", &identity->application, error) &&
           database_number(database, "PRAGMA user_version", &identity->version, error) &&
           database_number(database, "SELECT count(*) FROM sqlite_master", &identity->n_tables, error);
}

static bool is_new(const struct identity *identity)
{
    return identity->application == 0 && identity->version == 0 && identity->n_tables == 0;
}

static bool is_usable(const struct database *database, const struct identity *identity, bool create, struct error *error)
{
    if (is_new(identity))
        return create ||
               error_set(error, STATUS_USAGE, "%s: is empty; `hipcontract contract --db` records into it", database->path);
    if (identity->application != HISTORY_APPLICATION_ID)
        return error_set(error, STATUS_USAGE, "%s: another program's database; give another --db", database->path);
    if (identity->version > VERSION)
        return error_set(error, STATUS_USAGE,
                         "%s: of version %d, and this program knows versions up to %d; use a newer hipcontract, or "
                         "another --db",
                         database->path, (int)identity->version, (int)VERSION);
    if (identity->version < 1)
        return error_set(error, STATUS_USAGE,
                         "%s: of version %d, which there never was: it is damaged; move the file away, and the next run "
                         "begins a new one",
                         database->path, (int)identity->version);
    return true;
}

static bool take_steps(struct database *database, int64_t from, struct error *error)
{
    char numbers[100];
    for (int64_t i = from; i < VERSION; i++)
        if (!database_script(database, steps[i], error))
            return false;
    snprintf(numbers, sizeof numbers, "PRAGMA application_id = %d; PRAGMA user_version = %d", (int)HISTORY_APPLICATION_ID,
             (int)VERSION);
    return database_script(database, numbers, error);
}

/* Another process may have done it since: what is there is looked at again under the lock. */
static bool bring_up_to_date(struct database *database, bool create, struct error *error)
{
    struct identity identity;
    bool ok = database_script(database, "BEGIN IMMEDIATE", error) && identify(database, &identity, error) &&
              is_usable(database, &identity, create, error) && take_steps(database, identity.version, error) &&
              database_script(database, "COMMIT", error);
    if (!ok)
        database_script(database, "ROLLBACK", NULL);
    return ok;
}

/* All of it at one moment: another process may be at the steps. */
static bool identify_at_once(struct database *database, struct identity *identity, struct error *error)
{
    bool ok = database_script(database, "BEGIN", error) && identify(database, identity, error);
    return database_script(database, ok ? "COMMIT" : "ROLLBACK", ok ? error : NULL) && ok;
}

bool history_schema_prepare(struct database *database, bool create, struct error *error)
{
    struct identity identity;
    if (!identify_at_once(database, &identity, error) || !is_usable(database, &identity, create, error))
        return false;
    if (identity.version == VERSION)
        return true;
    if (database_is_read_only(database))
        return error_set(error, STATUS_USAGE, "%s: of version %d and cannot be written; copy it to where it can be",
                         database->path, (int)identity.version);
    return bring_up_to_date(database, create, error);
}
