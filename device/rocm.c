#include "device/device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Newest first; the name without a number is there only where a development package is. */
static const char *const library_names[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so",
                                            "/opt/rocm/lib/libamdhip64.so"};

static const char install_runtime[] = "install ROCm or, on Debian, apt-get install libamdhip64-5; or use --device emulator";

/* Where gcnArchName lies in hipDeviceProp_t. HIP 6 and later export the new layout under a new name and keep the old one;
 * HIP 5 knows only the old name (offsets read off the public headers by compiling against them: docs/dependencies.md). */
static const struct {
    const char *symbol;
    size_t gcn_arch_offset;
} property_layouts[] = {{"hipGetDevicePropertiesR0600", 1160}, {"hipGetDeviceProperties", 396}};
enum { GCN_ARCH_BYTES = 256 };

struct rocm {
    struct device device;
    struct hip_api hip;
    void *library;
};

static void *open_library(struct error *error)
{
    const char *reason = NULL;
    for (size_t i = 0; i < sizeof library_names / sizeof *library_names; i++) {
        void *library = dlopen(library_names[i], RTLD_NOW | RTLD_LOCAL);
        if (library)
            return library;
        const char *said = dlerror();
        /* "no such file" of the last name says less than why a library that is there does not load. */
        if (!reason && said && !strstr(said, "No such file"))
            reason = said;
    }
    error_set(error, STATUS_ENVIRONMENT, "no HIP runtime: %s; %s",
              reason ? reason : "libamdhip64.so.7, .6 and .5 are not installed", install_runtime);
    return NULL;
}

/* Fills the whole table or names the first symbol that the library lacks. */
static bool fill_table(void *library, struct hip_api *hip, struct error *error)
{
#define FIND(type, name, parameters)                                                                                       \
    *(void **)&hip->name = dlsym(library, #name);                                                                          \
    if (!hip->name)                                                                                                        \
        return error_set(error, STATUS_ENVIRONMENT, "the HIP runtime has no function " #name "; %s", install_runtime);
    HIP_FUNCTIONS(FIND)
#undef FIND
    return true;
}

static bool hip_failed(const struct hip_api *hip, const char *function, hipError_t code, const char *advice,
                       struct error *error)
{
    return error_set(error, STATUS_ENVIRONMENT, "%s: %s (%d): %s", function, hip->hipGetErrorName(code), code, advice);
}

static bool find_devices(struct rocm *rocm, int index, struct error *error)
{
    const struct hip_api *hip = &rocm->hip;
    int count = 0;
    hipError_t code = hip->hipGetDeviceCount(&count);
    if (code != hipSuccess || count < 1)
        return hip_failed(hip, "hipGetDeviceCount", code ? code : hipErrorNoDevice,
                          "no AMD GPU here; use --device emulator", error);
    if (index < 0 || index >= count)
        return error_set(error, STATUS_ENVIRONMENT, "--device rocm:%d: this machine has %d GPU%s, numbered from 0", index,
                         count, count == 1 ? "" : "s");
    rocm->device.n_devices = count;
    code = hip->hipSetDevice(index);
    if (code == hipSuccess)
        code = hip->hipDeviceGetAttribute(&rocm->device.wave_size, hipDeviceAttributeWarpSize, index);
    return code == hipSuccess ||
           hip_failed(hip, "hipSetDevice or hipDeviceGetAttribute", code, "the GPU cannot be used; see rocminfo", error);
}

/* gcnArchName "gfx90a:sramecc+:xnack-" up to the colon. */
static bool find_chip(struct rocm *rocm, int index, struct error *error)
{
    for (size_t i = 0; i < sizeof property_layouts / sizeof *property_layouts; i++) {
        hipError_t (*get)(void *properties, int device);
        *(void **)&get = dlsym(rocm->library, property_layouts[i].symbol);
        if (!get)
            continue;
        char properties[HIP_DEVICE_PROP_BYTES] = {0};
        hipError_t code = get(properties, index);
        if (code != hipSuccess)
            return hip_failed(&rocm->hip, property_layouts[i].symbol, code, "the GPU cannot be asked for its name", error);
        const char *arch = properties + property_layouts[i].gcn_arch_offset;
        size_t length = strcspn(arch, ":");
        if (strncmp(arch, "gfx", 3) != 0 || length >= sizeof rocm->device.chip || length >= GCN_ARCH_BYTES)
            return error_set(error, STATUS_ENVIRONMENT, "%s gives no gfx name: this HIP runtime's layout is not known",
                             property_layouts[i].symbol);
        snprintf(rocm->device.chip, sizeof rocm->device.chip, "%.*s", (int)length, arch);
        return true;
    }
    return error_set(error, STATUS_ENVIRONMENT, "the HIP runtime has no function hipGetDeviceProperties; %s",
                     install_runtime);
}

static void close_rocm(struct device *device)
{
    /* The library stays loaded: a HIP runtime with live threads does not survive dlclose. */
    free(device->context);
}

bool rocm_open(int index, struct device **device, struct error *error)
{
    *device = NULL;
    struct rocm *rocm = calloc(1, sizeof *rocm);
    if (!rocm)
        return error_set(error, STATUS_ENVIRONMENT, "out of memory");
    rocm->device = (struct device){.hip = &rocm->hip, .kind = "rocm", .close = close_rocm, .context = rocm};
    rocm->library = open_library(error);
    if (!rocm->library || !fill_table(rocm->library, &rocm->hip, error) || !find_devices(rocm, index, error) ||
        !find_chip(rocm, index, error)) {
        free(rocm);
        return false;
    }
    *device = &rocm->device;
    return true;
}
