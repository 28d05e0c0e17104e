/*
 * Launches: refused as the runtime would refuse them, then run. Which error a refusal gives follows ROCm 6's runtime (clr,
 * hipModuleLaunchKernel and its validation).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/base/clock.h"
#include "device/emulator/finding_lines.h"
#include "device/emulator/hip_state.h"
#include "device/emulator/wave_start.h"

enum { MAX_GRID_YZ = 65536, KERNARG_GRANULE = 64 };
/* Seconds of a wave that never ends. */
#define DEFAULT_MAX_INSTRUCTIONS (UINT64_C(1) << 28)

static hipError_t check_grid(struct emulator *emulator, const struct hip_launch *request)
{
    const uint32_t *grid = request->grid, *block = request->block;
    for (int axis = 0; axis < 3; axis++)
        if (grid[axis] == 0 || block[axis] == 0)
            return hip_refuse(emulator, hipErrorInvalidValue,
                              "a grid of %u,%u,%u workgroups of %u,%u,%u work-items is empty", grid[0], grid[1], grid[2],
                              block[0], block[1], block[2]);
    if (grid[0] > INT32_MAX || grid[1] > MAX_GRID_YZ || grid[2] > MAX_GRID_YZ)
        return hip_refuse(emulator, hipErrorInvalidValue, "a grid of %u,%u,%u workgroups is over the limits %d,%d,%d",
                          grid[0], grid[1], grid[2], INT32_MAX, MAX_GRID_YZ, MAX_GRID_YZ);
    for (int axis = 0; axis < 3; axis++)
        if ((uint64_t)grid[axis] * block[axis] > UINT32_MAX)
            return hip_refuse(emulator, hipErrorInvalidConfiguration,
                              "%u workgroups of %u work-items along axis %d are over the packet's 32 bits", grid[axis],
                              block[axis], axis);
    return hipSuccess;
}

static hipError_t check_block(struct emulator *emulator, const struct hip_launch *request)
{
    const struct code_kernel *kernel = request->function->kernel;
    uint64_t n_items = (uint64_t)request->block[0] * request->block[1] * request->block[2];
    uint32_t limit = emulator->chip->max_threads_per_workgroup;
    if (n_items > limit || (uint64_t)request->block[0] * request->block[1] > limit)
        return hip_refuse(emulator, hipErrorInvalidValue, "a block of %llu work-items is over the chip's %u",
                          (unsigned long long)n_items, limit);
    if (kernel->max_workgroup_threads && n_items > kernel->max_workgroup_threads)
        return hip_refuse(emulator, hipErrorLaunchFailure,
                          "a block of %llu work-items is over the %u that %s is compiled for", (unsigned long long)n_items,
                          kernel->max_workgroup_threads, kernel->name);
    return hipSuccess;
}

static hipError_t check_lds(struct emulator *emulator, const struct hip_launch *request)
{
    uint32_t limit = emulator->chip->lds_max_per_workgroup,
             fixed = request->function->kernel->descriptor.group_segment_bytes;
    if (request->dynamic_lds_bytes > limit)
        return hip_refuse(emulator, hipErrorInvalidValue, "%u bytes of dynamic LDS are over the chip's %u",
                          request->dynamic_lds_bytes, limit);
    if ((uint64_t)fixed + request->dynamic_lds_bytes > limit)
        return hip_refuse(emulator, hipErrorLaunchOutOfResources,
                          "%u bytes of static and %u of dynamic LDS are over the chip's %u", fixed,
                          request->dynamic_lds_bytes, limit);
    return hipSuccess;
}

/* What COMPUTE_TMPRING_SIZE.WAVESIZE can say (LLVM's GCNSubtarget, "getMaxWaveScratchSize"). */
enum { SCRATCH_OF_GFX9 = 1024 * ((1 << 13) - 1), SCRATCH_OF_GFX11 = 256 * ((1 << 15) - 1) };
static const uint32_t max_wave_scratch_bytes[] = {
    [CHIP_CDNA1] = SCRATCH_OF_GFX9,   [CHIP_CDNA2] = SCRATCH_OF_GFX9,       [CHIP_CDNA3] = SCRATCH_OF_GFX9,
    [CHIP_CDNA4] = SCRATCH_OF_GFX9,   [CHIP_RDNA2] = SCRATCH_OF_GFX9,       [CHIP_RDNA3] = SCRATCH_OF_GFX11,
    [CHIP_RDNA35] = SCRATCH_OF_GFX11, [CHIP_RDNA4] = 256 * ((1 << 18) - 1),
};

static hipError_t check_scratch(struct emulator *emulator, const struct hip_launch *request)
{
    const struct code_kernel *kernel = request->function->kernel;
    uint32_t limit = max_wave_scratch_bytes[emulator->chip->family];
    uint64_t wave_bytes = (uint64_t)kernel->descriptor.private_segment_bytes * kernel->wave_size;
    if (wave_bytes > limit)
        return hip_refuse(emulator, hipErrorOutOfMemory, "%u bytes of scratch a lane are over the %u that a wave can have",
                          kernel->descriptor.private_segment_bytes, limit / kernel->wave_size);
    return hipSuccess;
}

static hipError_t check_placement(struct emulator *emulator, const struct hip_launch *request)
{
    if (request->function->module->device != request->device)
        return hip_refuse(emulator, hipErrorInvalidDevice, "the module is loaded on device %d, and the launch is on %d",
                          request->function->module->device, request->device);
    return hipSuccess;
}

hipError_t hip_launch_check(struct emulator *emulator, const struct hip_launch *request)
{
    static hipError_t (*const checks[])(struct emulator *, const struct hip_launch *) = {check_grid, check_block, check_lds,
                                                                                         check_scratch, check_placement};
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        hipError_t result = checks[i](emulator, request);
        if (result != hipSuccess)
            return result;
    }
    return hipSuccess;
}

/* HIP_LAUNCH_PARAM_BUFFER_POINTER, _SIZE and _END as `extra` gives them. */
static bool take_extra(void **extra, const void **buffer, size_t *n_bytes)
{
    *buffer = NULL;
    *n_bytes = 0;
    for (int i = 0; i < 4 && (uintptr_t)extra[i] != EXTRA_END; i += 2) {
        if ((uintptr_t)extra[i] == EXTRA_POINTER)
            *buffer = extra[i + 1];
        else if ((uintptr_t)extra[i] == EXTRA_SIZE)
            *n_bytes = *(const size_t *)extra[i + 1];
        else
            return false;
    }
    return *buffer != NULL;
}

static bool is_explicit(const struct code_arg *arg)
{
    return arg->kind < CODE_ARG_HIDDEN_GLOBAL_OFFSET_X || arg->kind == CODE_ARG_OTHER;
}

/* The kernarg segment is a whole number of cache lines, as the runtime's pools are: compilers load a little past its end.
 * Written by hand, one of the two sizes may be missing; arguments lie within the metadata's. */
static uint32_t segment_bytes(const struct code_kernel *kernel)
{
    uint32_t in_note = kernel->kernarg_bytes, in_descriptor = kernel->descriptor.kernarg_bytes;
    uint32_t n_bytes = in_note > in_descriptor ? in_note : in_descriptor;
    uint32_t rounded = (n_bytes + KERNARG_GRANULE - 1) / KERNARG_GRANULE * KERNARG_GRANULE;
    return rounded ? rounded : KERNARG_GRANULE;
}

/* kernarg holds at least hip_launch_argument_bytes. Of a longer `extra` the rest is not the caller's to write. */
static hipError_t write_arguments(struct emulator *emulator, const struct hip_launch *request, uint8_t *kernarg)
{
    const struct code_kernel *kernel = request->function->kernel;
    const void *buffer;
    size_t n_bytes, n_explicit = 0, limit = segment_bytes(kernel), end = hip_launch_argument_bytes(request);
    if (request->parameters && request->extra)
        return hip_refuse(emulator, hipErrorInvalidValue, "both parameters and extra are given");
    if (request->extra) {
        if (!take_extra(request->extra, &buffer, &n_bytes) || n_bytes > limit)
            return hip_refuse(emulator, hipErrorInvalidValue, "extra holds no argument buffer of at most %zu bytes", limit);
        memcpy(kernarg, buffer, n_bytes < end ? n_bytes : end);
        return hipSuccess;
    }
    for (size_t i = 0; i < kernel->n_args; i++) {
        const struct code_arg *arg = &kernel->args[i];
        if (!is_explicit(arg))
            continue;
        if (!request->parameters || !request->parameters[n_explicit])
            return hip_refuse(emulator, hipErrorInvalidValue, "argument %zu of %s is missing", n_explicit, kernel->name);
        memcpy(kernarg + arg->offset_bytes, request->parameters[n_explicit++], arg->size_bytes);
    }
    return hipSuccess;
}

uint32_t hip_launch_argument_bytes(const struct hip_launch *request)
{
    const struct code_kernel *kernel = request->function->kernel;
    uint32_t end = kernel->n_args ? 0 : segment_bytes(kernel); /* written by hand, without a list of arguments */
    for (size_t i = 0; i < kernel->n_args; i++) {
        uint32_t own_end = kernel->args[i].offset_bytes + kernel->args[i].size_bytes;
        if (is_explicit(&kernel->args[i]) && own_end > end)
            end = own_end;
    }
    return end;
}

hipError_t hip_launch_arguments(struct emulator *emulator, const struct hip_launch *request, uint8_t *bytes)
{
    return write_arguments(emulator, request, bytes);
}

/* Read-only guest memory of n_bytes under a name; 0 when the host is out of memory. */
static uint64_t fixed_memory(struct emulator *emulator, int device, size_t n_bytes, const char *name)
{
    uint64_t address = memory_allocate(emulator->memory, n_bytes, device, name);
    if (!address)
        return 0;
    memory_set_read_only(emulator->memory, address, true);
    memory_define(emulator->memory, address, n_bytes);
    return address;
}

static struct launch_memory *prepare_memory(struct emulator *emulator, int device, uint32_t kernarg_bytes)
{
    struct launch_memory *held = &emulator->launch_memory[device];
    if (!held->packet_address)
        held->packet_address = fixed_memory(emulator, device, DISPATCH_PACKET_BYTES, "the dispatch packet");
    if (!held->queue_address)
        held->queue_address = fixed_memory(emulator, device, QUEUE_BYTES, "the queue");
    if (held->kernarg_bytes != kernarg_bytes) {
        if (held->kernarg_address)
            memory_free(emulator->memory, held->kernarg_address);
        held->kernarg_address = fixed_memory(emulator, device, kernarg_bytes, "the kernel's arguments");
        held->kernarg_bytes = kernarg_bytes;
    }
    return held->packet_address && held->queue_address && held->kernarg_address ? held : NULL;
}

static hipError_t fill_memory(struct emulator *emulator, const struct hip_launch *request, struct launch *launch)
{
    struct launch_memory *held = prepare_memory(emulator, request->device, segment_bytes(request->function->kernel));
    if (!held)
        return hip_refuse(emulator, hipErrorOutOfMemory, "no memory for the kernel's arguments");
    launch->kernarg_address = held->kernarg_address;
    launch->packet_address = held->packet_address;
    launch->queue_address = held->queue_address;
    uint8_t *kernarg = memory_host(emulator->memory, held->kernarg_address, held->kernarg_bytes);
    memset(kernarg, 0, held->kernarg_bytes);
    dispatch_write_hidden_arguments(launch, kernarg);
    dispatch_write_packet(launch, memory_host(emulator->memory, held->packet_address, DISPATCH_PACKET_BYTES));
    dispatch_write_queue(memory_host(emulator->memory, held->queue_address, QUEUE_BYTES));
    return write_arguments(emulator, request, kernarg);
}

static void keep_finding(struct emulator *emulator, const struct finding *finding)
{
    if (emulator->n_findings == emulator->findings_capacity) {
        size_t capacity = emulator->findings_capacity ? 2 * emulator->findings_capacity : 64;
        struct finding *grown = realloc(emulator->findings, capacity * sizeof *grown);
        if (!grown)
            return;
        emulator->findings = grown;
        emulator->findings_capacity = capacity;
    }
    emulator->findings[emulator->n_findings++] = *finding;
}

/* The faults, or the notes, and how many more there were. */
static void keep_sort(struct emulator *emulator, const struct dispatch *dispatch, uint32_t first, uint32_t end,
                      uint32_t n_seen)
{
    for (uint32_t i = first; i < end; i++)
        keep_finding(emulator, &dispatch->findings[i]);
    if (n_seen == end - first)
        return;
    struct finding more = {.kind = dispatch->findings[end - 1].kind};
    snprintf(more.place.kernel, sizeof more.place.kernel, "%s", dispatch->kernel->name);
    snprintf(more.message, sizeof more.message, "%u more findings of this launch", n_seen - (end - first));
    finding_compose(&more);
    keep_finding(emulator, &more);
}

static void keep_findings(struct emulator *emulator, const struct ihipModule_t *module, const struct dispatch *dispatch)
{
    uint32_t n_faults = finding_n_faults(dispatch);
    finding_lines_fill(module, dispatch);
    keep_sort(emulator, dispatch, 0, n_faults, dispatch->n_findings_seen - dispatch->n_notes_seen);
    keep_sort(emulator, dispatch, n_faults, dispatch->n_findings, dispatch->n_notes_seen);
}

static hipError_t run(struct emulator *emulator, const struct ihipModule_t *module, const struct launch *launch)
{
    struct dispatch dispatch = {0};
    uint64_t start = clock_ns();
    bool ok = dispatch_run(emulator->storage, launch, &dispatch);
    emulator->statistics.launch_ns += clock_ns() - start;
    emulator->statistics.wave_instructions += dispatch.n_executed;
    emulator->statistics.lane_instructions += dispatch.n_lanes_executed;
    if (dispatch.longest_wave > emulator->statistics.longest_wave)
        emulator->statistics.longest_wave = dispatch.longest_wave;
    keep_findings(emulator, module, &dispatch);
    hipError_t result = ok ? dispatch.result : hipErrorOutOfMemory;
    dispatch_release(&dispatch);
    return result;
}

hipError_t hip_launch_run(struct emulator *emulator, const struct hip_launch *request)
{
    hipError_t result = hip_launch_check(emulator, request);
    if (result != hipSuccess)
        return result;
    const struct emulated_code *code = hip_function_code(emulator, request->function);
    if (!code)
        return hipErrorInvalidImage;
    struct launch launch = {
        .code = code,
        .kernel = request->function->kernel,
        .memory = emulator->memory,
        .device = request->device,
        .reachable = emulator->peers[request->device] | UINT64_C(1) << request->device,
        .dynamic_lds_bytes = request->dynamic_lds_bytes,
        .schedule_seed = emulator->schedule_seed,
        .max_instructions =
            emulator->options.max_instructions ? emulator->options.max_instructions : DEFAULT_MAX_INSTRUCTIONS,
        .approx_seed = emulator->options.approx_seed,
        .matrix_model = emulator->options.matrix_model,
        .checks = emulator->options.checks,
        .measures_depth = emulator->measures_depth,
        .profile = hip_function_profile(request->function, code),
    };
    memcpy(launch.grid, request->grid, sizeof launch.grid);
    memcpy(launch.block, request->block, sizeof launch.block);
    if (wave_entry(&launch) == UINT32_MAX)
        return hip_refuse(emulator, hipErrorInvalidImage,
                          "no instruction begins where %s starts: its code object is damaged, compile it anew",
                          launch.kernel->name);
    result = fill_memory(emulator, request, &launch);
    return result == hipSuccess ? run(emulator, request->function->module, &launch) : result;
}
