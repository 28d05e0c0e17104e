/*
 * A run in worker processes: each registration is run in one, and the run itself only passes on what they tell. A worker
 * that ends is one verdict DIED on what it was running, and another takes its place.
 *
 * What is left of that registration is not run: what it proves of its gates, teeth and known findings rests on all of its
 * cases, and a kernel that crashes or loops in one is likely to do so in each.
 */
#ifndef CONTRACT_POOL_H
#define CONTRACT_POOL_H

#include "contract/worker.h"

enum { POOL_MOST_WORKERS = 64 };

struct pool_options {
    struct worker_options worker; /* its run and n_threads are set by pool_run */
    int n_workers;                /* at once, 1 to POOL_MOST_WORKERS; they share the run's threads */
    uint64_t time_limit_ns;       /* of one case, byte contract, launcher check or control; 0: any */
    size_t most_kept_bytes;       /* as of turns_open */
};

/* As run_gates, with the same verdicts in the same order. Of run->builds.device only kind and chip are looked at, and its
 * HIP API is not called: the device is opened in the workers. Errors: those of run_gates, and STATUS_ENVIRONMENT where no
 * worker can be started. */
bool pool_run(struct run *run, const struct pool_options *options, struct error *error);

#endif
