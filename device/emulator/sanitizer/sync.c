#include "device/emulator/sanitizer/sync.h"

static bool is_wanted(const struct wave *wave)
{
    return wave->dispatch->checks_wanted >> FINDING_SYNC & 1;
}

/* A finding at `at` instead of the current instruction. */
static void report_at(struct wave *wave, const struct instruction *at, int lane, const struct wave_place *other,
                      const char *message)
{
    const struct instruction *current = wave->current;
    wave->current = at;
    wave_finding_with(wave, FINDING_SYNC, lane, other, "%s", message);
    wave->current = current;
}

static void report_missed(struct wave *wave, uint64_t lanes)
{
    int lane = __builtin_ctzll(lanes);
    struct wave_place other = wave_place_of(wave, lane);
    report_at(wave, wave->sync.missed_at, lane, &other,
              "the lane is off at this barrier, which others of its wave pass, and runs on later");
    wave->sync.missed = 0;
}

void sync_arrive(struct wave *wave)
{
    struct wave_sync *sync = &wave->sync;
    uint64_t off = sync->lanes & ~wave->exec;
    if (!is_wanted(wave))
        return;
    if (sync->owes_wait)
        wave_finding(wave, FINDING_SYNC, -1, "signals the barrier again without a wait since its last signal");
    if (sync->missed & wave->exec)
        report_missed(wave, sync->missed & wave->exec);
    sync->arrived_at = wave->current;
    sync->owes_wait = wave->chip->family == CHIP_RDNA4;
    if (!off)
        return;
    sync->missed = off;
    sync->missed_at = wave->current;
    wave->watched = true;
}

void sync_wait(struct wave *wave)
{
    wave->sync.owes_wait = false;
}

void sync_end(struct wave *wave)
{
    if (wave->sync.owes_wait)
        wave_finding(wave, FINDING_SYNC, -1, "ends without a wait since it last signalled the barrier");
    wave->sync.owes_wait = false;
}

/* One finding for the group: the first two waves that arrived at different instructions. */
void sync_complete(struct workgroup *group)
{
    struct wave *first = NULL;
    bool found = false;
    for (uint32_t i = 0; i < group->n_waves; i++) {
        struct wave *wave = &group->waves[i];
        const struct instruction *at = wave->sync.arrived_at;
        if (!at || wave->state == WAVE_ENDED)
            continue;
        first = first ? first : wave;
        if (!found && at != first->sync.arrived_at) {
            struct wave_place other = wave_place_of(first, -1);
            other.in = first->sync.arrived_at;
            report_at(wave, at, -1, &other, "waits at this barrier while another wave of its workgroup waits at another");
            found = true;
        }
    }
    for (uint32_t i = 0; i < group->n_waves; i++)
        group->waves[i].sync.arrived_at = NULL;
}

void sync_access(struct wave *wave, const struct access_record *record)
{
    uint64_t lanes = wave->sync.missed & record->lanes;
    if (lanes && record->space != ACCESS_SCRATCH && record->registers != REGISTERS_SCALAR)
        report_missed(wave, lanes);
}
