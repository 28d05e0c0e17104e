/*
 * Which registers hold a value that is needed later, at each instruction of a kernel: the classic backward analysis of live
 * variables over the control flow (Aho, Lam, Sethi, Ullman, "Compilers", 9.2.5), from what each instruction reads and
 * writes (sanitizer/flow.h), for the lanes that run an instruction, as a compiler's allocator sees it. A register counts
 * only where some way from the start writes it first: what is read undefined takes no register.
 *
 * Its figures are lower bounds where the code calls functions or picks registers by index; `incomplete` says so.
 */
#ifndef EMULATOR_LIVENESS_H
#define EMULATOR_LIVENESS_H

#include "device/emulator/code.h"
#include "device/emulator/control_flow.h"

/* X(name, what the text calls it): register files that a kernel's figures count apart. */
#define REGISTER_FILES(X)                                                                                                  \
    X(VGPR, "VGPRs")                                                                                                       \
    X(AGPR, "AGPRs")                                                                                                       \
    X(SGPR, "SGPRs") /* s0 … s105: VCC, M0 and the like are no allocator's */

#define REGISTER_FILE_ENUM(name, text) FILE_##name,
enum register_file { REGISTER_FILES(REGISTER_FILE_ENUM) REGISTER_FILE_COUNT };
#undef REGISTER_FILE_ENUM

const char *register_file_name(enum register_file file);

struct live_counts {
    uint16_t n[REGISTER_FILE_COUNT];
};

enum { NO_INSTRUCTION = UINT32_MAX };

struct liveness {
    const struct emulated_code *code;
    struct control_flow flow;
    struct live_counts *at;             /* [n_instructions]: the greater of before and after, what it writes included */
    uint32_t peak[REGISTER_FILE_COUNT]; /* instruction with the greatest count, the first of them; NO_INSTRUCTION: all 0 */
    const char *incomplete;             /* why figures are lower bounds; NULL: they are not */
    struct block_sets *sets;            /* inner: of each block */
    struct arena arena;
};

/* Of code whose instruction 0 is a kernel's entry. False when the host is out of memory. The code must outlive it; the
 * caller frees with liveness_free in either case. */
bool liveness_make(const struct emulated_code *code, struct liveness *liveness);
void liveness_free(struct liveness *liveness);

/* Whether each place (sanitizer/flow.h) holds a needed value before an instruction. False when the host is out of memory.
 */
bool liveness_before(const struct liveness *liveness, uint32_t instruction, bool *is_live);

/* A register that holds a needed value at an instruction, and the nearest instruction that writes it on some way there;
 * NO_INSTRUCTION: the wave started with it. */
struct live_value {
    uint16_t place; /* sanitizer/flow.h */
    uint32_t writer;
};

/* Those that liveness->at[instruction] counts in the file, by place; their number. values: room for FLOW_PLACES. */
size_t liveness_values(const struct liveness *liveness, uint32_t instruction, enum register_file file,
                       struct live_value *values);

#endif
