/*
 * Compiles a .hip file, opens the emulator and calls its kernels with host arrays: what a small HIP host program would do.
 */
#ifndef SUPPORT_KERNEL_MODULE_H
#define SUPPORT_KERNEL_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/device.h"

struct kernel_module {
    struct device *device;
    hipModule_t module;
    struct finding *found; /* where calls put their first findings; NULL: on standard error */
    size_t found_capacity, n_found;
    unsigned n_calls, n_failed; /* of kernel_module_call */
};

enum { KERNEL_MAX_BUFFERS = 8, KERNEL_MAX_SCALARS = 4 };

struct kernel_buffer {
    void *host; /* read before the launch, written after it */
    size_t n_bytes;
};

/* Arguments are the buffers' pointers, then the scalars. Grid counts workgroups; a 0 in grid or block counts as 1. */
struct kernel_call {
    const char *kernel;
    unsigned grid[3], block[3], lds_bytes;
    struct kernel_buffer buffers[KERNEL_MAX_BUFFERS];
    uint32_t scalars[KERNEL_MAX_SCALARS];
    int n_scalars;
};

/* What a file of kernels is compiled for. */
struct kernel_build {
    const char *chip, *optimisation; /* "-O0" … */
    unsigned wave_size;              /* 0: the chip's default */
};

/* path is below the project's root. False with the reason on standard error. */
bool kernel_module_open(struct kernel_module *module, const char *path, const struct kernel_build *build, int n_threads);
/* Where every call succeeded, what they executed is noted as compared by the test program (evidence.h). */
void kernel_module_close(struct kernel_module *module);
/* False where an API call or the launch failed; findings and HIP's error name are on standard error. */
bool kernel_module_call(struct kernel_module *module, const struct kernel_call *call);

#endif
