/* Faults of ds4's launchers, as a port to several devices has them: each is a launcher of its own over the same parts. */
#include <string.h>

#include "contract/registry.h"
#include "kernels/ds4/combine_case.h"
#include "kernels/ds4/projection_case.h"
#include "kernels/launch/wave_size.h"

#define PROJECTION_LAUNCHER(variable, function)                                                                            \
    static const struct reg_launcher variable = {.kernels = {DS4_PROJECTION_KERNELS(DS4_KERNEL_NAME)},                     \
                                                 .devices_shape = DS4_PROJECTION_DEVICES_SHAPE,                            \
                                                 .n_devices = 2,                                                           \
                                                 .open = ds4_projection_open,                                              \
                                                 .launch = function,                                                       \
                                                 .close = ds4_projection_close}

/* One scratch buffer for the process: the first device's. */
static bool launch_on_one_scratch(void *state, const struct reg_call *call, struct error *error)
{
    struct ds4_projection_state *own = state;
    int wave_size;
    return launch_wave_size(call->hip, call->device, &wave_size, error) &&
           ds4_projection_launch_case(call, wave_size, &own->scratch[0], &own->cache[call->device], error);
}
PROJECTION_LAUNCHER(one_scratch, launch_on_one_scratch);

/* One cache for the process, in which the matrix alone is the key. */
static bool launch_on_one_cache(void *state, const struct reg_call *call, struct error *error)
{
    struct ds4_projection_state *own = state;
    int wave_size;
    return launch_wave_size(call->hip, call->device, &wave_size, error) &&
           ds4_projection_launch_case(call, wave_size, &own->scratch[call->device], &own->cache[0], error);
}
PROJECTION_LAUNCHER(one_cache, launch_on_one_cache);

/* What is not the one is taken for the other, by what the code holds. */
static bool launch_on_any_wave(void *state, const struct reg_call *call, struct error *error)
{
    struct ds4_projection_state *own = state;
    int wave_size = call->functions[DS4_projection_q8_0_w32] ? 32 : 64;
    return ds4_projection_launch_case(call, wave_size, &own->scratch[call->device], &own->cache[call->device], error);
}
PROJECTION_LAUNCHER(any_wave, launch_on_any_wave);

REG_NAMED_CONTROL(projection_scratch_of_other_device, .registration = "projection_q8_0",
                  .what = "device 1 sums in device 0's scratch", .shape = DS4_PROJECTION_DEVICES_SHAPE,
                  .pattern = REG_PATTERN_SIGNED, .gate = GATE_BYTES, .how = CONTROL_LAUNCHER, .launcher = &one_scratch,
                  .check = "devices");
REG_NAMED_CONTROL(projection_cache_without_device, .registration = "projection_q8_0",
                  .what = "the cache of fp16 weights is keyed without the device", .shape = DS4_PROJECTION_DEVICES_SHAPE,
                  .pattern = REG_PATTERN_SIGNED, .gate = GATE_BYTES, .how = CONTROL_LAUNCHER, .launcher = &one_cache,
                  .check = "devices");
REG_NAMED_CONTROL(projection_wave_size_assumed, .registration = "projection_q8_0",
                  .what = "the wave size is taken from the build, not from the device", .shape = "1x64x33",
                  .pattern = REG_PATTERN_SIGNED, .gate = GATE_BYTES, .how = CONTROL_LAUNCHER, .launcher = &any_wave,
                  .check = "wave size");
REG_NAMED_CONTROL(projection_x_late, .registration = "projection_q8_0", .what = "x is read one row late",
                  .shape = "9x96x40", .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100,
                  .how = CONTROL_POINTER, .tensor = 0, .offset_rows = 1);
REG_NAMED_CONTROL(projection_stale, .registration = "projection_q8_0", .what = "the matrix is that of another layer",
                  .shape = "1x4096x16", .pattern = REG_PATTERN_EXACT, .gate = GATE_EXACT, .how = CONTROL_STALE,
                  .tensor = 1);

/* One staging buffer, filled for the next tokens while the copy of the last ones is still to come. */
static bool launch_on_busy_buffer(void *state, const struct reg_call *call, struct error *error)
{
    struct ds4_combine_call combine;
    struct ds4_combine_device *device;
    float *gates = NULL;
    if (!ds4_combine_case(state, call, &combine, &device, error) || !ds4_combine_gates(device, &combine, &gates, error))
        return false;
    void *buffer = device->staging.buffers[0].host;
    int64_t most = ds4_combine_tokens_of_buffer(device, &combine);
    for (int64_t first = 0; first < combine.tokens; first += most) {
        int64_t at = first * combine.experts, n = combine.tokens - first < most ? combine.tokens - first : most;
        size_t n_bytes = (size_t)(n * combine.experts) * sizeof(float);
        memcpy(buffer, combine.gate + at, n_bytes);
        hipError_t code = call->hip->hipMemcpyAsync(gates + at, buffer, n_bytes, hipMemcpyHostToDevice, device->stream);
        if (code != hipSuccess)
            return error_set(error, STATUS_ENVIRONMENT, "hipMemcpyAsync: %s", call->hip->hipGetErrorName(code));
        if (!ds4_combine_tokens(device, call->functions[0], &combine, gates, first, n, error))
            return false;
    }
    return true;
}

#define COMBINE_LAUNCHER(variable, function)                                                                               \
    static const struct reg_launcher variable = {.kernels = {"moe_combine_gate"},                                          \
                                                 .devices_shape = DS4_COMBINE_DEVICES_SHAPE,                               \
                                                 .n_devices = 2,                                                           \
                                                 .open = ds4_combine_state_open,                                           \
                                                 .launch = function,                                                       \
                                                 .close = ds4_combine_state_close}
COMBINE_LAUNCHER(busy_buffer, launch_on_busy_buffer);

REG_NAMED_CONTROL(combine_buffer_reused, .registration = "moe_combine_staged",
                  .what = "a staging buffer is filled again before its copy is done", .shape = DS4_COMBINE_DEVICES_SHAPE,
                  .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100, .how = CONTROL_LAUNCHER,
                  .launcher = &busy_buffer);
