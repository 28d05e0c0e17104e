/* Planted faults of the indexer's scores. */
#include "contract/registry.h"
#include "kernels/ds4/chips.h"

/* A wave takes one tile: all 8 have one on waves of 32, half of them on waves of 64. */
#define HALF_TILES(variable, kernel, ...)                                                                                  \
    REG_NAMED_CONTROL(variable, .registration = kernel,                                                                    \
                      .what = "a wave writes one tile: half of them where it has 64 lanes", .shape = "2x3x129",            \
                      .pattern = REG_PATTERN_SIGNED, .gate = GATE_BYTES, .how = CONTROL_BUILD,                             \
                      .define = "DS4_FAULT_ONE_TILE_A_WAVE", .chips = DS4_CDNA_CHIPS, __VA_ARGS__)

HALF_TILES(indexer_f16_half_tiles, "indexer_scores_f16", .green_chips = DS4_WAVE32_CHIPS);
HALF_TILES(indexer_bf16_half_tiles, "indexer_scores_bf16", .green_chips = DS4_WAVE32_CHIPS);
HALF_TILES(indexer_f16_mfma_half_tiles, "indexer_scores_f16_mfma", );
HALF_TILES(indexer_bf16_mfma_half_tiles, "indexer_scores_bf16_mfma", );

REG_NAMED_CONTROL(indexer_f16_token_late, .registration = "indexer_scores_f16", .what = "q is read one token late",
                  .shape = "17x2x151", .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100,
                  .how = CONTROL_POINTER, .tensor = 0, .offset_rows = 1);
REG_NAMED_CONTROL(indexer_bf16_token_late, .registration = "indexer_scores_bf16", .what = "q is read one token late",
                  .shape = "17x2x151", .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100,
                  .how = CONTROL_POINTER, .tensor = 0, .offset_rows = 1);
REG_NAMED_CONTROL(indexer_head_missing, .registration = "indexer_scores_bf16",
                  .what = "one head too few: rows of q and w slide", .shape = "9x8x40", .pattern = REG_PATTERN_EXACT,
                  .gate = GATE_EXACT, .how = CONTROL_SCALAR, .arg = 5, .delta = -1);
REG_NAMED_CONTROL(indexer_key_block_short, .registration = "indexer_scores_f16",
                  .what = "the grid is one block of keys short", .shape = "2x3x129", .pattern = REG_PATTERN_SIGNED,
                  .gate = GATE_BYTES, .how = CONTROL_GRID, .arg = 0);
REG_NAMED_CONTROL(indexer_stale_keys, .registration = "indexer_scores_f16", .what = "k holds the previous call's rows",
                  .shape = "9x8x40", .pattern = REG_PATTERN_EXACT, .gate = GATE_EXACT, .how = CONTROL_STALE, .tensor = 1);
REG_NAMED_CONTROL(indexer_swapped, .registration = "indexer_scores_f16", .what = "q and k are exchanged",
                  .shape = "17x2x151", .pattern = REG_PATTERN_CLASSES, .gate = GATE_CLASSES, .how = CONTROL_SWAP, .arg = 0,
                  .other_arg = 1);
REG_NAMED_CONTROL(indexer_block, .registration = "indexer_scores_f16",
                  .what = "1024 threads where the kernel is compiled for 256", .shape = "1x64x33",
                  .pattern = REG_PATTERN_SIGNED, .gate = GATE_LIMITS, .how = CONTROL_RECORD, .delta = 1024);

#define TILE_INDEX(variable, kernel)                                                                                       \
    REG_NAMED_CONTROL(variable, .registration = kernel, .what = "tiles are written one tile off", .shape = "17x2x151",     \
                      .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100, .how = CONTROL_BUILD,        \
                      .define = "DS4_FAULT_TILE_INDEX")
#define WEIGHT_LATE(variable, kernel)                                                                                      \
    REG_NAMED_CONTROL(variable, .registration = kernel, .what = "w is read one token late", .shape = "9x8x40",             \
                      .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100, .how = CONTROL_POINTER,      \
                      .tensor = 2, .offset_rows = 1)

TILE_INDEX(indexer_f16_wmma_tile_index, "indexer_scores_f16_wmma");
TILE_INDEX(indexer_bf16_wmma_tile_index, "indexer_scores_bf16_wmma");
TILE_INDEX(indexer_f16_mfma_tile_index, "indexer_scores_f16_mfma");
TILE_INDEX(indexer_bf16_mfma_tile_index, "indexer_scores_bf16_mfma");
WEIGHT_LATE(indexer_f16_wmma_weight_late, "indexer_scores_f16_wmma");
WEIGHT_LATE(indexer_bf16_wmma_weight_late, "indexer_scores_bf16_wmma");
WEIGHT_LATE(indexer_f16_mfma_weight_late, "indexer_scores_f16_mfma");
WEIGHT_LATE(indexer_bf16_mfma_weight_late, "indexer_scores_bf16_mfma");
