#include "commands/session.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/records_touched.h"
#include "commands/registrations.h"
#include "contract/base/project.h"
#include "records/limits.h"
#include "toolchain/process.h"

static bool compile(void *context, const struct registration *registration, const char *chip, const char *define,
                    unsigned char **bytes, size_t *n_bytes, struct error *error)
{
    struct toolchain *toolchain = context;
    struct compile_request request = {
        .source_path = registration->source, .root = registration->root, .family = registration->family, .chip = chip};
    struct compiled compiled;
    request.defines = define ? &define : NULL;
    request.n_defines = define ? 1 : 0;
    if (!toolchain_compile(toolchain, &request, &compiled, error))
        return false;
    *bytes = compiled.bytes;
    *n_bytes = compiled.n_bytes;
    return true;
}

struct builder session_builder(struct toolchain *toolchain)
{
    return (struct builder){.compile = compile, .context = toolchain};
}

/* The launch of a kernel, or why nobody can tell. */
static enum launch_fit kernel_fits(const struct chip *chip, const struct code_kernel *kernel, const struct reg_plan *plan,
                                   unsigned wave_size, char text[VERDICT_REASON_BYTES])
{
    char problem[LIMIT_TEXT_BYTES] = "";
    struct limit_launch launch = {.shape = "", .lds_bytes = plan->lds_bytes, .wave_size = wave_size};
    if (!kernel) {
        snprintf(text, VERDICT_REASON_BYTES, "the code object has no such kernel");
        return LAUNCH_UNKNOWN;
    }
    memcpy(launch.grid, plan->grid, sizeof launch.grid);
    memcpy(launch.block, plan->block, sizeof launch.block);
    bool fits = limits_launch_fits(chip, kernel, &launch, problem);
    snprintf(text, VERDICT_REASON_BYTES, "%s", problem);
    return fits ? LAUNCH_FITS : LAUNCH_IS_OVER;
}

static enum launch_fit launch_fits(void *context, const struct registration *registration, const char *chip_name,
                                   const unsigned char *bytes, size_t n_bytes, const struct reg_plan *plan,
                                   char text[VERDICT_REASON_BYTES])
{
    (void)context;
    struct code_object object;
    struct error error = {0};
    const struct chip *chip = chip_find(chip_name);
    if (!chip || !code_object_parse(bytes, n_bytes, registration->source, &object, &error)) {
        snprintf(text, VERDICT_REASON_BYTES, "%.600s", chip ? error.text : "the chip is not in the table");
        return LAUNCH_UNKNOWN;
    }
    const struct code_kernel *kernel = registration->symbol ? code_object_kernel(&object, registration->symbol) : NULL;
    enum launch_fit fit = kernel_fits(chip, kernel, plan, registration->wave_size, text);
    code_object_free(&object);
    return fit;
}

static void read_commit(struct session *session)
{
    char root[PATH_MAX];
    struct process_result result;
    const char *const argv[] = {"git", "rev-parse", "--verify", "--quiet", "HEAD", NULL};
    const char *at = session->files.n_files ? session->files.files[0].folder : root;
    if (at == root && !project_root(root, sizeof root, NULL))
        return;
    session->records = records_touched(at, &session->arena);
    if (!process_run(argv, at, &result, NULL))
        return;
    size_t n = 0;
    while (result.exit_status == 0 && n < result.out.n_bytes && n + 1 < sizeof session->commit &&
           isxdigit((unsigned char)result.out.data[n]))
        n++;
    memcpy(session->commit, n ? result.out.data : "", n);
    process_result_free(&result);
}

/* Where $HIPCONTRACT_CACHE says nothing, what is compiled for files of kernels stays with the first of them: the program
 * may be installed. NULL: the toolchain's own choice. */
static const char *cache_of_files(struct session *session)
{
    const char *given = getenv("HIPCONTRACT_CACHE");
    bool chosen = session->files.n_files && (!given || !*given);
    return chosen ? arena_format(&session->arena, "%s/build/cache", session->files.files[0].folder) : NULL;
}

bool session_open(struct session *session, const struct arguments *arguments, struct error *error)
{
    *session = (struct session){.arguments = arguments, .checker = {.fits = launch_fits}};
    if (!registrations_open(arguments, &session->arena, &session->files, &session->registry, error))
        return false;
    session->toolchain = toolchain_open(cache_of_files(session), error);
    if (!session->toolchain)
        return false;
    toolchain_limit_time(session->toolchain, arguments->time_limit_s);
    session->builder = session_builder(session->toolchain);
    read_commit(session);
    return true;
}

void session_close(struct session *session)
{
    if (session->toolchain)
        toolchain_close(session->toolchain);
    kernel_files_close(&session->files);
    arena_free(&session->arena);
}

static bool open_gpu(const struct session *session, const char *chip, struct device **device, struct error *error)
{
    if (!rocm_open(session->arguments->gpu_index, device, error))
        return false;
    if (!chip || strcmp((*device)->chip, chip) == 0)
        return true;
    error_set(error, STATUS_ENVIRONMENT, "the GPU is a %s, not a %s; leave --chip out, or use --device emulator",
              (*device)->chip, chip);
    (*device)->close(*device);
    return false;
}

struct run_options session_run_options(const struct arguments *arguments)
{
    return (struct run_options){.only = arguments->only,
                                .n_only = arguments->n_only,
                                .quick = arguments->quick,
                                .full = arguments->full,
                                .n_runs = arguments->n_runs,
                                .n_threads = arguments->n_jobs,
                                .seed = arguments->seed,
                                .checks = arguments->checks};
}

int session_devices(const struct session *session, const char *chip)
{
    int n = 1;
    for (size_t i = 0; i < session->registry.n_registrations; i++) {
        const struct registration *r = session->registry.registrations[i];
        if (r->launcher && registration_is_for(r, chip) && r->launcher->n_devices > n)
            n = r->launcher->n_devices;
    }
    return session->arguments->n_devices ? session->arguments->n_devices : n;
}

bool session_device(const struct session *session, const char *chip, int n_threads, struct device **device,
                    struct error *error)
{
    if (session->arguments->on_gpu)
        return open_gpu(session, chip, device, error);
    struct emulator_options options = {
        .chip = chip ? chip : DEFAULT_CHIP,
        .n_devices = session_devices(session, chip ? chip : DEFAULT_CHIP),
        .n_threads = n_threads,
        .checks = session->arguments->checks & CHECKS_BASIC,
        .matrix_model = session->arguments->matrix_model,
        .count_profile = session->arguments->hash_outputs || session->arguments->keep_outputs,
    };
    return emulator_open(&options, device, error);
}
