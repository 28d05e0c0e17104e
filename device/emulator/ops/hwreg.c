/*
 * Hardware registers and messages that a wave can read or write (RDNA3.5 ISA, "Hardware registers", S_SENDMSG). Clocks
 * count executed instructions of the wave, so that results repeat.
 */
#include "device/emulator/code.h"
#include "device/emulator/lanes.h"

enum hardware_register {
    HWREG_MODE = 1,
    HWREG_HW_ID = 4,            /* gfx9 */
    HWREG_FLAT_SCR_LO = 20,     /* gfx10, gfx11 */
    HWREG_XCC_ID = 20,          /* gfx9 */
    HWREG_FLAT_SCR_HI = 21,     /* gfx10, gfx11 */
    HWREG_HW_ID1 = 23,          /* gfx10 on */
    HWREG_HW_ID2 = 24,          /* gfx10 on */
    HWREG_SCHED_MODE = 26,      /* gfx12 */
    HWREG_SHADER_CYCLES = 29,   /* gfx10.3 on */
    HWREG_SHADER_CYCLES_HI = 30 /* gfx12 */
};

enum { SHADER_CYCLES_MASK_20_BITS = 0xfffff };

/* The register's place in the wave, or NULL where it is none that is kept. */
static uint32_t *writable_register(struct wave *wave, unsigned id)
{
    if (id == HWREG_MODE)
        return &wave->mode;
    if (chip_is_cdna(wave->chip))
        return NULL;
    if (id == HWREG_FLAT_SCR_LO || id == HWREG_FLAT_SCR_HI)
        return &wave->sgpr[SREG_FLAT_SCRATCH_LO + (id - HWREG_FLAT_SCR_LO)];
    return NULL;
}

/* The emulated place of every wave is compute unit 0; which one it is on silicon is no business of a kernel's results. */
static bool read_register(struct wave *wave, unsigned id, uint32_t *value)
{
    const uint32_t *place = writable_register(wave, id);
    bool is_gfx12 = wave->chip->family == CHIP_RDNA4;
    *value = 0;
    if (place)
        *value = *place;
    else if (chip_is_cdna(wave->chip))
        return id == HWREG_HW_ID || id == HWREG_XCC_ID;
    else if (id == HWREG_SHADER_CYCLES)
        *value = (uint32_t)wave->n_executed & (is_gfx12 ? UINT32_MAX : (uint32_t)SHADER_CYCLES_MASK_20_BITS);
    else if (id == HWREG_SHADER_CYCLES_HI && is_gfx12)
        *value = (uint32_t)(wave->n_executed >> 32);
    else
        return id == HWREG_HW_ID1 || id == HWREG_HW_ID2;
    return true;
}

/* SIMM16: register in bits 5:0, first bit in 10:6, number of bits less one in 15:11. */
struct field {
    unsigned id, shift;
    uint32_t mask;
};

static struct field decode_field(int32_t immediate)
{
    uint32_t bits = (uint32_t)immediate & 0xffff;
    return (struct field){bits & 0x3f, bits >> 6 & 0x1f, (uint32_t)((UINT64_C(2) << (bits >> 11)) - 1)};
}

HANDLER(s_getreg_b32)
{
    struct field field = decode_field(in->immediate);
    uint32_t value;
    if (!read_register(wave, field.id, &value))
        wave_finding(wave, FINDING_UNSUPPORTED, -1, "the emulator has no hardware register %u", field.id);
    else
        scalar_write32(wave, &in->dst[0], value >> field.shift & field.mask);
}

HANDLER(s_setreg_b32)
{
    struct field field = decode_field(in->immediate);
    uint32_t *place = writable_register(wave, field.id);
    if (place) {
        uint32_t mask = field.mask << field.shift, value = scalar_read32(wave, &in->src[1]) << field.shift;
        *place = (*place & ~mask) | (value & mask);
        wave_mode_changed(wave);
        if (chip_is_cdna(wave->chip) && wave->mode & (MODE_GPR_INDEX | MODE_VSKIP) && !wave->code->wraps_vectors)
            wave_finding(wave, FINDING_UNSUPPORTED, -1,
                         "VGPR indexing or vector skipping is turned on through MODE, which the emulator follows only in "
                         "code that also holds s_set_gpr_idx_on or s_setvskip: use those instead");
    } else if (field.id != HWREG_SCHED_MODE || wave->chip->family != CHIP_RDNA4) {
        wave_finding(wave, FINDING_UNSUPPORTED, -1, "the emulator has no hardware register %u to write", field.id);
    }
}

HANDLER(s_round_mode)
{
    wave->mode = (wave->mode & ~0xfu) | ((uint32_t)in->immediate & 0xf);
    wave_mode_changed(wave);
}

HANDLER(s_denorm_mode)
{
    wave->mode = (wave->mode & ~0xf0u) | ((uint32_t)in->immediate & 0xf) << 4;
    wave_mode_changed(wave);
}

HANDLER(clock64)
{
    scalar_write64(wave, &in->dst[0], wave->n_executed);
}

/* Messages that return a value: MSG_RTN_GET_REALTIME is a clock; doorbell, device, trap base and place are 0 here. */
enum { MSG_RTN_FIRST = 0x80, MSG_RTN_GET_REALTIME = 0x83, MSG_RTN_LAST = 0x87 };

static uint64_t message_value(struct wave *wave, const struct instruction *in)
{
    if (in->immediate < MSG_RTN_FIRST || in->immediate > MSG_RTN_LAST)
        wave_finding(wave, FINDING_UNSUPPORTED, -1, "the emulator has no message %d", in->immediate);
    return in->immediate == MSG_RTN_GET_REALTIME ? wave->n_executed : 0;
}

HANDLER(s_sendmsg_rtn_b32)
{
    scalar_write32(wave, &in->dst[0], (uint32_t)message_value(wave, in));
}

HANDLER(s_sendmsg_rtn_b64)
{
    scalar_write64(wave, &in->dst[0], message_value(wave, in));
}
