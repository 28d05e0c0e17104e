/*
 * What compilers emit: the device libraries' functions (ocml, ockl) and every kernel of the tree, compiled for a chip at
 * -O0, -O2 and -O3 by all threads, held against what the emulator implements. Sources that are left out are named, with
 * the reason.
 */
#ifndef TESTS_SUPPORT_CORPUS_H
#define TESTS_SUPPORT_CORPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "contract/base/error.h"
#include "records/chips.h"

struct corpus_tally {
    size_t n_occurring, n_implemented; /* mnemonics; one counts as implemented where every form of it that occurs decodes */
    size_t n_excused;                  /* occurring, and left out for a reason that was printed; in neither of the above */
    uint64_t n_instructions;
    size_t n_objects;
};

/* Compiles and measures a chip in a wave size, and prints a line for each mnemonic that is not implemented: the first text
 * of it and the function that has it; and for what is left out, with the reason. Objects of the libraries are kept in the
 * folder `cache`. Errors: STATUS_ENVIRONMENT; a folder of kernels that is empty is one. */
bool corpus_measure(const struct chip *chip, uint32_t n_lanes, const char *cache, FILE *out, struct corpus_tally *tally,
                    struct error *error);

#endif
