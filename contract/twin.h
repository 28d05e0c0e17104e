/*
 * A registration's twin: another kernel that computes the same from the same inputs. Each gate-3 case runs it too, on the
 * case's own inputs, whatever the twin's cases hold: |(got - value) - (twin's got - twin's value)| is within the sum of
 * both bounds. So two variants are held to each other, and the twin to its bound on every input that its sibling meets.
 */
#ifndef CONTRACT_TWIN_H
#define CONTRACT_TWIN_H

#include "contract/builds.h"
#include "contract/gates.h"
#include "contract/registry_list.h"

struct twin {
    const char *name;                        /* NULL: the registration has none */
    const struct registration *registration; /* NULL likewise, or where the twin is not for the builds' chip */
    struct launch_target target;
    struct error error; /* why there is no target: STATUS_OK where there is */
};

/* Finds and builds the twin of a registration. */
struct twin twin_find(const struct registry *registry, const struct registration *registration, struct builds *builds);

/* Names the twin in a gate-3 verdict on `outputs`, and where that is a pass so far and the twin is for this chip, runs it
 * and compares: n_twin, twin_ratio, and a status and reason where they are too far apart or the twin could not be run.
 * False only when the environment fails. */
bool twin_judge(const struct twin *twin, const struct host_case *host, const struct outputs *outputs, unsigned checks,
                struct verdict *verdict, struct error *error);

/* The comparison alone, a pure function: every output of `host` with the output of that name of the twin's case. */
void twin_compare(const struct host_case *host, const struct outputs *outputs, const struct host_case *twin_host,
                  const struct outputs *twin_outputs, struct verdict *verdict);

#endif
