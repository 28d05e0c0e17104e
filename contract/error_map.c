#include "contract/error_map.h"

#include <math.h>
#include <stdio.h>

int ratio_bin(double ratio)
{
    int exponent;
    if (ratio == 0)
        return 0;
    if (!isfinite(ratio))
        return RATIO_BIN_INFINITE;
    /* ratio = fraction * 2^exponent with fraction in [1/2, 1): a power of two belongs to the bin that it ends. */
    double fraction = frexp(ratio, &exponent);
    int bin = RATIO_BIN_BOUND + exponent - (fraction == 0.5);
    return bin < 1 ? 1 : bin > RATIO_BIN_INFINITE - 1 ? RATIO_BIN_INFINITE - 1 : bin;
}

static int smaller(int64_t a, int b)
{
    return a < b ? (int)a : b;
}

static void begin_map(struct error_map *map, const struct reg_tensor *tensor)
{
    snprintf(map->tensor, sizeof map->tensor, "%s", tensor->name);
    map->rows = tensor->rows;
    map->columns = tensor->columns;
    map->n_rows = smaller(tensor->rows, ERROR_MAP_ROWS);
    map->n_columns = smaller(tensor->columns, ERROR_MAP_COLUMNS);
    for (int row = 0; row < map->n_rows; row++)
        for (int column = 0; column < map->n_columns; column++)
            map->cell[row][column] = ERROR_MAP_UNDECIDED;
}

/* A cell holds the largest bin of its elements. */
static void note_cell(struct error_map *map, int64_t element, int bin)
{
    int64_t row = element / map->columns * map->n_rows / map->rows;
    int64_t column = element % map->columns * map->n_columns / map->columns;
    char *cell = &map->cell[row][column], level = (char)(ERROR_MAP_FIRST + bin);
    if (*cell == ERROR_MAP_UNDECIDED || *cell < level)
        *cell = level;
}

void error_map_measure(const struct host_case *host, const struct outputs *outputs, struct verdict *verdict)
{
    const struct reg_plan *plan = &host->plan;
    int mapped = plan_tensor(plan, verdict->worst.tensor);
    if (mapped >= 0)
        begin_map(&verdict->error_map, &plan->tensor[mapped]);
    for (int t = next_output(plan, 0); t >= 0; t = next_output(plan, t + 1))
        for (int64_t i = 0; i < tensor_elements(&plan->tensor[t]); i++) {
            struct judgement judgement = judge_output(host, t, i, outputs->data[t]);
            if (judgement.expected == CLASS_UNDECIDED)
                continue;
            int bin = ratio_bin(judgement.ratio);
            verdict->ratio_histogram[bin]++;
            if (t == mapped)
                note_cell(&verdict->error_map, i, bin);
        }
}
