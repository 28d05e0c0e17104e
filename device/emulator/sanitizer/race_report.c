#include "device/emulator/sanitizer/race.h"

#include <inttypes.h>
#include <stdio.h>

#include "device/emulator/code.h"

static bool reported(struct race_pairs *pairs, uint32_t first, uint32_t second)
{
    for (unsigned i = 0; i < pairs->n; i++)
        if (pairs->first[i] == first && pairs->second[i] == second)
            return true;
    if (pairs->n == RACE_PAIRS)
        return true;
    pairs->first[pairs->n] = first;
    pairs->second[pairs->n++] = second;
    return false;
}

static void describe_byte(const struct workgroup *group, const struct race_pair *pair, char *text, size_t n_bytes)
{
    if (pair->space == ACCESS_LDS) {
        snprintf(text, n_bytes, "LDS byte 0x%" PRIx64, pair->address);
        return;
    }
    memory_name_byte(group->dispatch->memory, pair->address, text, n_bytes);
}

static const char *verb(const struct race_stamp *stamp, bool writes)
{
    if (stamp->kind == RACE_ATOMIC)
        return "updates";
    return writes ? "writes" : "reads";
}

static void workgroup_id(const struct dispatch *dispatch, uint32_t index, uint32_t id[3])
{
    const uint32_t *grid = dispatch->grid;
    id[0] = grid[0] ? index % grid[0] : index;
    id[1] = grid[0] && grid[1] ? index / grid[0] % grid[1] : 0;
    id[2] = grid[0] && grid[1] ? index / grid[0] / grid[1] : 0;
}

void race_report(struct workgroup *group, const struct race_pair *pair)
{
    const struct race_stamp *before = pair->before, *now = pair->now;
    struct race_group *race = group->checks->race;
    if (reported(pair->unlanded ? &race->unlanded_pairs : &race->pairs, before->instruction, now->instruction))
        return;
    const struct instruction *instructions = group->dispatch->code->instructions;
    struct wave *wave = &group->waves[now->wave];
    const struct instruction *current = wave->current;
    struct wave_place other = {.in = &instructions[before->instruction], .wave = before->wave, .lane = before->lane};
    workgroup_id(group->dispatch, before->group, other.workgroup);
    char byte[240];
    describe_byte(group, pair, byte, sizeof byte);
    wave->current = &instructions[now->instruction];
    if (pair->unlanded)
        wave_finding_with(wave, FINDING_WAIT, now->lane, &other,
                          "%s %s that another wave %s, with no wait on lgkmcnt (dscnt) before the barrier between the two",
                          verb(now, pair->now_writes), byte, verb(before, pair->before_writes));
    else
        wave_finding_with(wave, FINDING_RACE, now->lane, &other,
                          "%s %s that another %s %s, and neither a barrier nor atomics order the two",
                          verb(now, pair->now_writes), byte, before->group == now->group ? "wave" : "workgroup",
                          verb(before, pair->before_writes));
    wave->current = current;
}

/* Of a load and an atomic; the other pairs are none. */
static bool may_be_guess(const struct race_pair *pair)
{
    bool now_loads = pair->now->kind == RACE_PLAIN && !pair->now_writes, now_updates = pair->now->kind == RACE_ATOMIC;
    bool before_loads = pair->before->kind == RACE_PLAIN && !pair->before_writes;
    return (now_loads && pair->before->kind == RACE_ATOMIC) || (now_updates && before_loads);
}

void race_report_unless_guess(struct workgroup *group, const struct race_pair *pair)
{
    struct race_group *race = group->checks->race;
    if (!may_be_guess(pair)) {
        race_report(group, pair);
        return;
    }
    bool now_loads = pair->now->kind == RACE_PLAIN;
    if (!race_guess_hold(&race->guesses, pair, now_loads ? pair->now->wave : pair->before->wave))
        race->out_of_memory = true;
}

void race_report_guesses(struct workgroup *group)
{
    struct race_guesses *guesses = &group->checks->race->guesses;
    for (uint32_t i = 0; i < guesses->n_used; i++) {
        const struct race_guess *guess = &guesses->guesses[i];
        struct race_pair pair = {.before = &guess->before,
                                 .now = &guess->now,
                                 .before_writes = guess->before.kind == RACE_ATOMIC,
                                 .now_writes = guess->now.kind == RACE_ATOMIC,
                                 .unlanded = guess->unlanded,
                                 .space = guess->space,
                                 .address = guess->address};
        if (guess->is_held)
            race_report(group, &pair);
    }
    race_guesses_clear(guesses);
}
