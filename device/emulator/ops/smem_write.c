/*
 * Scalar stores and atomics of gfx9 ("Vega" ISA, "Scalar Memory Operations"). The text names the data first, then the base
 * and the offset. Outside a buffer's resource nothing happens.
 */
#include "device/emulator/ops/atomic_ops.h"
#include "device/emulator/ops/smem.h"

enum { OPERAND_DATA, OPERAND_BASE, OPERAND_OFFSET };

static uint64_t offset_in_dwords(struct wave *wave, const struct instruction *in)
{
    return (uint64_t)scalar_offset_of(wave, in, &in->src[OPERAND_OFFSET]) & ~UINT64_C(3);
}

static void store_registers(struct wave *wave, const struct instruction *in, uint64_t address)
{
    const struct operand *data = &in->src[OPERAND_DATA];
    uint32_t n_bytes = 4u * data->n_dwords;
    if (data->kind != OPERAND_SCALAR)
        return;
    uint8_t *to = scalar_place(wave, address, n_bytes, (struct scalar_use){.kind = ACCESS_STORE, .row = data->index});
    if (to)
        memcpy(to, &wave->sgpr[data->index], n_bytes);
}

HANDLER(s_store)
{
    store_registers(wave, in, scalar_read64(wave, &in->src[OPERAND_BASE]) + offset_in_dwords(wave, in));
}

HANDLER(s_buffer_store)
{
    struct scalar_resource resource = scalar_resource_of(wave, &in->src[OPERAND_BASE]);
    uint64_t offset = offset_in_dwords(wave, in);
    if (resource_holds(&resource, offset, 4u * in->src[OPERAND_DATA].n_dwords))
        store_registers(wave, in, resource.base + offset);
}

/* One operation on n_bytes of memory; with glc the old value comes back into the data register. */
static void atomic_at(struct wave *wave, const struct instruction *in, uint64_t address, unsigned n_bytes,
                      atomic_next *next)
{
    const struct operand *data = &in->src[OPERAND_DATA];
    if (data->kind != OPERAND_SCALAR)
        return;
    if (address & (n_bytes - 1)) {
        wave_finding(wave, FINDING_MEM, -1, "the address of an atomic is %u past a multiple of %u",
                     (unsigned)(address % n_bytes), n_bytes);
        return;
    }
    const bool compares = data->n_dwords * 4u > n_bytes;
    const struct scalar_use use = {.kind = ACCESS_ATOMIC,
                                   .replaces = next == next_swap_b32 || next == next_swap_b64,
                                   .returns = in->flags & FLAG_GLC,
                                   .row = data->index,
                                   .second_row = compares ? (uint16_t)(data->index + n_bytes / 4) : UINT16_MAX};
    uint8_t *place = scalar_place(wave, address, n_bytes, use);
    if (!place)
        return;
    struct atomic_operands operands = {0};
    memcpy(&operands.data, &wave->sgpr[data->index], n_bytes);
    memcpy(&operands.second, &wave->sgpr[data->index + n_bytes / 4], n_bytes);
    uint64_t old = atomic_lane(place, n_bytes, true, next, &operands);
    if (in->flags & FLAG_GLC)
        memcpy(&wave->sgpr[data->index], &old, n_bytes);
}

#define SCALAR_ATOMIC(name, T, new_value)                                                                                  \
    HANDLER(s_atomic_##name)                                                                                               \
    {                                                                                                                      \
        uint64_t base = scalar_read64(wave, &in->src[OPERAND_BASE]);                                                       \
        atomic_at(wave, in, base + offset_in_dwords(wave, in), sizeof(T), next_##name);                                    \
    }                                                                                                                      \
    HANDLER(s_buffer_atomic_##name)                                                                                        \
    {                                                                                                                      \
        struct scalar_resource resource = scalar_resource_of(wave, &in->src[OPERAND_BASE]);                                \
        uint64_t offset = offset_in_dwords(wave, in);                                                                      \
        if (resource_holds(&resource, offset, sizeof(T)))                                                                  \
            atomic_at(wave, in, resource.base + offset, sizeof(T), next_##name);                                           \
    }
ATOMIC_INTEGERS(SCALAR_ATOMIC, uint32_t, int32_t, 32)
ATOMIC_INTEGERS(SCALAR_ATOMIC, uint64_t, int64_t, 64)
