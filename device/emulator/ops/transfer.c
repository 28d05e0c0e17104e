/*
 * Between registers and checked memory. The patterns that kernels use most, consecutive dwords over all lanes, have a path
 * of their own.
 */
#include "device/emulator/ops/access.h"

/* Whether lane i's bytes start at lane 0's + i * stride for every lane, and every lane is on. */
static bool consecutive(const struct wave *wave, const struct access *access, uint64_t stride)
{
    if (access->lanes != wave->full_exec || !access->every_lane_safe)
        return false;
    uint64_t differs = 0, first = access->offset[0];
    for (int lane = 0; lane < WAVE_LANES; lane++)
        differs |= access->offset[lane] ^ (first + (uint64_t)lane * stride);
    return differs == 0;
}

static void load_consecutive(struct wave *wave, unsigned row, unsigned n_dwords, const uint8_t *from)
{
    if (n_dwords == 1) {
        memcpy(vgpr_row(wave, row), from, sizeof(uint32_t) * WAVE_LANES);
        return;
    }
    for (unsigned d = 0; d < n_dwords; d++) {
        uint32_t *to = vgpr_row(wave, row + d);
        for (int lane = 0; lane < WAVE_LANES; lane++)
            memcpy(&to[lane], from + ((size_t)lane * n_dwords + d) * 4, 4);
    }
}

/* One dword a lane, `skip` bytes into its bytes. */
static void gather_dword(const struct access *access, size_t skip, uint32_t *result)
{
    if (access->every_lane_safe) {
        for (int lane = 0; lane < WAVE_LANES; lane++)
            memcpy(&result[lane], access_at(access, lane) + skip, 4);
        return;
    }
    for (int lane = 0; lane < WAVE_LANES; lane++)
        result[lane] = access->missing;
    EACH_LANE_OF(access->lanes) memcpy(&result[lane], access_at(access, lane) + skip, 4);
}

static __attribute__((noinline, cold)) void report_dwords(struct wave *wave, unsigned row, unsigned n_dwords,
                                                          const struct access *access)
{
    access_report(
        wave, access, 0,
        &(struct access_record){
            .registers = REGISTERS_VECTOR, .row = (uint16_t)row, .second_row = UINT16_MAX, .n_bytes = 4 * n_dwords});
}

void load_dwords(struct wave *wave, unsigned row, unsigned n_dwords, const struct access *access)
{
    if (__builtin_expect(wave->watched, 0))
        report_dwords(wave, row, n_dwords, access);
    if (consecutive(wave, access, 4 * (uint64_t)n_dwords)) {
        load_consecutive(wave, row, n_dwords, access_at(access, 0));
        return;
    }
    for (unsigned d = 0; d < n_dwords; d++) {
        LANE_ARRAY32(result);
        gather_dword(access, 4 * (size_t)d, result);
        commit_row(wave, row + d, result);
    }
}

static uint32_t read_part(enum part part, const uint8_t *from)
{
    uint16_t word;
    switch (part) {
    case PART_U8:
        return *from;
    case PART_I8:
        return (uint32_t)(int32_t)(int8_t)*from;
    default:
        memcpy(&word, from, 2);
        return part == PART_U16 ? word : (uint32_t)(int32_t)(int16_t)word;
    }
}

static __attribute__((noinline, cold)) void report_part(struct wave *wave, unsigned row, unsigned n_bytes, bool high_half,
                                                        uint8_t filled_bytes, const struct access *access)
{
    access_report(wave, access, 0,
                  &(struct access_record){.registers = REGISTERS_VECTOR,
                                          .row = (uint16_t)row,
                                          .second_row = UINT16_MAX,
                                          .n_bytes = n_bytes,
                                          .first_byte = high_half ? 2 : 0,
                                          .filled_bytes = filled_bytes});
}

/* PART_LOW and PART_HIGH of a byte fill their half of the register. */
void load_part(struct wave *wave, unsigned row, enum part part, enum part_half half, const struct access *access)
{
    if (__builtin_expect(wave->watched, 0))
        report_part(wave, row, part == PART_U8 || part == PART_I8 ? 1 : 2, half == PART_HIGH, half == PART_WHOLE ? 4 : 2,
                    access);
    LANE_ARRAY32(result);
    const uint32_t *old = vgpr_row(wave, row);
    for (int lane = 0; lane < WAVE_LANES; lane++)
        result[lane] = access->missing;
    EACH_LANE_OF(access->lanes) result[lane] = read_part(part, access_at(access, lane));
    if (half == PART_LOW)
        EACH_LANE result[lane] = (old[lane] & 0xffff0000u) | (result[lane] & 0xffffu);
    else if (half == PART_HIGH)
        EACH_LANE result[lane] = (old[lane] & 0xffffu) | result[lane] << 16;
    commit_row(wave, row, result);
}

static void store_consecutive(struct wave *wave, unsigned row, unsigned n_dwords, uint8_t *to)
{
    if (n_dwords == 1) {
        memcpy(to, vgpr_row(wave, row), sizeof(uint32_t) * WAVE_LANES);
        return;
    }
    for (unsigned d = 0; d < n_dwords; d++) {
        const uint32_t *from = vgpr_row(wave, row + d);
        for (int lane = 0; lane < WAVE_LANES; lane++)
            memcpy(to + ((size_t)lane * n_dwords + d) * 4, &from[lane], 4);
    }
}

void store_dwords(struct wave *wave, unsigned row, unsigned n_dwords, const struct access *access)
{
    if (__builtin_expect(wave->watched, 0))
        report_dwords(wave, row, n_dwords, access);
    if (consecutive(wave, access, 4 * (uint64_t)n_dwords)) {
        store_consecutive(wave, row, n_dwords, access_at(access, 0));
        return;
    }
    EACH_LANE_OF(access->lanes)
    for (unsigned d = 0; d < n_dwords; d++)
        memcpy(access_at(access, lane) + 4 * (size_t)d, &vgpr_row(wave, row + d)[lane], 4);
}

void store_part(struct wave *wave, unsigned row, unsigned n_bytes, bool high_half, const struct access *access)
{
    const uint32_t *from = vgpr_row(wave, row);
    unsigned shift = high_half ? 16 : 0;
    if (__builtin_expect(wave->watched, 0))
        report_part(wave, row, n_bytes, high_half, 0, access);
    EACH_LANE_OF(access->lanes)
    {
        uint32_t value = from[lane] >> shift;
        memcpy(access_at(access, lane), &value, n_bytes);
    }
}
