/* Planted faults of the exl3 family. */
#include "contract/registry.h"

enum { X, SUH, ROT_OUT };                         /* tensors of rot_in */
enum { LINEAR_X, W, SVH, OUT };                   /* tensors of linear, and its arguments of the same number */
enum { ARG_ROWS = 5, ARG_K = 6, ARG_STRIPS = 8 }; /* arguments of linear */

/* rot_in */

REG_NAMED_CONTROL(rot_in_next_suh, .registration = "tf_exl3_rot_in", .what = "suh is read one block of 128 late",
                  .shape = "64x512", .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100,
                  .how = CONTROL_POINTER, .tensor = SUH, .offset_bytes = 256);
REG_NAMED_CONTROL(rot_in_f16_next_suh, .registration = "tf_exl3_rot_in_f16", .what = "suh is read one block of 128 late",
                  .shape = "64x512", .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100,
                  .how = CONTROL_POINTER, .tensor = SUH, .offset_bytes = 256);
REG_NAMED_CONTROL(rot_in_bf16_next_suh, .registration = "tf_exl3_rot_in_bf16", .what = "suh is read one block of 128 late",
                  .shape = "64x512", .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100,
                  .how = CONTROL_POINTER, .tensor = SUH, .offset_bytes = 256);
REG_NAMED_CONTROL(rot_in_block_short, .registration = "tf_exl3_rot_in",
                  .what = "the grid is one block short, the last group unwritten", .shape = "2x640",
                  .pattern = REG_PATTERN_SIGNED, .gate = GATE_BYTES, .how = CONTROL_GRID, .arg = 0);
REG_NAMED_CONTROL(rot_in_row_short, .registration = "tf_exl3_rot_in_bf16", .what = "the grid is one row short",
                  .shape = "17x256", .pattern = REG_PATTERN_SIGNED, .gate = GATE_BYTES, .how = CONTROL_GRID, .arg = 1);
REG_NAMED_CONTROL(rot_in_row_late, .registration = "tf_exl3_rot_in_f16",
                  .what = "x is read one row late, past planted rows", .shape = "17x256", .pattern = REG_PATTERN_CLASSES,
                  .gate = GATE_CLASSES, .how = CONTROL_POINTER, .tensor = X, .offset_rows = 1);
REG_NAMED_CONTROL(rot_in_divides, .registration = "tf_exl3_rot_in",
                  .what = "divides by sqrt(128) instead of multiplying with the scale", .shape = "64x512",
                  .pattern = REG_PATTERN_EXACT, .gate = GATE_EXACT, .how = CONTROL_BUILD, .define = "EXL3_FAULT_DIVIDE");
REG_NAMED_CONTROL(rot_in_fused, .registration = "tf_exl3_rot_in",
                  .what = "rounds the product with the scale straight to f16", .shape = "64x512",
                  .pattern = REG_PATTERN_EXACT, .gate = GATE_EXACT, .how = CONTROL_BUILD, .define = "EXL3_FAULT_FUSED");
REG_NAMED_CONTROL(rot_in_f16_products, .registration = "tf_exl3_rot_in_f16",
                  .what = "rounds the products with suh to f16 first", .shape = "64x512", .pattern = REG_PATTERN_ONESIDED,
                  .gate = GATE_BOUND, .least_factor = 2, .how = CONTROL_BUILD, .define = "EXL3_FAULT_F16_PRODUCT");
REG_NAMED_CONTROL(rot_in_divides_bytes, .registration = "tf_exl3_rot_in_bf16",
                  .what = "divides by sqrt(128) instead of multiplying with the scale", .gate = GATE_BYTES,
                  .bytes = "roundings", .how = CONTROL_BUILD, .define = "EXL3_FAULT_DIVIDE");
REG_NAMED_CONTROL(rot_in_fused_bytes, .registration = "tf_exl3_rot_in_f16",
                  .what = "rounds the product with the scale straight to f16", .gate = GATE_BYTES, .bytes = "roundings",
                  .how = CONTROL_BUILD, .define = "EXL3_FAULT_FUSED");

/* linear */

/* A row late of every kernel, and a tile late of every width. */
#define ROW_LATE(kernel, of_shape, factor)                                                                                 \
    REG_NAMED_CONTROL(linear_##kernel##_row_late, .registration = "tf_exl3_linear_" #kernel,                               \
                      .what = "x is read one row late", .shape = of_shape, .pattern = REG_PATTERN_SIGNED,                  \
                      .gate = GATE_BOUND, .least_factor = factor, .how = CONTROL_POINTER, .tensor = LINEAR_X,              \
                      .offset_rows = 1)
#define TILE_LATE(kernel, of_shape, bits)                                                                                  \
    REG_NAMED_CONTROL(linear_##kernel##_tile_late, .registration = "tf_exl3_linear_" #kernel,                              \
                      .what = "w is read one tile late", .shape = of_shape, .pattern = REG_PATTERN_SIGNED,                 \
                      .gate = GATE_BOUND, .least_factor = 100, .how = CONTROL_POINTER, .tensor = W,                        \
                      .offset_bytes = 32 * (bits))

ROW_LATE(k4_w4, "16x256x128", 100);
ROW_LATE(k4_w4_bf16, "16x256x128", 50);
ROW_LATE(k4_w8, "2x256x8320-strips", 100);
ROW_LATE(k4_w8_bf16, "2x256x8320-strips", 50);
ROW_LATE(k6_w4, "16x256x128", 100);
ROW_LATE(k6_w4_bf16, "16x256x128", 50);
ROW_LATE(k6_w8, "2x256x8320-strips", 100);
ROW_LATE(k6_w8_bf16, "2x256x8320-strips", 50);
ROW_LATE(k8_w4, "16x256x128", 100);
ROW_LATE(k8_w4_bf16, "16x256x128", 50);
ROW_LATE(k8_w8, "2x256x8320-strips", 100);
ROW_LATE(k8_w8_bf16, "2x256x8320-strips", 50);
ROW_LATE(k10_w4, "16x256x128", 100);
ROW_LATE(k10_w4_bf16, "16x256x128", 50);
ROW_LATE(k10_w8, "2x256x8320-strips", 100);
ROW_LATE(k10_w8_bf16, "2x256x8320-strips", 50);
ROW_LATE(k12_w4, "16x256x128", 100);
ROW_LATE(k12_w4_bf16, "16x256x128", 50);
ROW_LATE(k12_w8, "2x256x8320-strips", 100);
ROW_LATE(k12_w8_bf16, "2x256x8320-strips", 50);
ROW_LATE(k16_w4, "16x256x128", 100);
ROW_LATE(k16_w4_bf16, "16x256x128", 50);
ROW_LATE(k16_w8, "2x256x8320-strips", 100);
ROW_LATE(k16_w8_bf16, "2x256x8320-strips", 50);
TILE_LATE(k4_w4, "17x256x256", 2);
TILE_LATE(k4_w8, "1x128x8192", 2);
TILE_LATE(k6_w4, "17x256x256", 3);
TILE_LATE(k6_w8, "1x128x8192", 3);
TILE_LATE(k8_w4, "17x256x256", 4);
TILE_LATE(k8_w8, "1x128x8192", 4);
TILE_LATE(k10_w4, "17x256x256", 5);
TILE_LATE(k10_w8, "1x128x8192", 5);
TILE_LATE(k12_w4, "17x256x256", 6);
TILE_LATE(k12_w8, "1x128x8192", 6);
TILE_LATE(k16_w4, "17x256x256", 8);
TILE_LATE(k16_w8, "1x128x8192", 8);

REG_NAMED_CONTROL(linear_w4_window, .registration = "tf_exl3_linear_k8_w4", .what = "each decode window ends one bit early",
                  .shape = "1x512x128", .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100,
                  .how = CONTROL_BUILD, .define = "EXL3_FAULT_WINDOW");
REG_NAMED_CONTROL(linear_w8_window, .registration = "tf_exl3_linear_k8_w8", .what = "each decode window ends one bit early",
                  .shape = "1x128x8192", .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100,
                  .how = CONTROL_BUILD, .define = "EXL3_FAULT_WINDOW");
REG_NAMED_CONTROL(linear_w4_order, .registration = "tf_exl3_linear_k8_w4",
                  .what = "several rows chain their dot2 terms in another order", .gate = GATE_BYTES, .bytes = "rows",
                  .how = CONTROL_BUILD, .define = "EXL3_FAULT_ORDER");
REG_NAMED_CONTROL(linear_w8_order, .registration = "tf_exl3_linear_k8_w8_bf16",
                  .what = "several rows chain their dot2 terms in another order", .gate = GATE_BYTES, .bytes = "rows",
                  .how = CONTROL_BUILD, .define = "EXL3_FAULT_ORDER");
REG_NAMED_CONTROL(linear_w4_window_bytes, .registration = "tf_exl3_linear_k8_w4_bf16",
                  .what = "each decode window ends one bit early", .gate = GATE_BYTES, .bytes = "weights",
                  .how = CONTROL_BUILD, .define = "EXL3_FAULT_WINDOW");
REG_NAMED_CONTROL(linear_w4_layout, .registration = "tf_exl3_linear_k10_w4",
                  .what = "strips are read as the checkpoint's layout", .gate = GATE_BYTES, .bytes = "weights in strips",
                  .how = CONTROL_SCALAR, .arg = ARG_STRIPS, .delta = -1);
REG_NAMED_CONTROL(linear_w4_stale_rows, .registration = "tf_exl3_linear_k8_w4", .what = "x holds the previous call's rows",
                  .shape = "17x256x256", .pattern = REG_PATTERN_EXACT, .gate = GATE_EXACT, .how = CONTROL_STALE,
                  .tensor = LINEAR_X);
REG_NAMED_CONTROL(linear_w8_short_row, .registration = "tf_exl3_linear_k8_w8", .what = "K is one group of 128 short",
                  .shape = "4x1024x8192", .pattern = REG_PATTERN_EXACT, .gate = GATE_EXACT, .how = CONTROL_SCALAR,
                  .arg = ARG_K, .delta = -128);
REG_NAMED_CONTROL(linear_w4_row_count, .registration = "tf_exl3_linear_k8_w4",
                  .what = "one row too few: the last is unwritten", .shape = "16x256x128", .pattern = REG_PATTERN_SIGNED,
                  .gate = GATE_BYTES, .how = CONTROL_SCALAR, .arg = ARG_ROWS, .delta = -1);
REG_NAMED_CONTROL(linear_w4_row_too_many, .registration = "tf_exl3_linear_k8_w4",
                  .what = "one row too many: writes past the output", .shape = "15x128x256", .pattern = REG_PATTERN_SIGNED,
                  .gate = GATE_BYTES, .how = CONTROL_SCALAR, .arg = ARG_ROWS, .delta = 1);
REG_NAMED_CONTROL(linear_w8_pass_short, .registration = "tf_exl3_linear_k8_w8",
                  .what = "the grid is one pass of 16 rows short", .shape = "17x128x8320", .pattern = REG_PATTERN_SIGNED,
                  .gate = GATE_BYTES, .how = CONTROL_GRID, .arg = 1);
REG_NAMED_CONTROL(linear_w4_svh_swapped, .registration = "tf_exl3_linear_k8_w4", .what = "x and svh are exchanged",
                  .shape = "64x128x256", .pattern = REG_PATTERN_CLASSES, .gate = GATE_CLASSES, .how = CONTROL_SWAP,
                  .arg = LINEAR_X, .other_arg = SVH);
REG_NAMED_CONTROL(linear_w8_block, .registration = "tf_exl3_linear_k8_w8",
                  .what = "512 threads where the kernel is compiled for 256", .shape = "1x128x8192",
                  .pattern = REG_PATTERN_SIGNED, .gate = GATE_LIMITS, .how = CONTROL_RECORD, .delta = 512);
REG_NAMED_CONTROL(linear_w8_reuse, .registration = "tf_exl3_linear_k8_w8",
                  .what = "no barrier before the partial sums' place is used again", .shape = "17x128x8320",
                  .pattern = REG_PATTERN_SIGNED, .gate = GATE_BYTES, .finding = "race", .how = CONTROL_BUILD,
                  .define = "EXL3_FAULT_NO_REUSE_BARRIER");
