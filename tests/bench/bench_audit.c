/* What it costs to read the figures of code objects here, and by llvm-readelf --notes, a process each: all sources for all
 * chips of record, from a warm cache. Nothing is asserted. */
#include <stdio.h>
#include <stdlib.h>

#include "contract/base/clock.h"
#include "contract/base/file.h"
#include "contract/registry_list.h"
#include "records/limits.h"
#include "toolchain/process.h"
#include "toolchain/toolchain.h"

enum { REPEATS = 20 };

struct costs {
    size_t n_objects, n_kernels;
    uint64_t read_ns, tool_ns;
    uint64_t n_vgprs; /* so that nothing is left out as unused */
};

static bool read_here(const struct compiled *compiled, const struct chip *chip, struct costs *costs)
{
    uint64_t start_ns = clock_ns();
    for (int i = 0; i < REPEATS; i++) {
        struct code_object object;
        struct error error;
        if (!code_object_parse(compiled->bytes, compiled->n_bytes, "object", &object, &error))
            return false;
        for (size_t k = 0; k < object.n_kernels; k++)
            costs->n_vgprs += limits_measure(chip, &object.kernels[k]).figure[RECORD_vgprs];
        costs->n_kernels += i == 0 ? object.n_kernels : 0;
        code_object_free(&object);
    }
    costs->read_ns += (clock_ns() - start_ns) / REPEATS;
    return true;
}

static bool read_by_tool(const struct compiled *compiled, const char *path, struct costs *costs)
{
    struct process_result result;
    struct error error;
    if (!file_write(path, compiled->bytes, compiled->n_bytes, &error))
        return false;
    uint64_t start_ns = clock_ns();
    bool ok = process_run((const char *const[]){"llvm-readelf-22", "--notes", path, NULL}, "/", &result, &error) &&
              result.exit_status == 0;
    costs->tool_ns += clock_ns() - start_ns;
    process_result_free(&result);
    return ok;
}

static bool measure(struct toolchain *toolchain, const struct registration *of, const struct chip *chip, const char *path,
                    struct costs *costs, struct error *error)
{
    struct compile_request request = {.source_path = of->source, .family = of->family, .chip = chip->name};
    struct compiled compiled;
    if (!toolchain_compile(toolchain, &request, &compiled, error))
        return false;
    costs->n_objects++;
    bool ok = (read_here(&compiled, chip, costs) && read_by_tool(&compiled, path, costs)) ||
              error_set(error, STATUS_ENVIRONMENT, "%s for %s: cannot be read", of->source, chip->name);
    compiled_free(&compiled);
    return ok;
}

/* Its source has no earlier registration that is for the chip. */
static bool is_first(const struct registry *registry, size_t index, const struct chip *chip)
{
    for (size_t i = 0; i < index; i++)
        if (registrations_share_source(registry->registrations[i], registry->registrations[index]) &&
            registration_is_for(registry->registrations[i], chip->name))
            return false;
    return registration_is_for(registry->registrations[index], chip->name);
}

static bool measure_all(const struct registry *registry, struct toolchain *toolchain, const char *path, struct costs *costs,
                        struct error *error)
{
    size_t n_chips;
    const struct chip *chips = chip_table(&n_chips);
    for (size_t c = 0; c < n_chips && chips[c].of_record; c++)
        for (size_t i = 0; i < registry->n_registrations; i++)
            if (is_first(registry, i, &chips[c]) &&
                !measure(toolchain, registry->registrations[i], &chips[c], path, costs, error))
                return false;
    return true;
}

int main(void)
{
    struct arena arena = {0};
    struct registry registry;
    struct error error = {0};
    struct costs costs = {0};
    char path[] = "/tmp/bench_audit-XXXXXX";
    struct toolchain *toolchain = toolchain_open(NULL, &error);
    bool ok = toolchain && mkstemp(path) >= 0 && registry_collect(&arena, &registry, &error) &&
              measure_all(&registry, toolchain, path, &costs, &error);
    if (ok)
        printf(
            "reading %zu code objects, %zu kernels (%llu VGPRs in all): %.2f ms here, %.0f ms by llvm-readelf, %.0f times "
            "as long\n",
            costs.n_objects, costs.n_kernels, (unsigned long long)costs.n_vgprs / REPEATS, (double)costs.read_ns * 1e-6,
            (double)costs.tool_ns * 1e-6, (double)costs.tool_ns / (double)costs.read_ns);
    else
        fprintf(stderr, "bench_audit: %s\n", error.text);
    remove(path);
    arena_free(&arena);
    if (toolchain)
        toolchain_close(toolchain);
    return ok ? 0 : 1;
}
