#include "reports/console.h"

#include <inttypes.h>
#include <string.h>

#include "contract/base/nan.h"
#include "reports/diagnosis_text.h"

enum { RED = 31, GREEN, YELLOW }; /* ANSI's numbers */

/* A status word in its column, coloured for a terminal. */
static void append_word(const struct console *console, struct text *line, const char *word, int color)
{
    if (console->color)
        text_append(line, "\033[%dm%s\033[0m%*s", color, word, (int)(6 - strlen(word)), "");
    else
        text_append(line, "%-5s ", word);
}

static void clear_progress(const struct console *console)
{
    if (console->progress)
        progress_clear(console->progress);
}

static void free_line(struct console *console, struct text *line)
{
    console->is_cut |= line->failed;
    text_free(line);
}

/* Prints a verdict's line, keeps it where it is a failure, and frees it. */
static void print_line(struct console *console, const struct verdict *v, struct text *line)
{
    const char *text = line->data ? line->data : "";
    clear_progress(console);
    fprintf(console->out, "%s\n", text);
    fflush(console->out);
    failures_note(&console->failures, v, text);
    free_line(console, line);
}

static void explain_place(const struct verdict *v, struct text *text)
{
    if (v->gate)
        text_append(text, "gate %d", v->gate);
    if (*v->shape)
        text_append(text, " at %s", v->shape);
    if (*v->pattern)
        text_append(text, " (%s)", v->pattern);
}

static bool has_numbers(const struct verdict *v)
{
    return v->gate >= GATE_CLASSES && v->gate <= GATE_EXACT && v->worst.index >= 0 && *v->worst.tensor;
}

void console_explain(const struct verdict *v, struct text *text)
{
    explain_place(v, text);
    text_append(text, "%s%s", v->gate || *v->shape || *v->pattern ? ": " : "",
                *v->reason ? v->reason : verdict_status_name(v->status));
    if (has_numbers(v))
        text_append(text, " (%s: got %.9g = 0x%" PRIx64 ", reference %.17g, bound %.3g; %" PRId64 " of %" PRId64 " wrong)",
                    v->worst.tensor, unsigned_nan(v->worst.got), v->worst.got_bits, v->worst.reference, v->worst.bound,
                    v->n_wrong, v->n_compared);
}

/* The words of the lines that are printed at once, for the verdicts that have one. */
static const struct {
    const char *word, *lead;
    int color;
} words[VERDICT_STATUS_COUNT] = {
    [VERDICT_FAIL] = {"FAIL", "", RED},
    [VERDICT_EXPIRED] = {"FAIL", "", RED},
    [VERDICT_NOT_FOUND] = {"FAIL", "", RED},
    [VERDICT_LAUNCH_FAILED] = {"FAIL", "launch failed: ", RED},
    [VERDICT_BUILD_FAILED] = {"FAIL", "build failed: ", RED},
    [VERDICT_DIED] = {"FAIL", "died: ", RED},
    [VERDICT_INVALID] = {"INVALID", "", RED},
    [VERDICT_BLIND] = {"BLIND", "", RED},
    [VERDICT_KNOWN_FINDING] = {"KNOWN", "", YELLOW},
};

static bool is_of_launcher(const struct verdict *v)
{
    return reg_launcher_check_find(v->name) != REG_LAUNCHER_CHECK_COUNT;
}

/* Of a registration's first whole, of others what the pattern tells. */
static void print_diagnosis(struct console *console, const struct diagnosis *diagnosis)
{
    struct text lines = {0};
    if (!*diagnosis->tensor)
        return;
    (console->n_diagnosed++ == 0 ? diagnosis_lines : diagnosis_guess)(diagnosis, FAILURES_INDENT, &lines);
    fputs(lines.data ? lines.data : "", console->out);
    free_line(console, &lines);
}

static void print_failure(struct console *console, const struct verdict *v)
{
    struct text line = {0};
    if (!words[v->status].word)
        return;
    console->n_failures += v->status != VERDICT_KNOWN_FINDING;
    const char *what = v->subject == SUBJECT_TOOTH ? "tooth " : is_of_launcher(v) ? "launcher, " : *v->name ? "bytes " : "";
    append_word(console, &line, words[v->status].word, words[v->status].color);
    text_append(&line, "%s %s  %s%s%s%s", v->chip, v->registration, words[v->status].lead, what, v->name,
                *v->name ? ": " : "");
    console_explain(v, &line);
    if (console->n_failures <= CONSOLE_FAILURES) {
        print_line(console, v, &line);
        print_diagnosis(console, &v->diagnosis);
        return;
    }
    failures_note(&console->failures, v, line.data ? line.data : "");
    free_line(console, &line);
}

static void note_exact(struct console *console, const struct verdict *v)
{
    if (v->status == VERDICT_PASS) {
        double miss = fmin(v->miss_fp16, v->miss_bf16);
        if (console->proof.gate == 0 || miss > fmin(console->proof.miss_fp16, console->proof.miss_bf16))
            console->proof = *v;
    } else if (v->status == VERDICT_NOT_RUN || v->status == VERDICT_EXCUSED) {
        snprintf(console->exact_note, sizeof console->exact_note, "%s", v->reason);
    }
}

/* A byte contract, or a launcher's check, that held or was left out. */
static void note_named(struct console_names *names, const struct verdict *v)
{
    size_t used = strlen(names->held);
    names->n_left_out += v->status == VERDICT_NOT_RUN;
    if (v->status == VERDICT_PASS)
        snprintf(names->held + used, sizeof names->held - used, "%s%s", used ? ", " : "", v->name);
}

/* Of all shapes the one nearest to its declared depth. */
static void note_depth(struct console *console, const struct verdict *v)
{
    if (!*v->depth_tensor)
        return;
    if (!console->depth_declared ||
        v->depth_measured * console->depth_declared > console->depth_measured * v->depth_declared) {
        console->depth_declared = v->depth_declared;
        console->depth_measured = v->depth_measured;
    }
}

static void note_gate(struct console *console, const struct verdict *v)
{
    console->knows[v->gate] |= v->status == VERDICT_KNOWN_FINDING;
    if (*v->name) {
        note_named(is_of_launcher(v) ? &console->launcher : &console->bytes, v);
        return;
    }
    if (v->gate == 0 && v->status == VERDICT_NOT_RUN) {
        console->n_left_out += *v->shape != '\0';
        return;
    }
    if (*v->shape && strcmp(v->shape, console->last_shape) != 0) {
        console->n_shapes++;
        snprintf(console->last_shape, sizeof console->last_shape, "%s", v->shape);
    }
    if (v->gate == GATE_BYTES && v->n_runs) {
        console->n_runs = v->n_runs;
        snprintf(console->checks, sizeof console->checks, "%s", v->checks);
    }
    console->n_finite += v->n_finite;
    console->n_nonfinite += v->n_nonfinite;
    console->n_undecided += v->n_undecided;
    if (v->gate == GATE_BOUND && v->n_compared) {
        console->has_bound = true;
        console->worst_ratio = fmax(console->worst_ratio, v->worst_ratio);
        snprintf(console->twin, sizeof console->twin, "%s", v->twin);
        console->n_twin += v->n_twin;
        console->twin_ratio = fmax(console->twin_ratio, v->twin_ratio);
        note_depth(console, v);
    }
    if (v->gate == GATE_EXACT)
        note_exact(console, v);
}

static void print_control(struct console *console, const struct verdict *v)
{
    static const struct {
        const char *word, *lead;
        int color;
    } outcomes[VERDICT_STATUS_COUNT] = {
        [VERDICT_RED] = {"RED", "as planted, at gate", GREEN},
        [VERDICT_GREEN] = {"GREEN", "as it must be here, at gate", GREEN},
        [VERDICT_MISS] = {"MISS", NULL, RED},
        [VERDICT_DIED] = {"MISS", "died, before gate", RED},
    };
    struct text line = {0};
    const char *word = outcomes[v->status].word, *lead = outcomes[v->status].lead;
    append_word(console, &line, word ? word : "SKIP", word ? outcomes[v->status].color : YELLOW);
    text_append(&line, "%s %s  ", v->chip, v->name);
    if (lead)
        text_append(&line, "%s %d: ", lead, v->gate);
    text_append(&line, "%s", v->reason);
    print_line(console, v, &line);
}

static void print_limit(struct console *console, const struct verdict *v)
{
    struct text line = {0};
    append_word(console, &line, "LIMIT", verdict_status_is_red(v->status) ? RED : GREEN);
    text_append(&line, "%s %s  %s", v->chip, v->registration, v->reason);
    print_line(console, v, &line);
}

static void fold(void *context, const struct verdict *v)
{
    struct console *console = context;
    if (v->subject == SUBJECT_CONTROL)
        print_control(console, v);
    else if (v->subject == SUBJECT_LIMIT)
        print_limit(console, v);
    else
        print_failure(console, v);
    if (v->subject == SUBJECT_GATE)
        note_gate(console, v);
}

/* A factor as a line shows it: 250, 2.5, inf. */
static void print_factor(FILE *out, double factor)
{
    fprintf(out, isinf(factor) ? "%g" : factor >= 100 ? "%.0fx" : "%.3gx", factor);
}

static void print_exact(const struct console *console)
{
    if (console->proof.gate && fmin(console->proof.miss_fp16, console->proof.miss_bf16) >= 2) {
        fprintf(console->out, "gate 4: exact at %s, fp16 sums would miss ", console->proof.shape);
        print_factor(console->out, console->proof.miss_fp16);
        fputs(" and bf16 ", console->out);
        print_factor(console->out, console->proof.miss_bf16);
    } else if (console->proof.gate) {
        fprintf(console->out, "gate 4: exact at %s; %s", console->proof.shape, console->exact_note);
    } else {
        fprintf(console->out, "gate 4: %s", console->exact_note);
    }
}

static void print_named(FILE *out, const char *what, const struct console_names *names)
{
    if (*names->held || names->n_left_out)
        fprintf(out, ", %s: %s", what, *names->held ? names->held : "none");
    if (names->n_left_out)
        fprintf(out, " (%d left out)", names->n_left_out);
}

static void print_bound(const struct console *console)
{
    fprintf(console->out, "gate 3: worst %.3g of the bound", console->worst_ratio);
    if (console->n_twin)
        fprintf(console->out, ", twin %s within %.3g of both bounds", console->twin, console->twin_ratio);
    else if (*console->twin)
        fprintf(console->out, ", twin %s not for this chip", console->twin);
    if (console->depth_declared)
        fprintf(console->out, ", depth %" PRId64 " of %" PRId64 " declared", console->depth_measured,
                console->depth_declared);
    fputs("; ", console->out);
}

/* What a gate says first where it is red as is known: that of its other words may not hold. */
static const char *known_word(const struct console *console, int gate)
{
    return console->knows[gate] ? "known finding, " : "";
}

static void print_bytes(const struct console *console)
{
    bool knows = console->knows[GATE_BYTES];
    fprintf(console->out, "%s%d runs%s", known_word(console, GATE_BYTES), console->n_runs,
            knows ? "" : " byte-identical, guards intact");
    if (*console->checks && !knows)
        fprintf(console->out, ", %s clean", console->checks);
}

static void print_pass(struct console *console, const char *registration, const char *chip)
{
    FILE *out = console->out;
    struct text word = {0};
    append_word(console, &word, "PASS", GREEN);
    clear_progress(console);
    fprintf(out, "%s%s %s  %d shape%s", word.data ? word.data : "", chip, registration, console->n_shapes,
            console->n_shapes == 1 ? "" : "s");
    free_line(console, &word);
    if (console->n_left_out)
        fprintf(out, " (%d left out)", console->n_left_out);
    fputs("  gate 1: ", out);
    print_bytes(console);
    print_named(out, "bytes", &console->bytes);
    print_named(out, "launcher", &console->launcher);
    fprintf(out, "; gate 2: %s%" PRId64 " non-finite and %" PRId64 " finite outputs%s; ", known_word(console, GATE_CLASSES),
            console->n_nonfinite, console->n_finite, console->knows[GATE_CLASSES] ? "" : " match");
    if (console->has_bound)
        print_bound(console);
    if (console->n_undecided)
        fprintf(out, "%" PRId64 " output%s undecided; ", console->n_undecided, console->n_undecided == 1 ? "" : "s");
    print_exact(console);
    fputc('\n', out);
    fflush(out);
}

static void registration_end(void *context, const struct registration_end *end)
{
    struct console *console = context;
    if (console->n_failures == 0)
        print_pass(console, end->registration, end->chip);
    else if (console->n_failures > CONSOLE_FAILURES)
        fprintf(console->out, "      %s %s  and %d more failures (the log has all)\n", end->chip, end->registration,
                console->n_failures - CONSOLE_FAILURES);
    *console = (struct console){.out = console->out,
                                .color = console->color,
                                .progress = console->progress,
                                .is_cut = console->is_cut,
                                .failures = console->failures};
}

struct verdict_sink console_sink(struct console *console)
{
    return (struct verdict_sink){.verdict = fold, .registration_end = registration_end, .context = console};
}

static void print_coverage(FILE *out, const struct chip_counts *row)
{
    fprintf(out, "COVERAGE %s %" PRId64 " kernels x gates 1-5: %" PRId64 " run, %" PRId64 " modelled, %" PRId64 " not run",
            row->chip, row->n_kernels + row->n_kernels_left_out, row->n_cells_run, row->n_cells_modelled,
            row->n_cells_not_run);
    if (row->n_shapes_left_out)
        fprintf(out, "; %" PRId64 " shapes left out", row->n_shapes_left_out);
    if (row->n_bytes_left_out)
        fprintf(out, "; %" PRId64 " byte contracts left out", row->n_bytes_left_out);
    if (*row->modelled)
        fprintf(out, "; modelled: %s", row->modelled);
    fputc('\n', out);
}

static void print_summary(FILE *out, const struct chip_counts *row, bool interrupted)
{
    fprintf(out,
            "SUMMARY %s %" PRId64 " kernels: %" PRId64 " pass gates 1-4, %" PRId64 " fail, %" PRId64
            " known findings; %" PRId64 " controls: %" PRId64 " red as planted, %" PRId64 " missed",
            row->chip, row->n_kernels, row->n_pass, row->n_fail, row->n_known, row->n_controls, row->n_red, row->n_missed);
    if (row->n_green)
        fprintf(out, "; %" PRId64 " green as they must be", row->n_green);
    if (row->n_controls_not_run)
        fprintf(out, "; %" PRId64 " not run", row->n_controls_not_run);
    fprintf(out, "; %" PRId64 " limit problems; gates %" PRIu64 " ms, limits %" PRIu64 " ms%s\n", row->n_limit_problems,
            row->gates_ns / 1000000, row->limits_ns / 1000000, interrupted ? "; interrupted" : "");
}

void console_summary(struct console *console, const struct counts *counts, bool interrupted)
{
    clear_progress(console);
    failures_print(&console->failures, console->out);
    for (size_t i = 0; i < counts->n_chips; i++)
        print_coverage(console->out, &counts->chips[i]);
    for (size_t i = 0; i < counts->n_chips; i++)
        print_summary(console->out, &counts->chips[i], interrupted);
    fflush(console->out);
}

bool console_is_whole(const struct console *console, struct error *error)
{
    return (!console->is_cut && !console->failures.lines.failed) ||
           error_set(error, STATUS_USAGE, "out of host memory for a line: what is printed is not complete");
}

void console_free(struct console *console)
{
    failures_free(&console->failures);
}
