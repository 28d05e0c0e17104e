/* Planted faults of ds4's decoding products: matmul_q8_0_pair and matmul_f16_ordered. */
#include "contract/registry.h"
#include "kernels/ds4/chips.h"

/* matmul_q8_0_pair */

enum { PAIR_X, PAIR_GATE_WEIGHTS, PAIR_UP_WEIGHTS, PAIR_K = 5, PAIR_N = 6 }; /* tensors, and arguments of that number */

/* The fault is one wherever a wave holds two groups of 32. */
REG_NAMED_CONTROL(pair_w32_broadcast_width, .registration = "matmul_q8_0_pair_w32",
                  .what = "the scales' broadcast has the default width, the wave's", .shape = "3x23x704",
                  .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .chips = DS4_CDNA_CHIPS,
                  .green_chips = DS4_WAVE32_CHIPS, .least_factor = 100, .how = CONTROL_BUILD,
                  .define = "DS4_FAULT_BROADCAST_WIDTH");
REG_NAMED_CONTROL(pair_w64_broadcast_width, .registration = "matmul_q8_0_pair_w64",
                  .what = "the scales' broadcast has the default width: odd blocks take the even ones' scales",
                  .shape = "3x23x704", .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100,
                  .how = CONTROL_BUILD, .define = "DS4_FAULT_BROADCAST_WIDTH");
REG_NAMED_CONTROL(pair_w32_lane_of_block, .registration = "matmul_q8_0_pair_w32",
                  .what = "the lane's group is taken from threadIdx.x, not from its place in the wave",
                  .shape = "2x15x1027", .pattern = REG_PATTERN_EXACT, .gate = GATE_EXACT, .chips = DS4_CDNA_CHIPS,
                  .green_chips = DS4_WAVE32_CHIPS, .how = CONTROL_BUILD, .define = "DS4_FAULT_LANE_OF_BLOCK");
REG_NAMED_CONTROL(pair_w32_matrices_swapped, .registration = "matmul_q8_0_pair_w32", .what = "gate and up are exchanged",
                  .shape = "1x777x64", .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100,
                  .how = CONTROL_SWAP, .arg = PAIR_GATE_WEIGHTS, .other_arg = PAIR_UP_WEIGHTS);
REG_NAMED_CONTROL(pair_w32_row_late, .registration = "matmul_q8_0_pair_w32", .what = "x is read one row late",
                  .shape = "6x1x127", .pattern = REG_PATTERN_CLASSES, .gate = GATE_CLASSES, .how = CONTROL_POINTER,
                  .tensor = PAIR_X, .offset_rows = 1);
REG_NAMED_CONTROL(pair_w32_block_short, .registration = "matmul_q8_0_pair_w32", .what = "the grid is one block short",
                  .shape = "1x9x33", .pattern = REG_PATTERN_SIGNED, .gate = GATE_BYTES, .how = CONTROL_GRID, .arg = 0);
REG_NAMED_CONTROL(pair_w32_tail, .registration = "matmul_q8_0_pair_w32",
                  .what = "K is rounded down: the last block of one is lost", .shape = "1x9x33",
                  .pattern = REG_PATTERN_ONESIDED, .gate = GATE_BOUND, .least_factor = 100, .how = CONTROL_SCALAR,
                  .arg = PAIR_K, .delta = -1);
REG_NAMED_CONTROL(pair_w32_block, .registration = "matmul_q8_0_pair_w32",
                  .what = "1024 threads where the kernel is compiled for 256", .shape = "1x9x33",
                  .pattern = REG_PATTERN_SIGNED, .gate = GATE_LIMITS, .how = CONTROL_RECORD, .delta = 1024);
REG_NAMED_CONTROL(pair_w64_block_late, .registration = "matmul_q8_0_pair_w64", .what = "up is read one block late",
                  .shape = "1x8x4096", .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100,
                  .how = CONTROL_POINTER, .tensor = PAIR_UP_WEIGHTS, .offset_bytes = 34);
REG_NAMED_CONTROL(pair_w64_row_count, .registration = "matmul_q8_0_pair_w64",
                  .what = "n is one short: rows slide, the last unwritten", .shape = "2x15x1027",
                  .pattern = REG_PATTERN_SIGNED, .gate = GATE_BYTES, .how = CONTROL_SCALAR, .arg = PAIR_N, .delta = -1);
REG_NAMED_CONTROL(pair_w64_stale, .registration = "matmul_q8_0_pair_w64", .what = "x holds the previous call's row",
                  .shape = "1x8x4096", .pattern = REG_PATTERN_EXACT, .gate = GATE_EXACT, .how = CONTROL_STALE,
                  .tensor = PAIR_X);

/* matmul_f16_ordered */

enum { ORDERED_X, ORDERED_WEIGHTS, ORDERED_K = 3 }; /* tensors, and arguments of that number */

/* Two waves of 32 need the barrier; one of 64 runs its LDS instructions in order. */
REG_NAMED_CONTROL(ordered_t64_barrier, .registration = "matmul_f16_ordered_t64",
                  .what = "no barrier between the strands' sums and their total", .shape = "3x23x520",
                  .pattern = REG_PATTERN_SIGNED, .gate = GATE_BYTES, .finding = "race", .chips = DS4_WAVE32_CHIPS,
                  .green_chips = DS4_CDNA_CHIPS, .how = CONTROL_BUILD, .define = "DS4_FAULT_NO_BARRIER");
REG_NAMED_CONTROL(ordered_t64_order, .registration = "matmul_f16_ordered_t64", .what = "strands are added in falling order",
                  .gate = GATE_BYTES, .bytes = "order", .how = CONTROL_BUILD, .define = "DS4_FAULT_UNORDERED");
REG_NAMED_CONTROL(ordered_t64_tail, .registration = "matmul_f16_ordered_t64", .what = "K is one short, and rows slide",
                  .shape = "2x15x1027", .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100,
                  .how = CONTROL_SCALAR, .arg = ORDERED_K, .delta = -1);
REG_NAMED_CONTROL(ordered_t32_row_late, .registration = "matmul_f16_ordered_t32", .what = "W is read one row late",
                  .shape = "3x23x520", .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100,
                  .how = CONTROL_POINTER, .tensor = ORDERED_WEIGHTS, .offset_rows = 1);
REG_NAMED_CONTROL(ordered_t32_planted_late, .registration = "matmul_f16_ordered_t32",
                  .what = "x is read one row late, past planted rows", .shape = "7x3x511", .pattern = REG_PATTERN_CLASSES,
                  .gate = GATE_CLASSES, .how = CONTROL_POINTER, .tensor = ORDERED_X, .offset_rows = 1);
REG_NAMED_CONTROL(ordered_t32_stale, .registration = "matmul_f16_ordered_t32", .what = "x holds the previous call's rows",
                  .shape = "2x15x1027", .pattern = REG_PATTERN_EXACT, .gate = GATE_EXACT, .how = CONTROL_STALE,
                  .tensor = ORDERED_X);
REG_NAMED_CONTROL(ordered_t32_grid, .registration = "matmul_f16_ordered_t32", .what = "the grid is one row of W short",
                  .shape = "1x9x33", .pattern = REG_PATTERN_SIGNED, .gate = GATE_BYTES, .how = CONTROL_GRID, .arg = 0);
REG_NAMED_CONTROL(ordered_t32_block, .registration = "matmul_f16_ordered_t32",
                  .what = "64 threads where the kernel is compiled for 32", .shape = "1x9x33",
                  .pattern = REG_PATTERN_SIGNED, .gate = GATE_LIMITS, .how = CONTROL_RECORD, .delta = 64);
