#include "contract/executed.h"

#include <stdio.h>
#include <string.h>

enum { FIRST_ROWS = 64, DUAL_NAME_BYTES = 48 };

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

/* The row of a name, made at first use; NULL when out of host memory. */
static struct executed *row_of(struct counting *counting, const char *mnemonic, const char *class)
{
    struct executed *row = find(counting->list, mnemonic);
    const char *kept = row || !grow(counting) ? NULL : arena_format(counting->arena, "%s", mnemonic);
    if (!kept)
        return row;
    row = &counting->list->rows[counting->list->n++];
    *row = (struct executed){.mnemonic = kept, .class = class};
    return row;
}

static void add_named(struct counting *counting, const char *mnemonic, const struct profiled_instruction *instruction)
{
    struct executed *row = row_of(counting, mnemonic, instruction->class);
    counting->no_memory |= !row;
    if (row)
        row->n_executed += instruction->counts->n_executed;
}

/* "v_dual_mul_f32 v0, v1, v2 :: v_dual_mov_b32 v3, v4" does two things. */
static void add_halves(struct counting *counting, const struct profiled_instruction *instruction)
{
    static const char between[] = " :: ";
    const char *second = strstr(instruction->text, between), *halves[] = {instruction->text, NULL};
    halves[1] = second ? second + strlen(between) : NULL;
    for (int i = 0; i < 2 && halves[i]; i++) {
        char name[DUAL_NAME_BYTES];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(halves[i], " "), halves[i]);
        add_named(counting, name, instruction);
    }
}

static void add(void *context, const struct profiled_instruction *instruction)
{
    struct counting *counting = context;
    if (!hash_equal(instruction->code, counting->code))
        return;
    if (strcmp(instruction->mnemonic, "v_dual") == 0)
        add_halves(counting, instruction);
    else
        add_named(counting, *instruction->mnemonic ? instruction->mnemonic : instruction->text, instruction);
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
