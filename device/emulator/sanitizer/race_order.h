/*
 * What happened before what among the waves of a workgroup: vector clocks (Mattern, "Virtual Time and Global States of
 * Distributed Systems", 1989). A barrier orders all that its waves did before it; an atomic orders the earlier accesses of
 * the waves that used its address before with the later ones of this wave.
 */
#ifndef SANITIZER_RACE_ORDER_H
#define SANITIZER_RACE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/emulator/sanitizer/index_table.h"

/* A clock that is after all. */
#define RACE_CLOCK_ALL UINT32_MAX

enum { RACE_MAX_WAVES = 32 };

struct race_sync;

/* A wave at a barrier: accesses up to `all` happened before it, and writes to LDS up to `landed` were done by then. */
struct race_arrival {
    uint32_t all, landed;
};

struct race_order {
    uint32_t n_waves;
    uint32_t clock[RACE_MAX_WAVES];                /* of each wave's next access */
    struct race_arrival signalled[RACE_MAX_WAVES]; /* at a barrier that is not yet complete; all 0: not there */
    struct race_arrival arrived[RACE_MAX_WAVES];   /* signalled, of the barrier that was completed last */
    uint32_t to_pass;                              /* waves that have not passed it */
    /* known[w][v]: accesses of wave v up to this clock happened before what wave w does next; known[w][w] is
     * RACE_CLOCK_ALL. landed[w][v] <= known[w][v]: its writes to LDS up to this clock were also done before. */
    uint32_t known[RACE_MAX_WAVES][RACE_MAX_WAVES], landed[RACE_MAX_WAVES][RACE_MAX_WAVES];
    /* What atomics published since the last barrier. */
    struct race_sync *syncs;
    uint32_t n_syncs, capacity;
    struct index_table of_key; /* into syncs */
};

/* Before anything happened; keeps the storage. order is zeroed or was started before. */
void race_order_start(struct race_order *order, uint32_t n_waves);
void race_order_release_storage(struct race_order *order);
/* A wave arrives at a barrier: what it does from now on is not before it. Of its writes to LDS those up to the clock
 * `landed` are done. */
void race_order_signal(struct race_order *order, unsigned wave, uint32_t landed);
bool race_order_has_signalled(const struct race_order *order, unsigned wave);
/* The barrier is complete, all waves have signalled: they know what the others did before they arrived. Waves of the mask
 * `later` do so at their race_order_pass only. */
void race_order_barrier(struct race_order *order, uint32_t later);
/* A wave passes the barrier that was completed last. */
void race_order_pass(struct race_order *order, unsigned wave);
/* The wave reads what atomics published at a key (an address); true where there was anything. */
bool race_order_acquire(struct race_order *order, unsigned wave, uint64_t key);
/* The wave publishes its past at a key. False when the host is out of memory. race_order_advance must follow. */
bool race_order_release(struct race_order *order, unsigned wave, uint64_t key);
/* Later accesses of the wave are not part of what it published. */
void race_order_advance(struct race_order *order, unsigned wave);
/* The wave learns what another did up to a clock of its, and of third waves all that the other knows by now: that may be
 * more than it knew then, so that no order is missed. */
void race_order_learn(struct race_order *order, unsigned wave, unsigned other, uint32_t clock);

#endif
