/*
 * Runs a command again and again, each time with another call of a class made to fail, and holds each run to what must be
 * (tests/support/fault_outcome.h). Usage: sweep SHIM.so CLASS SAMPLES SEED COMMAND ARGUMENT...; prints one line of TAP
 * without its number.
 *
 * Where the class has more calls than SAMPLES, as many are chosen, evenly spread, the place in each part by the seed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/base/error.h"
#include "contract/base/random.h"
#include "tests/support/fault_outcome.h"

struct sweep {
    const char *library, *class;
    enum fault_class index;
    unsigned long n_samples;
    struct random_key key;
    char *const *command;
    struct outcome undisturbed;
    unsigned long n_run, n_noticed, n_wrong;
};

static enum fault_class find_class(const char *name)
{
    static const char *const names[] = {
#define CLASS_NAME(id, name, what) name,
        FAULT_CLASSES(CLASS_NAME)
#undef CLASS_NAME
    };
    int i = 0;
    while (i < FAULT_CLASS_COUNT && strcmp(names[i], name) != 0)
        i++;
    return (enum fault_class)i;
}

static void run_with(struct sweep *sweep, unsigned long at)
{
    struct outcome outcome;
    char text[OUTCOME_TEXT_BYTES];
    if (!outcome_run(sweep->command, sweep->library, sweep->class, at, &outcome) ||
        outcome_is_wrong(&outcome, &sweep->undisturbed, text)) {
        sweep->n_wrong++;
        printf("# %s %lu (%s): %s; status %d\n", sweep->class, at, outcome.failed, text, outcome.status);
        printf("#   it said: %.400s\n", outcome.err ? outcome.err : "");
        fflush(stdout);
    }
    sweep->n_run++;
    sweep->n_noticed += outcome.status != STATUS_OK;
    outcome_free(&outcome);
}

/* The i-th of the calls that are made to fail, from 1. */
static unsigned long chosen(const struct sweep *sweep, unsigned long n_calls, unsigned long i)
{
    if (n_calls <= sweep->n_samples)
        return i + 1;
    unsigned long first = i * n_calls / sweep->n_samples, end = (i + 1) * n_calls / sweep->n_samples;
    return first + 1 + random_bits(sweep->key, i) % (end - first);
}

static int run_all(struct sweep *sweep)
{
    unsigned long n_calls = sweep->undisturbed.calls[sweep->index];
    unsigned long n = n_calls < sweep->n_samples ? n_calls : sweep->n_samples;
    for (unsigned long i = 0; i < n; i++)
        run_with(sweep, chosen(sweep, n_calls, i));
    bool ok = n > 0 && sweep->n_wrong == 0;
    printf("%s - %s: %lu of %lu calls made to fail, %lu of them cost the status, %lu went wrong\n", ok ? "ok" : "not ok",
           sweep->class, n, n_calls, sweep->n_noticed, sweep->n_wrong);
    return ok ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc < 6 || find_class(argv[2]) == FAULT_CLASS_COUNT) {
        fprintf(stderr, "usage: sweep SHIM.so CLASS SAMPLES SEED COMMAND ARGUMENT...\n");
        return STATUS_USAGE;
    }
    struct sweep sweep = {.library = argv[1],
                          .class = argv[2],
                          .index = find_class(argv[2]),
                          .n_samples = strtoul(argv[3], NULL, 10),
                          .key = random_key_for(strtoull(argv[4], NULL, 10), argv[2]),
                          .command = argv + 5};
    if (!outcome_run(sweep.command, sweep.library, sweep.class, 0, &sweep.undisturbed) || sweep.undisturbed.status != 0) {
        printf("not ok - %s: undisturbed it ends with status %d: %.400s\n", sweep.class, sweep.undisturbed.status,
               sweep.undisturbed.err);
        return 1;
    }
    int status = run_all(&sweep);
    outcome_free(&sweep.undisturbed);
    return status;
}
