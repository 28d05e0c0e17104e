/* `hipcontract disasm`: a code object as the emulator decodes it, with a mark at what it does not implement. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "commands/profile_file.h"
#include "contract/base/file.h"
#include "device/code_object.h"
#include "device/emulator/code.h"

static const char help[] =
    "usage: hipcontract disasm FILE.co [--profile PROFILE]\n\n"
    "Prints every function of a code object as the emulator decodes it: offset from the function's start and text. A '!'\n"
    "before the text marks an instruction that the emulator does not implement; the last line counts them.\n\n"
    "  --profile PROFILE   that `emulate --profile` wrote: beside each instruction how often waves executed it, the share\n"
    "                      of their lanes that were on, cache lines touched or LDS passes (of them for bank conflicts)\n"
    "                      an access\n\n"
    "Exit status: 0 printed, 2 wrong usage or not a code object, 3 a chip that this build cannot decode.\n";

/* What is printed, and what was. */
struct listing {
    const char *path, *profile_path; /* the latter NULL: without counts */
    struct profile_file profile;
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

/* "3.00 lines", "2.00 passes (1.00)": of an access on average; "25.0 % taken": of a branch; "" for other instructions. */
static void describe(const struct instruction *in, const struct instruction_profile *counts, char *text, size_t capacity)
{
    text[0] = '\0';
    if (counts->n_accesses)
        snprintf(text, capacity, "%.2f lines", (double)counts->n_lines / (double)counts->n_accesses);
    else if (counts->n_lds_accesses)
        snprintf(text, capacity, "%.2f passes (%.2f)", (double)counts->n_passes / (double)counts->n_lds_accesses,
                 (double)(counts->n_passes - counts->n_least_passes) / (double)counts->n_lds_accesses);
    else if (in->class == CLASS_BRANCH)
        snprintf(text, capacity, "%.1f %% taken", 100 * (double)counts->n_taken / (double)counts->n_executed);
}

/* The columns before an instruction's line. */
static void print_counts(const struct listing *listing, struct hash128 object, const struct emulated_code *code,
                         const struct instruction *in)
{
    struct instruction_profile counts;
    char lanes[16] = "", did[40];
    if (!profile_file_find(&listing->profile, object, in->offset_bytes, &counts)) {
        printf("%12s %7s %-22s", "-", "", "");
        return;
    }
    if (instruction_is_vector(in))
        snprintf(lanes, sizeof lanes, "%.1f %%", 100 * (double)counts.n_lanes / (double)counts.n_executed / code->n_lanes);
    describe(in, &counts, did, sizeof did);
    printf("%12llu %7s %-22s", (unsigned long long)counts.n_executed, lanes, did);
}

static void print_function(struct listing *listing, struct hash128 object, const struct code_symbol *symbol,
                           const struct emulated_code *code)
{
    printf("%s:\n", symbol->name);
    if (listing->profile_path)
        printf("%12s %7s\n", "executed", "lanes");
    for (uint32_t i = 0; i < code->n_instructions; i++) {
        const struct instruction *in = &code->instructions[i];
        if (listing->profile_path)
            print_counts(listing, object, code, in);
        printf("  +0x%05x %c %s\n", (unsigned)(in->offset_bytes - symbol->address), in->opcode ? ' ' : '!', in->text);
        listing->n_instructions++;
        listing->n_missing += !in->opcode;
    }
    putchar('\n');
}

static bool print_functions(const struct code_object *object, const struct chip *chip, const uint8_t *image, size_t n_bytes,
                            struct listing *listing, struct error *error)
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
        print_function(listing, object->hash, symbol, &code);
        code_free(&code);
    }
    return true;
}

static bool print_object(const struct code_object *object, struct listing *listing, struct error *error)
{
    const struct chip *chip = chip_find(object->chip);
    if (!chip)
        return error_set(error, STATUS_ENVIRONMENT, "%s: no known chip; docs/chips.md lists them", object->chip);
    if (listing->profile_path && !profile_file_is_of(&listing->profile, object->hash))
        return error_set(error, STATUS_USAGE,
                         "%s has no line of %s: it is of another build; run `emulate --profile` with this file again",
                         listing->profile_path, listing->path);
    size_t n_bytes = code_object_image_bytes(object);
    uint8_t *image = malloc(n_bytes + 1);
    bool ok = image ? code_object_load(object, 0, image, n_bytes, error)
                    : error_set(error, STATUS_ENVIRONMENT, "out of memory for %zu bytes of code", n_bytes);
    ok = ok && print_functions(object, chip, image, n_bytes, listing, error);
    free(image);
    return ok;
}

static bool disassemble_file(struct listing *listing, struct error *error)
{
    char *data;
    size_t n_bytes;
    struct code_object object;
    if (!file_read(listing->path, &data, &n_bytes, error))
        return false;
    bool parsed = code_object_parse(data, n_bytes, listing->path, &object, error);
    bool ok = parsed && print_object(&object, listing, error);
    if (parsed)
        code_object_free(&object);
    free(data);
    return ok;
}

static bool parse_line(int argc, char **argv, struct listing *listing, struct error *error)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--profile") == 0 && i + 1 < argc && !listing->profile_path)
            listing->profile_path = argv[++i];
        else if (argv[i][0] != '-' && !listing->path)
            listing->path = argv[i];
        else
            return error_set(error, STATUS_USAGE, "%s: wanted one code object, --profile PROFILE or --help", argv[i]);
    return listing->path || error_set(error, STATUS_USAGE, "give one code object, or --help");
}

int command_disasm(int argc, char **argv)
{
    struct error error;
    struct listing listing = {0};
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(help, stdout);
        return STATUS_OK;
    }
    bool ok = parse_line(argc, argv, &listing, &error) &&
              (!listing.profile_path || profile_file_read(listing.profile_path, &listing.profile, &error)) &&
              disassemble_file(&listing, &error);
    profile_file_free(&listing.profile);
    if (!ok)
        return fail(&error);
    printf("%llu instructions, %llu not implemented\n", (unsigned long long)listing.n_instructions,
           (unsigned long long)listing.n_missing);
    return STATUS_OK;
}
