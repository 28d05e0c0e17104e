#include "contract/pool.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/base/clock.h"
#include "contract/work.h"

enum { POLL_MS = 100 };
/* A registration whose turn is not yet there may have so much told of it; then its worker waits. */
#define MOST_KEPT_BYTES ((size_t)256 << 20)

/* A selected registration, in the order in which the stream gets them. */
struct job {
    size_t index; /* in the registry */
    const struct registration *registration;
    bool is_done;
    bool has_begun;            /* a case: what is not the device's failure, or the compiler's */
    struct verdict begun;      /* what runs now */
    double done_work;          /* of it so far */
    uint64_t start_ns;         /* of the registration */
    struct message_bytes kept; /* told before its turn */
};

/* A place for a worker. */
struct slot {
    struct worker worker;
    bool is_ready;     /* its device is open */
    struct job *job;   /* NULL: it waits for one */
    uint64_t since_ns; /* that it runs what it has begun */
};

struct pool {
    struct run *run;
    const struct pool_options *options;
    struct worker_options worker;
    struct job *jobs;
    size_t n_jobs, next, turn; /* next to be started, and whose verdicts go into the stream as they come */
    struct slot slots[POOL_MOST_WORKERS];
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
        if (pool->slots[i].job)
            worker_interrupt(&pool->slots[i].worker);
}

static void account(struct pool *pool, struct job *job, double done_work)
{
    pool->run->done_work += done_work - job->done_work;
    job->done_work = done_work;
}

/* What was not run of it is no work of this run any longer, as in run_registration. */
static void account_rest(struct pool *pool, const struct job *job)
{
    pool->run->total_work -= work_of_registration(job->registration, pool->run->options) - job->done_work;
}

static void put_outputs(const struct pool *pool, const struct job *job, const struct message *message)
{
    struct arena arena = {0};
    struct reg_plan plan;
    struct case_outputs outputs;
    if (message_read_outputs(message, job->registration, &arena, &plan, &outputs)) {
        outputs.chip = pool->run->builds.device->chip;
        stream_put_outputs(pool->run->stream, &outputs);
    }
    arena_free(&arena);
}

static void put_verdict(const struct pool *pool, const struct message *message)
{
    struct verdict verdict;
    memcpy(&verdict, message->body, sizeof verdict);
    stream_put(pool->run->stream, &verdict);
}

static void put_end(const struct pool *pool, const struct job *job, const struct message *message)
{
    struct message_end end;
    memcpy(&end, message->body, sizeof end);
    stream_registration_end(pool->run->stream, &(struct registration_end){.registration = job->registration->name,
                                                                          .chip = pool->run->builds.device->chip,
                                                                          .duration_ns = end.duration_ns,
                                                                          .replayed = end.replayed});
}

static void put(const struct pool *pool, const struct job *job, const struct message *message)
{
    if (message->kind == MESSAGE_VERDICT)
        put_verdict(pool, message);
    else if (message->kind == MESSAGE_OUTPUTS)
        put_outputs(pool, job, message);
    else
        put_end(pool, job, message);
}

/* Into the stream, or kept for the job's turn. */
static void tell(struct pool *pool, struct job *job, const struct message *message)
{
    static const struct error no_memory = {STATUS_ENVIRONMENT,
                                           "out of host memory for what a worker tells; use fewer --workers"};
    if (job == &pool->jobs[pool->turn])
        put(pool, job, message);
    else if (!message_keep(&job->kept, message))
        fail(pool, &no_memory);
}

static void tell_verdict(struct pool *pool, struct job *job, const struct verdict *verdict)
{
    tell(pool, job, &(struct message){MESSAGE_VERDICT, (const unsigned char *)verdict, sizeof *verdict});
}

/* A job gets its turn: what was kept of it comes first. Those that have no work here are said to have none. */
static void pass_turn(struct pool *pool)
{
    struct error error = {0};
    struct message message;
    while (pool->turn < pool->n_jobs && pool->jobs[pool->turn].is_done) {
        if (++pool->turn == pool->n_jobs)
            return;
        struct job *job = &pool->jobs[pool->turn];
        while (message_next(&job->kept, &message) == MESSAGE_FOUND)
            put(pool, job, &message);
        message_bytes_free(&job->kept);
        if (!run_takes_part(pool->run, job->index))
            job->is_done = run_registration(pool->run, job->index, &error);
    }
}

static void finish_job(struct slot *slot)
{
    slot->job->is_done = true;
    slot->job = NULL;
}

/* Those that come after what was begun. */
static void tell_controls_left(struct pool *pool, struct job *job)
{
    const struct registry *registry = pool->run->registry;
    bool is_left = job->begun.subject != SUBJECT_CONTROL;
    for (size_t i = 0; i < registry->n_controls; i++) {
        const struct control *control = registry->controls[i];
        if (strcmp(control->registration, job->registration->name) != 0)
            continue;
        struct verdict v = control_verdict(control, job->registration, pool->run->builds.device);
        verdict_reason(&v, "not run: the process that was to run it died before");
        if (is_left)
            tell_verdict(pool, job, &v);
        is_left |= strcmp(control->name, job->begun.name) == 0;
    }
}

/* The verdict on what the slot's worker, which is gone, was running. */
static void tell_death(struct pool *pool, struct slot *slot, const char *why)
{
    struct job *job = slot->job;
    uint64_t now_ns = clock_ns();
    struct message_end end = {.duration_ns = now_ns - job->start_ns};
    struct verdict v = job->begun;
    v.status = VERDICT_DIED;
    v.duration_ns = now_ns - slot->since_ns;
    verdict_reason(&v, "%.900s; what was left of the registration was not run", why);
    tell_verdict(pool, job, &v);
    tell_controls_left(pool, job);
    tell(pool, job, &(struct message){MESSAGE_END, (const unsigned char *)&end, sizeof end});
    account_rest(pool, job);
    finish_job(slot);
}

/* A worker has ended by itself. Before its device is open that is no verdict on a kernel. */
static void bury(struct pool *pool, struct slot *slot)
{
    char how[200], why[300];
    struct worker_death death = worker_end(&slot->worker);
    worker_death_describe(&death, how, sizeof how);
    snprintf(why, sizeof why, "its process %s", how);
    if (slot->job && slot->is_ready)
        tell_death(pool, slot, why);
    else if (slot->job) {
        struct error error;
        error_set(&error, STATUS_ENVIRONMENT, "the process that opened the device %s", how);
        slot->job = NULL;
        fail(pool, &error);
    }
}

static void end_for(struct pool *pool, struct slot *slot, const char *why)
{
    worker_end(&slot->worker);
    if (slot->job)
        tell_death(pool, slot, why);
}

static void end_for_time(struct pool *pool, struct slot *slot)
{
    char why[160];
    snprintf(why, sizeof why, "it took longer than %" PRIu64 " s and was ended (--time-limit)",
             pool->options->time_limit_ns / 1000000000);
    end_for(pool, slot, why);
}

static void end_for_memory(struct pool *pool, struct slot *slot, const struct error *error)
{
    char why[900], limit[64] = "which is none";
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
    slot->job = NULL;
    fail(pool, &ready.error);
}

static void take_begun(struct pool *pool, struct slot *slot, const struct message *message)
{
    struct message_begun begun;
    memcpy(&begun, message->body, sizeof begun);
    slot->job->begun = begun.verdict;
    slot->job->has_begun = true;
    slot->since_ns = clock_ns();
    account(pool, slot->job, begun.done_work);
    if (*begun.verdict.shape)
        run_show_progress(pool->run, &begun.verdict);
}

/* An environment that fails a case, of which the host's memory is all, is that case's: another may need less. */
static void take_done(struct pool *pool, struct slot *slot, const struct message *message)
{
    struct message_done done;
    memcpy(&done, message->body, sizeof done);
    account(pool, slot->job, done.done_work);
    if (!done.ok && done.error.status == STATUS_ENVIRONMENT && slot->job->has_begun) {
        end_for_memory(pool, slot, &done.error);
        return;
    }
    if (slot->job->done_work == 0)
        account_rest(pool, slot->job);
    if (done.ok) {
        finish_job(slot);
        return;
    }
    slot->job = NULL;
    fail(pool, &done.error);
}

static void take_told(struct pool *pool, struct slot *slot, const struct message *message)
{
    tell(pool, slot->job, message);
}

static bool is_of(const struct pool *pool, const struct job *job, const struct verdict *verdict)
{
    return message_verdict_is_sound(verdict) && strcmp(verdict->chip, pool->run->builds.device->chip) == 0 &&
           strncmp(verdict->registration, job->registration->name, sizeof verdict->registration - 1) == 0;
}

static bool error_is_sound(const struct error *error)
{
    return (int)error->status >= STATUS_OK && error->status <= STATUS_UNSUPPORTED &&
           message_text_ends(error->text, sizeof error->text);
}

static bool ready_is_sound(const struct pool *pool, const struct job *job, const struct message *message)
{
    struct message_ready ready;
    (void)pool, (void)job;
    memcpy(&ready, message->body, sizeof ready);
    return error_is_sound(&ready.error);
}

static bool begun_is_sound(const struct pool *pool, const struct job *job, const struct message *message)
{
    struct message_begun begun;
    memcpy(&begun, message->body, sizeof begun);
    return is_of(pool, job, &begun.verdict);
}

static bool verdict_is_sound(const struct pool *pool, const struct job *job, const struct message *message)
{
    struct verdict verdict;
    memcpy(&verdict, message->body, sizeof verdict);
    return is_of(pool, job, &verdict);
}

static bool outputs_are_sound(const struct pool *pool, const struct job *job, const struct message *message)
{
    struct arena arena = {0};
    struct reg_plan plan;
    struct case_outputs outputs;
    (void)pool;
    bool sound = message_read_outputs(message, job->registration, &arena, &plan, &outputs);
    arena_free(&arena);
    return sound;
}

static bool done_is_sound(const struct pool *pool, const struct job *job, const struct message *message)
{
    struct message_done done;
    (void)pool, (void)job;
    memcpy(&done, message->body, sizeof done);
    return error_is_sound(&done.error);
}

static const struct {
    bool (*is_sound)(const struct pool *pool, const struct job *job, const struct message *message); /* NULL: always */
    void (*take)(struct pool *pool, struct slot *slot, const struct message *message);
} messages[MESSAGE_KIND_COUNT] = {
    [MESSAGE_READY] = {ready_is_sound, take_ready},
    [MESSAGE_BEGUN] = {begun_is_sound, take_begun},
    [MESSAGE_VERDICT] = {verdict_is_sound, take_told},
    [MESSAGE_OUTPUTS] = {outputs_are_sound, take_told},
    [MESSAGE_END] = {NULL, take_told},
    [MESSAGE_DONE] = {done_is_sound, take_done},
};

/* Whatever a worker sends, it sends of the registration that it is at. */
static bool is_sound(const struct pool *pool, const struct job *job, const struct message *message)
{
    return job && (!messages[message->kind].is_sound || messages[message->kind].is_sound(pool, job, message));
}

/* Takes what the worker has sent, and notices where it has ended. */
static void listen_to(struct pool *pool, struct slot *slot)
{
    struct message message;
    bool is_open = message_receive(&slot->worker.bytes, slot->worker.socket);
    while (slot->worker.pid) {
        enum message_found found = message_next(&slot->worker.bytes, &message);
        if (found == MESSAGE_NONE)
            break;
        if (found == MESSAGE_FOUND && is_sound(pool, slot->job, &message))
            messages[message.kind].take(pool, slot, &message);
        else
            end_for(pool, slot, "its process sent what is no message: its memory is damaged");
    }
    if (!is_open && slot->worker.pid)
        bury(pool, slot);
}

/* Its job is not at its turn and has told much. */
static bool is_held_back(const struct pool *pool, const struct slot *slot)
{
    return slot->job && slot->job != &pool->jobs[pool->turn] && slot->job->kept.n_bytes > MOST_KEPT_BYTES;
}

static void listen_to_all(struct pool *pool)
{
    struct pollfd sockets[POOL_MOST_WORKERS];
    int n = pool->options->n_workers;
    for (int i = 0; i < n; i++) {
        struct slot *slot = &pool->slots[i];
        bool listens = slot->worker.pid && !is_held_back(pool, slot);
        sockets[i] = (struct pollfd){.fd = listens ? slot->worker.socket : -1, .events = POLLIN};
        if (!listens)
            slot->since_ns = clock_ns();
    }
    poll(sockets, (nfds_t)n, POLL_MS);
    for (int i = 0; i < n; i++)
        if (sockets[i].fd >= 0 && sockets[i].revents)
            listen_to(pool, &pool->slots[i]);
}

static void check_times(struct pool *pool)
{
    uint64_t now_ns = clock_ns(), limit_ns = pool->options->time_limit_ns;
    for (int i = 0; i < pool->options->n_workers && limit_ns; i++) {
        struct slot *slot = &pool->slots[i];
        if (slot->job && now_ns > slot->since_ns && now_ns - slot->since_ns > limit_ns)
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
static struct verdict verdict_on(const struct pool *pool, const struct job *job)
{
    const struct device *device = pool->run->builds.device;
    struct verdict v = {.subject = SUBJECT_GATE, .status = VERDICT_NOT_RUN, .gate = GATE_BYTES, .worst.index = -1};
    snprintf(v.chip, sizeof v.chip, "%s", device->chip);
    snprintf(v.device, sizeof v.device, "%s", device->kind);
    verdict_registration(&v, job->registration);
    return v;
}

static struct job *next_job(struct pool *pool)
{
    while (pool->next < pool->n_jobs && !run_takes_part(pool->run, pool->jobs[pool->next].index))
        pool->next++;
    return pool->next < pool->n_jobs && !pool->has_failed ? &pool->jobs[pool->next] : NULL;
}

static void start(struct pool *pool, struct slot *slot, struct job *job)
{
    struct error error;
    if (!slot->worker.pid) {
        slot->is_ready = false;
        if (!worker_start(&slot->worker, &pool->worker, &error)) {
            fail(pool, &error);
            return;
        }
    }
    slot->job = job;
    slot->since_ns = job->start_ns = clock_ns();
    job->begun = verdict_on(pool, job);
    worker_run(&slot->worker, job->index);
    pool->next++;
}

static void start_jobs(struct pool *pool)
{
    for (int i = 0; i < pool->options->n_workers; i++) {
        struct job *job = pool->slots[i].job ? NULL : next_job(pool);
        if (job)
            start(pool, &pool->slots[i], job);
    }
}

static bool is_at_work(const struct pool *pool)
{
    for (int i = 0; i < pool->options->n_workers; i++)
        if (pool->slots[i].job)
            return true;
    return !pool->has_failed && pool->turn < pool->n_jobs;
}

/* The first is one that is done, so that all others get their turn in the same way. */
static bool list_jobs(struct pool *pool)
{
    const struct run *run = pool->run;
    pool->jobs = calloc(run->registry->n_registrations + 2, sizeof *pool->jobs);
    if (!pool->jobs)
        return error_set(&pool->error, STATUS_ENVIRONMENT, "out of host memory for the list of registrations to run");
    pool->jobs[0].is_done = true;
    pool->n_jobs = pool->next = 1;
    for (size_t i = 0; i < run->registry->n_registrations; i++)
        if (run_selects(run->registry, run->options, i))
            pool->jobs[pool->n_jobs++] = (struct job){.index = i, .registration = run->registry->registrations[i]};
    return true;
}

static void close_pool(struct pool *pool)
{
    for (int i = 0; i < pool->options->n_workers; i++)
        if (pool->slots[i].worker.pid)
            worker_end(&pool->slots[i].worker);
    for (size_t i = 0; i < pool->n_jobs; i++)
        message_bytes_free(&pool->jobs[i].kept);
    free(pool->jobs);
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
    bool ok = list_jobs(&pool);
    pass_turn(&pool);
    while (ok && is_at_work(&pool)) {
        check_interrupt(&pool);
        start_jobs(&pool);
        listen_to_all(&pool);
        check_times(&pool);
        pass_turn(&pool);
    }
    close_pool(&pool);
    if ((!ok || pool.has_failed) && error)
        *error = pool.error;
    return ok && !pool.has_failed;
}
