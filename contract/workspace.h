/*
 * A case's tensors on a device: each stands between two guard bands, inputs hold the case's data, outputs and workspaces a
 * poison.
 *
 * Guards of inputs repeat 0xFFF5, which is a NaN in f16, bf16, f32 and f64 and recognisable in any integer format, so a
 * read past an end shows in the output. Guards of outputs and workspaces differ from place to place, so that no fill can
 * imitate them. In the tight layout there are no guards: the allocation ends with the tensor, and a device that checks
 * addresses sees the first byte past it.
 */
#ifndef CONTRACT_WORKSPACE_H
#define CONTRACT_WORKSPACE_H

#include "contract/host_case.h"
#include "device/device.h"

enum { GUARD_BYTES = 4096 };
enum workspace_layout { LAYOUT_GUARDED, LAYOUT_TIGHT };
enum guard_side { GUARD_BEFORE, GUARD_AFTER };

/* The two poisons differ in every byte; outputs start as one or the other. */
enum poison { POISON_NAN, POISON_PATTERN };
unsigned char poison_byte(enum poison poison, size_t offset_bytes);

/* How a launch departs from its case: none for a gate's run, planted for a control. */
struct launch_fault {
    struct reg_plan plan;                  /* as it is launched */
    int64_t offset_bytes[REG_MAX_TENSORS]; /* added to the pointers that are passed */
    const void *upload[REG_MAX_TENSORS];   /* what the device holds instead of the case's input; NULL: the case's */
    const void
        *around[REG_MAX_TENSORS]; /* a tensor's worth of plausible bytes that fills the guards of an input; NULL: guards */
    size_t guard_bytes;           /* at least GUARD_BYTES, a multiple of 256 */
};

/* A launch as the case plans it. */
struct launch_fault launch_as_planned(const struct host_case *host);

struct workspace {
    struct device *device;
    const struct host_case *host;
    const struct launch_fault *fault;
    enum workspace_layout layout;
    size_t guard_bytes;                         /* 0 in the tight layout */
    unsigned char *allocation[REG_MAX_TENSORS]; /* on the device: guard, tensor, guard */
    unsigned char *image[REG_MAX_TENSORS]; /* on the host, what was uploaded; then what came back is compared with it */
    unsigned char *back[REG_MAX_TENSORS];  /* on the host, after workspace_read */
    struct arena arena;
};

/* Allocates and uploads. Errors: STATUS_ENVIRONMENT with HIP's error name. workspace_close in either case. host and fault
 * are borrowed until then. */
bool workspace_open(struct workspace *ws, struct device *device, const struct host_case *host,
                    const struct launch_fault *fault, enum workspace_layout layout, enum poison poison,
                    struct error *error);
/* Copies all allocations back to the host. */
bool workspace_read(struct workspace *ws, struct error *error);
void workspace_close(struct workspace *ws);

/* The device pointer that the kernel gets for a tensor (without a fault's offset). */
void *workspace_pointer(const struct workspace *ws, int tensor);
/* After workspace_read: the tensor's bytes. */
const unsigned char *workspace_tensor(const struct workspace *ws, int tensor);
/* After workspace_read: the first byte of a guard that changed, counted from the tensor's near edge (0 is adjacent); -1:
 * intact. */
int64_t workspace_guard_change(const struct workspace *ws, int tensor, enum guard_side side);
/* After workspace_read: the first byte of an input that changed; -1: none. */
int64_t workspace_input_change(const struct workspace *ws, int tensor);

#endif
