#include "device/emulator/spill_code.h"

#include <string.h>

const char *spill_kind_name(enum spill_kind kind)
{
    static const char *const names[] = {
#define SPILL_NAME(name, text) [SPILL_##name] = text,
        SPILL_KINDS(SPILL_NAME)
#undef SPILL_NAME
            [SPILL_NONE] = "none",
    };
    return names[kind];
}

static bool starts(const struct instruction *in, const char *prefix)
{
    return strncmp(in->opcode->mnemonic, prefix, strlen(prefix)) == 0;
}

/* scratch_load v, off, s0; scratch_store off, v, s0: no register of the lane is in the address. */
static enum spill_kind scratch_kind(const struct instruction *in, const struct operand **data)
{
    bool is_fixed = in->n_src && in->src[0].kind == OPERAND_OFF;
    if (is_fixed && starts(in, "scratch_store_") && in->n_src > 1) {
        *data = &in->src[1];
        return SPILL_VGPR_STORE;
    }
    *data = &in->dst[0];
    return is_fixed && starts(in, "scratch_load_") && in->n_dst ? SPILL_VGPR_RELOAD : SPILL_NONE;
}

/* buffer_load v, off, s[0:3], 0; buffer_store likewise: chips whose scratch is a buffer. */
static enum spill_kind buffer_kind(const struct instruction *in, const struct operand **data)
{
    bool is_fixed = !(in->flags & (FLAG_OFFEN | FLAG_IDXEN));
    if (is_fixed && starts(in, "buffer_store_") && in->n_src) {
        *data = &in->src[0];
        return SPILL_VGPR_STORE;
    }
    *data = &in->dst[0];
    return is_fixed && starts(in, "buffer_load_") && in->n_dst ? SPILL_VGPR_RELOAD : SPILL_NONE;
}

static enum spill_kind lane_kind(const struct instruction *in, const struct operand **data)
{
    bool is_fixed = in->n_src == 2 && in->n_dst && in->src[1].kind == OPERAND_CONSTANT;
    if (is_fixed && starts(in, "v_writelane_")) {
        *data = &in->src[0];
        return SPILL_SGPR_STORE;
    }
    *data = &in->dst[0];
    return is_fixed && starts(in, "v_readlane_") ? SPILL_SGPR_RELOAD : SPILL_NONE;
}

enum spill_kind spill_kind_of(const struct code_kernel *kernel, const struct instruction *in, unsigned *n_registers)
{
    const struct operand *data = NULL;
    enum spill_kind kind = SPILL_NONE;
    if (kernel->vgpr_spills && in->class == CLASS_SCRATCH)
        kind = scratch_kind(in, &data);
    else if (kernel->vgpr_spills && in->class == CLASS_BUFFER)
        kind = buffer_kind(in, &data);
    else if (kernel->sgpr_spills && in->class == CLASS_CROSS_LANE)
        kind = lane_kind(in, &data);
    *n_registers = kind == SPILL_NONE ? 0 : data->n_dwords;
    return kind;
}
