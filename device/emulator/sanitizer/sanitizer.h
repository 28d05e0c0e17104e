/*
 * The sanitizer: what watches a launch beside the instructions themselves. Callers may rely on it costing nothing but one
 * predicted branch an access while no check of this folder is wanted (wave->checks is NULL), on findings that do not depend
 * on host threads, and on registers, LDS and memory being the same with and without it. What the init check finds of bytes
 * of memory that workgroups race for is the exception: it depends on who came first, as the bytes do.
 *
 * With checks on, wave_run calls sanitizer_before, the handler and sanitizer_after for each instruction. What an
 * instruction reads and writes comes from the code's flow table (flow.h). The functions that move data between registers
 * and memory report each access through sanitizer_access, from inside the handler.
 */
#ifndef EMULATOR_SANITIZER_H
#define EMULATOR_SANITIZER_H

#include <stdbool.h>
#include <stdint.h>

#include "device/emulator/wave.h"

enum access_kind { ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC };

/* Where an access goes, and what its addresses count. */
enum access_space {
    ACCESS_GLOBAL,  /* guest addresses */
    ACCESS_LDS,     /* bytes from the workgroup's first */
    ACCESS_SCRATCH, /* bytes from the lane's first */
};

/* The registers of an access. */
enum access_registers {
    REGISTERS_NONE,   /* no register takes part (loads to LDS, counters), or the handler says it apart */
    REGISTERS_VECTOR, /* VGPR rows from `row` (AGPRs from AGPR_FIRST_ROW), a dword each */
    REGISTERS_SCALAR, /* places of wave->sgpr from `row`; lanes is 1 */
};

/* One access of up to n_lanes lanes. Lanes that may not happen (mem findings, lanes that a resource clips) are left out.
 * Borrowed: valid during the call only. */
struct access_record {
    uint8_t space;        /* enum access_space */
    uint8_t kind;         /* enum access_kind; an atomic reads and writes */
    uint8_t registers;    /* enum access_registers; of the loaded, stored or atomically combined value */
    uint8_t first_byte;   /* of the first register that the access's first byte belongs to: 2 for d16_hi forms, else 0 */
    uint8_t filled_bytes; /* a load of less than a dword: bytes of the register from first_byte on that it fills (2 or 4) */
    bool replaces;        /* an atomic whose new value does not depend on the old one (swap) */
    bool returns;         /* an atomic that gives its old value to result_row */
    uint16_t row;         /* first register */
    uint16_t result_row;  /* atomics: where the old value goes */
    uint16_t second_row;  /* atomics: the value compared with; UINT16_MAX without one */
    uint32_t n_bytes;     /* a lane's */
    uint64_t lanes;       /* mask */
    const uint64_t *bytes; /* [n_lanes] of the lane's first byte; lanes that are off hold anything */
};

/* The state of checks: of a launch, of a workgroup's and of a wave's part of it. Each check has its own file and struct. */
struct init_group;
struct init_wave;
struct wait_wave;
struct nan_wave;
struct race_dispatch;
struct race_group;
struct depth_dispatch;
struct depth_group;
struct depth_wave;

/* The depth audit (depth/depth.h) watches as a check does, and finds nothing. */
#define WATCH_DEPTH FINDING_KIND_COUNT

struct dispatch_checks {
    unsigned wanted; /* bit 1 << FINDING_… of the checks of this folder that are on, or 1 << WATCH_DEPTH */
    struct race_dispatch *race;
    struct depth_dispatch *depth;
};

struct wave_checks {
    unsigned wanted;
    struct init_wave *init;
    struct wait_wave *wait;
    struct nan_wave *nan;
    struct depth_wave *depth;
};

struct group_checks {
    struct dispatch_checks *dispatch;
    uint32_t n_waves;
    struct wave_checks *waves; /* n_waves */
    struct init_group *init;
    struct race_group *race;
    struct depth_group *depth;
};

/* Sets dispatch->checks where dispatch->checks_wanted has a check of this folder, else NULL. False when the host is out of
 * memory. The caller closes it after the last workgroup. */
bool sanitizer_dispatch_open(struct dispatch *dispatch);
void sanitizer_dispatch_close(struct dispatch *dispatch);

/* What a host thread needs to run workgroups of n_waves of the dispatch, one after another: *checks, NULL where the
 * dispatch has no checks. False when the host is out of memory. The caller closes it (NULL is allowed). */
bool sanitizer_group_open(const struct dispatch *dispatch, uint32_t n_waves, struct group_checks **checks);
void sanitizer_group_close(struct group_checks *checks);

/* A workgroup begins (its waves have been started) and has ended. sanitizer_group_start sets group->checks and each wave's
 * checks. Registers hold `poison` where nobody has set them; NULL: everything counts as set (waves made by hand). */
struct start_poison {
    uint32_t vgpr, sgpr;
};
void sanitizer_group_start(struct workgroup *group, struct group_checks *checks, const struct start_poison *poison);
void sanitizer_group_end(struct workgroup *group);
/* All waves of the group that have not ended leave a barrier. */
void sanitizer_barrier(struct workgroup *group);

/* Around an instruction; wave->checks is not NULL. */
void sanitizer_before(struct wave *wave, const struct instruction *in);
void sanitizer_after(struct wave *wave, const struct instruction *in);
/* An access of the current instruction; for callers that have tested wave->checks. A load's bytes are still those in memory
 * and a store has not happened yet. */
void sanitizer_access(struct wave *wave, const struct access_record *record);

#endif
