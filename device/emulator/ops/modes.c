/*
 * Modes of gfx9 under which vector instructions mean other registers or nothing (device/emulator/vgpr_index.h).
 */
#include "device/emulator/lanes.h"

enum { M0_INDEX = 0xff, M0_ENABLES = 0xf000, M0_ENABLES_SHIFT = 12 };

static void set_index(struct wave *wave, uint32_t index)
{
    wave->sgpr[SREG_M0] = (wave->sgpr[SREG_M0] & ~(uint32_t)M0_INDEX) | (index & M0_INDEX);
}

static void set_enables(struct wave *wave, int32_t enables)
{
    wave->sgpr[SREG_M0] =
        (wave->sgpr[SREG_M0] & ~(uint32_t)M0_ENABLES) | ((uint32_t)enables << M0_ENABLES_SHIFT & M0_ENABLES);
}

HANDLER(s_set_gpr_idx_on)
{
    wave->mode |= MODE_GPR_INDEX;
    wave_mode_changed(wave);
    set_index(wave, scalar_read32(wave, &in->src[0]));
    set_enables(wave, in->immediate);
}

HANDLER(s_set_gpr_idx_off)
{
    (void)in;
    wave->mode &= ~(uint32_t)MODE_GPR_INDEX;
    wave_mode_changed(wave);
}

HANDLER(s_set_gpr_idx_idx)
{
    set_index(wave, scalar_read32(wave, &in->src[0]));
}

HANDLER(s_set_gpr_idx_mode)
{
    set_enables(wave, in->immediate);
}

/* VSKIP = bit of source 0 that source 1 names. */
HANDLER(s_setvskip)
{
    uint32_t skip = scalar_read32(wave, &in->src[0]) >> (scalar_read32(wave, &in->src[1]) & 31) & 1;
    wave->mode = (wave->mode & ~(uint32_t)MODE_VSKIP) | (skip ? (uint32_t)MODE_VSKIP : 0u);
    wave_mode_changed(wave);
}
