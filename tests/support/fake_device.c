#include "tests/support/fake_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ALLOCATIONS = 64, MAX_FINDINGS = 64 };

/* HIP's API has no context argument, so neither has the fake's state. */
static struct {
    struct device device;
    const struct fake_kernel *kernels;
    struct {
        char *data;
        size_t n_bytes;
    } allocations[MAX_ALLOCATIONS];
    struct finding findings[MAX_FINDINGS];
    size_t n_findings;
    int n_launches, fail_in;
    hipError_t fail_code;
    bool malloc_fails;
    uint64_t schedule;
    bool straddle_on, straddled;
} fake;

static hipError_t fake_malloc(void **pointer, size_t n_bytes)
{
    for (int i = 0; i < MAX_ALLOCATIONS && !fake.malloc_fails; i++)
        if (!fake.allocations[i].data) {
            *pointer = fake.allocations[i].data = malloc(n_bytes);
            fake.allocations[i].n_bytes = n_bytes;
            fake.straddled = fake.straddle_on;
            return *pointer ? hipSuccess : hipErrorOutOfMemory;
        }
    return hipErrorOutOfMemory;
}

static hipError_t fake_free(void *pointer)
{
    for (int i = 0; i < MAX_ALLOCATIONS; i++)
        if (pointer && fake.allocations[i].data == pointer) {
            free(pointer);
            fake.allocations[i].data = NULL;
            return hipSuccess;
        }
    return hipErrorInvalidValue;
}

static hipError_t fake_memcpy(void *to, const void *from, size_t n_bytes, int kind)
{
    (void)kind;
    memcpy(to, from, n_bytes);
    return hipSuccess;
}

static hipError_t fake_load(hipModule_t *module, const void *image)
{
    *module = (hipModule_t)(uintptr_t)image;
    return hipSuccess;
}

static hipError_t fake_unload(hipModule_t module)
{
    return module ? hipSuccess : hipErrorInvalidValue;
}

static hipError_t fake_function(hipFunction_t *function, hipModule_t module, const char *name)
{
    const char *variant = strchr((const char *)(uintptr_t)module, ' ');
    if (variant && variant[1])
        name = variant + 1;
    for (const struct fake_kernel *kernel = fake.kernels; kernel->name; kernel++)
        if (strcmp(kernel->name, name) == 0) {
            *function = (hipFunction_t)(uintptr_t)kernel;
            return hipSuccess;
        }
    return hipErrorNotFound;
}

static hipError_t fake_run(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                           unsigned block_y, unsigned block_z, unsigned lds_bytes, hipStream_t stream, void **parameters,
                           void **extra)
{
    (void)lds_bytes, (void)stream, (void)extra;
    const struct fake_kernel *kernel = (const struct fake_kernel *)(uintptr_t)function;
    if (fake.fail_in > 0 && --fake.fail_in == 0)
        return fake.fail_code;
    struct fake_launch launch = {.parameters = parameters,
                                 .grid = {grid_x, grid_y, grid_z},
                                 .block = {block_x, block_y, block_z},
                                 .n_launches = ++fake.n_launches,
                                 .schedule = fake.schedule,
                                 .straddles = fake.straddled};
    kernel->run(&launch);
    return hipSuccess;
}

static hipError_t fake_synchronize(void)
{
    return hipSuccess;
}

static hipError_t fake_current(int *device)
{
    *device = 0;
    return hipSuccess;
}

static hipError_t fake_last_error(void)
{
    return hipSuccess;
}

static const struct hip_api fake_api = {.hipMalloc = fake_malloc,
                                        .hipFree = fake_free,
                                        .hipMemcpy = fake_memcpy,
                                        .hipModuleLoadData = fake_load,
                                        .hipModuleUnload = fake_unload,
                                        .hipModuleGetFunction = fake_function,
                                        .hipModuleLaunchKernel = fake_run,
                                        .hipDeviceSynchronize = fake_synchronize,
                                        .hipGetDevice = fake_current,
                                        .hipGetLastError = fake_last_error,
                                        .hipGetErrorName = hip_error_name};

static void set_schedule(struct device *device, uint64_t seed)
{
    (void)device;
    fake.schedule = seed;
}

static void straddle(struct device *device, bool on)
{
    (void)device;
    fake.straddle_on = on;
}

static size_t take_findings(struct device *device, struct finding *out, size_t capacity)
{
    (void)device;
    size_t n = fake.n_findings < capacity ? fake.n_findings : capacity;
    memcpy(out, fake.findings, n * sizeof *out);
    memmove(fake.findings, fake.findings + n, (fake.n_findings - n) * sizeof *out);
    fake.n_findings -= n;
    return n;
}

static void close_device(struct device *device)
{
    (void)device;
    for (int i = 0; i < MAX_ALLOCATIONS; i++)
        fake_free(fake.allocations[i].data);
}

struct device *fake_device_open(const struct fake_kernel *kernels, bool with_findings)
{
    close_device(NULL);
    memset(&fake, 0, sizeof fake);
    fake.kernels = kernels;
    fake.device = (struct device){
        .hip = &fake_api, .kind = "fake", .chip = "gfx1151", .n_devices = 1, .wave_size = 32, .close = close_device};
    if (with_findings) {
        fake.device.set_schedule = set_schedule;
        fake.device.straddle = straddle;
        fake.device.take_findings = take_findings;
    }
    return &fake.device;
}

void fake_device_fail_launch(int n, hipError_t code)
{
    fake.fail_in = n;
    fake.fail_code = code;
}

void fake_device_fail_malloc(bool fails)
{
    fake.malloc_fails = fails;
}

void fake_device_report(enum finding_kind kind, const char *text)
{
    if (fake.n_findings == MAX_FINDINGS)
        return;
    struct finding *finding = &fake.findings[fake.n_findings++];
    *finding = (struct finding){.kind = kind};
    snprintf(finding->message, sizeof finding->message, "%s", text);
    finding_compose(finding);
}

int64_t fake_device_room(const void *pointer)
{
    const char *at = pointer;
    for (int i = 0; i < MAX_ALLOCATIONS; i++)
        if (fake.allocations[i].data && at >= fake.allocations[i].data &&
            at <= fake.allocations[i].data + fake.allocations[i].n_bytes)
            return fake.allocations[i].data + fake.allocations[i].n_bytes - at;
    return -1;
}

int fake_device_live_allocations(void)
{
    int n = 0;
    for (int i = 0; i < MAX_ALLOCATIONS; i++)
        n += fake.allocations[i].data != NULL;
    return n;
}
