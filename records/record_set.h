/*
 * Records of many families in one list, and what could not be recorded: what two sides of a comparison are made of.
 */
#ifndef RECORDS_RECORD_SET_H
#define RECORDS_RECORD_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "contract/base/arena.h"
#include "contract/base/error.h"
#include "contract/base/text.h"
#include "records/record_file.h"

/* Something of a chip that was not compiled, so that no record of it is missing. */
struct record_gap {
    const char *name; /* of a kernel or of a family */
    const char *chip;
};

struct record_set {
    struct record *records;
    const char **families; /* of each record */
    size_t n_records, room;
    struct record_gap *gaps;
    size_t n_gaps, gap_room;
    const char **versions; /* of compilers, as the files say that the records are of, each once */
    size_t n_versions, version_room;
    struct arena arena; /* holds all of it, the names too */
};

/* An empty set is `struct record_set set = {0}`. Both copy, and return false only out of memory. */
bool record_set_add(struct record_set *set, const char *family, const struct record *record);
bool record_set_add_gap(struct record_set *set, const char *name, const char *chip);

/* Which records of a file are wanted. */
struct record_filter {
    bool (*wants)(void *context, const struct record *record);
    void *context;
};

/* Whether a folder holds a file FAMILY.txt. */
bool record_set_is_at(const char *folder);
/* Adds the records of every file FAMILY.txt of a folder that the filter (NULL: all) wants. Lines that are wrong cost no
 * other: each is a line of `problems`, which names its file as shown/FAMILY.txt. Errors: STATUS_USAGE where the folder or a
 * file cannot be read, STATUS_ENVIRONMENT out of memory. */
bool record_set_read(struct record_set *set, const char *folder, const char *shown, const struct record_filter *filter,
                     struct text *problems, struct error *error);

/* Takes the records out whose counterpart the other set has not because it was not compiled there: their number. */
size_t record_set_leave_out(struct record_set *set, const struct record_set *other);

void record_set_free(struct record_set *set);

#endif
