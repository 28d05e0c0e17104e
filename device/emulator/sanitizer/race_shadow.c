#include "device/emulator/sanitizer/race_shadow.h"

#include <stdlib.h>
#include <string.h>

#include "device/emulator/sanitizer/index_table.h"

enum { FIRST_BLOCKS = 128, CHUNK_CELLS = 4096 };

struct chunk {
    struct chunk *next;
    struct race_cell cells[CHUNK_CELLS];
};

/* An array of cells that waits for another block. */
struct outgrown {
    struct outgrown *next;
};

/* Cells are taken from chunks in order; arrays that a block outgrew wait for another block of their size. */
struct race_shadow {
    struct race_block *blocks;
    size_t n_blocks, capacity;
    struct index_table of_number; /* into blocks */
    size_t last;                  /* index of the block asked for last */
    struct chunk *chunks, *current;
    size_t n_taken; /* cells of current */
    struct outgrown *outgrown[RACE_BLOCK_SHIFT + 1];
};

struct race_shadow *race_shadow_open(void)
{
    return calloc(1, sizeof(struct race_shadow));
}

void race_shadow_close(struct race_shadow *shadow)
{
    if (!shadow)
        return;
    while (shadow->chunks) {
        struct chunk *next = shadow->chunks->next;
        free(shadow->chunks);
        shadow->chunks = next;
    }
    free(shadow->blocks);
    index_table_free(&shadow->of_number);
    free(shadow);
}

void race_shadow_clear(struct race_shadow *shadow)
{
    index_table_clear(&shadow->of_number);
    shadow->n_blocks = 0;
    shadow->last = 0;
    shadow->current = shadow->chunks;
    shadow->n_taken = 0;
    memset(shadow->outgrown, 0, sizeof shadow->outgrown);
}

const struct race_block *race_shadow_blocks(const struct race_shadow *shadow, size_t *n_blocks)
{
    *n_blocks = shadow->n_blocks;
    return shadow->blocks;
}

static bool next_chunk(struct race_shadow *shadow)
{
    if (shadow->current && shadow->current->next) {
        shadow->current = shadow->current->next;
    } else {
        struct chunk *chunk = malloc(sizeof *chunk);
        if (!chunk)
            return false;
        chunk->next = NULL;
        if (shadow->current)
            shadow->current->next = chunk;
        else
            shadow->chunks = chunk;
        shadow->current = chunk;
    }
    shadow->n_taken = 0;
    return true;
}

/* 1 << size cells, their contents undefined. */
static struct race_cell *take_cells(struct race_shadow *shadow, unsigned size)
{
    struct outgrown *outgrown = shadow->outgrown[size];
    size_t n = (size_t)1 << size;
    if (outgrown) {
        shadow->outgrown[size] = outgrown->next;
        return (void *)outgrown;
    }
    if ((!shadow->current || shadow->n_taken + n > CHUNK_CELLS) && !next_chunk(shadow))
        return NULL;
    struct race_cell *cells = &shadow->current->cells[shadow->n_taken];
    shadow->n_taken += n;
    return cells;
}

static void leave_cells(struct race_shadow *shadow, struct race_cell *cells, unsigned size)
{
    struct outgrown *outgrown = (void *)cells;
    outgrown->next = shadow->outgrown[size];
    shadow->outgrown[size] = outgrown;
}

static bool grow(struct race_shadow *shadow)
{
    if (shadow->n_blocks < shadow->capacity)
        return true;
    size_t capacity = shadow->capacity ? 2 * shadow->capacity : FIRST_BLOCKS;
    struct race_block *blocks = realloc(shadow->blocks, capacity * sizeof *blocks);
    if (!blocks)
        return false;
    shadow->blocks = blocks;
    shadow->capacity = capacity;
    return true;
}

static struct race_block *add_block(struct race_shadow *shadow, uint64_t number)
{
    struct race_cell *cells = grow(shadow) ? take_cells(shadow, 0) : NULL;
    if (!cells || !index_table_set(&shadow->of_number, number, (uint32_t)shadow->n_blocks))
        return NULL;
    memset(cells, 0, sizeof *cells);
    shadow->last = shadow->n_blocks++;
    shadow->blocks[shadow->last] = (struct race_block){.number = number, .cells = cells, .shift = RACE_BLOCK_SHIFT};
    return &shadow->blocks[shadow->last];
}

static struct race_block *find_block(struct race_shadow *shadow, uint64_t number)
{
    if (shadow->last < shadow->n_blocks && shadow->blocks[shadow->last].number == number)
        return &shadow->blocks[shadow->last];
    uint32_t index = index_table_find(&shadow->of_number, number);
    if (index == INDEX_NONE)
        return add_block(shadow, number);
    shadow->last = index;
    return &shadow->blocks[index];
}

static struct race_stamp stamp_at(const struct race_stamp *stamp, uint32_t offset)
{
    struct race_stamp moved = *stamp;
    moved.lane = (uint8_t)race_stamp_lane(stamp, offset);
    return moved;
}

/* Each cell becomes several that say the same. */
static bool refine(struct race_shadow *shadow, struct race_block *block, unsigned shift)
{
    unsigned old_size = RACE_BLOCK_SHIFT - block->shift, size = RACE_BLOCK_SHIFT - shift;
    struct race_cell *cells = take_cells(shadow, size);
    if (!cells)
        return false;
    for (unsigned i = 0; i < 1u << size; i++) {
        const struct race_cell *from = &block->cells[i >> (size - old_size)];
        uint32_t offset = (i << shift) & ((1u << block->shift) - 1);
        cells[i].write = stamp_at(&from->write, offset);
        for (int r = 0; r < RACE_READERS; r++)
            cells[i].read[r] = stamp_at(&from->read[r], offset);
    }
    leave_cells(shadow, block->cells, old_size);
    block->cells = cells;
    block->shift = (uint8_t)shift;
    return true;
}

struct race_part race_shadow_part(struct race_shadow *shadow, uint64_t address, uint64_t n_bytes, unsigned max_shift)
{
    struct race_part none = {.cells = NULL};
    uint32_t low = (uint32_t)(address & (RACE_BLOCK_BYTES - 1)), room = RACE_BLOCK_BYTES - low;
    uint32_t taken = n_bytes < room ? (uint32_t)n_bytes : room;
    unsigned shift = (unsigned)__builtin_ctz(low | taken | RACE_BLOCK_BYTES);
    shift = shift < max_shift ? shift : max_shift;
    struct race_block *block = find_block(shadow, address >> RACE_BLOCK_SHIFT);
    if (!block || (shift < block->shift && !refine(shadow, block, shift)))
        return none;
    return (struct race_part){.cells = block->cells + (low >> block->shift),
                              .n_cells = taken >> block->shift,
                              .shift = block->shift,
                              .n_bytes = taken};
}
