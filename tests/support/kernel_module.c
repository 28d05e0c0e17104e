#include "tests/support/kernel_module.h"

#include <stdio.h>

#include "tests/support/evidence.h"
#include "toolchain/toolchain.h"

static bool complain(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    return false;
}

static bool load_module(struct kernel_module *module, const struct compile_request *request)
{
    struct error error;
    struct compiled compiled;
    struct toolchain *toolchain = toolchain_open(NULL, &error);
    if (!toolchain)
        return complain(request->source_path, error.text);
    bool ok = toolchain_compile(toolchain, request, &compiled, &error);
    toolchain_close(toolchain);
    if (!ok)
        return complain(request->source_path, error.text);
    hipError_t result = module->device->hip->hipModuleLoadData(&module->module, compiled.bytes);
    compiled_free(&compiled);
    return result == hipSuccess || complain(request->source_path, hip_error_name(result));
}

bool kernel_module_open(struct kernel_module *module, const char *path, const struct kernel_build *build, int n_threads)
{
    struct error error;
    struct emulator_options options = {.chip = build->chip,
                                       .n_devices = 1,
                                       .n_threads = n_threads,
                                       .checks = CHECKS_BASIC | 1u << FINDING_RACE,
                                       .count_profile = evidence_is_wanted()};
    struct compile_request request = {.source_path = path,
                                      .family = path,
                                      .chip = build->chip,
                                      .optimisation = build->optimisation,
                                      .wave_size = build->wave_size};
    *module = (struct kernel_module){0};
    if (!emulator_open(&options, &module->device, &error))
        return complain(build->chip, error.text);
    if (load_module(module, &request))
        return true;
    kernel_module_close(module);
    return false;
}

void kernel_module_close(struct kernel_module *module)
{
    if (module->device && module->n_calls && !module->n_failed)
        evidence_note_launches(chip_find(module->device->chip), module->device);
    if (module->module)
        module->device->hip->hipModuleUnload(module->module);
    if (module->device)
        module->device->close(module->device);
    *module = (struct kernel_module){0};
}

static void take_findings(struct kernel_module *module, const char *kernel)
{
    struct finding findings[4];
    struct device *device = module->device;
    if (module->found) {
        module->n_found = device->take_findings(device, module->found, module->found_capacity);
        while (device->take_findings(device, findings, 4))
            continue;
        return;
    }
    size_t n = device->take_findings ? device->take_findings(device, findings, 4) : 0;
    for (size_t i = 0; i < n; i++)
        fprintf(stderr, "%s: %s: %s\n", kernel, finding_kind_name(findings[i].kind), findings[i].text);
}

static unsigned count(unsigned asked)
{
    return asked ? asked : 1;
}

static bool launch(struct kernel_module *module, const struct kernel_call *call, void *pointers[KERNEL_MAX_BUFFERS],
                   int n_buffers)
{
    const struct hip_api *hip = module->device->hip;
    void *parameters[KERNEL_MAX_BUFFERS + KERNEL_MAX_SCALARS];
    hipFunction_t function;
    for (int i = 0; i < n_buffers; i++)
        parameters[i] = &pointers[i];
    for (int i = 0; i < call->n_scalars; i++)
        parameters[n_buffers + i] = (void *)&call->scalars[i];
    hipError_t result = hip->hipModuleGetFunction(&function, module->module, call->kernel);
    if (result == hipSuccess)
        result = hip->hipModuleLaunchKernel(function, count(call->grid[0]), count(call->grid[1]), count(call->grid[2]),
                                            count(call->block[0]), count(call->block[1]), count(call->block[2]),
                                            call->lds_bytes, NULL, parameters, NULL);
    if (result == hipSuccess)
        result = hip->hipDeviceSynchronize();
    take_findings(module, call->kernel);
    return result == hipSuccess || complain(call->kernel, hip_error_name(result));
}

bool kernel_module_call(struct kernel_module *module, const struct kernel_call *call)
{
    const struct hip_api *hip = module->device->hip;
    void *pointers[KERNEL_MAX_BUFFERS] = {0};
    int n_buffers = 0;
    bool ok = true;
    for (; ok && n_buffers < KERNEL_MAX_BUFFERS && call->buffers[n_buffers].host; n_buffers++) {
        const struct kernel_buffer *buffer = &call->buffers[n_buffers];
        ok = hip->hipMalloc(&pointers[n_buffers], buffer->n_bytes) == hipSuccess &&
             hip->hipMemcpy(pointers[n_buffers], buffer->host, buffer->n_bytes, hipMemcpyHostToDevice) == hipSuccess;
    }
    ok = ok && launch(module, call, pointers, n_buffers);
    for (int i = 0; i < n_buffers; i++) {
        const struct kernel_buffer *buffer = &call->buffers[i];
        ok = ok && hip->hipMemcpy(buffer->host, pointers[i], buffer->n_bytes, hipMemcpyDeviceToHost) == hipSuccess;
        hip->hipFree(pointers[i]);
    }
    module->n_calls++;
    module->n_failed += !ok;
    return ok;
}
