/*
 * Gate 5: what a compiled kernel takes (registers, LDS, scratch, spills, code) against its committed record, and whether
 * each registered launch fits the compiled kernel and the chip. Knows kernels only as names, figures and launches.
 */
#ifndef RECORDS_LIMITS_H
#define RECORDS_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/code_object.h"
#include "records/chips.h"
#include "records/record_file.h"

enum { LIMIT_TEXT_BYTES = 400 };

/* One registered launch. */
struct limit_launch {
    const char *shape;          /* names it in texts */
    uint32_t grid[3], block[3]; /* workgroups, and work-items of one */
    uint32_t lds_bytes;         /* dynamic LDS */
    uint32_t wave_size;         /* lanes of a wave that it is written for; 0: any */
};

/* The figures of a compiled kernel; the names are borrowed from kernel and chip. */
struct record limits_measure(const struct chip *chip, const struct code_kernel *kernel);

/* The version lines of the compilers that a record and the figures beside it are of. */
struct limit_versions {
    const char *recorded; /* NULL: the file does not say */
    const char *compiled;
};

/* "record current", "record missing" or "record stale: vgprs 205 -> 211, code 844 -> 852" (committed -> compiled) in text;
 * true if current. Where another version was recorded: "record current (recorded with 22.1.7)", and a stale one names both.
 * committed and versions may be NULL. */
bool limits_compare(const struct record *committed, const struct record *measured, const struct limit_versions *versions,
                    char text[LIMIT_TEXT_BYTES]);

/* Waves a SIMD in a launch: its own threads and dynamic LDS, where the record's figure has the compiled bound and static
 * LDS. The launch must fit. */
uint32_t limits_launch_occupancy(const struct chip *chip, const struct code_kernel *kernel,
                                 const struct limit_launch *launch);

/* true if the launch fits; else false with "launch: 512 threads, bound 256" or the like in text:
 * compiled for the wave size that it is written for, threads within the compiled bound, static and dynamic LDS within the
 * chip's, the waves of a workgroup within what the registers let a CU hold at once, the grid within the dispatch packet's
 * 32-bit work-item counts, and a required workgroup size met. */
bool limits_launch_fits(const struct chip *chip, const struct code_kernel *kernel, const struct limit_launch *launch,
                        char text[LIMIT_TEXT_BYTES]);

/* The bound that a kernel is compiled for must be what its launches use: a launch of fewer threads than the bound in every
 * registered shape holds registers back for work-items that never come. true if some launch uses the bound, or there are
 * none; else false with "launched at 128 threads where the compiled bound is 1024" in text. */
bool limits_bound_is_used(const struct code_kernel *kernel, const struct limit_launch *launches, size_t n_launches,
                          char text[LIMIT_TEXT_BYTES]);

#endif
