/*
 * Fuzz target: a history that was damaged. An input is edits of a right one, each a place in the file and a byte to put
 * there. It is refused with one line, or can be asked, and then also recorded to, for what it says.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "contract/base/file.h"
#include "reports/history.h"
#include "reports/history_table.h"
#include "tests/fuzz/input_file.h"
#include "tests/fuzz/must.h"
#include "tests/support/history_runs.h"
#include "tests/support/report_samples.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

enum { EDIT_BYTES = 4 /* place in 24 bits, then the byte */ };

static bool record(struct history *history, struct error *error)
{
    const struct verdict verdicts[] = {sample_pass(GATE_BYTES), sample_miss(2)};
    if (!history_begin(history, &history_environment, error))
        return false;
    struct verdict_sink sink = history_sink(history);
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
        sink.verdict(sink.context, &verdicts[i]);
    sink.registration_end(sink.context,
                          &(struct registration_end){.registration = "k", .chip = "gfx1151", .duration_ns = 1000});
    return history_finish(history, STATUS_RED, 2000, error);
}

/* A history of two runs; made once. */
static const uint8_t *right_one(size_t *n_bytes)
{
    static char *bytes;
    static size_t n;
    char path[600];
    struct error error;
    snprintf(path, sizeof path, "%s/right.db", input_folder());
    for (int run = 0; !bytes && run < 2; run++) {
        struct history *history = history_open(path, HISTORY_RECORD, &error);
        must(history && record(history, &error));
        history_close(history);
    }
    must(bytes || file_read(path, &bytes, &n, &error));
    *n_bytes = n;
    return (const uint8_t *)bytes;
}

static bool write_edited(const char *path, const uint8_t *edits, size_t n_bytes)
{
    size_t n;
    const uint8_t *right = right_one(&n);
    FILE *file = fopen(path, "wb");
    bool ok = file && fwrite(right, 1, n, file) == n;
    for (size_t i = 0; ok && i + EDIT_BYTES <= n_bytes; i += EDIT_BYTES) {
        size_t at = ((size_t)edits[i] | (size_t)edits[i + 1] << 8 | (size_t)edits[i + 2] << 16) % n;
        ok = fseek(file, (long)at, SEEK_SET) == 0 && fputc(edits[i + 3], file) != EOF;
    }
    return file && fclose(file) == 0 && ok;
}

static bool ask(struct history *history, FILE *out, struct arena *arena, struct error *error)
{
    const struct history_filter filter = {.n_last = 20};
    const struct history_key key = {.registration = "k", .chip = "gfx1151", .device = "emulator", .scope = "quick"};
    struct history_run *runs;
    struct history_row *rows;
    struct history_kernel *kernels;
    size_t n_runs, n_rows, n_kernels;
    uint64_t cost_ns;
    if (!history_runs(history, &filter, arena, &runs, &n_runs, error) ||
        !history_rows(history, &filter, arena, &rows, &n_rows, error) ||
        !history_kernels(history, &filter, arena, &kernels, &n_kernels, error) ||
        !history_cost(history, &key, &cost_ns, error))
        return false;
    must(history_runs_write_text(out, runs, n_runs) && history_rows_write_text(out, rows, n_rows));
    must(history_kernels_write_text(out, kernels, n_kernels) && history_runs_write_json(out, runs, n_runs));
    must(history_rows_write_json(out, rows, n_rows, kernels, n_kernels));
    return true;
}

static void use(const char *path, enum history_mode mode)
{
    struct arena arena = {0};
    struct error error = {0};
    char *text = NULL;
    size_t n_bytes = 0;
    FILE *out = open_memstream(&text, &n_bytes);
    must(out != NULL);
    struct history *history = history_open(path, mode, &error);
    bool ok = history && ask(history, out, &arena, &error) && (mode == HISTORY_READ || record(history, &error));
    if (!ok)
        must_be_clear(&error);
    history_close(history);
    must(fclose(out) == 0);
    free(text);
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    char path[600], journal[620];
    snprintf(path, sizeof path, "%s/edited.db", input_folder());
    must(write_edited(path, data, n_bytes));
    use(path, HISTORY_READ);
    use(path, HISTORY_RECORD);
    static const char *const beside[] = {"-journal", "-wal", "-shm"};
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        snprintf(journal, sizeof journal, "%s%s", path, beside[i]);
        unlink(journal);
    }
    return 0;
}
