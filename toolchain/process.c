#include "toolchain/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "contract/base/clock.h"

enum { READ_BYTES = 65536 };

/* READ_LOST: there was no memory for what came, or it could not be read. */
enum reading { READ_ON, READ_END, READ_LATE, READ_LOST };

/* Reads once into output. */
static enum reading read_some(int descriptor, struct output *output, size_t *capacity)
{
    if (output->n_bytes + READ_BYTES + 1 > *capacity) {
        size_t grown = (*capacity + READ_BYTES) * 2;
        char *data = realloc(output->data, grown);
        if (!data)
            return READ_LOST;
        output->data = data;
        *capacity = grown;
    }
    ssize_t got = read(descriptor, output->data + output->n_bytes, READ_BYTES);
    if (got > 0)
        output->n_bytes += (size_t)got;
    output->data[output->n_bytes] = 0;
    if (got < 0)
        return errno == EINTR ? READ_ON : READ_LOST;
    return got > 0 ? READ_ON : READ_END;
}

/* Both streams at once, so that neither fills up while the other is waited for. READ_LATE where they are still open at the
 * time end_ns. */
static enum reading read_streams(const int descriptors[2], struct output *outputs[2], uint64_t end_ns)
{
    struct pollfd streams[2] = {{.fd = descriptors[0], .events = POLLIN}, {.fd = descriptors[1], .events = POLLIN}};
    size_t capacity[2] = {0, 0};
    while (streams[0].fd >= 0 || streams[1].fd >= 0) {
        int n_ready = poll(streams, 2, clock_milliseconds_to(end_ns));
        if (n_ready == 0)
            return READ_LATE;
        if (n_ready < 0 && errno != EINTR)
            return READ_LOST;
        for (int i = 0; i < 2; i++) {
            bool ready = n_ready > 0 && streams[i].fd >= 0 && streams[i].revents;
            enum reading reading = ready ? read_some(streams[i].fd, outputs[i], &capacity[i]) : READ_ON;
            if (reading == READ_LOST)
                return READ_LOST;
            if (reading == READ_END)
                streams[i].fd = -1;
        }
    }
    return READ_END;
}

/* It may live on without its streams. */
static bool ends_in_time(pid_t child, uint64_t end_ns)
{
    struct pollfd end = {.fd = end_ns ? pidfd_open(child, 0) : -1, .events = POLLIN};
    int n_ready = 1;
    if (end.fd < 0)
        return true;
    do
        n_ready = poll(&end, 1, clock_milliseconds_to(end_ns));
    while (n_ready < 0 && errno == EINTR);
    close(end.fd);
    return n_ready != 0;
}

static void wait_for(pid_t child, struct process_result *result)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    result->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    result->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* With a group of its own, its children can be ended with it. */
static int spawn(const char *const *argv, const char *directory, int out, int err, bool leads_group, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out, 1);
    posix_spawn_file_actions_adddup2(&actions, err, 2);
    posix_spawn_file_actions_addchdir_np(&actions, directory);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    if (leads_group)
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    int reason = posix_spawnp(child, argv[0], &actions, &attributes, (char *const *)argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return reason;
}

bool process_run_for(const char *const *argv, const char *directory, int seconds, struct process_result *result,
                     struct error *error)
{
    uint64_t end_ns = seconds ? clock_ns() + (uint64_t)seconds * 1000000000 : 0;
    *result = (struct process_result){.exit_status = -1};
    int out[2] = {-1, -1}, err[2] = {-1, -1};
    pid_t child = 0;
    int reason = pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0
                     ? errno
                     : spawn(argv, directory, out[1], err[1], seconds > 0, &child);
    close(out[1]);
    close(err[1]);
    enum reading reading = READ_END;
    if (reason == 0) {
        reading = read_streams((int[2]){out[0], err[0]}, (struct output *[2]){&result->out, &result->err}, end_ns);
        if (reading == READ_END && !ends_in_time(child, end_ns))
            reading = READ_LATE;
        result->is_late = reading == READ_LATE;
        if (reading != READ_END) /* it may wait for ever for someone to read the rest */
            kill(seconds > 0 ? -child : child, SIGKILL);
        wait_for(child, result);
    }
    close(out[0]);
    close(err[0]);
    if (reading == READ_LOST) {
        process_result_free(result);
        return error_set(error, STATUS_ENVIRONMENT, "%s: what it prints is lost: out of host memory, or a read failed",
                         argv[0]);
    }
    return reason == 0 || error_set(error, STATUS_ENVIRONMENT, "%s: cannot be run: %s", argv[0], strerror(reason));
}

bool process_run(const char *const *argv, const char *directory, struct process_result *result, struct error *error)
{
    return process_run_for(argv, directory, 0, result, error);
}

void process_result_free(struct process_result *result)
{
    free(result->out.data);
    free(result->err.data);
    *result = (struct process_result){0};
}
