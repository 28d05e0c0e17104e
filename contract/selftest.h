/*
 * The small contract that `hipcontract selftest` runs for each fault of the harness: a kernel that is right, with controls,
 * and probes that are wrong on purpose. A fault is noticed where a verdict is not what it is in a sound harness.
 */
#ifndef CONTRACT_SELFTEST_H
#define CONTRACT_SELFTEST_H

#include "contract/base/arena.h"
#include "contract/registry_list.h"
#include "contract/verdict.h"

/* The right kernel; tensors in the order of its arguments, the last of which counts columns. */
enum { SELFTEST_X, SELFTEST_W, SELFTEST_OUT };
extern const struct registration selftest_sums;
/* Its depth for a case: additions on the longest way. */
int64_t selftest_additions(const struct reg_case *c);

/* Shapes of a probe: one is enough. */
extern const struct reg_shape selftest_probe_shape;

/* All registrations and controls, in the arena; those of this glob are to be run. */
#define SELFTEST_ONLY "selftest_*"
bool selftest_registry(struct arena *arena, struct registry *registry, struct error *error);

/* Verdicts of a run, and the status it ended with. */
struct selftest_run {
    const struct verdict *verdicts;
    size_t n;
    int exit_status; /* of the process */
    int signal;      /* that ended it; 0: none */
};

/* Whether a run is as it must be where the harness is sound: every probe stands out for its reason, and nothing else does.
 * False with what is not so. */
bool selftest_is_sound(const struct selftest_run *run, struct error *error);
/* In how many places a run differs from a sound one, or contradicts itself; 0: the fault goes unnoticed. The first is told
 * in `by`. */
size_t selftest_noticed(const struct selftest_run *sound, const struct selftest_run *run, char *by, size_t capacity);

#endif
