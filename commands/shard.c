#include "commands/shard.h"

#include <string.h>

#include "commands/session.h"
#include "contract/base/text.h"
#include "contract/shards.h"

/* The costs of all registrations, by index: measured and estimated. */
struct prices {
    double *measured; /* 0: not known */
    double *estimated;
};

static bool no_memory(struct error *error)
{
    return error_set(error, STATUS_ENVIRONMENT, "out of host memory for the shards");
}

/* A registration that is not known on one of its chips is estimated on all of them. */
static void price(const struct arguments *arguments, const struct registry *registry, const struct shard_costs *costs,
                  const struct run_options *options, size_t index, struct prices *prices)
{
    static const char *const fallback[] = {DEFAULT_CHIP};
    const bool is_any = arguments->on_gpu && arguments->n_chips == 0; /* whatever the GPU is */
    const char *const *chips = arguments->n_chips ? arguments->chips : fallback;
    size_t n_chips = arguments->n_chips ? arguments->n_chips : 1;
    const struct registration *registration = registry->registrations[index];
    bool is_known = costs->cost != NULL;
    for (size_t c = 0; c < n_chips; c++) {
        if (!is_any && !registration_is_for(registration, chips[c]))
            continue;
        uint64_t ns = costs->cost ? costs->cost(costs->context, registration->name, chips[c]) : 0;
        is_known = is_known && ns > 0;
        prices->measured[index] += (double)ns;
        prices->estimated[index] += shards_estimate(registry, options, index);
    }
    if (!is_known)
        prices->measured[index] = 0;
}

/* What is not selected takes no part. Returns whether any cost was measured. */
static bool settle_prices(const struct registry *registry, const struct run_options *options, struct prices *prices)
{
    double measured = 0, estimated = 0;
    for (size_t i = 0; i < registry->n_registrations; i++) {
        measured += prices->measured[i];
        estimated += prices->measured[i] > 0 ? prices->estimated[i] : 0;
    }
    for (size_t i = 0; i < registry->n_registrations; i++) {
        double scale = measured > 0 && estimated > 0 ? measured / estimated : 1;
        if (prices->measured[i] <= 0)
            prices->measured[i] = prices->estimated[i] * scale;
        if (!run_selects(registry, options, i))
            prices->measured[i] = -1;
    }
    return measured > 0;
}

static bool split(const struct arguments *arguments, const struct registry *registry, const struct shard_costs *costs,
                  struct arena *arena, const struct run_options *options, bool *part, struct log_environment *environment)
{
    size_t n = registry->n_registrations;
    struct prices prices = {arena_alloc(arena, (n + 1) * sizeof(double)), arena_alloc(arena, (n + 1) * sizeof(double))};
    int *shard_of = arena_alloc(arena, (n + 1) * sizeof *shard_of);
    if (!prices.measured || !prices.estimated || !shard_of)
        return false;
    for (size_t i = 0; i < n; i++)
        if (run_selects(registry, options, i))
            price(arguments, registry, costs, options, i, &prices);
    bool measured = settle_prices(registry, options, &prices);
    if (!shards_split(prices.measured, n, arguments->n_shards, shard_of))
        return false;
    char hash[33];
    hash_hex(shards_hash(registry, shard_of), hash);
    environment->split = arena_format(arena, "%s %s", measured ? "history" : "estimate", hash);
    for (size_t i = 0; i < n; i++)
        part[i] = shard_of[i] == arguments->shard;
    return environment->split != NULL;
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

bool shard_choose(const struct arguments *arguments, const struct registry *registry, const struct shard_costs *costs,
                  const struct log_environment *earlier, struct arena *arena, struct run_options *options,
                  struct log_environment *environment, struct error *error)
{
    if (arguments->n_shards == 0)
        return true;
    bool *part = arena_alloc(arena, registry->n_registrations + 1);
    if (!part)
        return no_memory(error);
    if (earlier && earlier->registrations) {
        environment->split = earlier->split;
        if (!take_part(registry, earlier, part, error))
            return false;
    } else if (!split(arguments, registry, costs, arena, options, part, environment)) {
        return no_memory(error);
    }
    environment->registrations = list_part(registry, part, arena);
    options->part = part;
    return environment->registrations || no_memory(error);
}

bool shard_has_limits(const struct arguments *arguments)
{
    return arguments->n_shards == 0 || arguments->shard == 1;
}
