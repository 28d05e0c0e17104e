/*
 * The code objects of a run on one device: each source, with each define, is compiled and loaded once.
 */
#ifndef CONTRACT_BUILDS_H
#define CONTRACT_BUILDS_H

#include "contract/launch.h"
#include "contract/registry.h"

/* Compiles a family's source: the toolchain in the program, anything in tests. */
struct builder {
    /* A malloc'ed code object in *bytes, or false with the compiler's error: STATUS_RED for a kernel that does not compile.
     * define may be NULL. May be called from several threads at once. */
    bool (*compile)(void *context, const struct registration *registration, const char *chip, const char *define,
                    unsigned char **bytes, size_t *n_bytes, struct error *error);
    void *context;
};

struct build; /* one compiled and loaded code object */

struct builds {
    const struct builder *builder;
    struct device *device;
    struct build *newest;
};

/* What builds_target is going to be asked for. */
struct build_wanted {
    const struct registration *registration;
    const char *define; /* NULL: none */
};

/* Compiles those of n that are not compiled, on n_threads threads. It says nothing of what fails: builds_target does, which
 * compiles what is not compiled here, as where `stop` (may be NULL) came to say true. Texts are borrowed as it borrows
 * them.
 */
void builds_compile(struct builds *builds, const struct build_wanted *wanted, size_t n, int n_threads,
                    bool (*stop)(void *context), void *stop_context);
/* An empty set is {.builder = …, .device = …}. Finds or makes the target for a registration; false with the reason, which
 * is kept and given again. */
bool builds_target(struct builds *builds, const struct registration *registration, const char *define,
                   struct launch_target *target, struct error *error);
/* A launcher's target on the device of that number, which is current; the registration has a target already. An error code,
 * with the reason, where the code object does not load there (another chip) or has none of its kernels. */
hipError_t builds_on_device(struct builds *builds, const struct registration *registration, const char *define, int device,
                            struct launch_target *target, struct error *error);
/* The code object's bytes, borrowed until builds_free; NULL where it was not built. */
const unsigned char *builds_bytes(const struct builds *builds, const struct registration *registration, const char *define,
                                  size_t *n_bytes);
void builds_free(struct builds *builds);

#endif
