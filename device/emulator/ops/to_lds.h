/* Loads whose values go to LDS instead of registers. */
#ifndef EMULATOR_TO_LDS_H
#define EMULATOR_TO_LDS_H

#include "device/emulator/ops/access.h"

/* What a lane reads: bytes (1, 2, 4, 12 or 16), and how fewer than four become a dword. */
struct to_lds_format {
    uint8_t n_bytes;
    bool is_signed;
};

/* Loads have no destination where they go to LDS. */
static inline bool goes_to_lds(const struct instruction *in)
{
    return !in->n_dst;
}

#define load_to_lds VARIANT(load_to_lds)

/* Moves what a resolved load reads to the lanes' places after M0. Pieces as resolve_buffer gives them. */
void load_to_lds(struct wave *wave, const struct instruction *in, struct to_lds_format format, const struct access *pieces,
                 unsigned n_pieces);

#endif
