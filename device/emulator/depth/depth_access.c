/*
 * Counts through memory, LDS and scratch, which keep them as they keep bytes: two for each two. Where a region has none but
 * data's, which is nearly always so of inputs, nothing is looked at.
 */
#include <string.h>

#include "device/emulator/depth/depth_state.h"

/* Where the counts of an access's lanes lie; bytes NULL: all of them are data's. */
struct region {
    uint8_t *bytes;
    const uint8_t *values; /* the host's bytes themselves */
    uint64_t base, lane_stride;
    uint32_t *counted;
    bool *counted_here;
};

static void region_of_span(const struct span *span, struct region *region)
{
    *region = (struct region){.base = span->base, .values = span->host};
    if (span->depth) {
        region->bytes = span->depth->bytes;
        region->counted = &span->depth->counted;
    }
}

/* Of all lanes; false where they lie in several spans of memory, or in none. */
static bool region_of(struct wave *wave, const struct access_record *record, struct region *region)
{
    struct depth_wave *depth = wave->checks->depth;
    struct depth_group *group = wave->group->checks->depth;
    if (record->space == ACCESS_LDS) {
        *region = (struct region){group->lds, wave->group->lds, .counted_here = &group->lds_counted};
        return true;
    }
    if (record->space == ACCESS_SCRATCH) {
        *region = (struct region){depth->scratch, wave->private_bytes, .lane_stride = wave->private_stride,
                                  .counted_here = &depth->scratch_counted};
        return true;
    }
    uint64_t low = UINT64_MAX, high = 0;
    for (uint64_t left = record->lanes; left; left &= left - 1) {
        uint64_t byte = record->bytes[__builtin_ctzll(left)];
        low = byte < low ? byte : low;
        high = byte > high ? byte : high;
    }
    const struct span *span = memory_find_cached(wave->dispatch->memory, &wave->spans, low);
    if (!span || high - span->base >= span->n_bytes)
        return false;
    region_of_span(span, region);
    return true;
}

static bool is_counted(const struct region *region)
{
    return region->counted ? __atomic_load_n(region->counted, __ATOMIC_RELAXED) != 0
                           : region->counted_here && *region->counted_here;
}

static void set_counted(const struct region *region)
{
    if (region->counted)
        __atomic_store_n(region->counted, 1, __ATOMIC_RELAXED);
    else
        *region->counted_here = true;
}

static uint64_t offset_of(const struct region *region, const struct access_record *record, unsigned lane)
{
    return record->bytes[lane] - region->base + lane * region->lane_stride;
}

/* The counts of the lane's first byte; a half is counted as a whole. */
static uint8_t *counts_of(const struct region *region, const struct access_record *record, unsigned lane)
{
    return region->bytes + (offset_of(region, record, lane) & ~UINT64_C(1));
}

static uint32_t read_half(const uint8_t *counts, unsigned half)
{
    uint16_t count;
    memcpy(&count, counts + sizeof count * (size_t)half, sizeof count);
    return count ^ (DEPTH_IN_MEMORY & 0xffff);
}

static void write_half(uint8_t *counts, unsigned half, uint32_t value)
{
    uint16_t count = (uint16_t)(value ^ (DEPTH_IN_MEMORY & 0xffff));
    memcpy(counts + sizeof count * (size_t)half, &count, sizeof count);
}

static uint32_t read_dword(const uint8_t *counts, unsigned dword)
{
    return read_half(counts, 2 * dword) | read_half(counts, 2 * dword + 1) << 16;
}

static void write_dword(uint8_t *counts, unsigned dword, uint32_t halves)
{
    write_half(counts, 2 * dword, halves & 0xffff);
    write_half(counts, 2 * dword + 1, halves >> 16);
}

static unsigned n_halves(uint32_t n_bytes)
{
    return (n_bytes + 1) / 2;
}

/* ---- registers of an access ---- */

static uint32_t *carried_row(struct wave *wave, unsigned dword)
{
    return wave->checks->depth->carried[dword % CARRIED_DWORDS];
}

static uint32_t register_at(struct wave *wave, const struct access_record *record, unsigned row, unsigned lane)
{
    struct depth_wave *depth = wave->checks->depth;
    if (record->registers == REGISTERS_NONE)
        return carried_row(wave, row)[lane];
    return record->registers == REGISTERS_SCALAR ? depth->scalars[row < SREG_COUNT ? row : SREG_COUNT]
                                                 : depth_lane(wave, row, lane);
}

static void set_register(struct wave *wave, const struct access_record *record, unsigned row, const uint32_t *halves)
{
    if (record->registers == REGISTERS_NONE)
        memcpy(carried_row(wave, row), halves, wave->n_lanes * sizeof *halves);
    else if (record->registers == REGISTERS_SCALAR)
        wave->checks->depth->scalars[row < SREG_COUNT ? row : SREG_COUNT] = halves[0];
    else
        depth_set_lanes(wave, row, record->lanes, halves);
}

static void set_register_all(struct wave *wave, const struct access_record *record, unsigned row, uint32_t halves)
{
    uint32_t lanes[MAX_LANES];
    if (record->registers == REGISTERS_VECTOR) {
        depth_set_all(wave, row, record->lanes, halves);
        return;
    }
    for (unsigned lane = 0; lane < wave->n_lanes; lane++)
        lanes[lane] = halves;
    set_register(wave, record, row, lanes);
}

/* The first register; of an instruction that names none, what comes after what it carries already. */
static unsigned first_row(struct wave *wave, const struct access_record *record)
{
    struct depth_wave *depth = wave->checks->depth;
    if (record->registers != REGISTERS_NONE)
        return record->row;
    if (depth->carrier != wave->current || record->kind == ACCESS_LOAD)
        depth->n_carried = depth->carrier == wave->current ? depth->n_carried : 0;
    depth->carrier = wave->current;
    return record->kind == ACCESS_LOAD ? depth->n_carried : 0;
}

/* ---- loads ---- */

static void load_dwords(struct wave *wave, const struct access_record *record, const struct region *region, unsigned row)
{
    uint32_t halves[MAX_LANES] = {0};
    for (unsigned d = 0; d < record->n_bytes / 4; d++) {
        for (uint64_t left = record->lanes; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(left);
            halves[lane] = read_dword(counts_of(region, record, lane), d);
        }
        set_register(wave, record, row + d, halves);
    }
}

/* A part of a dword fills one half of its register, or all of it. */
static void load_part(struct wave *wave, const struct access_record *record, const struct region *region, unsigned row)
{
    uint32_t halves[MAX_LANES] = {0};
    unsigned filled = record->filled_bytes > record->n_bytes ? record->filled_bytes : record->n_bytes;
    unsigned first = record->first_byte / 2, end = first + n_halves(filled);
    for (unsigned at = first; at < end; at += 2 - at % 2) {
        for (uint64_t left = record->lanes; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(left);
            const uint8_t *counts = counts_of(region, record, lane);
            uint32_t own = record->registers == REGISTERS_NONE ? 0 : register_at(wave, record, row + at / 2, lane);
            for (unsigned half = at; half < end && half / 2 == at / 2; half++) {
                unsigned from = half - first < n_halves(record->n_bytes) ? half - first : n_halves(record->n_bytes) - 1;
                uint32_t count = region->bytes ? read_half(counts, from) : DEPTH_DATA, shift = 16 * (half % 2);
                own = (own & ~(UINT32_C(0xffff) << shift)) | count << shift;
            }
            halves[lane] = own;
        }
        set_register(wave, record, row + at / 2, halves);
    }
}

static void load(struct wave *wave, const struct access_record *record, const struct region *region)
{
    unsigned row = first_row(wave, record);
    bool whole = record->n_bytes % 4 == 0 && !record->first_byte;
    unsigned n_dwords = (record->n_bytes + 3) / 4;
    if (record->registers == REGISTERS_NONE)
        wave->checks->depth->n_carried += n_dwords;
    bool fills = whole || record->filled_bytes == 4;
    struct region data = *region;
    if (!is_counted(region))
        data.bytes = NULL;
    if (!data.bytes && fills)
        for (unsigned d = 0; d < n_dwords; d++)
            set_register_all(wave, record, row + d, depth_both(DEPTH_DATA));
    else if (whole)
        load_dwords(wave, record, &data, row);
    else
        load_part(wave, record, &data, row);
}

/* ---- stores ---- */

/* Whether the stored registers hold data's counts in all lanes. */
static bool stores_data(struct wave *wave, const struct access_record *record, unsigned row)
{
    const struct depth_wave *depth = wave->checks->depth;
    if (record->registers != REGISTERS_VECTOR)
        return false;
    for (unsigned d = 0; d < (record->first_byte + record->n_bytes + 3) / 4; d++)
        if (depth->mixed[row + d] || depth->all[row + d] != depth_both(DEPTH_DATA))
            return false;
    return true;
}

/* Of a half that is written in part, the larger count. */
static void store(struct wave *wave, const struct access_record *record, const struct region *region)
{
    unsigned row = first_row(wave, record);
    if (!region->bytes || (!is_counted(region) && stores_data(wave, record, row)))
        return;
    set_counted(region);
    for (uint64_t left = record->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        uint8_t *counts = counts_of(region, record, lane);
        for (unsigned i = 0; i < n_halves(record->n_bytes); i++) {
            unsigned at = record->first_byte / 2 + i;
            uint32_t count = register_at(wave, record, row + at / 2, lane) >> 16 * (at % 2) & 0xffff;
            if (record->n_bytes % 2)
                count = depth_larger(count, read_half(counts, i));
            write_half(counts, i, count);
        }
    }
}

/* ---- atomics ---- */

/* A number of `n` dwords, or each half of one, before and after. */
struct number {
    uint32_t halves[2]; /* counts */
    uint32_t bits[2];
};

static bool is_zero(const struct number *number, unsigned n)
{
    uint32_t count = 0;
    for (unsigned d = 0; d < n; d++)
        count |= number->halves[d];
    return !count && (n < 2 || number->bits[0] == 0) && (number->bits[n - 1] & 0x7fffffff) == 0;
}

static void add_numbers(const struct number *old, const struct number *data, unsigned n, uint32_t result[2])
{
    uint32_t count = 0;
    for (unsigned d = 0; d < n; d++)
        count = depth_larger(count, depth_any(depth_larger_halves(old->halves[d], data->halves[d])));
    if (!is_zero(old, n) && !is_zero(data, n))
        count = depth_plus(count, 1);
    for (unsigned d = 0; d < n; d++)
        result[d] = depth_both(count);
}

/* One half as a number by itself. */
static struct number half_of(const struct number *number, unsigned half)
{
    return (struct number){{number->halves[0] >> 16 * half & 0xffff}, {number->bits[0] << 16 * (1 - half)}};
}

static void add_halves(const struct number *old, const struct number *data, uint32_t result[2])
{
    uint32_t sums[2][2];
    for (unsigned half = 0; half < 2; half++) {
        struct number a = half_of(old, half), b = half_of(data, half);
        add_numbers(&a, &b, 1, sums[half]);
    }
    result[0] = (sums[0][0] & 0xffff) | sums[1][0] << 16;
}

static void combine(const struct wave *wave, const struct access_record *record, const struct number *old,
                    const struct number *data, uint32_t result[2])
{
    const struct opcode *opcode = wave->current->opcode;
    const struct depth_opcode *known = &wave->dispatch->checks->depth->opcodes[opcode->index];
    unsigned n = record->n_bytes / 4;
    if (known->kind == DEPTH_SUM && strstr(opcode->mnemonic, "_pk_"))
        add_halves(old, data, result);
    else if (known->kind == DEPTH_SUM)
        add_numbers(old, data, n, result);
    else
        for (unsigned d = 0; d < n; d++)
            result[d] = record->replaces ? data->halves[d] : depth_larger_halves(old->halves[d], data->halves[d]);
}

static struct number data_of(struct wave *wave, const struct access_record *record, unsigned lane)
{
    struct number data = {{0}, {1, 1}};
    for (unsigned d = 0; d < record->n_bytes / 4; d++) {
        data.halves[d] = register_at(wave, record, record->registers == REGISTERS_NONE ? d : record->row + d, lane);
        if (record->registers == REGISTERS_VECTOR)
            data.bits[d] = wave->vgpr[(size_t)(record->row + d) * wave->n_lanes + lane];
    }
    return data;
}

static struct number old_of(const struct access_record *record, const struct region *region, unsigned lane)
{
    struct number old = {{0}, {0}};
    memcpy(old.bits, region->values + offset_of(region, record, lane), record->n_bytes);
    for (unsigned d = 0; d < record->n_bytes / 4; d++)
        old.halves[d] = region->bytes ? read_dword(counts_of(region, record, lane), d) : depth_both(DEPTH_DATA);
    return old;
}

/* Lanes one after another, as they happen. */
static void atomic(struct wave *wave, const struct access_record *record, const struct region *region)
{
    uint32_t before[2][MAX_LANES] = {{0}};
    unsigned n = record->n_bytes / 4;
    if (region->bytes)
        set_counted(region);
    for (uint64_t left = record->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        struct number data = data_of(wave, record, lane), old = old_of(record, region, lane);
        uint32_t result[2];
        combine(wave, record, &old, &data, result);
        for (unsigned d = 0; d < n; d++) {
            before[d][lane] = old.halves[d];
            if (region->bytes)
                write_dword(counts_of(region, record, lane), d, result[d]);
        }
    }
    struct access_record into = *record;
    if (record->registers == REGISTERS_NONE)
        into.registers = REGISTERS_VECTOR;
    for (unsigned d = 0; d < n && record->returns; d++)
        set_register(wave, &into, record->result_row + d, before[d]);
}

static void counter(struct wave *wave, const struct access_record *record)
{
    if (record->returns)
        depth_set_all(wave, record->result_row, depth_exec(wave), depth_both(DEPTH_DATA));
}

static void in_region(struct wave *wave, const struct access_record *record, const struct region *region)
{
    bool carries = wave->checks->depth->carrier == wave->current;
    if (record->kind == ACCESS_LOAD)
        load(wave, record, region);
    else if (record->kind == ACCESS_STORE)
        store(wave, record, region);
    else if (record->registers == REGISTERS_NONE && !carries)
        counter(wave, record);
    else
        atomic(wave, record, region);
}

void depth_access(struct wave *wave, const struct access_record *record)
{
    struct region region;
    if (region_of(wave, record, &region)) {
        in_region(wave, record, &region);
        return;
    }
    struct access_record alone = *record;
    for (uint64_t left = record->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        const struct span *span = memory_find_cached(wave->dispatch->memory, &wave->spans, record->bytes[lane]);
        if (!span)
            continue;
        region_of_span(span, &region);
        alone.lanes = UINT64_C(1) << lane;
        in_region(wave, &alone, &region);
    }
}

uint32_t depth_of_memory(const struct memory *memory, uint64_t address, size_t n_bytes, size_t *at)
{
    const struct span *span = memory_find(memory, address);
    uint32_t most = DEPTH_DATA;
    *at = 0;
    if (!span || !span->depth || n_bytes > span->n_bytes - (address - span->base))
        return 0;
    const uint8_t *counts = span->depth->bytes + ((address - span->base) & ~UINT64_C(1));
    for (size_t half = 0; half < n_halves((uint32_t)n_bytes); half++) {
        uint32_t count = read_half(counts, (unsigned)half);
        if (count > most) {
            most = count;
            *at = 2 * half;
        }
    }
    return most - DEPTH_DATA;
}
