#include "device/emulator/sanitizer/race_flags.h"

#include <stdlib.h>
#include <string.h>

#include "device/emulator/sanitizer/index_table.h"

/* So many workgroups, and releases of one, are looked through for what orders two accesses; beyond, they are taken to be
 * ordered. */
enum { MAX_CHAIN = 4096, MAX_RELEASES_SEEN = 256, MAX_ACQUIRED = 256 };

struct release {
    uint32_t group, clock, covered;
    uint32_t wave, previous; /* index of the group's release before it; INDEX_NONE */
};

/* A list that grows. */
struct list {
    void *items;
    uint32_t n, capacity;
};

struct flag {
    struct list releases;        /* struct release, in the order of execution */
    struct index_table of_group; /* a group's last release */
};

struct acquired {
    struct race_token token;
    uint32_t wave, clock;
};

struct past {
    uint32_t group;
    uint32_t visit;       /* the query that saw it last */
    struct list acquired; /* struct acquired */
};

struct race_flags {
    struct list flags; /* struct flag */
    struct index_table of_address;
    struct list pasts; /* struct past, of the groups that acquired anything */
    struct index_table of_group;
    uint32_t n_visits;
    uint32_t *to_visit; /* MAX_CHAIN indices of pasts */
};

static void *list_add(struct list *list, size_t item_bytes)
{
    if (!list->items || list->n == list->capacity) {
        uint32_t capacity = list->capacity ? 2 * list->capacity : 4;
        void *items = realloc(list->items, capacity * item_bytes);
        if (!items)
            return NULL;
        list->items = items;
        list->capacity = capacity;
    }
    void *item = (char *)list->items + list->n++ * item_bytes;
    memset(item, 0, item_bytes);
    return item;
}

struct race_flags *race_flags_open(void)
{
    struct race_flags *flags = calloc(1, sizeof *flags);
    if (!flags)
        return NULL;
    flags->to_visit = malloc(MAX_CHAIN * sizeof *flags->to_visit);
    if (!flags->to_visit) {
        free(flags);
        return NULL;
    }
    return flags;
}

void race_flags_close(struct race_flags *flags)
{
    if (!flags)
        return;
    struct flag *flag = flags->flags.items;
    for (uint32_t i = 0; i < flags->flags.n; i++) {
        free(flag[i].releases.items);
        index_table_free(&flag[i].of_group);
    }
    struct past *past = flags->pasts.items;
    for (uint32_t i = 0; i < flags->pasts.n; i++)
        free(past[i].acquired.items);
    free(flags->flags.items);
    free(flags->pasts.items);
    index_table_free(&flags->of_address);
    index_table_free(&flags->of_group);
    free(flags->to_visit);
    free(flags);
}

static struct flag *flag_at(struct race_flags *flags, uint64_t address)
{
    uint32_t index = index_table_find(&flags->of_address, address);
    if (index != INDEX_NONE)
        return (struct flag *)flags->flags.items + index;
    struct flag *flag = list_add(&flags->flags, sizeof *flag);
    return flag && index_table_set(&flags->of_address, address, flags->flags.n - 1) ? flag : NULL;
}

bool race_flags_release(struct race_flags *flags, uint64_t address, const struct race_stamp *by, uint32_t covered)
{
    struct flag *flag = flag_at(flags, address);
    struct release *release = flag ? list_add(&flag->releases, sizeof *release) : NULL;
    if (!release)
        return false;
    *release = (struct release){.group = by->group,
                                .clock = by->clock,
                                .covered = covered,
                                .wave = by->wave,
                                .previous = index_table_find(&flag->of_group, by->group)};
    return index_table_set(&flag->of_group, by->group, flag->releases.n - 1);
}

struct race_token race_flags_look(const struct race_flags *flags, uint64_t address)
{
    uint32_t index = index_table_find(&flags->of_address, address);
    if (index == INDEX_NONE)
        return (struct race_token){0};
    return (struct race_token){index, ((const struct flag *)flags->flags.items)[index].releases.n};
}

static struct past *past_of(struct race_flags *flags, uint32_t group)
{
    uint32_t index = index_table_find(&flags->of_group, group);
    return index == INDEX_NONE ? NULL : (struct past *)flags->pasts.items + index;
}

/* A wave that polls learns from one flag again and again. Once a group has learnt a lot, what it learns later counts from
 * the first time on. */
static bool seen_before(struct past *past, struct race_token token, const struct race_stamp *by)
{
    struct acquired *acquired = past->acquired.items;
    for (uint32_t i = past->acquired.n; i-- > 0;) {
        if (acquired[i].token.flag != token.flag || acquired[i].wave != by->wave)
            continue;
        if (acquired[i].token.n_releases == token.n_releases)
            return true;
        if (past->acquired.n < MAX_ACQUIRED)
            return false;
        acquired[i].token = token;
        return true;
    }
    return false;
}

bool race_flags_acquire(struct race_flags *flags, struct race_token token, const struct race_stamp *by)
{
    struct past *past = past_of(flags, by->group);
    if (!past) {
        past = list_add(&flags->pasts, sizeof *past);
        if (!past || !index_table_set(&flags->of_group, by->group, flags->pasts.n - 1))
            return false;
        past->group = by->group;
    }
    if (seen_before(past, token, by))
        return true;
    struct acquired *acquired = list_add(&past->acquired, sizeof *acquired);
    if (acquired)
        *acquired = (struct acquired){.token = token, .wave = by->wave, .clock = by->clock};
    return acquired != NULL;
}

/* Whether one of the group's releases that the token stands for covers the access. */
static bool token_covers(const struct race_flags *flags, struct race_token token, const struct race_stamp *before)
{
    const struct flag *flag = (const struct flag *)flags->flags.items + token.flag;
    const struct release *releases = flag->releases.items;
    unsigned n_seen = 0;
    for (uint32_t i = index_table_find(&flag->of_group, before->group); i != INDEX_NONE; i = releases[i].previous) {
        uint32_t until = releases[i].wave == before->wave ? releases[i].clock : releases[i].covered;
        if (i < token.n_releases && (before->clock <= until || ++n_seen == MAX_RELEASES_SEEN))
            return true;
    }
    return false;
}

static bool applies(const struct acquired *acquired, const struct race_stamp *after)
{
    return acquired->wave == after->wave ? after->clock >= acquired->clock : after->clock > acquired->clock;
}

/* Puts the pasts of the groups that released at the token's flag on the list; false where the list is full. */
static bool follow(struct race_flags *flags, struct race_token token, uint32_t *n_to_visit)
{
    const struct flag *flag = (const struct flag *)flags->flags.items + token.flag;
    const struct release *releases = flag->releases.items;
    for (uint32_t i = 0; i < token.n_releases; i++) {
        struct past *past = past_of(flags, releases[i].group);
        if (!past || past->visit == flags->n_visits)
            continue;
        past->visit = flags->n_visits;
        if (*n_to_visit == MAX_CHAIN)
            return false;
        flags->to_visit[(*n_to_visit)++] = (uint32_t)(past - (struct past *)flags->pasts.items);
    }
    return true;
}

/* First what the access's own group acquired, then what those knew from whom it acquired: all of it, which may take two
 * accesses for ordered that are not, but never the other way round. */
bool race_flags_ordered(struct race_flags *flags, const struct race_stamp *before, const struct race_stamp *after)
{
    struct past *own = past_of(flags, after->group);
    uint32_t n_to_visit = 0;
    if (!own)
        return false;
    flags->n_visits++;
    own->visit = flags->n_visits;
    flags->to_visit[n_to_visit++] = (uint32_t)(own - (struct past *)flags->pasts.items);
    for (uint32_t next = 0; next < n_to_visit; next++) {
        const struct past *past = (const struct past *)flags->pasts.items + flags->to_visit[next];
        const struct acquired *acquired = past->acquired.items;
        for (uint32_t i = past->acquired.n; i-- > 0;) {
            if (next == 0 && !applies(&acquired[i], after))
                continue;
            if (token_covers(flags, acquired[i].token, before) || !follow(flags, acquired[i].token, &n_to_visit))
                return true;
        }
    }
    return false;
}
