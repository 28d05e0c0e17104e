#include "contract/diagnosis.h"

#include <math.h>
#include <stdio.h>

#include "contract/base/nan.h"
#include "contract/hypotheses.h"

_Static_assert(VERDICT_GUESS_BYTES >= 2 * HYPOTHESIS_BYTES, "a guess is two hypotheses");

/* One output tensor of a case. */
struct examined {
    const struct host_case *host;
    int tensor;
    const void *data;
};

static const struct reg_tensor *tensor_of(const struct examined *e)
{
    return &e->host->plan.tensor[e->tensor];
}

/* Integers are one apart. 0 where both are the same, NaN like NaN; infinite where one alone is finite. */
static double ulps_between(enum number_format format, double got, double reference)
{
    if (got == reference || (isnan(got) && isnan(reference)))
        return 0;
    if (!isfinite(got) || !isfinite(reference))
        return INFINITY;
    double spacing = format_facts(format)->is_float ? 2 * format_half_spacing(format, reference) : 1;
    return fabs(got - reference) / spacing;
}

static struct diagnosed_output output_at(const struct examined *e, int64_t index)
{
    const struct reg_tensor *tensor = tensor_of(e);
    const struct bound *bound = &e->host->bounds[e->tensor][index];
    struct judgement judgement = judge_output(e->host, e->tensor, index, e->data);
    return (struct diagnosed_output){
        .row = index / tensor->columns,
        .column = index % tensor->columns,
        .got_bits = format_bits(tensor->format, e->data, index),
        .got = unsigned_nan(judgement.value),
        .reference = unsigned_nan(bound->value),
        .bound = judgement.expected == CLASS_UNDECIDED ? INFINITY : bound->error,
        .ratio = judgement.ratio,
        .ulps = ulps_between(tensor->format, judgement.value, bound->value),
    };
}

/* Three rows of three, or where the tensor is a single row or column nine in line; fewer at its edges. */
static void note_near(const struct examined *e, struct diagnosis *diagnosis)
{
    const struct reg_tensor *tensor = tensor_of(e);
    int64_t reach_rows = tensor->columns == 1 ? DIAGNOSIS_NEAR / 2 : 1;
    int64_t reach_columns = tensor->rows == 1 ? DIAGNOSIS_NEAR / 2 : 1;
    const struct diagnosed_output *worst = &diagnosis->worst;
    for (int64_t row = worst->row - reach_rows; row <= worst->row + reach_rows; row++)
        for (int64_t column = worst->column - reach_columns; column <= worst->column + reach_columns; column++)
            if (row >= 0 && row < tensor->rows && column >= 0 && column < tensor->columns)
                diagnosis->near[diagnosis->n_near++] = output_at(e, row * tensor->columns + column);
}

/* Fills got and is_wrong; the index of the first wrong output, or -1. */
static int64_t examine(const struct examined *e, double *got, bool *is_wrong, int64_t *n_wrong)
{
    int64_t first = -1;
    *n_wrong = 0;
    for (int64_t i = 0; i < tensor_elements(tensor_of(e)); i++) {
        struct judgement judgement = judge_output(e->host, e->tensor, i, e->data);
        got[i] = judgement.value;
        is_wrong[i] = judgement.ratio > 1;
        if (is_wrong[i] && (*n_wrong)++ == 0)
            first = i;
    }
    return first;
}

static void diagnose(const struct examined *e, struct arena *arena, struct verdict *verdict)
{
    const struct reg_tensor *tensor = tensor_of(e);
    size_t n = (size_t)tensor_elements(tensor);
    struct diagnosis *diagnosis = &verdict->diagnosis;
    double *got = arena_alloc(arena, n * sizeof *got);
    bool *is_wrong = arena_alloc(arena, n * sizeof *is_wrong);
    int64_t n_wrong, first = got && is_wrong ? examine(e, got, is_wrong, &n_wrong) : -1;
    if (first < 0)
        return;
    snprintf(diagnosis->tensor, sizeof diagnosis->tensor, "%s", tensor->name);
    snprintf(diagnosis->format, sizeof diagnosis->format, "%s", format_facts(tensor->format)->name);
    diagnosis->rows = tensor->rows;
    diagnosis->columns = tensor->columns;
    diagnosis->n_wrong = n_wrong;
    diagnosis->first = output_at(e, first);
    diagnosis->worst = output_at(e, verdict->worst.index);
    note_near(e, diagnosis);
    struct wrong_sample sample = {tensor->rows, tensor->columns, tensor->format, got, e->host->bounds[e->tensor],
                                  is_wrong,     n_wrong};
    hypotheses_guess(&sample, diagnosis->guess);
}

void diagnosis_make(const struct host_case *host, const struct outputs *outputs, struct verdict *verdict)
{
    struct arena arena = {0};
    int tensor = plan_tensor(&host->plan, verdict->worst.tensor);
    if (verdict->gate != GATE_BOUND || verdict->status != VERDICT_FAIL || tensor < 0 || verdict->worst.index < 0)
        return;
    struct examined examined = {host, tensor, outputs->data[tensor]};
    diagnose(&examined, &arena, verdict);
    arena_free(&arena);
}
