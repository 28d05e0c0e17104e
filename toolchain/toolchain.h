/*
 * Compilers, and from a kernel family's source to a code object. Any compiler is a row of a table (ROCm's when installed,
 * else Debian's clang-22 with its device libraries). Results are cached by content: XXH3-128 of the preprocessed source
 * (kernel bodies and all headers), flags, compiler version and chip.
 */
#ifndef TOOLCHAIN_TOOLCHAIN_H
#define TOOLCHAIN_TOOLCHAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "contract/base/error.h"
#include "contract/base/hash.h"

/* How long a compiler may take where nothing else is said. */
enum { TOOLCHAIN_SECONDS = 1200 };

struct toolchain; /* opaque */
struct profile;   /* toolchain/profile.h */

struct compile_request {
    const char *source_path;    /* the family's .hip: absolute, or below the root */
    const char *root;           /* that the compiler runs in; NULL: the project's */
    const char *family;         /* names the family in errors */
    const char *chip;           /* gfxNNNN */
    const char *const *defines; /* n_defines strings "NAME" or "NAME=VALUE" */
    size_t n_defines;
    const char *optimisation; /* "-O3" when NULL */
    unsigned wave_size;       /* 0: the chip's default */
    bool is_quiet;            /* the compiler's words are not printed: the error's text has the first of them */
};

struct compiled {
    unsigned char *bytes; /* the code object; owned, release with compiled_free */
    size_t n_bytes;
    struct hash128 key; /* of what went in */
    bool from_cache;
};

/* Finds a compiler; NULL with STATUS_ENVIRONMENT and the command that installs one. cache_directory may be NULL
 * ($HIPCONTRACT_CACHE, else build/cache under the project's root). Threads may share the result. */
struct toolchain *toolchain_open(const char *cache_directory, struct error *error);
/* The same for a compiler that profile_find_all found. */
struct toolchain *toolchain_open_profile(const struct profile *profile, const char *cache_directory, struct error *error);
/* How long a compiler may take from now on; 0: any time. */
void toolchain_limit_time(struct toolchain *toolchain, int seconds);
void toolchain_close(struct toolchain *toolchain);
/* "debian-clang-22" or the like: the folder under records/. */
const char *toolchain_name(const struct toolchain *toolchain);
/* As people write it: "clang-22"; ROCm's is "rocm-clang-19". */
const char *toolchain_short_name(const struct toolchain *toolchain);
/* The folder of its cache. Borrowed. */
const char *toolchain_cache(const struct toolchain *toolchain);
/* The compiler that was found. Borrowed. */
const char *toolchain_executable(const struct toolchain *toolchain);
/* The compiler's own version line. */
const char *toolchain_version(const struct toolchain *toolchain);
/* Whether the compiler has the chip at all: one run of it. */
bool toolchain_knows_chip(const struct toolchain *toolchain, const char *chip);
/* Compiles or fetches from the cache. A kernel that does not compile: false, STATUS_RED, the compiler's words in *error's
 * text after "family NAME for CHIP does not compile:" and whole on standard error, unless the request is quiet. So is one
 * of which the compiler crashes, or takes longer than it may. */
bool toolchain_compile(struct toolchain *toolchain, const struct compile_request *request, struct compiled *compiled,
                       struct error *error);
void compiled_free(struct compiled *compiled);

#endif
