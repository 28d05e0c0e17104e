#include "contract/builds.h"

#include <stdlib.h>
#include <string.h>

#include "contract/base/parallel.h"
#include "contract/registry_list.h"

/* The code object on a device other than that of the builds. */
struct loaded {
    struct loaded *older;
    int device;
    hipModule_t module;
};

struct build {
    struct build *older;
    struct registration of; /* the first of its source, whose texts are borrowed; controls run copies that do not last */
    const char *define;     /* borrowed from a control; "" for none */
    unsigned char *bytes;
    size_t n_bytes;
    struct hash128 code;
    hipModule_t module;
    struct loaded *elsewhere;
    bool is_compiled, is_loaded; /* each was tried; ok tells how it went */
    bool ok;
    struct error error;
};

static struct build *find(const struct builds *builds, const struct registration *of, const char *define)
{
    for (struct build *build = builds->newest; build; build = build->older)
        if (registrations_share_source(&build->of, of) && strcmp(build->define, define) == 0)
            return build;
    return NULL;
}

/* A build of which nothing is done yet, or the one that there is; NULL when out of memory. */
static struct build *find_or_add(struct builds *builds, const struct registration *r, const char *define)
{
    struct build *build = find(builds, r, define ? define : "");
    if (build)
        return build;
    build = calloc(1, sizeof *build);
    if (!build)
        return NULL;
    build->older = builds->newest;
    build->of = *r;
    build->define = define ? define : "";
    builds->newest = build;
    return build;
}

static void compile(const struct builds *builds, struct build *build)
{
    if (build->is_compiled)
        return;
    build->is_compiled = true;
    build->ok =
        builds->builder->compile(builds->builder->context, &build->of, builds->device->chip,
                                 *build->define ? build->define : NULL, &build->bytes, &build->n_bytes, &build->error);
    if (build->ok)
        build->code = hash_bytes(build->bytes, build->n_bytes);
}

static void load(const struct builds *builds, struct build *build)
{
    if (build->is_loaded || !build->ok)
        return;
    build->is_loaded = true;
    hipError_t code = builds->device->hip->hipModuleLoadData(&build->module, build->bytes);
    build->ok = code == hipSuccess ||
                error_set(&build->error, STATUS_RED, "the code object of %s does not load: hipModuleLoadData: %s",
                          build->of.source, builds->device->hip->hipGetErrorName(code));
}

struct compilation {
    const struct builds *builds;
    struct build **todo;
    bool (*stop)(void *context);
    void *stop_context;
};

static void compile_one(void *context, int64_t item)
{
    const struct compilation *compilation = context;
    if (!compilation->stop || !compilation->stop(compilation->stop_context))
        compile(compilation->builds, compilation->todo[item]);
}

void builds_compile(struct builds *builds, const struct build_wanted *wanted, size_t n, int n_threads,
                    bool (*stop)(void *context), void *stop_context)
{
    struct compilation compilation = {builds, calloc(n + 1, sizeof(struct build *)), stop, stop_context};
    int64_t n_todo = 0;
    for (size_t i = 0; i < n && compilation.todo; i++) {
        const struct build *newest = builds->newest;
        struct build *build = find_or_add(builds, wanted[i].registration, wanted[i].define);
        if (build && builds->newest != newest)
            compilation.todo[n_todo++] = build;
    }
    parallel_for(n_threads, n_todo, compile_one, &compilation);
    free(compilation.todo);
}

/* Those that the module has; an error where it has none. */
static bool find_kernels(const struct builds *builds, const struct registration *registration, hipModule_t module,
                         hipFunction_t functions[REG_MAX_KERNELS], struct error *error)
{
    const char *const *kernels = registration->launcher->kernels;
    bool any = false;
    for (int i = 0; i < REG_MAX_KERNELS; i++) {
        functions[i] = NULL;
        if (kernels[i] && builds->device->hip->hipModuleGetFunction(&functions[i], module, kernels[i]) != hipSuccess)
            functions[i] = NULL;
        any |= functions[i] != NULL;
    }
    return any || error_set(error, STATUS_RED, "%s has none of the kernels of the launcher of %s, of which %s is the first",
                            registration->source, registration->name, kernels[0]);
}

/* The build's module on a device; loaded there at first, on the device that is current. */
static hipError_t load_elsewhere(const struct builds *builds, struct build *build, int device, hipModule_t *module)
{
    for (const struct loaded *loaded = build->elsewhere; loaded; loaded = loaded->older)
        if (loaded->device == device) {
            *module = loaded->module;
            return hipSuccess;
        }
    struct loaded *loaded = calloc(1, sizeof *loaded);
    if (!loaded)
        return hipErrorOutOfMemory;
    hipError_t code = builds->device->hip->hipModuleLoadData(&loaded->module, build->bytes);
    if (code != hipSuccess) {
        free(loaded);
        return code;
    }
    *loaded = (struct loaded){build->elsewhere, device, loaded->module};
    build->elsewhere = loaded;
    *module = loaded->module;
    return hipSuccess;
}

hipError_t builds_on_device(struct builds *builds, const struct registration *registration, const char *define, int device,
                            struct launch_target *target, struct error *error)
{
    struct build *build = find(builds, registration, define ? define : "");
    hipModule_t module;
    hipError_t code = load_elsewhere(builds, build, device, &module);
    if (code != hipSuccess) {
        error_set(error, STATUS_RED, "the code object of %s does not load on device %d: hipModuleLoadData: %s",
                  registration->source, device, builds->device->hip->hipGetErrorName(code));
        return code;
    }
    *target = (struct launch_target){.device = builds->device, .code = build->code, .launcher = registration->launcher};
    return find_kernels(builds, registration, module, target->functions, error) ? hipSuccess : hipErrorNotFound;
}

bool builds_target(struct builds *builds, const struct registration *registration, const char *define,
                   struct launch_target *target, struct error *error)
{
    struct build *build = find_or_add(builds, registration, define);
    if (!build)
        return error_set(error, STATUS_ENVIRONMENT, "out of host memory for a code object");
    compile(builds, build);
    load(builds, build);
    *target = (struct launch_target){.device = builds->device, .code = build->code};
    if (!build->ok) {
        if (error)
            *error = build->error;
        return false;
    }
    if (registration->launcher) {
        target->launcher = registration->launcher;
        return find_kernels(builds, registration, build->module, target->functions, error);
    }
    hipError_t code = builds->device->hip->hipModuleGetFunction(&target->function, build->module, registration->symbol);
    if (code == hipSuccess)
        return true;
    return error_set(error, STATUS_RED, "%s has no kernel %s: hipModuleGetFunction: %s", registration->source,
                     registration->symbol, builds->device->hip->hipGetErrorName(code));
}

const unsigned char *builds_bytes(const struct builds *builds, const struct registration *registration, const char *define,
                                  size_t *n_bytes)
{
    const struct build *build = find(builds, registration, define ? define : "");
    *n_bytes = build && build->bytes ? build->n_bytes : 0;
    return build ? build->bytes : NULL;
}

static void free_elsewhere(const struct builds *builds, struct build *build)
{
    while (build->elsewhere) {
        struct loaded *loaded = build->elsewhere;
        build->elsewhere = loaded->older;
        builds->device->hip->hipModuleUnload(loaded->module);
        free(loaded);
    }
}

void builds_free(struct builds *builds)
{
    while (builds->newest) {
        struct build *build = builds->newest;
        builds->newest = build->older;
        if (build->module)
            builds->device->hip->hipModuleUnload(build->module);
        free_elsewhere(builds, build);
        free(build->bytes);
        free(build);
    }
}
