/*
 * Compilers as a table: where each is looked for, what it needs beside it, and its flags. Inner header of toolchain/ (and
 * of `doctor`, which shows the parts).
 */
#ifndef TOOLCHAIN_PROFILE_H
#define TOOLCHAIN_PROFILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "contract/base/error.h"

enum profile_kind { PROFILE_ROCM, PROFILE_DEBIAN };

/* A compiler that was found. */
struct profile {
    enum profile_kind kind;
    char executable[PATH_MAX];
    char version[256];      /* the compiler's own first line */
    char name[64];          /* "debian-clang-22", "rocm-clang-18": the folder under records/ */
    char bitcode[PATH_MAX]; /* PROFILE_DEBIAN: folder of the device libraries; "" where they are missing */
};

/* One thing that a compiler needs, for `doctor`. */
struct profile_part {
    char what[64];       /* "linker" */
    char path[PATH_MAX]; /* "" where it is missing */
    char install[64];    /* the command that installs it */
};

enum { PROFILE_MAX_PARTS = 8, PROFILE_MAX_FLAGS = 8, PROFILE_MOST = 16 };

/* The compiler that will be used: $HIPCONTRACT_CLANG, else ROCm's, else clang-22. Errors: STATUS_ENVIRONMENT with the
 * command that installs one. */
bool profile_find(struct profile *profile, struct error *error);
/* Every compiler that is installed, one of each name, the default first; their number, at most n_most. */
size_t profile_find_all(struct profile *profiles, size_t n_most);
/* What it needs beside itself, found or not; their number. */
size_t profile_parts(const struct profile *profile, struct profile_part parts[PROFILE_MAX_PARTS]);
/* Its name as people write it: "clang-22"; ROCm's is "rocm-clang-19". */
const char *profile_short_name(const struct profile *profile);
/* 22 of clang 22. */
int profile_major(const struct profile *profile);
/* Fills the flags that this compiler needs and a newer one does not; their number. */
size_t profile_flags(const struct profile *profile, const char *flags[PROFILE_MAX_FLAGS]);
/* Names of the device libraries that a compile links, without ".bc" (PROFILE_DEBIAN), for a wave size; NULL ends the list.
 */
const char *const *profile_bitcode(unsigned wave_size);

#endif
