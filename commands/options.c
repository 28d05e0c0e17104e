#include "commands/options.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/checks.h"
#include "commands/matrix_model.h"
#include "contract/base/parallel.h"
#include "contract/pool.h"
#include "device/device.h"
#include "records/chips.h"
#include "toolchain/toolchain.h"

/* Beside the commands: not with --device rocm, which has none of it. */
enum { ON_EMULATOR = 1 << 9 };
enum { MOST_ROWS = 1 << 24, MOST_SHARDS = 10000, MOST_SECONDS = 1000000 };

/* slurm hands them to its shards. */
enum { FOR_SHARDS = FOR_CONTRACT | FOR_SLURM };

/* X(id, name, value's name or NULL, commands that take it, help), with more behind it in the rows of REPORT_FILES */
#define OPTIONS(X)                                                                                                         \
    X(CHIP, "chip", "gfxNNNN[,..]|all", FOR_SHARDS | FOR_RUN | FOR_MUTATE | FOR_SELFTEST,                                  \
      "chips to run for (default: gfx1151)")                                                                               \
    X(CHIPS, "chip", "gfxNNNN[,..]|all", FOR_LIMITS | FOR_AUDIT, "chips to compile for (default: all of record)")          \
    X(DEVICE, "device", "emulator|rocm[:N]", FOR_SHARDS | FOR_RUN, "what executes the kernels (default: emulator)")        \
    X(DEVICE_COUNT, "device-count", "N", FOR_SHARDS | FOR_RUN | FOR_MUTATE | ON_EMULATOR,                                  \
      "emulated devices, on all of which launchers are run (default: as many as they want)")                               \
    X(HISTORY_CHIPS, "chip", "gfxNNNN[,..]|all", FOR_HISTORY, "only those chips (default: all)")                           \
    X(ONLY, "only", "GLOB", FOR_SHARDS | FOR_MUTATE | FOR_LIST | FOR_LIMITS | FOR_AUDIT,                                   \
      "only registrations of that name; may be given again")                                                               \
    X(KERNELS, "kernels", "FILE.so", FOR_SHARDS | FOR_MUTATE | FOR_RUN | FOR_LIST | FOR_LIMITS | FOR_AUDIT,                \
      "registrations of that file, not the program's own; may be given again")                                             \
    X(SHAPE, "shape", "LABEL", FOR_RUN, "the shape to run")                                                                \
    X(BYTES, "bytes", "NAME", FOR_RUN, "the byte contract to run, instead of a shape")                                     \
    X(WEIGHTS, "weights", "FILE:NAME", FOR_RUN, "instead of a shape: weights NAME.* of a safetensors file")                \
    X(ROWS, "rows", "N", FOR_RUN, "rows of activations with --weights (default: 1, then 16)")                              \
    X(PATTERN, "pattern", "NAME", FOR_RUN, "signed, onesided, edges, classes or exact (default: all that it has)")         \
    X(CHECK, "check", "KINDS", FOR_SHARDS | FOR_RUN | FOR_MUTATE | ON_EMULATOR, CHECKS_HELP)                               \
    X(NO_CHECK, "no-check", "KINDS", FOR_SHARDS | FOR_RUN | FOR_MUTATE | ON_EMULATOR, NO_CHECKS_HELP)                      \
    X(MATRIX_MODEL, "matrix-model", "NAME", FOR_SHARDS | FOR_RUN | FOR_MUTATE | ON_EMULATOR, MATRIX_MODEL_HELP)            \
    X(RUNS, "runs", "N", FOR_SHARDS | FOR_RUN | FOR_MUTATE, "runs of gate 1, at least 2 (default: 5)")                     \
    X(SEED, "seed", "S", FOR_SHARDS | FOR_RUN | FOR_MUTATE, "of inputs and schedules (default: 1)")                        \
    X(SCHEDULE, "schedule", "S", FOR_RUN | ON_EMULATOR,                                                                    \
      "of gate 1's later runs, as a red one names it (default: each its own)")                                             \
    X(HASH, "hash", NULL, FOR_RUN, "print the hash of every tensor and of each of its rows")                               \
    X(DUMP_ROW, "dump-row", "R", FOR_RUN, "print row R of every tensor that has it")                                       \
    X(JOBS, "jobs", "N", FOR_SHARDS | FOR_MUTATE | FOR_RUN | FOR_LIST | FOR_LIMITS | FOR_AUDIT | FOR_SELFTEST,             \
      "host threads (default: one a processor)")                                                                           \
    X(WORKERS, "workers", "N", FOR_SHARDS,                                                                                 \
      "processes that run registrations at once; they share the threads (default: 1)")                                     \
    X(NO_ISOLATION, "no-isolation", NULL, FOR_SHARDS, "run in this process, which a crash then ends: for debuggers")       \
    X(TIME_LIMIT, "time-limit", "S", FOR_SHARDS, "seconds that one case, or a compiler, may take (default: 1200; 0: any)") \
    X(MEMORY_LIMIT, "memory-limit", "SIZE", FOR_SHARDS,                                                                    \
      "private memory of a worker, as 900M or 8G (default: the machine's; 0: any)")                                        \
    X(QUICK, "quick", NULL, FOR_SHARDS | FOR_MUTATE, "the smallest shapes that still keep the shape rules")                \
    X(FULL, "full", NULL, FOR_SHARDS | FOR_MUTATE, "heavy shapes too")                                                     \
    X(SHARD, "shard", "I/N", FOR_CONTRACT, "the I-th of N parts of the registrations, which cost about the same")          \
    X(COSTS, "costs", "FILE", FOR_SHARDS,                                                                                  \
      "the history that tells --shard what registrations cost; the same for all shards (default: an estimate)")            \
    X(SHARDS, "shards", "N", FOR_SLURM, "in how many parts the registrations are run")                                     \
    X(FOLDER, "folder", "DIR", FOR_SLURM, "where scripts, logs and output go (default: " SLURM_FOLDER ")")                 \
    X(SBATCH, "sbatch", "OPTION", FOR_SLURM, "an option of sbatch for all jobs, as --partition=P; may be given again")     \
    X(SBATCH_SHARDS, "sbatch-shards", "OPTION", FOR_SLURM, "the same for the shards only, as --gres=gpu:1")                \
    X(DRY_RUN, "dry-run", NULL, FOR_SLURM, "print the scripts, and submit nothing")                                        \
    X(WAIT, "wait", NULL, FOR_SLURM, "wait for the merge, print its lines and end with its status")                        \
    X(HASH_OUTPUTS, "hash-outputs", NULL, FOR_SHARDS, "with --log: the hash of every output and of each of its rows too")  \
    X(KEEP_OUTPUTS, "keep-outputs", "DIR", FOR_SHARDS | FOR_RUN,                                                           \
      "write every output to a file in DIR, and a log to DIR/run.jsonl (or --log)")                                        \
    X(SAMPLE, "sample", "N", FOR_MUTATE, "so many mutants a registration, drawn by the seed; 0: all (default: 50)")        \
    X(SEEDS, "seeds", "N", FOR_MUTATE,                                                                                     \
      "other seeds on which a mutant that lives must leave the kernel's bytes to be equivalent (default: 2)")              \
    X(LEAST, "least", "PERCENT", FOR_MUTATE, "the score that every registration must reach (default: 95)")                 \
    X(EQUIVALENT, "equivalent", NULL, FOR_MUTATE, "list equivalent mutants too")                                           \
    X(MUTATE_LOG, "log", "FILE.jsonl", FOR_MUTATE, "write each mutant and score as a line of JSON")                        \
    X(LOG, "log", "RUN.jsonl", FOR_CONTRACT, "write each verdict as a line of JSON")                                       \
    REPORT_FILES(X)                                                                                                        \
    X(RESUME, "resume", "RUN.jsonl", FOR_CONTRACT, "go on where that log's run stopped")                                   \
    X(DB, "db", "FILE", FOR_CONTRACT | FOR_HISTORY,                                                                        \
      "the history (default: hipcontract/history.db below $XDG_DATA_HOME or ~/.local/share)")                              \
    X(REPORT_DB, "db", "FILE", FOR_REPORT | FOR_SLURM, "record the run in that history too")                               \
    X(NO_DB, "no-db", NULL, FOR_CONTRACT, "do not record this run in a history")                                           \
    X(LAST, "last", "N", FOR_HISTORY, "the last N runs (default: 20)")                                                     \
    X(JSON, "json", NULL, FOR_LIST | FOR_HISTORY | FOR_COMPARE, "as JSON")                                                 \
    X(FIDELITY_REPORT, "fidelity-report", NULL, FOR_COMPARE, "what a run on a GPU says of the emulator's instructions")    \
    X(TEETH, "teeth", NULL, FOR_LIST, "which gate catches which wrong arithmetic, by which factor")                        \
    X(COMPILER, "compiler", "NAME[,..]|all", FOR_AUDIT, "clang-22, rocm-clang-19, ... (default: all that are installed)")  \
    X(AGAINST, "against", "REV|DIR|COMPILER", FOR_AUDIT,                                                                   \
      "only what changed: against a git revision, a folder's records or another compiler")                                 \
    X(EXPLAIN, "explain", NULL, FOR_AUDIT,                                                                                 \
      "of the kernels named: source lines of live registers and spills, instructions; with --against of two builds")       \
    X(FORMAT, "format", "NAME", FOR_AUDIT, "text, json, csv or markdown (default: text)")                                  \
    X(UPDATE, "update", NULL, FOR_LIMITS | FOR_AUDIT, "rewrite the committed records of what was selected")                \
    X(RECORD, "record", NULL, FOR_LIMITS | FOR_AUDIT, "print the figures of each kernel as a RECORD line too")             \
    X(COLOR, "color", NULL, FOR_CONTRACT | FOR_RUN | FOR_REPORT, "colour even where the output is no terminal")            \
    X(NO_COLOR, "no-color", NULL, FOR_CONTRACT | FOR_RUN | FOR_REPORT, "never colour")                                     \
    X(HELP, "help", NULL,                                                                                                  \
      FOR_CONTRACT | FOR_RUN | FOR_LIST | FOR_LIMITS | FOR_AUDIT | FOR_REPORT | FOR_HISTORY | FOR_COMPARE | FOR_SLURM |    \
          FOR_MUTATE | FOR_SELFTEST,                                                                                       \
      "this text")

#define OPTION_ENUM(id, ...) OPTION_##id,
enum option_id { OPTIONS(OPTION_ENUM) OPTION_COUNT };
#undef OPTION_ENUM

static const struct {
    const char *name, *value;
    int commands;
    const char *help;
} rows[] = {
#define OPTION_ROW(id, name, value, commands, help, ...) {name, value, commands, help},
    OPTIONS(OPTION_ROW)
#undef OPTION_ROW
};

bool arguments_number(const char *option, const char *word, long low, long high, int *value, struct error *error)
{
    char *end;
    long number = strtol(word, &end, 10);
    if (end == word || *end || number < low || number > high)
        return error_set(error, STATUS_USAGE, "--%s %s: give a number from %ld to %ld", option, word, low, high);
    *value = (int)number;
    return true;
}

static bool parse_seed(const char *option, const char *word, uint64_t *seed, struct error *error)
{
    char *end;
    *seed = strtoull(word, &end, 0);
    return (end != word && !*end && *word != '-') || error_set(error, STATUS_USAGE, "--%s %s: give a number", option, word);
}

void arguments_all_chips(struct arguments *arguments)
{
    size_t n_rows;
    const struct chip *chips = chip_table(&n_rows);
    arguments->all_chips = true;
    arguments->n_chips = 0;
    for (size_t i = 0; i < n_rows; i++)
        if (chips[i].of_record)
            arguments->chips[arguments->n_chips++] = chips[i].name;
}

static bool parse_chips(struct arguments *arguments, char *list, struct error *error)
{
    if (strcmp(list, "all") == 0) {
        arguments_all_chips(arguments);
        return true;
    }
    char *rest;
    for (char *name = strtok_r(list, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        if (!chip_find(name))
            return error_set(error, STATUS_USAGE, "--chip %s: no known chip; `hipcontract doctor` lists them", name);
        if (arguments->n_chips == OPTION_NAMES)
            return error_set(error, STATUS_USAGE, "--chip: more than %d chips", OPTION_NAMES);
        arguments->chips[arguments->n_chips++] = name;
    }
    return arguments->n_chips > 0 || error_set(error, STATUS_USAGE, "--chip: name at least one chip, or all");
}

static bool parse_device(struct arguments *arguments, const char *word, struct error *error)
{
    if (strcmp(word, "emulator") == 0)
        return true;
    arguments->on_gpu = strncmp(word, "rocm", 4) == 0 && (word[4] == '\0' || word[4] == ':');
    if (!arguments->on_gpu)
        return error_set(error, STATUS_USAGE, "--device %s: give emulator, rocm or rocm:N", word);
    return word[4] == '\0' || arguments_number("device rocm:", word + 5, 0, 1023, &arguments->gpu_index, error);
}

static bool parse_size(const char *option, const char *word, uint64_t *n_bytes, struct error *error)
{
    static const char units[] = "KMG";
    char *end;
    unsigned long long number = strtoull(word, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    *n_bytes = (uint64_t)number << shift;
    bool whole = end != word && *word >= '0' && *word <= '9' && end[unit != NULL] == '\0';
    return (whole && *n_bytes >> shift == number) ||
           error_set(error, STATUS_USAGE, "--%s %s: give a number of bytes, or with K, M or G behind it", option, word);
}

static bool parse_shard(struct arguments *arguments, const char *word, struct error *error)
{
    int end = 0;
    bool ok = sscanf(word, "%d/%d%n", &arguments->shard, &arguments->n_shards, &end) == 2 && word[end] == '\0' &&
              arguments->shard >= 1 && arguments->shard <= arguments->n_shards;
    return ok || error_set(error, STATUS_USAGE, "--shard %s: give I/N with I from 1 to N", word);
}

static bool parse_pattern(struct arguments *arguments, const char *word, struct error *error)
{
    for (int i = 0; i < REG_PATTERN_COUNT; i++)
        if (strcmp(word, reg_pattern_name((enum reg_pattern)i)) == 0) {
            arguments->pattern = (enum reg_pattern)i;
            return true;
        }
    return error_set(error, STATUS_USAGE, "--pattern %s: give signed, onesided, edges, classes or exact", word);
}

static bool parse_format(struct arguments *arguments, const char *word, struct error *error)
{
    arguments->format = audit_format_find(word);
    return arguments->format < AUDIT_FORMAT_COUNT ||
           error_set(error, STATUS_USAGE, "--format %s: give text, json, csv or markdown", word);
}

/* One value more of an option that may be given again. */
static bool add_value(const char *option, const char *value, const char *list[OPTION_NAMES], size_t *n, struct error *error)
{
    if (*n == OPTION_NAMES)
        return error_set(error, STATUS_USAGE, "--%s: more than %d of them", option, OPTION_NAMES);
    list[(*n)++] = value;
    return true;
}

/* The format of the report that an option asks for, or REPORT_FILE_COUNT. */
static enum report_file report_file_of(enum option_id id)
{
    switch (id) {
#define REPORT_FILE_CASE(id, ...)                                                                                          \
    case OPTION_##id:                                                                                                      \
        return REPORT_FILE_##id;
        REPORT_FILES(REPORT_FILE_CASE)
#undef REPORT_FILE_CASE
    default:
        return REPORT_FILE_COUNT;
    }
}

static bool take_value(struct arguments *a, enum option_id id, char *value, struct error *error)
{
    switch (id) {
    case OPTION_CHIP:
    case OPTION_CHIPS:
    case OPTION_HISTORY_CHIPS:
        return parse_chips(a, value, error);
    case OPTION_DEVICE:
        return parse_device(a, value, error);
    case OPTION_ONLY:
        return add_value("only", value, a->only, &a->n_only, error);
    case OPTION_KERNELS:
        return add_value("kernels", value, a->kernel_files, &a->n_kernel_files, error);
    case OPTION_PATTERN:
        return parse_pattern(a, value, error);
    case OPTION_CHECK:
        return checks_parse("check", value, &a->checks, error);
    case OPTION_NO_CHECK:
        return checks_leave_out("no-check", value, &a->checks, error);
    case OPTION_MATRIX_MODEL:
        return matrix_model_parse(value, &a->matrix_model, error);
    case OPTION_RUNS:
        return arguments_number("runs", value, 2, 1000, &a->n_runs, error);
    case OPTION_SEED:
        return parse_seed("seed", value, &a->seed, error);
    case OPTION_SCHEDULE:
        return parse_seed("schedule", value, &a->schedule, error);
    case OPTION_DUMP_ROW:
        return arguments_number("dump-row", value, 0, INT_MAX, &a->dump_row, error);
    case OPTION_DEVICE_COUNT:
        return arguments_number("device-count", value, 1, 64, &a->n_devices, error);
    case OPTION_JOBS:
        return arguments_number("jobs", value, 1, 256, &a->n_jobs, error);
    case OPTION_WORKERS:
        return arguments_number("workers", value, 1, POOL_MOST_WORKERS, &a->n_workers, error);
    case OPTION_TIME_LIMIT:
        return arguments_number("time-limit", value, 0, MOST_SECONDS, &a->time_limit_s, error);
    case OPTION_MEMORY_LIMIT:
        a->has_memory_limit = true;
        return parse_size("memory-limit", value, &a->memory_limit, error);
    case OPTION_SHARD:
        return parse_shard(a, value, error);
    case OPTION_SHARDS:
        return arguments_number("shards", value, 1, MOST_SHARDS, &a->n_shards, error);
    case OPTION_FOLDER:
        a->folder = value;
        return true;
    case OPTION_SBATCH:
        return add_value("sbatch", value, a->sbatch, &a->n_sbatch, error);
    case OPTION_SBATCH_SHARDS:
        return add_value("sbatch-shards", value, a->sbatch_shards, &a->n_sbatch_shards, error);
    case OPTION_COSTS:
        a->costs = value;
        return true;
    case OPTION_SHAPE:
        a->shape = value;
        return true;
    case OPTION_BYTES:
        a->bytes = value;
        return true;
    case OPTION_WEIGHTS:
        a->weights = value;
        return true;
    case OPTION_ROWS:
        return arguments_number("rows", value, 1, MOST_ROWS, &a->n_rows, error);
    case OPTION_COMPILER:
        a->compilers = value;
        return true;
    case OPTION_AGAINST:
        a->against = value;
        return true;
    case OPTION_FORMAT:
        return parse_format(a, value, error);
    case OPTION_KEEP_OUTPUTS:
        a->keep_outputs = value;
        return true;
    case OPTION_DB:
    case OPTION_REPORT_DB:
        a->db = value;
        return true;
    case OPTION_LAST:
        return arguments_number("last", value, 1, INT_MAX, &a->n_last, error);
    case OPTION_SAMPLE:
        return arguments_number("sample", value, 0, INT_MAX, &a->sample, error);
    case OPTION_SEEDS:
        return arguments_number("seeds", value, 0, 1000, &a->n_seeds, error);
    case OPTION_LEAST:
        return arguments_number("least", value, 0, 100, &a->least, error);
    case OPTION_LOG:
    case OPTION_MUTATE_LOG:
        a->log = value;
        return true;
    default:
        a->resume = value;
        return true;
    }
}

static void take_flag(struct arguments *a, enum option_id id)
{
    a->quick |= id == OPTION_QUICK;
    a->full |= id == OPTION_FULL;
    a->json |= id == OPTION_JSON;
    a->no_isolation |= id == OPTION_NO_ISOLATION;
    a->no_db |= id == OPTION_NO_DB;
    a->teeth |= id == OPTION_TEETH;
    a->update |= id == OPTION_UPDATE;
    a->record |= id == OPTION_RECORD;
    a->explain |= id == OPTION_EXPLAIN;
    a->dry_run |= id == OPTION_DRY_RUN;
    a->wait |= id == OPTION_WAIT;
    a->equivalent |= id == OPTION_EQUIVALENT;
    a->hash |= id == OPTION_HASH;
    a->fidelity_report |= id == OPTION_FIDELITY_REPORT;
    a->hash_outputs |= id == OPTION_HASH_OUTPUTS;
    a->help |= id == OPTION_HELP;
    if (id == OPTION_COLOR || id == OPTION_NO_COLOR)
        a->color = id == OPTION_COLOR;
}

/* The command's rows as getopt_long wants them. */
static void long_options(int command_mask, struct option options[OPTION_COUNT + 1])
{
    int n = 0;
    for (int i = 0; i < OPTION_COUNT; i++)
        if (rows[i].commands & command_mask)
            options[n++] = (struct option){rows[i].name, rows[i].value ? required_argument : no_argument, NULL, i + 256};
    options[n] = (struct option){0};
}

static bool take_options(int argc, char **argv, int command_mask, struct arguments *arguments, struct error *error)
{
    struct option options[OPTION_COUNT + 1];
    long_options(command_mask, options);
    optind = 0;
    opterr = 0;
    for (int got; (got = getopt_long(argc, argv, ":", options, NULL)) != -1;) {
        if (got == ':' || got == '?')
            return error_set(error, STATUS_USAGE, "%s %s; `hipcontract %s --help` lists the options", argv[optind - 1],
                             got == ':' ? "needs a value" : "is no option here", arguments->command);
        enum option_id id = (enum option_id)(got - 256);
        enum report_file format = report_file_of(id);
        if (rows[id].commands & ON_EMULATOR)
            arguments->emulator_option = rows[id].name;
        if (format < REPORT_FILE_COUNT)
            arguments->report_files.path[format] = rows[id].value ? optarg : "";
        else if (!rows[id].value)
            take_flag(arguments, id);
        else if (!take_value(arguments, id, optarg, error))
            return false;
    }
    return true;
}

void arguments_visit(int argc, char **argv, int command_mask, arguments_take *take, void *context)
{
    struct option options[OPTION_COUNT + 1];
    long_options(command_mask, options);
    optind = 0;
    opterr = 0;
    for (int got; (got = getopt_long(argc, argv, ":", options, NULL)) >= 256;)
        take(context, rows[got - 256].commands, rows[got - 256].name, optarg);
}

bool arguments_parse(int argc, char **argv, int command_mask, struct arguments *arguments, struct error *error)
{
    *arguments = (struct arguments){.command = argv[0],
                                    .n_jobs = parallel_processors(),
                                    .n_runs = DEFAULT_RUNS,
                                    .n_workers = 1,
                                    .time_limit_s = TOOLCHAIN_SECONDS,
                                    .dump_row = -1,
                                    .n_last = DEFAULT_LAST,
                                    .sample = DEFAULT_SAMPLE,
                                    .n_seeds = DEFAULT_SEEDS,
                                    .least = DEFAULT_LEAST,
                                    .seed = 1,
                                    .checks = CHECKS_ALL,
                                    .pattern = REG_PATTERN_COUNT,
                                    .color = -1};
    if (!take_options(argc, argv, command_mask, arguments, error))
        return false;
    if ((command_mask & (FOR_RUN | FOR_HISTORY)) && optind < argc)
        arguments->kernel = argv[optind++];
    while (command_mask == FOR_AUDIT && optind < argc)
        if (!add_value("only", argv[optind++], arguments->only, &arguments->n_only, error))
            return false;
    if (command_mask & (FOR_REPORT | FOR_COMPARE)) {
        arguments->logs = (const char *const *)argv + optind;
        arguments->n_logs = (size_t)(argc - optind);
        optind = argc;
    }
    if (optind < argc)
        return error_set(error, STATUS_USAGE, "unexpected argument %s; `hipcontract %s --help` shows the usage",
                         argv[optind], arguments->command);
    if (arguments->on_gpu && arguments->emulator_option)
        return error_set(error, STATUS_USAGE, "--%s is of the emulator; leave it out with --device rocm",
                         arguments->emulator_option);
    if (command_mask == FOR_SLURM && !arguments->n_shards && !arguments->help)
        return error_set(error, STATUS_USAGE, "give --shards N, in how many parts the registrations are run");
    if (arguments->costs && !arguments->n_shards)
        return error_set(error, STATUS_USAGE, "--costs is for --shard; give both, or leave it out");
    if (arguments->db && arguments->no_db)
        return error_set(error, STATUS_USAGE, "--db and --no-db exclude each other");
    if (arguments->quick && arguments->full)
        return error_set(error, STATUS_USAGE, "--quick and --full exclude each other");
    return true;
}

void arguments_print_help(int command_mask, const char *usage)
{
    printf("%s\n", usage);
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (!(rows[i].commands & command_mask))
            continue;
        int width = printf("  --%s%s%s", rows[i].name, rows[i].value ? " " : "", rows[i].value ? rows[i].value : "");
        printf("%*s%s\n", width < 30 ? 30 - width : 1, "", rows[i].help);
    }
}

const char *arguments_scope(const struct arguments *arguments)
{
    return arguments->quick ? "quick" : arguments->full ? "full" : "default";
}

int command_fail(const char *command, const struct error *error)
{
    fflush(stdout);
    fprintf(stderr, "hipcontract %s: %s\n", command, error->text);
    return error->status;
}
