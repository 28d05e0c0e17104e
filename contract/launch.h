/*
 * One launch of a kernel on a workspace, and what became of it.
 */
#ifndef CONTRACT_LAUNCH_H
#define CONTRACT_LAUNCH_H

#include "contract/base/hash.h"
#include "contract/workspace.h"
#include "device/device.h"

/* What is launched: a kernel of a loaded code object on a device. */
struct launch_target {
    struct device *device;
    hipFunction_t function;
    struct hash128 code; /* of the code object */
};

enum { LAUNCH_FINDINGS = 4 };

struct launch_result {
    hipError_t code;   /* of the launch, or of the synchronisation after it */
    const char *where; /* which of the two failed */
    size_t n_findings;
    struct finding findings[LAUNCH_FINDINGS]; /* the first of them */
};

/* Launches with the workspace's fault and waits. Takes the device's findings whatever happens. */
void launch_run(const struct launch_target *target, const struct workspace *ws, struct launch_result *result);

#endif
