/*
 * Writes the inputs that fuzzing starts from: real code objects of every chip, and pieces of their code with a header.
 * Usage: seeds FOLDER; makes FOLDER/code_object, FOLDER/decode and FOLDER/execute.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/base/file.h"
#include "device/code_object.h"
#include "tests/fuzz/fuzz_input.h"
#include "toolchain/toolchain.h"

enum { PIECE_BYTES = 256, PIECES_A_CHIP = 40 };

static const char *const sources[] = {"tests/kernels/launch.hip", "tests/kernels/everyday.hip"};

static bool write_file(const char *folder, const char *target, const char *name, const uint8_t *bytes, size_t n_bytes,
                       struct error *error)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, target);
    if (!file_make_directories(path, error))
        return false;
    snprintf(path, sizeof path, "%s/%s/%s", folder, target, name);
    return file_write(path, bytes, n_bytes, error);
}

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
        if (!write_file(folder, "decode", name, piece, sizeof piece, error) ||
            !write_file(folder, "execute", name, piece, sizeof piece, error))
            return false;
    }
    return true;
}

static bool write_object(const char *folder, size_t chip_index, size_t source, const struct compiled *compiled,
                         struct error *error)
{
    struct code_object object;
    char name[40];
    snprintf(name, sizeof name, "chip%zu-%zu", chip_index, source);
    bool ok = source != 0 || write_file(folder, "code_object", name, compiled->bytes, compiled->n_bytes, error);
    if (!ok || !code_object_parse(compiled->bytes, compiled->n_bytes, name, &object, error))
        return false;
    for (size_t i = 0; i < object.n_segments && ok; i++)
        if (object.segments[i].executable && source == 1)
            ok = write_pieces(folder, chip_index, &object.segments[i], compiled->bytes, error);
    code_object_free(&object);
    return ok;
}

static bool write_seeds(struct toolchain *toolchain, const char *folder, struct error *error)
{
    size_t n_chips;
    const struct chip *chips = chip_table(&n_chips);
    for (size_t i = 0; i < n_chips; i++)
        for (size_t s = 0; s < sizeof sources / sizeof *sources; s++) {
            struct compile_request request = {.source_path = sources[s], .family = sources[s], .chip = chips[i].name};
            struct compiled compiled;
            if (!toolchain_compile(toolchain, &request, &compiled, error))
                return false;
            bool ok = write_object(folder, i, s, &compiled, error);
            compiled_free(&compiled);
            if (!ok)
                return false;
        }
    return true;
}

int main(int argc, char **argv)
{
    struct error error;
    if (argc != 2) {
        fprintf(stderr, "usage: seeds FOLDER\n");
        return STATUS_USAGE;
    }
    struct toolchain *toolchain = toolchain_open(NULL, &error);
    bool ok = toolchain && write_seeds(toolchain, argv[1], &error);
    toolchain_close(toolchain);
    if (!ok)
        fprintf(stderr, "seeds: %s\n", error.text);
    return ok ? STATUS_OK : (int)error.status;
}
