/*
 * The mutants of a registration's kernels: each is the compiled code object with one instruction changed, in its place and
 * in its size.
 */
#ifndef MUTATION_MUTANTS_H
#define MUTATION_MUTANTS_H

#include "contract/base/arena.h"
#include "contract/registry.h"
#include "device/emulator/assemble.h"
#include "mutation/operators.h"

struct mutant {
    enum mutation_operator op;
    int variant;
    const char *kernel;
    uint64_t offset_bytes; /* of the instruction, from the kernel's first */
    const char *before, *after;
    char file[128]; /* of the source; "" where the code has no line tables */
    uint32_t line;
    uint64_t n_executed;  /* by waves, in the launches that the sample was drawn after */
    uint64_t n_taken;     /* of a branch, there */
    uint64_t file_offset; /* of the instruction in the code object's bytes */
    size_t n_bytes;
    uint8_t bytes[ASSEMBLED_BYTES]; /* instead of those */
};

/* An instruction that was executed. */
struct executed_at {
    uint64_t address;             /* of the ELF */
    uint64_t n_executed, n_taken; /* by waves; the latter of a branch */
};
/* By address, for qsort and bsearch. */
int executed_compare(const void *a, const void *b);

struct mutant_request {
    const struct registration *registration;
    const unsigned char *code; /* the code object */
    size_t n_bytes;
    const struct executed_at *executed; /* by address: only these are changed */
    size_t n_executed;
    size_t sample; /* so many mutants, if there are; 0: all */
    uint64_t seed; /* of the sample */
};

struct mutant_list {
    struct mutant *mutants; /* by kernel and offset */
    size_t n;
    size_t n_edits;        /* of the executed instructions; not each is an instruction */
    size_t n_instructions; /* of the kernels */
    size_t n_executed;     /* of those */
};

/* Draws the sample: operators take turns, so that a rare one is not lost among the many, and within each the order is the
 * seed's; a larger sample holds a smaller one. What is made belongs to the arena. Errors: STATUS_ENVIRONMENT. */
bool mutants_make(const struct mutant_request *request, struct arena *arena, struct mutant_list *list, struct error *error);

#endif
