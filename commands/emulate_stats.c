#include "commands/emulate_stats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/profile_file.h"
#include "contract/base/file.h"
#include "contract/base/text.h"

enum { SHOWN_MNEMONICS = 24 };

/* Counts of all instructions of one name. */
struct tally {
    const char *name;
    uint64_t n_executed, n_lanes, n_lanes_of_waves; /* the last: as if all lanes had been on */
};

struct tallies {
    struct tally *rows;
    size_t n, capacity;
};

struct stats {
    struct tallies classes, mnemonics;
    struct tally all;
    struct instruction_profile sums;
    bool out_of_memory;
};

/* The row of a name, made at first use; NULL when out of memory. */
static struct tally *row_of(struct tallies *tallies, const char *name)
{
    for (size_t i = 0; i < tallies->n; i++)
        if (strcmp(tallies->rows[i].name, name) == 0)
            return &tallies->rows[i];
    if (tallies->n == tallies->capacity) {
        size_t capacity = tallies->capacity ? 2 * tallies->capacity : 64;
        struct tally *grown = realloc(tallies->rows, capacity * sizeof *grown);
        if (!grown)
            return NULL;
        tallies->rows = grown;
        tallies->capacity = capacity;
    }
    tallies->rows[tallies->n] = (struct tally){.name = name};
    return &tallies->rows[tallies->n++];
}

static void add(struct tally *tally, const struct profiled_instruction *instruction)
{
    tally->n_executed += instruction->counts->n_executed;
    if (!instruction->is_vector)
        return;
    tally->n_lanes += instruction->counts->n_lanes;
    tally->n_lanes_of_waves += instruction->counts->n_executed * instruction->n_lanes;
}

static void add_instruction(void *context, const struct profiled_instruction *instruction)
{
    struct stats *stats = context;
    struct tally *class = row_of(&stats->classes, instruction->class);
    struct tally *mnemonic = row_of(&stats->mnemonics, *instruction->mnemonic ? instruction->mnemonic : instruction->text);
    if (!class || !mnemonic) {
        stats->out_of_memory = true;
        return;
    }
    add(class, instruction);
    add(mnemonic, instruction);
    add(&stats->all, instruction);
    instruction_profile_add(&stats->sums, instruction->counts);
}

/* The most executed first, those executed alike by name. */
static int compare(const void *a, const void *b)
{
    const struct tally *first = a, *second = b;
    if (first->n_executed != second->n_executed)
        return first->n_executed > second->n_executed ? -1 : 1;
    return strcmp(first->name, second->name);
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100 * (double)part / (double)whole : 0;
}

static void print_tally(const struct tally *tally, uint64_t n_all)
{
    printf("  %-28s %14" PRIu64 " %6.2f %%", tally->name, tally->n_executed, percent(tally->n_executed, n_all));
    if (tally->n_lanes_of_waves)
        printf(" %7.2f %%", percent(tally->n_lanes, tally->n_lanes_of_waves));
    putchar('\n');
}

static void print_tallies(const char *title, struct tallies *tallies, size_t most, uint64_t n_all)
{
    printf("%-30s %14s %8s %9s\n", title, "executed", "share", "lanes on");
    qsort(tallies->rows, tallies->n, sizeof *tallies->rows, compare);
    for (size_t i = 0; i < tallies->n && i < most; i++)
        print_tally(&tallies->rows[i], n_all);
    if (tallies->n > most)
        printf("  and %zu more\n", tallies->n - most);
}

static double ratio(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : 0;
}

static void print_memory(const struct instruction_profile *sums)
{
    static const char *const names[PROFILE_SPACES] = {
        [PROFILE_GLOBAL] = "global", [PROFILE_LDS] = "LDS", [PROFILE_SCRATCH] = "scratch"};
    printf("%-30s %14s %14s\n", "bytes, all lanes", "read", "written");
    for (int space = 0; space < PROFILE_SPACES; space++)
        printf("  %-28s %14" PRIu64 " %14" PRIu64 "\n", names[space], sums->read_bytes[space], sums->written_bytes[space]);
    printf("global memory: %" PRIu64 " vector accesses touch %" PRIu64 " cache lines, %.2f each\n", sums->n_accesses,
           sums->n_lines, ratio(sums->n_lines, sums->n_accesses));
    printf("LDS: %" PRIu64 " accesses take %" PRIu64 " passes of the banks, %" PRIu64 " of them for bank conflicts\n",
           sums->n_lds_accesses, sums->n_passes, sums->n_passes - sums->n_least_passes);
}

bool emulate_print_stats(struct device *device, struct error *error)
{
    struct stats stats = {.all.name = "all"};
    device->visit_profile(device, add_instruction, &stats);
    if (!stats.out_of_memory) {
        print_tallies("class", &stats.classes, SIZE_MAX, stats.all.n_executed);
        print_tally(&stats.all, stats.all.n_executed);
        print_tallies("instruction", &stats.mnemonics, SHOWN_MNEMONICS, stats.all.n_executed);
        print_memory(&stats.sums);
    }
    free(stats.classes.rows);
    free(stats.mnemonics.rows);
    return !stats.out_of_memory || error_set(error, STATUS_ENVIRONMENT, "out of memory for the statistics");
}

static void append_line(void *context, const struct profiled_instruction *instruction)
{
    profile_file_append(context, instruction);
}

bool emulate_write_profile(struct device *device, const char *path, struct error *error)
{
    struct text text = {0};
    profile_file_start(&text);
    device->visit_profile(device, append_line, &text);
    bool ok = text.failed ? error_set(error, STATUS_ENVIRONMENT, "%s: out of memory for the profile", path)
                          : file_write(path, text.data, text.length, error);
    text_free(&text);
    return ok;
}
