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
                  .what = "k is one short: rows slide and the last product is lost", .shape = "2x33x139",
                  .pattern = REG_PATTERN_EXACT, .gate = GATE_EXACT, .how = CONTROL_SCALAR, .arg = ARG_K, .delta = -1);
REG_NAMED_CONTROL(hgemm_bf16c_wmma_columns_short, .registration = "hgemm_bf16_bf16c_wmma",
                  .what = "the grid is one tile of columns short", .shape = "33x65x40", .pattern = REG_PATTERN_SIGNED,
                  .gate = GATE_BYTES, .how = CONTROL_GRID, .arg = 0);
REG_NAMED_CONTROL(hgemm_fp32c_mfma_rows_short, .registration = "hgemm_bf16_fp32c_mfma",
                  .what = "the grid is one tile of rows short", .shape = "33x65x40", .pattern = REG_PATTERN_SIGNED,
                  .gate = GATE_BYTES, .how = CONTROL_GRID, .arg = 1);
REG_NAMED_CONTROL(hgemm_bf16c_mfma_swapped, .registration = "hgemm_bf16_bf16c_mfma", .what = "A and B are exchanged",
                  .shape = "33x65x40", .pattern = REG_PATTERN_CLASSES, .gate = GATE_CLASSES, .how = CONTROL_SWAP,
                  .arg = HGEMM_A, .other_arg = HGEMM_B);

/* Faults of what all variants share. */
#define BUILD(variable, kernel, of_what, of_shape, of_pattern, of_gate, factor, fault, ...)                                \
    REG_NAMED_CONTROL(variable, .registration = "hgemm_bf16_" kernel, .what = of_what, .shape = of_shape,                  \
                      .pattern = REG_PATTERN_##of_pattern, .gate = of_gate, .least_factor = factor, .how = CONTROL_BUILD,  \
                      .define = "HGEMM_FAULT_" fault, __VA_ARGS__)

/* Half a spacing of bf16 is 2^-9 to 2^-8 of a sum, and the largest bound here, of a chain of 1088 fma, 2^-13.9 of it.
 * The last of an odd number of tiles of k is in the stage whose place the tile of C takes. */
#define SHARED(suffix, ...)                                                                                                \
    BUILD(hgemm_bf16_sums##suffix, "fp32c" #suffix, "sums pass through bf16 before the shuffle", "1x20x1040", ONESIDED,    \
          GATE_BOUND, 10, "BF16_SUMS", __VA_ARGS__);                                                                       \
    BUILD(hgemm_bf16_sums_exact##suffix, "fp32c" #suffix, "sums pass through bf16 before the shuffle", "2x33x139", EXACT,  \
          GATE_EXACT, 0, "BF16_SUMS", __VA_ARGS__);                                                                        \
    BUILD(hgemm_f16_sums##suffix, "fp32c" #suffix, "sums pass through fp16 before the shuffle", "2x33x139", ONESIDED,      \
          GATE_BOUND, 10, "F16_SUMS", __VA_ARGS__);                                                                        \
    BUILD(hgemm_k_tile##suffix, "fp32c" #suffix, "the last tile of k is left out", "2x33x139", SIGNED, GATE_BOUND, 100,    \
          "K_TILE", __VA_ARGS__);                                                                                          \
    BUILD(hgemm_c_stride##suffix, "fp32c" #suffix, "the tile of C is read as if its rows had no padding", "3x1000x96",     \
          SIGNED, GATE_BOUND, 100, "C_STRIDE", __VA_ARGS__);                                                               \
    BUILD(hgemm_bf16c_c_stride##suffix, "bf16c" #suffix, "the tile of C is read as if its rows had no padding",            \
          "2x33x139", SIGNED, GATE_BOUND, 100, "C_STRIDE", __VA_ARGS__);                                                   \
    BUILD(hgemm_tail_columns##suffix, "fp32c" #suffix, "columns past the last are stored", "1x20x1040", SIGNED,            \
          GATE_BYTES, 0, "TAIL_COLUMNS", __VA_ARGS__);                                                                     \
    BUILD(hgemm_tile_barrier##suffix, "fp32c" #suffix, "no barrier before the tile of C takes the stages' place",          \
          "2x33x139", SIGNED, GATE_BYTES, 0, "NO_TILE_BARRIER", .finding = "race", __VA_ARGS__)

SHARED(, .chips = HGEMM_FMA_CHIPS); /* elsewhere the variant that the chip runs has them */
SHARED(_wmma, );
SHARED(_mfma, );
