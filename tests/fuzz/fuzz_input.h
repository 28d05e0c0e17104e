/*
 * What the fuzz targets of machine code share: the first bytes of an input choose chip, wave size and start values, the
 * rest is code. tests/fuzz/seeds.c writes inputs of the same form.
 */
#ifndef FUZZ_FUZZ_INPUT_H
#define FUZZ_FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "records/chips.h"

enum { FUZZ_HEADER_BYTES = 4, FUZZ_CODE_BYTES = 4096 /* more is cut off */ };

enum fuzz_flag {
    FUZZ_OTHER_WAVE_SIZE = 1, /* not the chip's default, where it has another */
    FUZZ_SCHEDULED = 2,       /* waves switch */
    FUZZ_CHECKED = 4,         /* every check of the sanitizer is on */
};

struct fuzz_input {
    const struct chip *chip;
    uint32_t n_lanes;
    unsigned flags;    /* enum fuzz_flag */
    uint16_t seed;     /* of registers and memory */
    uint8_t *code;     /* a copy of its own, so that reads past its end are seen; released by fuzz_input_free */
    size_t code_bytes; /* a multiple of 4 */
};

/* False for inputs too short to hold an instruction. */
bool fuzz_input_read(const uint8_t *data, size_t n_bytes, struct fuzz_input *input);
void fuzz_input_free(struct fuzz_input *input);
/* The header of an input for the chip of that row of chip_table. */
void fuzz_input_header(size_t chip_index, unsigned flags, uint16_t seed, uint8_t header[FUZZ_HEADER_BYTES]);

#endif
