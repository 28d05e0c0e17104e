/*
 * What contract, gates, list and run need from the other folders: the registrations, the compiler, a device.
 */
#ifndef COMMANDS_SESSION_H
#define COMMANDS_SESSION_H

#include "commands/options.h"
#include "contract/builds.h"
#include "contract/controls.h"
#include "contract/kernel_files.h"
#include "contract/registry_list.h"
#include "contract/run.h"
#include "toolchain/toolchain.h"

#define DEFAULT_CHIP "gfx1151"

struct session {
    const struct arguments *arguments;
    struct registry registry;
    struct kernel_files files; /* of --kernels */
    struct toolchain *toolchain;
    struct builder builder;        /* compiles with the toolchain */
    struct launch_checker checker; /* gate 5's check of one launch */
    char commit[64];               /* of the project's root, or of the first file's folder; "" where it has none */
    const char *records;           /* those that the commit touches; NULL: not known (commands/records_touched.h) */
    struct arena arena;
};

/* Compiles registrations with a toolchain, which must outlive it. */
struct builder session_builder(struct toolchain *toolchain);

/* Collects and checks the registrations and finds a compiler. session_close in either case. */
bool session_open(struct session *session, const struct arguments *arguments, struct error *error);
void session_close(struct session *session);

/* What the arguments ask of a run: registrations, shapes, runs, host threads, seed and checks; strings are borrowed. */
struct run_options session_run_options(const struct arguments *arguments);

/* Emulated devices for a chip: as many as a launcher that is registered for it wants, where none is said. */
int session_devices(const struct session *session, const char *chip);
/* Opens the device for a chip: the emulator of it, which has n_threads host threads, or the GPU, whose chip must be that
 * one where chip is not NULL. */
bool session_device(const struct session *session, const char *chip, int n_threads, struct device **device,
                    struct error *error);

#endif
