/*
 * Modules: a code object's bytes to a read-only image in guest memory and decoded instructions.
 */
#include <stdlib.h>
#include <string.h>

#include "device/code_extent.h"
#include "device/emulator/hip_state.h"
#include "device/emulator/sanitizer/profile.h"

static uint64_t greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Marks what no kernel may write: all of the image below its first writable segment. */
static void protect_image(struct emulator *emulator, const struct ihipModule_t *module)
{
    for (size_t i = 0; i < module->object.n_segments; i++) {
        const struct code_segment *segment = &module->object.segments[i];
        if (!segment->writable)
            continue;
        if (segment->address == 0)
            return;
        memory_split(emulator->memory, module->address + segment->address);
        memory_rename(emulator->memory, module->address + segment->address, "the module's data");
        break;
    }
    memory_set_read_only(emulator->memory, module->address, true);
}

static hipError_t place_image(struct emulator *emulator, struct ihipModule_t *module)
{
    struct error error;
    uint64_t image_bytes = code_object_image_bytes(&module->object);
    module->address = memory_allocate(emulator->memory, image_bytes, module->device, "the module's code");
    if (!module->address)
        return hip_refuse(emulator, hipErrorOutOfMemory, "no memory for an image of %llu bytes",
                          (unsigned long long)image_bytes);
    uint8_t *image = memory_host(emulator->memory, module->address, image_bytes);
    memset(image, 0, image_bytes);
    memory_define(emulator->memory, module->address, image_bytes);
    if (!code_object_load(&module->object, module->address, image, image_bytes, &error))
        return hip_refuse(emulator, hipErrorInvalidImage, "%s", error.text);
    protect_image(emulator, module);
    return hipSuccess;
}

static void module_free(struct emulator *emulator, struct ihipModule_t *module)
{
    for (int i = 0; i < 2; i++) {
        if (module->code[i].n_lanes)
            code_free(&module->code[i]);
        free(module->profile[i]);
    }
    if (module->address)
        memory_free(emulator->memory, module->address);
    code_object_free(&module->object);
    free(module->functions);
    free(module->file);
    free(module);
}

static hipError_t module_fill(struct emulator *emulator, struct ihipModule_t *module, const void *image, uint64_t n_bytes)
{
    struct error error;
    module->file = malloc(n_bytes);
    if (!module->file)
        return hipErrorOutOfMemory;
    memcpy(module->file, image, n_bytes);
    if (!code_object_parse(module->file, n_bytes, "code object", &module->object, &error))
        return hip_refuse(emulator, hipErrorInvalidImage, "%s", error.text);
    if (strcmp(module->object.chip, emulator->chip->name) != 0)
        return hip_refuse(emulator, hipErrorNoBinaryForGpu, "the code object is for %s, and the device is %s",
                          module->object.chip, emulator->chip->name);
    module->functions = calloc(module->object.n_kernels + 1, sizeof *module->functions);
    if (!module->functions)
        return hipErrorOutOfMemory;
    for (size_t i = 0; i < module->object.n_kernels; i++)
        module->functions[i] = (struct ihipModuleSymbol_t){module, &module->object.kernels[i]};
    return place_image(emulator, module);
}

hipError_t hip_module_load(struct emulator *emulator, const void *image, hipModule_t *module)
{
    uint64_t n_bytes = code_extent(image, UINT64_MAX); /* HIP's API does not say */
    if (!n_bytes)
        return hip_refuse(emulator, hipErrorInvalidImage, "the image is no 64-bit little-endian ELF file");
    struct ihipModule_t *made = calloc(1, sizeof *made);
    if (!made)
        return hipErrorOutOfMemory;
    made->device = hip_current_device();
    hipError_t result = module_fill(emulator, made, image, n_bytes);
    if (result != hipSuccess) {
        module_free(emulator, made);
        return result;
    }
    made->next = emulator->modules;
    emulator->modules = made;
    *module = made;
    return hipSuccess;
}

hipError_t hip_module_unload(struct emulator *emulator, hipModule_t module)
{
    for (struct ihipModule_t **link = &emulator->modules; *link; link = &(*link)->next)
        if (*link == module) {
            hipError_t result = hip_drain_device(emulator, module->device);
            *link = module->next;
            module_free(emulator, module);
            return result;
        }
    return hipErrorInvalidValue;
}

const struct ihipModuleSymbol_t *hip_function_find(const struct emulator *emulator, const void *function)
{
    for (const struct ihipModule_t *module = emulator->modules; module; module = module->next)
        for (size_t i = 0; i < module->object.n_kernels; i++)
            if (&module->functions[i] == function)
                return &module->functions[i];
    return NULL;
}

/* From the first executable segment's start to the last one's end. */
static void code_range(const struct code_object *object, uint64_t *first, uint64_t *end)
{
    *first = UINT64_MAX;
    *end = 0;
    for (size_t i = 0; i < object->n_segments; i++) {
        const struct code_segment *segment = &object->segments[i];
        if (!segment->executable)
            continue;
        *first = segment->address < *first ? segment->address : *first;
        *end = greater(*end, segment->address + segment->memory_bytes);
    }
}

/* False, with the code undone, when the host is out of memory. */
static bool open_profile(struct emulator *emulator, struct ihipModule_t *module, struct emulated_code *code)
{
    if (!emulator->options.count_profile)
        return true;
    struct instruction_profile *counts = profile_open(code->n_instructions);
    module->profile[code - module->code] = counts;
    if (counts)
        return true;
    hip_refuse(emulator, hipErrorOutOfMemory, "no memory for the counts of %u instructions", code->n_instructions);
    code_free(code);
    return false;
}

const struct emulated_code *hip_function_code(struct emulator *emulator, const struct ihipModuleSymbol_t *function)
{
    enum { ENABLE_WAVEFRONT_SIZE32 = 1 << 10 };
    struct ihipModule_t *module = function->module;
    bool wave32 = function->kernel->descriptor.kernel_code_properties & ENABLE_WAVEFRONT_SIZE32;
    struct emulated_code *code = &module->code[wave32 ? 0 : 1];
    if (code->n_lanes)
        return code;
    struct error error;
    uint64_t first, end, image_bytes = code_object_image_bytes(&module->object);
    code_range(&module->object, &first, &end);
    const uint8_t *image = memory_host(emulator->memory, module->address, 1);
    if (first >= end || end > image_bytes ||
        !code_decode(emulator->chip, wave32 ? 32 : 64, image, image_bytes, first, end - first, code, &error)) {
        hip_refuse(emulator, hipErrorInvalidImage, "%s", first < end ? error.text : "the code object holds no code");
        code->n_lanes = 0;
        return NULL;
    }
    code->load_address = module->address;
    return open_profile(emulator, module, code) ? code : NULL;
}

struct instruction_profile *hip_function_profile(const struct ihipModuleSymbol_t *function,
                                                 const struct emulated_code *code)
{
    return function->module->profile[code - function->module->code];
}
