#include "device/emulator/vgpr_index.h"

#include <string.h>

#include "device/emulator/wave.h"

enum { N_VGPRS = 256, INDEX_MASK = 0xff, M0_SOURCES_SHIFT = 12, M0_RESULT = 1 << 15 };

static bool is_code_with(const struct emulated_code *code, const char *mnemonic)
{
    for (uint32_t i = 0; i < code->n_instructions; i++)
        if (code->instructions[i].opcode && !strcmp(code->instructions[i].opcode->mnemonic, mnemonic))
            return true;
    return false;
}

/* Moves one operand; false where that leaves the register file. */
static bool move_register(struct operand *operand, uint16_t *plain_row, uint32_t index)
{
    if (operand->kind != OPERAND_VGPR)
        return true;
    operand->index = (uint16_t)(operand->index + index);
    *plain_row = (uint16_t)(*plain_row + index);
    return operand->index + operand->n_dwords <= N_VGPRS;
}

static bool move_registers(struct instruction *in, uint32_t m0)
{
    uint32_t index = m0 & INDEX_MASK;
    bool inside = true;
    for (unsigned k = 0; k < in->n_src && k < 3; k++)
        if (m0 >> (M0_SOURCES_SHIFT + k) & 1)
            inside = move_register(&in->src[k], &in->plain_row[k], index) && inside;
    if (m0 & M0_RESULT && in->n_dst)
        inside = move_register(&in->dst[0], &in->plain_result_row, index) && inside;
    return inside;
}

const struct instruction *vgpr_index_resolve(const struct wave *wave, const struct instruction *in,
                                             struct instruction *copy)
{
    if (wave->mode & MODE_VSKIP)
        return NULL;
    if (!(wave->mode & MODE_GPR_INDEX) || !instruction_is_vector_alu(in))
        return in;
    *copy = *in;
    return move_registers(copy, wave->sgpr[SREG_M0]) ? copy : NULL;
}

/* What a wrapped instruction runs: its own handler, on the registers that it means now. */
static void run_wrapped(struct wave *wave, const struct instruction *in)
{
    handler *run = wave->code->handlers[in->opcode->index];
    struct instruction copy;
    const struct instruction *meant = vgpr_index_resolve(wave, in, &copy);
    if (meant)
        run(wave, meant);
    else if (!(wave->mode & MODE_VSKIP))
        wave_finding(wave, FINDING_TRAP, -1, "M0 = 0x%x indexes a register past v%u", wave->sgpr[SREG_M0], N_VGPRS - 1u);
}

void vgpr_index_prepare(struct emulated_code *code)
{
    code->wraps_vectors = is_code_with(code, "s_set_gpr_idx_on") || is_code_with(code, "s_setvskip");
    for (uint32_t i = 0; code->wraps_vectors && i < code->n_instructions; i++) {
        struct instruction *in = &code->instructions[i];
        if (in->opcode && instruction_is_vector(in)) /* memory too: a write of MODE may turn skipping on */
            in->run = run_wrapped;
    }
}
