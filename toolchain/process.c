#include "toolchain/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { READ_BYTES = 65536 };

/* Reads once into output; false at the end of the stream. */
static bool read_some(int descriptor, struct output *output, size_t *capacity)
{
    if (output->n_bytes + READ_BYTES + 1 > *capacity) {
        size_t grown = (*capacity + READ_BYTES) * 2;
        char *data = realloc(output->data, grown);
        if (!data)
            return false;
        output->data = data;
        *capacity = grown;
    }
    ssize_t got = read(descriptor, output->data + output->n_bytes, READ_BYTES);
    if (got < 0 && errno == EINTR)
        return true;
    if (got > 0)
        output->n_bytes += (size_t)got;
    output->data[output->n_bytes] = 0;
    return got > 0;
}

/* Both streams at once, so that neither fills up while the other is waited for. */
static void read_streams(const int descriptors[2], struct output *outputs[2])
{
    struct pollfd streams[2] = {{.fd = descriptors[0], .events = POLLIN}, {.fd = descriptors[1], .events = POLLIN}};
    size_t capacity[2] = {0, 0};
    while (streams[0].fd >= 0 || streams[1].fd >= 0) {
        if (poll(streams, 2, -1) < 0 && errno != EINTR)
            return;
        for (int i = 0; i < 2; i++)
            if (streams[i].fd >= 0 && streams[i].revents && !read_some(streams[i].fd, outputs[i], &capacity[i]))
                streams[i].fd = -1;
    }
}

static void wait_for(pid_t child, struct process_result *result)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    result->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    result->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static int spawn(const char *const *argv, const char *directory, int out, int err, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out, 1);
    posix_spawn_file_actions_adddup2(&actions, err, 2);
    posix_spawn_file_actions_addchdir_np(&actions, directory);
    int reason = posix_spawnp(child, argv[0], &actions, NULL, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return reason;
}

bool process_run(const char *const *argv, const char *directory, struct process_result *result, struct error *error)
{
    *result = (struct process_result){.exit_status = -1};
    int out[2] = {-1, -1}, err[2] = {-1, -1};
    pid_t child = 0;
    int reason =
        pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0 ? errno : spawn(argv, directory, out[1], err[1], &child);
    close(out[1]);
    close(err[1]);
    if (reason == 0) {
        read_streams((int[2]){out[0], err[0]}, (struct output *[2]){&result->out, &result->err});
        wait_for(child, result);
    }
    close(out[0]);
    close(err[0]);
    return reason == 0 || error_set(error, STATUS_ENVIRONMENT, "%s: cannot be run: %s", argv[0], strerror(reason));
}

void process_result_free(struct process_result *result)
{
    free(result->out.data);
    free(result->err.data);
    *result = (struct process_result){0};
}
