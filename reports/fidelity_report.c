#include "reports/fidelity_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "contract/base/words.h"

static bool no_memory(struct error *error)
{
    return error_set(error, STATUS_ENVIRONMENT, "out of host memory for the report");
}

enum fidelity_state fidelity_state(const struct fidelity_row *row)
{
    if (row->n_different == 0)
        return FIDELITY_AGREES;
    return row->n_equal ? FIDELITY_IN_DOUBT : FIDELITY_DIFFERS;
}

/* The side that counts what it executes; NULL: neither does. */
static const struct logged_outputs *counted(const struct compare_case *c)
{
    const struct logged_outputs *a = c->a->outputs, *b = c->b->outputs;
    if (b && b->n_executed)
        return b;
    return a && a->n_executed ? a : NULL;
}

/* The row of an instruction, made at first use; NULL when out of host memory. */
static struct fidelity_row *row_of(struct fidelity_report *report, const char *chip, const struct executed *executed,
                                   size_t *capacity)
{
    for (size_t i = 0; i < report->n_rows; i++)
        if (strcmp(report->rows[i].mnemonic, executed->mnemonic) == 0 && strcmp(report->rows[i].chip, chip) == 0)
            return &report->rows[i];
    if (report->n_rows == *capacity) {
        *capacity = *capacity ? 2 * *capacity : 256;
        struct fidelity_row *grown = realloc(report->rows, *capacity * sizeof *grown);
        if (!grown)
            return NULL;
        report->rows = grown;
    }
    report->rows[report->n_rows] =
        (struct fidelity_row){.chip = chip, .class = executed->class, .mnemonic = executed->mnemonic};
    return &report->rows[report->n_rows++];
}

static bool is_modelled(const struct compare_case *c, const char *mnemonic)
{
    size_t n = strlen(mnemonic);
    return words_hold(c->a->modelled, mnemonic, n) || words_hold(c->b->modelled, mnemonic, n);
}

static bool add_evidence(struct fidelity_report *report, const struct compare_case *c, size_t *capacity)
{
    const struct logged_outputs *outputs = counted(c);
    bool is_equal = c->outcome == COMPARE_EQUAL;
    report->n_equal += is_equal;
    report->n_different += !is_equal;
    for (size_t i = 0; i < outputs->n_executed; i++) {
        const struct executed *executed = &outputs->executed[i];
        struct fidelity_row *row = row_of(report, c->b->chip, executed, capacity);
        if (!row)
            return false;
        row->is_modelled |= is_modelled(c, executed->mnemonic);
        row->n_equal += is_equal;
        row->n_different += !is_equal;
        row->n_executed += is_equal ? executed->n_executed : 0;
    }
    return true;
}

static bool is_red(const struct side_case *c)
{
    return c->status != VERDICT_PASS;
}

/* The count of cases that are no evidence for the same reason; NULL: the case is. */
static size_t *reason_against(struct fidelity_report *report, const struct compare_case *c)
{
    if (strcmp(c->a->chip, c->b->chip) != 0)
        return &report->n_other_chip;
    if (!c->is_same_code)
        return &report->n_other_code;
    if (is_red(c->a) || is_red(c->b))
        return &report->n_unstable;
    return counted(c) ? NULL : &report->n_not_counted;
}

/* The likeliest first: in most of the cases that differ, and in fewest of the others. */
static int suspicion_order(const struct fidelity_row *a, const struct fidelity_row *b)
{
    if (a->n_different != b->n_different)
        return a->n_different > b->n_different ? -1 : 1;
    if (a->n_equal != b->n_equal && a->n_different)
        return a->n_equal < b->n_equal ? -1 : 1;
    return 0;
}

static int sort_rows(const void *a, const void *b)
{
    const struct fidelity_row *first = a, *second = b;
    enum fidelity_state first_state = fidelity_state(first), second_state = fidelity_state(second);
    int order = strcmp(first->chip, second->chip);
    order = order ? order : (int)first_state - (int)second_state;
    order = order ? order : suspicion_order(first, second);
    order = order ? order : strcmp(first->class, second->class);
    return order ? order : strcmp(first->mnemonic, second->mnemonic);
}

static bool is_gpu(const struct compare_side *side)
{
    return side->environment.device && strcmp(side->environment.device, "emulator") != 0;
}

bool fidelity_report_make(struct fidelity_report *report, const struct comparison *comparison, struct error *error)
{
    size_t capacity = 0;
    *report =
        (struct fidelity_report){.comparison = comparison, .is_silicon = is_gpu(&comparison->a) != is_gpu(&comparison->b)};
    for (size_t i = 0; i < comparison->n_cases; i++) {
        size_t *reason = reason_against(report, &comparison->cases[i]);
        if (reason)
            ++*reason;
        else if (!add_evidence(report, &comparison->cases[i], &capacity))
            return no_memory(error);
    }
    if (report->n_rows)
        qsort(report->rows, report->n_rows, sizeof *report->rows, sort_rows);
    return report->n_rows > 0 ||
           error_set(error, STATUS_USAGE,
                     "--fidelity-report: no case is evidence: %zu of another chip, %zu of another code object, %zu red at "
                     "gate 1, %zu without counts of executed instructions (run the emulator with --hash-outputs)",
                     report->n_other_chip, report->n_other_code, report->n_unstable, report->n_not_counted);
}

void fidelity_report_free(struct fidelity_report *report)
{
    free(report->rows);
    report->rows = NULL;
    report->n_rows = 0;
}

static void print_class(FILE *out, const struct fidelity_report *report, const struct fidelity_row *of)
{
    size_t n[FIDELITY_STATES] = {0};
    for (size_t i = 0; i < report->n_rows; i++)
        if (strcmp(report->rows[i].chip, of->chip) == 0 && strcmp(report->rows[i].class, of->class) == 0)
            n[fidelity_state(&report->rows[i])]++;
    fprintf(out, "CLASS    %s %s  %zu instructions: %zu agree, %zu in doubt, %zu differ\n", of->chip, of->class,
            n[FIDELITY_AGREES] + n[FIDELITY_IN_DOUBT] + n[FIDELITY_DIFFERS], n[FIDELITY_AGREES], n[FIDELITY_IN_DOUBT],
            n[FIDELITY_DIFFERS]);
}

/* Whether the row is the first of its chip and class. */
static bool opens_class(const struct fidelity_report *report, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (strcmp(report->rows[i].chip, report->rows[at].chip) == 0 &&
            strcmp(report->rows[i].class, report->rows[at].class) == 0)
            return false;
    return true;
}

static void print_row(FILE *out, const struct fidelity_row *row)
{
    static const char *const words[FIDELITY_STATES] = {
        [FIDELITY_DIFFERS] = "DIFFERS", [FIDELITY_IN_DOUBT] = "DOUBT", [FIDELITY_AGREES] = "AGREES"};
    fprintf(out, "%-8s %s %s %s  ", words[fidelity_state(row)], row->chip, row->class, row->mnemonic);
    if (row->n_different)
        fprintf(out, "%zu cases differ, %zu are equal", row->n_different, row->n_equal);
    else
        fprintf(out, "%zu cases are equal, %" PRIu64 " executions", row->n_equal, row->n_executed);
    fputs(row->is_modelled ? "; modelled: an assumption\n" : "\n", out);
}

static const char *device_of(const struct compare_side *side)
{
    return side->environment.device ? side->environment.device : "not known";
}

void fidelity_report_print(FILE *out, const struct fidelity_report *report)
{
    const struct comparison *comparison = report->comparison;
    fprintf(out,
            "FIDELITY A (%s) and B (%s): %zu cases are evidence: %zu equal byte for byte, %zu differ; not evidence: %zu of "
            "another chip, %zu of another code object, %zu red at gate 1, %zu without counts of executed instructions\n",
            device_of(&comparison->a), device_of(&comparison->b), report->n_equal + report->n_different, report->n_equal,
            report->n_different, report->n_other_chip, report->n_other_code, report->n_unstable, report->n_not_counted);
    if (!report->is_silicon)
        fputs("NOTE     this says nothing of silicon: one side has to be a GPU and the other the emulator\n", out);
    for (size_t i = 0; i < report->n_rows; i++)
        if (opens_class(report, i))
            print_class(out, report, &report->rows[i]);
    for (size_t i = 0; i < report->n_rows; i++)
        print_row(out, &report->rows[i]);
}
