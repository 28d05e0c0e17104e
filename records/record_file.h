/*
 * A family's committed record for one compiler: the compiler's version, then one line a kernel and chip, sorted, in aligned
 * columns, so that a diff reads as a review.
 *
 *     # recorded with Debian clang version 22.1.8 (1~deb12u1)
 *     # kernel     chip    vgprs agprs sgprs lds private vspills sspills bound wave code kernarg dynamic occupancy limit
 *     softmax_rows gfx1030    21     0    16  64       0       0       0   256   32 1584      24       0        16 slots
 *
 * The second line names the columns; a file of an older version of this program may lack some.
 */
#ifndef RECORDS_RECORD_FILE_H
#define RECORDS_RECORD_FILE_H

#include <limits.h>
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
    X(kernarg, "bytes of arguments, hidden ones included")                                                                 \
    X(dynamic, "1 where the scratch it takes is known only when it runs")                                                  \
    X(occupancy, "waves a SIMD at the full bound, with static LDS")                                                        \
    X(limit, "what holds the occupancy down, enum chip_limit; written as its name")

#define RECORD_ENUM(name, what) RECORD_##name,
enum record_figure { RECORD_FIGURES(RECORD_ENUM) RECORD_FIGURE_COUNT };
#undef RECORD_ENUM

/* A figure that a file does not have, or has as "?". */
#define RECORD_ABSENT UINT32_MAX

struct record {
    const char *kernel, *chip;
    uint32_t figure[RECORD_FIGURE_COUNT];
};

/* A line that is no record, or one that is out of place. */
struct record_problem {
    size_t line;               /* from 1 */
    const char *text;          /* "PATH:LINE: what is wrong, what to do" */
    const char *kernel, *chip; /* that the line names; NULL where that cannot be told */
    bool is_lost;              /* the line's figures could not be read: a file written now would lack them */
};

struct record_file {
    const char *version;    /* of the compiler, its own line; NULL where the file does not say */
    struct record *records; /* sorted by kernel, then chip */
    size_t n_records;
    struct record_problem *problems; /* by line */
    size_t n_problems;
    bool is_unread;     /* it is there and cannot be read, which is its one problem: nobody knows what it has */
    struct arena arena; /* holds all of it */
};

const char *record_figure_name(enum record_figure figure);
/* RECORD_FIGURE_COUNT where no figure is named so. */
enum record_figure record_figure_find(const char *name);
/* The value of a word as record_figure_text writes it, "?" excepted; false where it is none. */
bool record_figure_parse(enum record_figure figure, const char *word, uint32_t *value);
enum { RECORD_WORD_BYTES = 16 };
/* The figure as a file and every report shows it: "205", "lds", "?" for RECORD_ABSENT. */
void record_figure_text(const struct record *record, enum record_figure figure, char text[RECORD_WORD_BYTES]);

/* The family of a record file's name, FAMILY.txt, into family; false for names of other files. */
bool record_file_family(const char *name, char family[NAME_MAX + 1]);
/* Reads a file; one that does not exist is an empty one. Lines that are duplicate, out of order, cut short, foreign or of
 * an unknown chip are problems, and cost no other line. false only where nothing can be read: STATUS_USAGE (no file, a NUL
 * byte) or STATUS_ENVIRONMENT. The caller frees with record_file_free. */
bool record_file_read(const char *path, struct record_file *file, struct error *error);
/* NULL where there is none. Borrowed. */
const struct record *record_file_find(const struct record_file *file, const char *kernel, const char *chip);
/* Puts a record in, in place of one of the same kernel and chip and of lines that name them; names are copied. false only
 * out of memory. */
bool record_file_put(struct record_file *file, const struct record *record);
/* The compiler that all of its records are of. false only out of memory. */
bool record_file_set_version(struct record_file *file, const char *version);
/* Takes out a kernel's record for a chip. */
void record_file_remove(struct record_file *file, const char *kernel, const char *chip);
/* Writes it sorted and aligned; readers see the old or the new file whole. Folders are made. Refused (STATUS_USAGE) while a
 * line is lost that no record has replaced: nothing that was not measured is dropped. */
bool record_file_write(const char *path, const struct record_file *file, struct error *error);
void record_file_free(struct record_file *file);

#endif
