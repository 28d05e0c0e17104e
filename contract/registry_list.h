/*
 * The registrations and controls of the program as sorted lists, and the rules that each must keep. A registry may also be
 * made by hand (tests): nothing else in the harness knows where registrations come from.
 */
#ifndef CONTRACT_REGISTRY_LIST_H
#define CONTRACT_REGISTRY_LIST_H

#include "contract/base/arena.h"
#include "contract/base/error.h"
#include "contract/registry.h"

struct registry {
    const struct registration *const *registrations; /* by name */
    size_t n_registrations;
    const struct control *const *controls; /* by registration, then name */
    size_t n_controls;
};

/* A registry with sorted copies of the lists, which belong to the arena. False when the host is out of memory. */
bool registry_sort(struct arena *arena, const struct registry *unsorted, struct registry *registry, struct error *error);
/* What a REG_KERNEL registers, and where it says so. */
struct registration registration_placed(const struct reg_entry *entry);
/* What the linker collected, sorted likewise: copies of the registrations, with their places, in the arena. */
bool registry_collect(struct arena *arena, struct registry *registry, struct error *error);
/* NULL for an unknown name. */
const struct registration *registry_find(const struct registry *registry, const char *name);
const struct reg_shape *registration_shape(const struct registration *registration, const char *label);
/* NULL for an unknown name. */
const struct reg_bytes *registration_bytes(const struct registration *registration, const char *name);
/* Where a control runs: its own shape and pattern, or those of the byte contract that it names. */
struct control_place {
    const struct reg_shape *shape;
    enum reg_pattern pattern;
};
struct control_place control_place(const struct control *control, const struct registration *registration);
/* Roots of registrations: NULL is the project's. */
bool roots_are_same(const char *a, const char *b);
/* One record file holds the kernels of both. */
bool registrations_share_family(const struct registration *a, const struct registration *b);
/* Both are compiled from one source: family and chip alike, they have one code object. */
bool registrations_share_source(const struct registration *a, const struct registration *b);
enum { CHIP_NAME_BYTES = 32 };
/* Takes the first name off a comma list, which is NULL at its end: then false. One that is empty or too long is given as
 * "". */
bool chips_next(const char **list, char chip[CHIP_NAME_BYTES]);
/* A comma list of chips names this one, whole. */
bool chips_hold(const char *list, const char *chip);
/* Its list of chips names this one, or there is no list. */
bool registration_is_for(const struct registration *registration, const char *chip);
/* One of the patterns matches its own name, or that of a kernel that it launches; of no patterns all are chosen. */
bool registration_is_chosen(const struct registration *registration, const char *const *globs, size_t n_globs);
/* What a control must be on a chip of its registration. */
enum control_duty { CONTROL_MUST_BE_RED, CONTROL_MUST_BE_GREEN, CONTROL_NOT_HERE };
enum control_duty control_duty(const struct control *control, const char *chip);
/* The registration launches the kernel of that symbol. */
bool registration_has_kernel(const struct registration *registration, const char *symbol);
/* The patterns it runs: SIGNED, ONESIDED, CLASSES, its own, and EXACT where it has exact sums; bits 1 << pattern. */
unsigned registration_patterns(const struct registration *registration);

/* Checks every registration and control for contradictions and for shape hygiene (docs/concepts.md). The first violation:
 * false, STATUS_USAGE, one line that names the registration, what is wrong and what to do. */
bool registry_check(const struct registry *registry, struct error *error);
/* "2026-11-29": true for a date that the calendar has. */
bool date_is_valid(const char *date);

#endif
