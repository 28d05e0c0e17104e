/*
 * A byte contract while it is judged: what windows and relations (contract/relations.h) share.
 */
#ifndef CONTRACT_BYTES_JUDGING_H
#define CONTRACT_BYTES_JUDGING_H

#include "contract/bytes.h"

struct judging {
    const struct bytes_case *open;
    const struct launch_target *target;
    const struct bytes_options *options;
    struct arena *arena;
    struct outputs all;            /* of the launch of all */
    struct bytes_difference first; /* no tensor: none yet */
    struct verdict *verdict;
};

/* Compares the outputs of a launch that was derived from the launch of all, and tells differences by judging_note. */
typedef void judging_compare(struct judging *j, const struct workspace *ws, const void *context);

/* Launches the index-th derived case, from 1 on, in a schedule of its own, and compares; `name` begins the reason, and
 * `expected` says in it whose the other bytes are. Outputs start from the other poison than those of the launch of all, so
 * that an element which neither writes differs. True while nothing is wrong. */
bool judging_launch(struct judging *j, const struct host_case *derived, int index, const char *name, const char *expected,
                    judging_compare *compare, const void *context);

/* Element i of a tensor against element k of the expected bytes, in the same format; true where they are the same. */
bool judging_is_same(const struct reg_tensor *tensor, const void *got, int64_t i, const void *expected, int64_t k);
/* Tells that they are not: the element is called by its row and column. */
void judging_note(struct judging *j, const struct reg_tensor *tensor, int64_t row, int64_t column, const void *got,
                  int64_t i, const void *expected, int64_t k);
/* The contract is wrong, not the kernel. */
void judging_refuse(struct judging *j, const char *why);

#endif
