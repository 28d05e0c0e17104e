/*
 * The checks that launchers have beside the runs of gate 1 (REG_LAUNCHER_CHECKS). Each opens a state of its own and fills a
 * verdict of gate 1 with the check's name.
 */
#ifndef CONTRACT_LAUNCHER_H
#define CONTRACT_LAUNCHER_H

#include "contract/builds.h"
#include "contract/gates.h"

enum { LAUNCHER_DEVICES_RUNS = 20 };

struct launcher_options {
    uint64_t seed;      /* of the schedules */
    unsigned checks;    /* bits 1 << FINDING_… of which those that cost nothing are made */
    const char *define; /* the build that is launched; NULL: the registration's */
};

/* Devices: all that the device has, LAUNCHER_DEVICES_RUNS times, in each run started on all before any is waited for, in an
 * order that changes from run to run; every output has the bytes of the first run on the first device. Those of another
 * chip are left out; with fewer than two the check is NOT_RUN. Wave size: the device is made to report sizes that no GPU
 * has, and the launcher must refuse each, when it is opened or when it launches, with no kernel launched and nothing
 * written; NOT_RUN where it cannot be. `target` is the case's on the device that is current, which is current again
 * afterwards.
 */
void launcher_check(enum reg_launcher_check check, const struct host_case *host, const struct launch_target *target,
                    const struct launch_fault *fault, struct builds *builds, const struct launcher_options *options,
                    struct verdict *verdict);

/* A verdict about a check of a case, with its name, and status PASS. */
struct verdict launcher_verdict(enum reg_launcher_check check, const struct host_case *host,
                                const struct launch_target *target);

#endif
