/*
 * DS instructions that move values between lanes and touch no LDS: swizzle, permute, bpermute (RDNA3 ISA, "LDS & GDS
 * Instructions"). A lane that is off gives 0.
 */
#include "device/emulator/lanes.h"

enum { SWIZZLE_LANES = 32 };

/* Lanes that one permute reaches: gfx10's and gfx11's wave64 is two halves that do not see each other (LLVM's
 * supportsWaveWideBPermute). */
static unsigned permute_lanes(const struct wave *wave)
{
    enum chip_family family = wave->chip->family;
    bool halves = family == CHIP_RDNA2 || family == CHIP_RDNA3 || family == CHIP_RDNA35;
    return halves ? 32 : WAVE_LANES;
}

static unsigned permute_target(uint32_t byte_address, unsigned lane, unsigned n_reached)
{
    return (lane & ~(n_reached - 1)) | (byte_address / 4 & (n_reached - 1));
}

HANDLER(ds_permute_b32)
{
    LANES32(address, 0);
    LANES32(data, 1);
    LANE_ARRAY32(result);
    uint64_t exec = exec_read(wave);
    unsigned n_reached = permute_lanes(wave);
    EACH_LANE result[lane] = 0;
    /* Where several lanes send to one, the highest wins. */
    for (unsigned lane = 0; lane < WAVE_LANES; lane++)
        if (exec >> lane & 1)
            result[permute_target(address[lane] + (uint32_t)in->offset, lane, n_reached)] = data[lane];
    commit32(wave, in, result);
}

HANDLER(ds_bpermute_b32)
{
    LANES32(address, 0);
    LANES32(data, 1);
    LANE_ARRAY32(result);
    uint64_t exec = exec_read(wave);
    unsigned n_reached = permute_lanes(wave);
    for (unsigned lane = 0; lane < WAVE_LANES; lane++) {
        unsigned from = permute_target(address[lane] + (uint32_t)in->offset, lane, n_reached);
        result[lane] = exec >> from & 1 ? data[from] : 0;
    }
    commit32(wave, in, result);
}

/* gfx12: reads lanes that are off too. */
HANDLER(ds_bpermute_fi_b32)
{
    LANES32(address, 0);
    LANES32(data, 1);
    LANE_ARRAY32(result);
    unsigned n_reached = permute_lanes(wave);
    for (unsigned lane = 0; lane < WAVE_LANES; lane++)
        result[lane] = data[permute_target(address[lane] + (uint32_t)in->offset, lane, n_reached)];
    commit32(wave, in, result);
}

static unsigned reverse_5_bits(unsigned value)
{
    unsigned reversed = 0;
    for (int bit = 0; bit < 5; bit++)
        reversed |= (value >> bit & 1) << (4 - bit);
    return reversed;
}

/* The lane, within its 32, that `lane` reads under a swizzle control. */
static unsigned swizzle_source(unsigned control, unsigned lane)
{
    unsigned low = control & 0x1f, middle = control >> 5 & 0x1f, high = control >> 10 & 0x1f;
    if (control >= 0xe000) /* FFT: bit reversal */
        return reverse_5_bits(lane) >> __builtin_popcount(low) | (lane & low);
    if (control >= 0xc000) { /* rotate; bit 10 turns the direction */
        unsigned rotated = high & 1 ? lane - middle : lane + middle;
        return (lane & low) | (rotated & ~low & 0x1f);
    }
    if (control & 0x8000) /* within four lanes, two bits each */
        return (lane & ~3u) | (control >> 2 * (lane & 3) & 3);
    return ((lane & low) | middle) ^ high; /* and, or, xor masks */
}

HANDLER(ds_swizzle_b32)
{
    LANES32(data, 0);
    LANE_ARRAY32(result);
    uint64_t exec = exec_read(wave);
    for (unsigned lane = 0; lane < WAVE_LANES; lane++) {
        unsigned from =
            (lane & ~(SWIZZLE_LANES - 1u)) | swizzle_source((unsigned)in->offset & 0xffff, lane % SWIZZLE_LANES);
        result[lane] = exec >> from & 1 ? data[from] : 0;
    }
    commit32(wave, in, result);
}

HANDLER(ds_nop)
{
    (void)wave;
    (void)in;
}
