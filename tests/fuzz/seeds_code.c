/* Code objects of every chip, pieces of their code with a header, their metadata notes, and kernels to edit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/profile_file.h"
#include "device/code_object.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/seeds.h"
#include "toolchain/toolchain.h"

enum { PIECE_BYTES = 256, PIECES_A_CHIP = 40, KERNELS_AN_OBJECT = 4, NOTE_AMDGPU_METADATA = 32 };

/* What becomes of a source's code object. */
static const struct {
    const char *path;
    bool is_input;  /* of fuzz_code_object and fuzz_disasm, and its note of fuzz_metadata */
    bool is_cut_up; /* for fuzz_decode and fuzz_execute */
    bool is_edited; /* by fuzz_kernels */
} sources[] = {
    {"tests/kernels/launch.hip", true, false, true},   {"tests/kernels/everyday.hip", false, true, false},
    {"tests/kernels/races.hip", false, false, true},   {"kernels/softmax/softmax.hip", false, false, true},
    {"kernels/ds4/q8_0_pair.hip", false, false, true},
};

/* Code of the kernels in pieces, evenly spread over the text. */
static bool write_pieces(const char *folder, size_t chip_index, const struct code_segment *segment, const uint8_t *file,
                         struct error *error)
{
    uint8_t piece[FUZZ_HEADER_BYTES + PIECE_BYTES];
    uint64_t n_pieces = segment->file_bytes / PIECE_BYTES, step = n_pieces / PIECES_A_CHIP + 1;
    for (uint64_t i = 0; i < n_pieces; i += step) {
        char name[60];
        fuzz_input_header(chip_index, (unsigned)(i / step), (uint16_t)i, piece);
        memcpy(piece + FUZZ_HEADER_BYTES, file + segment->file_offset + i * PIECE_BYTES, PIECE_BYTES);
        snprintf(name, sizeof name, "chip%zu-%llu", chip_index, (unsigned long long)i);
        if (!seed_write(folder, "decode", name, piece, sizeof piece, error) ||
            !seed_write(folder, "execute", name, piece, sizeof piece, error))
            return false;
    }
    return true;
}

/* The metadata note of a code object, found by its name: three numbers stand before that, the second of them the bytes of
 * what follows the name (AMDGPUUsage, "Note Records"). */
static bool write_note(const char *folder, const char *name, const struct compiled *compiled, struct error *error)
{
    static const char owner[8] = "AMDGPU";
    const uint8_t *found = memmem(compiled->bytes, compiled->n_bytes, owner, sizeof owner);
    uint32_t header[3] = {0};
    if (found && found - compiled->bytes >= (ptrdiff_t)sizeof header)
        memcpy(header, found - sizeof header, sizeof header);
    const uint8_t *end = compiled->bytes + compiled->n_bytes;
    if (header[2] != NOTE_AMDGPU_METADATA || header[1] > (size_t)(end - found) - sizeof owner)
        return error_set(error, STATUS_USAGE, "%s: no metadata note", name);
    return seed_write(folder, "metadata", name, found + sizeof owner, header[1], error);
}

/* The object, and inputs that leave some of its kernels as they are, or change a bit of them. objects are numbered by name,
 * as fuzz_kernels reads them. */
static bool write_kernels(const char *folder, size_t number, const char *name, const struct compiled *compiled,
                          const struct code_object *object, struct error *error)
{
    bool ok = seed_write(folder, "objects", name, compiled->bytes, compiled->n_bytes, error);
    for (size_t k = 0; ok && k < object->n_kernels && k < KERNELS_AN_OBJECT; k++) {
        const uint8_t input[] = {(uint8_t)number, (uint8_t)k, (uint8_t)k, 1, (uint8_t)(7 * k), 0, 0, (uint8_t)(5 * k)};
        char input_name[60];
        snprintf(input_name, sizeof input_name, "%s-%zu", name, k);
        ok = seed_write(folder, "kernels", input_name, input, k ? sizeof input : sizeof input / 2, error);
    }
    return ok;
}

/* For fuzz_disasm: the object behind a profile of its first kernel's first instruction. */
static bool write_profiled(const char *folder, const char *name, const struct compiled *compiled,
                           const struct code_object *object, struct error *error)
{
    enum { HAS_PROFILE_OF_OBJECT = 3, HEADER_BYTES = 3 };
    struct text input = {0};
    const struct instruction_profile counts = {.n_executed = 4, .n_lanes = 128};
    profile_file_start(&input);
    profile_file_append(&input,
                        &(struct profiled_instruction){.code = object->hash,
                                                       .address = object->n_kernels ? object->kernels[0].entry_address : 0,
                                                       .counts = &counts});
    uint8_t *bytes = malloc(HEADER_BYTES + input.length + compiled->n_bytes);
    bool ok = !input.failed && bytes;
    if (ok) {
        const uint8_t header[HEADER_BYTES] = {HAS_PROFILE_OF_OBJECT, (uint8_t)input.length, (uint8_t)(input.length >> 8)};
        memcpy(bytes, header, HEADER_BYTES);
        memcpy(bytes + HEADER_BYTES, input.data, input.length);
        memcpy(bytes + HEADER_BYTES + input.length, compiled->bytes, compiled->n_bytes);
        ok = seed_write(folder, "disasm", name, bytes, HEADER_BYTES + input.length + compiled->n_bytes, error);
    } else
        error_set(error, STATUS_ENVIRONMENT, "out of memory");
    free(bytes);
    text_free(&input);
    return ok;
}

static bool write_object(const char *folder, size_t chip_index, size_t source, const struct compiled *compiled,
                         struct error *error)
{
    static size_t n_edited;
    struct code_object object;
    char name[40];
    snprintf(name, sizeof name, "chip%02zu-%zu", chip_index, source);
    bool ok =
        !sources[source].is_input || (seed_write(folder, "code_object", name, compiled->bytes, compiled->n_bytes, error) &&
                                      write_note(folder, name, compiled, error));
    if (!ok || !code_object_parse(compiled->bytes, compiled->n_bytes, name, &object, error))
        return false;
    for (size_t i = 0; i < object.n_segments && ok; i++)
        if (object.segments[i].executable && sources[source].is_cut_up)
            ok = write_pieces(folder, chip_index, &object.segments[i], compiled->bytes, error);
    if (ok && sources[source].is_input)
        ok = write_profiled(folder, name, compiled, &object, error);
    if (ok && sources[source].is_edited)
        ok = write_kernels(folder, n_edited++, name, compiled, &object, error);
    code_object_free(&object);
    return ok;
}

static bool write_chip(struct toolchain *toolchain, const char *folder, size_t chip_index, const char *chip,
                       struct error *error)
{
    bool ok = true;
    for (size_t s = 0; s < sizeof sources / sizeof *sources && ok; s++) {
        struct compile_request request = {.source_path = sources[s].path, .family = sources[s].path, .chip = chip};
        struct compiled compiled;
        if (!toolchain_compile(toolchain, &request, &compiled, error))
            return false;
        ok = write_object(folder, chip_index, s, &compiled, error);
        compiled_free(&compiled);
    }
    return ok;
}

bool seeds_of_code(const char *folder, struct error *error)
{
    size_t n_chips;
    const struct chip *chips = chip_table(&n_chips);
    struct toolchain *toolchain = toolchain_open(NULL, error);
    bool ok = toolchain != NULL;
    for (size_t i = 0; i < n_chips && ok; i++)
        ok = write_chip(toolchain, folder, i, chips[i].name, error);
    toolchain_close(toolchain);
    return ok;
}
