/*
 * From numbers to indices of an array that the caller keeps: open addressing, at most half full. Cleared in no time, so
 * that one table serves workgroup after workgroup.
 */
#ifndef SANITIZER_INDEX_TABLE_H
#define SANITIZER_INDEX_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#define INDEX_NONE UINT32_MAX

struct index_slot {
    uint64_t number;
    uint32_t index;
    uint32_t generation; /* free unless it is the table's */
};

/* An empty one is zeroed. */
struct index_table {
    struct index_slot *slots;
    uint32_t n, n_slots, generation;
};

/* INDEX_NONE where the number has none. */
uint32_t index_table_find(const struct index_table *table, uint64_t number);
/* False when the host is out of memory. */
bool index_table_set(struct index_table *table, uint64_t number, uint32_t index);
/* Forgets all numbers and keeps the storage. */
void index_table_clear(struct index_table *table);
/* Gives the storage back; the table is empty then. */
void index_table_free(struct index_table *table);

#endif
