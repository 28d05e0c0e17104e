#include "device/emulator/sanitizer/index_table.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 64 };

static bool is_free(const struct index_table *table, uint32_t slot)
{
    return table->slots[slot].generation != table->generation;
}

/* The slot of a number, or the free one where it would go. */
static struct index_slot *slot_of(const struct index_table *table, uint64_t number)
{
    uint32_t slot = (uint32_t)((number * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (table->n_slots - 1);
    while (!is_free(table, slot) && table->slots[slot].number != number)
        slot = (slot + 1) & (table->n_slots - 1);
    return &table->slots[slot];
}

uint32_t index_table_find(const struct index_table *table, uint64_t number)
{
    if (!table->n)
        return INDEX_NONE;
    const struct index_slot *slot = slot_of(table, number);
    return slot->generation == table->generation ? slot->index : INDEX_NONE;
}

static bool grow(struct index_table *table)
{
    struct index_table grown = {
        .n = table->n, .n_slots = table->n_slots ? 2 * table->n_slots : FIRST_SLOTS, .generation = 1};
    grown.slots = calloc(grown.n_slots, sizeof *grown.slots);
    if (!grown.slots)
        return false;
    for (uint32_t i = 0; i < table->n_slots; i++)
        if (!is_free(table, i))
            *slot_of(&grown, table->slots[i].number) =
                (struct index_slot){table->slots[i].number, table->slots[i].index, grown.generation};
    free(table->slots);
    *table = grown;
    return true;
}

bool index_table_set(struct index_table *table, uint64_t number, uint32_t index)
{
    if (2 * (table->n + 1) > table->n_slots && !grow(table))
        return false;
    struct index_slot *slot = slot_of(table, number);
    table->n += slot->generation != table->generation;
    *slot = (struct index_slot){number, index, table->generation};
    return true;
}

void index_table_clear(struct index_table *table)
{
    table->n = 0;
    table->generation++;
}

void index_table_free(struct index_table *table)
{
    free(table->slots);
    *table = (struct index_table){0};
}
