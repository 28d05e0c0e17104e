/*
 * The options that contract, gates, limits, audit, list, run, history and slurm share: one table gives parsing, `--help`
 * and which command takes what.
 */
#ifndef COMMANDS_OPTIONS_H
#define COMMANDS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "commands/report_files.h"
#include "contract/base/error.h"
#include "contract/registry.h"
#include "device/device.h"
#include "reports/audit_table.h"

enum {
    FOR_CONTRACT = 1,
    FOR_LIST = 2,
    FOR_RUN = 4,
    FOR_LIMITS = 8,
    FOR_AUDIT = 16,
    FOR_REPORT = 32,
    FOR_HISTORY = 64,
    FOR_COMPARE = 128,
    FOR_SLURM = 256,
    FOR_MUTATE = 1024,
    FOR_SELFTEST = 2048
};
#define SLURM_FOLDER "hipcontract-slurm"
enum { OPTION_NAMES = 64, DEFAULT_RUNS = 5, DEFAULT_LAST = 20, DEFAULT_SAMPLE = 50, DEFAULT_SEEDS = 2, DEFAULT_LEAST = 95 };

struct arguments {
    const char *command; /* its name */
    const char *chips[OPTION_NAMES];
    size_t n_chips; /* 0: the default */
    bool all_chips;
    const char *only[OPTION_NAMES];
    size_t n_only;
    const char *kernel_files[OPTION_NAMES];
    size_t n_kernel_files;       /* 0: the program's own registrations */
    bool on_gpu;                 /* --device rocm */
    int gpu_index;               /* rocm:N */
    int n_devices;               /* emulated */
    const char *emulator_option; /* the last option given that only the emulator has; NULL: none */
    int n_jobs, n_runs;
    bool no_isolation;
    int n_workers;
    int time_limit_s;               /* of a case and of a compiler; 0: any */
    bool has_memory_limit;          /* one was given; else it is the machine's memory */
    uint64_t memory_limit;          /* bytes of a worker; 0: any */
    unsigned checks;                /* bits 1 << FINDING_… of the sanitizer's checks */
    enum matrix_model matrix_model; /* of the emulator */
    uint64_t seed, schedule;
    bool hash, hash_outputs, fidelity_report;
    const char *keep_outputs; /* folder; NULL: they are not kept */
    int dump_row;             /* -1: none */
    bool quick, full, json, teeth, update, record, explain, help;
    int shard, n_shards;
    const char *sbatch[OPTION_NAMES], *sbatch_shards[OPTION_NAMES]; /* sbatch's options of all jobs, and of the shards' */
    size_t n_sbatch, n_sbatch_shards;
    const char *folder; /* slurm's; NULL: the default */
    bool dry_run, wait;
    const char *compilers;    /* --compiler's comma list; NULL: all that are installed */
    const char *against;      /* what audit compares with; NULL: the committed records */
    enum audit_format format; /* of audit's table */
    const char *log, *resume, *shape, *bytes, *weights, *kernel;
    const char *db;           /* of the history; NULL: the default */
    bool no_db;               /* none */
    const char *costs;        /* a history that --shard splits by; NULL: by estimate */
    int n_last;               /* runs of the history */
    int n_rows;               /* --rows; 0: the default */
    enum reg_pattern pattern; /* REG_PATTERN_COUNT: all of the registration */
    struct report_files report_files;
    const char *const *logs; /* report's operands */
    size_t n_logs;
    int sample;      /* mutants a registration; 0: all */
    int n_seeds;     /* other seeds on which a mutant that lives is compared */
    int least;       /* percent that a score must be */
    bool equivalent; /* list equivalent mutants */
    int color;       /* 1, 0, or -1: as the terminal says */
};

/* Parses a command's arguments; strings are borrowed from argv. Errors: STATUS_USAGE, one line with a hint. */
bool arguments_parse(int argc, char **argv, int command_mask, struct arguments *arguments, struct error *error);
/* What `take` is told of an option: the commands that take it (FOR_…), its name, and its value or NULL. */
typedef void arguments_take(void *context, int commands, const char *name, const char *value);
/* Tells the command's options as they are in argv, up to one that is wrong. Before arguments_parse, which cuts lists up. */
void arguments_visit(int argc, char **argv, int command_mask, arguments_take *take, void *context);
/* The value of an option, a number from low to high. Errors: STATUS_USAGE. */
bool arguments_number(const char *option, const char *word, long low, long high, int *value, struct error *error);
/* Selects every chip of record, as --chip all does. */
void arguments_all_chips(struct arguments *arguments);
/* The lines of --help for the options of a command. */
void arguments_print_help(int command_mask, const char *usage);
/* "quick", "default" or "full". */
const char *arguments_scope(const struct arguments *arguments);
/* Prints "hipcontract COMMAND: text" on standard error and returns the exit status. */
int command_fail(const char *command, const struct error *error);

#endif
