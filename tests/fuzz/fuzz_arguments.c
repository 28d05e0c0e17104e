/*
 * Fuzz target: command lines. The first line of an input is the command, each further line an argument. It is refused with
 * one line, or what it says lies within what the commands rely on; nothing is run.
 */
#include <stdlib.h>
#include <string.h>

#include "commands/emulate_plan.h"
#include "commands/options.h"
#include "records/chips.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

enum { MAX_WORDS = 200 };

static const struct {
    const char *name;
    int mask;
} commands[] = {
    {"contract", FOR_CONTRACT}, {"gates", FOR_CONTRACT},  {"limits", FOR_LIMITS},     {"audit", FOR_AUDIT},
    {"report", FOR_REPORT},     {"slurm", FOR_SLURM},     {"compare", FOR_COMPARE},   {"list", FOR_LIST},
    {"run", FOR_RUN},           {"history", FOR_HISTORY}, {"selftest", FOR_SELFTEST},
};

static void check_lists(const struct arguments *a)
{
    const size_t counts[] = {a->n_chips, a->n_only, a->n_kernel_files, a->n_sbatch, a->n_sbatch_shards};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        must(counts[i] <= OPTION_NAMES);
    for (size_t i = 0; i < a->n_chips; i++)
        must(chip_find(a->chips[i]) != NULL);
}

static void check_numbers(const struct arguments *a)
{
    must(a->n_jobs >= 1 && a->n_runs >= 2 && a->n_devices >= 0 && a->gpu_index >= 0 && a->dump_row >= -1);
    must(a->n_shards == 0 || a->shard == 0 || (a->shard >= 1 && a->shard <= a->n_shards));
    must(a->n_last >= 1 && a->n_rows >= 0 && a->pattern <= REG_PATTERN_COUNT && a->format < AUDIT_FORMAT_COUNT);
    must(!(a->checks & ~((1u << FINDING_KIND_COUNT) - 1)) && !(a->quick && a->full));
}

static void visit(void *context, int mask, const char *name, const char *value)
{
    (void)value;
    must((mask & *(const int *)context) && name[0]);
}

static void parse(int argc, char **argv, int mask)
{
    struct arguments arguments;
    struct error error = {0};
    arguments_visit(argc, argv, mask, visit, &mask);
    if (arguments_parse(argc, argv, mask, &arguments, &error)) {
        check_lists(&arguments);
        check_numbers(&arguments);
    } else
        must_be_clear(&error);
}

static void parse_emulate(int argc, char **argv)
{
    struct emulate_plan plan;
    struct error error = {0};
    if (emulate_plan_parse(argc, argv, &plan, &error)) {
        must(plan.help || (plan.path && plan.n_launches >= 1 && plan.n_launches <= EMULATE_LAUNCHES));
        for (size_t i = 0; !plan.help && i < plan.n_launches; i++)
            must(plan.launches[i].n_arguments <= EMULATE_ARGUMENTS && plan.launches[i].device < plan.n_devices);
    } else
        must_be_clear(&error);
    emulate_plan_free(&plan);
}

/* Cuts the text up; argv ends with NULL, as that of main. */
static int split(char *text, char *argv[MAX_WORDS + 1])
{
    int argc = 0;
    for (char *word; argc < MAX_WORDS && (word = strsep(&text, "\n"));)
        argv[argc++] = word;
    argv[argc] = NULL;
    return argc;
}

static void parse_line(int argc, char **argv)
{
    if (strcmp(argv[0], "emulate") == 0)
        parse_emulate(argc, argv);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(argv[0], commands[i].name) == 0)
            parse(argc, argv, commands[i].mask);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    char *argv[MAX_WORDS + 1];
    char *text = malloc(n_bytes + 1);
    must(text != NULL);
    memcpy(text, data, n_bytes);
    text[n_bytes] = '\0';
    int argc = split(text, argv);
    if (argc)
        parse_line(argc, argv);
    free(text);
    return 0;
}
