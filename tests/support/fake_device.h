/*
 * A device for tests: a HIP API table whose memory is the host's and whose kernels are host functions. Faults are planted
 * in the kernels, or in the device by the functions below. One is open at a time, as HIP's API has no context argument.
 */
#ifndef TESTS_FAKE_DEVICE_H
#define TESTS_FAKE_DEVICE_H

#include "device/device.h"

struct fake_launch {
    void **parameters;
    unsigned grid[3], block[3];
    int n_launches;    /* since the device was opened, this one included */
    uint64_t schedule; /* as set */
    bool straddles;    /* memory was allocated last while the device was to lay it across a multiple of 4 GiB */
};

struct fake_kernel {
    const char *name; /* what hipModuleGetFunction finds */
    void (*run)(const struct fake_launch *launch);
};

/* kernels are borrowed; the list ends with a NULL name. with_findings gives the device the optional members of the
 * emulator. A module's image is a text "SOURCE VARIANT": where a variant follows the blank, every function of the module is
 * the kernel of that name. */
struct device *fake_device_open(const struct fake_kernel *kernels, bool with_findings);
/* The n-th launch from now (1: the next) fails with this error; 0: none does. */
void fake_device_fail_launch(int n, hipError_t code);
/* hipMalloc fails from now on. */
void fake_device_fail_malloc(bool fails);
/* A finding that the next take_findings gives; for kernels. */
void fake_device_report(enum finding_kind kind, const char *text);
/* Bytes of the allocation that holds a pointer, from the pointer to its end; -1: none does. For kernels that check
 * addresses. */
int64_t fake_device_room(const void *pointer);
/* Allocations that were not freed. */
int fake_device_live_allocations(void);

#endif
