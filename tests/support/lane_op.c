#include "tests/support/lane_op.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/emulator/code.h"
#include "records/chips.h"
#include "tests/support/evidence.h"

enum { FIRST_SOURCE = 8, STRIDE = 2 };

struct type_row {
    const char *text;
    uint8_t type;
    uint16_t bits;
};

static const struct type_row type_rows[] = {
#define TYPE_ROW(type, bits, text) {text, TYPE_##type, bits},
    OPERAND_TYPES(TYPE_ROW)
#undef TYPE_ROW
};

static const struct type_row *type_find(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof type_rows / sizeof *type_rows; i++) {
        if (strlen(type_rows[i].text) == length && !memcmp(type_rows[i].text, text, length))
            return &type_rows[i];
    }
    return NULL;
}

static void set_operand(struct operand *operand, const struct type_row *type, unsigned vgpr)
{
    operand->kind = OPERAND_VGPR;
    operand->type = type->type;
    operand->n_dwords = type->bits > 32 ? (uint8_t)(type->bits / 32) : 1;
    operand->half = type->bits == 16 ? HALF_LOW : HALF_NONE;
    operand->index = (uint16_t)vgpr;
    if (type->type == TYPE_MASK) {
        operand->kind = OPERAND_SCALAR;
        operand->index = SREG_VCC_LO;
    }
}

/* "f32,m=f32,f32": operands up to the '=' are destinations. */
static void set_operands(struct instruction *in)
{
    bool source = false;
    for (const char *at = in->opcode->signature; *at;) {
        size_t length = strcspn(at, "?,=");
        const struct type_row *type = type_find(at, length);
        if (type && source) {
            set_operand(&in->src[in->n_src], type, FIRST_SOURCE + STRIDE * in->n_src);
            if (type->type == TYPE_P16 || type->type == TYPE_PF16 || type->type == TYPE_PBF16 || type->type == TYPE_PF32)
                in->op_sel_hi |= (uint8_t)(1 << in->n_src);
            in->n_src++;
        } else if (type) {
            set_operand(&in->dst[in->n_dst], type, STRIDE * in->n_dst);
            in->n_dst++;
        }
        at += length;
        source |= *at == '=';
        at += *at != 0;
    }
}

void lane_op_prepare(struct lane_op *op)
{
    instruction_mark_plain(&op->instruction);
}

struct lane_op *lane_op_open_on(const char *chip, const char *mnemonic, uint32_t n_lanes, uint32_t mode)
{
    char single[64];
    bool is_half = strncmp(mnemonic, "v_dual_", 7) == 0;
    snprintf(single, sizeof single, "%s%s", is_half ? "v_" : "", mnemonic + (is_half ? 7 : 0));
    const struct opcode *opcode = opcode_find(single, strlen(single));
    if (!opcode) {
        fprintf(stderr, "lane_op: no instruction %s\n", mnemonic);
        return NULL;
    }
    struct lane_op *op = aligned_alloc(64, (sizeof *op + 63) / 64 * 64);
    memset(op, 0, sizeof *op);
    struct wave *wave = &op->wave;
    wave->n_lanes = n_lanes;
    wave->full_exec = n_lanes == 64 ? UINT64_MAX : UINT32_MAX;
    wave->exec = wave->full_exec;
    wave->chip = chip_find(chip);
    wave->dispatch = &op->dispatch;
    evidence_note(wave->chip, mnemonic, NULL);
    size_t bytes = (size_t)VGPR_ROWS * n_lanes * 4;
    wave->vgpr = aligned_alloc(64, bytes);
    memset(wave->vgpr, 0, bytes);
    lane_op_set_mode(op, mode);
    op->instruction.opcode = opcode;
    op->instruction.class = opcode->class;
    op->instruction.run = opcode_handlers(n_lanes)[opcode->index];
    set_operands(&op->instruction);
    lane_op_prepare(op);
    return op;
}

struct lane_op *lane_op_open(const char *mnemonic, uint32_t n_lanes, uint32_t mode)
{
    return lane_op_open_on("gfx1151", mnemonic, n_lanes, mode);
}

void lane_op_close(struct lane_op *op)
{
    free(op->wave.vgpr);
    free(op);
}

void lane_op_set_mode(struct lane_op *op, uint32_t mode)
{
    op->wave.mode = mode;
    wave_mode_changed(&op->wave);
}

uint32_t *lane_op_row(struct lane_op *op, unsigned vgpr)
{
    return op->wave.vgpr + (size_t)vgpr * op->wave.n_lanes;
}

static void put(struct lane_op *op, const struct operand *operand, unsigned lane, uint64_t value)
{
    lane_op_row(op, operand->index)[lane] = (uint32_t)value;
    if (operand->n_dwords == 2)
        lane_op_row(op, operand->index + 1)[lane] = (uint32_t)(value >> 32);
}

static uint64_t get(struct lane_op *op, const struct operand *operand, unsigned lane)
{
    uint64_t value = lane_op_row(op, operand->index)[lane];
    if (operand->n_dwords == 2)
        value |= (uint64_t)lane_op_row(op, operand->index + 1)[lane] << 32;
    return value;
}

void lane_op_run(struct lane_op *op, size_t n, const uint64_t *const *source, uint64_t *result)
{
    struct instruction *in = &op->instruction;
    lane_op_prepare(op);
    for (size_t first = 0; first < n; first += op->wave.n_lanes) {
        unsigned count = n - first < op->wave.n_lanes ? (unsigned)(n - first) : op->wave.n_lanes;
        for (unsigned lane = 0; lane < count; lane++) {
            for (int k = 0; k < in->n_src; k++)
                put(op, &in->src[k], lane, source[k][first + lane]);
            put(op, &in->dst[0], lane, result[first + lane]);
        }
        in->run(&op->wave, in);
        for (unsigned lane = 0; lane < count; lane++)
            result[first + lane] = get(op, &in->dst[0], lane);
    }
}
