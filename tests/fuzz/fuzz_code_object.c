/*
 * Fuzz target: any bytes as a code object, from the file to a launch of its first kernel: ELF, notes, relocations, line
 * tables, loading, decoding, arguments, execution. Whatever the file says, the program must refuse it or end in a finding.
 */
#include <stdlib.h>
#include <string.h>

#include "device/code_lines.h"
#include "device/code_object.h"
#include "device/device.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

/* Memory limits of the fuzzer itself; larger images are refused on other grounds or only take longer. */
enum { IMAGE_BYTES = 4 << 20, ARGUMENT_BYTES = 64 << 10, MAX_ARGUMENTS = 1024, MAX_INSTRUCTIONS = 2000 };

static void launch_kernel(struct device *device, hipModule_t module, const struct code_kernel *kernel)
{
    static uint8_t argument[ARGUMENT_BYTES];
    void *parameters[MAX_ARGUMENTS];
    hipFunction_t function;
    struct finding findings[4];
    if (kernel->n_args > MAX_ARGUMENTS || device->hip->hipModuleGetFunction(&function, module, kernel->name) != hipSuccess)
        return;
    for (size_t i = 0; i < kernel->n_args; i++) {
        parameters[i] = argument;
        if (kernel->args[i].size_bytes > ARGUMENT_BYTES)
            return;
    }
    device->hip->hipModuleLaunchKernel(function, 2, 1, 1, 64, 1, 1, 0, NULL, parameters, NULL);
    while (device->take_findings(device, findings, sizeof findings / sizeof *findings))
        ;
}

static void run_object(const struct code_object *object)
{
    struct device *device;
    hipModule_t module;
    struct error error;
    struct emulator_options options = {
        .chip = object->chip, .n_devices = 1, .n_threads = 1, .max_instructions = MAX_INSTRUCTIONS, .checks = CHECKS_ALL};
    if (code_object_image_bytes(object) > IMAGE_BYTES || !emulator_open(&options, &device, &error))
        return;
    if (device->hip->hipModuleLoadData(&module, object->bytes) == hipSuccess)
        for (size_t i = 0; i < object->n_kernels && i < 2; i++)
            launch_kernel(device, module, &object->kernels[i]);
    device->close(device);
}

static void find_lines(const struct code_object *object)
{
    struct code_lines *lines = code_lines_open(object->bytes, object->n_bytes);
    char file[16];
    uint32_t line;
    for (size_t i = 0; lines && i < object->n_kernels && i < 4; i++)
        code_lines_find(lines, object->kernels[i].entry_address, file, sizeof file, &line);
    code_lines_close(lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    struct error error;
    struct code_object object;
    uint8_t *bytes = malloc(n_bytes ? n_bytes : 1); /* a copy of its own, so that reads past its end are seen */
    if (!bytes)
        return 0;
    memcpy(bytes, data, n_bytes);
    if (code_object_parse(bytes, n_bytes, "input", &object, &error)) {
        find_lines(&object);
        run_object(&object);
        code_object_free(&object);
    }
    free(bytes);
    return 0;
}
