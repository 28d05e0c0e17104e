#include "contract/counts.h"

#include <stdio.h>
#include <string.h>

#include "contract/base/words.h"

struct chip_counts *counts_of(struct counts *counts, const char *chip)
{
    for (size_t i = 0; i < counts->n_chips; i++)
        if (strcmp(counts->chips[i].chip, chip) == 0)
            return &counts->chips[i];
    if (counts->n_chips < COUNTS_CHIPS)
        counts->n_chips++;
    struct chip_counts *row = &counts->chips[counts->n_chips - 1];
    snprintf(row->chip, sizeof row->chip, "%s", chip);
    return row;
}

/* A shape, a byte contract by its name, or a registration with all its gates. */
static void fold_left_out(struct chip_counts *row, const struct verdict *v)
{
    if (*v->shape) {
        row->n_shapes_left_out += !*v->name;
        row->n_bytes_left_out += *v->name != 0;
        return;
    }
    row->n_kernels_left_out++;
    row->n_cells_not_run += GATE_EXACT;
}

static void fold_gate(struct counts *counts, const struct verdict *v)
{
    bool ran = v->status != VERDICT_NOT_RUN && v->status != VERDICT_BUILD_FAILED && v->status != VERDICT_LAUNCH_FAILED &&
               v->status != VERDICT_DIED && v->status != VERDICT_INVALID;
    counts->fails |= verdict_status_is_red(v->status);
    counts->knows |= v->status == VERDICT_KNOWN_FINDING;
    counts->is_invalid |= v->status == VERDICT_INVALID;
    counts->ran[v->gate] |= ran;
    counts->modelled[v->gate] |= *v->modelled != 0;
    if (*v->modelled) {
        struct chip_counts *row = counts_of(counts, v->chip);
        words_add_list(row->modelled, sizeof row->modelled, v->modelled);
    }
    if (v->status == VERDICT_NOT_RUN && v->gate == 0)
        fold_left_out(counts_of(counts, v->chip), v);
}

static void fold(void *context, const struct verdict *v)
{
    struct counts *counts = context;
    struct chip_counts *row = counts_of(counts, v->chip);
    switch (v->subject) {
    case SUBJECT_CONTROL:
        row->n_controls++;
        row->n_red += v->status == VERDICT_RED;
        row->n_green += v->status == VERDICT_GREEN;
        row->n_missed += v->status == VERDICT_MISS || v->status == VERDICT_DIED;
        row->n_controls_not_run += v->status == VERDICT_NOT_RUN;
        break;
    case SUBJECT_LIMIT:
        row->n_limits++;
        row->n_limit_problems += verdict_status_is_red(v->status);
        break;
    case SUBJECT_TOOTH:
        counts->fails |= verdict_status_is_red(v->status);
        break;
    case SUBJECT_GATE:
    case SUBJECT_KNOWN:
    case SUBJECT_COUNT:
        fold_gate(counts, v);
        break;
    }
}

static void registration_end(void *context, const struct registration_end *end)
{
    struct counts *counts = context;
    struct chip_counts *row = counts_of(counts, end->chip);
    row->n_kernels++;
    row->n_invalid += counts->is_invalid;
    row->n_fail += counts->fails || counts->is_invalid;
    row->n_pass += !counts->fails && !counts->is_invalid;
    row->n_known += counts->knows;
    for (int gate = GATE_BYTES; gate <= GATE_EXACT; gate++) {
        int64_t *cells = !counts->ran[gate]       ? &row->n_cells_not_run
                         : counts->modelled[gate] ? &row->n_cells_modelled
                                                  : &row->n_cells_run;
        (*cells)++;
        counts->ran[gate] = counts->modelled[gate] = false;
    }
    counts->fails = counts->knows = counts->is_invalid = false;
}

struct verdict_sink counts_sink(struct counts *counts)
{
    return (struct verdict_sink){.verdict = fold, .registration_end = registration_end, .context = counts};
}

void counts_limits(struct counts *counts, const char *chip, int64_t n_cells, bool ran)
{
    struct chip_counts *row = counts_of(counts, chip);
    *(ran ? &row->n_cells_run : &row->n_cells_not_run) += n_cells;
}
