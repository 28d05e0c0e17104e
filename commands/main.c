/* The program: finds the command in the table and hands over. */
#include "commands/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "contract/base/error.h"
#include "contract/version.h"

/* A build without the emulator's command still links; it is then absent from the table. */
#pragma weak command_emulate

struct command {
    const char *name;
    int (*function)(int argc, char **argv);
    const char *help;
};

static const struct command table[] = {
#define COMMAND_ROW(name, help) {#name, command_##name, help},
    COMMANDS(COMMAND_ROW)
#undef COMMAND_ROW
};

enum { N_COMMANDS = sizeof table / sizeof *table };

static void print_help(FILE *out)
{
    fputs(
        "usage: hipcontract COMMAND [OPTIONS]\n\nHolds HIP kernels to their contract, on a GPU or on an emulated chip.\n\n",
        out);
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (table[i].function)
            fprintf(out, "  %-10s %s\n", table[i].name, table[i].help);
    fputs("\n`hipcontract COMMAND --help` lists a command's options; `hipcontract --version` prints the version.\n"
          "Exit status: 0 the contract holds, 1 it does not, 2 wrong usage, 3 the environment lacks something, 4 "
          "interrupted.\n",
          out);
}

static const struct command *find(const char *name)
{
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (table[i].function && strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

/* The length of the common start of two names. */
static size_t common_prefix(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] && a[n] == b[n])
        n++;
    return n;
}

/* The command that shares the longest start (two letters at least) with what was typed, or NULL. */
static const char *nearest(const char *name)
{
    const char *best = NULL;
    size_t best_length = 1;
    for (size_t i = 0; i < N_COMMANDS; i++) {
        size_t length = common_prefix(name, table[i].name);
        if (table[i].function && length > best_length) {
            best = table[i].name;
            best_length = length;
        }
    }
    return best;
}

static int unknown_command(const char *name)
{
    const char *guess = nearest(name);
    fprintf(stderr, "hipcontract: no %s '%s'; ", name[0] == '-' ? "option" : "command", name);
    if (guess)
        fprintf(stderr, "did you mean '%s'? ", guess);
    fputs("`hipcontract --help` lists the commands\n", stderr);
    return STATUS_USAGE;
}

/* What was printed and did not arrive (a full disk) was not told: the status says so. */
static int end(int status)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "hipcontract: standard output: %s; what is printed is not complete\n",
            errno ? strerror(errno) : "cannot be written");
    return status > STATUS_USAGE ? status : STATUS_USAGE;
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return STATUS_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return STATUS_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("hipcontract %s\n", HIPCONTRACT_VERSION);
        return STATUS_OK;
    }
    const struct command *command = find(argv[1]);
    return command ? command->function(argc - 1, argv + 1) : unknown_command(argv[1]);
}

/* Makes good what the caller may have left: with SIGCHLD ignored nobody learns how a process ended, and a file, such as the
 * log, would take the place of a standard stream that is closed. What stands there instead cannot be written either. */
static void settle(void)
{
    int stream;
    signal(SIGCHLD, SIG_DFL);
    do
        stream = open("/dev/null", O_RDONLY | O_CLOEXEC);
    while (stream >= 0 && stream <= STDERR_FILENO);
    close(stream);
}

int main(int argc, char **argv)
{
    settle();
    return end(run(argc, argv));
}
