/*
 * From a kernel, its launch geometry and its arguments to waves that run.
 */
#ifndef EMULATOR_DISPATCH_H
#define EMULATOR_DISPATCH_H

#include <stdint.h>

#include "contract/base/error.h"
#include "device/emulator/code.h"
#include "device/emulator/wave.h"

/* The base address of the buffer resource that chips without scratch instructions of their own find their scratch by
 * (AMDGPUUsage, "Private Segment Buffer"). It is no memory: a buffer instruction on it reaches the lane's private bytes. */
#define SCRATCH_RESOURCE_BASE UINT64_C(0x00007fff00000000)

/* Register, LDS and wave storage of the host threads, kept between launches. */
struct dispatch_storage;

struct dispatch_storage *dispatch_storage_open(int n_threads);
void dispatch_storage_close(struct dispatch_storage *storage);

/* What a launch says; the addresses are the guest's. */
struct launch {
    const struct emulated_code *code;
    const struct code_kernel *kernel;
    struct memory *memory;
    int device;
    uint64_t reachable;         /* bit D: memory of device D may be used; the launch's own among them */
    uint32_t grid[3], block[3]; /* workgroups; work-items of one */
    uint32_t dynamic_lds_bytes;
    uint64_t kernarg_address, packet_address, queue_address;
    uint64_t schedule_seed, max_instructions, approx_seed;
    enum matrix_model matrix_model;
    struct instruction_profile *profile; /* one an instruction of code, added to; NULL: launches are not counted */
    unsigned checks;                     /* bits 1 << FINDING_… wanted */
    bool measures_depth;                 /* depth/depth.h */
};

/* Bytes that the dispatch packet and the queue's descriptor take in guest memory. */
enum { DISPATCH_PACKET_BYTES = 64, QUEUE_BYTES = 256 };

/* Writes the HSA dispatch packet (HSA Runtime Specification 1.2, 2.6.1) and the amd_queue_t fields that kernels read. */
void dispatch_write_packet(const struct launch *launch, uint8_t packet[DISPATCH_PACKET_BYTES]);
void dispatch_write_queue(uint8_t queue[QUEUE_BYTES]);
/* Writes the hidden arguments of code object version 5 into a kernarg segment (AMDGPUUsage, "Code Object V5 Metadata"). */
void dispatch_write_hidden_arguments(const struct launch *launch, uint8_t *kernarg);
/* Bytes of scratch that a lane of the kernel gets. */
uint32_t dispatch_private_bytes(const struct code_kernel *kernel);

/* Runs every workgroup to its end on up to storage's threads and fills *dispatch (findings included; the caller gives it
 * zeroed and calls dispatch_release). False when the host is out of memory. */
bool dispatch_run(struct dispatch_storage *storage, const struct launch *launch, struct dispatch *dispatch);
void dispatch_release(struct dispatch *dispatch);

#endif
