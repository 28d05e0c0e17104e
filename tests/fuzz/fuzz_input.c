#include "tests/fuzz/fuzz_input.h"

#include <stdlib.h>
#include <string.h>

static uint32_t wave_size(const struct chip *chip, bool other)
{
    bool has_both = chip->has_wave32 && chip->has_wave64;
    return other && has_both ? 96u - chip->default_wave : chip->default_wave;
}

bool fuzz_input_read(const uint8_t *data, size_t n_bytes, struct fuzz_input *input)
{
    size_t n_chips;
    const struct chip *chips = chip_table(&n_chips);
    if (n_bytes < FUZZ_HEADER_BYTES + 4)
        return false;
    *input = (struct fuzz_input){.chip = &chips[data[0] % n_chips], .flags = data[1]};
    memcpy(&input->seed, data + 2, sizeof input->seed);
    input->n_lanes = wave_size(input->chip, input->flags & FUZZ_OTHER_WAVE_SIZE);
    input->code_bytes = (n_bytes - FUZZ_HEADER_BYTES) & ~(size_t)3;
    if (input->code_bytes > FUZZ_CODE_BYTES)
        input->code_bytes = FUZZ_CODE_BYTES;
    input->code = malloc(input->code_bytes);
    if (!input->code)
        return false;
    memcpy(input->code, data + FUZZ_HEADER_BYTES, input->code_bytes);
    return true;
}

void fuzz_input_free(struct fuzz_input *input)
{
    free(input->code);
}

void fuzz_input_header(size_t chip_index, unsigned flags, uint16_t seed, uint8_t header[FUZZ_HEADER_BYTES])
{
    header[0] = (uint8_t)chip_index;
    header[1] = (uint8_t)flags;
    memcpy(header + 2, &seed, sizeof seed);
}
