/*
 * The files of a git revision, beside those of the working tree: what they were, without touching the repository.
 */
#ifndef COMMANDS_REVISION_H
#define COMMANDS_REVISION_H

#include <limits.h>
#include <stdbool.h>

#include "contract/base/error.h"

enum { REVISION_COMMIT_BYTES = 65 };

struct revision {
    char folder[PATH_MAX];              /* temporary; holds the files as they lie below the root */
    char commit[REVISION_COMMIT_BYTES]; /* its full name */
};

/* Unpacks a revision (a branch, a tag, HEAD~1, a commit) of the git repository that root lies in, as far as it is below
 * root, into a folder under $TMPDIR or /tmp. revision_close removes it. Errors: STATUS_USAGE where root is in no
 * repository, or it knows no such revision; STATUS_ENVIRONMENT where there is no git, or no room. */
bool revision_open(const char *root, const char *name, struct revision *revision, struct error *error);
void revision_close(struct revision *revision);

#endif
