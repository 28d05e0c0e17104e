#include "reports/progress.h"

#include <inttypes.h>
#include <sys/ioctl.h>

#include "contract/base/clock.h"

#define INTERVAL_NS 100000000ull
enum { USUAL_COLUMNS = 80, BAR = 20 };

struct progress progress_begin(FILE *out, bool is_terminal)
{
    uint64_t now_ns = clock_ns();
    return (struct progress){.out = out, .is_terminal = is_terminal, .start_ns = now_ns, .last_ns = now_ns, .n_parts = 1};
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

void progress_line(const struct progress *progress, const char *registration, const char *shape, double done_share,
                   uint64_t elapsed_ns, int n_columns, char text[PROGRESS_COLUMNS])
{
    char left[16], counts[64] = "", bar[BAR + 1];
    double done = (progress->part + done_share) / progress->n_parts;
    progress_left(done, elapsed_ns, left);
    for (int i = 0; i < BAR; i++)
        bar[i] = i < (int)(done * BAR) ? '#' : '.';
    bar[BAR] = '\0';
    int n_bytes = n_columns + 1 < PROGRESS_COLUMNS ? n_columns + 1 : PROGRESS_COLUMNS;
    if (progress->has_counts)
        snprintf(counts, sizeof counts, "%" PRId64 " passed, %" PRId64 " failed  ", progress->n_passed, progress->n_failed);
    snprintf(text, (size_t)n_bytes, "[%s] %3.0f %%  %s left  %s%s %s", bar, done * 100, *left ? left : "?", counts,
             registration, shape);
}

/* Of the terminal; a line that fills the last one would wrap. */
static int columns_of(FILE *out)
{
    struct winsize size;
    bool known = ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    return (known ? size.ws_col : USUAL_COLUMNS) - 1;
}

static void step(void *context, const char *registration, const char *shape, double done_share)
{
    struct progress *progress = context;
    uint64_t now_ns = clock_ns();
    if (progress->part == 0 && done_share == 0)
        progress->start_ns = now_ns; /* the kernels are compiled before the first case, which tells nothing of the cases */
    if (!progress->is_terminal || now_ns - progress->last_ns < INTERVAL_NS)
        return;
    char line[PROGRESS_COLUMNS];
    progress_line(progress, registration, shape, done_share, now_ns - progress->start_ns, columns_of(progress->out), line);
    fprintf(progress->out, "\r\033[K%s", line);
    fflush(progress->out);
    progress->last_ns = now_ns;
    progress->is_shown = true;
}

struct progress_sink progress_sink(struct progress *progress)
{
    return (struct progress_sink){.step = step, .context = progress};
}

static void count_verdict(void *context, const struct verdict *verdict)
{
    struct progress *progress = context;
    progress->fails |= verdict_exit(verdict) != STATUS_OK;
}

static void count_registration(void *context, const struct registration_end *end)
{
    (void)end;
    struct progress *progress = context;
    progress->n_passed += !progress->fails;
    progress->n_failed += progress->fails;
    progress->fails = false;
}

struct verdict_sink progress_counts(struct progress *progress)
{
    progress->has_counts = true;
    return (struct verdict_sink){.verdict = count_verdict, .registration_end = count_registration, .context = progress};
}

void progress_clear(struct progress *progress)
{
    if (!progress->is_shown)
        return;
    fputs("\r\033[K", progress->out);
    fflush(progress->out);
    progress->is_shown = false;
}
