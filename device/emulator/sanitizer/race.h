/*
 * The parts of the race check (race.c, race_guess.c, race_launch.c, race_report.c) among themselves.
 *
 * Two accesses to a byte race where one writes, not both are atomic, and nothing orders them. Within a workgroup that is
 * decided at each access (race_group.memory and .lds, ordered by race_group.order). Between workgroups it is decided when
 * a group has ended and its accesses are added to the launch's, in the groups' order: so findings do not depend on host
 * threads.
 *
 * A barrier alone does not make a write to LDS seen: its wave must have waited for it before (LLVM's AMDGPUUsage, "Memory
 * Model": a release at workgroup scope). Where the wait check is on too, an access of another wave that nothing but
 * barriers without that wait order with the write is a finding of `wait` (race_order.landed).
 */
#ifndef SANITIZER_RACE_H
#define SANITIZER_RACE_H

#include <pthread.h>

#include "device/emulator/sanitizer/index_table.h"
#include "device/emulator/sanitizer/race_flags.h"
#include "device/emulator/sanitizer/race_order.h"
#include "device/emulator/sanitizer/race_shadow.h"
#include "device/emulator/sanitizer/sanitizer.h"

/* Pairs of instructions that a group has reported; further races of the same pair say nothing new. */
enum { RACE_PAIRS = 8 };
struct race_pairs {
    uint32_t first[RACE_PAIRS], second[RACE_PAIRS];
    unsigned n;
};

struct race_dispatch {
    pthread_mutex_t lock; /* over what follows */
    pthread_cond_t turn;
    uint64_t next_rank; /* of the group that adds its accesses next */
    struct race_shadow *memory;
    /* What orders workgroups; NULL where nothing does. Else the launch runs on one host thread. */
    struct race_flags *flags;
};

/* What a wave has looked at and not yet acquired, and what it has not yet waited for. */
enum { RACE_LOOKS = 16 };
struct race_wave {
    struct race_token looks[RACE_LOOKS];
    unsigned n_looks;
    bool stores_outstanding;
};

/* Addresses of atomics of one lane, newest last: where a plain store of one lane may be the release of a lock. */
enum { RACE_LOCKS = 8 };

/* A plain load that races with another wave's atomic, and may be the first guess of a compare-and-swap loop: it is, and no
 * finding, where its wave goes on to update the address. */
struct race_guess {
    struct race_stamp before, now;
    uint64_t address;
    uint32_t next; /* index of the next at the same place by the same wave, or of the next that is free; or INDEX_NONE */
    uint8_t space; /* enum access_space */
    bool unlanded;
    bool is_held;
};

/* One for each place, wave and pair of instructions, so a loop of loads holds no more than one load does. */
struct race_guesses {
    struct race_guess *guesses;
    uint32_t n_used, capacity, first_free, n_held;
    struct index_table by_place; /* the first guess of a place and a wave */
};

struct race_group {
    struct race_dispatch *launch;
    struct race_order order;
    struct race_shadow *lds, *memory;
    struct race_wave waves[RACE_MAX_WAVES];
    uint64_t locks[RACE_LOCKS];
    unsigned n_locks;
    struct race_guesses guesses;
    struct race_pairs pairs, unlanded_pairs;
    uint32_t index; /* linear index of the workgroup */
    bool out_of_memory;
};

/* What is known of a race when it is found. */
struct race_pair {
    const struct race_stamp *before, *now; /* now is of the reporting group */
    bool before_writes, now_writes;
    bool unlanded; /* a barrier orders the two, but what is before was not waited for there */
    enum access_space space;
    uint64_t address; /* of the first byte that both touch */
};

/* Whether two accesses are of kinds that race when nothing orders them. A store that has no mark of its own may be an
 * atomic one (gfx9 to gfx11 compile atomic stores to plain ones), so it does not race with a coherent load. */
static inline bool race_kinds(uint8_t a_kind, bool a_writes, uint8_t b_kind, bool b_writes)
{
    if (a_kind == RACE_PLAIN && b_kind == RACE_PLAIN)
        return true;
    if (a_kind != RACE_PLAIN && b_kind != RACE_PLAIN)
        return false;
    bool plain_writes = a_kind == RACE_PLAIN ? a_writes : b_writes;
    bool other_writes = a_kind == RACE_PLAIN ? b_writes : a_writes;
    return !plain_writes || other_writes;
}

/* Adds a finding at an instruction of a wave of the group, unless the group has reported that pair. */
void race_report(struct workgroup *group, const struct race_pair *pair);
/* The same, but for a guess only when race_report_guesses is called and the loading wave has not updated the address. */
void race_report_unless_guess(struct workgroup *group, const struct race_pair *pair);
void race_report_guesses(struct workgroup *group);

/* Holds back a pair whose load is the wave's; false when the host is out of memory. */
bool race_guess_hold(struct race_guesses *guesses, const struct race_pair *pair, unsigned wave);
/* A wave updates n_bytes at an address by an atomic. */
void race_guess_right(struct race_guesses *guesses, unsigned wave, enum access_space space, uint64_t address,
                      uint32_t n_bytes);
/* Forgets all guesses and keeps the storage; needed once before the first is held. */
void race_guesses_clear(struct race_guesses *guesses);
void race_guesses_free(struct race_guesses *guesses);

/* Adds the group's accesses to the launch's and reports races with groups before it; called once for each rank. */
void race_launch_add(struct workgroup *group);

#endif
