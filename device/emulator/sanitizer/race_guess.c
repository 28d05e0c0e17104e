/*
 * Plain loads that may be the first guess of a compare-and-swap loop: held back until their wave updates the address, or
 * the group ends.
 */
#include <stdlib.h>

#include "device/emulator/sanitizer/race.h"

enum { FIRST_GUESSES = 64 };

/* A wave's byte of memory or LDS as one number: guest addresses end below bit 55. */
static uint64_t number_of(unsigned wave, enum access_space space, uint64_t address)
{
    return address | (uint64_t)wave << 56 | (uint64_t)(space == ACCESS_LDS) << 55;
}

static bool same_pair(const struct race_guess *guess, const struct race_pair *pair)
{
    return guess->before.instruction == pair->before->instruction && guess->now.instruction == pair->now->instruction &&
           guess->unlanded == pair->unlanded;
}

/* Index of a guess that holds nothing, or INDEX_NONE when the host is out of memory. */
static uint32_t take_free(struct race_guesses *guesses)
{
    if (guesses->n_used == guesses->capacity && guesses->first_free == INDEX_NONE) {
        uint32_t capacity = guesses->capacity ? 2 * guesses->capacity : FIRST_GUESSES;
        struct race_guess *grown = realloc(guesses->guesses, capacity * sizeof *grown);
        if (!grown)
            return INDEX_NONE;
        guesses->guesses = grown;
        guesses->capacity = capacity;
    }
    uint32_t taken = guesses->first_free;
    if (taken == INDEX_NONE)
        return guesses->n_used++;
    guesses->first_free = guesses->guesses[taken].next;
    return taken;
}

bool race_guess_hold(struct race_guesses *guesses, const struct race_pair *pair, unsigned wave)
{
    uint64_t number = number_of(wave, pair->space, pair->address);
    uint32_t first = index_table_find(&guesses->by_place, number);
    for (uint32_t i = first; i != INDEX_NONE; i = guesses->guesses[i].next)
        if (same_pair(&guesses->guesses[i], pair))
            return true;
    uint32_t taken = take_free(guesses);
    if (taken == INDEX_NONE || !index_table_set(&guesses->by_place, number, taken))
        return false;
    guesses->guesses[taken] = (struct race_guess){.before = *pair->before,
                                                  .now = *pair->now,
                                                  .address = pair->address,
                                                  .next = first,
                                                  .space = (uint8_t)pair->space,
                                                  .unlanded = pair->unlanded,
                                                  .is_held = true};
    guesses->n_held++;
    return true;
}

static void let_go(struct race_guesses *guesses, uint32_t first)
{
    for (uint32_t i = first, next; i != INDEX_NONE; i = next) {
        next = guesses->guesses[i].next;
        guesses->guesses[i].is_held = false;
        guesses->guesses[i].next = guesses->first_free;
        guesses->first_free = i;
        guesses->n_held--;
    }
}

void race_guess_right(struct race_guesses *guesses, unsigned wave, enum access_space space, uint64_t address,
                      uint32_t n_bytes)
{
    for (uint32_t i = 0; i < n_bytes && guesses->n_held; i++) {
        uint64_t number = number_of(wave, space, address + i);
        uint32_t first = index_table_find(&guesses->by_place, number);
        if (first == INDEX_NONE)
            continue;
        index_table_set(&guesses->by_place, number, INDEX_NONE); /* which is there, so nothing is allocated */
        let_go(guesses, first);
    }
}

void race_guesses_clear(struct race_guesses *guesses)
{
    index_table_clear(&guesses->by_place);
    guesses->n_used = guesses->n_held = 0;
    guesses->first_free = INDEX_NONE;
}

void race_guesses_free(struct race_guesses *guesses)
{
    index_table_free(&guesses->by_place);
    free(guesses->guesses);
}
