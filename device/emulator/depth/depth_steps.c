/*
 * How deep one dot or matrix instruction is on a chip: by the rules that its handler follows (docs/numerics.md, "Steps"),
 * and by these too where values come from another model: what is declared is the chip's.
 */
#include <stdio.h>
#include <string.h>

#include "device/emulator/depth/depth_state.h"
#include "device/emulator/matrix_rule.h"
#include "device/emulator/matrix_shape.h"

enum unit { UNIT_MFMA, UNIT_WMMA };

struct matrix_row {
    const char *handler;
    struct matrix_shape shape;
    uint8_t unit;   /* enum unit */
    uint8_t sparse; /* half of k's products are made */
};

static const struct matrix_row matrix_rows[] = {
#define MFMA(name, ...)        {#name, {__VA_ARGS__}, UNIT_MFMA, false},
#define MFMA_F64(name, ...)    {#name, {__VA_ARGS__}, UNIT_MFMA, false},
#define MFMA_NARROW(name, ...) {#name, {__VA_ARGS__}, UNIT_MFMA, false},
#define MFMA_SCALED(name, ...) {#name, {__VA_ARGS__}, UNIT_MFMA, false},
#define SMFMAC(name, ...)      {#name, {__VA_ARGS__}, UNIT_MFMA, true},
#include "device/emulator/mfma_shapes.def"
#undef MFMA
#undef MFMA_F64
#undef MFMA_NARROW
#undef MFMA_SCALED
#undef SMFMAC
#define WMMA12(name, k, a, b, result, ...)   {#name, {16, 16, k, 1, a, b, result, 0}, UNIT_WMMA, false},
#define SWMMAC12(name, k, a, b, result, ...) {#name, {16, 16, k, 1, a, b, result, 0}, UNIT_WMMA, true},
#include "device/emulator/wmma12_shapes.def"
#undef WMMA12
#undef SWMMAC12
};

/* Handlers by row of the opcode table. */
static const char *const handlers[] = {
#define OP(mnemonic, class, signature, name) #name,
#include "device/emulator/opcodes.def"
#undef OP
};

/* Of gfx11 and gfx12 under one name, gfx12's row has the shape of both. */
static const struct matrix_row *matrix_row_of(const struct opcode *opcode)
{
    const char *name = handlers[opcode->index];
    char of_gfx12[64];
    snprintf(of_gfx12, sizeof of_gfx12, "wmma12_%s", strncmp(name, "wmma_", 5) == 0 ? name + 5 : "");
    for (size_t i = 0; i < sizeof matrix_rows / sizeof *matrix_rows; i++)
        if (strcmp(matrix_rows[i].handler, name) == 0 || strcmp(matrix_rows[i].handler, of_gfx12) == 0)
            return &matrix_rows[i];
    return NULL;
}

/* Products of one rounding of the accumulator. */
static int products_of_step(const struct matrix_row *row, enum chip_family family, int k)
{
    const struct matrix_shape *shape = &row->shape;
    const bool is_half = shape->a_format == FACTOR_F16 || shape->a_format == FACTOR_BF16;
    if (row->unit == UNIT_WMMA)
        return !is_half ? 1 : family == CHIP_RDNA4 ? 4 : 2;
    if (family == CHIP_CDNA1 || family == CHIP_CDNA2)
        return shape->group;
    return matrix_group_products(shape->a_format, k);
}

static void matrix_steps(const struct dispatch *dispatch, const struct matrix_row *row, struct depth_opcode *to)
{
    const struct matrix_shape *shape = &row->shape;
    const enum chip_family family = dispatch->code->chip->family;
    const int k = row->sparse ? shape->k / 2 : shape->k;
    const bool chain = shape->a_format == FACTOR_F32 || shape->a_format == FACTOR_F64;
    if (shape->result == RESULT_I32)
        return;
    int n = chain ? 1 : products_of_step(row, family, k);
    n = n ? n : 1;
    to->steps = (uint16_t)((k + n - 1) / n);
    bool tree = row->unit == UNIT_MFMA && !chain && (family == CHIP_CDNA1 || family == CHIP_CDNA2);
    to->once = tree ? (uint16_t)__builtin_ctz((unsigned)n) : 0;
}

static bool gives_float(const struct opcode *opcode)
{
    uint8_t type = opcode_signature(opcode)->dst[0];
    return type == TYPE_F32 || type == TYPE_F16 || type == TYPE_BF16;
}

/* A matrix instruction without a shape here is as deep as counts go, so that its sums are red. */
static void steps_of_matrix(const struct dispatch *dispatch, const struct opcode *opcode, struct depth_opcode *to)
{
    const struct matrix_row *row = matrix_row_of(opcode);
    if (row)
        matrix_steps(dispatch, row, to);
    else
        to->steps = DEPTH_MOST;
}

void depth_steps(const struct dispatch *dispatch, const struct opcode *opcode, struct depth_opcode *to)
{
    if (opcode->class == CLASS_MATRIX) {
        steps_of_matrix(dispatch, opcode, to);
        return;
    }
    bool is_chain = dot_rule_of(dispatch->code->chip->family, MATRIX_MODEL_CHIP) == DOT_RULE_FMA;
    if (gives_float(opcode))
        to->steps = strncmp(opcode->mnemonic, "v_dot4", 6) == 0 ? 4 : is_chain ? 2 : 1;
}
