/*
 * A registration made ready for its mutants: its cases with their references, what the kernel itself leaves on them, and
 * the steps of the contract in order of cost.
 */
#ifndef MUTATION_SUBJECT_H
#define MUTATION_SUBJECT_H

#include "contract/builds.h"
#include "contract/bytes.h"
#include "contract/gates.h"
#include "contract/run.h"
#include "mutation/mutants.h"

struct subject_options {
    struct run_options run; /* its shapes, seed, checks, and n_runs of gate 1 */
    int n_seeds;            /* of inputs on which a mutant that no step kills must leave the kernel's bytes */
    int n_devices;          /* emulated */
    enum matrix_model matrix_model;
    bool (*interrupted)(void *context); /* may be NULL */
    void *interrupt_context;
};

/* X(kind, name): what a step of the contract is. */
#define TRIAL_STEPS(X)                                                                                                     \
    X(LAUNCH, "first run")     /* one launch of a case, and the gate of its pattern */                                     \
    X(RUNS, "gate 1")          /* all runs of gate 1 on a case, with every check */                                        \
    X(BOUND, "twin and depth") /* what gate 3 has beside the bound */                                                      \
    X(BYTES, "byte contract")                                                                                              \
    X(LAUNCHER, "launcher's check")

#define TRIAL_STEP_ENUM(kind, name) STEP_##kind,
enum trial_step_kind { TRIAL_STEPS(TRIAL_STEP_ENUM) STEP_KIND_COUNT };
#undef TRIAL_STEP_ENUM

struct trial_step {
    enum trial_step_kind kind;
    size_t index;              /* of the case, or of the byte contract */
    int check;                 /* a launcher's */
    uint64_t cost;             /* in instructions that waves execute, weighted */
    uint64_t max_instructions; /* of a wave: above what any wave of the kernel itself executes */
};

struct subject {
    const struct registry *registry;
    const struct registration *registration;
    const struct subject_options *options;
    const struct builder *builder;
    const char *chip;
    const unsigned char *code; /* the registration's code object */
    size_t n_code_bytes;
    struct host_case *cases; /* with references */
    size_t n_cases;
    struct outputs *outputs; /* of each case: what the kernel itself leaves in the natural order */
    struct bytes_case *bytes;
    size_t n_bytes;
    struct trial_step *steps; /* cheapest first: those that the kernel itself passes */
    size_t n_steps, n_left_out;
    struct executed_at *executed; /* by address: instructions that the steps executed */
    size_t n_executed;
    struct arena arena;
};

/* Opens the cases of the shapes that the options select, and runs every step on the kernel itself, on an emulator that it
 * opens and closes. subject_close in either case. Errors: STATUS_USAGE for a registration that is invalid, STATUS_RED for
 * one that does not compile, STATUS_ENVIRONMENT, STATUS_INTERRUPTED. */
bool subject_open(struct subject *subject, const struct registry *registry, const struct registration *registration,
                  const char *chip, const struct builder *builder, const struct subject_options *options,
                  struct error *error);
void subject_close(struct subject *subject);

const char *trial_step_name(enum trial_step_kind kind);
/* Opens an emulator as the subject's launches want it. */
bool subject_device(const struct subject *subject, bool count_profile, struct device **device, struct error *error);

#endif
