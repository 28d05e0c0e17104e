/* What the registered launcher of moe_combine_staged shares with those that its controls put in its place. */
#ifndef KERNELS_DS4_COMBINE_CASE_H
#define KERNELS_DS4_COMBINE_CASE_H

#include "contract/registry.h"
#include "kernels/ds4/combine.h"

#define DS4_COMBINE_DEVICES_SHAPE "7x6x1023"

/* The state of a process. A staging buffer is so small that the registered shapes use each several times: it holds the gate
 * weights of two tokens of six experts, or of one of 32. */
enum { DS4_COMBINE_DEVICES = 64, DS4_COMBINE_BUFFER_BYTES = 128 };
struct ds4_combine_state {
    const struct hip_api *hip;
    struct ds4_combine_device device[DS4_COMBINE_DEVICES];
};

bool ds4_combine_state_open(const struct hip_api *hip, void **state, struct error *error);
void ds4_combine_state_close(void *state);
/* The case as the launcher's call, and the state of the device that is current, opened where it is not yet. */
bool ds4_combine_case(struct ds4_combine_state *state, const struct reg_call *call, struct ds4_combine_call *combine,
                      struct ds4_combine_device **device, struct error *error);

#endif
