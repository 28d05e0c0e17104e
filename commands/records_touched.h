/*
 * Which files of committed records a change touches, for who reviews it.
 */
#ifndef COMMANDS_RECORDS_TOUCHED_H
#define COMMANDS_RECORDS_TOUCHED_H

#include "contract/base/arena.h"

/* The files below root/records that are not as in the first parent of the commit that is checked out, as a comma list of
 * paths below root: those that the commit changed (a merge: what it brought in), and those that are not committed. "" where
 * there are none; NULL where git does not know (no repository, or one whose history ends at this commit). The list is the
 * arena's. */
const char *records_touched(const char *root, struct arena *arena);

#endif
