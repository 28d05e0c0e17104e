#include "contract/workspace.h"

#include "contract/harness_fault.h"

#include <string.h>

#include "contract/base/random.h"

unsigned char poison_byte(enum poison poison, size_t offset_bytes)
{
    static const unsigned char bytes[2][2] = {[POISON_NAN] = {0xF5, 0xFF}, [POISON_PATTERN] = {0x5A, 0x7B}};
    return bytes[poison][offset_bytes & 1];
}

struct launch_fault launch_as_planned(const struct host_case *host)
{
    return (struct launch_fault){.plan = host->plan, .guard_bytes = GUARD_BYTES};
}

static void fill_poison(unsigned char *to, size_t n_bytes, enum poison poison)
{
    for (size_t i = 0; i < n_bytes; i++)
        to[i] = poison_byte(poison, i);
}

/* A guard of an output: bytes that depend on the tensor, the side and the place. */
static void fill_guard(unsigned char *to, size_t n_bytes, int tensor, enum guard_side side)
{
    struct random_key key = random_key_for((uint64_t)tensor * 2 + side, "guard");
    for (size_t i = 0; i < n_bytes; i++)
        to[i] = (unsigned char)random_bits(key, i);
}

/* Plausible data around an input, periodic so that it continues the tensor on both sides. */
static void fill_around(unsigned char *to, size_t guard_bytes, const unsigned char *around, size_t n_bytes)
{
    for (size_t i = 0; i < guard_bytes; i++) {
        to[guard_bytes - 1 - i] = around[n_bytes - 1 - i % n_bytes];
        to[guard_bytes + n_bytes + i] = around[i % n_bytes];
    }
}

static void make_image(struct workspace *ws, int t, enum poison poison)
{
    const struct reg_tensor *tensor = &ws->host->plan.tensor[t];
    size_t n_bytes = tensor_bytes(tensor), guard = ws->guard_bytes;
    unsigned char *image = ws->image[t];
    if (tensor->role != REG_INPUT) {
        fill_guard(image, guard, t, GUARD_BEFORE);
        fill_poison(image + guard, n_bytes, poison);
        fill_guard(image + guard + n_bytes, guard, t, GUARD_AFTER);
        return;
    }
    fill_poison(image, guard, POISON_NAN);
    memcpy(image + guard, ws->fault->upload[t] ? ws->fault->upload[t] : ws->host->c.data[t], n_bytes);
    fill_poison(image + guard + n_bytes, guard, POISON_NAN);
    if (ws->fault->around[t])
        fill_around(image, guard, ws->fault->around[t], n_bytes);
}

static size_t allocation_bytes(const struct workspace *ws, int t)
{
    return tensor_bytes(&ws->host->plan.tensor[t]) + 2 * ws->guard_bytes;
}

static bool hip_failed(const struct workspace *ws, hipError_t code, const char *what, int t, struct error *error)
{
    return error_set(error, STATUS_ENVIRONMENT, "%s of tensor %s (%zu bytes) failed: %s", what,
                     ws->host->plan.tensor[t].name, allocation_bytes(ws, t), ws->device->hip->hipGetErrorName(code));
}

/* Poison and guards are nobody's values: a device that watches for reads of such is told. */
static void forget_poison(const struct workspace *ws, int t)
{
    const struct reg_tensor *tensor = &ws->host->plan.tensor[t];
    unsigned char *first = ws->allocation[t];
    size_t guard = ws->guard_bytes, n_bytes = tensor_bytes(tensor);
    if (!ws->device->forget || ws->fault->around[t])
        return;
    if (tensor->role != REG_INPUT) {
        ws->device->forget(ws->device, first, allocation_bytes(ws, t));
    } else if (guard) {
        ws->device->forget(ws->device, first, guard);
        ws->device->forget(ws->device, first + guard + n_bytes, guard);
    }
}

static bool upload(struct workspace *ws, int t, enum poison poison, struct error *error)
{
    static const char *const roles[] = {[REG_INPUT] = "input", [REG_OUTPUT] = "output", [REG_WORKSPACE] = "workspace"};
    const struct hip_api *hip = ws->device->hip;
    size_t n_bytes = allocation_bytes(ws, t);
    void *pointer = NULL;
    hipError_t code = hip->hipMalloc(&pointer, n_bytes);
    if (code != hipSuccess)
        return hip_failed(ws, code, "hipMalloc", t, error);
    ws->allocation[t] = pointer;
    if (ws->device->name_allocation) {
        const struct reg_tensor *tensor = &ws->host->plan.tensor[t];
        ws->device->name_allocation(ws->device, pointer,
                                    arena_format(&ws->arena, "%s %s", roles[tensor->role], tensor->name));
    }
    make_image(ws, t, poison);
    code = hip->hipMemcpy(pointer, ws->image[t], n_bytes, hipMemcpyHostToDevice);
    forget_poison(ws, t);
    return code == hipSuccess || hip_failed(ws, code, "hipMemcpy to the device", t, error);
}

bool workspace_open(struct workspace *ws, struct device *device, const struct host_case *host,
                    const struct launch_fault *fault, enum workspace_layout layout, enum poison poison, struct error *error)
{
    *ws = (struct workspace){.device = device, .host = host, .fault = fault, .layout = layout};
    poison = harness_has(HARNESS_POISONS_ALIKE) ? POISON_NAN : poison;
    ws->guard_bytes = layout == LAYOUT_GUARDED ? fault->guard_bytes : 0;
    for (int t = 0; t < host->plan.n_tensors; t++) {
        ws->image[t] = arena_alloc(&ws->arena, allocation_bytes(ws, t));
        ws->back[t] = arena_alloc(&ws->arena, allocation_bytes(ws, t));
        if (!ws->image[t] || !ws->back[t])
            return error_set(error, STATUS_ENVIRONMENT, "out of host memory for the images of a case's tensors");
        if (!upload(ws, t, poison, error))
            return false;
    }
    return true;
}

bool workspace_read(struct workspace *ws, struct error *error)
{
    for (int t = 0; t < ws->host->plan.n_tensors; t++) {
        hipError_t code =
            ws->device->hip->hipMemcpy(ws->back[t], ws->allocation[t], allocation_bytes(ws, t), hipMemcpyDeviceToHost);
        if (code != hipSuccess)
            return hip_failed(ws, code, "hipMemcpy from the device", t, error);
    }
    return true;
}

void workspace_close(struct workspace *ws)
{
    for (int t = 0; t < REG_MAX_TENSORS; t++)
        if (ws->allocation[t])
            ws->device->hip->hipFree(ws->allocation[t]);
    arena_free(&ws->arena);
}

void *workspace_pointer(const struct workspace *ws, int tensor)
{
    return ws->allocation[tensor] + ws->guard_bytes;
}

const unsigned char *workspace_tensor(const struct workspace *ws, int tensor)
{
    return ws->back[tensor] + ws->guard_bytes;
}

int64_t workspace_guard_change(const struct workspace *ws, int tensor, enum guard_side side)
{
    size_t guard = ws->guard_bytes;
    size_t first = side == GUARD_AFTER ? guard + tensor_bytes(&ws->host->plan.tensor[tensor]) : 0;
    const unsigned char *before = ws->image[tensor] + first, *after = ws->back[tensor] + first;
    if (memcmp(before, after, guard) == 0)
        return -1;
    for (size_t i = 0; i < guard; i++) {
        size_t at = side == GUARD_AFTER ? i : guard - 1 - i;
        if (before[at] != after[at])
            return (int64_t)i;
    }
    return -1;
}

int64_t workspace_input_change(const struct workspace *ws, int tensor)
{
    const struct reg_tensor *input = &ws->host->plan.tensor[tensor];
    const unsigned char *before = ws->image[tensor] + ws->guard_bytes, *after = workspace_tensor(ws, tensor);
    size_t n_bytes = input->role == REG_INPUT ? tensor_bytes(input) : 0;
    for (size_t i = 0; i < n_bytes; i++)
        if (before[i] != after[i])
            return (int64_t)i;
    return -1;
}
