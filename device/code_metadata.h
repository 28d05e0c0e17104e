/*
 * The NT_AMDGPU_METADATA note of a code object (AMDGPUUsage, "Code Object V3 Metadata" and later): MessagePack from
 * outside. Inner header of device/code_object.c.
 */
#ifndef DEVICE_CODE_METADATA_H
#define DEVICE_CODE_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/base/arena.h"
#include "contract/base/error.h"
#include "device/code_object.h"

enum { CODE_MAX_KERNELS = 4096, CODE_MAX_ARGS = 1024 };

struct code_metadata {
    char target[128];            /* amdhsa.target: "amdgcn-amd-amdhsa--gfx1151" */
    struct code_kernel *kernels; /* names and the figures of the note; descriptors are not filled */
    size_t n_kernels;
};

/* Parses the note's descriptor. Depth and element counts are checked against the bytes that are there before anything is
 * allocated for them. Everything in *metadata lives in the arena. Errors: STATUS_USAGE, what is wrong and in which kernel.
 */
bool code_metadata_parse(const uint8_t *bytes, size_t n_bytes, struct arena *arena, struct code_metadata *metadata,
                         struct error *error);

#endif
