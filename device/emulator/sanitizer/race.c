/*
 * The race check inside a workgroup: every wave is concurrent with every other between barriers, in whatever order the
 * emulator ran them. Instructions of one wave are in order, its lanes in step, so they never race.
 */
#include "device/emulator/sanitizer/race.h"

#include <stdlib.h>
#include <string.h>

#include "device/emulator/code.h"
#include "device/emulator/memory_order.h"
#include "device/emulator/sanitizer/checks.h"

bool race_group_open(const struct dispatch *dispatch, struct group_checks *checks)
{
    struct race_group *race = calloc(1, sizeof *race);
    checks->race = race;
    if (!race)
        return false;
    race->launch = dispatch->checks->race;
    race->lds = race_shadow_open();
    race->memory = race_shadow_open();
    return race->lds && race->memory;
}

void race_group_close(struct group_checks *checks)
{
    if (!checks->race)
        return;
    race_guesses_free(&checks->race->guesses);
    race_order_release_storage(&checks->race->order);
    race_shadow_close(checks->race->lds);
    race_shadow_close(checks->race->memory);
    free(checks->race);
    checks->race = NULL;
}

static uint32_t linear_index(const struct workgroup *group)
{
    const uint32_t *grid = group->dispatch->grid;
    return (group->id[2] * grid[1] + group->id[1]) * grid[0] + group->id[0];
}

void race_group_start(struct workgroup *group)
{
    struct race_group *race = group->checks->race;
    race->index = linear_index(group);
    race->pairs.n = race->unlanded_pairs.n = 0;
    race->n_locks = 0;
    race_guesses_clear(&race->guesses);
    race->out_of_memory = false;
    memset(race->waves, 0, sizeof race->waves);
    race_order_start(&race->order, group->n_waves);
    race_shadow_clear(race->lds);
    race_shadow_clear(race->memory);
}

/* The wave has run nothing where the launch was abandoned before. */
static void report_out_of_memory(struct wave *wave)
{
    if (!wave->current)
        wave->current = &wave->code->instructions[wave->pc];
    wave_finding(
        wave, FINDING_UNSUPPORTED, -1,
        "the host has no memory left for the race check: launch fewer workgroups, or leave it out (--no-check race)");
}

void race_group_end(struct workgroup *group)
{
    race_report_guesses(group);
    race_launch_add(group);
    if (group->checks->race->out_of_memory)
        report_out_of_memory(&group->waves[0]);
}

/* A wave that ends waits for all that it has under way ("RDNA3" ISA, S_ENDPGM). */
static void arrive(struct race_order *order, struct wave *wave)
{
    uint32_t landed = wave->state == WAVE_ENDED ? RACE_CLOCK_ALL : wait_lds_landed(wave);
    race_order_signal(order, wave->index_in_group, landed);
}

void race_barrier(struct workgroup *group)
{
    struct race_order *order = &group->checks->race->order;
    uint32_t later = 0;
    for (uint32_t i = 0; i < group->n_waves; i++)
        if (!race_order_has_signalled(order, i))
            arrive(order, &group->waves[i]);
    if (group->waves[0].chip->family == CHIP_RDNA4)
        for (uint32_t i = 0; i < group->n_waves; i++)
            later |= (uint32_t)(group->waves[i].state == WAVE_READY) << i;
    race_order_barrier(order, later);
}

/* One instruction's access as the cells see it. */
struct touch {
    struct workgroup *group;
    struct race_order *order;
    struct race_shadow *shadow;
    const uint32_t *known, *landed; /* the wave's rows of race_order; of memory both are known's */
    struct race_stamp stamp;
    enum access_space space;
    bool writes;
    uint32_t n_bytes; /* a lane's */
    unsigned max_shift;
};

static bool unordered(const struct touch *touch, const struct race_stamp *before)
{
    return before->clock > touch->known[before->wave];
}

/* A load to LDS is waited for by a counter of memory's: which barrier is to order it is not known. */
static bool waits_as_load(const struct touch *touch, const struct race_stamp *before)
{
    const struct emulated_code *code = touch->group->dispatch->code;
    return wait_is_load(code, &code->instructions[before->instruction]);
}

static void report(const struct touch *touch, const struct race_stamp *before, bool before_writes,
                   const struct race_stamp *now, uint64_t address)
{
    bool unlanded = !unordered(touch, before);
    if (unlanded && (!before_writes || waits_as_load(touch, before)))
        return;
    struct race_pair pair = {.before = before,
                             .now = now,
                             .before_writes = before_writes,
                             .now_writes = touch->writes,
                             .unlanded = unlanded,
                             .space = touch->space,
                             .address = address};
    race_report_unless_guess(touch->group, &pair);
}

/* Nothing orders the two, or a barrier at which a write to LDS was still under way. */
static bool may_be_early(const struct touch *touch, const struct race_stamp *before)
{
    return before->clock > touch->landed[before->wave];
}

static void check_cell(const struct touch *touch, const struct race_cell *cell, const struct race_stamp *now,
                       uint64_t address)
{
    if (may_be_early(touch, &cell->write) && race_kinds(cell->write.kind, true, now->kind, touch->writes))
        report(touch, &cell->write, true, now, address);
    for (int r = 0; r < RACE_READERS; r++) {
        bool read_writes = cell->read[r].kind == RACE_ATOMIC;
        if ((touch->writes || read_writes) && may_be_early(touch, &cell->read[r]) &&
            race_kinds(cell->read[r].kind, read_writes, now->kind, touch->writes))
            report(touch, &cell->read[r], read_writes, now, address);
    }
}

/* A read takes the place of one that is ordered before it; where both are unordered they already tell that several waves
 * read. */
static void keep_read(const struct touch *touch, struct race_cell *cell, const struct race_stamp *now)
{
    for (int r = 0; r < RACE_READERS; r++)
        if (!unordered(touch, &cell->read[r])) {
            cell->read[r] = *now;
            return;
        }
}

static void touch_cell(const struct touch *touch, struct race_cell *cell, const struct race_stamp *now, uint64_t address)
{
    check_cell(touch, cell, now, address);
    if (now->kind == RACE_COHERENT && !touch->writes && unordered(touch, &cell->write))
        race_order_learn(touch->order, now->wave, cell->write.wave, cell->write.clock);
    bool after_plain = now->kind == RACE_ATOMIC && cell->write.kind == RACE_PLAIN && !unordered(touch, &cell->write);
    if (!touch->writes || after_plain)
        keep_read(touch, cell, now);
    else
        *cell = (struct race_cell){.write = *now};
}

/* Bytes [address, address + n_bytes) that consecutive lanes from first_lane on touch, touch->n_bytes each. */
static void touch_run(const struct touch *touch, uint64_t address, uint64_t n_bytes, int first_lane)
{
    struct race_stamp now = touch->stamp;
    uint64_t offset = 0;
    now.lane_bytes = n_bytes > touch->n_bytes ? (uint8_t)touch->n_bytes : 0;
    while (offset < n_bytes) {
        struct race_part part = race_shadow_part(touch->shadow, address + offset, n_bytes - offset, touch->max_shift);
        if (!part.cells) {
            touch->group->checks->race->out_of_memory = true;
            return;
        }
        for (unsigned i = 0; i < part.n_cells; i++, offset += UINT64_C(1) << part.shift) {
            now.lane = (uint8_t)(first_lane + (int)(offset / touch->n_bytes));
            touch_cell(touch, &part.cells[i], &now, address + offset);
        }
    }
}

/* Lanes whose bytes follow each other make one run; lanes that share another's bytes add nothing. */
static void touch_lanes(const struct touch *touch, const struct access_record *record)
{
    const uint64_t *bytes = record->bytes;
    uint32_t n_bytes = record->n_bytes;
    for (uint64_t left = record->lanes; left;) {
        int first = __builtin_ctzll(left), lane = first;
        uint64_t start = bytes[first], end = start;
        do {
            end += n_bytes;
            left &= left - 1;
            lane++;
        } while (lane < MAX_LANES && left >> lane & 1 && bytes[lane] == end);
        while (left && bytes[__builtin_ctzll(left)] == end - n_bytes)
            left &= left - 1;
        touch_run(touch, start, end - start, first);
    }
}

/* Places of LDS and of memory that atomics publish at. */
static uint64_t sync_key(enum access_space space, uint64_t address)
{
    return space == ACCESS_LDS ? address | UINT64_C(1) << 63 : address;
}

#define EACH_ADDRESS(record, address)                                                                                      \
    for (uint64_t left_ = (record)->lanes, address; left_ && (address = (record)->bytes[__builtin_ctzll(left_)], true);    \
         left_ &= left_ - 1)

static struct race_stamp stamp_of(const struct race_group *race, unsigned wave)
{
    return (struct race_stamp){.clock = race->order.clock[wave], .group = race->index, .wave = (uint8_t)wave};
}

/* Everything that the wave looked at counts from here on. */
static void acquire_looks(struct race_group *race, unsigned wave)
{
    struct race_wave *state = &race->waves[wave];
    if (!state->n_looks)
        return;
    race_order_advance(&race->order, wave);
    struct race_stamp by = stamp_of(race, wave);
    for (unsigned i = 0; i < state->n_looks; i++)
        if (!race_flags_acquire(race->launch->flags, state->looks[i], &by))
            race->out_of_memory = true;
    state->n_looks = 0;
}

/* The wave looks at an address that others may have released something at; it acquires that when it has dropped what its
 * caches hold. */
static void look(struct race_group *race, unsigned wave, uint64_t address)
{
    struct race_wave *state = &race->waves[wave];
    struct race_token token = race_flags_look(race->launch->flags, address);
    if (!token.n_releases)
        return;
    for (unsigned i = 0; i < state->n_looks; i++)
        if (state->looks[i].flag == token.flag) {
            state->looks[i] = token;
            return;
        }
    if (state->n_looks == RACE_LOOKS) /* counts as acquired, lest an order be missed */
        acquire_looks(race, wave);
    state->looks[state->n_looks++] = token;
}

static void acquire(struct race_group *race, unsigned wave, const struct access_record *record)
{
    EACH_ADDRESS(record, address) race_order_acquire(&race->order, wave, sync_key(record->space, address));
    if (race->launch->flags && record->space == ACCESS_GLOBAL)
        EACH_ADDRESS(record, address) look(race, wave, address);
}

static void release_in_group(struct race_group *race, unsigned wave, const struct access_record *record)
{
    EACH_ADDRESS(record, address)
    if (!race_order_release(&race->order, wave, sync_key(record->space, address)))
        race->out_of_memory = true;
}

/* Accesses of the group's other waves that happened before what the wave does. */
static uint32_t covered_by(const struct race_order *order, unsigned wave)
{
    uint32_t covered = 0;
    for (uint32_t other = 0; other < order->n_waves; other++)
        if (other != wave && order->known[wave][other] > covered)
            covered = order->known[wave][other];
    return covered;
}

static void release_in_launch(struct race_group *race, unsigned wave, const struct access_record *record)
{
    struct race_stamp by = stamp_of(race, wave);
    uint32_t covered = covered_by(&race->order, wave);
    EACH_ADDRESS(record, address)
    if (!race_flags_release(race->launch->flags, address, &by, covered))
        race->out_of_memory = true;
}

static bool one_lane(const struct access_record *record)
{
    return (record->lanes & (record->lanes - 1)) == 0;
}

/* A store that releases a lock, or raises a flag for coherent loads, where the text does not tell. */
static bool is_unlock(const struct race_group *race, const struct access_record *record)
{
    if (record->kind != ACCESS_STORE || !race->n_locks || !one_lane(record))
        return false;
    uint64_t key = sync_key(record->space, record->bytes[__builtin_ctzll(record->lanes)]);
    for (unsigned i = 0; i < RACE_LOCKS && i < race->n_locks; i++)
        if (race->locks[i] == key)
            return true;
    return false;
}

static void note_lock(struct race_group *race, const struct access_record *record)
{
    if (one_lane(record))
        race->locks[race->n_locks++ % RACE_LOCKS] = sync_key(record->space, record->bytes[__builtin_ctzll(record->lanes)]);
}

static enum race_kind kind_of(const struct wave *wave, const struct access_record *record)
{
    if (record->kind == ACCESS_ATOMIC)
        return RACE_ATOMIC;
    bool coherent = record->space == ACCESS_GLOBAL && wave->current->ordering & MEMORY_COHERENT;
    return coherent || is_unlock(wave->group->checks->race, record) ? RACE_COHERENT : RACE_PLAIN;
}

/* The largest power of two that divides a lane's bytes, so that no cell ends inside one lane and begins in another. */
static unsigned shift_of(uint32_t n_bytes)
{
    unsigned shift = (unsigned)__builtin_ctz(n_bytes);
    return n_bytes & (n_bytes - 1) ? shift : RACE_BLOCK_SHIFT;
}

static void touch_record(struct wave *wave, const struct access_record *record, enum race_kind kind)
{
    struct race_group *race = wave->group->checks->race;
    struct touch touch = {
        .group = wave->group,
        .order = &race->order,
        .shadow = record->space == ACCESS_LDS ? race->lds : race->memory,
        .known = race->order.known[wave->index_in_group],
        .landed = record->space == ACCESS_LDS ? race->order.landed[wave->index_in_group]
                                              : race->order.known[wave->index_in_group],
        .stamp = stamp_of(race, wave->index_in_group),
        .space = record->space,
        .writes = record->kind != ACCESS_LOAD,
        .n_bytes = record->n_bytes,
        .max_shift = shift_of(record->n_bytes),
    };
    touch.stamp.instruction = (uint32_t)(wave->current - wave->code->instructions);
    touch.stamp.kind = (uint8_t)kind;
    touch_lanes(&touch, record);
}

/* What the access publishes: atomics and coherent stores within the group, and to other groups all that writes with no
 * store of the wave before it outstanding. Each write to LDS has a clock of its own: a barrier tells which have landed. */
static void publish(struct race_group *race, unsigned wave, const struct access_record *record, enum race_kind kind)
{
    struct race_wave *state = &race->waves[wave];
    bool in_group = kind != RACE_PLAIN;
    bool in_launch = record->space == ACCESS_GLOBAL && !state->stores_outstanding;
    if (in_group)
        release_in_group(race, wave, record);
    if (in_launch && race->launch->flags && (kind != RACE_PLAIN || one_lane(record)))
        release_in_launch(race, wave, record);
    if (in_group || in_launch || record->space == ACCESS_LDS)
        race_order_advance(&race->order, wave);
    state->stores_outstanding |= record->space == ACCESS_GLOBAL;
}

void race_access(struct wave *wave, const struct access_record *record)
{
    struct race_group *race = wave->group->checks->race;
    unsigned index = wave->index_in_group;
    if (record->space == ACCESS_SCRATCH || !record->lanes)
        return;
    enum race_kind kind = kind_of(wave, record);
    if (kind != RACE_PLAIN && record->kind != ACCESS_STORE)
        acquire(race, index, record);
    touch_record(wave, record, kind);
    if (record->kind != ACCESS_LOAD && record->space == ACCESS_LDS)
        wait_lds_write(wave, race->order.clock[index]);
    if (record->kind != ACCESS_LOAD)
        publish(race, index, record, kind);
    if (record->kind != ACCESS_ATOMIC)
        return;
    note_lock(race, record);
    if (race->guesses.n_held)
        EACH_ADDRESS(record, address) race_guess_right(&race->guesses, index, record->space, address, record->n_bytes);
}

void race_before(struct wave *wave, const struct instruction *in)
{
    if (__builtin_expect(!in->ordering, 1))
        return;
    struct race_group *race = wave->group->checks->race;
    if (in->ordering & MEMORY_SIGNALS)
        arrive(&race->order, wave);
    if (in->ordering & MEMORY_WAITS)
        race_order_pass(&race->order, wave->index_in_group);
    if (in->ordering & MEMORY_STORES_DONE)
        race->waves[wave->index_in_group].stores_outstanding = false;
    if (in->ordering & MEMORY_INVALIDATES)
        acquire_looks(race, wave->index_in_group);
}
