/*
 * The state of one wave, its workgroup and its dispatch, as handlers see it.
 */
#ifndef EMULATOR_WAVE_H
#define EMULATOR_WAVE_H

#include <pthread.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/code_object.h"
#include "device/device.h"
#include "device/emulator/instruction.h"
#include "device/emulator/memory.h"
#include "records/chips.h"

enum { MAX_LANES = 64, VGPR_ROWS = 512 /* 256 VGPRs, then 256 AGPRs */, AGPR_FIRST_ROW = 256 };

/* The MODE register, gfx9 to gfx12 (ISA, "MODE register"): fields that the emulator honours. */
enum mode_bits {
    MODE_ROUND_F32 = 0x3, /* 0 nearest even, 1 +inf, 2 -inf, 3 zero */
    MODE_ROUND_F16_F64 = 0xc,
    MODE_DENORM_F32 = 0x30, /* bit 4: keep inputs, bit 5: keep outputs */
    MODE_DENORM_F16_F64 = 0xc0,
    MODE_DX10_CLAMP = 0x100, /* clamp turns NaN into 0 */
    MODE_IEEE = 0x200,       /* quiet signalling NaNs in min/max; omod off */
    MODE_FP16_OVFL = 1 << 23,
    MODE_GPR_INDEX = 1 << 27, /* gfx9: M0 moves the registers of vector ALU instructions */
    MODE_VSKIP = 1 << 28,     /* gfx9: vector instructions do nothing */
    MODE_CSP_SHIFT = 29,      /* gfx9: depth of the branch stack, three bits */
};

enum wave_state { WAVE_READY, WAVE_AT_BARRIER, WAVE_ENDED };

struct emulated_code;
struct workgroup;
struct dispatch;
struct dispatch_checks;
struct group_checks;
struct wave_checks;

/* What the sync check knows of a wave (sanitizer/sync.h). */
struct wave_sync {
    const struct instruction *arrived_at; /* at a barrier that is not yet complete; NULL: at none */
    const struct instruction *missed_at;  /* the last barrier that lanes were off at: those in `missed` */
    uint64_t missed;
    uint64_t lanes; /* that the wave started with: a last wave may have fewer than n_lanes, and nobody misses the rest */
    bool owes_wait; /* gfx12: it has signalled and not waited */
};

struct wave {
    union {
        alignas(64) uint32_t sgpr[SREG_COUNT];
        struct {
            uint32_t sgprs_[SREG_VCC_LO];
            uint64_t vcc; /* wave32: only vcc_lo counts */
            uint32_t ttmp_[18];
            uint64_t exec; /* wave32: high half is kept 0 by the hardware; handlers write through scalar_write… */
        };
    };
    uint32_t scc; /* 0 or 1 */
    uint32_t mode;
    uint32_t *vgpr;          /* [VGPR_ROWS][n_lanes], register-major, 64-byte aligned; row r starts at r * n_lanes */
    uint32_t n_lanes;        /* 32 or 64 */
    uint64_t full_exec;      /* mask of n_lanes ones */
    uint64_t lane_mask_exec; /* exec for which lane_mask was made */
    alignas(64) uint32_t lane_mask[MAX_LANES]; /* all ones where the lane is on */
    bool plain_f32;                            /* MODE: f32 rounds to nearest and keeps denormals: the fast path */
    bool plain_f16_f64;
    uint32_t pc;   /* index of the next instruction in code->instructions */
    bool stop;     /* the run loop leaves after the current instruction */
    uint8_t state; /* enum wave_state */
    uint8_t index_in_group;
    /* gfx12's split barrier: this wave has signalled, and may pass its next wait. */
    bool has_signalled, barrier_complete;
    uint64_t n_executed, n_lanes_executed; /* this wave's instructions, and lane-instructions of vector ones */
    const struct instruction *current;
    const struct chip *chip;
    const struct emulated_code *code;
    struct workgroup *group;
    struct dispatch *dispatch;
    uint8_t *private_bytes;              /* [n_lanes][private_stride] */
    uint32_t private_stride;             /* bytes of scratch a lane */
    struct span_cache spans;             /* last allocations touched */
    bool watched;                        /* accesses are reported to the sanitizer, and instructions run in its loop */
    struct wave_checks *checks;          /* the sanitizer's; NULL: none */
    struct instruction_profile *profile; /* one an instruction of the code; NULL: not counted */
    struct wave_sync sync;
};

_Static_assert(offsetof(struct wave, vcc) == 4 * SREG_VCC_LO, "vcc lies over its scalar registers");
_Static_assert(offsetof(struct wave, exec) == 4 * SREG_EXEC_LO, "exec lies over its scalar registers");

struct workgroup {
    struct dispatch *dispatch;
    uint32_t id[3];
    uint32_t n_waves;
    struct wave *waves;          /* n_waves, in order */
    uint8_t *lds;                /* lds_bytes, plus a pad that no access may reach */
    uint32_t lds_bytes;          /* static + dynamic of this launch */
    uint32_t n_signals;          /* gfx12: of the barrier since it was last complete */
    uint64_t rank;               /* its place in the launch's order of workgroups */
    uint64_t schedule;           /* seed of this workgroup's switch points; 0: natural order */
    uint64_t n_steps;            /* that it has made */
    struct group_checks *checks; /* the sanitizer's; NULL: none */
};

/* Notes (FINDING_NAN) have places of their own, so that they crowd out no fault. */
enum { FINDINGS_OF_A_SORT = 20, FINDINGS_KEPT = 2 * FINDINGS_OF_A_SORT };

struct dispatch {
    const struct emulated_code *code;
    const struct code_kernel *kernel;
    struct memory *memory;
    int device;
    uint64_t reachable;         /* bit D: memory of device D may be used */
    uint32_t grid[3], block[3]; /* workgroups; work-items of one */
    uint32_t lds_bytes, private_bytes;
    uint64_t kernarg_address, packet_address, queue_address;
    uint64_t schedule_seed, max_instructions, approx_seed;
    enum matrix_model matrix_model;
    bool serial;                    /* workgroups run on one host thread, interleaved, and end in any order */
    bool acquires;                  /* a wave may see what other workgroups released (enum memory_ordering); serial too */
    unsigned checks_wanted;         /* bits 1 << FINDING_…, as in emulator_options.checks */
    bool measures_depth;            /* depth/depth.h */
    struct dispatch_checks *checks; /* the sanitizer's; NULL: none */
    pthread_mutex_t lock;           /* over what follows */
    /* Faults, then notes; of either the FINDINGS_OF_A_SORT of lowest rank, by rank and then as they came; so they do not
     * depend on host threads. */
    struct finding *findings;
    uint64_t finding_rank[FINDINGS_KEPT];
    uint32_t n_findings, n_findings_seen, n_notes_seen; /* the last among the seen */
    unsigned kinds_found;                               /* bit 1 << kind of every finding seen */
    /* A trap, the watchdog or an unsupported instruction abandons a launch: workgroups of lower rank still run to their
     * ends, so that the first such finding is the same for any number of threads. */
    bool abandoned;
    uint64_t abandoned_rank; /* the lowest */
    struct finding abandoned_by;
    hipError_t result;
    uint64_t n_executed, n_lanes_executed, longest_wave; /* the latter of one wave */
};

/* The apertures of flat addresses: an address whose high half equals one of these is LDS or scratch (AMDGPUUsage, "Address
 * space mapping"). */
#define SHARED_APERTURE  UINT64_C(0x0001000000000000)
#define PRIVATE_APERTURE UINT64_C(0x0002000000000000)

/* An instruction and who executed it: a party of a finding. */
struct wave_place {
    const struct instruction *in;
    uint32_t workgroup[3];
    int32_t wave, lane; /* -1: not one alone */
};
/* How many of the dispatch's findings are faults; they come first. */
uint32_t finding_n_faults(const struct dispatch *dispatch);
/* The wave's current instruction. */
struct wave_place wave_place_of(const struct wave *wave, int lane);
/* Adds a finding about the current instruction; the message says what is wrong, and the place is put before it (lane -1:
 * all of the wave). Kinds TRAP, WATCHDOG and UNSUPPORTED end the dispatch; the others let the wave go on, and the launch
 * fails at its end, but for NAN. Kinds that the dispatch does not want are dropped. */
void wave_finding(struct wave *wave, enum finding_kind kind, int lane, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same with a second party, whose place is put after the message. */
void wave_finding_with(struct wave *wave, enum finding_kind kind, int lane, const struct wave_place *other,
                       const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Whether the launch was abandoned by this workgroup or one before it. */
bool workgroup_abandoned(const struct workgroup *group);
/* Must follow every write of wave->mode. */
void wave_mode_changed(struct wave *wave);
/* Goes on at a guest address; a TRAP finding where no instruction starts there. */
void wave_jump(struct wave *wave, uint64_t address);
/* Runs until the wave stops: barrier, end, finding; with a schedule also at the next switch point, without one after many
 * instructions, so that a wave that polls does not keep the one it waits for from running. */
void wave_run(struct wave *wave);
/* gfx12's split barrier, as S_BARRIER_SIGNAL and S_BARRIER_WAIT work (RDNA4 ISA): once every wave that has not ended has
 * signalled, each may pass one wait. workgroup_signal returns whether the signal is the barrier's first. */
bool workgroup_signal(struct wave *wave);
void workgroup_wait(struct wave *wave);
/* Waves of the group that have not ended. */
uint32_t workgroup_n_alive(const struct workgroup *group);
/* How a workgroup stands after a step. */
enum workgroup_state {
    WORKGROUP_OVER, /* all waves have ended, or the launch is abandoned */
    WORKGROUP_GOES_ON,
    WORKGROUP_POLLS, /* without a schedule: a wave stopped for no other reason than the number of its instructions */
};
/* With a schedule: one wave of its choice runs to its next switch point. Without: every wave runs once. Then, if all waves
 * wait at the barrier, it lets them go. */
enum workgroup_state workgroup_step(struct workgroup *group);
/* Runs all waves of a workgroup to their ends, barriers included. */
void workgroup_run(struct workgroup *group);

#endif
