#include "commands/selftest_run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONGEST_S = 600, MOST_JOBS = 64 };

/* A process that runs, and the file that its verdicts go to. */
struct worker {
    pid_t pid; /* 0: none */
    enum harness_fault fault;
    FILE *verdicts;
};

struct pool {
    const struct run *run;
    struct worker workers[MOST_JOBS];
    int n_workers, n_running;
    selftest_done *done;
    void *context;
};

static void write_verdict(void *context, const struct verdict *v)
{
    fwrite(v, sizeof *v, 1, context);
}

/* In the process of its own: the exit status is the stream's, as that of a contract is. */
static _Noreturn void work(const struct worker *worker, const struct run *contract)
{
    struct verdict_stream stream = {0};
    struct run run = *contract;
    struct error error = {0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(LONGEST_S); /* a fault may make the harness loop */
    harness_fault_plant(worker->fault);
    run.stream = &stream;
    stream_add(&stream, (struct verdict_sink){.verdict = write_verdict, .context = worker->verdicts});
    bool ok = run_gates(&run, &error);
    bool written = fflush(worker->verdicts) == 0;
    enum status status = ok ? stream.worst : error.status > stream.worst ? error.status : stream.worst;
    _exit(written ? (int)status : STATUS_ENVIRONMENT);
}

static bool start(struct pool *pool, enum harness_fault fault, struct error *error)
{
    struct worker *worker = pool->workers;
    while (worker->pid)
        worker++;
    *worker = (struct worker){.fault = fault, .verdicts = tmpfile()};
    if (!worker->verdicts)
        return error_set(error, STATUS_ENVIRONMENT, "no temporary file for the verdicts of a run: %s", strerror(errno));
    fflush(NULL);
    worker->pid = fork();
    if (worker->pid == 0)
        work(worker, pool->run);
    if (worker->pid < 0) {
        worker->pid = 0;
        fclose(worker->verdicts);
        return error_set(error, STATUS_ENVIRONMENT, "no process for a run: %s", strerror(errno));
    }
    pool->n_running++;
    return true;
}

/* A verdict that was cut short, by the end of its process, is left out. */
static bool read_verdicts(FILE *file, struct selftest_result *result)
{
    size_t capacity = 0, n = 0;
    rewind(file);
    for (;;) {
        if (n == capacity) {
            capacity = capacity ? 2 * capacity : 256;
            struct verdict *more = realloc(result->verdicts, capacity * sizeof *more);
            if (!more)
                return false;
            result->verdicts = more;
        }
        if (fread(&result->verdicts[n], sizeof *result->verdicts, 1, file) != 1)
            break;
        n++;
    }
    result->run.verdicts = result->verdicts;
    result->run.n = n;
    return true;
}

static struct worker *worker_of(struct pool *pool, pid_t pid)
{
    for (int i = 0; i < pool->n_workers; i++)
        if (pool->workers[i].pid == pid)
            return &pool->workers[i];
    return NULL;
}

/* Waits for one of the pool's processes, and tells what it found. */
static bool finish_one(struct pool *pool, struct error *error)
{
    int how;
    pid_t pid = waitpid(-1, &how, 0);
    struct worker *worker = pid > 0 ? worker_of(pool, pid) : NULL;
    if (!worker)
        return pid > 0 || errno == EINTR ||
               error_set(error, STATUS_ENVIRONMENT, "the process of a run is lost: %s", strerror(errno));
    struct selftest_result result = {
        .run = {.exit_status = WIFEXITED(how) ? WEXITSTATUS(how) : -1, .signal = WIFSIGNALED(how) ? WTERMSIG(how) : 0}};
    bool ok = read_verdicts(worker->verdicts, &result);
    fclose(worker->verdicts);
    worker->pid = 0;
    pool->n_running--;
    if (ok)
        pool->done(pool->context, worker->fault, &result);
    else
        error_set(error, STATUS_ENVIRONMENT, "out of host memory for the verdicts of a run");
    selftest_result_free(&result);
    return ok;
}

static bool is_interrupted(const struct run *run, struct error *error)
{
    return run->interrupted && run->interrupted(run->interrupt_context) &&
           !error_set(error, STATUS_INTERRUPTED, "interrupted");
}

bool selftest_run_all(const struct run *run, const enum harness_fault *faults, size_t n, int n_jobs, selftest_done *done,
                      void *context, struct error *error)
{
    struct pool pool = {.run = run,
                        .n_workers = n_jobs < 1           ? 1
                                     : n_jobs > MOST_JOBS ? MOST_JOBS
                                                          : n_jobs,
                        .done = done,
                        .context = context};
    bool ok = true;
    size_t next = 0;
    while (ok && (next < n || pool.n_running)) {
        if (is_interrupted(run, error))
            ok = false;
        else if (next < n && pool.n_running < pool.n_workers)
            ok = start(&pool, faults[next++], error);
        else
            ok = finish_one(&pool, error);
    }
    while (pool.n_running && finish_one(&pool, NULL))
        ;
    return ok;
}

void selftest_result_free(struct selftest_result *result)
{
    free(result->verdicts);
    *result = (struct selftest_result){0};
}
