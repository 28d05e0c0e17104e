#include "kernels/hgemm/splitk_case.h"

#include <stdlib.h>

#include "kernels/hgemm/family.h"
#include "kernels/launch/wave_size.h"

bool hgemm_splitk_open(const struct hip_api *hip, void **state, struct error *error)
{
    struct hgemm_splitk_state *made = calloc(1, sizeof *made);
    if (!made)
        return error_set(error, STATUS_ENVIRONMENT, "out of host memory for split-K's launcher");
    made->hip = hip;
    *state = made;
    return true;
}

void hgemm_splitk_close(void *state)
{
    struct hgemm_splitk_state *closed = state;
    for (int d = 0; d < HGEMM_MOST_DEVICES; d++)
        launch_scratch_free(&closed->pool[d], closed->hip);
    free(closed);
}

bool hgemm_splitk_case(struct hgemm_splitk_state *state, const struct reg_call *call, int pool_of,
                       struct hgemm_device *device, struct hgemm_product *product, struct error *error)
{
    if (call->device >= HGEMM_MOST_DEVICES)
        return error_set(error, STATUS_USAGE, "device %d: split-K keeps a pool for devices 0 to %d", call->device,
                         HGEMM_MOST_DEVICES - 1);
    *device = (struct hgemm_device){
        .hip = call->hip, .index = call->device, .functions = call->functions, .pool = &state->pool[pool_of]};
    *product = (struct hgemm_product){.a = call->tensors[HGEMM_A],
                                      .b = call->tensors[HGEMM_B],
                                      .c = call->tensors[HGEMM_C],
                                      .m = call->c->shape->dim[0],
                                      .n = call->c->shape->dim[1],
                                      .k = call->c->shape->dim[2]};
    return launch_wave_size(call->hip, call->device, &device->wave_size, error);
}
