#include "commands/interrupt.h"

static void *wait_for_signals(void *argument)
{
    struct interrupt *interrupt = argument;
    int signal_number;
    while (sigwait(&interrupt->signals, &signal_number) == 0) {
        if (!atomic_exchange(&interrupt->requested, true))
            continue;
        signal(signal_number, SIG_DFL);
        pthread_sigmask(SIG_UNBLOCK, &interrupt->signals, NULL);
        raise(signal_number);
    }
    return NULL;
}

void interrupt_open(struct interrupt *interrupt)
{
    atomic_init(&interrupt->requested, false);
    sigemptyset(&interrupt->signals);
    sigaddset(&interrupt->signals, SIGINT);
    sigaddset(&interrupt->signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &interrupt->signals, &interrupt->old_mask);
    interrupt->is_open = pthread_create(&interrupt->waiter, NULL, wait_for_signals, interrupt) == 0;
    if (!interrupt->is_open)
        pthread_sigmask(SIG_SETMASK, &interrupt->old_mask, NULL);
}

bool interrupt_requested(void *context)
{
    struct interrupt *interrupt = context;
    return atomic_load(&interrupt->requested);
}

void interrupt_close(struct interrupt *interrupt)
{
    if (!interrupt->is_open)
        return;
    pthread_cancel(interrupt->waiter);
    pthread_join(interrupt->waiter, NULL);
    pthread_sigmask(SIG_SETMASK, &interrupt->old_mask, NULL);
    interrupt->is_open = false;
}
