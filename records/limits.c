#include "records/limits.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* WGP_MODE, bit 29 of COMPUTE_PGM_RSRC1 on gfx10 and later (AMDGPUUsage, "compute_pgm_rsrc1"). */
enum { RSRC1_WGP_MODE = 1 << 29 };

/* What a workgroup of so many threads and so much LDS takes. */
static struct chip_usage usage_of(const struct chip *chip, const struct code_kernel *kernel, uint32_t threads,
                                  uint32_t lds_bytes)
{
    return (struct chip_usage){
        .wave_size = kernel->wave_size,
        .vgprs = kernel->vgprs,
        .sgprs = kernel->sgprs,
        .lds_bytes = lds_bytes,
        .workgroup_threads = threads,
        .cu_mode = chip->has_wgp && !(kernel->descriptor.rsrc1 & RSRC1_WGP_MODE),
    };
}

struct record limits_measure(const struct chip *chip, const struct code_kernel *kernel)
{
    struct chip_usage usage = usage_of(chip, kernel, kernel->max_workgroup_threads, kernel->lds_bytes);
    struct chip_occupancy occupancy = chip_occupancy(chip, &usage);
    return (struct record){
        .kernel = kernel->name,
        .chip = chip->name,
        .figure =
            {
                [RECORD_vgprs] = kernel->vgprs,
                [RECORD_agprs] = kernel->agprs,
                [RECORD_sgprs] = kernel->sgprs,
                [RECORD_lds] = kernel->lds_bytes,
                [RECORD_private] = kernel->private_bytes,
                [RECORD_vspills] = kernel->vgpr_spills,
                [RECORD_sspills] = kernel->sgpr_spills,
                [RECORD_bound] = kernel->max_workgroup_threads,
                [RECORD_wave] = kernel->wave_size,
                [RECORD_code] = kernel->code_bytes,
                [RECORD_kernarg] = kernel->kernarg_bytes,
                [RECORD_dynamic] = kernel->uses_dynamic_stack,
                [RECORD_occupancy] = occupancy.waves,
                [RECORD_limit] = occupancy.limit,
            },
    };
}

/* "22.1.8" of a compiler's version line, or the line itself where that says the same of both. */
static const char *release_of(const char *version, const char *other, char release[64])
{
    static const char before[] = "clang version ";
    const char *at = strstr(version, before), *other_at = strstr(other, before);
    size_t length = at ? strcspn(at + strlen(before), " \n") : 0;
    if (!at || length >= 64 || (other_at && strncmp(at, other_at, strlen(before) + length + 1) == 0))
        return version;
    snprintf(release, 64, "%.*s", (int)length, at + strlen(before));
    return release;
}

static int append(char text[LIMIT_TEXT_BYTES], int length, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The length with the words in it, at most that of a full text. */
static int append(char text[LIMIT_TEXT_BYTES], int length, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int added = vsnprintf(text + length, (size_t)(LIMIT_TEXT_BYTES - length), format, arguments);
    va_end(arguments);
    return added < 0 ? length : added < LIMIT_TEXT_BYTES - length ? length + added : LIMIT_TEXT_BYTES - 1;
}

/* " (recorded with 22.1.7, compiled with 22.1.8)" where the versions differ, the second half only of a stale one. */
static int append_versions(char text[LIMIT_TEXT_BYTES], int length, const struct limit_versions *versions, bool is_stale)
{
    char release[2][64];
    if (!versions || !versions->recorded || strcmp(versions->recorded, versions->compiled) == 0)
        return length;
    length = append(text, length, " (recorded with %s", release_of(versions->recorded, versions->compiled, release[0]));
    if (is_stale)
        length = append(text, length, ", compiled with %s", release_of(versions->compiled, versions->recorded, release[1]));
    return append(text, length, ")");
}

bool limits_compare(const struct record *committed, const struct record *measured, const struct limit_versions *versions,
                    char text[LIMIT_TEXT_BYTES])
{
    if (!committed) {
        snprintf(text, LIMIT_TEXT_BYTES, "record missing");
        return false;
    }
    bool is_current = memcmp(committed->figure, measured->figure, sizeof committed->figure) == 0;
    int length = append(text, 0, "record %s", is_current ? "current" : "stale");
    length = append_versions(text, length, versions, !is_current);
    const char *lead = ":";
    for (int i = 0; i < RECORD_FIGURE_COUNT && !is_current; i++) {
        char before[RECORD_WORD_BYTES], after[RECORD_WORD_BYTES];
        if (committed->figure[i] == measured->figure[i])
            continue;
        record_figure_text(committed, (enum record_figure)i, before);
        record_figure_text(measured, (enum record_figure)i, after);
        length = append(text, length, "%s %s %s -> %s", lead, record_figure_name((enum record_figure)i), before, after);
        lead = ",";
    }
    return is_current;
}

/* Work-items of a workgroup; the largest number where they do not fit 64 bits. */
static uint64_t threads_of(const struct limit_launch *launch)
{
    uint64_t threads = (uint64_t)launch->block[0] * launch->block[1];
    return __builtin_mul_overflow(threads, launch->block[2], &threads) ? UINT64_MAX : threads;
}

__attribute__((format(printf, 3, 4))) static bool misfit(char text[LIMIT_TEXT_BYTES], const struct limit_launch *launch,
                                                         const char *format, ...)
{
    int length = snprintf(text, LIMIT_TEXT_BYTES, *launch->shape ? "launch at %s: " : "launch%s: ", launch->shape);
    va_list arguments;
    va_start(arguments, format);
    if (length >= 0 && length < LIMIT_TEXT_BYTES)
        vsnprintf(text + length, (size_t)(LIMIT_TEXT_BYTES - length), format, arguments);
    va_end(arguments);
    return false;
}

/* The dispatch packet counts work-items of each dimension in 32 bits (HSA Platform System Architecture, "AQL packet"). */
static bool grid_fits(const struct limit_launch *launch, char text[LIMIT_TEXT_BYTES])
{
    for (int i = 0; i < 3; i++) {
        if (launch->grid[i] == 0 || launch->block[i] == 0)
            return misfit(text, launch, "grid or block is empty in dimension %d", i);
        if ((uint64_t)launch->grid[i] * launch->block[i] > UINT32_MAX)
            return misfit(text, launch,
                          "grid %" PRIu32 " of %" PRIu32 " work-items in dimension %d, a dispatch counts to 2^32 - 1",
                          launch->grid[i], launch->block[i], i);
    }
    return true;
}

static bool required_is_met(const struct code_kernel *kernel, const struct limit_launch *launch,
                            char text[LIMIT_TEXT_BYTES])
{
    const uint32_t *required = kernel->required_workgroup, *block = launch->block;
    if (!required[0] || (required[0] == block[0] && required[1] == block[1] && required[2] == block[2]))
        return true;
    return misfit(text, launch, "block %" PRIu32 ",%" PRIu32 ",%" PRIu32 ", compiled for %" PRIu32 ",%" PRIu32 ",%" PRIu32,
                  block[0], block[1], block[2], required[0], required[1], required[2]);
}

static bool wave_size_is_met(const struct chip *chip, const struct code_kernel *kernel, const struct limit_launch *launch,
                             char text[LIMIT_TEXT_BYTES])
{
    if (!launch->wave_size || launch->wave_size == kernel->wave_size)
        return true;
    return misfit(text, launch, "written for waves of %" PRIu32 " lanes, compiled for waves of %" PRIu32 " lanes on %s",
                  launch->wave_size, kernel->wave_size, chip->name);
}

/* All waves of a workgroup must be there at once, or its barriers never open: the hardware starts none that has no room. */
static bool waves_fit(const struct chip *chip, const struct code_kernel *kernel, const struct limit_launch *launch,
                      char text[LIMIT_TEXT_BYTES])
{
    uint32_t threads = (uint32_t)threads_of(launch);
    struct chip_usage usage = usage_of(chip, kernel, threads, kernel->lds_bytes + launch->lds_bytes);
    uint32_t waves = threads / usage.wave_size + (threads % usage.wave_size != 0);
    uint32_t most = chip_workgroup_waves(chip, &usage);
    if (waves <= most)
        return true;
    return misfit(text, launch,
                  "%" PRIu32 " waves a workgroup, with %" PRIu32 " VGPRs and %" PRIu32 " SGPRs %s holds %" PRIu32, waves,
                  kernel->vgprs, kernel->sgprs, chip->name, most);
}

uint32_t limits_launch_occupancy(const struct chip *chip, const struct code_kernel *kernel,
                                 const struct limit_launch *launch)
{
    struct chip_usage usage = usage_of(chip, kernel, (uint32_t)threads_of(launch), kernel->lds_bytes + launch->lds_bytes);
    return chip_occupancy(chip, &usage).waves;
}

bool limits_launch_fits(const struct chip *chip, const struct code_kernel *kernel, const struct limit_launch *launch,
                        char text[LIMIT_TEXT_BYTES])
{
    if (!grid_fits(launch, text) || !wave_size_is_met(chip, kernel, launch, text) || !required_is_met(kernel, launch, text))
        return false;
    uint64_t threads = threads_of(launch);
    if (threads > kernel->max_workgroup_threads)
        return misfit(text, launch, "%" PRIu64 " threads, bound %" PRIu32, threads, kernel->max_workgroup_threads);
    uint64_t lds_bytes = (uint64_t)kernel->lds_bytes + launch->lds_bytes;
    if (lds_bytes > chip->lds_max_per_workgroup)
        return misfit(text, launch, "%" PRIu32 " + %" PRIu32 " bytes of LDS, %s has %" PRIu32, kernel->lds_bytes,
                      launch->lds_bytes, chip->name, chip->lds_max_per_workgroup);
    return waves_fit(chip, kernel, launch, text);
}

bool limits_bound_is_used(const struct code_kernel *kernel, const struct limit_launch *launches, size_t n_launches,
                          char text[LIMIT_TEXT_BYTES])
{
    uint64_t most = 0;
    for (size_t i = 0; i < n_launches; i++)
        if (threads_of(&launches[i]) > most)
            most = threads_of(&launches[i]);
    if (n_launches == 0 || most >= kernel->max_workgroup_threads)
        return true;
    snprintf(text, LIMIT_TEXT_BYTES, "launched at %" PRIu64 " threads where the compiled bound is %" PRIu32, most,
             kernel->max_workgroup_threads);
    return false;
}
