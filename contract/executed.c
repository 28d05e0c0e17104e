#include "contract/executed.h"

#include <string.h>

enum { FIRST_ROWS = 64 };

struct counting {
    struct hash128 code;
    struct arena *arena;
    struct executed_list *list;
    size_t capacity;
    bool no_memory;
};

static struct executed *find(const struct executed_list *list, const char *mnemonic)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->rows[i].mnemonic, mnemonic) == 0)
            return &list->rows[i];
    return NULL;
}

/* Room for one row more; arenas do not give back, and twice as much each time is at most twice what is needed. */
static bool grow(struct counting *counting)
{
    struct executed_list *list = counting->list;
    if (list->n < counting->capacity)
        return true;
    size_t capacity = counting->capacity ? 2 * counting->capacity : FIRST_ROWS;
    struct executed *rows = arena_alloc(counting->arena, capacity * sizeof *rows);
    if (!rows)
        return false;
    if (list->n)
        memcpy(rows, list->rows, list->n * sizeof *rows);
    list->rows = rows;
    counting->capacity = capacity;
    return true;
}

static void add(void *context, const struct profiled_instruction *instruction)
{
    struct counting *counting = context;
    if (!hash_equal(instruction->code, counting->code))
        return;
    const char *mnemonic = *instruction->mnemonic ? instruction->mnemonic : instruction->text;
    struct executed *row = find(counting->list, mnemonic);
    if (!row && !grow(counting)) {
        counting->no_memory = true;
        return;
    }
    if (!row) {
        row = &counting->list->rows[counting->list->n++];
        *row = (struct executed){.mnemonic = mnemonic, .class = instruction->class};
    }
    row->n_executed += instruction->counts->n_executed;
}

bool executed_count(struct device *device, struct hash128 code, struct arena *arena, struct executed_list *list,
                    struct error *error)
{
    struct counting counting = {.code = code, .arena = arena, .list = list};
    *list = (struct executed_list){0};
    if (device->visit_profile)
        device->visit_profile(device, add, &counting);
    return !counting.no_memory ||
           error_set(error, STATUS_ENVIRONMENT, "out of host memory for the counts of executed instructions");
}

void executed_since(const struct executed_list *before, struct executed_list *list)
{
    size_t n = 0;
    for (size_t i = 0; i < list->n; i++) {
        struct executed row = list->rows[i];
        const struct executed *earlier = find(before, row.mnemonic);
        row.n_executed -= earlier ? earlier->n_executed : 0;
        if (row.n_executed)
            list->rows[n++] = row;
    }
    list->n = n;
}
