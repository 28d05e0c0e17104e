/*
 * 64-bit integers: moves, shifts, sums.
 */
#include "device/emulator/lanes.h"

/* Sources a (32 bits, the count) and b (64 bits). */
#define DEFINE_SHIFT64(name, type, shift)                                                                                  \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        LANES32(a, 0);                                                                                                     \
        LANES64(b, 1);                                                                                                     \
        EACH_LANE b[lane] = (uint64_t)((type)b[lane] shift(a[lane] & 63));                                                 \
        commit64(wave, in, b);                                                                                             \
    }

DEFINE_SHIFT64(v_lshlrev_b64, uint64_t, <<)
DEFINE_SHIFT64(v_lshrrev_b64, uint64_t, >>)
DEFINE_SHIFT64(v_ashrrev_i64, int64_t, >>)

HANDLER(v_mov_b64)
{
    LANES64(a, 0);
    commit64(wave, in, a);
}

HANDLER(v_lshl_add_u64)
{
    LANES64(a, 0);
    LANES32(b, 1);
    LANES64(c, 2);
    EACH_LANE c[lane] += a[lane] << (b[lane] & 7);
    commit64(wave, in, c);
}

/* One word of each source: op_sel says which. */
HANDLER(v_pk_mov_b32)
{
    LANES64(a, 0);
    LANES64(b, 1);
    unsigned a_shift = in->op_sel & 1 ? 32 : 0, b_shift = in->op_sel & 2 ? 32 : 0;
    EACH_LANE a[lane] = (uint32_t)(a[lane] >> a_shift) | b[lane] >> b_shift << 32;
    commit64(wave, in, a);
}
