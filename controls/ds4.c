/* Planted faults of the ds4 family. */
#include "contract/registry.h"

REG_NAMED_CONTROL(rms_norm_row_late, .registration = "rms_norm_rows", .what = "x is read one row late", .shape = "4x4096",
                  .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100, .how = CONTROL_POINTER,
                  .tensor = 0, .offset_rows = 1);
REG_NAMED_CONTROL(rms_norm_short_row, .registration = "rms_norm_rows",
                  .what = "n is one short: rows slide and the tail is unwritten", .shape = "2x33",
                  .pattern = REG_PATTERN_SIGNED, .gate = GATE_BYTES, .how = CONTROL_SCALAR, .arg = 4, .delta = -1);
REG_NAMED_CONTROL(rms_norm_stale, .registration = "rms_norm_rows", .what = "x holds the previous call's rows",
                  .shape = "64x128", .pattern = REG_PATTERN_EXACT, .gate = GATE_EXACT, .how = CONTROL_STALE, .tensor = 0);
REG_NAMED_CONTROL(rms_norm_swapped, .registration = "rms_norm_rows", .what = "x and the weight are exchanged",
                  .shape = "2x33", .pattern = REG_PATTERN_CLASSES, .gate = GATE_CLASSES, .how = CONTROL_SWAP, .arg = 0,
                  .other_arg = 1);
REG_NAMED_CONTROL(rms_norm_block, .registration = "rms_norm_rows",
                  .what = "1024 threads where the kernel is compiled for 256", .shape = "4x4096",
                  .pattern = REG_PATTERN_SIGNED, .gate = GATE_LIMITS, .how = CONTROL_RECORD, .delta = 1024);
REG_NAMED_CONTROL(rms_norm_one_launch_late, .registration = "rms_norm_rows", .what = "x is read one row late in one launch",
                  .gate = GATE_BYTES, .bytes = "rows", .how = CONTROL_POINTER, .tensor = 0, .offset_rows = 1);

/* Sums of all rows, then a norm of one: what normed holds from before passes for the others. */
REG_NAMED_CONTROL(hc_first_row_only, .registration = "hc_split_weighted_sum_norm", .what = "only row 0 is normalised",
                  .shape = "4x4096", .pattern = REG_PATTERN_SIGNED, .gate = GATE_BYTES, .how = CONTROL_BUILD,
                  .define = "DS4_FAULT_FIRST_ROW_ONLY");
REG_NAMED_CONTROL(hc_streams_late, .registration = "hc_split_weighted_sum_norm",
                  .what = "the streams are read one row late", .shape = "3x1025", .pattern = REG_PATTERN_SIGNED,
                  .gate = GATE_BOUND, .least_factor = 100, .how = CONTROL_POINTER, .tensor = 1, .offset_rows = 1);
REG_NAMED_CONTROL(hc_row_short, .registration = "hc_split_weighted_sum_norm", .what = "the grid is one row short",
                  .shape = "2x33", .pattern = REG_PATTERN_SIGNED, .gate = GATE_BYTES, .how = CONTROL_GRID, .arg = 0);
REG_NAMED_CONTROL(hc_outputs_swapped, .registration = "hc_split_weighted_sum_norm", .what = "the two outputs are exchanged",
                  .shape = "17x257", .pattern = REG_PATTERN_EXACT, .gate = GATE_EXACT, .how = CONTROL_SWAP, .arg = 3,
                  .other_arg = 4);

REG_NAMED_CONTROL(moe_expert_missing, .registration = "moe_combine_gate", .what = "one expert too few", .shape = "1x6x4096",
                  .pattern = REG_PATTERN_EXACT, .gate = GATE_EXACT, .how = CONTROL_SCALAR, .arg = 3, .delta = -1);
REG_NAMED_CONTROL(moe_block_short, .registration = "moe_combine_gate", .what = "the grid is one block short",
                  .shape = "2x8x1025", .pattern = REG_PATTERN_SIGNED, .gate = GATE_BYTES, .how = CONTROL_GRID, .arg = 0);
REG_NAMED_CONTROL(moe_gate_late, .registration = "moe_combine_gate", .what = "the gate weights are read one token late",
                  .shape = "7x6x1023", .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100,
                  .how = CONTROL_POINTER, .tensor = 0, .offset_rows = 1);
/* The first two repeat, stay within every bound and add integers exactly: relations alone see them. The third does so but
 * for the smallest edges. */
REG_NAMED_CONTROL(moe_order_by_token, .registration = "moe_combine_gate",
                  .what = "odd tokens add their experts in falling order", .gate = GATE_BYTES, .bytes = "permute tokens",
                  .how = CONTROL_BUILD, .define = "DS4_FAULT_ORDER_BY_TOKEN");
REG_NAMED_CONTROL(moe_order_by_experts, .registration = "moe_combine_gate",
                  .what = "more than six experts are added in falling order", .gate = GATE_BYTES, .bytes = "pad experts",
                  .how = CONTROL_BUILD, .define = "DS4_FAULT_ORDER_BY_EXPERTS");
REG_NAMED_CONTROL(moe_fixed_point, .registration = "moe_combine_gate", .what = "outputs are rounded to multiples of 2^-28",
                  .gate = GATE_BYTES, .bytes = "scale y", .how = CONTROL_BUILD, .define = "DS4_FAULT_FIXED_POINT");
REG_NAMED_CONTROL(moe_block, .registration = "moe_combine_gate",
                  .what = "1024 threads where the kernel is compiled for 256", .shape = "1x6x4096",
                  .pattern = REG_PATTERN_SIGNED, .gate = GATE_LIMITS, .how = CONTROL_RECORD, .delta = 1024);
