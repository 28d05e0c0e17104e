/*
 * A family's committed record: one line a kernel and chip, sorted, in aligned columns, so that a diff reads as a review.
 *
 *     # kernel       chip    vgprs agprs sgprs lds private vspills sspills bound wave code occupancy
 *     rms_norm_rows  gfx1030    21     0    20   64       0       0       0   256   32  844        16
 */
#ifndef RECORDS_RECORD_FILE_H
#define RECORDS_RECORD_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/base/arena.h"
#include "contract/base/error.h"

/* X(name, what it counts): the figures of a line, in column order. */
#define RECORD_FIGURES(X)                                                                                                  \
    X(vgprs, "vector registers a lane, AGPRs included where they share a file")                                            \
    X(agprs, "accumulation registers a lane")                                                                              \
    X(sgprs, "scalar registers a wave")                                                                                    \
    X(lds, "static LDS, bytes a workgroup")                                                                                \
    X(private, "scratch, bytes a lane")                                                                                    \
    X(vspills, "vector registers spilled")                                                                                 \
    X(sspills, "scalar registers spilled")                                                                                 \
    X(bound, "work-items a workgroup that it is compiled for")                                                             \
    X(wave, "lanes a wave")                                                                                                \
    X(code, "bytes of code")                                                                                               \
    X(occupancy, "waves a SIMD at the full bound, with static LDS")

#define RECORD_ENUM(name, what) RECORD_##name,
enum record_figure { RECORD_FIGURES(RECORD_ENUM) RECORD_FIGURE_COUNT };
#undef RECORD_ENUM

struct record {
    const char *kernel, *chip;
    uint32_t figure[RECORD_FIGURE_COUNT];
};

struct record_file {
    struct record *records; /* sorted by kernel, then chip */
    size_t n_records;
    struct arena arena; /* holds the records and their names */
};

const char *record_figure_name(enum record_figure figure);

/* Reads a file; one that does not exist is an empty one. A malformed line: false, STATUS_USAGE, "PATH:LINE: what is wrong".
 * The caller frees with record_file_free. */
bool record_file_read(const char *path, struct record_file *file, struct error *error);
/* NULL where there is none. Borrowed. */
const struct record *record_file_find(const struct record_file *file, const char *kernel, const char *chip);
/* Puts a record in, in place of one of the same kernel and chip; names are copied. false only out of memory. */
bool record_file_put(struct record_file *file, const struct record *record);
/* Takes out a kernel's record for a chip. */
void record_file_remove(struct record_file *file, const char *kernel, const char *chip);
/* Writes it sorted and aligned; readers see the old or the new file whole. Folders are made. */
bool record_file_write(const char *path, const struct record_file *file, struct error *error);
void record_file_free(struct record_file *file);

#endif
