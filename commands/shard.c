#include "commands/shard.h"

#include <string.h>

#include "commands/session.h"
#include "contract/base/text.h"
#include "contract/shards.h"
#include "reports/history.h"

/* What a split is made of. */
struct split {
    const struct arguments *arguments;
    const struct registry *registry;
    const struct run_options *options;
    const struct log_environment *environment;
    struct history *history; /* NULL: nothing is known */
    double *costs;           /* of all registrations, by index; 0 where they were not measured, then settled */
    double *estimates;
    struct error *error;
};

static bool no_memory(struct error *error)
{
    return error_set(error, STATUS_ENVIRONMENT, "out of host memory for the shards");
}

/* In ns; 0: not known. */
static bool measured_cost(const struct split *split, const char *registration, const char *chip, uint64_t *cost_ns)
{
    const struct log_environment *e = split->environment;
    const struct history_key key = {registration, chip, e->device, e->scope, e->kernels, e->n_shards, e->commit};
    *cost_ns = 0;
    return !split->history || history_cost(split->history, &key, cost_ns, split->error);
}

/* A registration that is not known on one of its chips is estimated on all of them. */
static bool price(struct split *split, size_t index)
{
    static const char *const fallback[] = {DEFAULT_CHIP};
    const struct arguments *a = split->arguments;
    const bool is_any = a->on_gpu && a->n_chips == 0; /* whatever the GPU is */
    const char *const *chips = a->n_chips ? a->chips : fallback;
    const struct registration *registration = split->registry->registrations[index];
    bool is_known = true;
    for (size_t c = 0; c < (a->n_chips ? a->n_chips : 1); c++) {
        uint64_t cost_ns;
        if (!is_any && !registration_is_for(registration, chips[c]))
            continue;
        if (!measured_cost(split, registration->name, chips[c], &cost_ns))
            return false;
        is_known = is_known && cost_ns > 0;
        split->costs[index] += (double)cost_ns;
        split->estimates[index] += shards_estimate(split->registry, split->options, index);
    }
    if (!is_known)
        split->costs[index] = 0;
    return true;
}

/* What is not selected takes no part. Returns whether any cost was measured. */
static bool settle_costs(struct split *split)
{
    double measured = 0, estimated = 0;
    for (size_t i = 0; i < split->registry->n_registrations; i++) {
        measured += split->costs[i];
        estimated += split->costs[i] > 0 ? split->estimates[i] : 0;
    }
    for (size_t i = 0; i < split->registry->n_registrations; i++) {
        double scale = measured > 0 && estimated > 0 ? measured / estimated : 1;
        if (split->costs[i] <= 0)
            split->costs[i] = split->estimates[i] * scale;
        if (!run_selects(split->registry, split->options, i))
            split->costs[i] = -1;
    }
    return measured > 0;
}

static bool find_costs(struct split *split)
{
    for (size_t i = 0; i < split->registry->n_registrations; i++)
        if (run_selects(split->registry, split->options, i) && !price(split, i))
            return false;
    return true;
}

static bool open_costs(struct split *split, struct arena *arena)
{
    const char *path = split->arguments->costs;
    size_t n = split->registry->n_registrations + 1;
    split->costs = arena_alloc(arena, n * sizeof *split->costs);
    split->estimates = arena_alloc(arena, n * sizeof *split->estimates);
    split->history = path ? history_open(path, HISTORY_READ, split->error) : NULL;
    if (path && !split->history)
        return false;
    return (split->costs && split->estimates) || no_memory(split->error);
}

/* Names the split, and marks the shard's registrations. */
static bool make_split(struct split *split, struct arena *arena, bool *part, const char **name)
{
    size_t n = split->registry->n_registrations;
    int *shard_of = arena_alloc(arena, (n + 1) * sizeof *shard_of);
    bool measured = settle_costs(split);
    if (!shard_of || !shards_split(split->costs, n, split->arguments->n_shards, shard_of))
        return no_memory(split->error);
    char hash[33];
    hash_hex(shards_hash(split->registry, shard_of), hash);
    *name = arena_format(arena, "%s %s", measured ? "history" : "estimate", hash);
    for (size_t i = 0; i < n; i++)
        part[i] = shard_of[i] == split->arguments->shard;
    return *name || no_memory(split->error);
}

static bool split_now(struct split *split, struct arena *arena, bool *part, const char **name)
{
    bool ok = open_costs(split, arena) && find_costs(split) && make_split(split, arena, part, name);
    history_close(split->history);
    return ok;
}

/* The registrations that the log says are its. */
static bool take_part(const struct registry *registry, const struct log_environment *earlier, bool *part,
                      struct error *error)
{
    for (const char *at = earlier->registrations; at && *at;) {
        size_t length = strcspn(at, ","), i = 0;
        while (i < registry->n_registrations && (strncmp(registry->registrations[i]->name, at, length) != 0 ||
                                                 registry->registrations[i]->name[length] != '\0'))
            i++;
        if (i == registry->n_registrations)
            return error_set(error, STATUS_USAGE,
                             "the shard's log is of a registration %.*s, which there is no more; start the shards anew",
                             (int)length, at);
        part[i] = true;
        at += length + (at[length] == ',');
    }
    return true;
}

static const char *list_part(const struct registry *registry, const bool *part, struct arena *arena)
{
    struct text text = {0};
    for (size_t i = 0; i < registry->n_registrations; i++)
        if (part[i])
            text_append(&text, "%s%s", text.length ? "," : "", registry->registrations[i]->name);
    const char *list = text.failed ? NULL : arena_format(arena, "%s", text.data ? text.data : "");
    text_free(&text);
    return list;
}

bool shard_choose(const struct arguments *arguments, const struct registry *registry, const struct log_environment *earlier,
                  struct arena *arena, struct run_options *options, struct log_environment *environment,
                  struct error *error)
{
    struct split split = {arguments, registry, options, environment, .error = error};
    bool *part = arena_alloc(arena, registry->n_registrations + 1);
    if (arguments->n_shards == 0)
        return true;
    if (!part)
        return no_memory(error);
    bool is_known = earlier && earlier->registrations;
    if (is_known)
        environment->split = earlier->split;
    if (!(is_known ? take_part(registry, earlier, part, error) : split_now(&split, arena, part, &environment->split)))
        return false;
    environment->registrations = list_part(registry, part, arena);
    options->part = part;
    return environment->registrations || no_memory(error);
}

bool shard_has_limits(const struct arguments *arguments)
{
    return arguments->n_shards == 0 || arguments->shard == 1;
}
