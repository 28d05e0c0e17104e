/* Planted faults of the kernels that add split-K's partial sums. */
#include "contract/registry.h"

enum { PARTIAL, OUT }; /* tensors, and the arguments of the same number */
enum { ARG_N_SPLITS = 3 };

REG_NAMED_CONTROL(reduce_split_short, .registration = "hgemm_reduce_fp32", .what = "one split short", .shape = "16x2x1024",
                  .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100, .how = CONTROL_SCALAR,
                  .arg = ARG_N_SPLITS, .delta = -1);
REG_NAMED_CONTROL(reduce_row_late, .registration = "hgemm_reduce_fp32", .what = "the partial sums are read one row late",
                  .shape = "7x3x257", .pattern = REG_PATTERN_EXACT, .gate = GATE_EXACT, .how = CONTROL_POINTER,
                  .tensor = PARTIAL, .offset_rows = 1);
REG_NAMED_CONTROL(reduce_short_grid, .registration = "hgemm_reduce_fp32", .what = "the grid is one block short",
                  .shape = "32x3x342", .pattern = REG_PATTERN_SIGNED, .gate = GATE_BYTES, .how = CONTROL_GRID, .arg = 0);
REG_NAMED_CONTROL(reduce_block, .registration = "hgemm_reduce_fp32",
                  .what = "512 threads where the kernel is compiled for 256", .shape = "7x3x257",
                  .pattern = REG_PATTERN_SIGNED, .gate = GATE_LIMITS, .how = CONTROL_RECORD, .delta = 512);
REG_NAMED_CONTROL(reduce_bf16_split_short, .registration = "hgemm_reduce_bf16", .what = "one split short",
                  .shape = "16x2x1024", .pattern = REG_PATTERN_EXACT, .gate = GATE_EXACT, .how = CONTROL_SCALAR,
                  .arg = ARG_N_SPLITS, .delta = -1);
REG_NAMED_CONTROL(reduce_bf16_planted_late, .registration = "hgemm_reduce_bf16",
                  .what = "the partial sums are read one row late, past planted rows", .shape = "7x3x257",
                  .pattern = REG_PATTERN_CLASSES, .gate = GATE_CLASSES, .how = CONTROL_POINTER, .tensor = PARTIAL,
                  .offset_rows = 1);
