#include "contract/launch.h"

#include "contract/base/words.h"

enum { LAUNCH_MODELLED_BYTES = 512 }; /* more than a verdict holds */

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

/* Adds the device's findings to those of the result, which keeps the first. */
static void take_findings(struct device *device, struct launch_result *result)
{
    if (!device->take_findings)
        return;
    result->n_findings +=
        device->take_findings(device, result->findings + result->n_findings, LAUNCH_FINDINGS - result->n_findings);
    struct finding rest[LAUNCH_FINDINGS];
    while (device->take_findings(device, rest, LAUNCH_FINDINGS) > 0)
        ;
}

void launch_straddle(struct device *device, bool on)
{
    if (device->straddle)
        device->straddle(device, on);
}

bool launch_open(struct launch_target *target, struct error *error)
{
    target->state = NULL;
    launch_straddle(target->device, true);
    target->is_open = target->launcher && target->launcher->open(target->device->hip, &target->state, error);
    launch_straddle(target->device, false);
    return target->is_open || !target->launcher;
}

void launch_close(struct launch_target *target)
{
    if (target->is_open)
        target->launcher->close(target->state);
    target->is_open = false;
    target->state = NULL;
}

void launch_modelled(const struct launch_target *target, char *list, size_t capacity)
{
    const hipFunction_t *functions = target->launcher ? target->functions : &target->function;
    char words[LAUNCH_MODELLED_BYTES];
    for (int i = 0; target->device->modelled && i < (target->launcher ? REG_MAX_KERNELS : 1); i++)
        if (functions[i] && target->device->modelled(target->device, functions[i], words, sizeof words))
            words_add_list(list, capacity, words);
}

static hipError_t launch_kernel(const struct launch_target *target, const struct workspace *ws)
{
    const struct reg_plan *plan = &ws->fault->plan;
    union argument_value values[REG_MAX_ARGS];
    void *parameters[REG_MAX_ARGS];
    for (int i = 0; i < plan->n_args; i++) {
        values[i] = argument_value(ws, &plan->arg[i]);
        parameters[i] = &values[i];
    }
    return target->device->hip->hipModuleLaunchKernel(target->function, plan->grid[0], plan->grid[1], plan->grid[2],
                                                      plan->block[0], plan->block[1], plan->block[2], plan->lds_bytes, NULL,
                                                      parameters, NULL);
}

/* The error code of a launcher that did not launch is the runtime's last, or that of a launch that was refused. */
static hipError_t call_launcher(const struct launch_target *target, const struct workspace *ws,
                                struct launch_result *result)
{
    const struct hip_api *hip = target->device->hip;
    void *tensors[REG_MAX_TENSORS];
    struct reg_call call = {.hip = hip, .functions = target->functions, .c = &ws->host->c, .tensors = tensors};
    for (int t = 0; t < ws->host->plan.n_tensors; t++)
        tensors[t] = (char *)workspace_pointer(ws, t) + ws->fault->offset_bytes[t];
    hipError_t code = hip->hipGetDevice(&call.device);
    if (code != hipSuccess)
        return code;
    hip->hipGetLastError();
    launch_straddle(target->device, true);
    result->is_refused = !target->launcher->launch(target->state, &call, &result->refused);
    launch_straddle(target->device, false);
    if (!result->is_refused)
        return hipSuccess;
    code = hip->hipGetLastError();
    return code == hipSuccess ? hipErrorInvalidConfiguration : code;
}

void launch_start(const struct launch_target *target, const struct workspace *ws, struct launch_result *result)
{
    *result = (struct launch_result){.where = target->launcher ? "launcher" : "hipModuleLaunchKernel"};
    result->code = target->launcher ? call_launcher(target, ws, result) : launch_kernel(target, ws);
    take_findings(target->device, result);
}

void launch_finish(const struct launch_target *target, struct launch_result *result)
{
    hipError_t code = target->device->hip->hipDeviceSynchronize();
    if (result->code == hipSuccess) {
        result->where = "hipDeviceSynchronize";
        result->code = code;
    }
    take_findings(target->device, result);
}

void launch_run(const struct launch_target *target, const struct workspace *ws, struct launch_result *result)
{
    launch_start(target, ws, result);
    launch_finish(target, result);
}
