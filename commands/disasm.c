/* `hipcontract disasm`: a code object as the emulator decodes it, with a mark at what it does not implement. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "contract/base/file.h"
#include "device/code_object.h"
#include "device/emulator/code.h"

static const char help[] =
    "usage: hipcontract disasm FILE.co\n\n"
    "Prints every function of a code object as the emulator decodes it: offset from the function's start and text. A '!'\n"
    "before the text marks an instruction that the emulator does not implement; the last line counts them.\n\n"
    "Exit status: 0 printed, 2 wrong usage or not a code object, 3 a chip that this build cannot decode.\n";

struct count {
    uint64_t n_instructions, n_missing;
};

static int fail(const struct error *error)
{
    fprintf(stderr, "hipcontract disasm: %s\n", error->text);
    return error->status;
}

/* A kernel's wave size; other functions take that of the object's first kernel, as all are compiled alike. */
static uint32_t wave_size_of(const struct code_object *object, const struct code_symbol *symbol, const struct chip *chip)
{
    const struct code_kernel *kernel = code_object_kernel(object, symbol->name);
    if (!kernel && object->n_kernels)
        kernel = &object->kernels[0];
    return kernel && kernel->wave_size ? kernel->wave_size : chip->default_wave;
}

static void print_function(const struct code_symbol *symbol, const struct emulated_code *code, struct count *count)
{
    printf("%s:\n", symbol->name);
    for (uint32_t i = 0; i < code->n_instructions; i++) {
        const struct instruction *in = &code->instructions[i];
        printf("  +0x%05x %c %s\n", (unsigned)(in->offset_bytes - symbol->address), in->opcode ? ' ' : '!', in->text);
        count->n_instructions++;
        count->n_missing += !in->opcode;
    }
    putchar('\n');
}

static bool print_functions(const struct code_object *object, const struct chip *chip, const uint8_t *image, size_t n_bytes,
                            struct count *count, struct error *error)
{
    for (size_t i = 0; i < object->n_symbols; i++) {
        const struct code_symbol *symbol = &object->symbols[i];
        const struct code_segment *segment = code_segment_at(object, symbol->address, symbol->size_bytes);
        struct emulated_code code;
        if (!symbol->is_function || !symbol->size_bytes || !segment || !segment->executable)
            continue;
        if (!code_decode(chip, wave_size_of(object, symbol, chip), image, n_bytes, symbol->address, symbol->size_bytes,
                         &code, error))
            return error_prefix(error, "%s", symbol->name);
        print_function(symbol, &code, count);
        code_free(&code);
    }
    return true;
}

static bool print_object(const struct code_object *object, struct count *count, struct error *error)
{
    const struct chip *chip = chip_find(object->chip);
    if (!chip)
        return error_set(error, STATUS_ENVIRONMENT, "%s: no known chip; docs/chips.md lists them", object->chip);
    size_t n_bytes = code_object_image_bytes(object);
    uint8_t *image = malloc(n_bytes + 1);
    bool ok = image ? code_object_load(object, 0, image, n_bytes, error)
                    : error_set(error, STATUS_ENVIRONMENT, "out of memory for %zu bytes of code", n_bytes);
    ok = ok && print_functions(object, chip, image, n_bytes, count, error);
    free(image);
    return ok;
}

static bool disassemble_file(const char *path, struct count *count, struct error *error)
{
    char *data;
    size_t n_bytes;
    struct code_object object;
    if (!file_read(path, &data, &n_bytes, error))
        return false;
    bool parsed = code_object_parse(data, n_bytes, path, &object, error);
    bool ok = parsed && print_object(&object, count, error);
    if (parsed)
        code_object_free(&object);
    free(data);
    return ok;
}

int command_disasm(int argc, char **argv)
{
    struct error error;
    struct count count = {0};
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(help, stdout);
        return STATUS_OK;
    }
    if (argc != 2 || argv[1][0] == '-') {
        error_set(&error, STATUS_USAGE, "give one code object, or --help");
        return fail(&error);
    }
    if (!disassemble_file(argv[1], &count, &error))
        return fail(&error);
    printf("%llu instructions, %llu not implemented\n", (unsigned long long)count.n_instructions,
           (unsigned long long)count.n_missing);
    return STATUS_OK;
}
