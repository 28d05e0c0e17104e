/*
 * What one call of a kernel executes and moves on each chip, counted by the emulator, as Markdown tables: instructions of
 * waves by class (SALU holds branches, a VOPD pair is one), bytes of all lanes by memory, and global bytes over those of
 * inputs and outputs once. A launcher's call is the sum of its kernels; what it copies or sets through HIP is not counted.
 * Asserts nothing; 1 where a launch failed.
 *
 * bench_counts [--quick|--full] [GLOB [CHIP...]]: the registrations of that name (hgemm*), on chips (all of record).
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "commands/session.h"
#include "contract/base/parallel.h"
#include "contract/builds.h"
#include "contract/registry_list.h"
#include "contract/run.h"
#include "contract/workspace.h"
#include "tests/support/chip_names.h"

/* X(column, title): of the table, after chip and shape. */
#define COLUMNS(X)                                                                                                         \
    X(ALL, "instructions")                                                                                                 \
    X(VALU, "VALU")                                                                                                        \
    X(MATRIX, "matrix")                                                                                                    \
    X(SALU, "SALU")                                                                                                        \
    X(SMEM, "SMEM")                                                                                                        \
    X(LDS, "LDS")                                                                                                          \
    X(VMEM, "VMEM")                                                                                                        \
    X(WAIT, "waits, barriers")                                                                                             \
    X(OTHER, "other")                                                                                                      \
    X(GLOBAL_READ, "global read")                                                                                          \
    X(GLOBAL_WRITTEN, "global written")                                                                                    \
    X(LINES, "lines touched")                                                                                              \
    X(LDS_READ, "LDS read")                                                                                                \
    X(LDS_WRITTEN, "LDS written")                                                                                          \
    X(SCRATCH, "scratch")

#define COLUMN_ENUM(column, title) COLUMN_##column,
enum column { COLUMNS(COLUMN_ENUM) N_COLUMNS };
#undef COLUMN_ENUM

#define COLUMN_TITLE(column, title) [COLUMN_##column] = (title),
static const char *const titles[] = {COLUMNS(COLUMN_TITLE)};
#undef COLUMN_TITLE

/* The column of a class of instructions; those of no row here are the other ones. */
static const struct {
    const char *class;
    enum column column;
} columns[] = {
    {"VALU", COLUMN_VALU},       {"VALU_F16", COLUMN_VALU}, {"VALU_F64", COLUMN_VALU}, {"TRANSCENDENTAL", COLUMN_VALU},
    {"CROSS_LANE", COLUMN_VALU}, {"MATRIX", COLUMN_MATRIX}, {"SALU", COLUMN_SALU},     {"BRANCH", COLUMN_SALU},
    {"SMEM", COLUMN_SMEM},       {"LDS", COLUMN_LDS},       {"GLOBAL", COLUMN_VMEM},   {"FLAT", COLUMN_VMEM},
    {"SCRATCH", COLUMN_VMEM},    {"BUFFER", COLUMN_VMEM},   {"ATOMIC", COLUMN_VMEM},   {"WAIT", COLUMN_WAIT},
    {"BARRIER", COLUMN_WAIT},
};

struct column_counts {
    uint64_t of[N_COLUMNS];
};

static enum column column_of(const char *class)
{
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (strcmp(columns[i].class, class) == 0)
            return columns[i].column;
    return COLUMN_OTHER;
}

static void add_instruction(void *context, const struct profiled_instruction *instruction)
{
    struct column_counts *counts = context;
    const struct instruction_profile *profile = instruction->counts;
    counts->of[COLUMN_ALL] += profile->n_executed;
    counts->of[column_of(instruction->class)] += profile->n_executed;
    counts->of[COLUMN_GLOBAL_READ] += profile->read_bytes[PROFILE_GLOBAL];
    counts->of[COLUMN_GLOBAL_WRITTEN] += profile->written_bytes[PROFILE_GLOBAL];
    counts->of[COLUMN_LINES] += profile->n_lines;
    counts->of[COLUMN_LDS_READ] += profile->read_bytes[PROFILE_LDS];
    counts->of[COLUMN_LDS_WRITTEN] += profile->written_bytes[PROFILE_LDS];
    counts->of[COLUMN_SCRATCH] += profile->read_bytes[PROFILE_SCRATCH] + profile->written_bytes[PROFILE_SCRATCH];
}

/* Of all launches since the device was opened. */
static struct column_counts counts_so_far(struct device *device)
{
    struct column_counts counts = {0};
    device->visit_profile(device, add_instruction, &counts);
    return counts;
}

/* Of inputs and outputs, each once. */
static uint64_t least_bytes(const struct reg_plan *plan)
{
    uint64_t n_bytes = 0;
    for (int t = 0; t < plan->n_tensors; t++)
        if (plan->tensor[t].role != REG_WORKSPACE)
            n_bytes += tensor_bytes(&plan->tensor[t]);
    return n_bytes;
}

static void print_titles(const char *registration)
{
    printf("\n### %s\n\n| chip | shape |", registration);
    for (int column = 0; column < N_COLUMNS; column++)
        printf(" %s |", titles[column]);
    printf(" inputs + outputs | global / that |\n|---|---|");
    for (int column = 0; column < N_COLUMNS + 2; column++)
        printf("---:|");
    printf("\n");
}

static void print_counts(const char *chip, const char *shape, const struct column_counts *counts, uint64_t least)
{
    uint64_t global = counts->of[COLUMN_GLOBAL_READ] + counts->of[COLUMN_GLOBAL_WRITTEN];
    printf("| %s | %s |", chip, shape);
    for (int column = 0; column < N_COLUMNS; column++)
        printf(" %" PRIu64 " |", counts->of[column]);
    printf(" %" PRIu64 " | %.2f |\n", least, (double)global / (double)least);
    fflush(stdout);
}

static bool has_launched(const struct launch_result *result, struct error *error)
{
    if (result->is_refused)
        return error_set(error, STATUS_RED, "refused: %s", result->refused.text);
    return result->code == hipSuccess || error_set(error, STATUS_RED, "%s: %s", hip_error_name(result->code),
                                                   result->n_findings ? result->findings[0].text : "");
}

static bool launch(struct launch_target *target, const struct host_case *host, struct error *error)
{
    struct launch_fault fault = launch_as_planned(host);
    struct launch_result result;
    struct workspace ws;
    bool ok =
        workspace_open(&ws, target->device, host, &fault, LAYOUT_GUARDED, POISON_NAN, error) && launch_open(target, error);
    if (ok) {
        launch_run(target, &ws, &result);
        ok = has_launched(&result, error);
    }
    launch_close(target);
    workspace_close(&ws);
    return ok;
}

/* The row of one shape, or why there is none. */
static bool count_shape(struct launch_target *target, const struct registration *registration,
                        const struct reg_shape *shape)
{
    struct error error;
    struct host_case host;
    bool ok = host_case_open(&host, registration, shape, REG_PATTERN_SIGNED, 1, parallel_processors(), &error);
    if (ok) {
        struct column_counts before = counts_so_far(target->device), counts;
        ok = launch(target, &host, &error);
        counts = counts_so_far(target->device);
        for (int column = 0; column < N_COLUMNS; column++)
            counts.of[column] -= before.of[column];
        if (ok)
            print_counts(target->device->chip, shape->label, &counts, least_bytes(&host.plan));
    }
    if (!ok)
        fprintf(stderr, "bench_counts: %s %s on %s: %s\n", registration->name, shape->label, target->device->chip,
                error.text);
    host_case_close(&host);
    return ok;
}

static bool count_shapes(struct launch_target *target, const struct registration *registration,
                         const struct run_options *options)
{
    bool ok = true;
    for (size_t i = 0; i < registration->n_shapes; i++)
        if (run_selects_shape(options, registration, &registration->shapes[i]))
            ok &= count_shape(target, registration, &registration->shapes[i]);
    return ok;
}

static bool count_on_chip(const struct builder *builder, const struct run_options *options,
                          const struct registration *registration, const char *chip)
{
    struct error error;
    struct emulator_options emulator = {
        .chip = chip, .n_devices = 1, .n_threads = options->n_threads, .checks = CHECKS_BASIC, .count_profile = true};
    struct builds builds = {.builder = builder};
    struct launch_target target = {0};
    bool ok =
        emulator_open(&emulator, &builds.device, &error) && builds_target(&builds, registration, NULL, &target, &error);
    if (!ok)
        fprintf(stderr, "bench_counts: %s on %s: %s\n", registration->name, chip, error.text);
    ok = ok && count_shapes(&target, registration, options);
    builds_free(&builds);
    if (builds.device)
        builds.device->close(builds.device);
    return ok;
}

static bool count_registration(const struct builder *builder, const struct run_options *options,
                               const struct registration *registration, char **chip_names)
{
    size_t n_chips;
    const struct chip *chips = chip_table(&n_chips);
    bool ok = true;
    print_titles(registration->name);
    for (size_t i = 0; i < n_chips; i++)
        if ((*chip_names || chips[i].of_record) && chip_names_have(chip_names, &chips[i]) &&
            registration_is_for(registration, chips[i].name))
            ok &= count_on_chip(builder, options, registration, chips[i].name);
    return ok;
}

static enum status count_selected(const struct registry *registry, const struct builder *builder,
                                  const struct run_options *options, char **chip_names)
{
    size_t n_selected = 0;
    bool ok = true;
    for (size_t i = 0; i < registry->n_registrations; i++)
        if (run_selects(registry, options, i)) {
            n_selected++;
            ok &= count_registration(builder, options, registry->registrations[i], chip_names);
        }
    if (n_selected == 0) {
        fprintf(stderr, "bench_counts: no registration is named %s; `hipcontract list` shows them\n", options->only[0]);
        return STATUS_USAGE;
    }
    return ok ? STATUS_OK : STATUS_RED;
}

/* Takes the options and the glob off the arguments; what is left are chips. */
static char **take_arguments(char **next, struct run_options *options, const char **only)
{
    for (; *next && strncmp(*next, "--", 2) == 0; next++) {
        bool quick = strcmp(*next, "--quick") == 0, full = strcmp(*next, "--full") == 0;
        options->quick |= quick;
        options->full |= full;
        if (!quick && !full)
            fprintf(stderr, "bench_counts: %s is no option; there are --quick and --full, before the name\n", *next);
        if (!quick && !full)
            return NULL;
    }
    *only = *next ? *next++ : "hgemm*";
    options->only = only;
    options->n_only = 1;
    return chip_names_check(next) ? next : NULL;
}

int main(int argc, char **argv)
{
    (void)argc;
    struct error error = {0};
    struct arena arena = {0};
    struct registry registry;
    struct run_options options = {.n_threads = parallel_processors()};
    const char *only;
    char **chip_names = take_arguments(argv + 1, &options, &only);
    if (!chip_names)
        return STATUS_USAGE;
    struct toolchain *toolchain = toolchain_open(NULL, &error);
    struct builder builder = session_builder(toolchain);
    enum status status;
    if (toolchain && registry_collect(&arena, &registry, &error)) {
        status = count_selected(&registry, &builder, &options, chip_names);
    } else {
        fprintf(stderr, "bench_counts: %s\n", error.text);
        status = error.status;
    }
    if (toolchain)
        toolchain_close(toolchain);
    arena_free(&arena);
    return status;
}
