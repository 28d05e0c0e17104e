/*
 * What each instruction of a code reads and writes, made once from its operands and from the table of what texts leave out
 * (flow.def), so that no check looks at texts at run time.
 */
#ifndef EMULATOR_FLOW_H
#define EMULATOR_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "device/emulator/code.h"
#include "device/emulator/sanitizer/wait_events.h"
#include "device/emulator/wave.h"

/* Places: VGPR rows 0 … 511 (AGPRs from AGPR_FIRST_ROW), then wave->sgpr, then SCC. */
enum { FLOW_SCALAR = VGPR_ROWS, FLOW_SCC = FLOW_SCALAR + SREG_COUNT, FLOW_PLACES };

enum flow_part { FLOW_WHOLE, FLOW_LOW, FLOW_HIGH };

/* Places first … first + n - 1; of vector registers, part of each. */
struct flow_range {
    uint16_t first;
    uint8_t n;
    uint8_t part; /* enum flow_part */
};

/* How undefined bits go from sources to destinations (init.c); rules.def gives each mnemonic its rule. */
#define FLOW_RULES(X)                                                                                                      \
    X(MIX)     /* all of a result where any of a source is undefined, lane by lane */                                      \
    X(COPY)    /* bits stay where they are */                                                                              \
    X(BITWISE) /* a bit that the defined bits beside it decide is defined */                                               \
    X(SELECT)  /* the chosen operand's, where the choice is defined */                                                     \
    X(UPWARD)  /* sums and products: from a byte to those above */                                                         \
    X(SHIFT_LEFT)                                                                                                          \
    X(SHIFT_RIGHT)                                                                                                         \
    X(SHIFT_SIGNED)                                                                                                        \
    X(SHIFT_OR)                                                                                                            \
    X(FIELD)         /* bit field extract */                                                                               \
    X(PERMUTE_BYTES) /* v_perm_b32 */                                                                                      \
    X(ALIGN_BITS)    /* v_alignbit_b32, v_alignbyte_b32 */                                                                 \
    X(PACK)          /* two halves into one register */                                                                    \
    X(PACK_DWORDS)   /* two registers, each of its source's pair */                                                        \
    X(PACKED)        /* halves of so many bits apart */                                                                    \
    X(BYTE)          /* one byte of the source is read */                                                                  \
    X(BIT)           /* one bit of the source is read */                                                                   \
    X(READ_LANE)     /* v_readlane, v_readfirstlane */                                                                     \
    X(WRITE_LANE)    /* v_writelane */                                                                                     \
    X(PERMUTE)       /* lanes of a source trade places */                                                                  \
    X(SWAP)          /* both operands change places */                                                                     \
    X(SWAP_LANES)    /* the same with lanes trading places */                                                              \
    X(MATRIX)        /* lanes of a result depend on many of the sources' */                                                \
    X(RELATIVE)      /* registers by index in M0 */                                                                        \
    X(SAVE_EXEC)     /* old EXEC to the destination, source and EXEC combined into EXEC */                                 \
    X(MEMORY)        /* sources are addresses and data; the accesses say what comes back */                                \
    X(DEFINES)       /* the results are always defined */                                                                  \
    X(NONE)          /* nothing is read or written that matters */

#define FLOW_RULE_ENUM(name) RULE_##name,
enum flow_rule { FLOW_RULES(FLOW_RULE_ENUM) };
#undef FLOW_RULE_ENUM

enum { FLOW_MAX_READS = 8, FLOW_MAX_WRITES = 4 };

enum flow_flag {
    FLOW_EXPLICIT_EXEC = 1 << 0, /* EXEC is among the writes */
    FLOW_PARTIAL = 1 << 1,       /* a written register keeps some of its old bytes or lanes */
    FLOW_BRANCHES = 1 << 2,      /* what is read decides where the wave goes on */
};

struct flow {
    struct flow_range reads[FLOW_MAX_READS], writes[FLOW_MAX_WRITES];
    uint8_t n_reads, n_writes;
    uint8_t rule;          /* enum flow_rule */
    uint8_t detail;        /* of the rule (rules.def) */
    uint8_t flags;         /* enum flow_flag */
    uint8_t address_reads; /* bit k: reads[k] is part of the address of a memory instruction */
    uint8_t n_src;         /* reads[k] belongs to source k of the instruction for k < n_src; n is 0 for constants */
    uint8_t n_dst;         /* writes[k] belongs to destination k for k < n_dst */
    uint8_t event;         /* enum wait_event */
    uint8_t
        wait_limits[COUNTER_COUNT]; /* of EVENT_WAIT: how many of each counter may be outstanding after it, or WAIT_ANY */
    const struct flow *pair;        /* VOPD: its two halves'; else NULL */
};

static inline const struct flow *flow_of(const struct emulated_code *code, const struct instruction *in)
{
    return &code->flow[in - code->instructions];
}

/* A place's name as assembly has it. */
void flow_place_name(unsigned place, char *text, size_t capacity);
/* The row of one instruction that is no pair, of an opcode that the code has. */
void flow_make_row(const struct emulated_code *code, const struct instruction *in, struct flow *flow);

/* Makes code->flow, one row an instruction and one for the end of the code, in the code's arena. False when the host is out
 * of memory. */
bool flow_make(struct emulated_code *code);

#endif
