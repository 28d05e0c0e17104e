#include "contract/registry_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/base/globs.h"
#include "contract/harness_fault.h"

/* The bounds that the linker gives to the two sections; weak, because a program may have no registration. */
extern const struct reg_entry *const __start_hc_registrations[] __attribute__((weak));
extern const struct reg_entry *const __stop_hc_registrations[] __attribute__((weak));
extern const struct control *const __start_hc_controls[] __attribute__((weak));
extern const struct control *const __stop_hc_controls[] __attribute__((weak));

static const char *const pattern_names[] = {
#define PATTERN_NAME(name, text) text,
    REG_PATTERNS(PATTERN_NAME)
#undef PATTERN_NAME
};

static const char *const launcher_check_names[] = {
#define CHECK_NAME(check, name) name,
    REG_LAUNCHER_CHECKS(CHECK_NAME)
#undef CHECK_NAME
};

const char *reg_launcher_check_name(enum reg_launcher_check check)
{
    return launcher_check_names[check];
}

enum reg_launcher_check reg_launcher_check_find(const char *name)
{
    unsigned check = 0;
    while (check < REG_LAUNCHER_CHECK_COUNT && strcmp(launcher_check_names[check], name) != 0)
        check++;
    return (enum reg_launcher_check)check;
}

const char *reg_pattern_name(enum reg_pattern pattern)
{
    return pattern_names[pattern];
}

static int by_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static int by_registration_name(const void *a, const void *b)
{
    const struct registration *const *x = a, *const *y = b;
    return by_text((*x)->name, (*y)->name);
}

static int by_control_name(const void *a, const void *b)
{
    const struct control *const *x = a, *const *y = b;
    int order = by_text((*x)->registration, (*y)->registration);
    return order ? order : by_text((*x)->name, (*y)->name);
}

/* A sorted copy of n pointers. */
static void *sorted(struct arena *arena, const void *pointers, size_t n, int (*order)(const void *, const void *))
{
    void *copy = arena_alloc(arena, n * sizeof(void *));
    if (copy && n) {
        memcpy(copy, pointers, n * sizeof(void *));
        qsort(copy, n, sizeof(void *), order);
    }
    return copy;
}

bool registry_sort(struct arena *arena, const struct registry *unsorted, struct registry *registry, struct error *error)
{
    *registry = *unsorted;
    registry->registrations = sorted(arena, unsorted->registrations, unsorted->n_registrations, by_registration_name);
    registry->controls = sorted(arena, unsorted->controls, unsorted->n_controls, by_control_name);
    if (!registry->registrations || !registry->controls)
        return error_set(error, STATUS_ENVIRONMENT, "out of host memory for the list of registrations");
    return true;
}

struct registration registration_placed(const struct reg_entry *entry)
{
    struct registration placed = *entry->registration;
    placed.file = entry->file;
    placed.line = entry->line;
    return placed;
}

/* Pointers to a placed copy of each of n registrations; NULL when the host is out of memory. */
static const struct registration **placed_copies(struct arena *arena, const struct reg_entry *const *entries, size_t n)
{
    struct registration *copies = arena_alloc(arena, n * sizeof *copies);
    const struct registration **list = arena_alloc(arena, n * sizeof(const void *));
    for (size_t i = 0; copies && list && i < n; i++) {
        copies[i] = registration_placed(entries[i]);
        list[i] = &copies[i];
    }
    return copies ? list : NULL;
}

bool registry_collect(struct arena *arena, struct registry *registry, struct error *error)
{
    struct registry linked = {.controls = __start_hc_controls};
    if (__start_hc_registrations)
        linked.n_registrations = (size_t)(__stop_hc_registrations - __start_hc_registrations);
    if (__start_hc_controls)
        linked.n_controls = (size_t)(__stop_hc_controls - __start_hc_controls);
    linked.registrations = placed_copies(arena, __start_hc_registrations, linked.n_registrations);
    if (!linked.registrations)
        return error_set(error, STATUS_ENVIRONMENT, "out of host memory for the list of registrations");
    return registry_sort(arena, &linked, registry, error);
}

const struct registration *registry_find(const struct registry *registry, const char *name)
{
    for (size_t i = 0; i < registry->n_registrations; i++)
        if (strcmp(registry->registrations[i]->name, name) == 0)
            return registry->registrations[i];
    return NULL;
}

const struct reg_shape *registration_shape(const struct registration *registration, const char *label)
{
    for (size_t i = 0; i < registration->n_shapes; i++)
        if (strcmp(registration->shapes[i].label, label) == 0)
            return &registration->shapes[i];
    return NULL;
}

const struct reg_bytes *registration_bytes(const struct registration *registration, const char *name)
{
    for (size_t i = 0; i < registration->n_bytes; i++)
        if (registration->bytes[i].name && strcmp(registration->bytes[i].name, name) == 0)
            return &registration->bytes[i];
    return NULL;
}

struct control_place control_place(const struct control *control, const struct registration *registration)
{
    const struct reg_bytes *bytes = control->bytes ? registration_bytes(registration, control->bytes) : NULL;
    if (bytes)
        return (struct control_place){&bytes->shape, bytes->pattern};
    return (struct control_place){control->shape ? registration_shape(registration, control->shape) : NULL,
                                  control->pattern};
}

bool chips_hold(const char *list, const char *chip)
{
    size_t length = strlen(chip);
    for (const char *at = list; (at = strstr(at, chip)) != NULL; at += length) {
        bool starts = at == list || at[-1] == ',';
        if (starts && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}

bool chips_next(const char **list, char chip[CHIP_NAME_BYTES])
{
    if (!*list)
        return false;
    size_t n = strcspn(*list, ",");
    snprintf(chip, CHIP_NAME_BYTES, "%.*s", n < CHIP_NAME_BYTES ? (int)n : 0, *list);
    *list = (*list)[n] ? *list + n + 1 : NULL;
    return true;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

bool roots_are_same(const char *a, const char *b)
{
    return same_text(a, b);
}

bool registrations_share_family(const struct registration *a, const struct registration *b)
{
    return roots_are_same(a->root, b->root) && same_text(a->family, b->family);
}

bool registrations_share_source(const struct registration *a, const struct registration *b)
{
    return roots_are_same(a->root, b->root) && same_text(a->source, b->source);
}

bool registration_is_chosen(const struct registration *registration, const char *const *globs, size_t n_globs)
{
    const struct reg_launcher *launcher = registration->launcher;
    bool chosen = globs_choose(globs, n_globs, registration->name);
    if (!launcher)
        return chosen || globs_choose(globs, n_globs, registration->symbol);
    for (int i = 0; i < REG_MAX_KERNELS && launcher->kernels[i]; i++)
        chosen |= globs_choose(globs, n_globs, launcher->kernels[i]);
    return chosen;
}

bool registration_is_for(const struct registration *registration, const char *chip)
{
    return !registration->chips || chips_hold(registration->chips, chip);
}

enum control_duty control_duty(const struct control *control, const char *chip)
{
    if (control->green_chips && chips_hold(control->green_chips, chip))
        return CONTROL_MUST_BE_GREEN;
    return !control->chips || chips_hold(control->chips, chip) ? CONTROL_MUST_BE_RED : CONTROL_NOT_HERE;
}

bool registration_has_kernel(const struct registration *registration, const char *symbol)
{
    if (!registration->launcher)
        return strcmp(registration->symbol, symbol) == 0;
    for (int i = 0; i < REG_MAX_KERNELS && registration->launcher->kernels[i]; i++)
        if (strcmp(registration->launcher->kernels[i], symbol) == 0)
            return true;
    return false;
}

unsigned registration_patterns(const struct registration *registration)
{
    unsigned patterns =
        registration->patterns | 1u << REG_PATTERN_SIGNED | 1u << REG_PATTERN_ONESIDED | 1u << REG_PATTERN_CLASSES;
    patterns &= ~(1u << REG_PATTERN_EXACT);
    return registration->exact ? patterns | 1u << REG_PATTERN_EXACT : patterns;
}

struct random_key reg_key(const struct reg_case *c, int tensor)
{
    uint64_t seed = harness_has(HARNESS_SEED_IGNORED) ? 0 : c->seed;
    struct random_key key = random_key_for(seed, c->registration->name);
    key = random_key_for(key.value, c->shape->label);
    key = random_key_for(key.value, reg_pattern_name(c->pattern));
    return random_key_for(key.value, c->plan->tensor[tensor].name);
}
