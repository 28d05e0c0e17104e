/*
 * Controls: the real kernel run wrongly, as its registration's control says. It must be red at the gate that the control
 * names, in its first run; green, or red elsewhere, is a MISS. On the chips where the control says that the fault does no
 * harm, it must stay green.
 */
#ifndef CONTRACT_CONTROLS_H
#define CONTRACT_CONTROLS_H

#include "contract/builds.h"
#include "contract/gates.h"
#include "contract/registry_list.h"

struct control_options {
    int n_runs; /* of gate 1, where that is the gate */
    uint64_t seed;
    int n_threads;
    unsigned checks; /* bits 1 << FINDING_… that gate 1 makes */
};

enum launch_fit { LAUNCH_FITS, LAUNCH_IS_OVER, LAUNCH_UNKNOWN };

/* Gate 5 needs facts of chips, which the contract does not hold: whether the plan's launch fits the kernel in the code
 * object. Where it does not, or nobody can tell, text says why. */
struct launch_checker {
    enum launch_fit (*fits)(void *context, const struct registration *registration, const char *chip,
                            const unsigned char *bytes, size_t n_bytes, const struct reg_plan *plan,
                            char text[VERDICT_REASON_BYTES]);
    void *context;
};

/* Runs one control on the builds' device: a verdict RED, GREEN, MISS (a launch that failed is one), or NOT_RUN. false with
 * STATUS_ENVIRONMENT only when the environment fails. */
bool control_run(const struct control *control, const struct registration *registration, struct builds *builds,
                 const struct launch_checker *checker, const struct control_options *options, struct verdict *verdict,
                 struct error *error);

/* A verdict on a control of which nothing is decided: NOT_RUN, without a reason. */
struct verdict control_verdict(const struct control *control, const struct registration *registration,
                               struct device *device);

/* Plants the control's fault in a launch; buffers that it needs come from the arena. */
bool control_plant(const struct control *control, const struct host_case *host, struct arena *arena,
                   struct launch_fault *fault, struct error *error);

#endif
