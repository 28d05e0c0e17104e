/* What the registered launcher of projection_q8_0 shares with those that its controls put in its place. */
#ifndef KERNELS_DS4_PROJECTION_CASE_H
#define KERNELS_DS4_PROJECTION_CASE_H

#include "contract/registry.h"
#include "kernels/ds4/projection.h"

/* Launches a case, as variants for that wave size do, with that scratch and cache. */
bool ds4_projection_launch_case(const struct reg_call *call, int wave_size, struct launch_scratch *scratch,
                                struct ds4_weight_cache *cache, struct error *error);

#define DS4_PROJECTION_DEVICES_SHAPE "3x1057x9"

#endif
