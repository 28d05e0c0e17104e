/*
 * LDS: loads, stores, two-address forms and atomics. The DS instructions that only move values between lanes are in
 * lds_lanes.c.
 */
#include "device/emulator/ops/atomic_ops.h"

/* The address register plus an offset; 32-bit wrapping, so a negative base with a positive offset is in range. */
static void ds_addresses(struct wave *wave, const struct instruction *in, uint32_t offset, uint32_t *address)
{
    LANES32(base, 0);
    for (int lane = 0; lane < WAVE_LANES; lane++)
        address[lane] = base[lane] + offset;
}

static void resolve_ds(struct wave *wave, const struct instruction *in, uint32_t offset, uint32_t n_bytes,
                       enum access_kind kind, struct access *access)
{
    LANE_ARRAY32(address);
    ds_addresses(wave, in, offset, address);
    resolve_lds(wave, address, n_bytes, kind, access);
}

static void load_ds(struct wave *wave, const struct instruction *in, unsigned n_dwords)
{
    struct access access;
    resolve_ds(wave, in, (uint32_t)in->offset, 4 * n_dwords, ACCESS_LOAD, &access);
    load_dwords(wave, operand_row(&in->dst[0]), n_dwords, &access);
}

static void store_ds(struct wave *wave, const struct instruction *in, unsigned n_dwords)
{
    struct access access;
    resolve_ds(wave, in, (uint32_t)in->offset, 4 * n_dwords, ACCESS_STORE, &access);
    store_dwords(wave, operand_row(&in->src[1]), n_dwords, &access);
}

#define DS_DWORDS(name, n_dwords)                                                                                          \
    HANDLER(ds_load_##name)                                                                                                \
    {                                                                                                                      \
        load_ds(wave, in, n_dwords);                                                                                       \
    }                                                                                                                      \
    HANDLER(ds_store_##name)                                                                                               \
    {                                                                                                                      \
        store_ds(wave, in, n_dwords);                                                                                      \
    }
DS_DWORDS(b32, 1)
DS_DWORDS(b64, 2)
DS_DWORDS(b96, 3)
DS_DWORDS(b128, 4)

#define DS_PART_LOAD(name, n_bytes, part, half)                                                                            \
    HANDLER(ds_load_##name)                                                                                                \
    {                                                                                                                      \
        struct access access;                                                                                              \
        resolve_ds(wave, in, (uint32_t)in->offset, n_bytes, ACCESS_LOAD, &access);                                         \
        load_part(wave, operand_row(&in->dst[0]), part, half, &access);                                                    \
    }
DS_PART_LOAD(u8, 1, PART_U8, PART_WHOLE)
DS_PART_LOAD(i8, 1, PART_I8, PART_WHOLE)
DS_PART_LOAD(u16, 2, PART_U16, PART_WHOLE)
DS_PART_LOAD(i16, 2, PART_I16, PART_WHOLE)
DS_PART_LOAD(u8_d16, 1, PART_U8, PART_LOW)
DS_PART_LOAD(i8_d16, 1, PART_I8, PART_LOW)
DS_PART_LOAD(u16_d16, 2, PART_U16, PART_LOW)
DS_PART_LOAD(u8_d16_hi, 1, PART_U8, PART_HIGH)
DS_PART_LOAD(i8_d16_hi, 1, PART_I8, PART_HIGH)
DS_PART_LOAD(u16_d16_hi, 2, PART_U16, PART_HIGH)

#define DS_PART_STORE(name, n_bytes, high_half)                                                                            \
    HANDLER(ds_store_##name)                                                                                               \
    {                                                                                                                      \
        struct access access;                                                                                              \
        resolve_ds(wave, in, (uint32_t)in->offset, n_bytes, ACCESS_STORE, &access);                                        \
        store_part(wave, operand_row(&in->src[1]), n_bytes, high_half, &access);                                           \
    }
DS_PART_STORE(b8, 1, false)
DS_PART_STORE(b16, 2, false)
DS_PART_STORE(b8_d16_hi, 1, true)
DS_PART_STORE(b16_d16_hi, 2, true)

/* Two-address forms: offsets count elements, or 64 of them. */
struct two_addresses {
    struct access first, second;
};

static void resolve_two(struct wave *wave, const struct instruction *in, uint32_t element_bytes, uint32_t stride,
                        enum access_kind kind, struct two_addresses *two)
{
    resolve_ds(wave, in, (uint32_t)in->offset * element_bytes * stride, element_bytes, kind, &two->first);
    resolve_ds(wave, in, (uint32_t)in->offset1 * element_bytes * stride, element_bytes, kind, &two->second);
}

static void load_two(struct wave *wave, const struct instruction *in, unsigned n_dwords, uint32_t stride)
{
    struct two_addresses two;
    resolve_two(wave, in, 4 * n_dwords, stride, ACCESS_LOAD, &two);
    unsigned row = operand_row(&in->dst[0]);
    load_dwords(wave, row, n_dwords, &two.first);
    load_dwords(wave, row + n_dwords, n_dwords, &two.second);
}

static void store_two(struct wave *wave, const struct instruction *in, unsigned n_dwords, uint32_t stride)
{
    struct two_addresses two;
    resolve_two(wave, in, 4 * n_dwords, stride, ACCESS_STORE, &two);
    store_dwords(wave, operand_row(&in->src[1]), n_dwords, &two.first);
    store_dwords(wave, operand_row(&in->src[2]), n_dwords, &two.second);
}

static __attribute__((noinline, cold)) void report_exchange(struct wave *wave, const struct instruction *in,
                                                            unsigned n_dwords, const struct two_addresses *two)
{
    struct access_record record = {.registers = REGISTERS_VECTOR,
                                   .second_row = UINT16_MAX,
                                   .returns = true,
                                   .replaces = true,
                                   .n_bytes = 4 * n_dwords};
    record.row = (uint16_t)operand_row(&in->src[1]);
    record.result_row = (uint16_t)operand_row(&in->dst[0]);
    access_report(wave, &two->first, 0, &record);
    record.row = (uint16_t)operand_row(&in->src[2]);
    record.result_row = (uint16_t)(record.result_row + n_dwords);
    access_report(wave, &two->second, 0, &record);
}

/* Writes without a report: the exchange has been reported as a whole. */
static void write_dwords(struct wave *wave, const struct operand *data, unsigned n_dwords, const struct access *access)
{
    EACH_LANE_OF(access->lanes)
    for (unsigned d = 0; d < n_dwords; d++)
        memcpy(access_at(access, lane) + 4 * (size_t)d, &vgpr_row(wave, operand_row(data) + d)[lane], 4);
}

/* Both old values are read before either place is written. */
static void exchange_two(struct wave *wave, const struct instruction *in, unsigned n_dwords, uint32_t stride)
{
    struct two_addresses two;
    resolve_two(wave, in, 4 * n_dwords, stride, ACCESS_ATOMIC, &two);
    if (__builtin_expect(wave->watched, 0))
        report_exchange(wave, in, n_dwords, &two);
    LANE_ARRAY32(old[4]);
    for (unsigned d = 0; d < 2 * n_dwords; d++) {
        const struct access *access = d < n_dwords ? &two.first : &two.second;
        for (int lane = 0; lane < WAVE_LANES; lane++)
            old[d][lane] = access->missing;
        EACH_LANE_OF(access->lanes) memcpy(&old[d][lane], access_at(access, lane) + 4 * (size_t)(d % n_dwords), 4);
    }
    write_dwords(wave, &in->src[1], n_dwords, &two.first);
    write_dwords(wave, &in->src[2], n_dwords, &two.second);
    for (unsigned d = 0; d < 2 * n_dwords; d++)
        commit_row(wave, operand_row(&in->dst[0]) + d, old[d]);
}

enum { PLAIN = 1, STRIDE64 = 64 };
#define DS_TWO(suffix, n_dwords, stride)                                                                                   \
    HANDLER(ds_load_2addr_##suffix)                                                                                        \
    {                                                                                                                      \
        load_two(wave, in, n_dwords, stride);                                                                              \
    }                                                                                                                      \
    HANDLER(ds_store_2addr_##suffix)                                                                                       \
    {                                                                                                                      \
        store_two(wave, in, n_dwords, stride);                                                                             \
    }                                                                                                                      \
    HANDLER(ds_storexchg_2addr_##suffix)                                                                                   \
    {                                                                                                                      \
        exchange_two(wave, in, n_dwords, stride);                                                                          \
    }
DS_TWO(b32, 1, PLAIN)
DS_TWO(b64, 2, PLAIN)
DS_TWO(stride64_b32, 1, STRIDE64)
DS_TWO(stride64_b64, 2, STRIDE64)

/* The lane's dword after M0's low half plus the offset. */
static void resolve_by_lane(struct wave *wave, const struct instruction *in, enum access_kind kind, struct access *access)
{
    LANE_ARRAY32(address);
    uint32_t base = (wave->sgpr[SREG_M0] & 0xffffu) + (uint32_t)in->offset;
    for (int lane = 0; lane < WAVE_LANES; lane++)
        address[lane] = base + 4u * (uint32_t)lane;
    resolve_lds(wave, address, 4, kind, access);
}

HANDLER(ds_load_addtid_b32)
{
    struct access access;
    resolve_by_lane(wave, in, ACCESS_LOAD, &access);
    load_dwords(wave, operand_row(&in->dst[0]), 1, &access);
}

HANDLER(ds_store_addtid_b32)
{
    struct access access;
    resolve_by_lane(wave, in, ACCESS_STORE, &access);
    store_dwords(wave, operand_row(&in->src[0]), 1, &access);
}

static struct atomic_rows ds_rows(const struct instruction *in, int data, int second)
{
    bool has_second = second < in->n_src;
    return (struct atomic_rows){.data = operand_row(&in->src[data < in->n_src ? data : 1]),
                                .second = has_second ? operand_row(&in->src[second]) : 0,
                                .has_second = has_second,
                                .returns = in->n_dst > 0,
                                .result = in->n_dst > 0 ? operand_row(&in->dst[0]) : 0};
}

/* With and without return: the row of the table says whether there is a destination. */
#define DS_ATOMIC(name, T, new_value)                                                                                      \
    HANDLER(ds_##name)                                                                                                     \
    {                                                                                                                      \
        struct access access;                                                                                              \
        resolve_ds(wave, in, (uint32_t)in->offset, sizeof(T), ACCESS_ATOMIC, &access);                                     \
        struct atomic_rows rows = ds_rows(in, 1, 2);                                                                       \
        atomic_all_lanes(wave, &access, &rows, sizeof(T), atomic_flush_of_mode(wave), next_##name);                        \
    }
LDS_ATOMICS(DS_ATOMIC)

/* gfx9's and gfx10's compare-and-store names the value compared with first. */
#define DS_COMPARE_FIRST(name, T)                                                                                          \
    HANDLER(ds_cmpst_##name)                                                                                               \
    {                                                                                                                      \
        struct access access;                                                                                              \
        resolve_ds(wave, in, (uint32_t)in->offset, sizeof(T), ACCESS_ATOMIC, &access);                                     \
        struct atomic_rows rows = ds_rows(in, 2, 1);                                                                       \
        atomic_all_lanes(wave, &access, &rows, sizeof(T), (struct atomic_flush){false, false}, next_cmpswap_##name);       \
    }
DS_COMPARE_FIRST(b32, uint32_t)
DS_COMPARE_FIRST(b64, uint64_t)
DS_COMPARE_FIRST(f32, float)
DS_COMPARE_FIRST(f64, double)

/* Two dwords of eight bytes, each replaced by its operand less the top bit where that bit is set; both old ones come back.
 */
HANDLER(ds_condxchg32_rtn_b64)
{
    struct access access;
    LANE_ARRAY32(address);
    ds_addresses(wave, in, (uint32_t)in->offset, address);
    EACH_LANE address[lane] &= ~7u;
    resolve_lds(wave, address, 8, ACCESS_ATOMIC, &access);
    struct atomic_rows rows = ds_rows(in, 1, 2);
    atomic_all_lanes(wave, &access, &rows, 8, atomic_flush_of_mode(wave), next_condxchg);
}

/* All lanes add to one counter: reported as the first one's access. */
static __attribute__((noinline, cold)) void report_counter(struct wave *wave, const struct instruction *in,
                                                           const struct access *access)
{
    struct access first = *access;
    first.lanes &= 0 - first.lanes;
    access_report(wave, &first, 0,
                  &(struct access_record){.registers = REGISTERS_NONE,
                                          .second_row = UINT16_MAX,
                                          .returns = true,
                                          .result_row = (uint16_t)operand_row(&in->dst[0]),
                                          .n_bytes = 4});
}

/* Adds the number of active lanes (or its negative) to the counter at M0 plus the offset; every lane gets the old value. */
static void count_lanes(struct wave *wave, const struct instruction *in, int sign)
{
    LANE_ARRAY32(address);
    uint32_t place = (wave->sgpr[SREG_M0] & 0xffffu) + (uint32_t)in->offset;
    EACH_LANE address[lane] = place;
    struct access access;
    resolve_lds(wave, address, 4, ACCESS_ATOMIC, &access);
    if (__builtin_expect(wave->watched, 0))
        report_counter(wave, in, &access);
    LANE_ARRAY32(old);
    EACH_LANE old[lane] = access.missing;
    if (access.lanes) {
        uint8_t *counter = access_at(&access, __builtin_ctzll(access.lanes));
        uint32_t before, after;
        memcpy(&before, counter, 4);
        after = before + (uint32_t)(sign * __builtin_popcountll(exec_read(wave)));
        memcpy(counter, &after, 4);
        EACH_LANE old[lane] = before;
    }
    commit_row(wave, operand_row(&in->dst[0]), old);
}

HANDLER(ds_append)
{
    count_lanes(wave, in, 1);
}

HANDLER(ds_consume)
{
    count_lanes(wave, in, -1);
}
