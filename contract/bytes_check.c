/* The rules that byte contracts keep. */
#include <string.h>

#include "contract/bytes.h"
#include "contract/registry_rules.h"
#include "contract/relations.h"

#define BAD_BYTES(error, r, b, ...)                                                                                        \
    (error_set(error, STATUS_USAGE, __VA_ARGS__),                                                                          \
     error_prefix(error, "registration %s: byte contract %s", (r)->name, (b)->name))

static bool has_names(const struct registration *r, size_t index, struct error *error)
{
    const struct reg_bytes *b = &r->bytes[index];
    if (!is_text(b->name) || !is_text(b->what) || !is_text(b->shape.label))
        return INVALID(error, r->name, "byte contract %zu needs a name, what holds, and a shape with a label", index);
    for (size_t i = 0; i < index; i++)
        if (strcmp(r->bytes[i].name, b->name) == 0)
            return INVALID(error, r->name, "two byte contracts are named %s; names are unique", b->name);
    if (reg_launcher_check_find(b->name) != REG_LAUNCHER_CHECK_COUNT)
        return BAD_BYTES(error, r, b, "is named as a check of launchers is; the log could not tell them apart");
    return true;
}

static bool is_one_kind(const struct registration *r, const struct reg_bytes *b, struct error *error)
{
    bool has_windows = b->windows || b->n_windows || b->row_tensors;
    int kinds = has_windows + !!b->expect + !!b->scaling + !!b->permutation + !!b->padding;
    if (kinds > 1)
        return BAD_BYTES(error, r, b, "gives two of windows, expected bytes and relations; make two contracts of it");
    if (kinds == 0 || (has_windows && (!b->windows || !b->n_windows)))
        return BAD_BYTES(error, r, b, "gives neither windows nor expected bytes nor a relation");
    if (b->pattern >= REG_PATTERN_COUNT)
        return BAD_BYTES(error, r, b, "has no such pattern: %d", (int)b->pattern);
    return true;
}

/* The tensor of a window, as that of the launch of all allows: so many rows of it for each row of the launch, or all of it.
 */
static bool tensor_fits(const struct registration *r, const struct reg_bytes *b, const struct reg_tensor *whole,
                        const struct reg_tensor *part, bool by_rows, int64_t window_rows, struct error *error)
{
    int64_t all_rows = b->shape.dim[b->row_dim];
    if (!by_rows && whole->role == REG_OUTPUT)
        return BAD_BYTES(error, r, b, "output %s is not among its row tensors", whole->name);
    bool same = part->role == whole->role && part->format == whole->format && part->columns == whole->columns;
    if (by_rows && (!same || whole->rows % all_rows != 0 || part->rows != whole->rows / all_rows * window_rows))
        return BAD_BYTES(error, r, b, "the rows of %s do not follow those of the launch: %lld of %lld, %lld of %lld",
                         whole->name, (long long)whole->rows, (long long)all_rows, (long long)part->rows,
                         (long long)window_rows);
    if (!by_rows && whole->role == REG_INPUT && (!same || part->rows != whole->rows))
        return BAD_BYTES(error, r, b, "input %s has another size in a window; is it one of the row tensors?", whole->name);
    return true;
}

static bool window_fits(const struct registration *r, const struct reg_bytes *b, const struct reg_plan *whole,
                        const struct reg_window *window, struct error *error)
{
    int64_t rows = b->shape.dim[b->row_dim];
    if (window->first < 0 || window->rows < 1 || window->first > rows || window->rows > rows - window->first)
        return BAD_BYTES(error, r, b, "a window of %lld rows from row %lld does not lie in the %lld rows of its shape",
                         (long long)window->rows, (long long)window->first, (long long)rows);
    struct reg_shape shape = bytes_window_shape(b, window);
    struct reg_plan part;
    if (!check_shape_plan(r, &shape, &part, error))
        return error_prefix(error, "byte contract %s, a window of %lld rows", b->name, (long long)window->rows);
    if (part.n_tensors != whole->n_tensors)
        return BAD_BYTES(error, r, b, "a window of %lld rows plans %d tensors, its shape %d", (long long)window->rows,
                         part.n_tensors, whole->n_tensors);
    for (int t = 0; t < part.n_tensors; t++)
        if (!tensor_fits(r, b, &whole->tensor[t], &part.tensor[t], b->row_tensors >> t & 1, window->rows, error))
            return false;
    return true;
}

/* Bits 1 << tensor of those of a role; REG_INPUT also without integers. */
static unsigned tensors_of(const struct reg_plan *plan, enum reg_role role, bool floats)
{
    unsigned tensors = 0;
    for (int t = 0; t < plan->n_tensors; t++)
        if (plan->tensor[t].role == role && (!floats || format_facts(plan->tensor[t].format)->is_float))
            tensors |= 1u << t;
    return tensors;
}

static bool scaling_fits(const struct registration *r, const struct reg_bytes *b, const struct reg_plan *plan,
                         struct error *error)
{
    const struct reg_scaling *s = b->scaling;
    unsigned inputs = tensors_of(plan, REG_INPUT, true), outputs = tensors_of(plan, REG_OUTPUT, true);
    if (!s->inputs || s->inputs & ~inputs || !s->outputs || s->outputs & ~outputs)
        return BAD_BYTES(error, r, b, "scales at least one input and one output, all of float formats");
    if (s->factors & ~inputs || s->inputs & ~s->factors)
        return BAD_BYTES(error, r, b, "its factors are inputs of float formats, and all that are scaled are among them");
    if (!format_facts(s->sums)->is_float || !format_facts(s->rounded)->is_float || s->sums == FORMAT_F64)
        return BAD_BYTES(error, r, b, "names the float formats of its sums and of the rounded inputs");
    return true;
}

static bool items_fit(const struct registration *r, const struct reg_bytes *b, const struct reg_plan *plan, int64_t n,
                      struct error *error)
{
    const struct reg_permutation *p = b->permutation;
    for (int t = 0; t < plan->n_tensors; t++) {
        const struct reg_tensor *tensor = &plan->tensor[t];
        bool by_rows = p->row_tensors >> t & 1, by_columns = p->column_tensors >> t & 1;
        if ((by_rows && tensor->rows % n != 0) || (by_columns && tensor->columns % n != 0))
            return BAD_BYTES(error, r, b, "%s has %lld x %lld elements, which are not equal runs for %lld items",
                             tensor->name, (long long)tensor->rows, (long long)tensor->columns, (long long)n);
    }
    return true;
}

static bool permutation_fits(const struct registration *r, const struct reg_bytes *b, const struct reg_plan *plan,
                             struct error *error)
{
    const struct reg_permutation *p = b->permutation;
    unsigned inputs = tensors_of(plan, REG_INPUT, false), outputs = tensors_of(plan, REG_OUTPUT, false);
    unsigned permuted = p->row_tensors | p->column_tensors;
    int64_t group = p->group ? p->group : 1;
    if (p->dim < 0 || p->dim >= REG_MAX_DIMS || group < 1 || b->shape.dim[p->dim] % group != 0 ||
        permutation_items(p, &b->shape) < 2)
        return BAD_BYTES(error, r, b, "dimension %d of its shape does not count two items or more, of %lld each", p->dim,
                         (long long)group);
    if (p->row_tensors & p->column_tensors || permuted & ~(inputs | outputs) || !(permuted & inputs) ||
        !(permuted & outputs))
        return BAD_BYTES(error, r, b, "permutes an input and an output at least, each by its rows or by its columns");
    return items_fit(r, b, plan, permutation_items(p, &b->shape), error);
}

static bool padding_fits(const struct registration *r, const struct reg_bytes *b, const struct reg_plan *plan,
                         struct error *error)
{
    struct reg_plan padded;
    bool grows = false;
    if (!check_shape_plan(r, &b->padding->shape, &padded, error))
        return error_prefix(error, "byte contract %s, padded", b->name);
    if (padded.n_tensors != plan->n_tensors)
        return BAD_BYTES(error, r, b, "plans %d tensors padded, its shape %d", padded.n_tensors, plan->n_tensors);
    for (int t = 0; t < plan->n_tensors; t++) {
        const struct reg_tensor *own = &plan->tensor[t], *larger = &padded.tensor[t];
        if (own->role != larger->role || own->format != larger->format || larger->rows < own->rows ||
            larger->columns < own->columns)
            return BAD_BYTES(error, r, b, "%s does not grow from its shape to the padded one", own->name);
        grows |= own->role == REG_INPUT && tensor_elements(larger) > tensor_elements(own);
    }
    return grows || BAD_BYTES(error, r, b, "no input grows from its shape to the padded one");
}

static bool relation_fits(const struct registration *r, const struct reg_bytes *b, const struct reg_plan *plan,
                          struct error *error)
{
    return (!b->scaling || scaling_fits(r, b, plan, error)) && (!b->permutation || permutation_fits(r, b, plan, error)) &&
           (!b->padding || padding_fits(r, b, plan, error));
}

static bool contract_is_sound(const struct registration *r, size_t index, struct error *error)
{
    const struct reg_bytes *b = &r->bytes[index];
    struct reg_plan plan;
    if (!has_names(r, index, error) || !is_one_kind(r, b, error) || !check_shape_plan(r, &b->shape, &plan, error))
        return false;
    if (b->n_windows && (b->row_dim < 0 || b->row_dim >= REG_MAX_DIMS || b->shape.dim[b->row_dim] < 1))
        return BAD_BYTES(error, r, b, "row_dim %d is no dimension of its shape that counts rows", b->row_dim);
    for (size_t i = 0; i < b->n_windows; i++)
        if (!window_fits(r, b, &plan, &b->windows[i], error))
            return false;
    return relation_fits(r, b, &plan, error);
}

bool check_bytes(const struct registration *r, struct error *error)
{
    if (r->n_bytes && !r->bytes)
        return INVALID(error, r->name, "counts %zu byte contracts and lists none", r->n_bytes);
    for (size_t i = 0; i < r->n_bytes; i++)
        if (!contract_is_sound(r, i, error))
            return false;
    return true;
}
