/*
 * Undefined bytes through memory: loads bring them to registers, stores to LDS and scratch take them along, and stores to
 * global memory and atomics may have none.
 */
#include <string.h>

#include "device/emulator/sanitizer/init.h"

/* The bytes that say which of an access's are defined: of all its lanes, or NULL where all are. */
struct shadow {
    uint8_t *defined; /* of byte 0 of the access's space, or of span_base in global memory */
    uint64_t base;
    uint64_t lane_stride; /* scratch: from one lane's to the next */
};

static struct shadow local_shadow(struct wave *wave, const struct access_record *record)
{
    if (record->space == ACCESS_LDS)
        return (struct shadow){.defined = wave->group->checks->init->lds};
    return (struct shadow){.defined = wave->checks->init->scratch, .lane_stride = wave->private_stride};
}

static uint8_t *lane_shadow(struct wave *wave, const struct access_record *record, const struct shadow *local, int lane)
{
    uint64_t byte = record->bytes[lane];
    if (record->space != ACCESS_GLOBAL)
        return local->defined + byte + (uint64_t)lane * local->lane_stride;
    const struct span *span = memory_find_cached(wave->dispatch->memory, &wave->spans, byte);
    return span && span->defined ? span->defined + (byte - span->base) : NULL;
}

/* Whether all of a global access's lanes lie in one span that is defined as a whole: the common case. */
static bool in_defined_span(struct wave *wave, const struct access_record *record)
{
    uint64_t low = UINT64_MAX, high = 0;
    if (record->space != ACCESS_GLOBAL)
        return false;
    for (uint64_t left = record->lanes; left; left &= left - 1) {
        uint64_t byte = record->bytes[__builtin_ctzll(left)];
        low = byte < low ? byte : low;
        high = byte > high ? byte : high;
    }
    const struct span *span = memory_find_cached(wave->dispatch->memory, &wave->spans, low);
    return span && !span->defined && high - span->base < span->n_bytes;
}

/* Register byte i of the access: its row (or scalar), and the byte in it. */
static unsigned register_byte(const struct access_record *record, unsigned i, unsigned *row)
{
    unsigned at = record->first_byte + i;
    *row = record->row + at / 4;
    return at % 4;
}

static void set_byte(struct init_wave *init, const struct access_record *record, unsigned i, uint64_t undefined)
{
    unsigned row, byte = register_byte(record, i, &row);
    if (record->registers == REGISTERS_SCALAR) {
        if (row < SREG_COUNT)
            init->scalars[row] = (init->scalars[row] & ~(0xffu << 8 * byte)) | (undefined & 1 ? 0xffu << 8 * byte : 0);
        return;
    }
    init->rows[row][byte] = (init->rows[row][byte] & ~record->lanes) | undefined;
}

static void note_origin(struct wave *wave, const struct access_record *record, unsigned row, uint8_t state)
{
    unsigned place = record->registers == REGISTERS_SCALAR ? FLOW_SCALAR + row : row;
    wave->checks->init->origin[place] = (struct init_origin){wave->current, record->space, state};
}

static unsigned n_filled(const struct access_record *record)
{
    return record->filled_bytes > record->n_bytes ? record->filled_bytes : record->n_bytes;
}

static void load_defined(struct wave *wave, const struct access_record *record)
{
    for (unsigned i = 0; i < n_filled(record); i++)
        set_byte(wave->checks->init, record, i, 0);
}

static uint64_t undefined_lanes(struct wave *wave, const struct access_record *record, const struct shadow *local,
                                unsigned i, uint8_t *state)
{
    uint64_t undefined = 0;
    for (uint64_t left = record->lanes; left; left &= left - 1) {
        int lane = __builtin_ctzll(left);
        const uint8_t *defined = lane_shadow(wave, record, local, lane);
        if (!defined || defined[i] == BYTE_DEFINED)
            continue;
        *state = undefined ? *state : defined[i];
        undefined |= UINT64_C(1) << lane;
    }
    return undefined;
}

static bool bytes_defined(const uint8_t *states, uint32_t n_bytes)
{
    _Static_assert(BYTE_DEFINED == 1, "a word of defined bytes");
    for (; n_bytes >= 4; states += 4, n_bytes -= 4) {
        uint32_t word;
        memcpy(&word, states, 4);
        if (word != 0x01010101u)
            return false;
    }
    for (; n_bytes; states++, n_bytes--)
        if (*states != BYTE_DEFINED)
            return false;
    return true;
}

/* Whether every byte of every lane is defined; stops at the first that is not. */
static bool all_defined(struct wave *wave, const struct access_record *record, const struct shadow *local)
{
    for (uint64_t left = record->lanes; left; left &= left - 1) {
        const uint8_t *defined = lane_shadow(wave, record, local, __builtin_ctzll(left));
        if (defined && !bytes_defined(defined, record->n_bytes))
            return false;
    }
    return true;
}

static void load(struct wave *wave, const struct access_record *record, const struct shadow *local)
{
    if (record->registers == REGISTERS_NONE)
        return;
    if (all_defined(wave, record, local)) {
        load_defined(wave, record);
        return;
    }
    uint64_t last = 0;
    for (unsigned i = 0; i < record->n_bytes; i++) {
        unsigned row;
        uint8_t state = BYTE_UNWRITTEN;
        last = undefined_lanes(wave, record, local, i, &state);
        set_byte(wave->checks->init, record, i, last);
        register_byte(record, i, &row);
        if (last)
            note_origin(wave, record, row, state);
    }
    for (unsigned i = record->n_bytes; i < n_filled(record); i++)
        set_byte(wave->checks->init, record, i, last); /* the sign, or zeros: all or nothing of a small value */
}

/* Undefined lanes of a register's bytes. */
static uint64_t data_undefined(const struct init_wave *init, const struct access_record *record, unsigned first_row,
                               unsigned n_bytes)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < n_bytes; i++) {
        unsigned at = record->first_byte + i;
        all |= init->rows[first_row + at / 4][at % 4];
    }
    return all & record->lanes;
}

/* Undefined lanes of one byte of a register, counted from the access's first. */
static uint64_t byte_undefined(const struct init_wave *init, const struct access_record *record, unsigned first_row,
                               unsigned i)
{
    unsigned at = record->first_byte + i;
    return init->rows[first_row + at / 4][at % 4] & record->lanes;
}

/* Lanes whose undefined bytes cannot be padding. Padding follows a member and ends at the next one's alignment: it neither
 * begins a value nor lies below a member within a dword. What may be padding is copied as it is. */
static uint64_t data_unset(const struct init_wave *init, const struct access_record *record, unsigned first_row)
{
    uint64_t unset = byte_undefined(init, record, first_row, 0);
    for (unsigned dword = 4; dword < record->n_bytes; dword += 4) {
        uint64_t all = record->lanes;
        for (unsigned i = dword; i < dword + 4 && i < record->n_bytes; i++)
            all &= byte_undefined(init, record, first_row, i);
        unset |= byte_undefined(init, record, first_row, dword) & ~all;
    }
    return unset;
}

static void mark_defined(struct wave *wave, const struct access_record *record, const struct shadow *local)
{
    for (uint64_t left = record->lanes; left; left &= left - 1) {
        uint8_t *defined = lane_shadow(wave, record, local, __builtin_ctzll(left));
        if (defined)
            memset(defined, BYTE_DEFINED, record->n_bytes);
    }
}

/* The bytes are as defined as the vector registers', or defined. */
static void store_copies(struct wave *wave, const struct access_record *record, const struct shadow *local)
{
    const struct init_wave *init = wave->checks->init;
    mark_defined(wave, record, local);
    if (record->registers != REGISTERS_VECTOR || !data_undefined(init, record, record->row, record->n_bytes))
        return;
    for (unsigned i = 0; i < record->n_bytes; i++) {
        unsigned row, byte = register_byte(record, i, &row);
        for (uint64_t left = record->lanes & init->rows[row][byte]; left; left &= left - 1) {
            uint8_t *states = lane_shadow(wave, record, local, __builtin_ctzll(left));
            if (states)
                states[i] = BYTE_UNDEFINED;
        }
    }
}

/* Reported once, and defined from then on. */
static void check_data(struct wave *wave, const struct access_record *record, unsigned first_row, const char *use)
{
    struct init_wave *init = wave->checks->init;
    uint64_t unset = data_unset(init, record, first_row);
    if (!unset)
        return;
    init_report(wave, first_row, __builtin_ctzll(unset), use);
    for (unsigned at = record->first_byte; at < record->first_byte + record->n_bytes; at++)
        init->rows[first_row + at / 4][at % 4] &= ~unset;
}

static void check_scalars(struct wave *wave, const struct access_record *record, unsigned first, const char *use)
{
    struct init_wave *init = wave->checks->init;
    for (unsigned i = 0; i < record->n_bytes / 4; i++) {
        if (init->scalars[first + i])
            init_report(wave, FLOW_SCALAR + first + i, -1, use);
        init->scalars[first + i] = 0;
    }
}

static void store(struct wave *wave, const struct access_record *record, const struct shadow *local)
{
    if (record->space != ACCESS_GLOBAL) {
        store_copies(wave, record, local);
        return;
    }
    if (record->registers == REGISTERS_VECTOR)
        check_data(wave, record, record->row, "the value that is stored");
    else if (record->registers == REGISTERS_SCALAR)
        check_scalars(wave, record, record->row, "the value that is stored");
    store_copies(wave, record, local);
}

static void check_old_value(struct wave *wave, const struct access_record *record, const struct shadow *local)
{
    for (uint64_t left = record->lanes; left; left &= left - 1) {
        int lane = __builtin_ctzll(left);
        const uint8_t *defined = lane_shadow(wave, record, local, lane);
        if (!defined || bytes_defined(defined, record->n_bytes))
            continue;
        wave_finding(wave, FINDING_INIT, lane, "the atomic operates on %s that nobody has written",
                     record->space == ACCESS_LDS       ? "LDS"
                     : record->space == ACCESS_SCRATCH ? "scratch"
                                                       : "memory");
        return;
    }
}

static void check_operand(struct wave *wave, const struct access_record *record, unsigned first, const char *use)
{
    if (record->registers == REGISTERS_VECTOR)
        check_data(wave, record, first, use);
    else if (record->registers == REGISTERS_SCALAR)
        check_scalars(wave, record, first, use);
}

static void atomic(struct wave *wave, const struct access_record *record, const struct shadow *local)
{
    check_operand(wave, record, record->row, "the operand of an atomic");
    if (record->second_row != UINT16_MAX)
        check_operand(wave, record, record->second_row, "the compared value of an atomic");
    if (!record->replaces)
        check_old_value(wave, record, local);
    struct access_record result = *record;
    result.row = record->result_row;
    if (record->registers == REGISTERS_NONE) /* a counter's */
        result.registers = REGISTERS_VECTOR;
    if (record->returns && record->replaces)
        load(wave, &result, local);
    else if (record->returns)
        load_defined(wave, &result);
    mark_defined(wave, record, local);
}

void init_access(struct wave *wave, const struct access_record *record)
{
    struct shadow local = {0};
    if (record->space != ACCESS_GLOBAL)
        local = local_shadow(wave, record);
    if (record->kind == ACCESS_LOAD && in_defined_span(wave, record)) {
        if (record->registers != REGISTERS_NONE)
            load_defined(wave, record);
        return;
    }
    if (record->kind == ACCESS_LOAD)
        load(wave, record, &local);
    else if (record->kind == ACCESS_STORE)
        store(wave, record, &local);
    else
        atomic(wave, record, &local);
}
