/* The rules that registrations and controls keep. Each check is one function; the first that fails names its registration.
 */
#include "contract/registry_rules.h"

#include <stdio.h>
#include <string.h>

#include "device/device.h"

enum { HYGIENE_WIDTH = 32 };

static bool has_names(const struct registration *r, struct error *error)
{
    if (!is_text(r->name))
        return error_set(error, STATUS_USAGE, "a registration of family %s has no name; give it one",
                         is_text(r->family) ? r->family : "(none)");
    if (!is_text(r->family) || !is_text(r->source) || (!is_text(r->symbol) && !r->launcher))
        return INVALID(error, r->name, "family, source and symbol must all be given");
    if (r->symbol && r->launcher)
        return INVALID(error, r->name, "symbol and launcher exclude each other; a launcher lists its kernels");
    if (!r->plan || !r->reference || !r->audit || !r->model)
        return INVALID(error, r->name, "plan, reference, audit and model must all be given");
    return true;
}

static bool has_shapes(const struct registration *r, struct error *error)
{
    if (r->n_shapes == 0 || !r->shapes)
        return INVALID(error, r->name, "no shapes; list at least those of the shape rules");
    for (size_t i = 0; i < r->n_shapes; i++) {
        if (!is_text(r->shapes[i].label))
            return INVALID(error, r->name, "shape %zu has no label", i);
        for (size_t j = 0; j < i; j++)
            if (strcmp(r->shapes[i].label, r->shapes[j].label) == 0)
                return INVALID(error, r->name, "two shapes are labelled %s; labels are unique", r->shapes[i].label);
    }
    return true;
}

static bool says_why_not_exact(const struct registration *r, struct error *error)
{
    if (!r->exact && !is_text(r->exact_note))
        return INVALID(error, r->name, "no exact sums and no exact_note that says why");
    if (!is_text(r->blind_teeth) != !is_text(r->blind_reason))
        return INVALID(error, r->name, "blind_teeth and blind_reason go together");
    return true;
}

static bool tensors_are_sound(const struct registration *r, const struct reg_shape *shape, const struct reg_plan *plan,
                              struct error *error)
{
    int n_outputs = 0;
    if (plan->n_tensors < 1 || plan->n_tensors > REG_MAX_TENSORS)
        return INVALID(error, r->name, "shape %s plans %d tensors; 1 to %d are possible", shape->label, plan->n_tensors,
                       REG_MAX_TENSORS);
    for (int i = 0; i < plan->n_tensors; i++) {
        const struct reg_tensor *tensor = &plan->tensor[i];
        n_outputs += tensor->role == REG_OUTPUT;
        if (!is_text(tensor->name) || tensor->rows < 1 || tensor->columns < 1)
            return INVALID(error, r->name, "shape %s: tensor %d needs a name, rows and columns", shape->label, i);
        for (int j = 0; j < i; j++)
            if (strcmp(plan->tensor[j].name, tensor->name) == 0)
                return INVALID(error, r->name, "shape %s: two tensors are named %s", shape->label, tensor->name);
    }
    return n_outputs > 0 || INVALID(error, r->name, "shape %s plans no output", shape->label);
}

static bool launch_is_sound(const struct registration *r, const struct reg_shape *shape, const struct reg_plan *plan,
                            struct error *error)
{
    if (r->launcher)
        return true;
    if (plan->n_args < 1 || plan->n_args > REG_MAX_ARGS)
        return INVALID(error, r->name, "shape %s plans %d arguments; 1 to %d are possible", shape->label, plan->n_args,
                       REG_MAX_ARGS);
    for (int i = 0; i < plan->n_args; i++)
        if (plan->arg[i].kind == REG_ARG_TENSOR && (plan->arg[i].tensor < 0 || plan->arg[i].tensor >= plan->n_tensors))
            return INVALID(error, r->name, "shape %s: argument %d names tensor %d of %d", shape->label, i,
                           plan->arg[i].tensor, plan->n_tensors);
    for (int d = 0; d < 3; d++)
        if (plan->grid[d] == 0 || plan->block[d] == 0)
            return INVALID(error, r->name, "shape %s: grid and block must be at least 1 in each dimension", shape->label);
    return true;
}

bool check_shape_plan(const struct registration *r, const struct reg_shape *shape, struct reg_plan *plan,
                      struct error *error)
{
    struct error refused = {0};
    *plan = (struct reg_plan){0};
    if (!r->plan(shape, plan, &refused))
        return INVALID(error, r->name, "its launch refuses shape %s: %s", shape->label, refused.text);
    return tensors_are_sound(r, shape, plan, error) && launch_is_sound(r, shape, plan, error);
}

/* What the shapes of a registration have between them. */
struct hygiene {
    bool one_row, several_rows, odd_width, ragged_width;
};

static void hygiene_note(struct hygiene *hygiene, const struct reg_plan *plan)
{
    bool first_output = true;
    for (int i = 0; i < plan->n_tensors; i++) {
        const struct reg_tensor *tensor = &plan->tensor[i];
        if (tensor->role == REG_WORKSPACE)
            continue;
        hygiene->odd_width |= tensor->columns > 1 && tensor->columns % 2 != 0;
        hygiene->ragged_width |= tensor->columns > 1 && tensor->columns % HYGIENE_WIDTH != 0;
        if (tensor->role != REG_OUTPUT || !first_output)
            continue;
        first_output = false;
        hygiene->one_row |= tensor->rows == 1;
        hygiene->several_rows |= tensor->rows > 1;
    }
}

static bool shapes_are_hygienic(const struct registration *r, struct error *error)
{
    struct hygiene hygiene = {0};
    struct reg_plan plan;
    for (size_t i = 0; i < r->n_shapes; i++) {
        if (!check_shape_plan(r, &r->shapes[i], &plan, error))
            return false;
        hygiene_note(&hygiene, &plan);
    }
    if (is_text(r->shape_note))
        return true;
    const char *missing = !hygiene.one_row        ? "one row"
                          : !hygiene.several_rows ? "at least two rows"
                          : !hygiene.odd_width    ? "an odd width"
                          : !hygiene.ragged_width ? "a width that is no multiple of 32"
                                                  : NULL;
    if (missing)
        return INVALID(error, r->name, "no shape has %s; add one, or say why not in shape_note", missing);
    return true;
}

bool date_is_valid(const char *date)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year, month, day, end = 0;
    if (!date || strlen(date) != 10 || sscanf(date, "%4d-%2d-%2d%n", &year, &month, &day, &end) != 3 || end != 10)
        return false;
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return year >= 1970 && month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1] + (month == 2 && leap);
}

static bool known_findings_are_sound(const struct registration *r, struct error *error)
{
    for (size_t i = 0; i < r->n_known; i++) {
        const struct reg_known_finding *known = &r->known[i];
        if (known->gate < GATE_BYTES || known->gate > GATE_LIMITS)
            return INVALID(error, r->name, "known finding %zu names gate %d; gates are 1 to 5", i, known->gate);
        if (!is_text(known->owner) || !is_text(known->reason) || !is_text(known->link))
            return INVALID(error, r->name, "known finding %zu needs owner, reason and link", i);
        if (!date_is_valid(known->expires))
            return INVALID(error, r->name, "known finding %zu expires on '%s'; write a date as YYYY-MM-DD", i,
                           known->expires ? known->expires : "");
    }
    return true;
}

static bool launcher_is_sound(const char *name, const struct reg_launcher *l, struct error *error)
{
    if (!l->open || !l->launch || !l->close || !is_text(l->kernels[0]))
        return INVALID(error, name, "a launcher needs open, launch, close and at least one kernel");
    if (!is_text(l->devices_shape) || l->n_devices < 2 || l->n_devices > REG_MAX_DEVICES)
        return INVALID(error, name, "a launcher is run on several devices: give devices_shape, and 2 to %d as n_devices",
                       REG_MAX_DEVICES);
    return true;
}

static bool check_launcher(const struct registration *r, struct error *error)
{
    if (!r->launcher)
        return true;
    if (!launcher_is_sound(r->name, r->launcher, error))
        return false;
    const struct reg_shape *shape = registration_shape(r, r->launcher->devices_shape);
    return shape != NULL ||
           INVALID(error, r->name, "its launcher's devices_shape %s is none of its shapes", r->launcher->devices_shape);
}

static bool has_control(const struct registry *registry, const struct registration *r, struct error *error)
{
    for (size_t i = 0; i < registry->n_controls; i++) {
        const struct control *k = registry->controls[i];
        if (k->registration && strcmp(k->registration, r->name) == 0 && !k->chips && !k->green_chips)
            return true;
    }
    return INVALID(error, r->name,
                   "no control for all of its chips; register at least one planted fault that must turn red on each");
}

static bool sibling_exists(const struct registry *registry, const struct registration *r, struct error *error)
{
    if (is_text(r->exact_sibling) && !registry_find(registry, r->exact_sibling))
        return INVALID(error, r->name, "exact_sibling %s is not registered", r->exact_sibling);
    return true;
}

static bool file_tensor_is_sound(const struct registration *r, const struct reg_file_tensor *tensor, struct error *error)
{
    if (!is_text(tensor->suffix))
        return INVALID(error, r->name, "a file tensor has no suffix");
    if (!tensor->refused && (!is_text(tensor->dtype) || tensor->n_dims < 0 || tensor->n_dims > REG_FILE_DIMS))
        return INVALID(error, r->name, "file tensor %s needs a dtype and 0 to %d dimensions", tensor->suffix,
                       REG_FILE_DIMS);
    if (tensor->refused && tensor->input)
        return INVALID(error, r->name, "file tensor %s is refused and yet fills input %s", tensor->suffix, tensor->input);
    return true;
}

static bool weights_are_sound(const struct registration *r, struct error *error)
{
    const struct reg_weights *weights = r->weights;
    if (!weights)
        return true;
    if (!weights->shape || weights->n_tensors < 1 || weights->n_tensors > REG_MAX_FILE_TENSORS)
        return INVALID(error, r->name, "its weights need a shape function and 1 to %d file tensors", REG_MAX_FILE_TENSORS);
    for (size_t i = 0; i < weights->n_tensors; i++)
        if (!file_tensor_is_sound(r, &weights->tensors[i], error))
            return false;
    return true;
}

/* Every chip of the comma list is one that the registration is for. */
static bool budget_chips_are_its(const struct registration *r, const struct reg_budget *budget, size_t index,
                                 struct error *error)
{
    char chip[CHIP_NAME_BYTES];
    for (const char *at = budget->chips; chips_next(&at, chip);)
        if (!*chip || !registration_is_for(r, chip))
            return INVALID(error, r->name, "budget %zu is for the chips '%s'; name some that the registration is for",
                           index, budget->chips);
    return true;
}

static bool budgets_are_sound(const struct registration *r, struct error *error)
{
    for (size_t i = 0; i < r->n_budgets; i++) {
        const struct reg_budget *budget = &r->budgets[i];
        if (!budget->no_scratch && !budget->most_vgprs && !budget->least_waves)
            return INVALID(error, r->name, "budget %zu has no ceiling; set no_scratch, most_vgprs or least_waves", i);
        if (!budget_chips_are_its(r, budget, i, error))
            return false;
    }
    return true;
}

static bool wave_size_is_one(const struct registration *r, struct error *error)
{
    return r->wave_size == 0 || r->wave_size == 32 || r->wave_size == 64 ||
           INVALID(error, r->name, "it is written for waves of %u lanes; waves have 32 or 64", r->wave_size);
}

static bool shape_depth_is_sound(const struct registration *r, const struct reg_shape *shape, struct error *error)
{
    struct reg_plan plan = {0};
    if (!check_shape_plan(r, shape, &plan, error))
        return false;
    const struct reg_case c = {.registration = r, .shape = shape, .plan = &plan};
    for (int t = 0; t < plan.n_tensors; t++) {
        struct depth depth = {0};
        if (plan.tensor[t].role != REG_OUTPUT || !format_facts(plan.tensor[t].format)->is_float)
            continue;
        r->depth(&c, t, &depth);
        if (depth.n_parts == 0)
            return INVALID(error, r->name, "shape %s: depth declares no part for %s", shape->label, plan.tensor[t].name);
        for (int i = 0; i < depth.n_parts; i++)
            if (depth.part[i].additions < 0)
                return INVALID(error, r->name, "shape %s: depth of %s has %lld additions in \"%s\"", shape->label,
                               plan.tensor[t].name, (long long)depth.part[i].additions, depth.part[i].what);
    }
    return true;
}

static bool depth_is_sound(const struct registration *r, struct error *error)
{
    if (!r->depth == !is_text(r->depth_note))
        return INVALID(error, r->name, "give depth, or in depth_note why it has no sums");
    for (size_t i = 0; r->depth && i < r->n_shapes; i++)
        if (!shape_depth_is_sound(r, &r->shapes[i], error))
            return false;
    return true;
}

static bool registration_check(const struct registry *registry, size_t i, struct error *error)
{
    const struct registration *r = registry->registrations[i];
    if (i > 0 && strcmp(registry->registrations[i - 1]->name, r->name) == 0)
        return INVALID(error, r->name, "registered twice; names are unique");
    return check_launcher(r, error) && says_why_not_exact(r, error) && known_findings_are_sound(r, error) &&
           budgets_are_sound(r, error) && wave_size_is_one(r, error) && shapes_are_hygienic(r, error) &&
           depth_is_sound(r, error) && sibling_exists(registry, r, error) && weights_are_sound(r, error) &&
           check_twin(registry, r, error) && has_control(registry, r, error);
}

#define BAD_CONTROL(error, name, ...) (error_set(error, STATUS_USAGE, __VA_ARGS__), error_prefix(error, "control %s", name))

/* The gate that judges a pattern beside gate 1. */
static int gate_of_pattern(enum reg_pattern pattern)
{
    return pattern == REG_PATTERN_CLASSES ? GATE_CLASSES : pattern == REG_PATTERN_EXACT ? GATE_EXACT : GATE_BOUND;
}

static bool tensor_argument(const struct reg_plan *plan, int arg)
{
    return arg >= 0 && arg < plan->n_args && plan->arg[arg].kind == REG_ARG_TENSOR;
}

static bool fault_is_sound(const struct control *k, const struct registration *r, const struct reg_shape *shape,
                           const struct reg_plan *plan, struct error *error)
{
    bool tensor = k->tensor >= 0 && k->tensor < plan->n_tensors;
    bool integer = k->arg >= 0 && k->arg < plan->n_args &&
                   (plan->arg[k->arg].kind == REG_ARG_I32 || plan->arg[k->arg].kind == REG_ARG_I64);
    switch (k->how) {
    case CONTROL_POINTER:
        if (!tensor || (k->offset_rows == 0 && k->offset_bytes == 0))
            return BAD_CONTROL(error, k->name, "a pointer fault needs a tensor and an offset");
        return true;
    case CONTROL_SWAP:
        if (!tensor_argument(plan, k->arg) || !tensor_argument(plan, k->other_arg) || k->arg == k->other_arg)
            return BAD_CONTROL(error, k->name, "a swap needs two different tensor arguments");
        return true;
    case CONTROL_SCALAR:
        return (integer && k->delta) || BAD_CONTROL(error, k->name, "a scalar fault needs an integer argument and a delta");
    case CONTROL_GRID:
        if (k->arg < 0 || k->arg > 2 || plan->grid[k->arg] < 2)
            return BAD_CONTROL(error, k->name, "a short grid needs a dimension (0 to 2) of at least two blocks on shape %s",
                               shape->label);
        return true;
    case CONTROL_STALE:
        return (tensor && plan->tensor[k->tensor].role == REG_INPUT) ||
               BAD_CONTROL(error, k->name, "a stale buffer must be an input");
    case CONTROL_BUILD:
        return is_text(k->define) || BAD_CONTROL(error, k->name, "a build fault needs a define");
    case CONTROL_RECORD:
        return (k->gate == GATE_LIMITS && k->delta > 0 && !r->launcher) ||
               BAD_CONTROL(error, k->name,
                           "a launch over its bound is gate 5, needs delta threads, and is a bare kernel's");
    case CONTROL_LAUNCHER:
        return k->launcher ? launcher_is_sound(k->registration, k->launcher, error)
                           : BAD_CONTROL(error, k->name, "another launcher is wanted, and none is given");
    }
    return BAD_CONTROL(error, k->name, "no such kind of fault: %d", (int)k->how);
}

static bool control_names_are_sound(const struct registry *registry, size_t i, struct error *error)
{
    const struct control *k = registry->controls[i];
    if (!is_text(k->name) || !is_text(k->registration) || !is_text(k->what) || (!k->bytes && !is_text(k->shape)))
        return error_set(error, STATUS_USAGE,
                         "control %s needs a name, its registration, what is wrong, and a shape or a byte contract",
                         is_text(k->name) ? k->name : "(no name)");
    for (size_t j = 0; j < i; j++)
        if (strcmp(registry->controls[j]->name, k->name) == 0)
            return BAD_CONTROL(error, k->name, "registered twice; names are unique");
    return true;
}

static bool is_check(const char *name)
{
    return CHECKS_ALL >> finding_kind_find(name, strlen(name)) & 1;
}

/* The shape and pattern of a control that names a byte contract are the contract's, and so is what judges. */
static bool contract_is_the_controls(const struct control *k, const struct registration *r, struct error *error)
{
    const struct reg_bytes *b = registration_bytes(r, k->bytes);
    if (!b)
        return BAD_CONTROL(error, k->name, "%s has no byte contract %s", k->registration, k->bytes);
    if (k->gate != GATE_BYTES || k->how == CONTROL_RECORD)
        return BAD_CONTROL(error, k->name, "names byte contract %s at gate %d; they are gate 1's", k->bytes, k->gate);
    if (k->finding || k->check || k->shape || k->pattern)
        return BAD_CONTROL(error, k->name,
                           "byte contract %s has its own shape and pattern, and judges by bytes: "
                           "leave shape, pattern, finding and check out",
                           k->bytes);
    return true;
}

static bool shape_is_the_controls(const struct control *k, const struct registration *r, struct error *error)
{
    if (!registration_shape(r, k->shape))
        return BAD_CONTROL(error, k->name, "%s has no shape %s", k->registration, k->shape);
    if (k->gate < GATE_BYTES || k->gate > GATE_LIMITS)
        return BAD_CONTROL(error, k->name, "names gate %d; gates are 1 to 5", k->gate);
    if (k->finding && (k->gate != GATE_BYTES || !is_check(k->finding)))
        return BAD_CONTROL(error, k->name,
                           "names a finding of %s at gate %d; mem, init, race, sync and wait are found at gate 1",
                           k->finding, k->gate);
    if (k->check && (k->gate != GATE_BYTES || !r->launcher || k->finding ||
                     reg_launcher_check_find(k->check) == REG_LAUNCHER_CHECK_COUNT))
        return BAD_CONTROL(error, k->name,
                           "names check %s of a launcher, at gate %d; launchers have devices and wave size, at gate 1",
                           k->check, k->gate);
    if (k->gate != GATE_LIMITS && !(registration_patterns(r) & 1u << k->pattern))
        return BAD_CONTROL(error, k->name, "%s does not run pattern %s", k->registration, reg_pattern_name(k->pattern));
    if (k->gate >= GATE_CLASSES && k->gate <= GATE_EXACT && k->gate != gate_of_pattern(k->pattern))
        return BAD_CONTROL(error, k->name, "pattern %s is judged by gate %d, not %d", reg_pattern_name(k->pattern),
                           gate_of_pattern(k->pattern), k->gate);
    return true;
}

static bool list_is_of(const struct control *k, const struct registration *r, const char *list, const char *field,
                       struct error *error)
{
    char chip[CHIP_NAME_BYTES];
    for (const char *at = list; chips_next(&at, chip);) {
        if (!*chip)
            return BAD_CONTROL(error, k->name, "%s is '%s'; write names with one comma between two", field, list);
        if (!registration_is_for(r, chip))
            return BAD_CONTROL(error, k->name, "%s names %s, which its registration is not for", field, chip);
        if (list == k->chips && k->green_chips && chips_hold(k->green_chips, chip))
            return BAD_CONTROL(error, k->name, "must be both red and green on %s", chip);
    }
    return true;
}

static bool chips_are_the_controls(const struct control *k, const struct registration *r, struct error *error)
{
    return list_is_of(k, r, k->chips, "chips", error) && list_is_of(k, r, k->green_chips, "green_chips", error);
}

static bool control_check(const struct registry *registry, size_t i, struct error *error)
{
    const struct control *k = registry->controls[i];
    if (!control_names_are_sound(registry, i, error))
        return false;
    const struct registration *r = registry_find(registry, k->registration);
    if (!r)
        return BAD_CONTROL(error, k->name, "no registration is named %s", k->registration);
    if (!chips_are_the_controls(k, r, error))
        return false;
    if (k->bytes ? !contract_is_the_controls(k, r, error) : !shape_is_the_controls(k, r, error))
        return false;
    const struct reg_shape *shape = control_place(k, r).shape;
    struct reg_plan plan;
    return check_shape_plan(r, shape, &plan, error) && fault_is_sound(k, r, shape, &plan, error);
}

bool registry_check(const struct registry *registry, struct error *error)
{
    for (size_t i = 0; i < registry->n_registrations; i++)
        if (!has_names(registry->registrations[i], error) || !has_shapes(registry->registrations[i], error) ||
            !check_bytes(registry->registrations[i], error))
            return false;
    for (size_t i = 0; i < registry->n_controls; i++)
        if (!control_check(registry, i, error))
            return false;
    for (size_t i = 0; i < registry->n_registrations; i++)
        if (!registration_check(registry, i, error))
            return false;
    return true;
}
