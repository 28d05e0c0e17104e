#include "device/emulator/wave_start.h"

#include <string.h>

#include "contract/base/random.h"

/* Fields of the kernel descriptor's words: AMDGPUUsage, "Kernel Descriptor", "compute_pgm_rsrc1", "compute_pgm_rsrc2",
 * "kernel_code_properties". */
enum rsrc1_field {
    RSRC1_GRANULES = 0x3f,
    RSRC1_FLOAT_MODE_BIT = 12,
    RSRC1_DX10_CLAMP = 1 << 21,
    RSRC1_IEEE = 1 << 23,
    RSRC1_FP16_OVFL = 1 << 26
};
enum rsrc2_field {
    RSRC2_PRIVATE_SEGMENT = 1 << 0,
    RSRC2_USER_SGPRS_BIT = 1,
    RSRC2_USER_SGPRS_MASK = 0x1f,
    RSRC2_WORKGROUP_ID_X = 1 << 7,
    RSRC2_WORKGROUP_ID_Y = 1 << 8,
    RSRC2_WORKGROUP_ID_Z = 1 << 9,
    RSRC2_WORKGROUP_INFO = 1 << 10,
    RSRC2_WORKITEM_ID_BIT = 11,
};
enum property {
    PROPERTY_PRIVATE_SEGMENT_BUFFER = 1 << 0,
    PROPERTY_DISPATCH_PTR = 1 << 1,
    PROPERTY_QUEUE_PTR = 1 << 2,
    PROPERTY_KERNARG_SEGMENT_PTR = 1 << 3,
    PROPERTY_DISPATCH_ID = 1 << 4,
    PROPERTY_FLAT_SCRATCH_INIT = 1 << 5,
    PROPERTY_PRIVATE_SEGMENT_SIZE = 1 << 6,
};
enum {
    PRELOAD_LENGTH_MASK = 0x7f,
    PRELOAD_OFFSET_BIT = 7,
    PRELOAD_ENTRY_BYTES = 256, /* firmware that preloads enters here, past the code that loads by itself */
    ID_BITS = 10,              /* of each packed work-item id */
    TTMP8_WAVE_BIT = 25,       /* gfx12: the wave's number in its workgroup */
};

void poison_fill(void *to, size_t n_bytes, uint32_t pattern)
{
    if (!n_bytes)
        return;
    uint8_t *bytes = to;
    size_t done = n_bytes < 4 ? n_bytes : 4;
    memcpy(bytes, &pattern, done);
    while (done < n_bytes) {
        size_t more = done < n_bytes - done ? done : n_bytes - done;
        memcpy(bytes + done, bytes, more);
        done += more;
    }
}

static uint32_t allocated_vgprs(const struct launch *launch)
{
    uint32_t granule = launch->code->chip->vgpr_encode_granule[launch->code->n_lanes == 64];
    uint32_t vgprs = ((launch->kernel->descriptor.rsrc1 & RSRC1_GRANULES) + 1) * granule;
    return vgprs > 256 ? 256 : vgprs;
}

static uint32_t poison_pattern(uint64_t schedule_seed, enum poison_place place)
{
    uint64_t bits = random_bits(random_key_for(schedule_seed, "poison"), place);
    return 0x7f807f80u | (uint32_t)(bits & 0x7f007f) | 0x10001u;
}

struct wave_setup wave_setup_for(const struct launch *launch)
{
    struct wave_setup setup = {.launch = launch, .n_vgprs = allocated_vgprs(launch)};
    for (int place = 0; place < POISON_PLACES; place++)
        setup.poison[place] = poison_pattern(launch->schedule_seed, place);
    return setup;
}

/* gfx12 uses both bits for something else and has neither mode; it behaves as DX10_CLAMP on and IEEE off (LLVM's
 * SIModeRegisterDefaults). */
static uint32_t initial_mode(const struct chip *chip, uint32_t rsrc1)
{
    uint32_t mode = rsrc1 >> RSRC1_FLOAT_MODE_BIT & 0xff;
    if (chip->family == CHIP_RDNA4 || rsrc1 & RSRC1_DX10_CLAMP)
        mode |= MODE_DX10_CLAMP;
    if (chip->family != CHIP_RDNA4 && rsrc1 & RSRC1_IEEE)
        mode |= MODE_IEEE;
    return rsrc1 & RSRC1_FP16_OVFL ? mode | MODE_FP16_OVFL : mode;
}

/* Chips whose flat scratch is set up in hardware, and that get no scratch offset in a register. */
static bool has_architected_scratch(const struct chip *chip)
{
    return chip->family == CHIP_RDNA3 || chip->family == CHIP_RDNA35 || chip->family == CHIP_RDNA4 ||
           chip->family == CHIP_CDNA3 || chip->family == CHIP_CDNA4;
}

static bool packs_workitem_ids(const struct chip *chip)
{
    return chip->family != CHIP_RDNA2 && chip->family != CHIP_CDNA1;
}

static uint32_t *put64(uint32_t *sgpr, uint64_t value)
{
    memcpy(sgpr, &value, 8);
    return sgpr + 2;
}

/* A swizzled resource without stride, its lanes added by the hardware; only its base is ever looked at. */
static uint32_t *put_scratch_resource(uint32_t *sgpr)
{
    const uint32_t swizzle = 1u << 31, add_lane = 1u << 23;
    put64(sgpr, SCRATCH_RESOURCE_BASE);
    sgpr[1] |= swizzle;
    sgpr[2] = UINT32_MAX;
    sgpr[3] = add_lane;
    return sgpr + 4;
}

static void preload_kernarg(uint32_t *sgpr, const struct launch *launch)
{
    uint32_t preload = launch->kernel->descriptor.kernarg_preload;
    uint32_t n_dwords = preload & PRELOAD_LENGTH_MASK, first = preload >> PRELOAD_OFFSET_BIT;
    if (!n_dwords)
        return;
    const uint8_t *from = memory_host(launch->memory, launch->kernarg_address + 4 * (uint64_t)first, 4 * (size_t)n_dwords);
    if (from && n_dwords <= 16)
        memcpy(sgpr, from, 4 * (size_t)n_dwords);
}

/* AMDGPUUsage, "SGPR Register Set Up Order": user registers as the descriptor's properties ask. */
static void set_user_sgprs(uint32_t *sgpr, const struct launch *launch)
{
    uint32_t properties = launch->kernel->descriptor.kernel_code_properties;
    uint32_t private_bytes = dispatch_private_bytes(launch->kernel);
    if (properties & PROPERTY_PRIVATE_SEGMENT_BUFFER)
        sgpr = put_scratch_resource(sgpr);
    if (properties & PROPERTY_DISPATCH_PTR)
        sgpr = put64(sgpr, launch->packet_address);
    if (properties & PROPERTY_QUEUE_PTR)
        sgpr = put64(sgpr, launch->queue_address);
    if (properties & PROPERTY_KERNARG_SEGMENT_PTR)
        sgpr = put64(sgpr, launch->kernarg_address);
    if (properties & PROPERTY_DISPATCH_ID)
        sgpr = put64(sgpr, 0);
    if (properties & PROPERTY_FLAT_SCRATCH_INIT)
        sgpr = put64(sgpr, (uint64_t)private_bytes << 32);
    if (properties & PROPERTY_PRIVATE_SEGMENT_SIZE)
        *sgpr++ = private_bytes;
    preload_kernarg(sgpr, launch);
}

/* The registers after the user's: workgroup ids, and where the wave's scratch starts. */
static void set_system_sgprs(struct wave *wave, const struct workgroup *group, const struct launch *launch)
{
    uint32_t rsrc2 = launch->kernel->descriptor.rsrc2;
    uint32_t *sgpr = wave->sgpr + (rsrc2 >> RSRC2_USER_SGPRS_BIT & RSRC2_USER_SGPRS_MASK);
    if (wave->chip->family == CHIP_RDNA4) {
        wave->sgpr[SREG_TTMP0 + 8] = (uint32_t)wave->index_in_group << TTMP8_WAVE_BIT;
        wave->sgpr[SREG_TTMP0 + 9] = group->id[0];
        wave->sgpr[SREG_TTMP0 + 7] = group->id[1] | group->id[2] << 16;
        return;
    }
    for (int axis = 0; axis < 3; axis++)
        if (rsrc2 & RSRC2_WORKGROUP_ID_X << axis)
            *sgpr++ = group->id[axis];
    if (rsrc2 & RSRC2_WORKGROUP_INFO)
        *sgpr++ = 0;
    if (rsrc2 & RSRC2_PRIVATE_SEGMENT && !has_architected_scratch(wave->chip))
        *sgpr++ = 0;
}

/* The coordinates of the next work-item of a block. */
static void step(uint32_t id[3], const uint32_t block[3])
{
    if (++id[0] < block[0])
        return;
    id[0] = 0;
    if (++id[1] < block[1])
        return;
    id[1] = 0;
    id[2]++;
}

/* Work-item ids of the wave's lanes; gives the mask of lanes that have one. */
static uint64_t set_workitem_ids(struct wave *wave, const struct launch *launch, uint32_t first)
{
    const uint32_t *block = launch->block;
    uint32_t n_items = block[0] * block[1] * block[2], n_lanes = wave->n_lanes;
    uint32_t n_ids = 1 + (launch->kernel->descriptor.rsrc2 >> RSRC2_WORKITEM_ID_BIT & 3);
    uint32_t id[3] = {first % block[0], first / block[0] % block[1], first / block[0] / block[1]};
    uint32_t shown[3] = {UINT32_MAX, n_ids > 1 ? UINT32_MAX : 0, n_ids > 2 ? UINT32_MAX : 0};
    bool packed = packs_workitem_ids(wave->chip);
    uint32_t n = n_items - first < n_lanes ? n_items - first : n_lanes;
    for (uint32_t lane = 0; lane < n; lane++, step(id, block)) {
        if (packed)
            wave->vgpr[lane] = id[0] | (id[1] & shown[1]) << ID_BITS | (id[2] & shown[2]) << 2 * ID_BITS;
        else
            for (uint32_t axis = 0; axis < 3 && shown[axis]; axis++)
                wave->vgpr[axis * n_lanes + lane] = id[axis];
    }
    return n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

static void poison_wave(struct wave *wave, const struct wave_setup *setup)
{
    size_t rows_bytes = sizeof(uint32_t) * setup->n_vgprs * wave->n_lanes;
    poison_fill(wave->sgpr, sizeof wave->sgpr, setup->poison[POISON_SGPR]);
    poison_fill(wave->vgpr, rows_bytes, setup->poison[POISON_VGPR]);
    if (chip_is_cdna(wave->chip))
        poison_fill(wave->vgpr + (size_t)AGPR_FIRST_ROW * wave->n_lanes, rows_bytes, setup->poison[POISON_VGPR]);
    poison_fill(wave->private_bytes, (size_t)wave->private_stride * wave->n_lanes, setup->poison[POISON_SCRATCH]);
}

uint32_t wave_entry(const struct launch *launch)
{
    const struct code_descriptor *descriptor = &launch->kernel->descriptor;
    uint64_t preloaded = descriptor->kernarg_preload & PRELOAD_LENGTH_MASK ? PRELOAD_ENTRY_BYTES : 0;
    return code_index(launch->code, launch->code->load_address + launch->kernel->entry_address + preloaded);
}

/* All zero but what the storage keeps and the launch says. */
static void reset(struct wave *wave, struct workgroup *group, const struct launch *launch, uint32_t index)
{
    *wave = (struct wave){
        .vgpr = wave->vgpr,
        .private_bytes = wave->private_bytes,
        .spans = wave->spans, /* valid for as long as the memory's generation says */
        .private_stride = dispatch_private_bytes(launch->kernel),
        .n_lanes = launch->code->n_lanes,
        .full_exec = launch->code->n_lanes == 64 ? UINT64_MAX : UINT32_MAX,
        .chip = launch->code->chip,
        .code = launch->code,
        .group = group,
        .dispatch = group->dispatch,
        .state = WAVE_READY,
        .index_in_group = (uint8_t)index,
    };
}

void wave_start(struct wave *wave, struct workgroup *group, const struct wave_setup *setup, uint32_t index)
{
    const struct launch *launch = setup->launch;
    reset(wave, group, launch, index);
    poison_wave(wave, setup);
    set_user_sgprs(wave->sgpr, launch);
    set_system_sgprs(wave, group, launch);
    wave->exec = wave->sync.lanes = set_workitem_ids(wave, launch, index * wave->n_lanes);
    wave->mode = initial_mode(wave->chip, launch->kernel->descriptor.rsrc1);
    wave_mode_changed(wave);
    wave->pc = wave_entry(launch);
}
