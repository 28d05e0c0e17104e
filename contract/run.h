/*
 * The run loop: registrations x shapes x patterns on one device, then teeth, controls and the proofs that need all cases of
 * a registration. Every result goes into the stream as it is decided; a launch that fails loses none of them and ends
 * nothing.
 */
#ifndef CONTRACT_RUN_H
#define CONTRACT_RUN_H

#include "contract/builds.h"
#include "contract/controls.h"
#include "contract/registry_list.h"
#include "contract/verdict.h"

struct run_options {
    const char *const *only; /* globs of registration names (fnmatch); none: all */
    size_t n_only;
    bool quick, full;
    int n_runs, n_threads;
    uint64_t seed;
    unsigned checks;   /* bits 1 << FINDING_… that gate 1 makes */
    const bool *part;  /* of the registry's registrations, those of this shard; NULL: all */
    const char *today; /* YYYY-MM-DD */
    bool no_teeth;     /* they do not depend on the chip: once is enough */
};

struct run {
    const struct registry *registry;
    const struct run_options *options;
    struct verdict_stream *stream;
    struct builds builds; /* of the device */
    struct launch_checker checker;
    const struct decided *decided; /* may be NULL */
    struct progress_sink progress; /* step may be NULL */
    /* Told of each case, byte contract, launcher check and control before it is run, as a verdict NOT_RUN on it, and of
     * what follows from all cases together, as one without a shape. May be NULL. */
    void (*begins)(void *context, const struct verdict *begun);
    void *begins_context;
    bool (*interrupted)(void *context); /* may be NULL */
    void *interrupt_context;
    double total_work, done_work; /* set by run_open */
};

/* The registration is wanted: it matches a glob, and is of the part. */
bool run_selects(const struct registry *registry, const struct run_options *options, size_t index);
/* The shape is wanted: quick ones with --quick (all that are not heavy where none is marked), heavy ones only with --full.
 */
bool run_selects_shape(const struct run_options *options, const struct registration *registration,
                       const struct reg_shape *shape);

/* It is, and is registered for the device's chip. */
bool run_takes_part(const struct run *run, size_t index);

/* A NOT_RUN verdict, with no shape and gate 0, for each selected registration of a chip that has no device here. */
void run_skip(const struct registry *registry, const struct run_options *options, struct verdict_stream *stream,
              const char *chip, const char *device, const char *reason);

/* Compiles what run_gates is going to launch, on all threads; what fails is run_gates's to say. */
void run_compile(struct run *run);

/* What comes before the first registration: the sum of the work, and run_compile. */
void run_open(struct run *run);
/* One registration that is selected, of its index, on run->builds.device. As run_gates. */
bool run_registration(struct run *run, size_t index, struct error *error);
/* The verdicts that an earlier run has, to stand in for this one's; NULL and none where there are none. */
const struct verdict *const *run_decided(const struct run *run, const struct registration *registration, size_t *n);
/* The run was asked to stop; the error, then STATUS_INTERRUPTED, says so. */
bool run_is_interrupted(const struct run *run, struct error *error);
/* Tells run->progress that this is run now. */
void run_show_progress(const struct run *run, const struct verdict *begun);

/* Gates 1-4, teeth and controls of all selected registrations on run->builds.device. false: interrupted
 * (STATUS_INTERRUPTED) or an environment that failed; verdicts so far are in the stream. */
bool run_gates(struct run *run, struct error *error);

#endif
