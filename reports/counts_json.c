#include "reports/counts_json.h"

json_t *counts_to_json(const struct chip_counts *row)
{
    return json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "chip",
                     row->chip, "modelled", row->modelled, "kernels", (json_int_t)row->n_kernels, "pass",
                     (json_int_t)row->n_pass, "fail", (json_int_t)row->n_fail, "known", (json_int_t)row->n_known,
                     "controls", (json_int_t)row->n_controls, "red", (json_int_t)row->n_red, "green",
                     (json_int_t)row->n_green, "missed", (json_int_t)row->n_missed, "controls_not_run",
                     (json_int_t)row->n_controls_not_run, "limits", (json_int_t)row->n_limits, "limit_problems",
                     (json_int_t)row->n_limit_problems, "gates_run", (json_int_t)row->n_cells_run, "gates_modelled",
                     (json_int_t)row->n_cells_modelled, "gates_not_run", (json_int_t)row->n_cells_not_run, "gates_ns",
                     (json_int_t)row->gates_ns, "limits_ns", (json_int_t)row->limits_ns);
}
