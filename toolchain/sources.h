/*
 * The files that a preprocessed source was made from, and their fingerprint: while that is the same, so is what the
 * preprocessor would print. Inner header of toolchain/.
 *
 * A fingerprint holds the bytes of every file and, so that a new file that would be found first is seen too, the names in
 * every folder that one was found in, in the folders above, and in those where the compiler looks first.
 */
#ifndef TOOLCHAIN_SOURCES_H
#define TOOLCHAIN_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/base/error.h"
#include "contract/base/hash.h"
#include "contract/base/text.h"

/* Paths, each with a newline after it. */
struct sources {
    struct text own;    /* the project's: absolute, or from the root */
    struct text system; /* of the system's include folders */
};

/* Reads the line markers of what `clang -E` printed. false only out of memory; sources_free in either case. */
bool sources_of(const char *preprocessed, struct sources *sources);
void sources_free(struct sources *sources);

struct fingerprint {
    struct hash128 hash;
    int64_t changed_ns; /* when the last of the files and folders was changed, since the epoch */
};

/* Of a list of paths, as they are now; a file that cannot be read counts as one that is not there. The root is absolute. */
struct fingerprint fingerprint_of(const char *paths, const char *root);

#endif
