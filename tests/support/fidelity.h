/*
 * docs/fidelity.md's tables: what LLVM knows (instruction_set.h), what the opcode table has, what the tests compared
 * (evidence_table.h) and what is an assumption (device/emulator/modelled.h).
 */
#ifndef TESTS_SUPPORT_FIDELITY_H
#define TESTS_SUPPORT_FIDELITY_H

#include "tests/support/evidence_table.h"
#include "tests/support/instruction_set.h"

struct fidelity {
    struct instruction_set sets[CHIP_FAMILIES];
    const struct evidence_table *evidence; /* borrowed */
    bool *compared;                        /* by row of the opcode table: its handler was compared somewhere */
};
/* Walks the instruction sets of all families, each in seconds. Errors: STATUS_ENVIRONMENT. fidelity_close in either case.
 */
bool fidelity_open(struct fidelity *fidelity, struct error *error);
/* The evidence that grades rest on, borrowed; before any is asked for. */
void fidelity_use(struct fidelity *fidelity, const struct evidence_table *evidence);
void fidelity_close(struct fidelity *fidelity);

/* X(letter, name, what it says of an implemented instruction). */
#define FIDELITY_GRADES(X)                                                                                                 \
    X('S', SILICON, "silicon: a published vector of hardware agrees")                                                      \
    X('E', EXACT, "exact: compared with a derived value, MPFR, integers, an independent model or the host")                \
    X('M', MODELLED, "modelled: a stated assumption, compared with an independent statement of it")                        \
    X('m', ASSUMED, "modelled, and no test compares it")                                                                   \
    X('e', SHARED, "compared on another family only, where the same code runs it")                                         \
    X('u', UNTESTED, "implemented, and no test compares it")                                                               \
    X('!', UNREAD, "some encodings of it are not decoded")                                                                 \
    X('-', MISSING, "not implemented: a kernel that executes it ends as unsupported")

#define FIDELITY_GRADE(letter, name, text) GRADE_##name,
enum fidelity_grade { FIDELITY_GRADES(FIDELITY_GRADE) GRADE_ABSENT, GRADE_COUNT };
#undef FIDELITY_GRADE

/* GRADE_ABSENT where the family lacks the instruction or compute does without it. */
enum fidelity_grade fidelity_grade(const struct fidelity *fidelity, enum chip_family family, const char *mnemonic);
/* All tables, as Markdown. */
void fidelity_print(const struct fidelity *fidelity, FILE *out);
/* The page with the tables put between its marks, malloc'ed; NULL with STATUS_USAGE where it has no marks. */
char *fidelity_page(const struct fidelity *fidelity, const char *page, struct error *error);

#endif
