/*
 * An open history. Inner header of reports/.
 */
#ifndef REPORTS_HISTORY_STATE_H
#define REPORTS_HISTORY_STATE_H

#include "reports/database.h"
#include "reports/history.h"

/* A registration that is done, its verdicts among those that wait. */
struct waiting_end {
    char registration[VERDICT_NAME_BYTES], chip[32];
    uint64_t duration_ns;
    bool replayed;
    size_t first, last; /* verdicts since the end before, up to this one */
};

struct history {
    struct database database;
    int patience_ms;
    int64_t run; /* its id; 0: none is recorded */
    /* What was decided and is not written yet. */
    struct verdict *verdicts;
    size_t n_verdicts, verdict_capacity;
    struct waiting_end *ends;
    size_t n_ends, end_capacity;
    bool is_incomplete; /* out of memory: something does not even wait */
};

#endif
