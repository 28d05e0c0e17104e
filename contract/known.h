/*
 * Known findings: a red gate that its registration already names is counted apart until its date, and is red after it; one
 * that is found no longer is an error too.
 */
#ifndef CONTRACT_KNOWN_H
#define CONTRACT_KNOWN_H

#include "contract/registry.h"
#include "contract/verdict.h"

/* The registration's known finding for a gate, or NULL. */
const struct reg_known_finding *known_for(const struct registration *registration, int gate);
/* Turns a failed verdict into a known or an expired one where the registration names its gate. today is YYYY-MM-DD; a
 * finding holds through its date. */
void known_apply(const struct registration *registration, const char *today, struct verdict *verdict);
/* Today's date as YYYY-MM-DD, UTC. */
void known_today(char today[11]);

#endif
