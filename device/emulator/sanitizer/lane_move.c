#include "device/emulator/sanitizer/lane_move.h"

static struct operand register_at(unsigned row)
{
    bool agpr = row >= AGPR_FIRST_ROW;
    return (struct operand){.kind = agpr ? OPERAND_AGPR : OPERAND_VGPR,
                            .type = TYPE_B32,
                            .n_dwords = 1,
                            .index = (uint16_t)(agpr ? row - AGPR_FIRST_ROW : row)};
}

bool lane_move_make(const struct wave *wave, const struct instruction *in, unsigned from_row, unsigned to_row,
                    struct instruction *move)
{
    const struct opcode *opcode = opcode_find("v_mov_b32", 9);
    handler *const *handlers = opcode_handlers(wave->n_lanes);
    if (!opcode || !handlers)
        return false;
    *move = *in;
    move->run = handlers[opcode->index];
    move->opcode = opcode;
    move->pair = NULL;
    move->plain = 0;
    move->n_src = move->n_dst = 1;
    move->omod = 0;
    move->flags &= FLAG_BOUND_CTRL | FLAG_FETCH_INACTIVE;
    move->src[0] = register_at(from_row);
    move->dst[0] = register_at(to_row);
    return true;
}
