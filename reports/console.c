#include "reports/console.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A status word in its column, coloured for a terminal. */
static void print_word(const struct console *console, const char *word, const char *color)
{
    if (console->progress)
        progress_clear(console->progress);
    if (console->color)
        fprintf(console->out, "\033[%sm%s\033[0m%*s", color, word, (int)(6 - strlen(word)), "");
    else
        fprintf(console->out, "%-5s ", word);
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
    text_append(text, "%s%s", text->length ? ": " : "", *v->reason ? v->reason : verdict_status_name(v->status));
    if (has_numbers(v))
        text_append(text, " (%s: got %.9g = 0x%" PRIx64 ", reference %.17g, bound %.3g; %" PRId64 " of %" PRId64 " wrong)",
                    v->worst.tensor, v->worst.got, v->worst.got_bits, v->worst.reference, v->worst.bound, v->n_wrong,
                    v->n_compared);
}

static void print_explained(struct console *console, const char *word, const char *color, const struct verdict *v,
                            const char *name, const char *lead)
{
    struct text text = {0};
    console_explain(v, &text);
    print_word(console, word, color);
    fprintf(console->out, "%s %s  %s%s\n", v->chip, name, lead, text.data ? text.data : "");
    fflush(console->out);
    text_free(&text);
}

/* The word of a line that is printed at once for a gate's verdict; NULL: none is. */
static const char *word_of(enum verdict_status status, const char **color)
{
    *color = "31";
    switch (status) {
    case VERDICT_FAIL:
    case VERDICT_EXPIRED:
    case VERDICT_NOT_FOUND:
    case VERDICT_LAUNCH_FAILED:
    case VERDICT_BUILD_FAILED:
        return "FAIL";
    case VERDICT_INVALID:
        return "INVALID";
    case VERDICT_BLIND:
        return "BLIND";
    case VERDICT_KNOWN_FINDING:
        *color = "33";
        return "KNOWN";
    default:
        return NULL;
    }
}

static bool is_of_launcher(const struct verdict *v)
{
    return reg_launcher_check_find(v->name) != REG_LAUNCHER_CHECK_COUNT;
}

static void print_failure(struct console *console, const struct verdict *v)
{
    const char *color, *word = word_of(v->status, &color);
    if (!word)
        return;
    bool counts = v->status != VERDICT_KNOWN_FINDING;
    console->n_failures += counts;
    if (console->n_failures > CONSOLE_FAILURES)
        return;
    char lead[VERDICT_NAME_BYTES + 48];
    const char *failed = v->status == VERDICT_LAUNCH_FAILED  ? "launch failed: "
                         : v->status == VERDICT_BUILD_FAILED ? "build failed: "
                                                             : "";
    const char *what = v->subject == SUBJECT_TOOTH ? "tooth " : is_of_launcher(v) ? "launcher, " : *v->name ? "bytes " : "";
    snprintf(lead, sizeof lead, "%s%s%s%s", failed, what, v->name, *v->name ? ": " : "");
    print_explained(console, word, color, v, v->registration, lead);
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
    bool red = v->status == VERDICT_RED, green = v->status == VERDICT_GREEN, missed = v->status == VERDICT_MISS;
    print_word(console,
               red      ? "RED"
               : green  ? "GREEN"
               : missed ? "MISS"
                        : "SKIP",
               red || green ? "32"
               : missed     ? "31"
                            : "33");
    if (red)
        fprintf(console->out, "%s %s  as planted, at gate %d: %s\n", v->chip, v->name, v->gate, v->reason);
    else if (green)
        fprintf(console->out, "%s %s  as it must be here, at gate %d: %s\n", v->chip, v->name, v->gate, v->reason);
    else
        fprintf(console->out, "%s %s  %s\n", v->chip, v->name, v->reason);
    fflush(console->out);
}

static void print_limit(struct console *console, const struct verdict *v)
{
    print_word(console, "LIMIT", verdict_status_is_red(v->status) ? "31" : "32");
    fprintf(console->out, "%s %s  %s\n", v->chip, v->registration, v->reason);
    fflush(console->out);
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

static void print_pass(const struct console *console, const char *registration, const char *chip)
{
    FILE *out = console->out;
    print_word(console, "PASS", "32");
    fprintf(out, "%s %s  %d shape%s", chip, registration, console->n_shapes, console->n_shapes == 1 ? "" : "s");
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
    *console = (struct console){.out = console->out, .color = console->color, .progress = console->progress};
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
    if (console->progress)
        progress_clear(console->progress);
    for (size_t i = 0; i < counts->n_chips; i++)
        print_coverage(console->out, &counts->chips[i]);
    for (size_t i = 0; i < counts->n_chips; i++)
        print_summary(console->out, &counts->chips[i], interrupted);
    fflush(console->out);
}
