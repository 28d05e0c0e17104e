/* The rules that a registration and its twin keep: the same shapes, patterns and tensors, and a chip that has both. */
#include <string.h>

#include "contract/host_case.h"
#include "contract/registry_rules.h"

/* Every input and output of the one plan is the other's too. */
static bool tensors_are_in(const struct reg_plan *plan, const struct reg_plan *other, const char **missing)
{
    for (int t = 0; t < plan->n_tensors; t++) {
        const struct reg_tensor *a = &plan->tensor[t];
        int same_name = plan_tensor(other, a->name);
        const struct reg_tensor *b = same_name < 0 ? NULL : &other->tensor[same_name];
        bool same = b && a->role == b->role && a->format == b->format && a->rows == b->rows && a->columns == b->columns;
        *missing = a->name;
        if (!same && a->role != REG_WORKSPACE)
            return false;
    }
    return true;
}

static bool shapes_are_the_twins(const struct registration *r, const struct registration *twin, struct error *error)
{
    for (size_t i = 0; i < r->n_shapes; i++) {
        const struct reg_shape *shape = registration_shape(twin, r->shapes[i].label);
        struct reg_plan own, other;
        const char *missing = "";
        if (!shape || memcmp(shape->dim, r->shapes[i].dim, sizeof shape->dim) != 0)
            return INVALID(error, r->name, "its twin %s has no shape %s of the same dimensions", twin->name,
                           r->shapes[i].label);
        if (!check_shape_plan(r, &r->shapes[i], &own, error) || !check_shape_plan(twin, shape, &other, error))
            return false;
        if (!tensors_are_in(&own, &other, &missing) || !tensors_are_in(&other, &own, &missing))
            return INVALID(error, r->name, "shape %s: tensor %s is not the same in its twin %s", shape->label, missing,
                           twin->name);
    }
    return true;
}

static bool share_a_chip(const struct registration *r, const struct registration *twin)
{
    if (!r->chips || !twin->chips)
        return true;
    char chip[CHIP_NAME_BYTES];
    for (const char *at = r->chips; chips_next(&at, chip);)
        if (chips_hold(twin->chips, chip))
            return true;
    return false;
}

bool check_twin(const struct registry *registry, const struct registration *r, struct error *error)
{
    if (!r->twin)
        return true;
    const struct registration *twin = registry_find(registry, r->twin);
    unsigned bound_patterns = registration_patterns(r) & ~(1u << REG_PATTERN_CLASSES | 1u << REG_PATTERN_EXACT);
    if (!twin)
        return INVALID(error, r->name, "its twin %s is not registered", r->twin);
    if (strcmp(r->twin, r->name) == 0)
        return INVALID(error, r->name, "is its own twin; name another kernel that computes the same");
    if (bound_patterns & ~registration_patterns(twin))
        return INVALID(error, r->name, "its twin %s does not run all of its patterns", r->twin);
    if (!share_a_chip(r, twin))
        return INVALID(error, r->name, "no chip has both it and its twin %s", r->twin);
    return shapes_are_the_twins(r, twin, error);
}
