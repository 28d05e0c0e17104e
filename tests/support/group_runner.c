#include "tests/support/group_runner.h"

#include <stdlib.h>
#include <string.h>

static void *zeroed(size_t n_bytes)
{
    size_t rounded = (n_bytes + 63) / 64 * 64;
    void *bytes = aligned_alloc(64, rounded ? rounded : 64);
    if (bytes)
        memset(bytes, 0, rounded);
    return bytes;
}

/* Guest copy of the code, read-only, and its decoded form. */
static bool load_code(struct group_runner *runner, const struct chip *chip, const struct group_launch *launch,
                      struct error *error)
{
    uint64_t address = group_runner_allocate(runner, launch->code_bytes, "code");
    if (!address)
        return error_set(error, STATUS_ENVIRONMENT, "out of memory for the code");
    memcpy(memory_host(runner->memory, address, launch->code_bytes), launch->code, launch->code_bytes);
    memory_set_read_only(runner->memory, address, true);
    if (!code_decode(chip, launch->n_lanes, launch->code, launch->code_bytes, 0, launch->code_bytes, &runner->code, error))
        return false;
    runner->code.load_address = address;
    return true;
}

static uint64_t lanes_mask(uint32_t n_lanes)
{
    return n_lanes == 64 ? UINT64_MAX : (UINT64_C(1) << n_lanes) - 1;
}

static bool make_wave(struct group_runner *runner, const struct chip *chip, const struct group_launch *launch,
                      uint32_t index)
{
    struct wave *wave = &runner->group.waves[index];
    uint32_t first = index * launch->n_lanes, n_left = launch->n_items - first;
    wave->n_lanes = launch->n_lanes;
    wave->full_exec = lanes_mask(launch->n_lanes);
    wave->exec = wave->sync.lanes = lanes_mask(n_left < launch->n_lanes ? n_left : launch->n_lanes);
    wave->mode = GROUP_RUNNER_HSA_MODE;
    wave->index_in_group = (uint8_t)index;
    wave->chip = chip;
    wave->code = &runner->code;
    wave->group = &runner->group;
    wave->dispatch = &runner->dispatch;
    wave->private_stride = launch->scratch_bytes;
    wave->vgpr = zeroed((size_t)VGPR_ROWS * launch->n_lanes * 4);
    wave->private_bytes = calloc(launch->n_lanes, launch->scratch_bytes ? launch->scratch_bytes : 1);
    if (!wave->vgpr || !wave->private_bytes)
        return false;
    for (uint32_t lane = 0; lane < launch->n_lanes; lane++)
        wave->vgpr[lane] = first + lane < launch->n_items ? first + lane : 0;
    wave_mode_changed(wave);
    return true;
}

static bool make_group(struct group_runner *runner, const struct chip *chip, const struct group_launch *launch)
{
    struct workgroup *group = &runner->group;
    uint32_t n_waves = (launch->n_items + launch->n_lanes - 1) / launch->n_lanes;
    group->dispatch = &runner->dispatch;
    group->lds_bytes = launch->lds_bytes;
    group->lds = zeroed(launch->lds_bytes + 64u);
    group->waves = zeroed(n_waves * sizeof *group->waves);
    if (!group->lds || !group->waves)
        return false;
    group->n_waves = n_waves;
    for (uint32_t i = 0; i < n_waves; i++)
        if (!make_wave(runner, chip, launch, i))
            return false;
    return true;
}

static void make_dispatch(struct group_runner *runner, const struct group_launch *launch)
{
    struct dispatch *dispatch = &runner->dispatch;
    dispatch->code = &runner->code;
    dispatch->memory = runner->memory;
    dispatch->reachable = 1;
    for (int i = 0; i < 3; i++)
        dispatch->grid[i] = dispatch->block[i] = 1;
    dispatch->block[0] = launch->n_items;
    dispatch->lds_bytes = launch->lds_bytes;
    dispatch->private_bytes = launch->scratch_bytes;
    dispatch->max_instructions = 10000000;
    dispatch->checks_wanted = CHECKS_BASIC;
    dispatch->findings = runner->findings;
}

struct group_runner *group_runner_open(const struct group_launch *launch, struct error *error)
{
    const struct chip *chip = chip_find(launch->chip);
    if (!chip) {
        error_set(error, STATUS_ENVIRONMENT, "%s is not emulated", launch->chip);
        return NULL;
    }
    struct group_runner *runner = zeroed(sizeof *runner);
    if (!runner) {
        error_set(error, STATUS_ENVIRONMENT, "out of memory");
        return NULL;
    }
    pthread_mutex_init(&runner->dispatch.lock, NULL);
    runner->memory = memory_open();
    make_dispatch(runner, launch);
    if (!runner->memory || !make_group(runner, chip, launch))
        error_set(error, STATUS_ENVIRONMENT, "out of memory for the waves");
    else if (load_code(runner, chip, launch, error))
        return runner;
    group_runner_close(runner);
    return NULL;
}

void group_runner_close(struct group_runner *runner)
{
    if (!runner)
        return;
    for (uint32_t i = 0; i < runner->group.n_waves; i++) {
        free(runner->group.waves[i].vgpr);
        free(runner->group.waves[i].private_bytes);
    }
    free(runner->group.waves);
    free(runner->group.lds);
    code_free(&runner->code);
    if (runner->memory)
        memory_close(runner->memory);
    pthread_mutex_destroy(&runner->dispatch.lock);
    free(runner);
}

uint64_t group_runner_allocate(struct group_runner *runner, size_t n_bytes, const char *name)
{
    uint64_t address = memory_allocate(runner->memory, n_bytes, 0, name);
    if (address)
        memset(memory_host(runner->memory, address, n_bytes), 0, n_bytes);
    return address;
}

uint32_t *group_runner_vgpr(struct group_runner *runner, uint32_t wave, unsigned index)
{
    struct wave *state = &runner->group.waves[wave];
    return state->vgpr + (size_t)index * state->n_lanes;
}

bool group_runner_run(struct group_runner *runner)
{
    workgroup_run(&runner->group);
    return runner->dispatch.n_findings_seen == 0;
}
