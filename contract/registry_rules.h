/*
 * What the files that check the registry share.
 */
#ifndef CONTRACT_REGISTRY_RULES_H
#define CONTRACT_REGISTRY_RULES_H

#include "contract/registry_list.h"

#define INVALID(error, name, ...)                                                                                          \
    (error_set(error, STATUS_USAGE, __VA_ARGS__), error_prefix(error, "registration %s", name))

static inline bool is_text(const char *text)
{
    return text && *text;
}

/* Plans a shape, and checks that the plan is sound. */
bool check_shape_plan(const struct registration *r, const struct reg_shape *shape, struct reg_plan *plan,
                      struct error *error);
/* The registration and the twin that it names. */
bool check_twin(const struct registry *registry, const struct registration *r, struct error *error);
/* Every byte contract of a registration. */
bool check_bytes(const struct registration *r, struct error *error);

#endif
