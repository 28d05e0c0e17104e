#include "kernels/ds4/combine_case.h"

#include <stdlib.h>

#include "kernels/launch/wave_size.h"

enum { GATE, Y, OUT }; /* tensors of moe_combine_gate */

bool ds4_combine_state_open(const struct hip_api *hip, void **state, struct error *error)
{
    struct ds4_combine_state *made = calloc(1, sizeof *made);
    if (!made)
        return error_set(error, STATUS_ENVIRONMENT, "out of host memory for the launcher of moe_combine_gate");
    made->hip = hip;
    *state = made;
    return true;
}

void ds4_combine_state_close(void *state)
{
    struct ds4_combine_state *closed = state;
    for (int d = 0; d < DS4_COMBINE_DEVICES; d++)
        ds4_combine_close(&closed->device[d]);
    free(closed);
}

bool ds4_combine_case(struct ds4_combine_state *state, const struct reg_call *call, struct ds4_combine_call *combine,
                      struct ds4_combine_device **device, struct error *error)
{
    int wave_size;
    if (call->device >= DS4_COMBINE_DEVICES)
        return error_set(error, STATUS_USAGE, "device %d: moe_combine_gate keeps state for devices 0 to %d", call->device,
                         DS4_COMBINE_DEVICES - 1);
    if (!launch_wave_size(call->hip, call->device, &wave_size, error))
        return false;
    *device = &state->device[call->device];
    *combine = (struct ds4_combine_call){.gate = call->c->data[GATE],
                                         .y = call->tensors[Y],
                                         .out = call->tensors[OUT],
                                         .tokens = call->c->shape->dim[0],
                                         .experts = call->c->shape->dim[1],
                                         .dim = call->c->shape->dim[2]};
    return (*device)->stream || ds4_combine_open(*device, call->hip, DS4_COMBINE_BUFFER_BYTES, error);
}
