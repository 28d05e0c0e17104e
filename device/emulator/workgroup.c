#include "device/emulator/wave.h"

#include "contract/base/random.h"
#include "device/emulator/sanitizer/sync.h"

bool workgroup_abandoned(const struct workgroup *group)
{
    const struct dispatch *dispatch = group->dispatch;
    return __atomic_load_n(&dispatch->abandoned, __ATOMIC_ACQUIRE) &&
           __atomic_load_n(&dispatch->abandoned_rank, __ATOMIC_ACQUIRE) <= group->rank;
}

static bool any_in_state(const struct workgroup *group, enum wave_state state)
{
    for (uint32_t i = 0; i < group->n_waves; i++)
        if (group->waves[i].state == state)
            return true;
    return false;
}

uint32_t workgroup_n_alive(const struct workgroup *group)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < group->n_waves; i++)
        n += group->waves[i].state != WAVE_ENDED;
    return n;
}

static void complete_split_barrier(struct workgroup *group)
{
    group->n_signals = 0;
    sync_complete(group);
    if (group->checks)
        sanitizer_barrier(group);
    for (uint32_t i = 0; i < group->n_waves; i++) {
        struct wave *wave = &group->waves[i];
        wave->has_signalled = false;
        wave->barrier_complete = wave->state == WAVE_READY;
        if (wave->state == WAVE_AT_BARRIER)
            wave->state = WAVE_READY;
    }
}

bool workgroup_signal(struct wave *wave)
{
    struct workgroup *group = wave->group;
    bool first = group->n_signals++ == 0;
    wave->has_signalled = true;
    if (group->n_signals >= workgroup_n_alive(group))
        complete_split_barrier(group);
    return first;
}

void workgroup_wait(struct wave *wave)
{
    if (wave->barrier_complete) {
        wave->barrier_complete = false;
        return;
    }
    wave->state = WAVE_AT_BARRIER;
    wave->stop = true;
}

/* Nothing runs and waves wait: the last signals are missing because their waves ended, which do not count, or because a
 * wave waits that has not signalled, which on the chip would be for ever. */
static void release_split_barrier(struct workgroup *group)
{
    for (uint32_t i = 0; i < group->n_waves; i++)
        if (group->waves[i].state == WAVE_AT_BARRIER && !group->waves[i].has_signalled) {
            wave_finding(&group->waves[i], FINDING_SYNC, -1, "waits here for a barrier that it has not signalled");
            break;
        }
    complete_split_barrier(group);
}

/* All waves that have not ended wait: they go on. Ended waves do not count (RDNA3 ISA, "S_BARRIER"). */
static void release_barrier(struct workgroup *group)
{
    if (group->waves[0].chip->family == CHIP_RDNA4) {
        release_split_barrier(group);
        return;
    }
    sync_complete(group);
    if (group->checks)
        sanitizer_barrier(group);
    for (uint32_t i = 0; i < group->n_waves; i++)
        if (group->waves[i].state == WAVE_AT_BARRIER)
            group->waves[i].state = WAVE_READY;
}

static enum workgroup_state step_natural(struct workgroup *group)
{
    bool polls = false;
    for (uint32_t i = 0; i < group->n_waves && !workgroup_abandoned(group); i++) {
        if (group->waves[i].state != WAVE_READY)
            continue;
        wave_run(&group->waves[i]);
        polls |= !group->waves[i].stop;
    }
    if (workgroup_abandoned(group))
        return WORKGROUP_OVER;
    if (polls || any_in_state(group, WAVE_READY))
        return polls ? WORKGROUP_POLLS : WORKGROUP_GOES_ON;
    if (!any_in_state(group, WAVE_AT_BARRIER))
        return WORKGROUP_OVER;
    release_barrier(group);
    return WORKGROUP_GOES_ON;
}

/* The n-th wave that is ready, or NULL where there are none. */
static struct wave *pick_ready(const struct workgroup *group, struct random_key key, uint64_t step)
{
    uint32_t n_ready = 0;
    for (uint32_t i = 0; i < group->n_waves; i++)
        n_ready += group->waves[i].state == WAVE_READY;
    if (!n_ready)
        return NULL;
    uint32_t pick = random_below(key, step, n_ready);
    for (uint32_t i = 0; i < group->n_waves; i++)
        if (group->waves[i].state == WAVE_READY && pick-- == 0)
            return &group->waves[i];
    return NULL;
}

static enum workgroup_state step_scheduled(struct workgroup *group)
{
    if (workgroup_abandoned(group))
        return WORKGROUP_OVER;
    struct wave *wave = pick_ready(group, (struct random_key){group->schedule}, group->n_steps++);
    if (wave)
        wave_run(wave);
    else if (any_in_state(group, WAVE_AT_BARRIER))
        release_barrier(group);
    else
        return WORKGROUP_OVER;
    return WORKGROUP_GOES_ON;
}

enum workgroup_state workgroup_step(struct workgroup *group)
{
    return group->schedule ? step_scheduled(group) : step_natural(group);
}

void workgroup_run(struct workgroup *group)
{
    while (workgroup_step(group) != WORKGROUP_OVER)
        continue;
}
