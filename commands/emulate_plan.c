#include "commands/emulate_plan.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/checks.h"
#include "commands/matrix_model.h"
#include "contract/base/parallel.h"
#include "device/device.h"

/* X(id, name, value's name or NULL, help): the options of a launch, then those of the emulator. */
#define LAUNCH_OPTIONS(X)                                                                                                  \
    X(KERNEL, "kernel", "NAME", "(default: the code object's only kernel)")                                                \
    X(GRID, "grid", "X[,Y[,Z]]", "workgroups (default: 1)")                                                                \
    X(BLOCK, "block", "X[,Y[,Z]]", "work-items of one (default: 1)")                                                       \
    X(LDS, "lds", "BYTES", "dynamic LDS (default: 0)")                                                                     \
    X(ON_DEVICE, "on-device", "D", "where the launch and the buffers that it creates are (default: 0)")                    \
    X(ARG, "arg", "ARGUMENT", "one for each of the kernel's arguments, in its order; see below")                           \
    X(THEN, "then", NULL, "the next launch, on the same memory")
#define EMULATOR_OPTIONS(X)                                                                                                \
    X(CHIP, "chip", "gfxNNNN", "(default: the code object's own)")                                                         \
    X(CHECK, "check", "KINDS", CHECKS_HELP)                                                                                \
    X(NO_CHECK, "no-check", "KINDS", NO_CHECKS_HELP)                                                                       \
    X(SCHEDULE, "schedule", "SEED", "permute workgroups, waves and switch points (default: 0, the natural order)")         \
    X(DEVICE_COUNT, "device-count", "N", "emulated devices (default: 1)")                                                  \
    X(PEER_ACCESS, "peer-access", NULL, "let each device use the memory of the others, as hipDeviceEnablePeerAccess does") \
    X(MAX_INSTRUCTIONS, "max-instructions", "N",                                                                           \
      "that a wave may execute before the watchdog ends the launch (default: 2^28)")                                       \
    X(APPROX, "approx", "SEED", "perturb approximate functions within their documented ulp")                               \
    X(MATRIX_MODEL, "matrix-model", "NAME", MATRIX_MODEL_HELP)                                                             \
    X(JOBS, "jobs", "N", "host threads (default: one a processor); results do not depend on it")                           \
    X(STATS, "stats", NULL, "instructions executed, lanes, bytes, cache lines, LDS bank conflicts")                        \
    X(PROFILE, "profile", "FILE", "write the counts of each instruction, for `disasm --profile FILE`")                     \
    X(HELP, "help", NULL, "this text")
#define OPTIONS(X) LAUNCH_OPTIONS(X) EMULATOR_OPTIONS(X)

#define OPTION_ENUM(id, name, value, help) OPTION_##id,
enum option_id { OPTION_NONE, OPTIONS(OPTION_ENUM) OPTION_END };
#undef OPTION_ENUM

static const struct option options[] = {
#define OPTION_ROW(id, name, value, help) {name, (value) ? required_argument : no_argument, NULL, OPTION_##id},
    OPTIONS(OPTION_ROW)
#undef OPTION_ROW
        {NULL, 0, NULL, 0},
};

static void print_option(const char *name, const char *value, const char *help)
{
    char left[40];
    snprintf(left, sizeof left, "--%s%s%s", name, value ? " " : "", value ? value : "");
    printf("  %-22s  %s\n", left, help);
}

void emulate_print_help(void)
{
#define OPTION_LINE(id, name, value, help) print_option(name, value, help);
    puts("usage: hipcontract emulate FILE.co [OPTIONS OF A LAUNCH] [--then OPTIONS OF THE NEXT]… [OPTIONS]\n\n"
         "Runs kernels of a code object on the emulated chip and writes their outputs (docs/emulate.md).\n\nA launch:");
    LAUNCH_OPTIONS(OPTION_LINE)
    puts("\nThe emulator:");
    EMULATOR_OPTIONS(OPTION_LINE)
#undef OPTION_LINE
    puts("\nARGUMENT is one of\n"
         "  TYPE=VALUE               a scalar; types are i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64\n"
         "  bytes=HEX                a struct by value\n"
         "  in:TYPE:FILE             a buffer with a file's bytes\n"
         "  inout:TYPE:FILE[:OUT]    written back to OUT, or to FILE\n"
         "  out:TYPE:COUNT[:FILE]    poisoned first; without a file its XXH3-128 is printed\n"
         "  rand:TYPE:COUNT          floats in [-1, 1), any integer; the same in every run\n"
         "  zero:TYPE:COUNT          zeros; sparse:TYPE:COUNT commits them as they are touched\n"
         "  null, @K                 a null pointer; the buffer of argument K, from 0, of the first launch\n"
         "A buffer may end in +BYTES: the pointer is that far inside it. A field pad=BYTES asks for guards on both sides "
         "(at most\n"
         "65536, which every buffer has).\n\n"
         "Findings go to standard error, one a line. Exit status: 0 ran clean, 1 a finding, a refused launch, a trap or "
         "the\n"
         "watchdog, 2 wrong usage or files, 3 no such kernel or chip, 5 an instruction that the emulator does not "
         "implement.");
}

static bool wrong(struct error *error, const char *name, const char *text, const char *wanted)
{
    return error_set(error, STATUS_USAGE, "--%s %s: wanted %s", name, text, wanted);
}

/* "X[,Y[,Z]]"; missing ones are 1. */
static bool parse_extent(const char *name, const char *text, uint32_t extent[3], struct error *error)
{
    const char *at = text;
    for (int axis = 0; axis < 3; axis++)
        extent[axis] = 1;
    for (int axis = 0; axis < 3; axis++) {
        char number[24];
        size_t length = strcspn(at, ",");
        uint64_t value;
        if (length >= sizeof number)
            return wrong(error, name, text, "X[,Y[,Z]]");
        memcpy(number, at, length);
        number[length] = 0;
        if (!emulate_number(number, UINT32_MAX, &value))
            return wrong(error, name, text, "X[,Y[,Z]]");
        extent[axis] = (uint32_t)value;
        if (at[length] == 0)
            return true;
        at += length + 1;
    }
    return wrong(error, name, text, "X[,Y[,Z]]");
}

static bool add_launch(struct emulate_plan *plan, struct error *error)
{
    if (plan->n_launches == EMULATE_LAUNCHES)
        return error_set(error, STATUS_USAGE, "more than %d launches", EMULATE_LAUNCHES);
    plan->launches[plan->n_launches++] = (struct emulate_launch){.grid = {1, 1, 1}, .block = {1, 1, 1}};
    return true;
}

static bool add_argument(struct emulate_launch *launch, const char *text, struct error *error)
{
    if (launch->n_arguments == EMULATE_ARGUMENTS)
        return error_set(error, STATUS_USAGE, "--arg %s: more than %d arguments", text, EMULATE_ARGUMENTS);
    size_t index = launch->n_arguments++;
    return emulate_argument_parse(text, index, &launch->arguments[index], error);
}

static bool take_number(const char *name, const char *text, uint64_t least, uint64_t most, uint64_t *value,
                        struct error *error)
{
    if (emulate_number(text, most, value) && *value >= least)
        return true;
    return error_set(error, STATUS_USAGE, "--%s %s: wanted a number from %llu to %llu", name, text,
                     (unsigned long long)least, (unsigned long long)most);
}

/* An option with a number: its bounds, and where it goes. */
static bool apply_number(int option, const char *text, struct emulate_plan *plan, struct error *error)
{
    struct emulate_launch *launch = &plan->launches[plan->n_launches - 1];
    const struct {
        int option;
        const char *name;
        uint64_t least, most;
        uint64_t *wide;
        uint32_t *narrow;
        int *whole;
    } numbers[] = {
        {OPTION_LDS, "lds", 0, UINT32_MAX, NULL, &launch->lds_bytes, NULL},
        {OPTION_ON_DEVICE, "on-device", 0, 63, NULL, NULL, &launch->device},
        {OPTION_SCHEDULE, "schedule", 0, UINT64_MAX, &plan->schedule, NULL, NULL},
        {OPTION_DEVICE_COUNT, "device-count", 1, 64, NULL, NULL, &plan->n_devices},
        {OPTION_MAX_INSTRUCTIONS, "max-instructions", 1, UINT64_MAX, &plan->max_instructions, NULL, NULL},
        {OPTION_APPROX, "approx", 0, UINT64_MAX, &plan->approx_seed, NULL, NULL},
        {OPTION_JOBS, "jobs", 1, 256, NULL, NULL, &plan->n_jobs},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        uint64_t value;
        if (numbers[i].option != option)
            continue;
        if (!take_number(numbers[i].name, text, numbers[i].least, numbers[i].most, &value, error))
            return false;
        if (numbers[i].wide)
            *numbers[i].wide = value;
        else if (numbers[i].narrow)
            *numbers[i].narrow = (uint32_t)value;
        else
            *numbers[i].whole = (int)value;
        return true;
    }
    return error_set(error, STATUS_USAGE, "unknown option; `hipcontract emulate --help` lists them");
}

static bool apply(int option, const char *text, struct emulate_plan *plan, struct error *error)
{
    struct emulate_launch *launch = &plan->launches[plan->n_launches - 1];
    switch (option) {
    case OPTION_KERNEL:
        launch->kernel = text;
        return true;
    case OPTION_GRID:
        return parse_extent("grid", text, launch->grid, error);
    case OPTION_BLOCK:
        return parse_extent("block", text, launch->block, error);
    case OPTION_ARG:
        return add_argument(launch, text, error);
    case OPTION_THEN:
        return add_launch(plan, error);
    case OPTION_CHIP:
        plan->chip = text;
        return true;
    case OPTION_CHECK:
        return checks_parse("check", text, &plan->checks, error);
    case OPTION_NO_CHECK:
        return checks_leave_out("no-check", text, &plan->checks, error);
    case OPTION_MATRIX_MODEL:
        return matrix_model_parse(text, &plan->matrix_model, error);
    case OPTION_PROFILE:
        plan->profile = text;
        return true;
    case OPTION_PEER_ACCESS:
        return plan->peer_access = true;
    case OPTION_STATS:
        return plan->stats = true;
    case OPTION_HELP:
        return plan->help = true;
    default:
        return apply_number(option, text, plan, error);
    }
}

/* What only the whole line shows: devices that are there, and @K that leads to a buffer. */
static bool check_plan(const struct emulate_plan *plan, struct error *error)
{
    for (size_t l = 0; l < plan->n_launches; l++) {
        const struct emulate_launch *launch = &plan->launches[l];
        if (launch->device >= plan->n_devices)
            return error_set(error, STATUS_USAGE, "--on-device %d: there are %d; --device-count sets how many",
                             launch->device, plan->n_devices);
        for (size_t i = 0; i < launch->n_arguments; i++) {
            const struct emulate_argument *argument = &launch->arguments[i];
            if (argument->kind == ARGUMENT_SAME && (argument->same >= plan->launches[0].n_arguments ||
                                                    !emulate_is_buffer(&plan->launches[0].arguments[argument->same])))
                return error_set(error, STATUS_USAGE, "--arg @%zu: argument %zu of the first launch is no buffer",
                                 argument->same, argument->same);
        }
    }
    return true;
}

bool emulate_plan_parse(int argc, char **argv, struct emulate_plan *plan, struct error *error)
{
    *plan = (struct emulate_plan){.n_devices = 1, .n_jobs = parallel_processors(), .checks = CHECKS_ALL};
    plan->launches = calloc(EMULATE_LAUNCHES, sizeof *plan->launches);
    if (!plan->launches)
        return error_set(error, STATUS_ENVIRONMENT, "out of memory");
    add_launch(plan, error);
    optind = 0;
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, ":", options, NULL)) != -1;) {
        if (option == '?' || option == ':')
            return error_set(error, STATUS_USAGE, "%s %s; `hipcontract emulate --help` lists the options", argv[optind - 1],
                             option == '?' ? "is no option" : "lacks its value");
        if (!apply(option, optarg, plan, error))
            return false;
    }
    if (plan->help)
        return true;
    if (optind + 1 != argc)
        return error_set(error, STATUS_USAGE, "wanted one code object; `hipcontract emulate --help` shows how");
    plan->path = argv[optind];
    return check_plan(plan, error);
}

void emulate_plan_free(struct emulate_plan *plan)
{
    for (size_t l = 0; plan->launches && l < plan->n_launches; l++)
        for (size_t i = 0; i < plan->launches[l].n_arguments; i++)
            emulate_argument_free(&plan->launches[l].arguments[i]);
    free(plan->launches);
}
