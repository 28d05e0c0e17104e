#include "tests/support/kernel_agreement.h"

#include <stdlib.h>
#include <string.h>

#include "contract/base/random.h"
#include "tests/support/host_group.h"

struct agreement_kernel {
    const char *file, *name;
    host_kernel *host;
    unsigned in_words, out_words; /* a work-item */
    unsigned n_items, block_size, lds_bytes;
};

#define AGREEMENT_KERNEL(file, kernel, in_words, out_words, n_items, block_size, lds_bytes) host_kernel agree_##kernel;
#include "tests/kernels/agreement/kernels.def"
#undef AGREEMENT_KERNEL

#define AGREEMENT_KERNEL(file, kernel, in_words, out_words, n_items, block_size, lds_bytes)                                \
    {#file, #kernel, agree_##kernel, in_words, out_words, n_items, block_size, lds_bytes},
static const struct agreement_kernel kernels[] = {
#include "tests/kernels/agreement/kernels.def"
};
#undef AGREEMENT_KERNEL

enum { N_KERNELS = sizeof kernels / sizeof *kernels, N_THREADS = 2 };

/* Words at which arithmetic goes wrong: ends of ranges, powers of two, f32 and f16 at their limits, ties. */
static const uint32_t edges[] = {
    0,          1,          2,          3,          7,          31,         32,         33,         0x7f,       0x80,
    0xff,       0x100,      0x3ff,      0x400,      0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffff,   0x800000,
    0xffffff,   0x1000000,  0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x3f800000, 0xbf800000, 0x3f800001,
    0x3f7fffff, 0x3f000000, 0x40200000, 0x4b000000, 0x4b000001, 0xcb7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345,
    0x7f7fffff, 0xff7fffff, 0x007fffff, 0x00800001, 0x807fffff, 0x3c003c00, 0x7bff0400, 0x7c00fc00, 0x03ff8001, 0x7e007bff,
    0x55555555, 0xaaaaaaaa, 0x7ff00000, 0xfff00000, 0x3ff00000, 0x00100000, 0x43300000, 0x41dfffff, 0x33000000, 0x33000001,
};

/* A third are edges, the others of any magnitude. */
static void draw_inputs(const struct agreement_kernel *kernel, uint32_t *in)
{
    struct random_key key = random_key_for(17, kernel->name);
    for (size_t i = 0; i < (size_t)kernel->in_words * kernel->n_items; i++) {
        uint64_t bits = random_bits(key, i);
        uint32_t word = (uint32_t)bits;
        unsigned kind = (unsigned)(bits >> 32 & 15);
        if (kind < 5)
            word = edges[(bits >> 40) % (sizeof edges / sizeof *edges)];
        else if (kind < 8)
            word >>= bits >> 40 & 31;
        in[i] = word;
    }
}

static void describe(const struct kernel_build *build, const struct agreement_kernel *kernel, FILE *out)
{
    fprintf(out, "FAIL %s (%s, %s, wave%u): ", kernel->name, build->chip, build->optimisation, build->wave_size);
}

static bool compare(const struct kernel_build *build, const struct agreement_kernel *kernel, const uint32_t *got,
                    const uint32_t *expected, FILE *out)
{
    size_t n = (size_t)kernel->out_words * kernel->n_items, n_wrong = 0, first = 0;
    for (size_t i = n; i-- > 0;)
        if (got[i] != expected[i]) {
            first = i;
            n_wrong++;
        }
    if (!n_wrong)
        return true;
    describe(build, kernel, out);
    fprintf(out, "%zu of %zu words differ, first word %zu of work-item %zu: got 0x%08x, expected 0x%08x\n", n_wrong, n,
            first % kernel->out_words, first / kernel->out_words, got[first], expected[first]);
    return false;
}

static bool run_both(struct kernel_module *module, const struct kernel_build *build, const struct agreement_kernel *kernel,
                     FILE *out)
{
    size_t in_bytes = 4 * (size_t)kernel->in_words * kernel->n_items;
    size_t out_bytes = 4 * (size_t)kernel->out_words * kernel->n_items;
    unsigned n_blocks = (kernel->n_items + kernel->block_size - 1) / kernel->block_size;
    uint32_t *in = malloc(in_bytes), *got = calloc(1, out_bytes), *expected = calloc(1, out_bytes);
    bool ok = in && got && expected;
    if (ok)
        draw_inputs(kernel, in);
    const struct kernel_call call = {.kernel = kernel->name,
                                     .grid = {n_blocks},
                                     .block = {kernel->block_size},
                                     .lds_bytes = kernel->lds_bytes,
                                     .buffers = {{in, in_bytes}, {got, out_bytes}},
                                     .scalars = {kernel->n_items},
                                     .n_scalars = 1};
    ok = ok &&
         host_group_run(kernel->host, n_blocks, kernel->block_size, kernel->lds_bytes, in, expected, (int)kernel->n_items);
    if (!ok || !kernel_module_call(module, &call)) {
        describe(build, kernel, out);
        fprintf(out, "%s\n",
                ok ? "did not run (standard error says why)" : "out of memory, or its block is too large for the host");
        ok = false;
    }
    ok = ok && compare(build, kernel, got, expected, out);
    free(in);
    free(got);
    free(expected);
    return ok;
}

/* The kernels of one file: rows [first, first + n). */
static size_t run_file(const struct kernel_build *build, size_t first, size_t n, FILE *out)
{
    char path[256];
    struct kernel_module module;
    size_t n_agreed = 0;
    snprintf(path, sizeof path, "tests/kernels/agreement/%s.hip", kernels[first].file);
    if (!kernel_module_open(&module, path, build, N_THREADS)) {
        fprintf(out, "FAIL %s (%s, %s, wave%u): not loaded\n", path, build->chip, build->optimisation, build->wave_size);
        return 0;
    }
    module.device->set_checks(module.device, CHECKS_ALL);
    for (size_t i = first; i < first + n; i++)
        n_agreed += run_both(&module, build, &kernels[i], out);
    kernel_module_close(&module);
    return n_agreed;
}

void kernels_agree(const struct kernel_build *build, FILE *out, struct kernel_tally *tally)
{
    for (size_t first = 0, n; first < N_KERNELS; first += n) {
        for (n = 1; first + n < N_KERNELS && strcmp(kernels[first + n].file, kernels[first].file) == 0;)
            n++;
        tally->n_run += n;
        tally->n_agreed += run_file(build, first, n, out);
    }
}
