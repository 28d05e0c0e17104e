/*
 * Which instructions rest on a stated assumption (modelled.def): for docs/fidelity.md, and for verdicts on kernels that use
 * them.
 */
#ifndef EMULATOR_MODELLED_H
#define EMULATOR_MODELLED_H

#include <stdbool.h>
#include <stddef.h>

#include "device/emulator/code.h"
#include "records/chips.h"

struct modelled {
    const char *pattern; /* of mnemonics, as fnmatch takes it */
    unsigned families;   /* bits 1 << enum chip_family */
    bool bounded;        /* its documented error is part of the contract's bounds: no verdict rests on the assumption */
    const char *assumption;
};

/* All rows. */
const struct modelled *modelled_table(size_t *n_rows);
/* The row that a mnemonic (without what names the encoding) falls under on a chip, or NULL. */
const struct modelled *modelled_find(const struct chip *chip, const char *mnemonic);
/* Writes the mnemonics of modelled, not bounded instructions of decoded code, each once, parted by ", ", and returns their
 * number: of the bytes [first, first + n_bytes) of the image, or of all code where control may leave them
 * (code_stays_within). Those that text has no room for are left out. */
size_t modelled_in_code(const struct emulated_code *code, uint64_t first, uint64_t n_bytes, char *text, size_t capacity);

#endif
