/*
 * The device of a run of contract or gates: open in worker processes, so that what ends one ends no run; with
 * --no-isolation open in this process.
 */
#ifndef COMMANDS_RUN_DEVICE_H
#define COMMANDS_RUN_DEVICE_H

#include "commands/session.h"
#include "contract/pool.h"

struct run_device {
    const struct session *session;
    const char *chip; /* asked for; NULL: the GPU's */
    /* Open here; or, with workers, what is known of it: kind, chip, number of devices and wave size, and nothing that could
     * be called. */
    struct device *device;
    struct device known;
    char kind[16];
};

/* Opens it, or finds out that workers can. It stays where it is until run_device_close. Errors: those of session_device. */
bool run_device_open(struct run_device *of, const struct session *session, const char *chip, struct error *error);
/* Runs on it all of run but builds.device, which it sets. As run_gates. */
bool run_device_gates(struct run_device *of, struct run *run, struct error *error);
void run_device_close(struct run_device *of);

/* On a GPU, where the arguments name no chip, they name the GPU's from then on, so that logs, shards and limits are of it.
 * Errors: those of session_device. */
bool run_device_name_gpu(struct session *session, struct arguments *arguments, struct error *error);

#endif
