/*
 * The outputs of cases in files, one a tensor, for `hipcontract compare`:
 * FOLDER/CHIP/REGISTRATION/SHAPE/PATTERN/TENSOR.FORMAT.npy. A folder that cannot be written costs no verdict: the error is
 * kept, and the run goes on.
 */
#ifndef REPORTS_KEPT_OUTPUTS_H
#define REPORTS_KEPT_OUTPUTS_H

#include "contract/base/text.h"
#include "contract/verdict.h"

/* The log that stands with them, in the folder. */
#define KEPT_OUTPUTS_LOG "run.jsonl"

struct kept_outputs {
    const char *folder; /* borrowed */
    bool failed;
    struct error error; /* the first write that failed */
};

/* Makes the folder. Errors: STATUS_USAGE, "PATH: reason". */
bool kept_outputs_open(struct kept_outputs *kept, const char *folder, struct error *error);
struct verdict_sink kept_outputs_sink(struct kept_outputs *kept);
/* False with the first error of all writes. */
bool kept_outputs_close(const struct kept_outputs *kept, struct error *error);

/* Which case a file is of. */
struct kept_case {
    const char *chip, *registration, *shape, *pattern;
};
/* The folder of a case's files. In names, what is not a letter, a digit or one of ._+-=, is %XX. */
void kept_outputs_folder(struct text *path, const char *folder, const struct kept_case *of);
/* A tensor's file in it. */
void kept_outputs_file(struct text *path, const char *tensor, enum number_format format);

#endif
