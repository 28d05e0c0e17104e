#include "device/emulator/ops/access.h"

#include <inttypes.h>
#include <stdio.h>

#include "device/emulator/ops/spaces.h"

/* The upper halves of flat addresses that mean LDS and scratch. */
#define HIGH_HALF(aperture) ((uint32_t)((aperture) >> 32))

static enum space space_of(uint64_t address)
{
    uint32_t high = (uint32_t)(address >> 32);
    if (high == HIGH_HALF(SHARED_APERTURE))
        return SPACE_LDS;
    return high == HIGH_HALF(PRIVATE_APERTURE) ? SPACE_SCRATCH : SPACE_MEMORY;
}

static bool span_allows(const struct wave *wave, const struct span *span, enum access_kind kind)
{
    return span_is_reachable(wave, span) && (kind == ACCESS_LOAD || !span->read_only);
}

void describe_memory(const struct wave *wave, uint64_t address, uint32_t n_bytes, enum access_kind kind, char *text,
                     size_t n_text)
{
    const struct memory *memory = wave->dispatch->memory;
    const struct span *span = memory_find(memory, address);
    char where[200];
    memory_describe(memory, address, where, sizeof where);
    if (!span)
        snprintf(text, n_text, "%s", where);
    else if (!span_is_reachable(wave, span))
        snprintf(text, n_text, "%s of device %d, and this is device %d without peer access", where, span->device,
                 wave->dispatch->device);
    else if (kind != ACCESS_LOAD && span->read_only)
        snprintf(text, n_text, "%s, which is read-only", where);
    else
        snprintf(text, n_text, "%s, and %" PRIu64 " of the %u bytes lie past its end", where,
                 n_bytes - (span->base + span->n_bytes - address), n_bytes);
}

static uintptr_t place_memory(struct wave *wave, uint64_t address, uint32_t n_bytes, enum access_kind kind, char *text,
                              size_t n_text)
{
    const struct span *span = memory_find_cached(wave->dispatch->memory, &wave->spans, address);
    if (span && span_allows(wave, span, kind) && n_bytes <= span->n_bytes - (address - span->base))
        return (uintptr_t)span->host + (uintptr_t)(address - span->base);
    if (n_text)
        describe_memory(wave, address, n_bytes, kind, text, n_text);
    return 0;
}

/* n_bytes at offset of a region of region_bytes; wraps nowhere. */
static bool region_holds(uint64_t region_bytes, uint64_t offset, uint32_t n_bytes)
{
    return n_bytes <= region_bytes && offset <= region_bytes - n_bytes;
}

/* The host's address of one lane's bytes; 0, and why not in text, where it may not go there. */
static uintptr_t place_lane(struct wave *wave, int lane, bool apertures, uint64_t address, uint32_t n_bytes,
                            enum access_kind kind, char *text, size_t n_text)
{
    enum space space = apertures ? space_of(address) : SPACE_MEMORY;
    if (kind == ACCESS_ATOMIC && (address & (n_bytes - 1))) {
        snprintf(text, n_text, "the address of an atomic is %u past a multiple of %u", (unsigned)(address % n_bytes),
                 n_bytes);
        return 0;
    }
    if (space == SPACE_MEMORY)
        return place_memory(wave, address, n_bytes, kind, text, n_text);
    uint32_t offset = (uint32_t)address;
    bool lds = space == SPACE_LDS;
    uint32_t region_bytes = lds ? wave->group->lds_bytes : wave->private_stride;
    if (region_holds(region_bytes, offset, n_bytes))
        return lds ? (uintptr_t)wave->group->lds + offset
                   : (uintptr_t)wave->private_bytes + (uintptr_t)lane * wave->private_stride + offset;
    snprintf(text, n_text, "%s address 0x%" PRIx32 " (%u bytes) is outside the %s's %u bytes", lds ? "LDS" : "scratch",
             offset, n_bytes, lds ? "workgroup" : "lane", region_bytes);
    return 0;
}

/* What access_report will need of an access, before its offsets become the host's. */
static void note_guest(const struct wave *wave, struct access *access, enum space space, enum access_kind kind)
{
    static const uint8_t spaces[] = {
        [SPACE_MEMORY] = ACCESS_GLOBAL, [SPACE_LDS] = ACCESS_LDS, [SPACE_SCRATCH] = ACCESS_SCRATCH};
    if (__builtin_expect(!wave->watched, 1))
        return;
    access->kind = (uint8_t)kind;
    access->space = spaces[space];
    access->mixed = false;
    memcpy(access->guest, access->offset, sizeof access->guest);
}

/* The path for accesses that are not all well: lane by lane, and one finding for all that may not. */
static void resolve_each(struct wave *wave, uint64_t lanes, bool apertures, const uint64_t *address, uint32_t n_bytes,
                         enum access_kind kind, struct access *access)
{
    char text[320] = "";
    int first_bad = -1;
    unsigned n_bad = 0;
    access->base = 0;
    access->every_lane_safe = false;
    access->lanes = 0;
    EACH_LANE_OF(lanes)
    {
        uintptr_t host = place_lane(wave, lane, apertures, address[lane], n_bytes, kind, text, n_bad ? 0 : sizeof text);
        access->offset[lane] = host;
        access->lanes |= host ? UINT64_C(1) << lane : 0;
        if (!host && n_bad++ == 0)
            first_bad = lane;
    }
    if (n_bad == 1)
        wave_finding(wave, FINDING_MEM, first_bad, "%s", text);
    else if (n_bad)
        wave_finding(wave, FINDING_MEM, first_bad, "%s (and %u more lanes)", text, n_bad - 1);
}

/* The least and the greatest address of the lanes, after lanes that are off took an active one's. */
static void fill_and_range(uint64_t *address, uint64_t lanes, uint64_t *lowest, uint64_t *highest)
{
    uint64_t fill = address[__builtin_ctzll(lanes)];
    if (lanes != (WAVE_LANES == 64 ? UINT64_MAX : UINT32_MAX))
        for (int lane = 0; lane < WAVE_LANES; lane++)
            address[lane] = (lanes >> lane & 1) ? address[lane] : fill;
    uint64_t low = fill, high = fill;
    for (int lane = 0; lane < WAVE_LANES; lane++) {
        low = address[lane] < low ? address[lane] : low;
        high = address[lane] > high ? address[lane] : high;
    }
    *lowest = low;
    *highest = high;
}

static bool all_aligned(const uint64_t *address, uint32_t n_bytes)
{
    uint64_t bits = 0;
    for (int lane = 0; lane < WAVE_LANES; lane++)
        bits |= address[lane];
    return (bits & (n_bytes - 1)) == 0;
}

void access_start(struct access *access, uint64_t lanes)
{
    access->lanes = lanes;
    access->missing = MISSING_POISON;
    access->private_bytes = false;
    access->every_lane_safe = false;
}

void resolve_memory(struct wave *wave, uint64_t lanes, uint32_t n_bytes, enum access_kind kind, struct access *access)
{
    access_start(access, lanes);
    if (!lanes)
        return;
    note_guest(wave, access, SPACE_MEMORY, kind);
    uint64_t lowest, highest;
    fill_and_range(access->offset, lanes, &lowest, &highest);
    const struct span *span = memory_find_cached(wave->dispatch->memory, &wave->spans, lowest);
    if (span && span_allows(wave, span, kind) && region_holds(span->n_bytes, highest - span->base, n_bytes) &&
        (kind != ACCESS_ATOMIC || all_aligned(access->offset, n_bytes))) {
        access->base = (uintptr_t)span->host - (uintptr_t)span->base;
        access->every_lane_safe = true;
        return;
    }
    alignas(64) uint64_t address[WAVE_LANES];
    memcpy(address, access->offset, sizeof address);
    resolve_each(wave, lanes, false, address, n_bytes, kind, access);
}

void resolve_region(struct wave *wave, uint64_t lanes, enum space space, uint32_t n_bytes, enum access_kind kind,
                    struct access *access)
{
    access_start(access, lanes);
    access->private_bytes = true;
    if (!lanes)
        return;
    note_guest(wave, access, space, kind);
    bool lds = space == SPACE_LDS;
    uint64_t lowest, highest;
    fill_and_range(access->offset, lanes, &lowest, &highest);
    if (region_holds(lds ? wave->group->lds_bytes : wave->private_stride, highest, n_bytes) &&
        (kind != ACCESS_ATOMIC || all_aligned(access->offset, n_bytes))) {
        access->base = (uintptr_t)(lds ? wave->group->lds : wave->private_bytes);
        if (!lds)
            for (int lane = 0; lane < WAVE_LANES; lane++)
                access->offset[lane] += (uint64_t)lane * wave->private_stride;
        access->every_lane_safe = true;
        return;
    }
    alignas(64) uint64_t address[WAVE_LANES];
    for (int lane = 0; lane < WAVE_LANES; lane++)
        address[lane] = (lds ? SHARED_APERTURE : PRIVATE_APERTURE) | access->offset[lane];
    resolve_each(wave, lanes, true, address, n_bytes, kind, access);
}

static void report_space(struct wave *wave, struct access_record *record, enum access_space space, const uint64_t *bytes,
                         uint64_t lanes)
{
    record->space = (uint8_t)space;
    record->lanes = lanes;
    record->bytes = bytes;
    if (lanes)
        sanitizer_access(wave, record);
}

/* A flat access whose lanes go to several spaces: one record each. */
static void report_mixed(struct wave *wave, const struct access *access, struct access_record *record, uint64_t *bytes)
{
    uint64_t lds = 0, scratch = 0;
    EACH_LANE_OF(access->lanes)
    {
        enum space space = space_of(bytes[lane]);
        lds |= (uint64_t)(space == SPACE_LDS) << lane;
        scratch |= (uint64_t)(space == SPACE_SCRATCH) << lane;
        bytes[lane] = space == SPACE_MEMORY ? bytes[lane] : bytes[lane] & UINT32_MAX;
    }
    report_space(wave, record, ACCESS_GLOBAL, bytes, access->lanes & ~(lds | scratch));
    report_space(wave, record, ACCESS_LDS, bytes, lds);
    report_space(wave, record, ACCESS_SCRATCH, bytes, scratch);
}

void access_report(struct wave *wave, const struct access *access, uint32_t skip, const struct access_record *registers)
{
    struct access_record record = *registers;
    if (!access->lanes) /* and nothing of the guest was noted */
        return;
    record.kind = access->kind;
    LANE_ARRAY64(bytes);
    const uint64_t *where = access->guest;
    if (skip || access->mixed) {
        for (int lane = 0; lane < WAVE_LANES; lane++)
            bytes[lane] = access->guest[lane] + skip;
        where = bytes;
    }
    if (access->mixed)
        report_mixed(wave, access, &record, bytes);
    else
        report_space(wave, &record, access->space, where, access->lanes);
}

void resolve_lds(struct wave *wave, const uint32_t *address, uint32_t n_bytes, enum access_kind kind, struct access *access)
{
    for (int lane = 0; lane < WAVE_LANES; lane++)
        access->offset[lane] = address[lane];
    resolve_region(wave, exec_read(wave), SPACE_LDS, n_bytes, kind, access);
}

/* 64-bit addresses from a pair of registers, or from a scalar base and a register of 32-bit offsets, plus the instruction's
 * own (signed) offset. */
static void compute_addresses(struct wave *wave, const struct instruction *in, int k, uint64_t *address)
{
    const struct operand *vector = &in->src[k], *scalar = &in->src[in->n_src - 1];
    uint64_t base = (uint64_t)(int64_t)in->offset;
    bool has_scalar = in->n_src - 1 > k && scalar->kind == OPERAND_SCALAR;
    if (has_scalar)
        base += scalar_read64(wave, scalar);
    if (vector->kind != OPERAND_VGPR) {
        for (int lane = 0; lane < WAVE_LANES; lane++)
            address[lane] = base;
        return;
    }
    const uint32_t *low = vgpr_row(wave, vector->index);
    if (has_scalar) {
        for (int lane = 0; lane < WAVE_LANES; lane++)
            address[lane] = base + low[lane];
        return;
    }
    const uint32_t *high = vgpr_row(wave, vector->index + 1u);
    for (int lane = 0; lane < WAVE_LANES; lane++)
        address[lane] = base + ((uint64_t)high[lane] << 32 | low[lane]);
}

void resolve_global(struct wave *wave, const struct instruction *in, int k, uint32_t n_bytes, enum access_kind kind,
                    struct access *access)
{
    compute_addresses(wave, in, k, access->offset);
    resolve_memory(wave, exec_read(wave), n_bytes, kind, access);
}

/* The lanes whose address is in a space's aperture. */
static uint64_t lanes_in(const uint64_t *address, uint32_t high_half)
{
    uint64_t lanes = 0;
    for (int lane = 0; lane < WAVE_LANES; lane++)
        lanes |= (uint64_t)((uint32_t)(address[lane] >> 32) == high_half) << lane;
    return lanes;
}

void resolve_flat(struct wave *wave, const struct instruction *in, int k, uint32_t n_bytes, enum access_kind kind,
                  struct access *access)
{
    compute_addresses(wave, in, k, access->offset);
    uint64_t exec = exec_read(wave);
    uint64_t lds = lanes_in(access->offset, HIGH_HALF(SHARED_APERTURE)) & exec;
    uint64_t scratch = lanes_in(access->offset, HIGH_HALF(PRIVATE_APERTURE)) & exec;
    if (!(lds | scratch)) {
        resolve_memory(wave, exec, n_bytes, kind, access);
    } else if (lds == exec || scratch == exec) {
        for (int lane = 0; lane < WAVE_LANES; lane++)
            access->offset[lane] &= UINT32_MAX;
        resolve_region(wave, exec, lds == exec ? SPACE_LDS : SPACE_SCRATCH, n_bytes, kind, access);
    } else {
        alignas(64) uint64_t address[WAVE_LANES];
        memcpy(address, access->offset, sizeof address);
        access_start(access, exec);
        note_guest(wave, access, SPACE_MEMORY, kind);
        access->mixed = true;
        resolve_each(wave, exec, true, address, n_bytes, kind, access);
    }
}

void resolve_scratch(struct wave *wave, const struct instruction *in, int k, uint32_t n_bytes, enum access_kind kind,
                     struct access *access)
{
    const struct operand *vector = &in->src[k], *scalar = &in->src[in->n_src - 1];
    uint32_t base = (uint32_t)in->offset;
    if (in->n_src - 1 > k && scalar->kind != OPERAND_OFF)
        base += scalar_read32(wave, scalar);
    const uint32_t *row = vector->kind == OPERAND_VGPR ? vgpr_row(wave, vector->index) : NULL;
    for (int lane = 0; lane < WAVE_LANES; lane++)
        access->offset[lane] = base + (row ? row[lane] : 0);
    resolve_region(wave, exec_read(wave), SPACE_SCRATCH, n_bytes, kind, access);
}
