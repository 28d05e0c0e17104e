/* Planted faults of ds4's routed experts: moe_gate_up_mid and moe_down_sum6. */
#include "contract/registry.h"

/* moe_gate_up_mid */

enum { X, SELECTED, GATE_WEIGHTS, UP_WEIGHTS, ARG_SLOTS = 5, ARG_N_MID, ARG_N }; /* tensors, and arguments of that number */

REG_NAMED_CONTROL(gate_up_g8_half_group, .registration = "moe_gate_up_mid_g8", .what = "half of a row's lanes are added",
                  .shape = "1x6x8x33x64", .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100,
                  .how = CONTROL_BUILD, .define = "DS4_FAULT_HALF_GROUP");
REG_NAMED_CONTROL(gate_up_g16_swapped, .registration = "moe_gate_up_mid_g16", .what = "gate and up are exchanged",
                  .shape = "2x3x5x17x100", .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100,
                  .how = CONTROL_SWAP, .arg = GATE_WEIGHTS, .other_arg = UP_WEIGHTS);
REG_NAMED_CONTROL(gate_up_g16_row_late, .registration = "moe_gate_up_mid_g16", .what = "x is read one token late",
                  .shape = "3x1x2x31x33", .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100,
                  .how = CONTROL_POINTER, .tensor = X, .offset_rows = 1);
REG_NAMED_CONTROL(gate_up_g8_stale_experts, .registration = "moe_gate_up_mid_g8",
                  .what = "the experts are those of the call before", .shape = "1x6x8x33x64", .pattern = REG_PATTERN_EXACT,
                  .gate = GATE_EXACT, .how = CONTROL_STALE, .tensor = SELECTED);
REG_NAMED_CONTROL(gate_up_g8_tail, .registration = "moe_gate_up_mid_g8",
                  .what = "N is one weight short, the only one of a block", .shape = "3x1x2x31x33",
                  .pattern = REG_PATTERN_EXACT, .gate = GATE_EXACT, .how = CONTROL_SCALAR, .arg = ARG_N, .delta = -1);
REG_NAMED_CONTROL(gate_up_g8_rows_short, .registration = "moe_gate_up_mid_g8", .what = "the grid is a block of rows short",
                  .shape = "1x6x8x33x64", .pattern = REG_PATTERN_SIGNED, .gate = GATE_BYTES, .how = CONTROL_GRID, .arg = 0);
REG_NAMED_CONTROL(gate_up_g16_classes_late, .registration = "moe_gate_up_mid_g16", .what = "x is read one token late",
                  .shape = "9x2x4x5x1027", .pattern = REG_PATTERN_CLASSES, .gate = GATE_CLASSES, .how = CONTROL_POINTER,
                  .tensor = X, .offset_rows = 1);
REG_NAMED_CONTROL(gate_up_iq2_eighth_sign, .registration = "moe_gate_up_mid_iq2",
                  .what = "the eighth sign of a grid point is always positive", .shape = "1x6x8x33x256",
                  .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100, .how = CONTROL_BUILD,
                  .define = "DS4_FAULT_EIGHTH_SIGN");
REG_NAMED_CONTROL(gate_up_iq2_matrix_row_late, .registration = "moe_gate_up_mid_iq2",
                  .what = "up's weights are read one row late", .shape = "2x3x5x17x512", .pattern = REG_PATTERN_EXACT,
                  .gate = GATE_EXACT, .how = CONTROL_POINTER, .tensor = UP_WEIGHTS, .offset_rows = 1);
REG_NAMED_CONTROL(gate_up_iq2_block, .registration = "moe_gate_up_mid_iq2",
                  .what = "512 threads where the kernel is compiled for 256", .shape = "1x6x8x33x256",
                  .pattern = REG_PATTERN_SIGNED, .gate = GATE_LIMITS, .how = CONTROL_RECORD, .delta = 512);

/* moe_down_sum6 */

enum { MID, WEIGHT = 2, ARG_OUT_DIM = 5 };

REG_NAMED_CONTROL(down_five_experts, .registration = "moe_down_sum6", .what = "five of the six experts are summed",
                  .shape = "1x6x33x704", .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100,
                  .how = CONTROL_BUILD, .define = "DS4_FAULT_FIVE_EXPERTS");
REG_NAMED_CONTROL(down_weights_late, .registration = "moe_down_sum6", .what = "an expert counts with the next one's weight",
                  .shape = "3x9x31x33", .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100,
                  .how = CONTROL_POINTER, .tensor = WEIGHT, .offset_bytes = 4);
REG_NAMED_CONTROL(down_out_dim_short, .registration = "moe_down_sum6",
                  .what = "out_dim is one short: the last row is unwritten", .shape = "1x8x777x64",
                  .pattern = REG_PATTERN_SIGNED, .gate = GATE_BYTES, .how = CONTROL_SCALAR, .arg = ARG_OUT_DIM,
                  .delta = -1);
REG_NAMED_CONTROL(down_q2k_nibbles, .registration = "moe_down_sum6_q2k",
                  .what = "scale and minimum of a group are exchanged", .shape = "2x6x17x512",
                  .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100, .how = CONTROL_BUILD,
                  .define = "DS4_FAULT_NIBBLES");
REG_NAMED_CONTROL(down_q2k_stale, .registration = "moe_down_sum6_q2k", .what = "mid holds the previous call's rows",
                  .shape = "3x9x31x768", .pattern = REG_PATTERN_EXACT, .gate = GATE_EXACT, .how = CONTROL_STALE,
                  .tensor = MID);
REG_NAMED_CONTROL(down_q2k_tokens_short, .registration = "moe_down_sum6_q2k", .what = "the grid is one token short",
                  .shape = "2x6x17x512", .pattern = REG_PATTERN_SIGNED, .gate = GATE_BYTES, .how = CONTROL_GRID, .arg = 1);
