#include "contract/shards.h"

#include <stdlib.h>
#include <string.h>

#include "contract/work.h"

/* A control runs its one case as often as gate 1 does. */
static double controls_work(const struct registry *registry, const struct registration *registration)
{
    double work = 0;
    for (size_t i = 0; i < registry->n_controls; i++) {
        const struct control *control = registry->controls[i];
        if (strcmp(control->registration, registration->name) == 0)
            work += work_of_case(registration, control_place(control, registration).shape);
    }
    return work;
}

double shards_estimate(const struct registry *registry, const struct run_options *options, size_t index)
{
    const struct registration *registration = registry->registrations[index];
    return (work_of_registration(registration, options) + controls_work(registry, registration)) * options->n_runs;
}

struct priced {
    double cost;
    size_t index;
};

static int by_cost(const void *a, const void *b)
{
    const struct priced *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost > y->cost ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static int least_loaded(const double *loads, int n_shards)
{
    int least = 0;
    for (int i = 1; i < n_shards; i++)
        if (loads[i] < loads[least])
            least = i;
    return least;
}

bool shards_split(const double *costs, size_t n, int n_shards, int *shard_of)
{
    struct priced *priced = calloc(n + 1, sizeof *priced);
    double *loads = calloc((size_t)n_shards, sizeof *loads);
    bool ok = priced && loads;
    for (size_t i = 0; i < n && ok; i++)
        priced[i] = (struct priced){costs[i], i};
    if (ok)
        qsort(priced, n, sizeof *priced, by_cost);
    for (size_t i = 0; i < n && ok; i++) {
        shard_of[priced[i].index] = 0;
        if (priced[i].cost < 0)
            continue;
        int shard = least_loaded(loads, n_shards);
        loads[shard] += priced[i].cost;
        shard_of[priced[i].index] = shard + 1;
    }
    free(priced);
    free(loads);
    return ok;
}

struct hash128 shards_hash(const struct registry *registry, const int *shard_of)
{
    struct hash128 hash = {0};
    for (size_t i = 0; i < registry->n_registrations; i++) {
        const char *name = registry->registrations[i]->name;
        hash = hash_more(hash, name, strlen(name) + 1);
        hash = hash_more(hash, &shard_of[i], sizeof shard_of[i]);
    }
    return hash;
}
