/*
 * The trial of one mutant: the steps of the contract in order of cost, up to the first that kills it. One that none kills
 * is compared with the kernel itself, byte for byte, on every case and then on inputs of other seeds.
 */
#ifndef MUTATION_TRIAL_H
#define MUTATION_TRIAL_H

#include "mutation/attempt.h"

/* X(id, name in logs, killed) */
#define TRIAL_OUTCOMES(X)                                                                                                  \
    X(UNTRIED, "untried", false)                                                                                           \
    X(GATE, "gate", true)                /* red at a gate by its bytes, guards, classes, bounds or sums */                 \
    X(SANITIZER, "sanitizer", true)      /* a finding of init, race, sync or wait */                                       \
    X(FAULT, "fault", true)              /* a bad access or a trap */                                                      \
    X(HANG, "hang", true)                /* a wave that goes on for many times what the kernel's longest takes */          \
    X(REFUSED, "refused", true)          /* the device does not load it, or the launcher does not take what it leaves */   \
    X(CRASH, "crash", true)              /* the process that tried it was ended by a signal */                             \
    X(EQUIVALENT, "equivalent", false)   /* the kernel's own bytes everywhere */                                           \
    X(UNSUPPORTED, "unsupported", false) /* it asks for what the emulator does not have, and nothing else kills it */      \
    X(SURVIVED, "survived", false)

#define TRIAL_OUTCOME_ENUM(id, name, killed) TRIAL_##id,
enum trial_outcome { TRIAL_OUTCOMES(TRIAL_OUTCOME_ENUM) TRIAL_OUTCOME_COUNT };
#undef TRIAL_OUTCOME_ENUM

/* Of a fixed size, without pointers: results pass between processes. */
struct trial_result {
    enum trial_outcome outcome;
    int gate;                                                              /* that killed it; 0: none */
    enum trial_step_kind step;                                             /* likewise */
    char shape[VERDICT_NAME_BYTES], pattern[16], name[VERDICT_NAME_BYTES]; /* of the verdict that killed it */
    char reason[400];
    int n_steps; /* that were made */
    /* Of a survivor: where the kernel's bytes and its own differ. */
    size_t n_cases, n_cases_differ;
    char moved_shape[VERDICT_NAME_BYTES], moved_pattern[16]; /* of the case where an output moves most */
    int64_t n_differ;                                        /* elements there */
    double moved;  /* their largest distance, in units of the bound; infinite where there is none */
    uint64_t seed; /* the first other seed on which they differ; 0: none */
    char seed_shape[VERDICT_NAME_BYTES], seed_pattern[16];
    int seed_gate; /* that would be red on some other seed; 0: none is */
    char seed_reason[400];
    uint64_t duration_ns; /* never compared */
};

const char *trial_outcome_name(enum trial_outcome outcome);
bool trial_outcome_kills(enum trial_outcome outcome);
/* What a verdict that is no pass makes of a mutant. TRIAL_UNTRIED: it says nothing of it, as the launch of a bare kernel
 * failed without a finding, which is the environment's doing. */
enum trial_outcome trial_outcome_of(const struct verdict *verdict, bool has_launcher);

/* A run of the kernel itself. */
struct own_run {
    bool is_made, passes;
    struct hash128 output; /* where it passes */
};

/* Trials of one subject's mutants, one after the other. Each has an emulator of its own, so that no address, and nothing
 * that a finding says of one, depends on what was tried before. */
struct trials {
    const struct subject *subject;
    struct device *device;   /* of the mutant on trial */
    struct builds unmutated; /* on it: the twin */
    struct attempt original; /* on it: the kernel itself, opened at need */
    bool has_original;
    struct own_run *own_runs; /* of the kernel itself on cases of other seeds, made at need */
    unsigned char *code;      /* the mutant's code object */
    struct arena arena;
};

/* trials_close in either case; it stays where it is until then. Errors: STATUS_ENVIRONMENT. */
bool trials_open(struct trials *trials, const struct subject *subject, struct error *error);
void trials_close(struct trials *trials);
/* Tries one mutant. False when the environment fails. */
bool trial_run(struct trials *trials, const struct mutant *mutant, struct trial_result *result, struct error *error);

#endif
