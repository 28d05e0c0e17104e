/*
 * `hipcontract emulate`: runs kernels of any code object on the emulated chip, through the same HIP API as the contract.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "commands/emulate_plan.h"
#include "commands/emulate_stats.h"
#include "contract/base/file.h"
#include "contract/base/hash.h"
#include "device/code_object.h"
#include "device/device.h"

enum { FINDINGS_AT_ONCE = 64, LAZY_BYTES = 256 << 20 };
#define FIRST_POISON  UINT64_C(0x9e3779b97f4a7c15)
#define SECOND_POISON UINT64_C(0xc2b2ae3d27d4eb4f)

/* One buffer of a launch: where it lies, and what came back from it. */
struct buffer {
    uint8_t *device, *bytes;
    uint64_t n_bytes;
};

struct run {
    const struct emulate_plan *plan;
    const struct code_object *object;
    struct device *device;
    hipModule_t modules[64]; /* one a device, loaded when a launch there needs it */
    struct buffer buffers[EMULATE_LAUNCHES][EMULATE_ARGUMENTS];
    bool quiet; /* a second run, whose findings were told */
    int status;
    bool refused;
};

static int fail(const struct error *error)
{
    fprintf(stderr, "hipcontract emulate: %s\n", error->text);
    return error->status;
}

static bool hip_failed(struct error *error, const char *what, hipError_t result)
{
    return error_set(error, STATUS_ENVIRONMENT, "%s: %s", what, hip_error_name(result));
}

static void take_findings(struct run *run)
{
    static const int unsupported = STATUS_UNSUPPORTED;
    struct finding findings[FINDINGS_AT_ONCE];
    for (size_t n; (n = run->device->take_findings(run->device, findings, FINDINGS_AT_ONCE)) > 0;)
        for (size_t i = 0; i < n; i++) {
            if (!run->quiet)
                fprintf(stderr, "%s: %s\n", finding_kind_name(findings[i].kind), findings[i].text);
            if (run->status != unsupported && findings[i].kind != FINDING_NAN) /* a note */
                run->status = findings[i].kind == FINDING_UNSUPPORTED ? unsupported : STATUS_RED;
        }
}

static const struct code_kernel *find_kernel(const struct code_object *object, const char *name, struct error *error)
{
    char names[600] = "";
    size_t used = 0;
    if (!name && object->n_kernels == 1)
        return &object->kernels[0];
    const struct code_kernel *kernel = name ? code_object_kernel(object, name) : NULL;
    for (size_t i = 0; !kernel && i < object->n_kernels && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, " %s", object->kernels[i].name);
    if (!kernel)
        error_set(error, name ? STATUS_ENVIRONMENT : STATUS_USAGE, "%s%s; the code object has%s",
                  name ? "no kernel " : "--kernel is needed", name ? name : "", object->n_kernels ? names : " no kernel");
    return kernel;
}

static bool is_hidden(const struct code_arg *arg)
{
    return arg->kind >= CODE_ARG_HIDDEN_GLOBAL_OFFSET_X && arg->kind != CODE_ARG_OTHER;
}

/* As many arguments as the kernel takes, each of its size. */
static bool check_arguments(const struct code_kernel *kernel, const struct emulate_launch *launch, struct error *error)
{
    size_t n = 0;
    for (size_t i = 0; i < kernel->n_args; i++) {
        const struct code_arg *arg = &kernel->args[i];
        if (is_hidden(arg))
            continue;
        const struct emulate_argument *given = &launch->arguments[n];
        size_t n_bytes = given->kind == ARGUMENT_VALUE ? given->value_bytes : 8;
        if (n < launch->n_arguments && n_bytes != arg->size_bytes)
            return error_set(error, STATUS_USAGE, "argument %zu of %s%s%s takes %u bytes, and %zu are given", n,
                             kernel->name, arg->name[0] ? ", " : "", arg->name, arg->size_bytes, n_bytes);
        n++;
    }
    if (n != launch->n_arguments)
        return error_set(error, STATUS_USAGE, "%s takes %zu arguments, and %zu are given", kernel->name, n,
                         launch->n_arguments);
    return true;
}

static bool make_buffer(struct run *run, const struct emulate_argument *argument, uint64_t poison, struct buffer *buffer,
                        struct error *error)
{
    const struct hip_api *hip = run->device->hip;
    void *device = NULL;
    buffer->n_bytes = argument->count * argument->type->n_bytes;
    hipError_t result = hip->hipMalloc(&device, buffer->n_bytes);
    if (result != hipSuccess)
        return hip_failed(error, argument->name, result);
    buffer->device = device;
    run->device->name_allocation(run->device, device, argument->name);
    if (argument->kind == ARGUMENT_SPARSE)
        return buffer->n_bytes > LAZY_BYTES || hip->hipMemset(device, 0, buffer->n_bytes) == hipSuccess;
    buffer->bytes = malloc(buffer->n_bytes);
    if (!buffer->bytes)
        return error_set(error, STATUS_ENVIRONMENT, "%s: out of memory", argument->name);
    emulate_argument_fill(argument, poison, buffer->bytes);
    result = hip->hipMemcpy(device, buffer->bytes, buffer->n_bytes, hipMemcpyHostToDevice);
    if (argument->kind == ARGUMENT_OUT) /* its poison is nobody's value */
        run->device->forget(run->device, device, buffer->n_bytes);
    return result == hipSuccess || hip_failed(error, argument->name, result);
}

/* The module on the launch's device. */
static bool load_module(struct run *run, int device, struct error *error)
{
    if (run->modules[device])
        return true;
    hipError_t result = run->device->hip->hipModuleLoadData(&run->modules[device], run->object->bytes);
    if (result == hipSuccess)
        return true;
    return error_set(error, result == hipErrorNoBinaryForGpu ? STATUS_ENVIRONMENT : STATUS_USAGE, "%s: %s: %s",
                     run->plan->path, hip_error_name(result), emulator_refusal(run->device));
}

static bool prepare_launch(struct run *run, size_t index, uint64_t poison, uint64_t pointers[], void *parameters[],
                           struct error *error)
{
    const struct emulate_launch *launch = &run->plan->launches[index];
    if (run->device->hip->hipSetDevice(launch->device) != hipSuccess || !load_module(run, launch->device, error))
        return false;
    for (size_t i = 0; i < launch->n_arguments; i++) {
        const struct emulate_argument *argument = &launch->arguments[i];
        struct buffer *buffer = &run->buffers[index][i];
        if (emulate_is_buffer(argument) && !make_buffer(run, argument, poison, buffer, error))
            return false;
        if (argument->kind == ARGUMENT_SAME)
            buffer = &run->buffers[0][argument->same];
        pointers[i] = (uintptr_t)buffer->device + argument->offset_bytes;
        parameters[i] = argument->kind == ARGUMENT_VALUE ? (void *)(uintptr_t)argument->value : &pointers[i];
    }
    return true;
}

static bool run_launch(struct run *run, size_t index, uint64_t poison, struct error *error)
{
    const struct emulate_launch *launch = &run->plan->launches[index];
    const struct code_kernel *kernel = find_kernel(run->object, launch->kernel, error);
    uint64_t pointers[EMULATE_ARGUMENTS];
    void *parameters[EMULATE_ARGUMENTS];
    hipFunction_t function;
    if (!kernel || !check_arguments(kernel, launch, error) ||
        !prepare_launch(run, index, poison, pointers, parameters, error))
        return false;
    hipError_t result = run->device->hip->hipModuleGetFunction(&function, run->modules[launch->device], kernel->name);
    if (result != hipSuccess)
        return hip_failed(error, kernel->name, result);
    result = run->device->hip->hipModuleLaunchKernel(function, launch->grid[0], launch->grid[1], launch->grid[2],
                                                     launch->block[0], launch->block[1], launch->block[2],
                                                     launch->lds_bytes, NULL, parameters, NULL);
    take_findings(run);
    const char *refusal = emulator_refusal(run->device);
    if (result != hipSuccess && run->status == STATUS_OK)
        run->status = STATUS_RED;
    run->refused = refusal[0] != 0;
    if (result != hipSuccess && !run->quiet)
        fprintf(stderr, run->refused ? "refused: %s: %s: %s\n" : "failed: %s: %s%s\n", kernel->name, hip_error_name(result),
                refusal);
    return true;
}

static bool print_stats(struct run *run, struct error *error)
{
    struct emulator_statistics s = emulator_take_statistics(run->device);
    double seconds = (double)s.launch_ns / 1e9;
    printf("stats: %" PRIu64 " instructions, %" PRIu64 " lane-instructions, %.3f ms, %.3g lane-instructions/s\n",
           s.wave_instructions, s.lane_instructions, 1e3 * seconds,
           seconds > 0 ? (double)s.lane_instructions / seconds : 0);
    return emulate_print_stats(run->device, error);
}

/* Brings the outputs back into their host bytes. */
static bool fetch_outputs(struct run *run, struct error *error)
{
    for (size_t l = 0; l < run->plan->n_launches; l++)
        for (size_t i = 0; i < run->plan->launches[l].n_arguments; i++) {
            const struct emulate_argument *argument = &run->plan->launches[l].arguments[i];
            struct buffer *buffer = &run->buffers[l][i];
            if (!buffer->bytes || (argument->kind != ARGUMENT_OUT && argument->kind != ARGUMENT_INOUT))
                continue;
            hipError_t result =
                run->device->hip->hipMemcpy(buffer->bytes, buffer->device, buffer->n_bytes, hipMemcpyDeviceToHost);
            if (result != hipSuccess)
                return hip_failed(error, argument->name, result);
        }
    return true;
}

/* Each device to each other one. */
static bool enable_peers(struct run *run, struct error *error)
{
    const struct hip_api *hip = run->device->hip;
    hipError_t result = hipSuccess;
    for (int device = 0; result == hipSuccess && device < run->plan->n_devices; device++) {
        result = hip->hipSetDevice(device);
        for (int peer = 0; result == hipSuccess && peer < run->plan->n_devices; peer++)
            if (peer != device)
                result = hip->hipDeviceEnablePeerAccess(peer, 0);
    }
    return result == hipSuccess || hip_failed(error, "peer access", result);
}

/* All launches on a fresh emulator. A refused launch or one that failed ends the line of launches. */
static bool run_all(struct run *run, uint64_t poison, struct error *error)
{
    const struct emulate_plan *plan = run->plan;
    struct emulator_options options = {.chip = plan->chip ? plan->chip : run->object->chip,
                                       .n_devices = plan->n_devices,
                                       .n_threads = plan->n_jobs,
                                       .max_instructions = plan->max_instructions,
                                       .checks = plan->checks,
                                       .count_profile = (plan->stats || plan->profile) && !run->quiet,
                                       .matrix_model = plan->matrix_model,
                                       .approx_seed = plan->approx_seed};
    if (!emulator_open(&options, &run->device, error))
        return false;
    run->device->set_schedule(run->device, plan->schedule);
    bool ok = !plan->peer_access || enable_peers(run, error);
    for (size_t l = 0; ok && l < plan->n_launches && run->status == STATUS_OK; l++)
        ok = run_launch(run, l, poison, error);
    ok = ok && fetch_outputs(run, error);
    if (ok && plan->stats && !run->quiet)
        ok = print_stats(run, error);
    if (ok && plan->profile && !run->quiet)
        ok = emulate_write_profile(run->device, plan->profile, error);
    run->device->close(run->device);
    run->device = NULL;
    return ok;
}

static void free_buffers(struct run *run)
{
    for (size_t l = 0; l < EMULATE_LAUNCHES; l++)
        for (size_t i = 0; i < EMULATE_ARGUMENTS; i++)
            free(run->buffers[l][i].bytes);
}

static bool holds_poison(const struct buffer *buffer, uint64_t element, size_t n_bytes, uint64_t poison)
{
    for (uint64_t i = element * n_bytes; i < (element + 1) * n_bytes; i++)
        if (buffer->bytes[i] != emulate_poison_byte(poison, i))
            return false;
    return true;
}

/* Elements that hold their poison; with a second run under another poison, those that hold it there too. */
static uint64_t count_unwritten(const struct emulate_argument *argument, const struct buffer *first,
                                const struct buffer *second, uint64_t *where)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < argument->count; i++)
        if (holds_poison(first, i, argument->type->n_bytes, FIRST_POISON) &&
            (!second || holds_poison(second, i, argument->type->n_bytes, SECOND_POISON)) && n++ == 0)
            *where = i;
    return n;
}

static bool any_unwritten(const struct run *run)
{
    uint64_t where;
    for (size_t l = 0; l < run->plan->n_launches; l++)
        for (size_t i = 0; i < run->plan->launches[l].n_arguments; i++) {
            const struct emulate_argument *argument = &run->plan->launches[l].arguments[i];
            if (argument->kind == ARGUMENT_OUT && run->buffers[l][i].bytes &&
                count_unwritten(argument, &run->buffers[l][i], NULL, &where))
                return true;
        }
    return false;
}

static bool write_output(const struct emulate_argument *argument, const struct buffer *buffer, const struct buffer *second,
                         struct error *error)
{
    uint64_t where = 0, unwritten = argument->kind == ARGUMENT_OUT ? count_unwritten(argument, buffer, second, &where) : 0;
    if (unwritten)
        fprintf(stderr, "note: %s: %" PRIu64 " of %" PRIu64 " elements never written, first %" PRIu64 "\n", argument->name,
                unwritten, argument->count, where);
    if (argument->out_path)
        return file_write(argument->out_path, buffer->bytes, buffer->n_bytes, error);
    char hex[33];
    hash_hex(hash_bytes(buffer->bytes, buffer->n_bytes), hex);
    printf("%s: XXH3-128 %s\n", argument->name, hex);
    return true;
}

static bool write_outputs(const struct run *run, const struct run *second, struct error *error)
{
    for (size_t l = 0; l < run->plan->n_launches; l++)
        for (size_t i = 0; i < run->plan->launches[l].n_arguments; i++) {
            const struct emulate_argument *argument = &run->plan->launches[l].arguments[i];
            bool writes = argument->kind == ARGUMENT_OUT || argument->kind == ARGUMENT_INOUT;
            if (writes && run->buffers[l][i].bytes &&
                !write_output(argument, &run->buffers[l][i], second ? &second->buffers[l][i] : NULL, error))
                return false;
        }
    return true;
}

/* Runs, and again with another poison where an output seems not to be written: a written value may equal the poison. */
static int run_plan(const struct emulate_plan *plan, const struct code_object *object, struct error *error)
{
    struct run *first = calloc(1, sizeof *first), *second = calloc(1, sizeof *second);
    bool ok = first && second;
    if (ok) {
        *first = (struct run){.plan = plan, .object = object};
        *second = (struct run){.plan = plan, .object = object, .quiet = true};
        ok = run_all(first, FIRST_POISON, error);
        bool again = ok && first->status == STATUS_OK && any_unwritten(first);
        ok = ok && (!again || run_all(second, SECOND_POISON, error)) &&
             (first->refused || write_outputs(first, again ? second : NULL, error));
        free_buffers(first);
        free_buffers(second);
    } else {
        error_set(error, STATUS_ENVIRONMENT, "out of memory");
    }
    int status = ok ? first->status : fail(error);
    free(first);
    free(second);
    return status;
}

static int emulate_file(const struct emulate_plan *plan, struct error *error)
{
    char *bytes;
    size_t n_bytes;
    struct code_object object;
    if (!file_read(plan->path, &bytes, &n_bytes, error))
        return fail(error);
    int status;
    if (code_object_parse(bytes, n_bytes, plan->path, &object, error)) {
        status = run_plan(plan, &object, error);
        code_object_free(&object);
    } else {
        status = fail(error);
    }
    free(bytes);
    return status;
}

int command_emulate(int argc, char **argv)
{
    struct emulate_plan plan;
    struct error error;
    int status = STATUS_OK;
    if (!emulate_plan_parse(argc, argv, &plan, &error))
        status = fail(&error);
    else if (plan.help)
        emulate_print_help();
    else
        status = emulate_file(&plan, &error);
    emulate_plan_free(&plan);
    return status;
}
