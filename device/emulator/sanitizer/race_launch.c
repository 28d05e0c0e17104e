/*
 * The race check between workgroups: all of a launch's accesses to memory, added group by group.
 */
#include <stdlib.h>

#include "device/emulator/code.h"
#include "device/emulator/sanitizer/checks.h"
#include "device/emulator/sanitizer/race.h"

static bool init_locks(struct race_dispatch *launch)
{
    if (pthread_mutex_init(&launch->lock, NULL) != 0)
        return false;
    if (pthread_cond_init(&launch->turn, NULL) == 0)
        return true;
    pthread_mutex_destroy(&launch->lock);
    return false;
}

bool race_dispatch_open(struct dispatch *dispatch)
{
    struct race_dispatch *launch = calloc(1, sizeof *launch);
    if (!launch || !init_locks(launch)) {
        free(launch);
        return false;
    }
    dispatch->checks->race = launch;
    launch->memory = race_shadow_open();
    launch->flags = dispatch->acquires ? race_flags_open() : NULL;
    return launch->memory && (launch->flags || !dispatch->acquires);
}

void race_dispatch_close(struct dispatch *dispatch)
{
    struct race_dispatch *launch = dispatch->checks->race;
    if (!launch)
        return;
    race_flags_close(launch->flags);
    race_shadow_close(launch->memory);
    pthread_cond_destroy(&launch->turn);
    pthread_mutex_destroy(&launch->lock);
    free(launch);
    dispatch->checks->race = NULL;
}

/* A cell of the group and one of the launch that covers bytes of it. */
struct meeting {
    struct workgroup *group;
    uint64_t address;
    uint32_t offset; /* of address from the group's cell */
    struct race_cell *launch;
};

static struct race_stamp moved_by(const struct race_stamp *stamp, uint32_t offset)
{
    struct race_stamp moved = *stamp;
    moved.lane = (uint8_t)race_stamp_lane(stamp, offset);
    return moved;
}

/* Groups that ran together may be added in any order, so either may be before the other. */
static bool ordered(struct race_flags *flags, const struct race_stamp *a, const struct race_stamp *b)
{
    return flags && (race_flags_ordered(flags, a, b) || race_flags_ordered(flags, b, a));
}

static void meet(const struct meeting *meeting, const struct race_stamp *before, bool before_writes,
                 const struct race_stamp *now, bool now_writes)
{
    if (!before->clock || before->group == now->group || !race_kinds(before->kind, before_writes, now->kind, now_writes))
        return;
    if (ordered(meeting->group->checks->race->launch->flags, before, now))
        return;
    struct race_stamp moved = moved_by(now, meeting->offset);
    struct race_pair pair = {.before = before,
                             .now = &moved,
                             .before_writes = before_writes,
                             .now_writes = now_writes,
                             .space = ACCESS_GLOBAL,
                             .address = meeting->address};
    race_report(meeting->group, &pair);
}

static void add_write(const struct meeting *meeting, const struct race_stamp *now)
{
    struct race_cell *cell = meeting->launch;
    meet(meeting, &cell->write, true, now, true);
    for (int r = 0; r < RACE_READERS; r++)
        meet(meeting, &cell->read[r], cell->read[r].kind == RACE_ATOMIC, now, true);
    cell->write = moved_by(now, meeting->offset);
}

/* Two readers of different groups are kept, those first met. */
static void add_read(const struct meeting *meeting, const struct race_stamp *now)
{
    struct race_cell *cell = meeting->launch;
    bool writes = now->kind == RACE_ATOMIC;
    meet(meeting, &cell->write, true, now, writes);
    for (int r = 0; r < RACE_READERS && writes; r++)
        meet(meeting, &cell->read[r], cell->read[r].kind == RACE_ATOMIC, now, true);
    for (int r = 0; r < RACE_READERS; r++)
        if (!cell->read[r].clock || cell->read[r].group == now->group) {
            cell->read[r] = moved_by(now, meeting->offset);
            return;
        }
}

static void add_cell(struct workgroup *group, uint64_t address, uint32_t n_bytes, const struct race_cell *cell)
{
    struct race_group *race = group->checks->race;
    for (uint32_t offset = 0; offset < n_bytes;) {
        struct race_part part =
            race_shadow_part(race->launch->memory, address + offset, n_bytes - offset, RACE_BLOCK_SHIFT);
        if (!part.cells) {
            race->out_of_memory = true;
            return;
        }
        for (unsigned i = 0; i < part.n_cells; i++, offset += 1u << part.shift) {
            struct meeting meeting = {
                .group = group, .address = address + offset, .offset = offset, .launch = &part.cells[i]};
            for (int r = 0; r < RACE_READERS; r++)
                if (cell->read[r].clock)
                    add_read(&meeting, &cell->read[r]);
            if (cell->write.clock)
                add_write(&meeting, &cell->write);
        }
    }
}

static void add_blocks(struct workgroup *group)
{
    size_t n_blocks;
    const struct race_block *blocks = race_shadow_blocks(group->checks->race->memory, &n_blocks);
    for (size_t b = 0; b < n_blocks; b++) {
        const struct race_block *block = &blocks[b];
        uint64_t address = block->number << RACE_BLOCK_SHIFT;
        for (unsigned i = 0; i < 1u << (RACE_BLOCK_SHIFT - block->shift); i++)
            add_cell(group, address + ((uint64_t)i << block->shift), 1u << block->shift, &block->cells[i]);
    }
}

void race_launch_add(struct workgroup *group)
{
    struct race_dispatch *launch = group->checks->race->launch;
    pthread_mutex_lock(&launch->lock);
    while (!group->dispatch->serial && launch->next_rank != group->rank)
        pthread_cond_wait(&launch->turn, &launch->lock);
    pthread_mutex_unlock(&launch->lock);
    add_blocks(group);
    pthread_mutex_lock(&launch->lock);
    launch->next_rank++;
    pthread_cond_broadcast(&launch->turn);
    pthread_mutex_unlock(&launch->lock);
}
