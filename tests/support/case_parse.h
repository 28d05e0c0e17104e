/*
 * The parsed form of a case file (case_file.h describes the text).
 */
#ifndef SUPPORT_CASE_PARSE_H
#define SUPPORT_CASE_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/base/arena.h"
#include "contract/base/error.h"
#include "contract/base/text.h"

enum { CASE_MEMORY_BYTES = 4096, CASE_LDS_BYTES = 4096, MAX_CASE_VALUES = 64, MAX_CASE_STATES = 24 };

enum place_kind { PLACE_VGPR, PLACE_SCALAR, PLACE_SCC, PLACE_MODE, PLACE_MEMORY, PLACE_LDS };

struct place {
    enum place_kind kind;
    unsigned index;    /* register, or byte */
    unsigned n_dwords; /* 1 or 2 */
};

/* base + slope * lane. */
struct case_value {
    uint64_t base, slope;
    bool ignored;
};

/* A place with values of its lanes (or dwords); the last one stands for all further lanes. */
struct case_state {
    struct place place;
    const char *text; /* the place as written */
    size_t line, n_values;
    struct case_value values[MAX_CASE_VALUES];
};

struct instruction_case {
    const char *name, *chips; /* chips: one or more names, a space between */
    uint32_t n_lanes;
    size_t line, n_before, n_after;
    struct case_state before[MAX_CASE_STATES], after[MAX_CASE_STATES];
    struct text assembly;
};

/* All cases of text, owned by the arena (cases_free releases the assembly). Errors: STATUS_USAGE, "PATH:LINE: reason". */
bool cases_parse(const char *path, char *text, struct arena *arena, struct instruction_case **cases, size_t *n_cases,
                 struct error *error);
void cases_free(struct instruction_case *cases, size_t n_cases);

#endif
