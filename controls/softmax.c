/* Planted faults of the softmax family. */
#include "contract/registry.h"

REG_NAMED_CONTROL(softmax_row_late, .registration = "softmax_rows", .what = "x is read one row late", .shape = "64x257",
                  .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100, .how = CONTROL_POINTER,
                  .tensor = 0, .offset_rows = 1);
REG_NAMED_CONTROL(softmax_no_rescale, .registration = "softmax_rows", .what = "the sum is not rescaled to the new maximum",
                  .shape = "3x5000", .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100,
                  .how = CONTROL_BUILD, .define = "SOFTMAX_FAULT_NO_RESCALE");
REG_NAMED_CONTROL(softmax_row_short, .registration = "softmax_rows", .what = "the grid is one row short", .shape = "2x1025",
                  .pattern = REG_PATTERN_SIGNED, .gate = GATE_BYTES, .how = CONTROL_GRID, .arg = 0);
REG_NAMED_CONTROL(softmax_element_late, .registration = "softmax_rows", .what = "x is read one element late",
                  .shape = "2x33", .pattern = REG_PATTERN_EXACT, .gate = GATE_EXACT, .how = CONTROL_POINTER, .tensor = 0,
                  .offset_bytes = 4);
REG_NAMED_CONTROL(softmax_planted_late, .registration = "softmax_rows", .what = "x is read one row late, past planted rows",
                  .shape = "4x1024", .pattern = REG_PATTERN_CLASSES, .gate = GATE_CLASSES, .how = CONTROL_POINTER,
                  .tensor = 0, .offset_rows = 1);
REG_NAMED_CONTROL(softmax_no_barrier, .registration = "softmax_rows",
                  .what = "no barrier between the waves' results and their sum", .shape = "2x33",
                  .pattern = REG_PATTERN_SIGNED, .gate = GATE_BYTES, .finding = "race", .how = CONTROL_BUILD,
                  .define = "SOFTMAX_FAULT_NO_BARRIER");
REG_NAMED_CONTROL(softmax_wave_unwritten, .registration = "softmax_rows", .what = "the last wave leaves no result in LDS",
                  .shape = "2x33", .pattern = REG_PATTERN_SIGNED, .gate = GATE_BYTES, .finding = "init",
                  .how = CONTROL_BUILD, .define = "SOFTMAX_FAULT_WAVE_UNWRITTEN");
