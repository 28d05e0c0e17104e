#include "device/emulator/sanitizer/sanitizer.h"

#include <stdlib.h>

#include "device/emulator/depth/depth.h"
#include "device/emulator/sanitizer/checks.h"
#include "device/emulator/sanitizer/flow.h"
#include "device/emulator/vgpr_index.h"
#include "device/emulator/sanitizer/profile.h"
#include "device/emulator/sanitizer/sync.h"

/* The checks of this folder; mem and sync live where accesses and barriers are made. */
#define WATCHING_CHECKS (1u << FINDING_INIT | 1u << FINDING_RACE | 1u << FINDING_WAIT | 1u << FINDING_NAN)

static bool wants(unsigned wanted, unsigned kind)
{
    return wanted >> kind & 1;
}

bool sanitizer_dispatch_open(struct dispatch *dispatch)
{
    unsigned wanted = (dispatch->checks_wanted & WATCHING_CHECKS) | (unsigned)dispatch->measures_depth << WATCH_DEPTH;
    dispatch->checks = NULL;
    if (dispatch->memory && wants(wanted, FINDING_INIT))
        memory_track(dispatch->memory);
    else if (dispatch->memory)
        memory_define_all(dispatch->memory);
    if (!wanted)
        return true;
    struct dispatch_checks *checks = calloc(1, sizeof *checks);
    if (!checks)
        return false;
    checks->wanted = wanted;
    dispatch->checks = checks;
    return (!wants(wanted, FINDING_RACE) || race_dispatch_open(dispatch)) &&
           (!wants(wanted, WATCH_DEPTH) || depth_dispatch_open(dispatch));
}

void sanitizer_dispatch_close(struct dispatch *dispatch)
{
    if (!dispatch->checks)
        return;
    if (wants(dispatch->checks->wanted, FINDING_RACE))
        race_dispatch_close(dispatch);
    depth_dispatch_close(dispatch);
    free(dispatch->checks);
    dispatch->checks = NULL;
}

static bool open_waves(const struct dispatch *dispatch, struct group_checks *checks)
{
    unsigned wanted = checks->dispatch->wanted;
    for (uint32_t i = 0; i < checks->n_waves; i++) {
        struct wave_checks *wave = &checks->waves[i];
        wave->wanted = wanted;
        if ((wants(wanted, FINDING_INIT) && !init_wave_open(dispatch, wave)) ||
            (wants(wanted, FINDING_WAIT) && !wait_wave_open(dispatch, wave)) ||
            (wants(wanted, FINDING_NAN) && !nan_wave_open(wave)) ||
            (wants(wanted, WATCH_DEPTH) && !depth_wave_open(dispatch, wave)))
            return false;
    }
    return true;
}

bool sanitizer_group_open(const struct dispatch *dispatch, uint32_t n_waves, struct group_checks **result)
{
    *result = NULL;
    if (!dispatch->checks)
        return true;
    unsigned wanted = dispatch->checks->wanted;
    struct group_checks *checks = calloc(1, sizeof *checks);
    if (!checks)
        return false;
    *result = checks;
    checks->dispatch = dispatch->checks;
    checks->waves = calloc(n_waves, sizeof *checks->waves);
    checks->n_waves = checks->waves ? n_waves : 0;
    return checks->waves && open_waves(dispatch, checks) &&
           (!wants(wanted, FINDING_INIT) || init_group_open(dispatch, checks)) &&
           (!wants(wanted, FINDING_RACE) || race_group_open(dispatch, checks)) &&
           (!wants(wanted, WATCH_DEPTH) || depth_group_open(dispatch, checks));
}

void sanitizer_group_close(struct group_checks *checks)
{
    if (!checks)
        return;
    for (uint32_t i = 0; i < checks->n_waves; i++) {
        init_wave_close(&checks->waves[i]);
        wait_wave_close(&checks->waves[i]);
        nan_wave_close(&checks->waves[i]);
        depth_wave_close(&checks->waves[i]);
    }
    init_group_close(checks);
    depth_group_close(checks);
    race_group_close(checks);
    free(checks->waves);
    free(checks);
}

void sanitizer_group_start(struct workgroup *group, struct group_checks *checks, const struct start_poison *poison)
{
    unsigned wanted = checks->dispatch->wanted;
    group->checks = checks;
    for (uint32_t i = 0; i < group->n_waves; i++) {
        struct wave *wave = &group->waves[i];
        wave->checks = &checks->waves[i];
        wave->watched = true;
        if (wants(wanted, FINDING_INIT))
            init_wave_start(wave, poison);
        if (wants(wanted, FINDING_WAIT))
            wait_wave_start(wave);
        if (wants(wanted, FINDING_NAN))
            nan_wave_start(wave);
        if (wants(wanted, WATCH_DEPTH))
            depth_wave_start(wave);
    }
    if (wants(wanted, FINDING_INIT))
        init_group_start(group, poison != NULL);
    if (wants(wanted, FINDING_RACE))
        race_group_start(group);
    if (wants(wanted, WATCH_DEPTH))
        depth_group_start(group);
}

void sanitizer_group_end(struct workgroup *group)
{
    if (wants(group->checks->dispatch->wanted, FINDING_RACE))
        race_group_end(group);
}

void sanitizer_barrier(struct workgroup *group)
{
    if (wants(group->checks->dispatch->wanted, FINDING_RACE))
        race_barrier(group);
}

static void before(struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    unsigned wanted = wave->checks->wanted;
    if (wants(wanted, FINDING_WAIT))
        wait_before(wave, in, flow);
    if (wants(wanted, FINDING_INIT))
        init_before(wave, in, flow);
    if (wants(wanted, FINDING_RACE))
        race_before(wave, in);
    if (wants(wanted, FINDING_NAN) && !wave->code->wraps_vectors)
        nan_before(wave, in, flow);
    if (wants(wanted, WATCH_DEPTH))
        depth_before(wave, in, flow);
}

/* gfx9's VGPR indexing: the registers that the instruction means now. */
static void before_indexed(struct wave *wave, const struct instruction *in)
{
    struct instruction copy;
    struct flow flow;
    const struct instruction *meant = in->pair ? in : vgpr_index_resolve(wave, in, &copy);
    if (meant == in) {
        before(wave, in, flow_of(wave->code, in));
    } else if (meant) {
        flow_make_row(wave->code, meant, &flow);
        before(wave, meant, &flow);
    }
}

void sanitizer_before(struct wave *wave, const struct instruction *in)
{
    const struct wave_checks *checks = wave->checks;
    if (wave->profile)
        profile_instruction(wave, in);
    if (!checks)
        return;
    if (__builtin_expect(wave->code->wraps_vectors, 0)) {
        before_indexed(wave, in);
        return;
    }
    before(wave, in, flow_of(wave->code, in));
}

void sanitizer_after(struct wave *wave, const struct instruction *in)
{
    const struct wave_checks *checks = wave->checks;
    if (wave->profile)
        profile_branch(wave, in);
    if (checks && wants(checks->wanted, FINDING_NAN) && !wave->code->wraps_vectors)
        nan_after(wave, in, flow_of(wave->code, in));
}

void sanitizer_access(struct wave *wave, const struct access_record *record)
{
    const struct wave_checks *checks = wave->checks;
    if (wave->profile)
        profile_access(wave, record);
    if (wave->sync.missed)
        sync_access(wave, record);
    if (!checks)
        return;
    if (wants(checks->wanted, FINDING_WAIT))
        wait_access(wave, record);
    if (wants(checks->wanted, FINDING_INIT))
        init_access(wave, record);
    if (wants(checks->wanted, FINDING_RACE))
        race_access(wave, record);
    if (wants(checks->wanted, WATCH_DEPTH))
        depth_access(wave, record);
}
