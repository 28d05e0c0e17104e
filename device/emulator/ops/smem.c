/*
 * Scalar memory reads (RDNA3.5 ISA, "Scalar memory reads and instructions"): base + offset register + immediate, whole
 * dwords into consecutive SGPRs. Every read is checked against the allocations.
 */
#include "device/emulator/ops/access.h"

/* The offset operand: a register counts unsigned, a constant is signed. */
static int64_t offset_of(struct wave *wave, const struct instruction *in)
{
    const struct operand *operand = &in->src[1];
    uint32_t value = scalar_read32(wave, operand);
    int64_t offset = operand->kind == OPERAND_CONSTANT ? (int64_t)(int32_t)value : (int64_t)value;
    return offset + in->offset;
}

static __attribute__((noinline, cold)) void report_read(struct wave *wave, uint64_t address, uint32_t n_bytes,
                                                        unsigned place)
{
    sanitizer_access(wave, &(struct access_record){.space = ACCESS_GLOBAL,
                                                   .kind = ACCESS_LOAD,
                                                   .registers = REGISTERS_SCALAR,
                                                   .row = (uint16_t)place,
                                                   .n_bytes = n_bytes,
                                                   .filled_bytes = n_bytes < 4 ? 4 : 0,
                                                   .lanes = 1,
                                                   .bytes = &address});
}

/* The host's bytes at [address, address + n_bytes), which go to wave->sgpr[place] and the next, or NULL with a finding. */
static const uint8_t *readable(struct wave *wave, uint64_t address, uint32_t n_bytes, unsigned place)
{
    const struct span *span = memory_find_cached(wave->dispatch->memory, &wave->spans, address);
    if (span && span->device == wave->dispatch->device && n_bytes <= span->n_bytes - (address - span->base)) {
        if (__builtin_expect(wave->watched, 0))
            report_read(wave, address, n_bytes, place);
        return span->host + (address - span->base);
    }
    char text[320];
    describe_memory(wave, address, n_bytes, ACCESS_LOAD, text, sizeof text);
    wave_finding(wave, FINDING_MEM, -1, "%s", text);
    return NULL;
}

/* Registers of the destination from memory; poison where the read may not happen. NULL drops the result. */
static void load_registers(struct wave *wave, const struct instruction *in, uint64_t address)
{
    const struct operand *to = &in->dst[0];
    uint32_t n_dwords = to->n_dwords;
    if (to->kind != OPERAND_SCALAR)
        return;
    const uint8_t *from = readable(wave, address, 4 * n_dwords, to->index);
    if (from)
        memcpy(&wave->sgpr[to->index], from, 4 * (size_t)n_dwords);
    else
        for (uint32_t i = 0; i < n_dwords; i++)
            wave->sgpr[to->index + i] = MISSING_POISON;
}

HANDLER(s_load)
{
    uint64_t base = scalar_read64(wave, &in->src[0]);
    load_registers(wave, in, (base + (uint64_t)offset_of(wave, in)) & ~UINT64_C(3));
}

/* Bytes and words, extended to a dword (gfx12). */
#define NARROW_LOAD(name, type, n_bytes)                                                                                   \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        uint64_t address = scalar_read64(wave, &in->src[0]) + (uint64_t)offset_of(wave, in);                               \
        const uint8_t *from = readable(wave, address, n_bytes, in->dst[0].index);                                          \
        type value;                                                                                                        \
        if (from)                                                                                                          \
            memcpy(&value, from, n_bytes);                                                                                 \
        scalar_write32(wave, &in->dst[0], from ? (uint32_t)(int32_t)value : MISSING_POISON);                               \
    }

NARROW_LOAD(s_load_i8, int8_t, 1)
NARROW_LOAD(s_load_u8, uint8_t, 1)
NARROW_LOAD(s_load_i16, int16_t, 2)
NARROW_LOAD(s_load_u16, uint16_t, 2)

/* A buffer resource: base in 47:0, stride in 61:48, number of records in dword 2 (bytes where the stride is 0). */
struct resource {
    uint64_t base, n_bytes;
};

static struct resource read_resource(const struct wave *wave, const struct operand *operand)
{
    const uint32_t *words = &wave->sgpr[operand->index];
    uint32_t stride = words[1] >> 16 & 0x3fff;
    return (struct resource){.base = words[0] | (uint64_t)(words[1] & 0xffff) << 32,
                             .n_bytes = stride ? (uint64_t)stride * words[2] : words[2]};
}

/* Dwords outside the resource read 0, as the hardware does, and are no finding. */
HANDLER(s_buffer_load)
{
    struct resource resource = read_resource(wave, &in->src[0]);
    uint64_t offset = (uint64_t)offset_of(wave, in) & ~UINT64_C(3);
    const struct operand *to = &in->dst[0];
    for (uint32_t i = 0; to->kind == OPERAND_SCALAR && i < to->n_dwords; i++, offset += 4) {
        uint32_t value = 0;
        if (offset < resource.n_bytes && resource.n_bytes - offset >= 4) {
            const uint8_t *from = readable(wave, resource.base + offset, 4, to->index + i);
            value = MISSING_POISON;
            if (from)
                memcpy(&value, from, 4);
        }
        wave->sgpr[to->index + i] = value;
    }
}
