/*
 * What a run of the program left when one call failed, held against what an undisturbed run of the same leaves.
 */
#ifndef SUPPORT_FAULT_OUTCOME_H
#define SUPPORT_FAULT_OUTCOME_H

#include <stdbool.h>

#include <jansson.h>

#include "tests/faults/classes.h"

enum { OUTCOME_TEXT_BYTES = 600 };

struct outcome {
    int status, signal; /* as waitpid says; -1: none */
    char *out, *err;    /* what was printed; malloc'ed */
    json_t *lines;      /* of the log, without times; an array of objects */
    bool has_bad_line;  /* a line of the log, not the last, is no JSON */
    unsigned long calls[FAULT_CLASS_COUNT];
    char failed[OUTCOME_TEXT_BYTES]; /* the call that did: "malloc OBJECT+OFFSET"; "": none, or the program died */
};

/* Runs argv in a fresh folder with the library preloaded; its log is run.jsonl there, and its cache of compiled code where
 * $HIPCONTRACT_CACHE names none. A run that lasts longer than 60 s is
 * killed by SIGALRM. False where it cannot be run. */
bool outcome_run(char *const argv[], const char *library, const char *class, unsigned long at, struct outcome *outcome);
void outcome_free(struct outcome *outcome);

/* What must not be, as words in text; false: nothing. No crash, of a worker neither, no hang, a documented status; a status
 * of 0 means that all was as undisturbed; another has its line; and what was printed as decided is in the log, or the log
 * is said to lack it.
 */
bool outcome_is_wrong(const struct outcome *outcome, const struct outcome *undisturbed, char text[OUTCOME_TEXT_BYTES]);

#endif
