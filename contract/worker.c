#include "contract/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "contract/base/clock.h"

/* Where memory runs out the kernel ends the process with the largest score: a worker, and not the run. */
#define OOM_SCORE "500"

/* A worker's descriptor of its socket: above it nothing of the run, such as its log, is open there. */
enum { WORKER_SOCKET = 3 };

/* What a request asks for: the registration of an index, or that the one in work is left. */
enum { REQUEST_STOP = UINT32_MAX };

/* In the worker. */
struct serving {
    struct run run;
    struct run_options options;
    struct verdict_stream stream;
    struct message_end end; /* of the registration that was run last */
};

/* There is nobody to tell, and nothing of the parent's, such as its buffered output, is to be finished here. */
static void check_sent(bool sent)
{
    if (!sent)
        _exit(EXIT_FAILURE);
}

static void tell_begun(void *context, const struct verdict *begun)
{
    const struct serving *serving = context;
    struct message_begun body = {*begun, serving->run.done_work};
    check_sent(message_send(WORKER_SOCKET, MESSAGE_BEGUN, &body));
}

static void tell_verdict(void *context, const struct verdict *verdict)
{
    (void)context;
    check_sent(message_send(WORKER_SOCKET, MESSAGE_VERDICT, verdict));
}

static void tell_outputs(void *context, const struct case_outputs *outputs)
{
    (void)context;
    check_sent(message_send_outputs(WORKER_SOCKET, outputs));
}

static void note_end(void *context, const struct registration_end *end)
{
    struct serving *serving = context;
    serving->end = (struct message_end){end->duration_ns, end->replayed};
}

/* While a registration runs nothing is asked of the worker but to stop. */
static bool is_asked_to_stop(void *context)
{
    struct pollfd asked = {.fd = WORKER_SOCKET, .events = POLLIN};
    (void)context;
    return poll(&asked, 1, 0) > 0;
}

static void run_asked(struct serving *serving, uint32_t index)
{
    struct message_done done = {0};
    serving->run.done_work = 0;
    done.ok = run_registration(&serving->run, index, &done.error);
    done.end = serving->end;
    done.done_work = serving->run.done_work;
    check_sent(message_send(WORKER_SOCKET, MESSAGE_DONE, &done));
}

/* False where there is none any longer. A handler that code of a registration has set may interrupt it. */
static bool next_request(uint32_t *request)
{
    ssize_t got;
    do
        got = recv(WORKER_SOCKET, request, sizeof *request, MSG_WAITALL);
    while (got < 0 && errno == EINTR);
    return got == sizeof *request;
}

static void serve(const struct worker_options *options, struct device *device)
{
    struct serving serving = {.run = *options->run, .options = *options->run->options};
    bool wanted = stream_wants_outputs(options->run->stream);
    stream_add(&serving.stream, (struct verdict_sink){.verdict = tell_verdict,
                                                      .registration_end = note_end,
                                                      .outputs = wanted ? tell_outputs : NULL,
                                                      .context = &serving});
    serving.options.n_threads = options->n_threads;
    serving.run.options = &serving.options;
    serving.run.stream = &serving.stream;
    serving.run.builds.device = device;
    serving.run.progress = (struct progress_sink){0};
    serving.run.begins = tell_begun;
    serving.run.begins_context = serving.run.interrupt_context = &serving;
    serving.run.interrupted = is_asked_to_stop;
    uint32_t request;
    while (next_request(&request))
        if (request != REQUEST_STOP)
            run_asked(&serving, request);
}

static struct message_ready ready_of(const struct device *device)
{
    struct message_ready ready = {.ok = true, .n_devices = device->n_devices, .wave_size = device->wave_size};
    snprintf(ready.kind, sizeof ready.kind, "%s", device->kind);
    snprintf(ready.chip, sizeof ready.chip, "%s", device->chip);
    return ready;
}

static void offer_to_the_kernel(void)
{
    FILE *score = fopen("/proc/self/oom_score_adj", "w");
    if (score) {
        fputs(OOM_SCORE, score);
        fclose(score);
    }
}

/* The private memory that the process has as it begins: a build with AddressSanitizer reserves terabytes. */
static uint64_t private_bytes(void)
{
    unsigned long long data_pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    if (!statm)
        return 0;
    if (fscanf(statm, "%*u %*u %*u %*u %*u %llu", &data_pages) != 1)
        data_pages = 0;
    fclose(statm);
    return data_pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void limit_memory(uint64_t n_bytes)
{
    rlim_t most = private_bytes() + n_bytes;
    struct rlimit limit = {most, most};
    setrlimit(RLIMIT_DATA, &limit);
}

static void leave_open_only(int socket)
{
    if (socket != WORKER_SOCKET)
        dup3(socket, WORKER_SOCKET, O_CLOEXEC);
    close_range(WORKER_SOCKET + 1, UINT_MAX, 0);
}

/* Standard output is the parent's alone. What code in a worker prints goes to standard error, and at once: nobody writes
 * the buffers of a process that dies. */
static void settle(const struct worker_options *options, int socket, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    leave_open_only(socket);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    setvbuf(stdout, NULL, _IONBF, 0);
    offer_to_the_kernel();
    if (options->memory_limit)
        limit_memory(options->memory_limit);
}

static void work(const struct worker_options *options)
{
    struct device *device = NULL;
    struct message_ready ready = {0};
    if (options->open(options->context, options->n_threads, &device, &ready.error))
        ready = ready_of(device);
    check_sent(message_send(WORKER_SOCKET, MESSAGE_READY, &ready));
    if (ready.ok && options->run)
        serve(options, device);
}

bool worker_start(struct worker *worker, const struct worker_options *options, struct error *error)
{
    int sockets[2];
    pid_t parent = getpid();
    *worker = (struct worker){0};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
        return error_set(error, STATUS_ENVIRONMENT, "no socket for a worker process: %s", strerror(errno));
    fflush(NULL); /* what is buffered is the parent's to write */
    pid_t pid = fork();
    if (pid == 0) {
        settle(options, sockets[1], parent);
        work(options);
        _exit(EXIT_SUCCESS);
    }
    int reason = errno;
    close(sockets[1]);
    if (pid < 0) {
        close(sockets[0]);
        return error_set(error, STATUS_ENVIRONMENT, "no worker process: %s; --no-isolation needs none", strerror(reason));
    }
    *worker = (struct worker){.pid = pid, .socket = sockets[0]};
    return true;
}

static void ask(const struct worker *worker, uint32_t request)
{
    ssize_t sent = send(worker->socket, &request, sizeof request, MSG_NOSIGNAL);
    (void)sent; /* a worker that is gone shows at its socket */
}

void worker_run(const struct worker *worker, size_t index)
{
    ask(worker, (uint32_t)index);
}

void worker_interrupt(const struct worker *worker)
{
    ask(worker, REQUEST_STOP);
}

struct worker_death worker_end(struct worker *worker)
{
    int status = 0;
    struct rusage usage = {0};
    kill(worker->pid, SIGKILL); /* no more than a signal to one that has ended, whose end is then what it was */
    while (wait4(worker->pid, &status, 0, &usage) < 0 && errno == EINTR)
        ;
    close(worker->socket);
    message_bytes_free(&worker->bytes);
    *worker = (struct worker){0};
    return (struct worker_death){.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
                                 .exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0,
                                 .peak_kib = usage.ru_maxrss};
}

void worker_death_describe(const struct worker_death *death, char *text, size_t capacity)
{
    if (death->signal)
        snprintf(text, capacity, "was ended by signal %d (%s), having held %ld MiB at most", death->signal,
                 strsignal(death->signal), death->peak_kib / 1024);
    else
        snprintf(text, capacity, "ended itself with exit status %d", death->exit_status);
}

void worker_late_describe(uint64_t time_limit_ns, char *text, size_t capacity)
{
    snprintf(text, capacity, "took longer than %" PRIu64 " s and was ended (--time-limit)", time_limit_ns / 1000000000);
}

bool worker_has_ended(const struct worker *worker)
{
    siginfo_t end = {0};
    return waitid(P_PID, (id_t)worker->pid, &end, WEXITED | WNOHANG | WNOWAIT) == 0 && end.si_pid == worker->pid;
}

/* Waits up to a time of the clock for a worker's first message. */
static bool wait_for_ready(struct worker *worker, uint64_t end_ns, struct message_ready *ready)
{
    struct message message;
    struct pollfd socket = {.fd = worker->socket, .events = POLLIN};
    enum message_found found = MESSAGE_NONE;
    while (found == MESSAGE_NONE && poll(&socket, 1, clock_milliseconds_to(end_ns)) != 0 &&
           message_receive(&worker->bytes, worker->socket) == MESSAGE_RECEIVED)
        found = message_next(&worker->bytes, &message);
    bool told = found == MESSAGE_FOUND && message.kind == MESSAGE_READY && message_is_sound(&message, NULL, NULL);
    if (told)
        memcpy(ready, message.body, sizeof *ready);
    return told;
}

bool worker_probe(const struct worker_options *options, uint64_t time_limit_ns, struct message_ready *ready,
                  struct error *error)
{
    struct worker worker;
    struct worker_options alone = *options;
    uint64_t end_ns = time_limit_ns ? clock_ns() + time_limit_ns : 0;
    char how[200];
    alone.run = NULL;
    if (!worker_start(&worker, &alone, error))
        return false;
    bool told = wait_for_ready(&worker, end_ns, ready);
    bool is_late = !told && clock_milliseconds_to(end_ns) == 0;
    struct worker_death death = worker_end(&worker);
    worker_death_describe(&death, how, sizeof how);
    if (is_late)
        worker_late_describe(time_limit_ns, how, sizeof how);
    if (!told)
        return error_set(error, STATUS_ENVIRONMENT, "opening the device: its process %s", how);
    if (!ready->ok)
        *error = ready->error;
    return ready->ok;
}
