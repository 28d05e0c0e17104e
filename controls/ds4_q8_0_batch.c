/* Planted faults of the Q8_0 batch matmuls. */
#include "contract/registry.h"

enum { X, W, OUT }; /* tensors, and the arguments of the same number */
enum { ARG_K = 4, ARG_N = 5 };

REG_NAMED_CONTROL(q8_0_batch_row_late, .registration = "matmul_q8_0_batch", .what = "x is read one row late",
                  .shape = "9x100x64", .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100,
                  .how = CONTROL_POINTER, .tensor = X, .offset_rows = 1);
REG_NAMED_CONTROL(q8_0_batch_column_late, .registration = "matmul_q8_0_batch", .what = "w is read one output column late",
                  .shape = "23x333x70", .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100,
                  .how = CONTROL_POINTER, .tensor = W, .offset_rows = 1);
REG_NAMED_CONTROL(q8_0_batch_last_product, .registration = "matmul_q8_0_batch",
                  .what = "k is one short: the last product is lost", .shape = "1x40x33", .pattern = REG_PATTERN_EXACT,
                  .gate = GATE_EXACT, .how = CONTROL_SCALAR, .arg = ARG_K, .delta = -1);
REG_NAMED_CONTROL(q8_0_batch_columns_short, .registration = "matmul_q8_0_batch",
                  .what = "the grid is one tile of columns short", .shape = "3x96x777", .pattern = REG_PATTERN_SIGNED,
                  .gate = GATE_BYTES, .how = CONTROL_GRID, .arg = 0);
REG_NAMED_CONTROL(q8_0_batch_block, .registration = "matmul_q8_0_batch",
                  .what = "1024 threads where the kernel is compiled for 256", .shape = "2x64x65",
                  .pattern = REG_PATTERN_SIGNED, .gate = GATE_LIMITS, .how = CONTROL_RECORD, .delta = 1024);

REG_NAMED_CONTROL(q8_0_wmma_epilogue, .registration = "matmul_q8_0_batch_wmma",
                  .what = "the epilogue's row is one element off", .shape = "15x256x48", .pattern = REG_PATTERN_SIGNED,
                  .gate = GATE_BOUND, .least_factor = 100, .how = CONTROL_BUILD, .define = "DS4_FAULT_EPILOGUE");
REG_NAMED_CONTROL(q8_0_wmma_half, .registration = "matmul_q8_0_batch_wmma",
                  .what = "half of a wave's tiles are never written", .shape = "23x333x70", .pattern = REG_PATTERN_SIGNED,
                  .gate = GATE_BYTES, .how = CONTROL_BUILD, .define = "DS4_FAULT_HALF_OF_TILES");
REG_NAMED_CONTROL(q8_0_wmma_swapped, .registration = "matmul_q8_0_batch_wmma", .what = "x and w are exchanged",
                  .shape = "151x64x130", .pattern = REG_PATTERN_CLASSES, .gate = GATE_CLASSES, .how = CONTROL_SWAP,
                  .arg = X, .other_arg = W);
REG_NAMED_CONTROL(q8_0_wmma_stale, .registration = "matmul_q8_0_batch_wmma", .what = "w holds the previous call's weights",
                  .shape = "2x64x65", .pattern = REG_PATTERN_EXACT, .gate = GATE_EXACT, .how = CONTROL_STALE, .tensor = W);
REG_NAMED_CONTROL(q8_0_wmma_rows_short, .registration = "matmul_q8_0_batch_wmma",
                  .what = "the grid is one tile of rows short", .shape = "151x64x130", .pattern = REG_PATTERN_SIGNED,
                  .gate = GATE_BYTES, .how = CONTROL_GRID, .arg = 1);

REG_NAMED_CONTROL(q8_0_wmma_block_late, .registration = "matmul_q8_0_batch_wmma", .what = "w is read one block late",
                  .shape = "9x100x64", .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100,
                  .how = CONTROL_POINTER, .tensor = W, .offset_bytes = 34);
REG_NAMED_CONTROL(q8_0_wmma_block, .registration = "matmul_q8_0_batch_wmma",
                  .what = "256 threads where the kernel is compiled for 128", .shape = "2x64x65",
                  .pattern = REG_PATTERN_SIGNED, .gate = GATE_LIMITS, .how = CONTROL_RECORD, .delta = 256);

REG_NAMED_CONTROL(q8_0_mfma_epilogue, .registration = "matmul_q8_0_batch_mfma",
                  .what = "the epilogue's row is one element off", .shape = "15x256x48", .pattern = REG_PATTERN_SIGNED,
                  .gate = GATE_BOUND, .least_factor = 100, .how = CONTROL_BUILD, .define = "DS4_FAULT_EPILOGUE");
REG_NAMED_CONTROL(q8_0_mfma_k_tail, .registration = "matmul_q8_0_batch_mfma",
                  .what = "the last block of a ragged k is left out", .shape = "9x100x64", .pattern = REG_PATTERN_SIGNED,
                  .gate = GATE_BOUND, .least_factor = 100, .how = CONTROL_BUILD, .define = "DS4_FAULT_K_TAIL");
REG_NAMED_CONTROL(q8_0_mfma_reuse, .registration = "matmul_q8_0_batch_mfma",
                  .what = "no barrier before the staged block is overwritten", .shape = "15x256x48",
                  .pattern = REG_PATTERN_SIGNED, .gate = GATE_BYTES, .finding = "race", .how = CONTROL_BUILD,
                  .define = "DS4_FAULT_NO_REUSE_BARRIER");
REG_NAMED_CONTROL(q8_0_mfma_column_late, .registration = "matmul_q8_0_batch_mfma",
                  .what = "w is read one output column late", .shape = "23x333x70", .pattern = REG_PATTERN_SIGNED,
                  .gate = GATE_BOUND, .least_factor = 100, .how = CONTROL_POINTER, .tensor = W, .offset_rows = 1);
REG_NAMED_CONTROL(q8_0_mfma_columns_too_many, .registration = "matmul_q8_0_batch_mfma",
                  .what = "n is one too many: rows slide, and the last goes past the output", .shape = "2x64x65",
                  .pattern = REG_PATTERN_SIGNED, .gate = GATE_BYTES, .how = CONTROL_SCALAR, .arg = ARG_N, .delta = 1);
REG_NAMED_CONTROL(q8_0_mfma_block, .registration = "matmul_q8_0_batch_mfma",
                  .what = "512 threads where the kernel is compiled for 256", .shape = "2x64x65",
                  .pattern = REG_PATTERN_SIGNED, .gate = GATE_LIMITS, .how = CONTROL_RECORD, .delta = 512);
