/*
 * Memory moved to LDS without a register (gfx9, gfx10): buffer, global and scratch loads with `lds`, and the *_load_lds_*
 * instructions of gfx940 and later ("Vega" ISA, 8.1.8 "Memory Buffer Load to LDS"). A lane's value goes to
 * M0 + the instruction's offset + the lane's number times the value's size, a byte or word as a dword.
 */
#include "device/emulator/ops/to_lds.h"

enum { MOST_DWORDS = 4 };

/* M0 is 16 bits of it where LDS has no more than 64 KiB. */
static uint32_t first_byte(const struct wave *wave, const struct instruction *in)
{
    uint32_t mask = wave->chip->lds_max_per_workgroup > 65536 ? 0x3ffff : 0xffff;
    return (wave->sgpr[SREG_M0] & mask) + (uint32_t)in->offset;
}

static uint32_t extend(struct to_lds_format format, uint32_t value)
{
    unsigned unused_bits = 32 - 8 * format.n_bytes;
    return format.is_signed ? (uint32_t)((int32_t)(value << unused_bits) >> unused_bits) : value;
}

static const struct access_record no_register = {.registers = REGISTERS_NONE, .second_row = UINT16_MAX};

static void report(struct wave *wave, const struct access *access, uint32_t n_bytes, const struct access_record *to)
{
    if (__builtin_expect(!wave->watched, 1))
        return;
    struct access_record record = *to;
    record.n_bytes = n_bytes;
    access_report(wave, access, 0, &record);
}

/* The values of all lanes, `missing` where a lane may not read. */
static void read_values(struct wave *wave, struct to_lds_format format, const struct access *pieces, unsigned n_pieces,
                        const struct access_record *to, uint32_t values[MOST_DWORDS][WAVE_LANES])
{
    unsigned n_dwords = format.n_bytes < 4 ? 1 : format.n_bytes / 4u, each = n_dwords / n_pieces;
    uint32_t n_bytes = format.n_bytes < 4 ? format.n_bytes : 4 * each;
    for (unsigned i = 0; i < n_pieces; i++) {
        report(wave, &pieces[i], n_bytes, to);
        for (unsigned d = 0; d < each; d++) {
            uint32_t *row = values[i * each + d];
            for (int lane = 0; lane < WAVE_LANES; lane++)
                row[lane] = pieces[i].missing;
            EACH_LANE_OF(pieces[i].lanes)
            {
                row[lane] = 0;
                memcpy(&row[lane], access_at(&pieces[i], lane) + 4 * (size_t)d, n_bytes < 4 ? n_bytes : 4);
            }
        }
    }
    if (format.n_bytes < 4)
        EACH_LANE values[0][lane] = extend(format, values[0][lane]);
}

void load_to_lds(struct wave *wave, const struct instruction *in, struct to_lds_format format, const struct access *pieces,
                 unsigned n_pieces)
{
    uint32_t values[MOST_DWORDS][WAVE_LANES];
    uint32_t n_bytes = format.n_bytes < 4 ? 4 : format.n_bytes, first = first_byte(wave, in);
    LANE_ARRAY32(address);
    struct access to;
    read_values(wave, format, pieces, n_pieces, &no_register, values);
    for (int lane = 0; lane < WAVE_LANES; lane++)
        address[lane] = first + n_bytes * (uint32_t)lane;
    resolve_lds(wave, address, n_bytes, ACCESS_STORE, &to);
    report(wave, &to, n_bytes, &no_register);
    EACH_LANE_OF(to.lanes)
    for (unsigned d = 0; d < n_bytes / 4; d++)
        memcpy(access_at(&to, lane) + 4 * (size_t)d, &values[d][lane], 4);
}

/* gfx9's one store: dwords of LDS to a buffer, addressed alike. */
HANDLER(buffer_store_lds_b32)
{
    struct access from, pieces[BUFFER_PIECES];
    uint32_t first = first_byte(wave, in);
    LANE_ARRAY32(address);
    for (int lane = 0; lane < WAVE_LANES; lane++)
        address[lane] = first + 4u * (uint32_t)lane;
    resolve_lds(wave, address, 4, ACCESS_LOAD, &from);
    resolve_buffer(wave, in, -1, 4, ACCESS_STORE, pieces);
    report(wave, &from, 4, &no_register);
    report(wave, pieces, 4, &no_register);
    uint64_t lanes = from.lanes & pieces[0].lanes;
    EACH_LANE_OF(lanes) memcpy(access_at(pieces, lane), access_at(&from, lane), 4);
}

/* The dword of LDS at M0, the same for all lanes: an instruction of its own since gfx11, an operand before. M0 also says
 * its type in bits 18:16 (0 u8, 1 u16, 2 b32, 4 i8, 5 i16). */
enum direct_type { DIRECT_U8, DIRECT_U16, DIRECT_B32, DIRECT_I8 = 4, DIRECT_I16 };

HANDLER(lds_direct_load)
{
    static const struct to_lds_format formats[8] = {
        [DIRECT_U8] = {1, false}, [DIRECT_U16] = {2, false}, [DIRECT_B32] = {4, false},
        [DIRECT_I8] = {1, true},  [DIRECT_I16] = {2, true},
    };
    struct to_lds_format format = formats[wave->sgpr[SREG_M0] >> 16 & 7];
    if (!format.n_bytes) {
        wave_finding(wave, FINDING_UNSUPPORTED, -1, "M0 names no type of a direct load: 0x%x", wave->sgpr[SREG_M0]);
        return;
    }
    LANE_ARRAY32(address);
    struct access access;
    uint32_t values[MOST_DWORDS][WAVE_LANES];
    EACH_LANE address[lane] = wave->sgpr[SREG_M0] & 0xffff;
    resolve_lds(wave, address, format.n_bytes, ACCESS_LOAD, &access);
    const struct access_record to = {.registers = REGISTERS_VECTOR,
                                     .row = (uint16_t)operand_row(&in->dst[0]),
                                     .second_row = UINT16_MAX,
                                     .filled_bytes = 4};
    read_values(wave, format, &access, 1, &to, values);
    commit_row(wave, operand_row(&in->dst[0]), values[0]);
}
