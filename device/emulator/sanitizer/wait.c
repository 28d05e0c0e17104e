/*
 * Registers whose load is under way. Each load raises its counter and takes a ticket; a wait for at most n outstanding ones
 * completes all tickets but the last n, where the counter's instructions are done in order, and nothing but a wait for 0
 * does where they are not. Writes to LDS have tickets too: the race check asks which are done when their wave comes to a
 * barrier.
 */
#include "device/emulator/sanitizer/wait_events.h"

#include <stdlib.h>
#include <string.h>

#include "device/emulator/sanitizer/checks.h"
#include "device/emulator/sanitizer/flow.h"
#include "device/emulator/sanitizer/race_order.h"

/* No counter of LDS goes beyond 63, so of more writes the oldest are done. */
enum { N_HALVES = 2, PENDING_WORDS = (FLOW_PLACES + 63) / 64, MAX_LDS_WRITES = 64 };

struct pending {
    const struct instruction *in;
    uint32_t ticket;
    uint8_t counter; /* enum wait_counter */
    uint8_t event;   /* enum wait_event */
};

struct lds_write {
    uint32_t ticket, clock; /* clock: the race check's */
};

struct wait_wave {
    uint32_t issued[COUNTER_COUNT], done[COUNTER_COUNT];
    uint16_t events[COUNTER_COUNT]; /* bits 1 << enum wait_event of what is outstanding */
    uint64_t is_pending[N_HALVES][PENDING_WORDS];
    bool any_pending;
    struct pending pending[N_HALVES][FLOW_PLACES];
    struct lds_write lds_writes[MAX_LDS_WRITES]; /* a ring, oldest first */
    unsigned first_lds_write, n_lds_writes;
};

bool wait_wave_open(const struct dispatch *dispatch, struct wave_checks *checks)
{
    (void)dispatch;
    checks->wait = calloc(1, sizeof *checks->wait);
    return checks->wait != NULL;
}

void wait_wave_close(struct wave_checks *checks)
{
    free(checks->wait);
}

void wait_wave_start(struct wave *wave)
{
    struct wait_wave *wait = wave->checks->wait;
    memset(wait->issued, 0, sizeof wait->issued);
    memset(wait->done, 0, sizeof wait->done);
    memset(wait->events, 0, sizeof wait->events);
    memset(wait->is_pending, 0, sizeof wait->is_pending);
    wait->any_pending = false;
    wait->n_lds_writes = 0;
}

static bool is_set(const uint64_t *words, unsigned place)
{
    return words[place / 64] >> place % 64 & 1;
}

static void clear(struct wait_wave *wait, unsigned half, unsigned place)
{
    wait->is_pending[half][place / 64] &= ~(UINT64_C(1) << place % 64);
}

/* Flat accesses come to a counter in order with all others of it since gfx10, and in none before (LLVM's
 * hasFlatLgkmVMemCountInOrder). */
static bool flat_in_order(const struct chip *chip)
{
    return !chip_is_cdna(chip);
}

/* Scalar memory answers out of order, and what is of several kinds too. */
static bool in_order(const struct chip *chip, uint16_t events)
{
    const unsigned vector = 1u << EVENT_LOAD | 1u << EVENT_STORE | 1u << EVENT_ATOMIC;
    const unsigned flat = 1u << EVENT_FLAT | 1u << EVENT_FLAT_STORE;
    if (events & 1u << EVENT_SCALAR || (events & flat && !flat_in_order(chip)))
        return false;
    unsigned rest = events & ~flat;
    return !(rest & ~vector) || !(rest & (rest - 1));
}

static void wait_for(const struct chip *chip, struct wait_wave *wait, const struct flow *flow)
{
    bool all_done = true;
    for (unsigned c = 0; c < COUNTER_COUNT; c++) {
        uint8_t limit = flow->wait_limits[c];
        uint32_t outstanding = wait->issued[c] - wait->done[c];
        if (limit < outstanding && (limit == 0 || in_order(chip, wait->events[c])))
            wait->done[c] = wait->issued[c] - limit;
        if (wait->done[c] == wait->issued[c])
            wait->events[c] = 0;
        all_done = all_done && wait->done[c] == wait->issued[c];
    }
    if (!all_done)
        return;
    memset(wait->is_pending, 0, sizeof wait->is_pending);
    wait->any_pending = false;
}

static bool is_done(const struct wait_wave *wait, unsigned counter, uint32_t ticket)
{
    return (int32_t)(ticket - wait->done[counter]) <= 0;
}

static void forget_lds_write(struct wait_wave *wait)
{
    wait->first_lds_write = (wait->first_lds_write + 1) % MAX_LDS_WRITES;
    wait->n_lds_writes--;
}

/* The load that still holds half a place, or NULL; one that is done is forgotten. */
static const struct pending *pending_at(struct wait_wave *wait, unsigned half, unsigned place)
{
    if (!is_set(wait->is_pending[half], place))
        return NULL;
    const struct pending *pending = &wait->pending[half][place];
    if (!is_done(wait, pending->counter, pending->ticket))
        return pending;
    clear(wait, half, place);
    return NULL;
}

static const char *place_name(unsigned place, char *text, size_t capacity)
{
    flow_place_name(place, text, capacity);
    return text;
}

static void report(struct wave *wave, const struct pending *pending, unsigned place, const char *what)
{
    static const char *const names[] = {[COUNTER_LOAD] = "vmcnt (loadcnt)",
                                        [COUNTER_STORE] = "vscnt (storecnt)",
                                        [COUNTER_DS] = "lgkmcnt (dscnt)",
                                        [COUNTER_KM] = "kmcnt",
                                        [COUNTER_EXP] = "expcnt"};
    char name[24];
    struct wave_place other = wave_place_of(wave, -1);
    other.in = pending->in;
    wave_finding_with(wave, FINDING_WAIT, -1, &other, "%s is %s before a wait on %s for the instruction that loads it",
                      place_name(place, name, sizeof name), what, names[pending->counter]);
}

/* Whether of two loads of one kind into one register the later lands last. */
static bool later_lands_last(const struct chip *chip, enum wait_event event)
{
    return event != EVENT_SCALAR && (event != EVENT_FLAT || flat_in_order(chip));
}

static void check_range(struct wave *wave, const struct flow_range *range, enum wait_event event, const char *what)
{
    struct wait_wave *wait = wave->checks->wait;
    for (unsigned i = 0; i < range->n; i++) {
        unsigned place = range->first + i;
        for (unsigned half = 0; half < N_HALVES; half++) {
            if (range->part == (half == 0 ? FLOW_HIGH : FLOW_LOW))
                continue;
            const struct pending *pending = pending_at(wait, half, place);
            if (!pending)
                continue;
            if (event == pending->event && later_lands_last(wave->chip, event))
                continue;
            report(wave, pending, place, what);
            clear(wait, 0, place);
            clear(wait, 1, place);
        }
    }
}

static void check(struct wave *wave, const struct flow *flow)
{
    for (unsigned k = 0; k < flow->n_reads; k++)
        check_range(wave, &flow->reads[k], EVENT_NONE, "read");
    for (unsigned k = 0; k < flow->n_writes; k++)
        check_range(wave, &flow->writes[k], (enum wait_event)flow->event, "overwritten");
}

static void take_ticket(struct wait_wave *wait, enum wait_counter counter, enum wait_event event)
{
    wait->issued[counter]++;
    wait->events[counter] |= (uint16_t)(1u << event);
}

static void mark(struct wait_wave *wait, const struct instruction *in, const struct flow *flow, enum wait_counter counter)
{
    struct pending pending = {in, wait->issued[counter], (uint8_t)counter, flow->event};
    for (unsigned k = 0; k < flow->n_writes; k++) {
        const struct flow_range *range = &flow->writes[k];
        for (unsigned i = 0; i < range->n; i++)
            for (unsigned half = 0; half < N_HALVES; half++) {
                unsigned place = range->first + i;
                if (range->part == (half == 0 ? FLOW_HIGH : FLOW_LOW))
                    continue;
                wait->pending[half][place] = pending;
                wait->is_pending[half][place / 64] |= UINT64_C(1) << place % 64;
                wait->any_pending = true;
            }
    }
}

/* A flat access raises both counters; its result waits for memory's, and wait_access moves it to LDS's where it went there.
 */
static void issue(struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    struct wait_wave *wait = wave->checks->wait;
    enum wait_event event = (enum wait_event)flow->event;
    enum wait_counter counter = wait_counter_of(wave->chip, event, flow->n_writes != 0);
    take_ticket(wait, counter, event);
    if (event == EVENT_FLAT || event == EVENT_FLAT_STORE)
        take_ticket(wait, wait_counter_of(wave->chip, EVENT_LDS, true), event);
    mark(wait, in, flow, counter);
}

void wait_before(struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    struct wait_wave *wait = wave->checks->wait;
    if (flow->event == EVENT_WAIT) {
        wait_for(wave->chip, wait, flow);
        return;
    }
    if (wait->any_pending && flow->pair)
        for (int half = 0; half < 2; half++)
            check(wave, &flow->pair[half]);
    else if (wait->any_pending)
        check(wave, flow);
    if (flow->event != EVENT_NONE)
        issue(wave, in, flow);
}

void wait_access(struct wave *wave, const struct access_record *record)
{
    struct wait_wave *wait = wave->checks->wait;
    const struct flow *flow = flow_of(wave->code, wave->current);
    if (flow->event != EVENT_FLAT || record->space != ACCESS_LDS)
        return;
    mark(wait, wave->current, flow, wait_counter_of(wave->chip, EVENT_LDS, true));
}

bool wait_is_load(const struct emulated_code *code, const struct instruction *in)
{
    return flow_of(code, in)->event == EVENT_LOAD;
}

void wait_lds_write(struct wave *wave, uint32_t clock)
{
    struct wait_wave *wait = wave->checks->wait;
    enum wait_counter counter = wait_counter_of(wave->chip, EVENT_LDS, true);
    if (!wait)
        return;
    if (wait->n_lds_writes == MAX_LDS_WRITES)
        forget_lds_write(wait);
    unsigned last = (wait->first_lds_write + wait->n_lds_writes++) % MAX_LDS_WRITES;
    wait->lds_writes[last] = (struct lds_write){.ticket = wait->issued[counter], .clock = clock};
}

uint32_t wait_lds_landed(struct wave *wave)
{
    struct wait_wave *wait = wave->checks->wait;
    enum wait_counter counter = wait_counter_of(wave->chip, EVENT_LDS, true);
    while (wait && wait->n_lds_writes && is_done(wait, counter, wait->lds_writes[wait->first_lds_write].ticket))
        forget_lds_write(wait);
    return wait && wait->n_lds_writes ? wait->lds_writes[wait->first_lds_write].clock - 1 : RACE_CLOCK_ALL;
}
