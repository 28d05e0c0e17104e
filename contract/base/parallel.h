/*
 * A parallel loop over independent items. Results must not depend on which thread runs an item.
 */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stdint.h>

typedef void parallel_body(void *context, int64_t item);

/* Runs body(context, i) once for each i in 0 … n_items-1 on up to n_threads threads (the caller is one of them) and
 * returns when all are done. n_threads < 1 counts as 1; if a thread cannot be made, the others do its share. */
void parallel_for(int n_threads, int64_t n_items, parallel_body *body, void *context);
/* The number of processors that this process may run on, at least 1. */
int parallel_processors(void);

#endif
