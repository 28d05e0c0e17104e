#include "contract/launch.h"

union argument_value {
    void *pointer;
    int32_t i32;
    int64_t i64;
    float f32;
};

static union argument_value argument_value(const struct workspace *ws, const struct reg_arg *arg)
{
    switch (arg->kind) {
    case REG_ARG_TENSOR:
        return (union argument_value){.pointer = (char *)workspace_pointer(ws, arg->tensor) +
                                                 ws->fault->offset_bytes[arg->tensor]};
    case REG_ARG_I32:
        return (union argument_value){.i32 = (int32_t)arg->integer};
    case REG_ARG_I64:
        return (union argument_value){.i64 = arg->integer};
    case REG_ARG_F32:
        break;
    }
    return (union argument_value){.f32 = arg->real};
}

static void take_findings(struct device *device, struct launch_result *result)
{
    if (!device->take_findings)
        return;
    result->n_findings = device->take_findings(device, result->findings, LAUNCH_FINDINGS);
    struct finding rest[LAUNCH_FINDINGS];
    while (device->take_findings(device, rest, LAUNCH_FINDINGS) > 0)
        ;
}

void launch_run(const struct launch_target *target, const struct workspace *ws, struct launch_result *result)
{
    const struct hip_api *hip = target->device->hip;
    const struct reg_plan *plan = &ws->fault->plan;
    union argument_value values[REG_MAX_ARGS];
    void *parameters[REG_MAX_ARGS];
    for (int i = 0; i < plan->n_args; i++) {
        values[i] = argument_value(ws, &plan->arg[i]);
        parameters[i] = &values[i];
    }
    *result = (struct launch_result){.where = "hipModuleLaunchKernel"};
    result->code = hip->hipModuleLaunchKernel(target->function, plan->grid[0], plan->grid[1], plan->grid[2], plan->block[0],
                                              plan->block[1], plan->block[2], plan->lds_bytes, NULL, parameters, NULL);
    if (result->code == hipSuccess) {
        result->where = "hipDeviceSynchronize";
        result->code = hip->hipDeviceSynchronize();
    }
    take_findings(target->device, result);
}
