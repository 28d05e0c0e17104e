/*
 * What `--weights FILE:NAME` means for a registration: its file tensors, found, checked and read, and the shape that
 * follows from them.
 */
#ifndef CONTRACT_WEIGHTS_H
#define CONTRACT_WEIGHTS_H

#include "contract/base/arena.h"
#include "contract/base/error.h"
#include "contract/registry.h"

/* The patterns of a case with a file's weights, bits 1 << REG_PATTERN_x: exact sums and edges need weights of their own. */
enum { WEIGHTS_PATTERNS = 1 << REG_PATTERN_SIGNED | 1 << REG_PATTERN_ONESIDED | 1 << REG_PATTERN_CLASSES };

struct weights {
    const struct registration *registration;
    const char *name; /* "FILE:NAME" */
    struct reg_file file;
    const char *unused; /* "bias F16 [128], su I16 [8]": the tensors of that name that are not read; "" for none */
    struct arena arena;
};

/* Reads the file tensors of the registration; the name is split at its last colon and borrowed. Errors: STATUS_USAGE, one
 * line with the file, the tensor, what was found and what is wanted. weights_close in either case. */
bool weights_open(struct weights *weights, const struct registration *registration, const char *name, struct error *error);
/* The shape with that many rows, its label the dimensions; the launch may refuse it, and each input must have the bytes
 * that the file has for it. */
bool weights_shape(struct weights *weights, int64_t rows, struct reg_shape *shape, struct error *error);
void weights_close(struct weights *weights);

#endif
