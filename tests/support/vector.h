/*
 * Published instruction vectors: one JSON object a line, each a program with the output buffer that it leaves behind and
 * the places that must agree.
 */
#ifndef SUPPORT_VECTOR_H
#define SUPPORT_VECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/base/arena.h"
#include "contract/base/error.h"

enum check_kind { CHECK_BITS, CHECK_F16, CHECK_F32, CHECK_F64, CHECK_READ };

/* One place of the output that must agree. */
struct vector_check {
    uint32_t dword; /* index into the output */
    uint32_t mask;  /* bits looked at */
    enum check_kind kind;
    uint32_t high_dword; /* f64: index of its high half; 0 where the vector does not name it */
    bool is_high;        /* f64: the high half of an earlier check, covered by that one */
};

struct vector {
    const char *id;
    const char *chip;
    uint32_t n_lanes, n_items; /* wave size; work-items of the one workgroup */
    uint32_t lds_bytes, scratch_bytes;
    bool full;     /* harness: registers r0 … r15 of all lanes, then scalars; else one register */
    bool approx;   /* results of approximate functions */
    bool optional; /* an encoding that the instruction set does not allow: a failure does not count */
    uint32_t ulp;
    const uint8_t *code;
    size_t code_bytes;
    const uint8_t *expect; /* output_bytes */
    size_t output_bytes;
    const struct vector_check *checks;
    size_t n_checks;
};

/* All vectors of a file, in its order, owned by the arena. Errors: STATUS_USAGE, "PATH:LINE: reason". */
bool vectors_read(const char *path, struct arena *arena, struct vector **vectors, size_t *n_vectors, struct error *error);

#endif
