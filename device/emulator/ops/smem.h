/* What scalar loads, stores and atomics share. */
#ifndef EMULATOR_SMEM_H
#define EMULATOR_SMEM_H

#include "device/emulator/ops/access.h"

/* The offset operand and the instruction's own: a register counts unsigned, a constant is signed. */
static inline int64_t scalar_offset_of(struct wave *wave, const struct instruction *in, const struct operand *operand)
{
    uint32_t value = scalar_read32(wave, operand);
    int64_t offset = operand->kind == OPERAND_CONSTANT ? (int64_t)(int32_t)value : (int64_t)value;
    return offset + in->offset;
}

/* A buffer resource: base in 47:0, stride in 61:48, number of records in dword 2 (bytes where the stride is 0). */
struct scalar_resource {
    uint64_t base, n_bytes;
};

static inline struct scalar_resource scalar_resource_of(const struct wave *wave, const struct operand *operand)
{
    const uint32_t *words = &wave->sgpr[operand->index];
    uint32_t stride = words[1] >> 16 & 0x3fff;
    return (struct scalar_resource){.base = words[0] | (uint64_t)(words[1] & 0xffff) << 32,
                                    .n_bytes = stride ? (uint64_t)stride * words[2] : words[2]};
}

static inline bool resource_holds(const struct scalar_resource *resource, uint64_t offset, uint32_t n_bytes)
{
    return offset < resource->n_bytes && resource->n_bytes - offset >= n_bytes;
}

#define scalar_place VARIANT(scalar_place)

/* What a scalar access does with wave->sgpr[row] and the next: as access_record has it. Atomics return into the same. */
struct scalar_use {
    uint8_t kind; /* enum access_kind */
    bool replaces, returns;
    uint16_t row, second_row; /* second_row: of atomics, UINT16_MAX without one */
};

/* The host's bytes at [address, address + n_bytes), or NULL with a finding. Where the wave is watched, the access is
 * reported. */
uint8_t *scalar_place(struct wave *wave, uint64_t address, uint32_t n_bytes, struct scalar_use use);

#endif
