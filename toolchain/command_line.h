/*
 * A compiler's command line for a request: words and their hash; nothing is run. Inner header of toolchain/.
 */
#ifndef TOOLCHAIN_COMMAND_LINE_H
#define TOOLCHAIN_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "contract/base/arena.h"
#include "contract/base/hash.h"
#include "toolchain/profile.h"
#include "toolchain/toolchain.h"

enum { COMMAND_MOST_WORDS = 192 };

/* What a request compiles for. */
struct target {
    unsigned isa_version;  /* __oclc_ISA_version of the device libraries */
    unsigned wave_size;    /* lanes */
    unsigned default_wave; /* that the compiler takes where no flag says another */
};

/* false for what is no chip's name. */
bool target_of(const struct compile_request *request, struct target *target);

/* It grows word by word; an empty one is {0}. Words that are made lie in the arena, others are borrowed. */
struct command_line {
    struct arena arena;
    const char *words[COMMAND_MOST_WORDS + 1]; /* the first is the compiler; NULL after the last */
    size_t n_words;
    bool overflow; /* a word has no room: the command must not be run */
};

void command_line_add(struct command_line *line, const char *word);
/* The compiler, and all but input, output and device libraries: what chooses the code that a source becomes. */
void command_line_add_flags(struct command_line *line, const struct profile *profile, const struct compile_request *request,
                            const struct target *target);
/* Links the device libraries, which the driver does not find where Debian has them, and the module of the ISA version. */
void command_line_add_bitcode(struct command_line *line, const struct profile *profile, const struct target *target,
                              const char *isa_path);
/* The source. One outside the project is named by its folder on this machine, which line tables must not hold. */
void command_line_add_source(struct command_line *line, const char *source_path);
/* The compiler, and all but input and output to make a module of LLVM's of C. */
void command_line_add_module_flags(struct command_line *line, const struct profile *profile);
/* Mixes all words but the compiler's path into a hash. */
struct hash128 command_line_hash(const struct command_line *line, struct hash128 hash);
void command_line_free(struct command_line *line);

#endif
