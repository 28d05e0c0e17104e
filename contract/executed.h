/*
 * Which instructions a case executed: what the device counted since a mark was set.
 */
#ifndef CONTRACT_EXECUTED_H
#define CONTRACT_EXECUTED_H

#include "contract/base/arena.h"
#include "contract/verdict.h"

struct executed_list {
    struct executed *rows; /* each mnemonic once, in the code object's order; of v_dual_ both halves */
    size_t n;
};

/* The executions so far of a code object's instructions, by mnemonic; empty where the device does not count. Rows and
 * mnemonics are the arena's. Errors: STATUS_ENVIRONMENT, out of host memory. */
bool executed_count(struct device *device, struct hash128 code, struct arena *arena, struct executed_list *list,
                    struct error *error);
/* Leaves in *list what was executed since `before`, a count of the same code object. */
void executed_since(const struct executed_list *before, struct executed_list *list);

#endif
