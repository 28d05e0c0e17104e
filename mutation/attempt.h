/*
 * A code object on trial: the subject's own, or a mutant's in its place, built and held to one step of the contract at a
 * time.
 */
#ifndef MUTATION_ATTEMPT_H
#define MUTATION_ATTEMPT_H

#include "contract/twin.h"
#include "mutation/subject.h"

struct attempt {
    const struct subject *subject;
    struct device *device;
    const unsigned char *code; /* in the place of the subject's */
    size_t n_code_bytes;
    struct builder builder; /* gives it for the registration, and what the subject's gives for others */
    struct builds builds;
    struct launch_target target;
    struct twin twin;
    struct arena arena; /* of one step */
};

/* What a step left. */
struct step_result {
    struct verdict verdict; /* the first that is no pass, or the last */
    struct outputs outputs; /* of STEP_LAUNCH, in the attempt's arena until the next step; NULL where there are none */
};

/* Loads the code on the device. False with STATUS_RED where it is refused. attempt_close in either case; the attempt stays
 * where it is until then. */
bool attempt_open(struct attempt *attempt, const struct subject *subject, struct device *device, const unsigned char *code,
                  size_t n_code_bytes, struct error *error);
void attempt_close(struct attempt *attempt);
/* The mutated kernel's twin is the twin itself, unmutated: built with these builds, which outlive the attempt. */
void attempt_use_twin(struct attempt *attempt, struct builds *unmutated);
/* Makes one step. False when the environment fails. */
bool attempt_step(struct attempt *attempt, const struct trial_step *step, struct step_result *result, struct error *error);
/* One launch of a case that has the subject's tensors. */
bool attempt_launch(struct attempt *attempt, const struct host_case *host, struct step_result *result);

#endif
