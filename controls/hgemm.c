/* Planted faults of the hgemm family. */
#include "kernels/hgemm/family.h"

enum { ARG_N = 4, ARG_K = 5 };

REG_NAMED_CONTROL(hgemm_fp32c_row_late, .registration = "hgemm_bf16_fp32c", .what = "A is read one row late",
                  .shape = "3x1000x96", .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100,
                  .how = CONTROL_POINTER, .tensor = HGEMM_A, .offset_rows = 1);
REG_NAMED_CONTROL(hgemm_bf16c_column_late, .registration = "hgemm_bf16_bf16c", .what = "B is read one column of C late",
                  .shape = "3x1000x96", .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100,
                  .how = CONTROL_POINTER, .tensor = HGEMM_B, .offset_rows = 1);
REG_NAMED_CONTROL(hgemm_fp32c_wmma_last_product, .registration = "hgemm_bf16_fp32c_wmma",
                  .what = "k is one short: rows slide and the last product is lost", .shape = "2x33x71",
                  .pattern = REG_PATTERN_EXACT, .gate = GATE_EXACT, .how = CONTROL_SCALAR, .arg = ARG_K, .delta = -1);
REG_NAMED_CONTROL(hgemm_bf16c_wmma_columns_short, .registration = "hgemm_bf16_bf16c_wmma",
                  .what = "the grid is one tile of columns short", .shape = "33x65x128", .pattern = REG_PATTERN_SIGNED,
                  .gate = GATE_BYTES, .how = CONTROL_GRID, .arg = 0);
REG_NAMED_CONTROL(hgemm_fp32c_mfma_rows_short, .registration = "hgemm_bf16_fp32c_mfma",
                  .what = "the grid is one tile of rows short", .shape = "33x65x128", .pattern = REG_PATTERN_SIGNED,
                  .gate = GATE_BYTES, .how = CONTROL_GRID, .arg = 1);
REG_NAMED_CONTROL(hgemm_bf16c_mfma_swapped, .registration = "hgemm_bf16_bf16c_mfma", .what = "A and B are exchanged",
                  .shape = "33x65x128", .pattern = REG_PATTERN_CLASSES, .gate = GATE_CLASSES, .how = CONTROL_SWAP,
                  .arg = HGEMM_A, .other_arg = HGEMM_B);
