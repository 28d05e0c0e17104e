#include "device/emulator/wave.h"

#include "contract/base/random.h"
#include "device/emulator/sanitizer/sanitizer.h"

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

/* A wave that waits reports once for the group: another waits elsewhere, or has ended and never comes. */
static void check_barrier(struct workgroup *group)
{
    struct wave *waiting = NULL;
    for (uint32_t i = 0; i < group->n_waves; i++) {
        struct wave *wave = &group->waves[i];
        if (wave->state != WAVE_AT_BARRIER)
            continue;
        if (!waiting)
            waiting = wave;
        if (wave->current == waiting->current)
            continue;
        wave_finding(wave, FINDING_SYNC, -1, "waits here while wave %u waits at another barrier, 0x%x bytes into the code",
                     waiting->index_in_group, waiting->current->offset_bytes);
        return;
    }
    for (uint32_t i = 0; i < group->n_waves; i++)
        if (group->waves[i].state == WAVE_ENDED) {
            wave_finding(waiting, FINDING_SYNC, -1, "waits here while wave %u has ended without reaching the barrier", i);
            return;
        }
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
    check_barrier(group);
    if (group->waves[0].chip->family == CHIP_RDNA4) {
        release_split_barrier(group);
        return;
    }
    if (group->checks)
        sanitizer_barrier(group);
    for (uint32_t i = 0; i < group->n_waves; i++)
        if (group->waves[i].state == WAVE_AT_BARRIER)
            group->waves[i].state = WAVE_READY;
}

static void run_natural(struct workgroup *group)
{
    while (any_in_state(group, WAVE_READY)) {
        for (uint32_t i = 0; i < group->n_waves && !workgroup_abandoned(group); i++)
            if (group->waves[i].state == WAVE_READY)
                wave_run(&group->waves[i]);
        if (workgroup_abandoned(group))
            return;
        /* A split barrier that completed on the way has made waves ready again. */
        if (!any_in_state(group, WAVE_READY) && any_in_state(group, WAVE_AT_BARRIER))
            release_barrier(group);
    }
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

static void run_scheduled(struct workgroup *group)
{
    struct random_key key = {group->schedule};
    for (uint64_t step = 0; !workgroup_abandoned(group); step++) {
        struct wave *wave = pick_ready(group, key, step);
        if (wave)
            wave_run(wave);
        else if (any_in_state(group, WAVE_AT_BARRIER))
            release_barrier(group);
        else
            return;
    }
}

void workgroup_run(struct workgroup *group)
{
    if (group->schedule)
        run_scheduled(group);
    else
        run_natural(group);
}
