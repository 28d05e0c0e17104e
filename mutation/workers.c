#include "mutation/workers.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_WORKERS = 256, NOBODYS = -1, POLL_NS = 20 * 1000 * 1000 };

/* What the processes share. */
struct board {
    atomic_size_t next;   /* mutant that nobody has taken */
    atomic_bool stopping; /* no further mutant is taken */
    atomic_bool failed;   /* error says why */
    struct error error;
    atomic_llong current[MOST_WORKERS]; /* mutant on trial; NOBODYS */
    struct trial_result results[];
};

struct crew {
    const struct subject *subject;
    const struct mutant_list *list;
    struct board *board;
    pid_t pid[MOST_WORKERS];
    int n_workers;
};

static void fail(struct board *board, const struct error *error)
{
    if (!atomic_exchange(&board->failed, true))
        board->error = *error;
    atomic_store(&board->stopping, true);
}

static void try_mutants(const struct crew *crew, int worker, struct trials *trials)
{
    struct board *board = crew->board;
    struct error error = {0};
    while (!atomic_load(&board->stopping)) {
        size_t i = atomic_fetch_add(&board->next, 1);
        if (i >= crew->list->n)
            return;
        struct trial_result result;
        atomic_store(&board->current[worker], (long long)i);
        if (!trial_run(trials, &crew->list->mutants[i], &result, &error)) {
            fail(board, &error);
            return;
        }
        board->results[i] = result;
        atomic_store(&board->current[worker], NOBODYS);
    }
}

static void work(const struct crew *crew, int worker)
{
    struct trials trials;
    struct error error = {0};
    if (trials_open(&trials, crew->subject, &error))
        try_mutants(crew, worker, &trials);
    else
        fail(crew->board, &error);
    trials_close(&trials);
}

static bool start(struct crew *crew, int worker, struct error *error)
{
    pid_t parent = getpid();
    atomic_store(&crew->board->current[worker], NOBODYS);
    fflush(NULL);
    crew->pid[worker] = fork();
    if (crew->pid[worker] < 0)
        return error_set(error, STATUS_ENVIRONMENT, "no process for the mutants of %s: %s; use fewer --jobs",
                         crew->subject->registration->name, strerror(errno));
    if (crew->pid[worker] > 0)
        return true;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent)
        work(crew, worker);
    _exit(0);
}

/* A signal ended the worker: so did the mutant that it was on. */
static void note_crash(struct crew *crew, int worker, int signal_number)
{
    long long i = atomic_load(&crew->board->current[worker]);
    if (i == NOBODYS)
        return;
    struct trial_result *result = &crew->board->results[i];
    *result = (struct trial_result){.outcome = TRIAL_CRASH};
    snprintf(result->reason, sizeof result->reason, "the process that tried it ended by signal %d (%s)", signal_number,
             strsignal(signal_number));
}

/* A worker ends with 0 when it has done what there was; another status is that of a process that something in it ended, as
 * references do without memory. */
static bool ended_early(const struct crew *crew, int worker, int how, struct error *error)
{
    if (WIFSIGNALED(how) || WEXITSTATUS(how) == 0)
        return false;
    const struct mutant_list *list = crew->list;
    long long i = atomic_load(&crew->board->current[worker]);
    const char *name = crew->subject->registration->name;
    if (i == NOBODYS)
        error_set(error, STATUS_ENVIRONMENT, "a process for the mutants of %s ended with status %d", name,
                  WEXITSTATUS(how));
    else
        error_set(error, STATUS_ENVIRONMENT, "the process that tried %s+0x%" PRIx64 " (%s) ended with status %d",
                  list->mutants[i].kernel, list->mutants[i].offset_bytes, list->mutants[i].after, WEXITSTATUS(how));
    return true;
}

/* True while the worker, or one in its place, still works. */
static bool tend(struct crew *crew, int worker, struct error *error)
{
    int how;
    pid_t pid = crew->pid[worker] > 0 ? waitpid(crew->pid[worker], &how, WNOHANG) : -1;
    if (pid == 0)
        return true;
    crew->pid[worker] = 0;
    if (pid < 0 || ended_early(crew, worker, how, error) || !WIFSIGNALED(how))
        return false;
    note_crash(crew, worker, WTERMSIG(how));
    return !atomic_load(&crew->board->stopping) && start(crew, worker, error);
}

static bool tend_all(struct crew *crew, struct error *error)
{
    bool any = false;
    for (int i = 0; i < crew->n_workers; i++)
        any |= tend(crew, i, error);
    return any;
}

static bool work_together(struct crew *crew, struct error *error)
{
    const struct subject_options *options = crew->subject->options;
    struct error trouble = {0};
    bool interrupted = false;
    for (int i = 0; i < crew->n_workers && trouble.status == STATUS_OK; i++)
        start(crew, i, &trouble);
    while (tend_all(crew, &trouble)) {
        interrupted |= options->interrupted && options->interrupted(options->interrupt_context);
        if (interrupted || trouble.status != STATUS_OK)
            atomic_store(&crew->board->stopping, true);
        nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
    }
    if (atomic_load(&crew->board->failed))
        trouble = crew->board->error;
    if (trouble.status == STATUS_OK && interrupted)
        error_set(&trouble, STATUS_INTERRUPTED, "interrupted");
    if (trouble.status != STATUS_OK && error)
        *error = trouble;
    return trouble.status == STATUS_OK;
}

bool workers_run(const struct subject *subject, const struct mutant_list *list, int n_workers, struct trial_result *results,
                 struct error *error)
{
    size_t n_bytes = sizeof(struct board) + (list->n + 1) * sizeof *results;
    struct crew crew = {.subject = subject, .list = list};
    int most = n_workers < MOST_WORKERS ? n_workers : MOST_WORKERS;
    crew.n_workers = list->n < (size_t)most ? (int)list->n : most;
    crew.board = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (crew.board == MAP_FAILED)
        return error_set(error, STATUS_ENVIRONMENT, "out of host memory for the results of %zu mutants", list->n);
    bool ok = work_together(&crew, error);
    memcpy(results, crew.board->results, list->n * sizeof *results);
    munmap(crew.board, n_bytes);
    return ok;
}
