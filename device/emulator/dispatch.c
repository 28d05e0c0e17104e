#include "device/emulator/dispatch.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "contract/base/parallel.h"
#include "contract/base/random.h"
#include "device/emulator/memory_order.h"
#include "device/emulator/sanitizer/profile.h"
#include "device/emulator/sanitizer/sanitizer.h"
#include "device/emulator/wave_start.h"

enum { LDS_PAD_BYTES = 64, STORAGE_ALIGNMENT = 64 };

/* Zeroed bytes that grow as launches need them. */
struct block {
    void *bytes;
    size_t n_bytes;
};

/* What one host thread runs a workgroup in. */
struct worker {
    struct block waves, vgprs, private_bytes, lds;
    struct group_checks *checks;         /* of this launch; NULL: none */
    struct instruction_profile *profile; /* likewise */
};

/* Workgroups that run together on one host thread have a worker each, too. */
enum { MAX_TOGETHER = 256 };

struct dispatch_storage {
    int n_threads;
    struct worker *workers; /* n_workers */
    int n_workers;
};

struct dispatch_storage *dispatch_storage_open(int n_threads)
{
    struct dispatch_storage *storage = calloc(1, sizeof *storage);
    if (!storage)
        return NULL;
    storage->n_threads = n_threads < 1 ? 1 : n_threads;
    storage->n_workers = storage->n_threads > MAX_TOGETHER ? storage->n_threads : MAX_TOGETHER;
    storage->workers = calloc((size_t)storage->n_workers, sizeof *storage->workers);
    if (!storage->workers) {
        free(storage);
        return NULL;
    }
    return storage;
}

void dispatch_storage_close(struct dispatch_storage *storage)
{
    if (!storage)
        return;
    for (int i = 0; i < storage->n_workers; i++) {
        free(storage->workers[i].waves.bytes);
        free(storage->workers[i].vgprs.bytes);
        free(storage->workers[i].private_bytes.bytes);
        free(storage->workers[i].lds.bytes);
    }
    free(storage->workers);
    free(storage);
}

/* False, and the block as it was, when the host has no more. */
static bool block_hold(struct block *block, size_t n_bytes)
{
    if (n_bytes <= block->n_bytes)
        return true;
    size_t rounded = (n_bytes + STORAGE_ALIGNMENT - 1) & ~(size_t)(STORAGE_ALIGNMENT - 1);
    void *bytes = aligned_alloc(STORAGE_ALIGNMENT, rounded);
    if (!bytes)
        return false;
    memset(bytes, 0, rounded);
    free(block->bytes);
    *block = (struct block){bytes, rounded};
    return true;
}

/* One launch as its workers see it. */
struct run {
    struct dispatch_storage *storage;
    const struct launch *launch;
    struct dispatch *dispatch;
    struct wave_setup setup;
    uint32_t n_waves;
    uint64_t n_groups;
    uint64_t factor, shift; /* of the order: rank -> rank * factor + shift modulo n_groups */
    atomic_uint_least64_t next_rank;
    atomic_bool out_of_memory;
};

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The natural order for seed 0, else an affine permutation: a factor prime to n_groups, and a shift. */
static void set_order(struct run *run)
{
    run->factor = 1;
    if (run->launch->schedule_seed == 0 || run->n_groups < 2)
        return;
    struct random_key key = random_key_for(run->launch->schedule_seed, "workgroups");
    run->shift = random_bits(key, 0) % run->n_groups;
    run->factor = random_bits(key, 1) % run->n_groups;
    while (greatest_common_divisor(run->factor, run->n_groups) != 1)
        run->factor = (run->factor + 1) % run->n_groups;
}

static uint64_t group_of_rank(const struct run *run, uint64_t rank)
{
    return (uint64_t)(((unsigned __int128)rank * run->factor + run->shift) % run->n_groups);
}

static uint64_t schedule_of_group(const struct run *run, uint64_t group)
{
    uint64_t seed = run->launch->schedule_seed;
    return seed ? random_bits(random_key_for(seed, "waves"), group) | 1 : 0;
}

static bool prepare_worker(const struct run *run, struct worker *worker)
{
    size_t n_lanes = run->launch->code->n_lanes, wave_dwords = VGPR_ROWS * n_lanes;
    size_t wave_private = run->dispatch->private_bytes * n_lanes;
    if (!block_hold(&worker->waves, run->n_waves * sizeof(struct wave)) ||
        !block_hold(&worker->vgprs, run->n_waves * wave_dwords * sizeof(uint32_t)) ||
        !block_hold(&worker->private_bytes, run->n_waves * wave_private) ||
        !block_hold(&worker->lds, run->dispatch->lds_bytes + (size_t)LDS_PAD_BYTES))
        return false;
    struct wave *waves = worker->waves.bytes;
    for (uint32_t i = 0; i < run->n_waves; i++) {
        waves[i].vgpr = (uint32_t *)worker->vgprs.bytes + i * wave_dwords;
        waves[i].private_bytes = wave_private ? (uint8_t *)worker->private_bytes.bytes + i * wave_private : NULL;
    }
    return true;
}

static void start_profile(struct worker *worker, struct wave *wave)
{
    wave->profile = worker->profile;
    wave->watched |= worker->profile != NULL;
}

static void start_checks(const struct run *run, struct worker *worker, struct workgroup *group)
{
    if (!worker->checks)
        return;
    const struct start_poison poison = {.vgpr = run->setup.poison[POISON_VGPR], .sgpr = run->setup.poison[POISON_SGPR]};
    sanitizer_group_start(group, worker->checks, &poison);
}

static struct workgroup start_group(const struct run *run, const struct worker *worker, uint64_t rank)
{
    uint64_t index = group_of_rank(run, rank);
    const uint32_t *grid = run->launch->grid;
    return (struct workgroup){
        .dispatch = run->dispatch,
        .id = {(uint32_t)(index % grid[0]), (uint32_t)(index / grid[0] % grid[1]), (uint32_t)(index / grid[0] / grid[1])},
        .n_waves = run->n_waves,
        .waves = worker->waves.bytes,
        .lds = worker->lds.bytes,
        .lds_bytes = run->dispatch->lds_bytes,
        .rank = rank,
        .schedule = schedule_of_group(run, index),
    };
}

static void start_waves(const struct run *run, struct worker *worker, struct workgroup *group)
{
    poison_fill(group->lds, group->lds_bytes, run->setup.poison[POISON_LDS]);
    for (uint32_t i = 0; i < run->n_waves; i++)
        wave_start(&group->waves[i], group, &run->setup, i);
    start_checks(run, worker, group);
    for (uint32_t i = 0; i < run->n_waves; i++)
        start_profile(worker, &group->waves[i]);
}

static void run_group(struct run *run, struct worker *worker, uint64_t rank)
{
    struct workgroup group = start_group(run, worker, rank);
    start_waves(run, worker, &group);
    workgroup_run(&group);
    if (group.checks)
        sanitizer_group_end(&group);
}

struct tally {
    uint64_t executed, lanes, longest;
};

static void add_waves(const struct run *run, const struct worker *worker, struct tally *tally)
{
    const struct wave *waves = worker->waves.bytes;
    for (uint32_t i = 0; i < run->n_waves; i++) {
        tally->executed += waves[i].n_executed;
        tally->lanes += waves[i].n_lanes_executed;
        tally->longest = waves[i].n_executed > tally->longest ? waves[i].n_executed : tally->longest;
    }
}

static void add_tally(struct run *run, const struct tally *tally)
{
    pthread_mutex_lock(&run->dispatch->lock);
    run->dispatch->n_executed += tally->executed;
    run->dispatch->n_lanes_executed += tally->lanes;
    if (tally->longest > run->dispatch->longest_wave)
        run->dispatch->longest_wave = tally->longest;
    pthread_mutex_unlock(&run->dispatch->lock);
}

static bool open_watchers(const struct run *run, struct worker *worker)
{
    worker->profile = run->launch->profile ? profile_open(run->launch->code->n_instructions) : NULL;
    return (worker->profile || !run->launch->profile) && sanitizer_group_open(run->dispatch, run->n_waves, &worker->checks);
}

/* False when the host is out of memory; close_worker must follow either way. */
static bool open_worker(struct run *run, struct worker *worker)
{
    bool ok = prepare_worker(run, worker) && open_watchers(run, worker);
    if (!ok)
        atomic_store(&run->out_of_memory, true);
    return ok;
}

static void close_worker(struct run *run, struct worker *worker)
{
    if (worker->profile) {
        pthread_mutex_lock(&run->dispatch->lock);
        profile_add(run->launch->profile, worker->profile, run->launch->code->n_instructions);
        pthread_mutex_unlock(&run->dispatch->lock);
    }
    sanitizer_group_close(worker->checks);
    free(worker->profile);
    worker->checks = NULL;
    worker->profile = NULL;
}

static bool is_abandoned(const struct run *run)
{
    return __atomic_load_n(&run->dispatch->abandoned, __ATOMIC_ACQUIRE);
}

static void work(void *context, int64_t item)
{
    struct run *run = context;
    struct worker *worker = &run->storage->workers[item];
    struct tally tally = {0};
    bool ok = open_worker(run, worker);
    /* Ranks are handed out in order, so every one below an abandoning workgroup's is taken by then. */
    while (ok && !is_abandoned(run)) {
        uint64_t rank = atomic_fetch_add(&run->next_rank, 1);
        if (rank >= run->n_groups)
            break;
        run_group(run, worker, rank);
        add_waves(run, worker, &tally);
    }
    close_worker(run, worker);
    add_tally(run, &tally);
}

/*
 * Launches whose workgroups can see each other's work: all on one host thread, several under way at a time. With a schedule
 * a random one makes the next step. Without, one after another in order, and the next begins early only where all under way
 * poll for what others have to do.
 */
struct together {
    struct run *run;
    struct workgroup groups[MAX_TOGETHER]; /* group i is in worker i */
    bool live[MAX_TOGETHER];
    unsigned n_live, n_wanted, n_open; /* groups under way; that shall be; workers in use */
    uint64_t n_steps, n_steps_at_end;  /* steps made in all, and when a group last ended */
    struct random_key key;             /* of the schedule's choices among groups */
    struct tally tally;
};

enum {
    SCHEDULED_TOGETHER = 8,
    STALL_STEPS = 1 << 16, /* without any group's end: more groups may be needed for these to go on */
};

static bool start_next(struct together *together)
{
    struct run *run = together->run;
    unsigned slot = 0;
    while (slot < MAX_TOGETHER && together->live[slot])
        slot++;
    uint64_t rank = atomic_load(&run->next_rank);
    if (slot == MAX_TOGETHER || rank >= run->n_groups || is_abandoned(run) || atomic_load(&run->out_of_memory))
        return false;
    struct worker *worker = &run->storage->workers[slot];
    if (slot == together->n_open) {
        together->n_open++;
        if (!open_worker(run, worker))
            return false;
    }
    atomic_store(&run->next_rank, rank + 1);
    together->groups[slot] = start_group(run, worker, rank);
    start_waves(run, worker, &together->groups[slot]);
    together->live[slot] = true;
    together->n_live++;
    return true;
}

static void end_group(struct together *together, unsigned slot)
{
    struct workgroup *group = &together->groups[slot];
    if (group->checks)
        sanitizer_group_end(group);
    add_waves(together->run, &together->run->storage->workers[slot], &together->tally);
    together->live[slot] = false;
    together->n_live--;
    together->n_steps_at_end = together->n_steps;
}

/* The n-th live group from slot `from` on, around. */
static unsigned live_slot(const struct together *together, unsigned from, unsigned n)
{
    unsigned slot = from % MAX_TOGETHER;
    while (!together->live[slot] || n-- > 0)
        slot = (slot + 1) % MAX_TOGETHER;
    return slot;
}

static void step_together(struct together *together, unsigned *slot)
{
    uint64_t seed = together->run->launch->schedule_seed;
    if (seed)
        *slot = live_slot(together, 0, random_below(together->key, together->n_steps, together->n_live));
    else
        *slot = live_slot(together, *slot, 0);
    together->n_steps++;
    enum workgroup_state state = workgroup_step(&together->groups[*slot]);
    bool stalls = seed && together->n_steps - together->n_steps_at_end == STALL_STEPS;
    if (state == WORKGROUP_OVER)
        end_group(together, *slot);
    if ((state == WORKGROUP_POLLS || stalls) && together->n_wanted < MAX_TOGETHER)
        together->n_wanted++;
    if (state == WORKGROUP_POLLS)
        *slot += 1;
    if (stalls)
        together->n_steps_at_end = together->n_steps;
}

static void run_together(struct run *run)
{
    struct together *together = calloc(1, sizeof *together);
    if (!together) {
        atomic_store(&run->out_of_memory, true);
        return;
    }
    together->run = run;
    together->key = random_key_for(run->launch->schedule_seed, "together");
    together->n_wanted = run->launch->schedule_seed ? SCHEDULED_TOGETHER : 1;
    for (unsigned slot = 0;;) {
        while (together->n_live < together->n_wanted && start_next(together))
            continue;
        if (!together->n_live)
            break;
        step_together(together, &slot);
    }
    for (unsigned i = 0; i < together->n_open; i++)
        close_worker(run, &run->storage->workers[i]);
    add_tally(run, &together->tally);
    free(together);
}

static bool sees_others(const struct instruction *in)
{
    return in->class == CLASS_ATOMIC || in->ordering & MEMORY_COHERENT;
}

static bool acquires(const struct instruction *in)
{
    return in->ordering & MEMORY_INVALIDATES;
}

/* Whether the kernel has such an instruction, or calls what may. */
static bool kernel_has(const struct launch *launch, bool (*wanted)(const struct instruction *in))
{
    const struct emulated_code *code = launch->code;
    uint64_t first = launch->kernel->entry_address, n_bytes = launch->kernel->code_bytes;
    if (!code_stays_within(code, first, n_bytes))
        return true;
    uint32_t i = code_index(code, code->load_address + first);
    for (; i < code->n_instructions && code->instructions[i].offset_bytes - first < n_bytes; i++)
        if (wanted(&code->instructions[i]))
            return true;
    return false;
}

/* Whether results may depend on the order in which workgroups reach memory. */
static bool order_matters(const struct launch *launch)
{
    return launch->code->has_global_atomics && kernel_has(launch, sees_others);
}

static bool dispatch_init(struct dispatch *dispatch, const struct launch *launch)
{
    bool serial = order_matters(launch);
    *dispatch = (struct dispatch){
        .code = launch->code,
        .kernel = launch->kernel,
        .memory = launch->memory,
        .device = launch->device,
        .reachable = launch->reachable,
        .lds_bytes = launch->kernel->descriptor.group_segment_bytes + launch->dynamic_lds_bytes,
        .private_bytes = dispatch_private_bytes(launch->kernel),
        .kernarg_address = launch->kernarg_address,
        .packet_address = launch->packet_address,
        .queue_address = launch->queue_address,
        .schedule_seed = launch->schedule_seed,
        .max_instructions = launch->max_instructions,
        .approx_seed = launch->approx_seed,
        .matrix_model = launch->matrix_model,
        .serial = serial,
        .acquires = serial && launch->code->has_acquires && kernel_has(launch, acquires),
        .checks_wanted = launch->checks,
        .measures_depth = launch->measures_depth,
        .findings = calloc(FINDINGS_KEPT, sizeof(struct finding)),
    };
    memcpy(dispatch->grid, launch->grid, sizeof dispatch->grid);
    memcpy(dispatch->block, launch->block, sizeof dispatch->block);
    return dispatch->findings && pthread_mutex_init(&dispatch->lock, NULL) == 0;
}

static void leave_out_later(struct dispatch *dispatch)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < dispatch->n_findings; i++) {
        if (dispatch->finding_rank[i] > dispatch->abandoned_rank)
            continue;
        dispatch->finding_rank[n] = dispatch->finding_rank[i];
        if (n != i)
            dispatch->findings[n] = dispatch->findings[i];
        n++;
    }
    dispatch->n_findings = n;
}

/* Leaves out what workgroups after the abandoning one did, which depends on threads, and keeps what abandoned the launch.
 */
static void settle_abandoned(struct dispatch *dispatch)
{
    if (!dispatch->abandoned)
        return;
    leave_out_later(dispatch);
    const struct finding *last = &dispatch->abandoned_by;
    uint32_t n_faults = finding_n_faults(dispatch);
    bool kept = false;
    for (uint32_t i = 0; i < n_faults; i++)
        kept = kept || strcmp(dispatch->findings[i].text, last->text) == 0;
    if (!kept)
        dispatch->findings[FINDINGS_OF_A_SORT - 1] = *last; /* there were as many faults before it */
    dispatch->n_findings_seen = dispatch->n_findings;
    dispatch->n_notes_seen = dispatch->n_findings - n_faults;
    dispatch->kinds_found = 1u << last->kind;
}

/* The error that a runtime would report; the gravest kind decides. */
static hipError_t result_of(const struct dispatch *dispatch)
{
    static const struct {
        enum finding_kind kind;
        hipError_t error;
    } errors[] = {
        {FINDING_UNSUPPORTED, hipErrorLaunchFailure}, {FINDING_WATCHDOG, hipErrorLaunchTimeOut},
        {FINDING_TRAP, hipErrorLaunchFailure},        {FINDING_MEM, hipErrorIllegalAddress},
        {FINDING_SYNC, hipErrorLaunchFailure},        {FINDING_RACE, hipErrorLaunchFailure},
        {FINDING_INIT, hipErrorLaunchFailure},        {FINDING_WAIT, hipErrorLaunchFailure},
    };
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (dispatch->kinds_found >> errors[i].kind & 1)
            return errors[i].error;
    return hipSuccess;
}

bool dispatch_run(struct dispatch_storage *storage, const struct launch *launch, struct dispatch *dispatch)
{
    if (!dispatch_init(dispatch, launch))
        return false;
    if (!sanitizer_dispatch_open(dispatch)) {
        sanitizer_dispatch_close(dispatch);
        return false;
    }
    uint32_t n_items = launch->block[0] * launch->block[1] * launch->block[2], n_lanes = launch->code->n_lanes;
    struct run run = {
        .storage = storage,
        .launch = launch,
        .dispatch = dispatch,
        .setup = wave_setup_for(launch),
        .n_waves = (n_items + n_lanes - 1) / n_lanes,
        .n_groups = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2],
    };
    set_order(&run);
    uint64_t n_workers = (uint64_t)storage->n_threads > run.n_groups ? run.n_groups : (uint64_t)storage->n_threads;
    if (dispatch->serial)
        run_together(&run);
    else
        parallel_for((int)n_workers, (int64_t)n_workers, work, &run);
    sanitizer_dispatch_close(dispatch);
    settle_abandoned(dispatch);
    dispatch->result = result_of(dispatch);
    return !atomic_load(&run.out_of_memory);
}

void dispatch_release(struct dispatch *dispatch)
{
    if (dispatch->findings)
        pthread_mutex_destroy(&dispatch->lock);
    free(dispatch->findings);
    dispatch->findings = NULL;
}
