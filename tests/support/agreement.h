/*
 * Whether an output agrees with a vector: at its checks, and as a whole.
 */
#ifndef SUPPORT_AGREEMENT_H
#define SUPPORT_AGREEMENT_H

#include "tests/support/vector.h"

/* Index of the first check that fails, or vector->n_checks. */
size_t agreement_first_failure(const struct vector *vector, const uint8_t *output);
/* "dword 5: got 0x…, expected 0x…" of a check. */
void agreement_describe(const struct vector *vector, const uint8_t *output, size_t check, char *text, size_t n_bytes);
/* Every dword equal, or both NaN as f32. More than anyone asserted: a number to watch, no gate. */
bool agreement_whole(const struct vector *vector, const uint8_t *output);

#endif
