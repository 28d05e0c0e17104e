#include "contract/base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { MAX_THREADS = 256 };

struct loop {
    parallel_body *body;
    void *context;
    int64_t n_items;
    atomic_int_least64_t next;
};

static void *work(void *argument)
{
    struct loop *loop = argument;
    for (;;) {
        int64_t item = atomic_fetch_add(&loop->next, 1);
        if (item >= loop->n_items)
            return NULL;
        loop->body(loop->context, item);
    }
}

void parallel_for(int n_threads, int64_t n_items, parallel_body *body, void *context)
{
    struct loop loop = {.body = body, .context = context, .n_items = n_items};
    pthread_t threads[MAX_THREADS];
    int n_started = 0;
    int wanted = n_threads > MAX_THREADS ? MAX_THREADS : n_threads;
    while (n_started + 1 < wanted && n_started + 1 < n_items && pthread_create(&threads[n_started], NULL, work, &loop) == 0)
        n_started++;
    work(&loop);
    for (int i = 0; i < n_started; i++)
        pthread_join(threads[i], NULL);
}

int parallel_processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    int count = CPU_COUNT(&set);
    return count < 1 ? 1 : count;
}
