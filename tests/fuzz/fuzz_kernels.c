/*
 * Fuzz target: real kernels of every chip, damaged and launched. An input chooses a code object and a kernel of it, and
 * edits the kernel's machine code; the launch has buffers for pointers and small numbers for the rest, so that most of the
 * kernel is executed. Whatever the edits make of it must end in a finding, a refusal or at its end, and what lies outside
 * its buffers stays as it was.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/base/file.h"
#include "device/code_object.h"
#include "device/device.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

/* Input: object, kernel, flags, schedule; then edits: place in two bytes, what, value. */
enum { HEADER_BYTES = 4, EDIT_BYTES = 4 };
enum { EDIT_BIT, EDIT_BYTE, EDIT_COPY, EDIT_KINDS };
enum { RUN_SCHEDULED = 1, RUN_CHECKED = 2, RUN_OTHER_BLOCK = 4 };
enum {
    MAX_OBJECTS = 64,
    MAX_INSTRUCTIONS = 4000,
    BUFFER_BYTES = 16 << 10,
    MAX_ARGUMENTS = 32,
    VALUE_BYTES = 1024,
    VALUE = 16
};

static struct {
    struct code_object parsed;
    char *bytes;
} objects[MAX_OBJECTS];
static size_t n_objects;

static int is_object(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* The objects that tests/fuzz/seeds.c compiled, by name. */
static void read_objects(void)
{
    const char *given = getenv("FUZZ_OBJECTS"), *folder = given ? given : "build/fuzz/seeds/objects";
    struct dirent **entries;
    struct error error;
    int n = scandir(folder, &entries, is_object, alphasort);
    for (int i = 0; i < n; i++) {
        char path[600];
        size_t n_bytes = 0;
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        must(n_objects < MAX_OBJECTS && file_read(path, &objects[n_objects].bytes, &n_bytes, &error));
        must(code_object_parse(objects[n_objects].bytes, n_bytes, path, &objects[n_objects].parsed, &error));
        n_objects++;
        free(entries[i]);
    }
    if (n_objects == 0)
        fprintf(stderr, "ERROR: no code objects in %s: run seeds, or set FUZZ_OBJECTS\n", folder);
    must(n_objects > 0);
    free(entries);
}

static void edit(uint8_t *code, size_t n_dwords, const uint8_t edit_bytes[EDIT_BYTES])
{
    size_t at = ((size_t)edit_bytes[0] | (size_t)edit_bytes[1] << 8) % n_dwords;
    unsigned value = edit_bytes[3], lane = edit_bytes[2] / EDIT_KINDS;
    uint8_t *dword = code + 4 * at;
    switch (edit_bytes[2] % EDIT_KINDS) {
    case EDIT_BIT:
        dword[value / 8 % 4] ^= (uint8_t)(1u << value % 8);
        break;
    case EDIT_BYTE:
        dword[lane % 4] = (uint8_t)value;
        break;
    default: /* what stands somewhere else in the kernel */
        memmove(dword, code + 4 * ((at + value) % n_dwords), 4);
    }
}

/* Edits the kernel's code in the file's bytes. */
static void edit_kernel(const struct code_object *object, const struct code_kernel *kernel, uint8_t *file,
                        const uint8_t *edits, size_t n_bytes)
{
    const struct code_segment *segment = code_segment_at(object, kernel->entry_address, kernel->code_bytes);
    size_t n_dwords = kernel->code_bytes / 4;
    must(segment && n_dwords);
    uint8_t *code = file + segment->file_offset + (kernel->entry_address - segment->address);
    for (size_t i = 0; i + EDIT_BYTES <= n_bytes; i += EDIT_BYTES)
        edit(code, n_dwords, edits + i);
}

/* A buffer for each pointer, and a small number, over and over, for the rest. */
struct launch_arguments {
    void *pointers[MAX_ARGUMENTS];
    uint32_t values[VALUE_BYTES / 4];
    void *parameters[MAX_ARGUMENTS];
};

static bool prepare(struct device *device, const struct code_kernel *kernel, struct launch_arguments *arguments)
{
    size_t n = 0;
    for (size_t i = 0; i < VALUE_BYTES / 4; i++)
        arguments->values[i] = VALUE;
    for (size_t i = 0; i < kernel->n_args; i++) {
        const struct code_arg *arg = &kernel->args[i];
        if (arg->kind >= CODE_ARG_HIDDEN_GLOBAL_OFFSET_X && arg->kind != CODE_ARG_OTHER)
            continue;
        if (n == MAX_ARGUMENTS || arg->size_bytes > VALUE_BYTES)
            return false;
        arguments->parameters[n] = arguments->values;
        if (arg->kind == CODE_ARG_GLOBAL_BUFFER) {
            if (device->hip->hipMalloc(&arguments->pointers[n], BUFFER_BYTES) != hipSuccess ||
                device->hip->hipMemset(arguments->pointers[n], 1, BUFFER_BYTES) != hipSuccess)
                return false;
            arguments->parameters[n] = &arguments->pointers[n];
        }
        n++;
    }
    return true;
}

static void launch(struct device *device, const struct code_kernel *kernel, const uint8_t *file, unsigned flags)
{
    struct launch_arguments arguments;
    struct finding findings[4];
    hipModule_t module;
    hipFunction_t function;
    unsigned block = flags & RUN_OTHER_BLOCK ? 33 : 64;
    if (kernel->required_workgroup[0])
        block = kernel->required_workgroup[0];
    if (!prepare(device, kernel, &arguments) || device->hip->hipModuleLoadData(&module, file) != hipSuccess ||
        device->hip->hipModuleGetFunction(&function, module, kernel->name) != hipSuccess)
        return;
    device->hip->hipModuleLaunchKernel(function, 2, 1, 1, block, 1, 1, 1024, NULL, arguments.parameters, NULL);
    for (size_t n; (n = device->take_findings(device, findings, sizeof findings / sizeof *findings));)
        for (size_t i = 0; i < n; i++)
            must(findings[i].text[0] && findings[i].kind < FINDING_KIND_COUNT);
}

static void run_object(const struct code_object *object, const uint8_t *header, const uint8_t *edits, size_t n_bytes)
{
    struct device *device;
    struct error error;
    const struct code_kernel *kernel = &object->kernels[header[1] % object->n_kernels];
    struct emulator_options options = {.chip = object->chip,
                                       .n_devices = 1,
                                       .n_threads = 1,
                                       .max_instructions = MAX_INSTRUCTIONS,
                                       .checks = header[2] & RUN_CHECKED ? CHECKS_ALL | 1u << FINDING_NAN : CHECKS_BASIC};
    uint8_t *file = malloc(object->n_bytes);
    must(file != NULL);
    memcpy(file, object->bytes, object->n_bytes);
    edit_kernel(object, kernel, file, edits, n_bytes);
    must(emulator_open(&options, &device, &error));
    if (header[2] & RUN_SCHEDULED)
        device->set_schedule(device, header[3] + 1u);
    launch(device, kernel, file, header[2]);
    device->close(device);
    free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    if (!n_objects)
        read_objects();
    if (n_bytes < HEADER_BYTES)
        return 0;
    const struct code_object *object = &objects[data[0] % n_objects].parsed;
    if (object->n_kernels)
        run_object(object, data, data + HEADER_BYTES, n_bytes - HEADER_BYTES);
    return 0;
}
