/*
 * One launch on a workspace, of a bare kernel or through a launcher, and what became of it.
 */
#ifndef CONTRACT_LAUNCH_H
#define CONTRACT_LAUNCH_H

#include "contract/base/hash.h"
#include "contract/workspace.h"
#include "device/device.h"

/* What is launched: a kernel of a loaded code object on a device, or a launcher with its kernels. */
struct launch_target {
    struct device *device;
    hipFunction_t function; /* of a bare kernel */
    struct hash128 code;    /* of the code object */
    const struct reg_launcher *launcher;
    hipFunction_t functions[REG_MAX_KERNELS]; /* of the launcher's kernels; NULL for those that the code object lacks */
    bool is_open;                             /* the launcher, between launch_open and launch_close */
    void *state;                              /* that it then has, which may be NULL */
};

enum { LAUNCH_FINDINGS = 4 };

struct launch_result {
    hipError_t code;      /* of the launch, or of the synchronisation after it */
    const char *where;    /* which of the two failed */
    bool is_refused;      /* by a launcher, which did not launch */
    struct error refused; /* why, where it says so */
    size_t n_findings;
    struct finding findings[LAUNCH_FINDINGS]; /* the first of them */
};

/* Where the device can place memory so: what is allocated from now on lies across multiples of 4 GiB. */
void launch_straddle(struct device *device, bool on);

/* Opens a launcher's state, which lasts for the launches of one case; nothing for a bare kernel. What a launcher allocates,
 * here and at its launches, straddles. launch_close in either case. */
bool launch_open(struct launch_target *target, struct error *error);
void launch_close(struct launch_target *target);

/* Adds the instructions of the kernels whose arithmetic is an assumption of the device (device->modelled) to a list. */
void launch_modelled(const struct launch_target *target, char *list, size_t capacity);

/* Launches with the workspace's fault and waits. Takes the device's findings whatever happens. */
void launch_run(const struct launch_target *target, const struct workspace *ws, struct launch_result *result);
/* The two halves of launch_run, each on the device that is current. */
void launch_start(const struct launch_target *target, const struct workspace *ws, struct launch_result *result);
void launch_finish(const struct launch_target *target, struct launch_result *result);

#endif
