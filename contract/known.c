#include "contract/known.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "contract/harness_fault.h"

const struct reg_known_finding *known_for(const struct registration *registration, int gate)
{
    for (size_t i = 0; i < registration->n_known; i++)
        if (registration->known[i].gate == gate)
            return &registration->known[i];
    return NULL;
}

void known_apply(const struct registration *registration, const char *today, struct verdict *verdict)
{
    const struct reg_known_finding *known = known_for(registration, verdict->gate);
    if (!known || (verdict->status != VERDICT_FAIL && verdict->status != VERDICT_LIMIT_PROBLEM))
        return;
    char found[VERDICT_REASON_BYTES];
    memcpy(found, verdict->reason, sizeof found);
    bool expired = strcmp(today, known->expires) > 0 && !harness_has(HARNESS_KNOWN_FOREVER);
    verdict->status = expired ? VERDICT_EXPIRED : VERDICT_KNOWN_FINDING;
    verdict_reason(verdict, "%.400s; known %s %s: %.80s (%.40s, %.80s)", found,
                   expired ? "finding that expired on" : "until", known->expires, known->reason, known->owner, known->link);
}

void known_today(char today[11])
{
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(today, 11, "%Y-%m-%d", &utc);
}
