/*
 * Fuzz target: any bytes as the metadata note of a code object, which is MessagePack. It is refused with one line, or every
 * kernel of it is whole.
 */
#include <stdlib.h>
#include <string.h>

#include "device/code_metadata.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

static void check_kernel(const struct code_kernel *kernel)
{
    must(kernel->name && kernel->name[0] && kernel->kernarg_bytes <= CODE_KERNARG_LIMIT && kernel->n_args <= CODE_MAX_ARGS);
    must(kernel->wave_size == 32 || kernel->wave_size == 64);
    for (size_t i = 0; i < kernel->n_args; i++) {
        const struct code_arg *arg = &kernel->args[i];
        must(arg->name && arg->kind <= CODE_ARG_OTHER);
        must((uint64_t)arg->offset_bytes + arg->size_bytes <= kernel->kernarg_bytes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    struct arena arena = {0};
    struct error error = {0};
    struct code_metadata metadata;
    uint8_t *bytes = malloc(n_bytes ? n_bytes : 1); /* a copy of its own, so that reads past its end are seen */
    must(bytes != NULL);
    memcpy(bytes, data, n_bytes);
    bool ok = code_metadata_parse(bytes, n_bytes, &arena, &metadata, &error);
    free(bytes); /* nothing of it is borrowed */
    if (!ok)
        must_be_clear(&error);
    must(!ok || (metadata.n_kernels <= CODE_MAX_KERNELS && memchr(metadata.target, '\0', sizeof metadata.target)));
    for (size_t i = 0; ok && i < metadata.n_kernels; i++)
        check_kernel(&metadata.kernels[i]);
    arena_free(&arena);
    return 0;
}
