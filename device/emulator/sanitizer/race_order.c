#include "device/emulator/sanitizer/race_order.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SYNCS = 64 };

/* Of each wave, as the rows of race_order.known and .landed. */
struct race_sync {
    uint32_t known[RACE_MAX_WAVES], landed[RACE_MAX_WAVES];
};

static void forget_syncs(struct race_order *order)
{
    order->n_syncs = 0;
    index_table_clear(&order->of_key);
}

void race_order_start(struct race_order *order, uint32_t n_waves)
{
    order->n_waves = n_waves;
    order->to_pass = 0;
    forget_syncs(order);
    for (uint32_t wave = 0; wave < n_waves; wave++) {
        order->clock[wave] = 1;
        order->signalled[wave] = (struct race_arrival){0};
        memset(order->known[wave], 0, sizeof order->known[wave]);
        memset(order->landed[wave], 0, sizeof order->landed[wave]);
        order->known[wave][wave] = order->landed[wave][wave] = RACE_CLOCK_ALL;
    }
}

void race_order_release_storage(struct race_order *order)
{
    free(order->syncs);
    order->syncs = NULL;
    order->n_syncs = order->capacity = 0;
    index_table_free(&order->of_key);
}

static void raise_to(uint32_t *clock, uint32_t at_least)
{
    if (*clock < at_least)
        *clock = at_least;
}

void race_order_signal(struct race_order *order, unsigned wave, uint32_t landed)
{
    uint32_t clock = order->clock[wave];
    order->signalled[wave] = (struct race_arrival){.all = clock, .landed = landed < clock ? landed : clock};
    race_order_advance(order, wave);
}

bool race_order_has_signalled(const struct race_order *order, unsigned wave)
{
    return order->signalled[wave].all != 0;
}

void race_order_pass(struct race_order *order, unsigned wave)
{
    if (!(order->to_pass >> wave & 1))
        return;
    order->to_pass &= ~(1u << wave);
    for (uint32_t other = 0; other < order->n_waves; other++) {
        raise_to(&order->known[wave][other], order->arrived[other].all);
        raise_to(&order->landed[wave][other], order->arrived[other].landed);
    }
}

void race_order_barrier(struct race_order *order, uint32_t later)
{
    uint32_t next = 0;
    for (uint32_t wave = 0; wave < order->n_waves; wave++)
        raise_to(&next, order->clock[wave]);
    memcpy(order->arrived, order->signalled, sizeof order->arrived);
    order->to_pass = UINT32_MAX;
    for (uint32_t wave = 0; wave < order->n_waves; wave++) {
        order->clock[wave] = next;
        order->signalled[wave] = (struct race_arrival){0};
        if (!(later >> wave & 1))
            race_order_pass(order, wave);
    }
    forget_syncs(order);
}

static struct race_sync *find(const struct race_order *order, uint64_t key)
{
    uint32_t index = index_table_find(&order->of_key, key);
    return index == INDEX_NONE ? NULL : &order->syncs[index];
}

static struct race_sync *add(struct race_order *order, uint64_t key)
{
    if (order->n_syncs == order->capacity) {
        uint32_t capacity = order->capacity ? 2 * order->capacity : FIRST_SYNCS;
        struct race_sync *syncs = realloc(order->syncs, capacity * sizeof *syncs);
        if (!syncs)
            return NULL;
        order->syncs = syncs;
        order->capacity = capacity;
    }
    if (!index_table_set(&order->of_key, key, order->n_syncs))
        return NULL;
    struct race_sync *sync = &order->syncs[order->n_syncs++];
    *sync = (struct race_sync){0};
    return sync;
}

bool race_order_acquire(struct race_order *order, unsigned wave, uint64_t key)
{
    const struct race_sync *sync = find(order, key);
    if (!sync)
        return false;
    for (uint32_t other = 0; other < order->n_waves; other++) {
        raise_to(&order->known[wave][other], sync->known[other]);
        raise_to(&order->landed[wave][other], sync->landed[other]);
    }
    return true;
}

bool race_order_release(struct race_order *order, unsigned wave, uint64_t key)
{
    struct race_sync *sync = find(order, key);
    sync = sync ? sync : add(order, key);
    if (!sync)
        return false;
    for (uint32_t other = 0; other < order->n_waves; other++)
        if (other != wave) {
            raise_to(&sync->known[other], order->known[wave][other]);
            raise_to(&sync->landed[other], order->landed[wave][other]);
        }
    sync->known[wave] = sync->landed[wave] = order->clock[wave];
    return true;
}

void race_order_advance(struct race_order *order, unsigned wave)
{
    if (order->clock[wave] < UINT32_MAX - 1)
        order->clock[wave]++;
}

void race_order_learn(struct race_order *order, unsigned wave, unsigned other, uint32_t clock)
{
    for (uint32_t third = 0; third < order->n_waves; third++)
        if (third != other) {
            raise_to(&order->known[wave][third], order->known[other][third]);
            raise_to(&order->landed[wave][third], order->landed[other][third]);
        }
    raise_to(&order->known[wave][other], clock);
    raise_to(&order->landed[wave][other], clock);
}
