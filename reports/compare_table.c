#include "reports/compare_table.h"

#include <inttypes.h>
#include <string.h>

#include <jansson.h>

#include "contract/base/words.h"
#include "reports/json_text.h"

enum { SHOWN_CASES = 40, CHIPS_BYTES = 160 };

/* X(outcome, word of its line, name in JSON) */
#define OUTCOMES(X)                                                                                                        \
    X(EQUAL, "EQUAL", "equal")                                                                                             \
    X(UNSTABLE, "UNSTABLE", "unstable")                                                                                    \
    X(DIFFERENT, "DIFFERS", "different")                                                                                   \
    X(NO_OUTPUTS, "NONE", "no-outputs")

static const struct {
    const char *word, *name;
} outcomes[] = {
#define OUTCOME_ROW(outcome, word, name) [COMPARE_##outcome] = {word, name},
    OUTCOMES(OUTCOME_ROW)
#undef OUTCOME_ROW
};

static const char *or_unknown(const char *text)
{
    return text ? text : "not known";
}

/* The chips that the cases ran on, which may be fewer than were asked for. */
static void list_chips(const struct compare_side *side, char *list, size_t capacity)
{
    *list = '\0';
    for (size_t i = 0; i < side->n_cases; i++)
        words_add(list, capacity, side->cases[i].chip, strlen(side->cases[i].chip));
}

static void print_side(FILE *out, const char *letter, const struct compare_side *side)
{
    const struct log_environment *e = &side->environment;
    char chips[CHIPS_BYTES];
    list_chips(side, chips, sizeof chips);
    fprintf(out, "%s %s: %zu cases on %s (%s%s%s), %s, commit %.12s, seed %" PRIu64 "%s\n", letter, side->path,
            side->n_cases, chips, or_unknown(e->device), e->matrix_model ? ", matrix model " : "",
            e->matrix_model ? e->matrix_model : "", or_unknown(e->toolchain), or_unknown(e->commit), e->seed,
            side->is_cut ? "; its last line is cut short" : "");
}

static void print_elements(FILE *out, const struct compare_tensor *t)
{
    int digits = 2 * format_facts(t->format)->n_bytes;
    fprintf(out, "; %" PRId64 " of %" PRId64 " elements, %" PRId64 " of them within 1 ulp, worst ", t->n_different,
            t->rows * t->columns, t->n_within_an_ulp);
    if (t->most_ulps == UINT64_MAX)
        fputs("a NaN against a number", out);
    else
        fprintf(out, "%" PRIu64 " ulp%s", t->most_ulps, t->most_ulps == 1 ? "" : "s");
    fprintf(out, " at %s[%" PRId64 "][%" PRId64 "]: 0x%0*" PRIx64 " = %.9g, 0x%0*" PRIx64 " = %.9g", t->name,
            t->worst / t->columns, t->worst % t->columns, digits, t->a_bits, t->a, digits, t->b_bits, t->b);
}

static void print_tensor(FILE *out, const struct compare_tensor *t)
{
    if (!t->has_shape) {
        fprintf(out, "%s has not the same format and shape in both", t->name);
        return;
    }
    fprintf(out, "%s: %" PRId64 " of %" PRId64 " rows, first %" PRId64, t->name, t->n_rows_different, t->rows,
            t->first_row);
    if (t->has_elements)
        print_elements(out, t);
}

static void print_missing(FILE *out, const struct compare_case *c)
{
    const char *a = verdict_status_name(c->a->status), *b = verdict_status_name(c->b->status);
    fprintf(out, "a launch left no outputs: gate 1 is %s in A, %s in B", a, b);
}

static void print_differences(FILE *out, const struct compare_case *c)
{
    if (c->outcome == COMPARE_NO_OUTPUTS)
        print_missing(out, c);
    else if (c->n_tensors == 0)
        fputs("outputs differ (runs with --hash-outputs say where)", out);
    for (size_t i = 0; i < c->n_tensors; i++) {
        fputs(i ? "; " : "", out);
        print_tensor(out, &c->tensors[i]);
    }
}

static void print_case(FILE *out, const struct compare_case *c)
{
    bool same_chip = strcmp(c->a->chip, c->b->chip) == 0;
    fprintf(out, "%-8s %s%s%s %s  %s%s%s (%s): ", outcomes[c->outcome].word, c->a->chip, same_chip ? "" : "/",
            same_chip ? "" : c->b->chip, c->a->registration, c->a->name, *c->a->name ? " at " : "", c->a->shape,
            c->a->pattern);
    print_differences(out, c);
    fputs(c->is_same_code ? "\n" : "; another code object\n", out);
}

/* A line a registration; the list is sorted by chip and registration. */
static void print_only(FILE *out, const char *letter, const struct side_case *const *only, size_t n)
{
    for (size_t i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && strcmp(only[next]->registration, only[i]->registration) == 0 &&
                           strcmp(only[next]->chip, only[i]->chip) == 0;)
            next++;
        fprintf(out, "ONLY-%s   %s %s  %zu case%s, first %s (%s)\n", letter, only[i]->chip, only[i]->registration, next - i,
                next - i == 1 ? "" : "s", only[i]->shape, only[i]->pattern);
    }
}

static size_t count_other_code(const struct comparison *comparison)
{
    size_t n = 0;
    for (size_t i = 0; i < comparison->n_cases; i++)
        n += !comparison->cases[i].is_same_code;
    return n;
}

void compare_table_print(FILE *out, const struct comparison *comparison)
{
    size_t n_shown = comparison->n_cases - comparison->n_equal;
    print_side(out, "A", &comparison->a);
    print_side(out, "B", &comparison->b);
    for (size_t i = 0; i < n_shown && i < SHOWN_CASES; i++)
        print_case(out, &comparison->cases[i]);
    if (n_shown > SHOWN_CASES)
        fprintf(out, "and %zu cases more that differ; --json has all\n", n_shown - SHOWN_CASES);
    print_only(out, "A", comparison->only_a, comparison->n_only_a);
    print_only(out, "B", comparison->only_b, comparison->n_only_b);
    fprintf(out, "SUMMARY %zu cases compared: %zu equal byte for byte, %zu differ", comparison->n_cases,
            comparison->n_equal, comparison->n_different);
    if (comparison->n_unstable)
        fprintf(out, ", %zu differ as they may from run to run", comparison->n_unstable);
    fprintf(out, "; %zu of another code object; %zu only in A, %zu only in B\n", count_other_code(comparison),
            comparison->n_only_a, comparison->n_only_b);
}

static json_t *side_to_json(const struct compare_side *side)
{
    json_t *object = log_environment_to_json(&side->environment);
    json_object_set_new(object, "path", json_string(side->path));
    json_object_set_new(object, "cases", json_integer((json_int_t)side->n_cases));
    json_object_set_new(object, "is_cut", json_boolean(side->is_cut));
    return object;
}

static json_t *bits_to_json(const struct compare_tensor *t, uint64_t bits)
{
    return json_sprintf("0x%0*" PRIx64, 2 * format_facts(t->format)->n_bytes, bits);
}

static json_t *tensor_to_json(const struct compare_tensor *t)
{
    json_t *object = json_pack("{s:s, s:b}", "tensor", t->name, "is_alike", t->has_shape);
    if (t->has_shape)
        json_object_update_new(object,
                               json_pack("{s:s, s:I, s:I, s:I, s:I}", "format", format_facts(t->format)->name, "rows",
                                         (json_int_t)t->rows, "columns", (json_int_t)t->columns, "rows_different",
                                         (json_int_t)t->n_rows_different, "first_row", (json_int_t)t->first_row));
    if (t->has_elements)
        json_object_update_new(
            object,
            json_pack("{s:I, s:I, s:o, s:I, s:o, s:o}", "elements_different", (json_int_t)t->n_different, "within_an_ulp",
                      (json_int_t)t->n_within_an_ulp, "most_ulps",
                      t->most_ulps == UINT64_MAX ? json_string("nan") : json_integer((json_int_t)t->most_ulps), "worst",
                      (json_int_t)t->worst, "a_bits", bits_to_json(t, t->a_bits), "b_bits", bits_to_json(t, t->b_bits)));
    return object;
}

static json_t *place_to_json(const struct side_case *c)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s}", "registration", c->registration, "name", c->name, "chip", c->chip,
                     "shape", c->shape, "pattern", c->pattern);
}

static json_t *case_to_json(const struct compare_case *c)
{
    json_t *object = place_to_json(c->a), *tensors = json_array();
    for (size_t i = 0; i < c->n_tensors; i++)
        json_array_append_new(tensors, tensor_to_json(&c->tensors[i]));
    json_object_update_new(object, json_pack("{s:s, s:s, s:b, s:o}", "chip_b", c->b->chip, "outcome",
                                             outcomes[c->outcome].name, "same_code", c->is_same_code, "tensors", tensors));
    return object;
}

static json_t *only_to_json(const struct side_case *const *only, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, place_to_json(only[i]));
    return list;
}

bool compare_table_json(FILE *out, const struct comparison *comparison)
{
    json_t *cases = json_array();
    for (size_t i = 0; i < comparison->n_cases; i++)
        json_array_append_new(cases, case_to_json(&comparison->cases[i]));
    json_t *object = json_pack("{s:o, s:o, s:I, s:I, s:I, s:o, s:o, s:o}", "a", side_to_json(&comparison->a), "b",
                               side_to_json(&comparison->b), "equal", (json_int_t)comparison->n_equal, "different",
                               (json_int_t)comparison->n_different, "unstable", (json_int_t)comparison->n_unstable, "cases",
                               cases, "only_a", only_to_json(comparison->only_a, comparison->n_only_a), "only_b",
                               only_to_json(comparison->only_b, comparison->n_only_b));
    return json_write(out, object, JSON_INDENT(2)) && !ferror(out);
}
