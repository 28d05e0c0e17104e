/*
 * Two f32 operations in a pair of registers (CDNA3 ISA, VOP3P, V_PK_FMA_F32 and its kin; gfx90a on): op_sel picks the
 * register of a source pair that the low result uses, op_sel_hi the one of the high result, neg_lo and neg_hi negate them.
 * Modelled: a float inline constant stands in the low register, with zero in the high one.
 */
#include "device/emulator/f32_rows.h"

/* One dword of source k for all lanes, its sign flipped where asked for. */
static const uint32_t *dword_of_pair(struct wave *wave, const struct instruction *in, int k, bool high, bool negate,
                                     uint32_t *scratch)
{
    const struct operand *operand = &in->src[k];
    const uint32_t flip = negate ? 0x80000000u : 0;
    if (operand->kind == OPERAND_VGPR || operand->kind == OPERAND_AGPR) {
        const uint32_t *row = vgpr_row(wave, operand_row(operand) + high);
        if (!negate)
            return row;
        EACH_LANE scratch[lane] = row[lane] ^ flip;
        return scratch;
    }
    uint32_t value = (uint32_t)(scalar_read64(wave, operand) >> (high ? 32 : 0)) ^ flip;
    EACH_LANE scratch[lane] = value;
    return scratch;
}

typedef void row_function(struct float_env env, uint32_t *r, const uint32_t *a, const uint32_t *b, const uint32_t *c);

static inline __attribute__((always_inline)) void run_half(struct wave *wave, const struct instruction *in,
                                                           row_function *function, bool high, uint32_t *r)
{
    LANE_ARRAY32(scratch[3]);
    const uint32_t *source[3] = {NULL, NULL, NULL};
    const unsigned select = high ? in->op_sel_hi : in->op_sel, negate = high ? in->neg_hi : in->neg_lo;
    for (int k = 0; k < in->n_src; k++)
        source[k] = dword_of_pair(wave, in, k, select >> k & 1, negate >> k & 1, scratch[k]);
    const struct float_env plain = {.rounding = ROUND_NEAREST_EVEN};
    if (__builtin_expect(wave->plain_f32, 1))
        function(plain, r, source[0], source[1], source[2]);
    else
        function(env_f32(wave), r, source[0], source[1], source[2]);
    if (has_output_modifiers(in))
        VARIANT(modify_f32)(wave, in, r);
}

#define PACKED_F32(name, function)                                                                                         \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        LANE_ARRAY32(low);                                                                                                 \
        LANE_ARRAY32(high);                                                                                                \
        run_half(wave, in, function, false, low);                                                                          \
        run_half(wave, in, function, true, high);                                                                          \
        commit_row(wave, operand_row(&in->dst[0]), low);                                                                   \
        commit_row(wave, operand_row(&in->dst[0]) + 1, high);                                                              \
    }

PACKED_F32(pk_add_f32, add_f32_rows)
PACKED_F32(pk_mul_f32, multiply_f32_rows)
PACKED_F32(pk_fma_f32, fma_f32_rows)
