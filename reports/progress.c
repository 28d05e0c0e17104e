#include "reports/progress.h"

#include "contract/base/clock.h"

#define TERMINAL_INTERVAL_NS 100000000ull
#define PLAIN_INTERVAL_NS    30000000000ull

struct progress progress_begin(FILE *out, bool is_terminal)
{
    uint64_t now_ns = clock_ns();
    return (struct progress){.out = out, .is_terminal = is_terminal, .start_ns = now_ns, .last_ns = now_ns};
}

void progress_left(double done_share, uint64_t elapsed_ns, char text[16])
{
    text[0] = '\0';
    double left_s = done_share > 0.001 ? (double)elapsed_ns * 1e-9 * (1 - done_share) / done_share : -1;
    if (left_s < 0 || left_s > 359999)
        return;
    unsigned seconds = (unsigned)(left_s + 0.5);
    if (seconds >= 3600)
        snprintf(text, 16, "%u:%02u:%02u", seconds / 3600 % 100, seconds / 60 % 60, seconds % 60);
    else
        snprintf(text, 16, "%u:%02u", seconds / 60, seconds % 60);
}

static void show(struct progress *progress, const char *registration, const char *shape, double done_share)
{
    enum { BAR = 20 };
    char left[16], bar[BAR + 1];
    progress_left(done_share, clock_ns() - progress->start_ns, left);
    for (int i = 0; i < BAR; i++)
        bar[i] = i < (int)(done_share * BAR) ? '#' : '.';
    bar[BAR] = '\0';
    if (progress->is_terminal)
        fprintf(progress->out, "\r\033[K[%s] %3.0f %%  %s left  %.40s %.40s", bar, done_share * 100, *left ? left : "?",
                registration, shape);
    else
        fprintf(progress->out, "progress: %.0f %%, %s left, at %s %s\n", done_share * 100, *left ? left : "?", registration,
                shape);
    fflush(progress->out);
    progress->is_shown = progress->is_terminal;
}

static void step(void *context, const char *registration, const char *shape, double done_share)
{
    struct progress *progress = context;
    uint64_t now_ns = clock_ns();
    if (now_ns - progress->last_ns < (progress->is_terminal ? TERMINAL_INTERVAL_NS : PLAIN_INTERVAL_NS))
        return;
    progress->last_ns = now_ns;
    show(progress, registration, shape, done_share);
}

struct progress_sink progress_sink(struct progress *progress)
{
    return (struct progress_sink){.step = step, .context = progress};
}

void progress_clear(struct progress *progress)
{
    if (!progress->is_shown)
        return;
    fputs("\r\033[K", progress->out);
    fflush(progress->out);
    progress->is_shown = false;
}
