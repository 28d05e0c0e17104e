#include "commands/run_device.h"

#include <stdio.h>
#include <unistd.h>

static bool open_in_worker(void *context, int n_threads, struct device **device, struct error *error)
{
    const struct run_device *of = context;
    return session_device(of->session, of->chip, n_threads, device, error);
}

/* The machine's memory: beyond it nothing is served well. */
static uint64_t memory_of_machine(void)
{
    long n_pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    return n_pages > 0 && page_bytes > 0 ? (uint64_t)n_pages * (uint64_t)page_bytes : 0;
}

static struct pool_options pool_options(struct run_device *of)
{
    const struct arguments *a = of->session->arguments;
    return (struct pool_options){
        .worker = {.open = open_in_worker,
                   .context = of,
                   .n_threads = a->n_jobs,
                   .memory_limit = a->has_memory_limit ? a->memory_limit : memory_of_machine()},
        .n_workers = a->n_workers,
        .time_limit_ns = (uint64_t)a->time_limit_s * 1000000000,
    };
}

static bool probe(struct run_device *of, struct error *error)
{
    struct pool_options options = pool_options(of);
    struct message_ready ready;
    if (!worker_probe(&options.worker, options.time_limit_ns, &ready, error))
        return false;
    snprintf(of->kind, sizeof of->kind, "%s", ready.kind);
    of->known = (struct device){.kind = of->kind, .n_devices = ready.n_devices, .wave_size = ready.wave_size};
    snprintf(of->known.chip, sizeof of->known.chip, "%s", ready.chip);
    of->device = &of->known;
    return true;
}

bool run_device_open(struct run_device *of, const struct session *session, const char *chip, struct error *error)
{
    *of = (struct run_device){.session = session, .chip = chip};
    if (session->arguments->no_isolation)
        return session_device(session, chip, session->arguments->n_jobs, &of->device, error);
    return probe(of, error);
}

bool run_device_gates(struct run_device *of, struct run *run, struct error *error)
{
    struct pool_options options = pool_options(of);
    run->builds.device = of->device;
    return of->session->arguments->no_isolation ? run_gates(run, error) : pool_run(run, &options, error);
}

void run_device_close(struct run_device *of)
{
    if (of->device->close)
        of->device->close(of->device);
}

bool run_device_name_gpu(struct session *session, struct arguments *arguments, struct error *error)
{
    struct run_device of;
    if (!arguments->on_gpu || arguments->n_chips)
        return true;
    if (!run_device_open(&of, session, NULL, error))
        return false;
    arguments->chips[0] = arena_format(&session->arena, "%s", of.device->chip);
    run_device_close(&of);
    if (!arguments->chips[0])
        return error_set(error, STATUS_ENVIRONMENT, "out of host memory for the GPU's name");
    arguments->n_chips = 1;
    return true;
}
