/*
 * The HIP API table over the emulator: devices, memory, and the doors to modules and launches.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/emulator/decode.h"
#include "device/emulator/depth/depth.h"
#include "device/emulator/hip_state.h"
#include "device/emulator/modelled.h"

enum { VERSION = 60300000 /* of HIP, as hipRuntimeGetVersion counts: the API that the table speaks */ };

static struct emulator *open_emulator;
static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int current_device; /* HIP keeps it per host thread */

struct emulator *hip_enter(void)
{
    pthread_mutex_lock(&open_lock);
    struct emulator *emulator = open_emulator;
    pthread_mutex_unlock(&open_lock);
    if (emulator)
        pthread_mutex_lock(&emulator->lock);
    return emulator;
}

hipError_t hip_leave(struct emulator *emulator, hipError_t result)
{
    if (result != hipSuccess)
        emulator->last_error = result;
    pthread_mutex_unlock(&emulator->lock);
    return result;
}

int hip_current_device(void)
{
    return current_device;
}

hipError_t hip_refuse(struct emulator *emulator, hipError_t error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(emulator->refusal, sizeof emulator->refusal, format, arguments);
    va_end(arguments);
    return error;
}

static hipError_t emu_runtime_get_version(int *version)
{
    if (!version)
        return hipErrorInvalidValue;
    *version = VERSION;
    return hipSuccess;
}

static hipError_t emu_get_device_count(int *count)
{
    ENTER_OR_FAIL(emulator);
    if (!count)
        return hip_leave(emulator, hipErrorInvalidValue);
    *count = emulator->options.n_devices;
    return hip_leave(emulator, hipSuccess);
}

static bool is_device(const struct emulator *emulator, int device)
{
    return device >= 0 && device < emulator->options.n_devices;
}

static hipError_t emu_set_device(int device)
{
    ENTER_OR_FAIL(emulator);
    if (!is_device(emulator, device))
        return hip_leave(emulator, hipErrorInvalidDevice);
    current_device = device;
    return hip_leave(emulator, hipSuccess);
}

static hipError_t emu_get_device(int *device)
{
    ENTER_OR_FAIL(emulator);
    if (!device)
        return hip_leave(emulator, hipErrorInvalidValue);
    *device = current_device;
    return hip_leave(emulator, hipSuccess);
}

static hipError_t emu_device_get_name(char *name, int n_bytes, int device)
{
    ENTER_OR_FAIL(emulator);
    if (!name || n_bytes < 1)
        return hip_leave(emulator, hipErrorInvalidValue);
    if (!is_device(emulator, device))
        return hip_leave(emulator, hipErrorInvalidDevice);
    snprintf(name, (size_t)n_bytes, "%s (emulated)", emulator->chip->name);
    return hip_leave(emulator, hipSuccess);
}

static hipError_t emu_device_get_attribute(int *value, int attribute, int device)
{
    ENTER_OR_FAIL(emulator);
    const struct chip *chip = emulator->chip;
    const struct {
        int attribute;
        uint32_t value;
    } attributes[] = {
        {hipDeviceAttributeMaxBlockDimX, chip->max_threads_per_workgroup},
        {hipDeviceAttributeMaxThreadsPerBlock, chip->max_threads_per_workgroup},
        {hipDeviceAttributeMaxGridDimX, INT32_MAX},
        {hipDeviceAttributeMaxGridDimY, 65536},
        {hipDeviceAttributeMaxGridDimZ, 65536},
        {hipDeviceAttributeMultiprocessorCount, chip->n_compute_units},
        {hipDeviceAttributeMaxSharedMemoryPerBlock, chip->lds_max_per_workgroup},
        {hipDeviceAttributeWarpSize, emulator->reported_wave_size ? emulator->reported_wave_size : chip->default_wave},
    };
    if (!is_device(emulator, device))
        return hip_leave(emulator, hipErrorInvalidDevice);
    for (size_t i = 0; value && i < sizeof attributes / sizeof *attributes; i++)
        if (attributes[i].attribute == attribute) {
            *value = (int)attributes[i].value;
            return hip_leave(emulator, hipSuccess);
        }
    return hip_leave(emulator, hipErrorInvalidValue);
}

/* Every emulated device reaches every other one. */
static hipError_t emu_device_can_access_peer(int *can, int device, int peer)
{
    ENTER_OR_FAIL(emulator);
    if (!can)
        return hip_leave(emulator, hipErrorInvalidValue);
    if (!is_device(emulator, device) || !is_device(emulator, peer))
        return hip_leave(emulator, hipErrorInvalidDevice);
    *can = device != peer;
    return hip_leave(emulator, hipSuccess);
}

/* Of the current device to a peer's memory, from the next launch on; flags are reserved. */
static hipError_t emu_device_enable_peer_access(int peer, unsigned flags)
{
    ENTER_OR_FAIL(emulator);
    uint64_t *peers = &emulator->peers[current_device], bit = UINT64_C(1) << (peer & (MAX_DEVICES - 1));
    hipError_t result = hipSuccess;
    if (flags)
        result = hipErrorInvalidValue;
    else if (!is_device(emulator, peer) || peer == current_device)
        result = hipErrorInvalidDevice;
    else if (*peers & bit)
        result = hipErrorPeerAccessAlreadyEnabled;
    else
        *peers |= bit;
    return hip_leave(emulator, result);
}

static hipError_t emu_device_disable_peer_access(int peer)
{
    ENTER_OR_FAIL(emulator);
    uint64_t *peers = &emulator->peers[current_device], bit = UINT64_C(1) << (peer & (MAX_DEVICES - 1));
    if (!is_device(emulator, peer) || peer == current_device)
        return hip_leave(emulator, hipErrorInvalidDevice);
    if (!(*peers & bit))
        return hip_leave(emulator, hipErrorPeerAccessNotEnabled);
    *peers &= ~bit;
    return hip_leave(emulator, hipSuccess);
}

static hipError_t emu_malloc(void **pointer, size_t n_bytes)
{
    ENTER_OR_FAIL(emulator);
    if (!pointer)
        return hip_leave(emulator, hipErrorInvalidValue);
    *pointer = NULL;
    if (n_bytes == 0)
        return hip_leave(emulator, hipSuccess);
    uint64_t address = memory_allocate(emulator->memory, n_bytes, current_device, "");
    *pointer = (void *)(uintptr_t)address;
    return hip_leave(emulator, address ? hipSuccess : hipErrorOutOfMemory);
}

/* Waits for the device that owns the memory, as HIP does. */
static hipError_t emu_free(void *pointer)
{
    ENTER_OR_FAIL(emulator);
    const struct span *span = memory_find(emulator->memory, (uintptr_t)pointer);
    hipError_t result = span ? hip_drain_device(emulator, span->device) : hipSuccess;
    if (pointer && !memory_free(emulator->memory, (uintptr_t)pointer))
        result = hipErrorInvalidValue;
    return hip_leave(emulator, result);
}

static bool copies_to_device(int kind)
{
    return kind == hipMemcpyHostToDevice || kind == hipMemcpyDeviceToDevice;
}

static bool copies_from_device(int kind)
{
    return kind == hipMemcpyDeviceToHost || kind == hipMemcpyDeviceToDevice;
}

/* The host bytes of a pointer that the caller says is the device's or the host's; NULL where it is not that. */
static uint8_t *side(struct emulator *emulator, const void *pointer, size_t n_bytes, bool on_device)
{
    if (on_device)
        return memory_host(emulator->memory, (uintptr_t)pointer, n_bytes);
    return memory_is_guest(emulator->memory, (uintptr_t)pointer) ? NULL : (uint8_t *)(uintptr_t)pointer;
}

/* What `default` stands for. */
static int resolve_kind(const struct emulator *emulator, const void *to, const void *from)
{
    bool to_device = memory_is_guest(emulator->memory, (uintptr_t)to),
         from_device = memory_is_guest(emulator->memory, (uintptr_t)from);
    return to_device ? (from_device ? hipMemcpyDeviceToDevice : hipMemcpyHostToDevice)
                     : (from_device ? hipMemcpyDeviceToHost : hipMemcpyHostToHost);
}

hipError_t hip_copy_check(struct emulator *emulator, const void *to, const void *from, size_t n_bytes, int *kind)
{
    if (*kind < hipMemcpyHostToHost || *kind > MEMCPY_DEFAULT)
        return hipErrorInvalidValue;
    if (*kind == MEMCPY_DEFAULT)
        *kind = resolve_kind(emulator, to, from);
    bool ok = !n_bytes || (side(emulator, to, n_bytes, copies_to_device(*kind)) &&
                           side(emulator, from, n_bytes, copies_from_device(*kind)));
    return ok ? hipSuccess : hipErrorInvalidValue;
}

hipError_t hip_copy(struct emulator *emulator, void *to, const void *from, size_t n_bytes, int kind)
{
    uint8_t *to_bytes = side(emulator, to, n_bytes, copies_to_device(kind));
    const uint8_t *from_bytes = side(emulator, from, n_bytes, copies_from_device(kind));
    if (!to_bytes || !from_bytes)
        return hipErrorInvalidValue;
    memmove(to_bytes, from_bytes, n_bytes);
    memory_copy_written(emulator->memory, (uintptr_t)to, (uintptr_t)from, n_bytes);
    return hipSuccess;
}

static hipError_t emu_memcpy(void *to, const void *from, size_t n_bytes, int kind)
{
    ENTER_OR_FAIL(emulator);
    hipError_t result = hip_copy_check(emulator, to, from, n_bytes, &kind);
    if (result == hipSuccess)
        result = hip_drain_for_null(emulator, current_device);
    if (result == hipSuccess && n_bytes)
        result = hip_copy(emulator, to, from, n_bytes, kind);
    return hip_leave(emulator, result);
}

static hipError_t emu_memset(void *to, int byte, size_t n_bytes)
{
    ENTER_OR_FAIL(emulator);
    hipError_t drained = hip_drain_for_null(emulator, current_device);
    if (drained != hipSuccess)
        return hip_leave(emulator, drained);
    uint8_t *bytes = n_bytes ? memory_host(emulator->memory, (uintptr_t)to, n_bytes) : NULL;
    if (bytes) {
        memset(bytes, byte, n_bytes);
        memory_define(emulator->memory, (uintptr_t)to, n_bytes);
        memory_set_constant_depth(emulator->memory, (uintptr_t)to, n_bytes);
    }
    return hip_leave(emulator, bytes || !n_bytes ? hipSuccess : hipErrorInvalidValue);
}

static hipError_t emu_module_load_data(hipModule_t *module, const void *image)
{
    ENTER_OR_FAIL(emulator);
    emulator->refusal[0] = 0;
    if (!module || !image)
        return hip_leave(emulator, hipErrorInvalidValue);
    return hip_leave(emulator, hip_module_load(emulator, image, module));
}

static hipError_t emu_module_unload(hipModule_t module)
{
    ENTER_OR_FAIL(emulator);
    return hip_leave(emulator, hip_module_unload(emulator, module));
}

static hipError_t emu_module_get_function(hipFunction_t *function, hipModule_t module, const char *name)
{
    ENTER_OR_FAIL(emulator);
    if (!function || !name)
        return hip_leave(emulator, hipErrorInvalidValue);
    for (struct ihipModule_t *loaded = emulator->modules; loaded; loaded = loaded->next) {
        if (loaded != module)
            continue;
        const struct code_kernel *kernel = code_object_kernel(&loaded->object, name);
        if (!kernel)
            return hip_leave(emulator, hipErrorNotFound);
        *function = &loaded->functions[kernel - loaded->object.kernels];
        return hip_leave(emulator, hipSuccess);
    }
    return hip_leave(emulator, hipErrorInvalidValue);
}

static hipError_t emu_func_get_attribute(int *value, int attribute, const void *function)
{
    ENTER_OR_FAIL(emulator);
    const struct ihipModuleSymbol_t *symbol = hip_function_find(emulator, function);
    if (!value || !symbol)
        return hip_leave(emulator, hipErrorInvalidValue);
    const struct code_kernel *kernel = symbol->kernel;
    const struct {
        int attribute;
        uint32_t value;
    } attributes[] = {
        {HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel->max_workgroup_threads},
        {HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel->descriptor.group_segment_bytes},
        {HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, kernel->descriptor.private_segment_bytes},
        {HIP_FUNC_ATTRIBUTE_NUM_REGS, kernel->vgprs},
    };
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (attributes[i].attribute == attribute) {
            *value = (int)attributes[i].value;
            return hip_leave(emulator, hipSuccess);
        }
    return hip_leave(emulator, hipErrorInvalidValue);
}

static hipError_t emu_module_launch_kernel(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                           unsigned block_x, unsigned block_y, unsigned block_z, unsigned lds_bytes,
                                           hipStream_t stream, void **parameters, void **extra)
{
    ENTER_OR_FAIL(emulator);
    emulator->n_launches++;
    emulator->refusal[0] = 0;
    struct hip_launch request = {
        .function = hip_function_find(emulator, function),
        .device = current_device,
        .grid = {grid_x, grid_y, grid_z},
        .block = {block_x, block_y, block_z},
        .dynamic_lds_bytes = lds_bytes,
        .parameters = parameters,
        .extra = extra,
    };
    if (!request.function)
        return hip_leave(emulator,
                         hip_refuse(emulator, hipErrorInvalidImage, "no function of a loaded module is launched"));
    if (!hip_is_null_stream(stream))
        return hip_leave(emulator, hip_stream_launch(emulator, stream, &request));
    hipError_t result = hip_drain_for_null(emulator, current_device);
    return hip_leave(emulator, result == hipSuccess ? hip_launch_run(emulator, &request) : result);
}

static hipError_t emu_device_synchronize(void)
{
    ENTER_OR_FAIL(emulator);
    return hip_leave(emulator, hip_drain_device(emulator, current_device));
}

static hipError_t emu_get_last_error(void)
{
    ENTER_OR_FAIL(emulator);
    hipError_t last = emulator->last_error;
    emulator->last_error = hipSuccess;
    pthread_mutex_unlock(&emulator->lock);
    return last;
}

static const struct hip_api emulator_hip = {
    .hipRuntimeGetVersion = emu_runtime_get_version,
    .hipDriverGetVersion = emu_runtime_get_version,
    .hipGetDeviceCount = emu_get_device_count,
    .hipSetDevice = emu_set_device,
    .hipGetDevice = emu_get_device,
    .hipDeviceGetName = emu_device_get_name,
    .hipDeviceGetAttribute = emu_device_get_attribute,
    .hipDeviceCanAccessPeer = emu_device_can_access_peer,
    .hipDeviceEnablePeerAccess = emu_device_enable_peer_access,
    .hipDeviceDisablePeerAccess = emu_device_disable_peer_access,
    .hipMalloc = emu_malloc,
    .hipFree = emu_free,
    .hipMemcpy = emu_memcpy,
    .hipMemset = emu_memset,
    .hipHostMalloc = emu_host_malloc,
    .hipHostFree = emu_host_free,
    .hipMemcpyAsync = emu_memcpy_async,
    .hipStreamCreateWithFlags = emu_stream_create,
    .hipStreamDestroy = emu_stream_destroy,
    .hipStreamSynchronize = emu_stream_synchronize,
    .hipEventCreateWithFlags = emu_event_create,
    .hipEventDestroy = emu_event_destroy,
    .hipEventRecord = emu_event_record,
    .hipEventSynchronize = emu_event_synchronize,
    .hipModuleLoadData = emu_module_load_data,
    .hipModuleUnload = emu_module_unload,
    .hipModuleGetFunction = emu_module_get_function,
    .hipFuncGetAttribute = emu_func_get_attribute,
    .hipModuleLaunchKernel = emu_module_launch_kernel,
    .hipDeviceSynchronize = emu_device_synchronize,
    .hipGetLastError = emu_get_last_error,
    .hipGetErrorName = hip_error_name,
    .hipGetErrorString = hip_error_name,
};

static struct emulator *emulator_of(const struct device *device)
{
    return (struct emulator *)device->context;
}

static void set_schedule(struct device *device, uint64_t seed)
{
    struct emulator *emulator = emulator_of(device);
    pthread_mutex_lock(&emulator->lock);
    emulator->schedule_seed = seed;
    emulator->n_stream_choices = 0;
    pthread_mutex_unlock(&emulator->lock);
}

static void name_allocation(struct device *device, const void *pointer, const char *name)
{
    struct emulator *emulator = emulator_of(device);
    pthread_mutex_lock(&emulator->lock);
    memory_rename(emulator->memory, (uintptr_t)pointer, name);
    pthread_mutex_unlock(&emulator->lock);
}

static void straddle(struct device *device, bool on)
{
    struct emulator *emulator = emulator_of(device);
    pthread_mutex_lock(&emulator->lock);
    memory_straddle(emulator->memory, on);
    pthread_mutex_unlock(&emulator->lock);
}

static size_t take_findings(struct device *device, struct finding *out, size_t capacity)
{
    struct emulator *emulator = emulator_of(device);
    pthread_mutex_lock(&emulator->lock);
    size_t n = emulator->n_findings < capacity ? emulator->n_findings : capacity;
    if (n) /* memcpy takes no null, not even for no bytes */
        memcpy(out, emulator->findings, n * sizeof *out);
    emulator->n_findings -= n;
    if (emulator->n_findings)
        memmove(emulator->findings, emulator->findings + n, emulator->n_findings * sizeof *out);
    pthread_mutex_unlock(&emulator->lock);
    return n;
}

static void set_checks(struct device *device, unsigned checks)
{
    struct emulator *emulator = emulator_of(device);
    pthread_mutex_lock(&emulator->lock);
    emulator->options.checks = checks;
    pthread_mutex_unlock(&emulator->lock);
}

static void report_wave_size(struct device *device, int wave_size)
{
    struct emulator *emulator = emulator_of(device);
    pthread_mutex_lock(&emulator->lock);
    emulator->reported_wave_size = (uint32_t)wave_size;
    pthread_mutex_unlock(&emulator->lock);
}

static uint64_t count_launches(struct device *device)
{
    struct emulator *emulator = emulator_of(device);
    pthread_mutex_lock(&emulator->lock);
    uint64_t n_launches = emulator->n_launches;
    pthread_mutex_unlock(&emulator->lock);
    return n_launches;
}

static void forget(struct device *device, void *pointer, size_t n_bytes)
{
    struct emulator *emulator = emulator_of(device);
    pthread_mutex_lock(&emulator->lock);
    memory_forget(emulator->memory, (uintptr_t)pointer, n_bytes);
    pthread_mutex_unlock(&emulator->lock);
}

static void emulator_close(struct device *device)
{
    struct emulator *emulator = emulator_of(device);
    pthread_mutex_lock(&open_lock);
    open_emulator = NULL;
    pthread_mutex_unlock(&open_lock);
    hip_streams_close(emulator);
    while (emulator->modules)
        hip_module_unload(emulator, emulator->modules);
    dispatch_storage_close(emulator->storage);
    memory_close(emulator->memory);
    free(emulator->findings);
    pthread_mutex_destroy(&emulator->lock);
    free(emulator);
    current_device = 0;
}

static void measure_depth(struct device *device, bool on)
{
    struct emulator *emulator = emulator_of(device);
    pthread_mutex_lock(&emulator->lock);
    emulator->measures_depth = on;
    if (on)
        memory_count_depth(emulator->memory); /* what fails here fails the launch */
    else
        memory_forget_depth(emulator->memory);
    pthread_mutex_unlock(&emulator->lock);
}

static uint32_t depth_of(struct device *device, const void *pointer, size_t n_bytes, size_t *at)
{
    struct emulator *emulator = emulator_of(device);
    pthread_mutex_lock(&emulator->lock);
    uint32_t depth = depth_of_memory(emulator->memory, (uintptr_t)pointer, n_bytes, at);
    pthread_mutex_unlock(&emulator->lock);
    return depth;
}

static size_t modelled(struct device *device, hipFunction_t function, char *text, size_t capacity)
{
    struct emulator *emulator = emulator_of(device);
    pthread_mutex_lock(&emulator->lock);
    const struct ihipModuleSymbol_t *symbol = hip_function_find(emulator, function);
    const struct emulated_code *code = symbol ? hip_function_code(emulator, symbol) : NULL;
    size_t n = 0;
    *text = 0;
    if (code)
        n = modelled_in_code(code, symbol->kernel->entry_address, symbol->kernel->code_bytes, text, capacity);
    pthread_mutex_unlock(&emulator->lock);
    return n;
}

static void visit_code(const struct ihipModule_t *module, int wave_size, profile_visitor *visit, void *context)
{
    const struct emulated_code *code = &module->code[wave_size];
    for (uint32_t i = 0; module->profile[wave_size] && i < code->n_instructions; i++) {
        const struct instruction *in = &code->instructions[i];
        const struct profiled_instruction instruction = {
            .code = module->object.hash,
            .address = in->offset_bytes,
            .n_lanes = code->n_lanes,
            .text = in->text,
            .mnemonic = in->opcode ? in->opcode->mnemonic : "",
            .class = in->opcode ? opcode_class_name(in->class) : "unknown",
            .is_vector = instruction_is_vector(in),
            .counts = &module->profile[wave_size][i],
        };
        if (instruction.counts->n_executed)
            visit(context, &instruction);
    }
}

static void visit_profile(struct device *device, profile_visitor *visit, void *context)
{
    struct emulator *emulator = emulator_of(device);
    pthread_mutex_lock(&emulator->lock);
    for (const struct ihipModule_t *module = emulator->modules; module; module = module->next)
        for (int wave_size = 0; wave_size < 2; wave_size++)
            visit_code(module, wave_size, visit, context);
    pthread_mutex_unlock(&emulator->lock);
}

static void fill_device(struct emulator *emulator)
{
    emulator->device = (struct device){
        .hip = &emulator_hip,
        .kind = "emulator",
        .n_devices = emulator->options.n_devices,
        .wave_size = emulator->chip->default_wave,
        .set_schedule = set_schedule,
        .name_allocation = name_allocation,
        .straddle = straddle,
        .set_checks = set_checks,
        .forget = forget,
        .report_wave_size = report_wave_size,
        .count_launches = count_launches,
        .take_findings = take_findings,
        .modelled = modelled,
        .measure_depth = measure_depth,
        .depth_of = depth_of,
        .visit_profile = emulator->options.count_profile ? visit_profile : NULL,
        .close = emulator_close,
        .context = emulator,
    };
    snprintf(emulator->device.chip, sizeof emulator->device.chip, "%s", emulator->chip->name);
}

static bool check_options(const struct emulator_options *options, struct error *error)
{
    const struct chip *chip = chip_find(options->chip);
    if (!chip)
        return error_set(error, STATUS_ENVIRONMENT, "%s is not emulated; `hipcontract doctor` lists the chips that are",
                         options->chip);
    if (options->n_devices < 1 || options->n_devices > MAX_DEVICES)
        return error_set(error, STATUS_USAGE, "%d devices: the emulator gives 1 to %d", options->n_devices, MAX_DEVICES);
    return disassembler_check_chip(chip, error);
}

bool emulator_open(const struct emulator_options *options, struct device **device, struct error *error)
{
    if (!check_options(options, error))
        return false;
    struct emulator *emulator = calloc(1, sizeof *emulator);
    if (!emulator || !(emulator->memory = memory_open()) ||
        !(emulator->storage = dispatch_storage_open(options->n_threads))) {
        if (emulator)
            memory_close(emulator->memory);
        free(emulator);
        return error_set(error, STATUS_ENVIRONMENT, "the host is out of memory");
    }
    emulator->options = *options;
    emulator->chip = chip_find(options->chip);
    emulator->options.chip = emulator->chip->name;
    pthread_mutex_init(&emulator->lock, NULL);
    fill_device(emulator);
    pthread_mutex_lock(&open_lock);
    bool busy = open_emulator != NULL;
    if (!busy)
        open_emulator = emulator;
    pthread_mutex_unlock(&open_lock);
    if (!busy) {
        *device = &emulator->device;
        return true;
    }
    dispatch_storage_close(emulator->storage);
    memory_close(emulator->memory);
    free(emulator);
    return error_set(error, STATUS_USAGE, "an emulator is open in this process already; close it first");
}

struct emulator_statistics emulator_take_statistics(struct device *device)
{
    struct emulator *emulator = emulator_of(device);
    pthread_mutex_lock(&emulator->lock);
    struct emulator_statistics statistics = emulator->statistics;
    emulator->statistics = (struct emulator_statistics){0};
    pthread_mutex_unlock(&emulator->lock);
    return statistics;
}

void emulator_limit_instructions(struct device *device, uint64_t max_instructions)
{
    struct emulator *emulator = emulator_of(device);
    pthread_mutex_lock(&emulator->lock);
    emulator->options.max_instructions = max_instructions;
    pthread_mutex_unlock(&emulator->lock);
}

const char *emulator_refusal(const struct device *device)
{
    return emulator_of(device)->refusal;
}
