/*
 * SIGINT and SIGTERM as a question: the first asks the run to stop after what it is doing, the second ends the process at
 * once.
 */
#ifndef COMMANDS_INTERRUPT_H
#define COMMANDS_INTERRUPT_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

struct interrupt {
    sigset_t signals, old_mask;
    pthread_t waiter;
    bool is_open;
    atomic_bool requested;
};

/* Blocks the two signals in this thread and in those that it starts from now on, and waits for them in a thread of its own.
 * Without one, the signals keep their usual effect. The structure stays where it is until interrupt_close. */
void interrupt_open(struct interrupt *interrupt);
/* context is the struct interrupt. */
bool interrupt_requested(void *context);
void interrupt_close(struct interrupt *interrupt);

#endif
