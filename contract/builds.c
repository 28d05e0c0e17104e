#include "contract/builds.h"

#include <stdlib.h>
#include <string.h>

struct build {
    struct build *older;
    const char *source, *define; /* borrowed from registration and control; define "" for none */
    unsigned char *bytes;
    size_t n_bytes;
    struct hash128 code;
    hipModule_t module;
    bool ok;
    struct error error;
};

static struct build *find(const struct builds *builds, const char *source, const char *define)
{
    for (struct build *build = builds->newest; build; build = build->older)
        if (strcmp(build->source, source) == 0 && strcmp(build->define, define) == 0)
            return build;
    return NULL;
}

static bool load(const struct builds *builds, struct build *build)
{
    hipError_t code = builds->device->hip->hipModuleLoadData(&build->module, build->bytes);
    if (code == hipSuccess)
        return true;
    return error_set(&build->error, STATUS_RED, "the code object of %s does not load: hipModuleLoadData: %s", build->source,
                     builds->device->hip->hipGetErrorName(code));
}

static struct build *make(struct builds *builds, const struct registration *r, const char *define)
{
    struct build *build = calloc(1, sizeof *build);
    if (!build)
        return NULL;
    build->older = builds->newest;
    build->source = r->source;
    build->define = define ? define : "";
    builds->newest = build;
    build->ok = builds->builder->compile(builds->builder->context, r, builds->device->chip, define, &build->bytes,
                                         &build->n_bytes, &build->error);
    if (build->ok) {
        build->code = hash_bytes(build->bytes, build->n_bytes);
        build->ok = load(builds, build);
    }
    return build;
}

bool builds_target(struct builds *builds, const struct registration *registration, const char *define,
                   struct launch_target *target, struct error *error)
{
    struct build *build = find(builds, registration->source, define ? define : "");
    if (!build)
        build = make(builds, registration, define);
    if (!build)
        return error_set(error, STATUS_ENVIRONMENT, "out of host memory for a code object");
    *target = (struct launch_target){.device = builds->device, .code = build->code};
    if (!build->ok) {
        if (error)
            *error = build->error;
        return false;
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
    const struct build *build = find(builds, registration->source, define ? define : "");
    *n_bytes = build && build->bytes ? build->n_bytes : 0;
    return build ? build->bytes : NULL;
}

void builds_free(struct builds *builds)
{
    while (builds->newest) {
        struct build *build = builds->newest;
        builds->newest = build->older;
        if (build->module)
            builds->device->hip->hipModuleUnload(build->module);
        free(build->bytes);
        free(build);
    }
}
