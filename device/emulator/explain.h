/*
 * Which source lines cost a compiled kernel its registers: where the most of them are live and which lines wrote those,
 * where registers are spilled, and what instructions there are. Source lines are those of the line tables
 * (device/code_lines.h).
 */
#ifndef EMULATOR_EXPLAIN_H
#define EMULATOR_EXPLAIN_H

#include "device/code_object.h"
#include "device/emulator/instruction_mix.h"
#include "device/emulator/liveness.h"
#include "device/emulator/spill_code.h"

/* A place in the source; file "" and line 0 where the tables say nothing. */
struct source_place {
    const char *file;
    uint32_t line;
};

/* All instructions of one line. */
struct explained_line {
    struct source_place at;
    uint32_t n_instructions;
    uint16_t live[REGISTER_FILE_COUNT];  /* the most at any of its instructions */
    uint32_t n_spills[SPILL_KIND_COUNT]; /* instructions */
    uint32_t spilled[SPILL_KIND_COUNT];  /* registers that they move */
};

/* Registers that are live at the peak, by the line that wrote them. */
struct peak_share {
    struct source_place at;
    uint32_t n_registers;
    bool from_start; /* the wave started with them: no line */
};

struct explained_peak {
    uint32_t n_registers;  /* 0: the kernel uses none, and the rest is empty */
    uint32_t offset_bytes; /* from the kernel's first instruction */
    const char *text;      /* of the instruction */
    struct source_place at;
    const struct peak_share *shares; /* the greatest first */
    size_t n_shares;
};

struct explanation {
    const struct explained_line *lines; /* by file, then line */
    size_t n_lines;
    struct explained_peak peak[REGISTER_FILE_COUNT];
    uint32_t n_spills[SPILL_KIND_COUNT], spilled[SPILL_KIND_COUNT]; /* of all lines */
    struct instruction_mix mix;
    const char *incomplete; /* why the live registers are lower bounds; NULL: they are not */
    struct arena arena;     /* holds all of the above */
};

/* Errors: a chip that this build cannot decode, or memory, STATUS_ENVIRONMENT; a kernel whose symbol is stripped,
 * STATUS_USAGE. On success the caller frees with explanation_free; nothing of object is needed after it. */
bool explain_kernel(const struct code_object *object, const struct code_kernel *kernel, struct explanation *explanation,
                    struct error *error);
void explanation_free(struct explanation *explanation);

#endif
