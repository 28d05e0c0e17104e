/*
 * A worker: a process of its own in which a device is open and registrations are run, one after the other, so that what
 * ends it ends nothing else. It is forked from the run, with the same registrations, code objects and earlier verdicts, and
 * dies with it.
 */
#ifndef CONTRACT_WORKER_H
#define CONTRACT_WORKER_H

#include <sys/types.h>

#include "contract/message.h"
#include "contract/run.h"

struct worker_options {
    /* Opens the device, in the worker. Errors: of the device. */
    bool (*open)(void *context, int n_threads, struct device **device, struct error *error);
    void *context;
    int n_threads;         /* of the worker */
    uint64_t memory_limit; /* bytes of private memory that it may have beside what it begins with; 0: any number */
    const struct run *run; /* what it runs of; NULL: it only opens the device */
};

struct worker {
    pid_t pid; /* 0: there is none */
    int socket;
    struct message_bytes bytes; /* received */
};

/* Starts one. Errors: STATUS_ENVIRONMENT, no process can be made. */
bool worker_start(struct worker *worker, const struct worker_options *options, struct error *error);
/* Has it run the registration of that index. A worker that is gone shows at its socket. */
void worker_run(const struct worker *worker, size_t index);
/* Has it stop after the case that it runs. */
void worker_interrupt(const struct worker *worker);

/* How a worker ended. */
struct worker_death {
    int signal;      /* or 0 */
    int exit_status; /* where no signal ended it */
    long peak_kib;   /* the most memory it held */
};
/* Ends it if it has not ended by itself, waits for it, and says how it ended. */
struct worker_death worker_end(struct worker *worker);
/* "was ended by signal 11 (Segmentation fault), having held 120 MiB at most". */
void worker_death_describe(const struct worker_death *death, char *text, size_t capacity);

/* "took longer than 20 s and was ended (--time-limit)". */
void worker_late_describe(uint64_t time_limit_ns, char *text, size_t capacity);

/* It has ended, though its socket may be open: a process that it has started may have that. */
bool worker_has_ended(const struct worker *worker);

/* Opens the device in a worker that ends at once: what is told of it is in *ready. It has so much time; 0: any. Errors: of
 * the device. */
bool worker_probe(const struct worker_options *options, uint64_t time_limit_ns, struct message_ready *ready,
                  struct error *error);

#endif
