/*
 * What a launch puts into guest memory besides the caller's arguments: the dispatch packet, the queue's descriptor and the
 * hidden arguments.
 */
#include <string.h>

#include "device/emulator/dispatch.h"

/* hsa_kernel_dispatch_packet_t: HSA Runtime Specification 1.2, 2.6.1. */
struct packet {
    uint16_t header, setup;
    uint16_t workgroup_size[3];
    uint16_t reserved0;
    uint32_t grid_size[3];
    uint32_t private_segment_size, group_segment_size;
    uint64_t kernel_object, kernarg_address, reserved2, completion_signal;
};
_Static_assert(sizeof(struct packet) == DISPATCH_PACKET_BYTES, "the packet's layout is the ABI's");

enum { PACKET_TYPE_KERNEL_DISPATCH = 2 };

static uint32_t n_dimensions(const struct launch *launch)
{
    for (uint32_t n = 3; n > 1; n--)
        if (launch->grid[n - 1] * launch->block[n - 1] > 1)
            return n;
    return 1;
}

void dispatch_write_packet(const struct launch *launch, uint8_t packet[DISPATCH_PACKET_BYTES])
{
    struct packet p = {
        .header = PACKET_TYPE_KERNEL_DISPATCH,
        .setup = (uint16_t)n_dimensions(launch),
        .private_segment_size = dispatch_private_bytes(launch->kernel),
        .group_segment_size = launch->kernel->descriptor.group_segment_bytes + launch->dynamic_lds_bytes,
        .kernel_object = launch->code->load_address + launch->kernel->descriptor_address,
        .kernarg_address = launch->kernarg_address,
    };
    for (int axis = 0; axis < 3; axis++) {
        p.workgroup_size[axis] = (uint16_t)launch->block[axis];
        p.grid_size[axis] = launch->grid[axis] * launch->block[axis];
    }
    memcpy(packet, &p, sizeof p);
}

/* amd_queue_t: AMDGPUUsage names the two fields that code reads (group and private segment aperture). */
void dispatch_write_queue(uint8_t queue[QUEUE_BYTES])
{
    enum { GROUP_APERTURE_HIGH = 0x40, PRIVATE_APERTURE_HIGH = 0x44 };
    uint32_t group = (uint32_t)(SHARED_APERTURE >> 32), private = (uint32_t)(PRIVATE_APERTURE >> 32);
    memset(queue, 0, QUEUE_BYTES);
    memcpy(queue + GROUP_APERTURE_HIGH, &group, 4);
    memcpy(queue + PRIVATE_APERTURE_HIGH, &private, 4);
}

/* The value of a hidden argument; what is not named here (buffers of printf, hostcall, the heap, remainders: launches have
 * whole workgroups) is 0. */
static uint64_t hidden_value(const struct launch *launch, enum code_arg_kind kind)
{
    switch (kind) {
    case CODE_ARG_HIDDEN_BLOCK_COUNT_X:
    case CODE_ARG_HIDDEN_BLOCK_COUNT_Y:
    case CODE_ARG_HIDDEN_BLOCK_COUNT_Z:
        return launch->grid[kind - CODE_ARG_HIDDEN_BLOCK_COUNT_X];
    case CODE_ARG_HIDDEN_GROUP_SIZE_X:
    case CODE_ARG_HIDDEN_GROUP_SIZE_Y:
    case CODE_ARG_HIDDEN_GROUP_SIZE_Z:
        return launch->block[kind - CODE_ARG_HIDDEN_GROUP_SIZE_X];
    case CODE_ARG_HIDDEN_GRID_DIMS:
        return n_dimensions(launch);
    case CODE_ARG_HIDDEN_DYNAMIC_LDS_SIZE:
        return launch->dynamic_lds_bytes;
    case CODE_ARG_HIDDEN_PRIVATE_BASE:
        return PRIVATE_APERTURE >> 32;
    case CODE_ARG_HIDDEN_SHARED_BASE:
        return SHARED_APERTURE >> 32;
    case CODE_ARG_HIDDEN_QUEUE_PTR:
        return launch->queue_address;
    default:
        return 0;
    }
}

void dispatch_write_hidden_arguments(const struct launch *launch, uint8_t *kernarg)
{
    for (size_t i = 0; i < launch->kernel->n_args; i++) {
        const struct code_arg *arg = &launch->kernel->args[i];
        if (arg->kind < CODE_ARG_HIDDEN_GLOBAL_OFFSET_X || arg->kind == CODE_ARG_OTHER || arg->size_bytes > 8)
            continue;
        uint64_t value = hidden_value(launch, arg->kind);
        memcpy(kernarg + arg->offset_bytes, &value, arg->size_bytes);
    }
}

/* A stack whose depth the compiler does not know gets at least this much a lane. */
enum { DYNAMIC_STACK_BYTES = 16 << 10 };

uint32_t dispatch_private_bytes(const struct code_kernel *kernel)
{
    uint32_t bytes = kernel->descriptor.private_segment_bytes;
    if (kernel->uses_dynamic_stack && bytes < DYNAMIC_STACK_BYTES)
        bytes = DYNAMIC_STACK_BYTES;
    return (bytes + 3) & ~3u;
}
