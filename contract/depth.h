/*
 * The depth audit: gate 3's bounds take a number for the longest way through additions, which a registration declares; on a
 * device that can measure it (device->measure_depth), no output may be deeper than declared.
 */
#ifndef CONTRACT_DEPTH_H
#define CONTRACT_DEPTH_H

#include "contract/gates.h"

/* The declared depth of an output tensor; false where the registration has no sums. */
bool depth_declared(const struct host_case *host, int tensor, struct depth *depth);
/* To gate 3's verdict of a SIGNED case, where that passes, adds the declared depth and what one launch more measures: red
 * where an output is deeper, since its bound then rests on too few roundings, and where it is as deep as counts go. Of
 * several outputs the verdict has the first that is red, or the one nearest to its declared depth. A launch that fails is
 * the verdict's too. */
void depth_judge(const struct launch_target *target, const struct host_case *host, unsigned checks,
                 struct verdict *verdict);

#endif
