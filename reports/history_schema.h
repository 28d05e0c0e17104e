/*
 * The tables of the history and how an older version's are brought up to date. Inner header of reports/.
 */
#ifndef REPORTS_HISTORY_SCHEMA_H
#define REPORTS_HISTORY_SCHEMA_H

#include "reports/database.h"

/* "HCHI": tells the file from other programs' databases. */
enum { HISTORY_APPLICATION_ID = 0x48434849 };
/* The version that this program writes. */
int history_schema_version(void);

/* Makes the tables of an empty database, where that is wanted, and brings those of an older version up to date, in one
 * transaction. Errors: STATUS_USAGE where it is another program's, or of a newer version, or is old and cannot be written.
 */
bool history_schema_prepare(struct database *database, bool create, struct error *error);

#endif
