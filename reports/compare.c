#include "reports/compare.h"

#include <stdlib.h>
#include <string.h>

static bool no_memory(struct error *error)
{
    return error_set(error, STATUS_ENVIRONMENT, "out of host memory for the comparison");
}

/* A case to be matched; chip is "" where each run has one chip. */
struct match_key {
    const struct side_case *c;
    const char *chip;
    size_t place; /* in the log */
};

static int key_order(const struct match_key *a, const struct match_key *b)
{
    int order = strcmp(a->chip, b->chip);
    order = order ? order : strcmp(a->c->registration, b->c->registration);
    order = order ? order : strcmp(a->c->name, b->c->name);
    order = order ? order : strcmp(a->c->shape, b->c->shape);
    return order ? order : strcmp(a->c->pattern, b->c->pattern);
}

/* The later of a case that is in a log twice comes first, and the others are passed over. */
static int sort_keys(const void *a, const void *b)
{
    const struct match_key *first = a, *second = b;
    int order = key_order(first, second);
    return order ? order : first->place < second->place ? 1 : -1;
}

static bool has_one_chip(const struct compare_side *side)
{
    for (size_t i = 1; i < side->n_cases; i++)
        if (strcmp(side->cases[i].chip, side->cases[0].chip) != 0)
            return false;
    return true;
}

/* Sorted, each case once; NULL when out of host memory. */
static struct match_key *make_keys(const struct compare_side *side, bool by_chip, struct arena *arena, size_t *n_keys)
{
    struct match_key *keys = arena_alloc(arena, side->n_cases * sizeof *keys);
    for (size_t i = 0; i < side->n_cases && keys; i++)
        keys[i] = (struct match_key){&side->cases[i], by_chip ? side->cases[i].chip : "", i};
    if (keys && side->n_cases)
        qsort(keys, side->n_cases, sizeof *keys, sort_keys);
    *n_keys = 0;
    for (size_t i = 0; i < side->n_cases && keys; i++)
        if (*n_keys == 0 || key_order(&keys[*n_keys - 1], &keys[i]) != 0)
            keys[(*n_keys)++] = keys[i];
    return keys;
}

/* An output of the case by name, or NULL. */
static const struct logged_tensor *find_tensor(const struct logged_outputs *outputs, const char *name)
{
    for (size_t i = 0; i < outputs->n_tensors; i++)
        if (strcmp(outputs->tensors[i].name, name) == 0)
            return &outputs->tensors[i];
    return NULL;
}

static bool is_alike(const struct logged_tensor *a, const struct logged_tensor *b)
{
    return a->format == b->format && a->rows == b->rows && a->columns == b->columns;
}

static void compare_rows(const struct logged_tensor *a, const struct logged_tensor *b, struct compare_tensor *t)
{
    t->first_row = -1;
    for (int64_t row = 0; row < a->rows; row++)
        if (!hash_equal(a->row_hashes[row], b->row_hashes[row]) && t->n_rows_different++ == 0)
            t->first_row = row;
}

static void compare_element(int64_t i, uint64_t a_bits, uint64_t b_bits, struct compare_tensor *t)
{
    uint64_t ulps = format_ulps(t->format, a_bits, b_bits);
    t->n_within_an_ulp += ulps <= 1;
    if (t->n_different++ > 0 && ulps <= t->most_ulps)
        return;
    t->most_ulps = ulps;
    t->worst = i;
    t->a_bits = a_bits;
    t->b_bits = b_bits;
}

static void compare_elements(const void *a, const void *b, struct compare_tensor *t)
{
    for (int64_t i = 0; i < t->rows * t->columns; i++) {
        uint64_t a_bits = format_bits(t->format, a, i), b_bits = format_bits(t->format, b, i);
        if (a_bits != b_bits)
            compare_element(i, a_bits, b_bits, t);
    }
    t->a = format_load(t->format, a, t->worst);
    t->b = format_load(t->format, b, t->worst);
    t->has_elements = true;
}

/* Comparing goes on without files that cannot be used. */
static bool add_problem(struct comparison *comparison, const char *text)
{
    const char **grown = arena_alloc(&comparison->arena, (comparison->n_problems + 1) * sizeof *grown);
    if (!grown)
        return false;
    if (comparison->n_problems)
        memcpy(grown, comparison->problems, comparison->n_problems * sizeof *grown);
    grown[comparison->n_problems++] = arena_format(&comparison->arena, "%s", text);
    comparison->problems = grown;
    return true;
}

static bool compare_kept(struct comparison *comparison, const struct compare_case *c, const struct logged_tensor *a,
                         const struct logged_tensor *b, struct compare_tensor *t)
{
    struct error error = {0};
    void *a_data = NULL, *b_data = NULL;
    bool ok = compare_side_kept(&comparison->a, c->a, a, &a_data, &error) &&
              compare_side_kept(&comparison->b, c->b, b, &b_data, &error);
    if (a_data && b_data)
        compare_elements(a_data, b_data, t);
    free(a_data);
    free(b_data);
    return ok || add_problem(comparison, error.text);
}

/* The output of one of the two cases that differs. */
static bool compare_one(struct comparison *comparison, const struct compare_case *c, const struct logged_tensor *a,
                        struct compare_tensor *t)
{
    const struct logged_tensor *b = find_tensor(c->b->outputs, a->name);
    *t = (struct compare_tensor){.name = a->name};
    if (!b || !is_alike(a, b))
        return true;
    *t = (struct compare_tensor){
        .name = a->name, .has_shape = true, .format = a->format, .rows = a->rows, .columns = a->columns};
    compare_rows(a, b, t);
    return compare_kept(comparison, c, a, b, t);
}

static bool is_equal_tensor(const struct logged_tensor *a, const struct logged_tensor *b)
{
    return b && is_alike(a, b) && hash_equal(a->hash, b->hash);
}

static bool compare_tensors(struct comparison *comparison, struct compare_case *c)
{
    const struct logged_outputs *a = c->a->outputs, *b = c->b->outputs;
    if (!a || !b)
        return true;
    struct compare_tensor *tensors = arena_alloc(&comparison->arena, a->n_tensors * sizeof *tensors);
    bool ok = tensors != NULL;
    for (size_t i = 0; i < a->n_tensors && ok; i++)
        if (!is_equal_tensor(&a->tensors[i], find_tensor(b, a->tensors[i].name)))
            ok = compare_one(comparison, c, &a->tensors[i], &tensors[c->n_tensors++]);
    c->tensors = tensors;
    return ok;
}

static bool left_outputs(const struct side_case *c)
{
    static const struct hash128 none;
    return !hash_equal(c->output, none);
}

static enum compare_outcome outcome_of(const struct compare_case *c)
{
    if (!left_outputs(c->a) || !left_outputs(c->b))
        return COMPARE_NO_OUTPUTS;
    if (hash_equal(c->a->output, c->b->output))
        return COMPARE_EQUAL;
    bool is_known = c->a->status == VERDICT_KNOWN_FINDING || c->b->status == VERDICT_KNOWN_FINDING;
    return is_known ? COMPARE_UNSTABLE : COMPARE_DIFFERENT;
}

static bool add_pair(struct comparison *comparison, const struct side_case *a, const struct side_case *b)
{
    struct compare_case *c = &comparison->cases[comparison->n_cases++];
    *c = (struct compare_case){.a = a, .b = b, .is_same_code = hash_equal(a->code, b->code)};
    c->outcome = outcome_of(c);
    comparison->n_equal += c->outcome == COMPARE_EQUAL;
    comparison->n_unstable += c->outcome == COMPARE_UNSTABLE;
    comparison->n_different += c->outcome >= COMPARE_DIFFERENT;
    return c->outcome == COMPARE_EQUAL || c->outcome == COMPARE_NO_OUTPUTS || compare_tensors(comparison, c);
}

/* Both lists of keys are sorted. */
static bool match(struct comparison *comparison, const struct match_key *a, size_t n_a, const struct match_key *b,
                  size_t n_b)
{
    bool ok = true;
    for (size_t i = 0, j = 0; ok && (i < n_a || j < n_b);) {
        int order = i == n_a ? 1 : j == n_b ? -1 : key_order(&a[i], &b[j]);
        if (order < 0)
            comparison->only_a[comparison->n_only_a++] = a[i++].c;
        else if (order > 0)
            comparison->only_b[comparison->n_only_b++] = b[j++].c;
        else
            ok = add_pair(comparison, a[i++].c, b[j++].c);
    }
    return ok;
}

uint64_t compare_ulps(const struct compare_case *c, bool *is_known)
{
    uint64_t most = 0;
    *is_known = false;
    for (size_t i = 0; i < c->n_tensors; i++)
        if (c->tensors[i].has_elements) {
            *is_known = true;
            most = c->tensors[i].most_ulps > most ? c->tensors[i].most_ulps : most;
        }
    return most;
}

/* Worst first: no outputs, then known differences, the largest first, then unknown ones; unstable and equal cases last. */
static int sort_cases(const void *a, const void *b)
{
    const struct compare_case *first = a, *second = b;
    bool first_known, second_known;
    uint64_t first_ulps = compare_ulps(first, &first_known), second_ulps = compare_ulps(second, &second_known);
    if (first->outcome != second->outcome)
        return first->outcome > second->outcome ? -1 : 1;
    if (first_known != second_known)
        return first_known ? -1 : 1;
    if (first_ulps != second_ulps)
        return first_ulps > second_ulps ? -1 : 1;
    return first->a < second->a ? -1 : first->a > second->a; /* as in the first log */
}

static bool can_be_compared(const struct comparison *comparison, struct error *error)
{
    const struct compare_side *a = &comparison->a, *b = &comparison->b;
    const char *difference = log_environment_difference(&a->environment, &b->environment, LOG_TO_COMPARE);
    return !difference ||
           error_set(error, STATUS_USAGE, "%s and %s cannot be compared: they are of another %s, so that inputs differ",
                     a->path, b->path, difference);
}

static bool compare_sides(struct comparison *comparison, struct error *error)
{
    struct arena *arena = &comparison->arena;
    struct compare_side *a = &comparison->a, *b = &comparison->b;
    bool by_chip = !has_one_chip(a) || !has_one_chip(b);
    size_t n_a, n_b;
    const struct match_key *a_keys = make_keys(a, by_chip, arena, &n_a), *b_keys = make_keys(b, by_chip, arena, &n_b);
    comparison->cases = arena_alloc(arena, n_a * sizeof *comparison->cases);
    comparison->only_a = arena_alloc(arena, n_a * sizeof(void *));
    comparison->only_b = arena_alloc(arena, n_b * sizeof(void *));
    if (!a_keys || !b_keys || !comparison->cases || !comparison->only_a || !comparison->only_b ||
        !match(comparison, a_keys, n_a, b_keys, n_b))
        return no_memory(error);
    if (comparison->n_cases)
        qsort(comparison->cases, comparison->n_cases, sizeof *comparison->cases, sort_cases);
    return comparison->n_cases > 0 || error_set(error, STATUS_USAGE,
                                                "%s and %s have no case in common: not the same registrations, shapes and "
                                                "patterns, or not the same of several chips",
                                                a->path, b->path);
}

bool compare_logs(struct comparison *comparison, const char *a_path, const char *b_path, struct error *error)
{
    *comparison = (struct comparison){0};
    return compare_side_read(&comparison->a, a_path, &comparison->arena, error) &&
           compare_side_read(&comparison->b, b_path, &comparison->arena, error) && can_be_compared(comparison, error) &&
           compare_sides(comparison, error);
}

void compare_free(struct comparison *comparison)
{
    compare_side_free(&comparison->a);
    compare_side_free(&comparison->b);
    arena_free(&comparison->arena);
}
