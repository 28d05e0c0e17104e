/*
 * Scalar memory reads (RDNA3.5 ISA, "Scalar memory reads and instructions"): base + offset register + immediate, whole
 * dwords into consecutive SGPRs. Every read is checked against the allocations.
 */
#include "device/emulator/ops/smem.h"

static __attribute__((noinline, cold)) void report(struct wave *wave, uint64_t address, uint32_t n_bytes,
                                                   struct scalar_use use)
{
    sanitizer_access(wave, &(struct access_record){.space = ACCESS_GLOBAL,
                                                   .kind = use.kind,
                                                   .registers = REGISTERS_SCALAR,
                                                   .row = use.row,
                                                   .second_row = use.kind == ACCESS_ATOMIC ? use.second_row : UINT16_MAX,
                                                   .result_row = use.row,
                                                   .replaces = use.replaces,
                                                   .returns = use.returns,
                                                   .n_bytes = n_bytes,
                                                   .filled_bytes = use.kind == ACCESS_LOAD && n_bytes < 4 ? 4 : 0,
                                                   .lanes = 1,
                                                   .bytes = &address});
}

uint8_t *scalar_place(struct wave *wave, uint64_t address, uint32_t n_bytes, struct scalar_use use)
{
    const struct span *span = memory_find_cached(wave->dispatch->memory, &wave->spans, address);
    if (span && span_is_reachable(wave, span) && n_bytes <= span->n_bytes - (address - span->base) &&
        (use.kind == ACCESS_LOAD || !span->read_only)) {
        if (__builtin_expect(wave->watched, 0))
            report(wave, address, n_bytes, use);
        return span->host + (address - span->base);
    }
    char text[320];
    describe_memory(wave, address, n_bytes, (enum access_kind)use.kind, text, sizeof text);
    wave_finding(wave, FINDING_MEM, -1, "%s", text);
    return NULL;
}

static const uint8_t *place_of_load(struct wave *wave, uint64_t address, uint32_t n_bytes, uint32_t row)
{
    return scalar_place(wave, address, n_bytes, (struct scalar_use){.kind = ACCESS_LOAD, .row = (uint16_t)row});
}

/* Registers of the destination from memory; poison where the read may not happen. NULL drops the result. */
static void load_registers(struct wave *wave, const struct instruction *in, uint64_t address)
{
    const struct operand *to = &in->dst[0];
    uint32_t n_dwords = to->n_dwords;
    if (to->kind != OPERAND_SCALAR)
        return;
    const uint8_t *from = place_of_load(wave, address, 4 * n_dwords, to->index);
    if (from)
        memcpy(&wave->sgpr[to->index], from, 4 * (size_t)n_dwords);
    else
        for (uint32_t i = 0; i < n_dwords; i++)
            wave->sgpr[to->index + i] = MISSING_POISON;
}

HANDLER(s_load)
{
    uint64_t base = scalar_read64(wave, &in->src[0]);
    load_registers(wave, in, (base + (uint64_t)scalar_offset_of(wave, in, &in->src[1])) & ~UINT64_C(3));
}

/* Bytes and words, extended to a dword (gfx12); from a buffer, 0 outside the resource. */
#define NARROW_LOAD(name, type, n_bytes)                                                                                   \
    static void load_##name(struct wave *wave, const struct instruction *in, uint64_t address)                             \
    {                                                                                                                      \
        const uint8_t *from = place_of_load(wave, address, n_bytes, in->dst[0].index);                                     \
        type value;                                                                                                        \
        if (from)                                                                                                          \
            memcpy(&value, from, n_bytes);                                                                                 \
        scalar_write32(wave, &in->dst[0], from ? (uint32_t)(int32_t)value : MISSING_POISON);                               \
    }                                                                                                                      \
    HANDLER(s_load_##name)                                                                                                 \
    {                                                                                                                      \
        uint64_t base = scalar_read64(wave, &in->src[0]);                                                                  \
        load_##name(wave, in, base + (uint64_t)scalar_offset_of(wave, in, &in->src[1]));                                   \
    }                                                                                                                      \
    HANDLER(s_buffer_load_##name)                                                                                          \
    {                                                                                                                      \
        struct scalar_resource resource = scalar_resource_of(wave, &in->src[0]);                                           \
        uint64_t offset = (uint64_t)scalar_offset_of(wave, in, &in->src[1]);                                               \
        if (resource_holds(&resource, offset, n_bytes))                                                                    \
            load_##name(wave, in, resource.base + offset);                                                                 \
        else                                                                                                               \
            scalar_write32(wave, &in->dst[0], 0);                                                                          \
    }

NARROW_LOAD(i8, int8_t, 1)
NARROW_LOAD(u8, uint8_t, 1)
NARROW_LOAD(i16, int16_t, 2)
NARROW_LOAD(u16, uint16_t, 2)

/* Dwords outside the resource read 0, as the hardware does, and are no finding. */
HANDLER(s_buffer_load)
{
    struct scalar_resource resource = scalar_resource_of(wave, &in->src[0]);
    uint64_t offset = (uint64_t)scalar_offset_of(wave, in, &in->src[1]) & ~UINT64_C(3);
    const struct operand *to = &in->dst[0];
    for (uint32_t i = 0; to->kind == OPERAND_SCALAR && i < to->n_dwords; i++, offset += 4) {
        uint32_t value = 0;
        if (resource_holds(&resource, offset, 4)) {
            const uint8_t *from = place_of_load(wave, resource.base + offset, 4, to->index + i);
            value = MISSING_POISON;
            if (from)
                memcpy(&value, from, 4);
        }
        wave->sgpr[to->index + i] = value;
    }
}
