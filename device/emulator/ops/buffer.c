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
    uint32_t element_bytes, index_stride; /* of a swizzled one */
    bool swizzled, adds_lane;
    enum out_of_bounds_rule rule;
};

/* gfx9 has the size of a swizzled element in the third word, gfx10 always four bytes, gfx11 and gfx12 say it where they say
 * that there is one. */
static void read_swizzle(const struct wave *wave, const uint32_t *words, struct buffer_resource *resource)
{
    static const uint8_t gfx9_bytes[] = {2, 4, 8, 16}, gfx11_bytes[] = {0, 4, 8, 16};
    resource->index_stride = 8u << (words[3] >> 21 & 3);
    resource->element_bytes = 4;
    if (chip_is_cdna(wave->chip))
        resource->element_bytes = gfx9_bytes[words[3] >> 19 & 3];
    else if (wave->chip->family != CHIP_RDNA2)
        resource->element_bytes = gfx11_bytes[words[1] >> 30];
    resource->swizzled =
        chip_is_cdna(wave->chip) || wave->chip->family == CHIP_RDNA2 ? words[1] >> 31 : resource->element_bytes != 0;
}

static struct buffer_resource read_resource(struct wave *wave, const struct operand *operand)
{
    const uint32_t *words = &wave->sgpr[operand->index];
    struct buffer_resource resource = {
        .base = (uint64_t)(words[1] & 0xffffu) << 32 | words[0],
        .stride = words[1] >> 16 & 0x3fffu,
        .n_records = words[2],
        .adds_lane = words[3] >> 23 & 1,
        .rule = words[3] >> 28 & 3,
    };
    read_swizzle(wave, words, &resource);
    /* gfx9 has no rule of its own: linear buffers are raw, swizzled ones structured. */
    if (chip_is_cdna(wave->chip))
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
    bool has_index = vector && in->flags & FLAG_IDXEN, has_offset = vector && in->flags & FLAG_OFFEN;
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
        if (resource->swizzled && resource->stride)
            return index < resource->n_records && offset + n_bytes <= resource->stride;
        return index * resource->stride + offset + n_bytes <= resource->n_records;
    }
}

/* Swizzled: index_stride records lie together, element after element of them all. */
static uint64_t place_in_buffer(const struct buffer_resource *resource, uint64_t index, uint64_t offset)
{
    if (!resource->swizzled)
        return index * resource->stride + offset;
    uint64_t group = index / resource->index_stride, record = index % resource->index_stride;
    uint64_t element = offset / resource->element_bytes, byte = offset % resource->element_bytes;
    return (group * resource->stride + element * resource->element_bytes) * resource->index_stride +
           record * resource->element_bytes + byte;
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

/* n_bytes from `skip` bytes into the access, for the lanes that the resource allows. */
static void resolve_piece(struct wave *wave, const struct buffer_resource *resource, const struct buffer_offsets *offsets,
                          uint64_t lanes, uint64_t base, uint32_t skip, uint32_t n_bytes, enum access_kind kind,
                          struct access *access)
{
    for (int lane = 0; lane < WAVE_LANES; lane++)
        access->offset[lane] = base + place_in_buffer(resource, offsets->index[lane], offsets->offset[lane] + skip);
    resolve_memory(wave, lanes, n_bytes, kind, access);
    access->missing = 0;
    access->every_lane_safe = access->every_lane_safe && lanes == exec_read(wave); /* clipped lanes take `missing` */
}

/* Whether the bytes of every lane lie together: within an element, where there are elements. */
static bool lies_together(const struct buffer_resource *resource, const struct buffer_offsets *offsets, uint64_t lanes,
                          uint32_t n_bytes)
{
    bool together = true;
    if (resource->swizzled)
        EACH_LANE_OF(lanes)
    together = together && offsets->offset[lane] % resource->element_bytes + n_bytes <= resource->element_bytes;
    return together;
}

/* An access that crosses elements within a dword, which alignment of the hardware's kind does not let happen. */
static unsigned refuse_swizzle(struct wave *wave, struct access *access)
{
    wave_finding(wave, FINDING_UNSUPPORTED, -1, "an access across elements of a swizzled buffer resource");
    access_start(access, 0);
    return 1;
}

unsigned resolve_buffer(struct wave *wave, const struct instruction *in, int k, uint32_t n_bytes, enum access_kind kind,
                        struct access pieces[BUFFER_PIECES])
{
    struct buffer_resource resource = read_resource(wave, &in->src[k + 1]);
    uint32_t scalar_offset = scalar_read32(wave, &in->src[k + 2]);
    struct buffer_offsets offsets;
    if (resource.base == SCRATCH_RESOURCE_BASE)
        resource.adds_lane = false;
    read_offsets(wave, in, k < 0 ? NULL : &in->src[k], &resource, &offsets);
    if (resource.base == SCRATCH_RESOURCE_BASE) {
        resolve_scratch_resource(wave, &offsets, scalar_offset, n_bytes, kind, pieces);
        return 1;
    }
    uint64_t exec = exec_read(wave), base = resource.base + scalar_offset;
    uint32_t first_bytes = n_bytes < 4 ? n_bytes : 4;
    uint64_t whole = lanes_in_range(&resource, &offsets, 0, n_bytes) & exec;
    uint64_t first = lanes_in_range(&resource, &offsets, 0, first_bytes) & exec;
    bool together = lies_together(&resource, &offsets, exec, n_bytes);
    if (together && (whole == first || kind == ACCESS_ATOMIC)) {
        resolve_piece(wave, &resource, &offsets, whole, base, 0, n_bytes, kind, pieces);
        return 1;
    }
    if (kind == ACCESS_ATOMIC || !lies_together(&resource, &offsets, exec, first_bytes))
        return refuse_swizzle(wave, pieces);
    unsigned n_pieces = n_bytes / 4;
    for (unsigned d = 0; d < n_pieces; d++)
        resolve_piece(wave, &resource, &offsets, lanes_in_range(&resource, &offsets, 4 * d, 4) & exec, base, 4 * d, 4, kind,
                      &pieces[d]);
    return n_pieces;
}
