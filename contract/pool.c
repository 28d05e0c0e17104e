#include "contract/pool.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "contract/base/clock.h"
#include "contract/turns.h"
#include "contract/work.h"

enum { POLL_MS = 100 };

/* The run looks at its workers more often, but where it is stopped itself, or waits for its output to be read. */
#define STANDSTILL_NS 1000000000u

/* A place for a worker. */
struct slot {
    struct worker worker;
    bool is_ready;        /* its device is open */
    struct turn *turn;    /* the registration that it runs; NULL: it waits for one */
    bool has_begun;       /* a case of it: no failure is the device's, or the compiler's, any longer */
    struct verdict begun; /* what it runs now, */
    uint64_t since_ns;    /* and since when */
    uint64_t start_ns;    /* of the registration */
    double work;          /* of the registration, */
    double done_work;     /* and so far */
};

struct pool {
    struct run *run;
    const struct pool_options *options;
    struct worker_options worker;
    struct turns turns;
    struct slot slots[POOL_MOST_WORKERS];
    uint64_t seen_ns; /* when it last looked at how long they take */
    bool has_failed;
    struct error error;
};

/* Nothing new is started, and what runs is left after its case. */
static void fail(struct pool *pool, const struct error *error)
{
    if (pool->has_failed)
        return;
    pool->has_failed = true;
    pool->error = *error;
    for (int i = 0; i < pool->options->n_workers; i++)
        if (pool->slots[i].turn)
            worker_interrupt(&pool->slots[i].worker);
}

/* No more than there is, whatever a worker tells. */
static void account(struct pool *pool, struct slot *slot, double done_work)
{
    done_work = done_work < slot->work ? done_work : slot->work;
    pool->run->done_work += done_work - slot->done_work;
    slot->done_work = done_work;
}

/* What was not run of it is no work of this run any longer, as in run_registration. */
static void account_rest(struct pool *pool, const struct slot *slot)
{
    pool->run->total_work -= slot->work - slot->done_work;
}

static void check_told(struct pool *pool, bool told)
{
    static const struct error no_memory = {STATUS_ENVIRONMENT,
                                           "out of host memory for what a worker tells; use fewer --workers"};
    if (!told)
        fail(pool, &no_memory);
}

static void finish(struct pool *pool, struct slot *slot, const struct message_end *end)
{
    struct turn *turn = slot->turn;
    const struct message message = {MESSAGE_END, (const unsigned char *)end, sizeof *end};
    slot->turn = NULL;
    check_told(pool, turns_tell(&pool->turns, turn, &message));
    turns_finish(&pool->turns, turn);
}

/* Those that come after what was begun. */
static void tell_controls_left(struct pool *pool, const struct slot *slot)
{
    const struct registry *registry = pool->run->registry;
    bool is_left = slot->begun.subject != SUBJECT_CONTROL;
    for (size_t i = 0; i < registry->n_controls; i++) {
        const struct control *control = registry->controls[i];
        if (strcmp(control->registration, slot->turn->registration->name) != 0)
            continue;
        struct verdict v = control_verdict(control, slot->turn->registration, pool->run->builds.device);
        verdict_reason(&v, "not run: the process that was to run it died before");
        if (is_left)
            check_told(pool, turns_tell_verdict(&pool->turns, slot->turn, &v));
        is_left |= strcmp(control->name, slot->begun.name) == 0;
    }
}

/* The verdict on what the slot's worker, which is gone, was running. */
static void tell_death(struct pool *pool, struct slot *slot, const char *why)
{
    uint64_t now_ns = clock_ns();
    const struct message_end end = {.duration_ns = now_ns - slot->start_ns};
    struct verdict v = slot->begun;
    v.status = VERDICT_DIED;
    v.duration_ns = now_ns - slot->since_ns;
    verdict_reason(&v, "%.900s; what was left of the registration was not run", why);
    check_told(pool, turns_tell_verdict(&pool->turns, slot->turn, &v));
    tell_controls_left(pool, slot);
    account_rest(pool, slot);
    finish(pool, slot, &end);
}

/* The worker is gone. Before its device is open that is no verdict on a kernel. */
static void lose(struct pool *pool, struct slot *slot, const char *why)
{
    struct error error;
    if (!slot->turn)
        return;
    if (slot->is_ready) {
        tell_death(pool, slot, why);
        return;
    }
    slot->turn = NULL;
    error_set(&error, STATUS_ENVIRONMENT, "opening the device: %s", why);
    fail(pool, &error);
}

/* It has ended by itself. */
static void bury(struct pool *pool, struct slot *slot)
{
    char how[200], why[300];
    struct worker_death death = worker_end(&slot->worker);
    worker_death_describe(&death, how, sizeof how);
    snprintf(why, sizeof why, "its process %s", how);
    lose(pool, slot, why);
}

static void end_for(struct pool *pool, struct slot *slot, const char *why)
{
    worker_end(&slot->worker);
    lose(pool, slot, why);
}

static void end_for_time(struct pool *pool, struct slot *slot)
{
    char how[120], why[160];
    worker_late_describe(pool->options->time_limit_ns, how, sizeof how);
    snprintf(why, sizeof why, "it %s", how);
    end_for(pool, slot, why);
}

static void end_for_memory(struct pool *pool, struct slot *slot, const struct error *error)
{
    char why[900], limit[64] = "none";
    if (pool->worker.memory_limit)
        snprintf(limit, sizeof limit, "%" PRIu64 " MiB", pool->worker.memory_limit >> 20);
    snprintf(why, sizeof why, "%.700s (--memory-limit: %s)", error->text, limit);
    end_for(pool, slot, why);
}

static void take_ready(struct pool *pool, struct slot *slot, const struct message *message)
{
    struct message_ready ready;
    memcpy(&ready, message->body, sizeof ready);
    slot->is_ready = ready.ok;
    if (ready.ok)
        return;
    worker_end(&slot->worker);
    slot->turn = NULL;
    fail(pool, &ready.error);
}

static void take_begun(struct pool *pool, struct slot *slot, const struct message *message)
{
    struct message_begun begun;
    memcpy(&begun, message->body, sizeof begun);
    slot->begun = begun.verdict;
    slot->has_begun = true;
    slot->since_ns = clock_ns();
    account(pool, slot, begun.done_work);
    if (*begun.verdict.shape)
        run_show_progress(pool->run, &begun.verdict);
}

/* An environment that fails a case, of which the host's memory is all, is that case's: another may need less. */
static void take_done(struct pool *pool, struct slot *slot, const struct message *message)
{
    struct message_done done;
    memcpy(&done, message->body, sizeof done);
    account(pool, slot, done.done_work);
    if (!done.ok && done.error.status == STATUS_ENVIRONMENT && slot->has_begun) {
        end_for_memory(pool, slot, &done.error);
        return;
    }
    if (slot->done_work == 0)
        account_rest(pool, slot);
    if (done.ok) {
        finish(pool, slot, &done.end);
        return;
    }
    slot->turn = NULL;
    fail(pool, &done.error);
}

static void take_told(struct pool *pool, struct slot *slot, const struct message *message)
{
    check_told(pool, turns_tell(&pool->turns, slot->turn, message));
}

static void (*const takes[MESSAGE_KIND_COUNT])(struct pool *, struct slot *, const struct message *) = {
    [MESSAGE_READY] = take_ready,  [MESSAGE_BEGUN] = take_begun, [MESSAGE_VERDICT] = take_told,
    [MESSAGE_OUTPUTS] = take_told, [MESSAGE_DONE] = take_done,
};

/* A worker's first message, and no later one, is READY. */
static bool is_in_order(const struct slot *slot, const struct message *message)
{
    return (message->kind == MESSAGE_READY) != slot->is_ready;
}

/* Whatever a worker sends, it sends of the registration that it is at. */
static bool is_sound(const struct pool *pool, const struct slot *slot, const struct message *message)
{
    return slot->turn && is_in_order(slot, message) &&
           message_is_sound(message, slot->turn->registration, pool->run->builds.device->chip);
}

/* Takes what the worker has sent, and notices where it has ended. */
static void listen_to(struct pool *pool, struct slot *slot)
{
    struct message message;
    enum message_received received = message_receive(&slot->worker.bytes, slot->worker.socket);
    while (slot->worker.pid) {
        enum message_found found = message_next(&slot->worker.bytes, &message);
        if (found == MESSAGE_NONE)
            break;
        if (found == MESSAGE_FOUND && is_sound(pool, slot, &message))
            takes[message.kind](pool, slot, &message);
        else
            end_for(pool, slot, "its process sent what is no message: its memory is damaged");
    }
    if (received == MESSAGE_LOST && slot->worker.pid)
        end_for(pool, slot, "out of host memory for what its process sends");
    if (received == MESSAGE_ENDED && slot->worker.pid)
        bury(pool, slot);
}

/* Nobody waits for a turn that does not come any more. */
static bool is_listened_to(const struct pool *pool, const struct slot *slot)
{
    bool waits = slot->turn && !pool->has_failed && turns_hold_back(&pool->turns, slot->turn);
    return slot->worker.pid && !waits;
}

/* A worker that had ended before, and of which nothing is to be read, is gone, also where a process that it has started has
 * its socket open. */
static void listen_to_all(struct pool *pool)
{
    struct pollfd sockets[POOL_MOST_WORKERS];
    bool had_ended[POOL_MOST_WORKERS];
    int n = pool->options->n_workers;
    for (int i = 0; i < n; i++) {
        struct slot *slot = &pool->slots[i];
        bool listens = is_listened_to(pool, slot);
        sockets[i] = (struct pollfd){.fd = listens ? slot->worker.socket : -1, .events = POLLIN};
        had_ended[i] = listens && worker_has_ended(&slot->worker);
        if (!listens)
            slot->since_ns = clock_ns();
    }
    poll(sockets, (nfds_t)n, POLL_MS);
    for (int i = 0; i < n; i++)
        if (sockets[i].fd >= 0 && sockets[i].revents)
            listen_to(pool, &pool->slots[i]);
        else if (had_ended[i])
            bury(pool, &pool->slots[i]);
}

/* While the run stands still, what a worker tells is not heard: that time is not its own. */
static void discount_standstill(struct pool *pool, uint64_t now_ns)
{
    uint64_t stood_ns = now_ns - pool->seen_ns;
    pool->seen_ns = now_ns;
    for (int i = 0; i < pool->options->n_workers && stood_ns > STANDSTILL_NS; i++) {
        uint64_t since_ns = pool->slots[i].since_ns + stood_ns;
        pool->slots[i].since_ns = since_ns < now_ns ? since_ns : now_ns;
    }
}

static void check_times(struct pool *pool)
{
    uint64_t now_ns = clock_ns(), limit_ns = pool->options->time_limit_ns;
    discount_standstill(pool, now_ns);
    for (int i = 0; i < pool->options->n_workers && limit_ns; i++) {
        struct slot *slot = &pool->slots[i];
        if (slot->turn && now_ns > slot->since_ns && now_ns - slot->since_ns > limit_ns)
            end_for_time(pool, slot);
    }
}

static void check_interrupt(struct pool *pool)
{
    struct error error;
    if (!pool->has_failed && run_is_interrupted(pool->run, &error))
        fail(pool, &error);
}

/* As far as it is known before anything of it has begun. */
static struct verdict verdict_on(const struct pool *pool, const struct registration *registration)
{
    const struct device *device = pool->run->builds.device;
    struct verdict v = {.subject = SUBJECT_GATE, .status = VERDICT_NOT_RUN, .gate = GATE_BYTES, .worst.index = -1};
    snprintf(v.chip, sizeof v.chip, "%s", device->chip);
    snprintf(v.device, sizeof v.device, "%s", device->kind);
    verdict_registration(&v, registration);
    return v;
}

static bool ensure_worker(struct pool *pool, struct slot *slot)
{
    struct error error;
    if (slot->worker.pid)
        return true;
    slot->is_ready = false;
    bool ok = worker_start(&slot->worker, &pool->worker, &error);
    if (!ok)
        fail(pool, &error);
    return ok;
}

static void start(struct pool *pool, struct slot *slot, struct turn *turn)
{
    slot->turn = turn;
    slot->has_begun = false;
    slot->begun = verdict_on(pool, turn->registration);
    slot->since_ns = slot->start_ns = clock_ns();
    slot->work = work_of_registration(turn->registration, pool->run->options);
    slot->done_work = 0;
    slot->worker.bytes.most_outputs = message_most_outputs(turn->registration);
    worker_run(&slot->worker, turn->index);
}

/* Gives those who wait something to run. */
static void start_waiting(struct pool *pool)
{
    for (int i = 0; i < pool->options->n_workers && !pool->has_failed; i++) {
        struct slot *slot = &pool->slots[i];
        struct turn *turn = slot->turn ? NULL : turns_next(&pool->turns);
        if (turn && ensure_worker(pool, slot))
            start(pool, slot, turn);
    }
}

static bool is_at_work(const struct pool *pool)
{
    for (int i = 0; i < pool->options->n_workers; i++)
        if (pool->slots[i].turn)
            return true;
    return !pool->has_failed && pool->turns.at < pool->turns.n;
}

static void close_pool(struct pool *pool)
{
    for (int i = 0; i < pool->options->n_workers; i++)
        if (pool->slots[i].worker.pid)
            worker_end(&pool->slots[i].worker);
    turns_close(&pool->turns);
}

static struct worker_options options_of_workers(const struct run *run, const struct pool_options *options)
{
    struct worker_options worker = options->worker;
    int n_threads = run->options->n_threads / options->n_workers;
    worker.n_threads = n_threads > 1 ? n_threads : 1;
    worker.run = run;
    return worker;
}

bool pool_run(struct run *run, const struct pool_options *options, struct error *error)
{
    struct pool pool = {.run = run, .options = options, .worker = options_of_workers(run, options)};
    run_open(run);
    bool ok = turns_open(&pool.turns, run, options->most_kept_bytes, &pool.error);
    pool.seen_ns = clock_ns();
    while (ok && is_at_work(&pool)) {
        check_interrupt(&pool);
        start_waiting(&pool);
        listen_to_all(&pool);
        check_times(&pool);
    }
    close_pool(&pool);
    if ((!ok || pool.has_failed) && error)
        *error = pool.error;
    return ok && !pool.has_failed;
}
