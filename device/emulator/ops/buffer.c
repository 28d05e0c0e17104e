/*
 * Addresses of buffer instructions: the resource's fields, the range check, and the scratch resource. Sources: "RDNA3" ISA
 * Reference Guide, 9.1.5 "Buffer Addressing" and table "Buffer Resource Descriptor"; "Vega" ISA, 8.1.5; and, for what the
 * scalar offset does not take part in, LLVM's IntrinsicsAMDGPU.td (raw and struct buffer loads).
 */
#include "device/emulator/ops/access.h"

#include "device/emulator/dispatch.h"
#include "device/emulator/ops/spaces.h"

enum out_of_bounds_rule { RULE_STRUCTURED_WITH_OFFSET, RULE_STRUCTURED, RULE_EMPTY_ONLY, RULE_RAW };

struct buffer_resource {
    uint64_t base;
    uint32_t stride, n_records;
    bool swizzled, adds_lane;
    enum out_of_bounds_rule rule;
};

static bool is_cdna(const struct chip *chip)
{
    return chip->family >= CHIP_CDNA1;
}

static struct buffer_resource read_resource(struct wave *wave, const struct operand *operand)
{
    const uint32_t *words = &wave->sgpr[operand->index];
    struct buffer_resource resource = {
        .base = (uint64_t)(words[1] & 0xffffu) << 32 | words[0],
        .stride = words[1] >> 16 & 0x3fffu,
        .n_records = words[2],
        .swizzled = is_cdna(wave->chip) || wave->chip->family == CHIP_RDNA2 ? words[1] >> 31 : words[1] >> 30,
        .adds_lane = words[3] >> 23 & 1,
        .rule = words[3] >> 28 & 3,
    };
    /* gfx9 has no rule of its own: linear buffers are raw, swizzled ones structured. */
    if (is_cdna(wave->chip))
        resource.rule = resource.stride == 0 || !resource.swizzled ? RULE_RAW : RULE_STRUCTURED;
    return resource;
}

/* The index and the byte offset of a lane, each 0 where the instruction has none. */
struct buffer_offsets {
    alignas(64) uint64_t index[WAVE_LANES], offset[WAVE_LANES];
};

static void read_offsets(struct wave *wave, const struct instruction *in, const struct operand *vector,
                         const struct buffer_resource *resource, struct buffer_offsets *offsets)
{
    bool has_index = in->flags & FLAG_IDXEN, has_offset = in->flags & FLAG_OFFEN;
    const uint32_t *index = has_index ? vgpr_row(wave, vector->index) : NULL;
    const uint32_t *offset = has_offset ? vgpr_row(wave, vector->index + (has_index ? 1u : 0u)) : NULL;
    for (int lane = 0; lane < WAVE_LANES; lane++) {
        offsets->index[lane] = (index ? index[lane] : 0) + (resource->adds_lane ? (uint64_t)lane : 0);
        offsets->offset[lane] = (offset ? offset[lane] : 0) + (uint64_t)(uint32_t)in->offset;
    }
}

static bool in_range(const struct buffer_resource *resource, uint64_t index, uint64_t offset, uint32_t n_bytes)
{
    switch (resource->rule) {
    case RULE_STRUCTURED_WITH_OFFSET:
        return index < resource->n_records && offset + n_bytes <= resource->stride;
    case RULE_STRUCTURED:
        return index < resource->n_records;
    case RULE_EMPTY_ONLY:
        return resource->n_records != 0;
    default:
        return index * resource->stride + offset + n_bytes <= resource->n_records;
    }
}

static uint64_t lanes_in_range(const struct buffer_resource *resource, const struct buffer_offsets *offsets, uint32_t skip,
                               uint32_t n_bytes)
{
    uint64_t lanes = 0;
    for (int lane = 0; lane < WAVE_LANES; lane++)
        lanes |= (uint64_t)in_range(resource, offsets->index[lane], offsets->offset[lane] + skip, n_bytes) << lane;
    return lanes;
}

/* The scratch resource interleaves the lanes of a wave; the scalar offset counts the wave's bytes, so a lane's are 1/lanes
 * of it. */
static void resolve_scratch_resource(struct wave *wave, const struct buffer_offsets *offsets, uint32_t scalar_offset,
                                     uint32_t n_bytes, enum access_kind kind, struct access *access)
{
    for (int lane = 0; lane < WAVE_LANES; lane++)
        access->offset[lane] = (uint32_t)(offsets->offset[lane] + scalar_offset / WAVE_LANES);
    resolve_region(wave, exec_read(wave), SPACE_SCRATCH, n_bytes, kind, access);
}

static void resolve_piece(struct wave *wave, const struct buffer_resource *resource, const struct buffer_offsets *offsets,
                          uint64_t lanes, uint64_t base, uint32_t n_bytes, enum access_kind kind, struct access *access)
{
    for (int lane = 0; lane < WAVE_LANES; lane++)
        access->offset[lane] = base + offsets->index[lane] * resource->stride + offsets->offset[lane];
    resolve_memory(wave, lanes, n_bytes, kind, access);
    access->missing = 0;
    access->every_lane_safe = access->every_lane_safe && lanes == exec_read(wave); /* clipped lanes take `missing` */
}

unsigned resolve_buffer(struct wave *wave, const struct instruction *in, int k, uint32_t n_bytes, enum access_kind kind,
                        struct access pieces[BUFFER_PIECES])
{
    struct buffer_resource resource = read_resource(wave, &in->src[k + 1]);
    uint32_t scalar_offset = scalar_read32(wave, &in->src[k + 2]);
    struct buffer_offsets offsets;
    if (resource.base == SCRATCH_RESOURCE_BASE)
        resource.adds_lane = false;
    read_offsets(wave, in, &in->src[k], &resource, &offsets);
    if (resource.base == SCRATCH_RESOURCE_BASE) {
        resolve_scratch_resource(wave, &offsets, scalar_offset, n_bytes, kind, pieces);
        return 1;
    }
    if (resource.swizzled) {
        wave_finding(wave, FINDING_UNSUPPORTED, -1, "a swizzled buffer resource");
        access_start(pieces, 0);
        return 1;
    }
    uint64_t exec = exec_read(wave), base = resource.base + scalar_offset;
    uint64_t whole = lanes_in_range(&resource, &offsets, 0, n_bytes) & exec;
    uint64_t first = lanes_in_range(&resource, &offsets, 0, n_bytes < 4 ? n_bytes : 4) & exec;
    if (whole == first || kind == ACCESS_ATOMIC) {
        resolve_piece(wave, &resource, &offsets, whole, base, n_bytes, kind, pieces);
        return 1;
    }
    unsigned n_pieces = n_bytes / 4;
    for (unsigned d = 0; d < n_pieces; d++)
        resolve_piece(wave, &resource, &offsets, lanes_in_range(&resource, &offsets, 4 * d, 4) & exec,
                      base + 4 * (uint64_t)d, 4, kind, &pieces[d]);
    return n_pieces;
}
