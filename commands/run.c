/* `hipcontract run KERNEL --shape L`, or `--bytes NAME`: one case, verbosely; with `--weights`, the cases of a file's
 * weights. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "commands/commands.h"
#include "commands/options.h"
#include "commands/row_dump.h"
#include "commands/run_environment.h"
#include "commands/run_record.h"
#include "commands/session.h"
#include "contract/base/text.h"
#include "contract/bytes.h"
#include "contract/case_outputs.h"
#include "contract/depth.h"
#include "contract/diagnosis.h"
#include "contract/gates.h"
#include "contract/launcher.h"
#include "contract/twin.h"
#include "contract/weights.h"
#include "reports/console.h"
#include "reports/diagnosis_text.h"
#include "reports/repeat.h"

enum { SHOWN_OUTPUTS = 20, WEIGHTS_SHAPES = 2 };

static const char usage[] =
    "usage: hipcontract run KERNEL --shape LABEL [OPTIONS]\n"
    "       hipcontract run KERNEL --bytes NAME [OPTIONS]\n"
    "       hipcontract run KERNEL --weights FILE:NAME [--rows N] [OPTIONS]\n\n"
    "One shape or byte contract of one registration, or shapes that a file's weights make, with the\n"
    "first failing outputs.\n";

/* What `run` works on. */
struct one_run {
    const struct arguments *arguments;
    struct session *session;
    const struct registration *registration;
    const struct reg_shape *shape; /* of the case, or of the byte contract */
    const struct reg_bytes *bytes; /* NULL: a case */
    struct weights weights;        /* where the arguments name some, with the shapes to run and their rows */
    struct reg_shape weights_shapes[WEIGHTS_SHAPES];
    int weights_rows[WEIGHTS_SHAPES], n_weights_shapes;
    struct builds builds;
    struct launch_target target;
    struct twin twin;
    struct row_dump dump;
    struct log_environment environment; /* of the log that --keep-outputs writes, and of the command that repeats a case */
    struct run_record record;
    enum status status;
};

static bool exact_value(const struct host_case *host, int tensor, int64_t index, double *expected)
{
    if (host->c.pattern != REG_PATTERN_EXACT)
        return false;
    struct exact_sum sum = {0};
    host->c.registration->exact(&host->c, tensor, index, 1, &sum);
    *expected = sum.expected;
    return true;
}

static bool is_wrong(const struct host_case *host, int tensor, int64_t index, const void *data)
{
    double expected;
    enum number_format format = host->plan.tensor[tensor].format;
    if (!exact_value(host, tensor, index, &expected))
        return judge_output(host, tensor, index, data).ratio > 1;
    uint64_t stored = 0;
    format_store(format, &stored, 0, expected);
    return format_bits(format, data, index) != format_bits(format, &stored, 0);
}

static void print_output(const struct host_case *host, int tensor, int64_t index, const void *data)
{
    const struct reg_tensor *output = &host->plan.tensor[tensor];
    const struct bound *bound = &host->bounds[tensor][index];
    double expected = bound->value;
    exact_value(host, tensor, index, &expected);
    struct judgement judgement = judge_output(host, tensor, index, data);
    printf("  %s[%" PRId64 "][%" PRId64 "]  got %.9g (0x%0*" PRIx64 ", %a)  reference %.17g  bound %.3g  ratio %.4g\n",
           output->name, index / output->columns, index % output->columns, judgement.value,
           format_facts(output->format)->n_bytes * 2, format_bits(output->format, data, index), judgement.value, expected,
           bound->error, judgement.ratio);
}

static void print_wrong_outputs(const struct host_case *host, const struct outputs *outputs)
{
    int64_t n_wrong = 0;
    for (int t = next_output(&host->plan, 0); t >= 0; t = next_output(&host->plan, t + 1))
        for (int64_t i = 0; i < tensor_elements(&host->plan.tensor[t]); i++) {
            if (!is_wrong(host, t, i, outputs->data[t]))
                continue;
            if (n_wrong++ < SHOWN_OUTPUTS)
                print_output(host, t, i, outputs->data[t]);
        }
    if (n_wrong > SHOWN_OUTPUTS)
        printf("  and %" PRId64 " more of %" PRId64 " outputs\n", n_wrong - SHOWN_OUTPUTS, plan_outputs(&host->plan));
}

static void print_diagnosis(const struct verdict *v)
{
    struct text lines = {0};
    diagnosis_lines(&v->diagnosis, 2, &lines);
    fputs(lines.data ? lines.data : "", stdout);
    text_free(&lines);
}

static void print_repeat(const struct one_run *one, const struct verdict *v)
{
    struct text text = {0};
    if (one->arguments->weights) {
        text_append(&text, "hipcontract run %s --weights %s --rows %d", v->registration, one->arguments->weights,
                    one->weights_rows[one->shape - one->weights_shapes]);
        repeat_options(v, &one->environment, &text);
    } else {
        repeat_command(v, &one->environment, &text);
    }
    printf("  repeat: %s\n", text.data ? text.data : "");
    text_free(&text);
}

static void print_verdict(struct one_run *one, const struct verdict *v)
{
    struct text text = {0};
    char code[33], output[33];
    stream_put(&one->record.stream, v);
    console_explain(v, &text);
    hash_hex(v->code, code);
    hash_hex(v->output, output);
    if (v->status != VERDICT_PASS) {
        printf("%s %s: %s%s%s%s\n", verdict_status_is_red(v->status) ? "FAIL" : verdict_status_name(v->status),
               v->registration,
               one->bytes ? "bytes "
               : *v->name ? "launcher, "
                          : "",
               v->name, *v->name ? ": " : "", text.data);
        enum status status = verdict_exit(v);
        one->status = status > one->status ? status : one->status;
    } else if (one->bytes) {
        printf("PASS gate 1, bytes %s at %s (%s): %s; %d launch%s, %" PRId64
               " elements compared, outputs %s, code object %s\n",
               v->name, v->shape, v->pattern, one->bytes->what, v->n_runs, v->n_runs == 1 ? "" : "es", v->n_compared,
               output, code);
    } else if (*v->name) {
        printf("PASS gate 1 at %s (%s): launcher, %s: ", v->shape, v->pattern, v->name);
        if (reg_launcher_check_find(v->name) == REG_LAUNCHER_DEVICES)
            printf("%d runs byte-identical on all devices, %" PRId64 " outputs in each run\n", v->n_runs, v->n_compared);
        else
            printf("%d sizes that no variant is for refused\n", v->n_runs);
    } else if (v->gate == GATE_BYTES) {
        printf("PASS gate 1 at %s (%s): %d runs byte-identical, outputs %s, code object %s\n", v->shape, v->pattern,
               v->n_runs, output, code);
    } else if (v->gate == GATE_CLASSES) {
        printf("PASS gate 2 at %s (%s): %" PRId64 " non-finite and %" PRId64 " finite outputs match\n", v->shape,
               v->pattern, v->n_nonfinite, v->n_finite);
    } else if (v->gate == GATE_BOUND) {
        printf("PASS gate 3 at %s (%s): worst %.3g of the bound at %s[%" PRId64 "], signed mean %.3g of the bound%s%s",
               v->shape, v->pattern, v->worst_ratio, v->worst.tensor, v->worst.index, v->signed_mean,
               *v->twin ? ", twin " : "", v->twin);
        if (v->n_twin)
            printf(" within %.3g of both bounds", v->twin_ratio);
        else if (*v->twin)
            fputs(" not for this chip", stdout);
        if (*v->depth_tensor)
            printf(", depth %" PRId64 " of %" PRId64 " declared (%s)", v->depth_measured, v->depth_declared,
                   v->depth_parts);
        putchar('\n');
    } else {
        printf("PASS gate 4 at %s (%s): %" PRId64 " outputs exact, fp16 sums would miss %.3gx and bf16 %.3gx\n", v->shape,
               v->pattern, v->n_compared, v->miss_fp16, v->miss_bf16);
    }
    text_free(&text);
}

static bool judge_outputs(struct one_run *one, const struct host_case *host, const struct outputs *first,
                          struct error *error)
{
    struct verdict v = verdict_for_case(host, &one->target, gate_of_pattern(host->c.pattern));
    gate_judge(host, first, &v);
    diagnosis_make(host, first, &v);
    if (v.gate == GATE_EXACT && !gate4_misses(host, &v, error))
        return false;
    if (v.gate == GATE_BOUND && !twin_judge(&one->twin, host, first, one->arguments->checks, &v, error))
        return false;
    if (v.gate == GATE_BOUND)
        depth_judge(&one->target, host, one->arguments->checks, &v);
    print_verdict(one, &v);
    if (v.status == VERDICT_PASS)
        return true;
    print_wrong_outputs(host, first);
    print_diagnosis(&v);
    print_repeat(one, &v);
    return true;
}

static bool run_opened_case(struct one_run *one, struct host_case *host, struct error *error)
{
    int64_t n_audited = 0;
    if (!host_case_reference(host, error))
        return false;
    if (gate_of_pattern(host->c.pattern) == GATE_BOUND && !audit_reference(host, &n_audited, error))
        return false;
    struct gate1_options runs = {.n_runs = one->arguments->n_runs,
                                 .seed = reg_key(&host->c, 0).value,
                                 .schedule = one->arguments->schedule,
                                 .checks = one->arguments->checks};
    struct outputs first = {0};
    struct verdict v = verdict_for_case(host, &one->target, GATE_BYTES);
    bool ok = case_outputs_run(&one->target, host, &runs, &one->record.stream, &first, &v, error);
    print_verdict(one, &v);
    if (v.status != VERDICT_PASS)
        print_repeat(one, &v);
    row_dump_print(&one->dump, stdout, host, &first);
    return ok && (!first.data[next_output(&host->plan, 0)] || judge_outputs(one, host, &first, error));
}

static bool run_pattern(struct one_run *one, enum reg_pattern pattern, struct error *error)
{
    const struct arguments *a = one->arguments;
    const struct reg_file *file = a->weights ? &one->weights.file : NULL;
    struct host_case host;
    bool ok = host_case_open_file(&host, one->registration, one->shape, file, pattern, a->seed, a->n_jobs, error) &&
              row_dump_fits(&one->dump, &host.plan, error) && run_opened_case(one, &host, error);
    host_case_close(&host);
    fflush(stdout);
    return ok;
}

/* The checks that a launcher has on its shape for devices. */
static bool run_launcher_checks(struct one_run *one, struct error *error)
{
    const struct reg_launcher *launcher = one->registration->launcher;
    enum reg_pattern wanted = one->arguments->pattern;
    if (!launcher || strcmp(one->shape->label, launcher->devices_shape) != 0 ||
        (wanted != REG_PATTERN_COUNT && wanted != REG_PATTERN_SIGNED))
        return true;
    struct host_case host;
    struct launcher_options options = {.checks = one->arguments->checks};
    bool ok = host_case_open(&host, one->registration, one->shape, REG_PATTERN_SIGNED, one->arguments->seed,
                             one->arguments->n_jobs, error);
    for (int check = 0; check < REG_LAUNCHER_CHECK_COUNT && ok; check++) {
        struct verdict v = launcher_verdict((enum reg_launcher_check)check, &host, &one->target);
        struct launch_fault fault = launch_as_planned(&host);
        options.seed = reg_key(&host.c, 0).value;
        launcher_check((enum reg_launcher_check)check, &host, &one->target, &fault, &one->builds, &options, &v);
        print_verdict(one, &v);
        if (v.status != VERDICT_PASS)
            print_repeat(one, &v);
    }
    host_case_close(&host);
    return ok;
}

static unsigned possible_patterns(const struct one_run *one)
{
    unsigned patterns = registration_patterns(one->registration);
    return one->arguments->weights ? patterns & WEIGHTS_PATTERNS : patterns;
}

static bool run_patterns(struct one_run *one, struct error *error)
{
    enum reg_pattern wanted = one->arguments->pattern;
    for (int p = 0; p < REG_PATTERN_COUNT; p++)
        if (possible_patterns(one) & 1u << p && (wanted == REG_PATTERN_COUNT || (int)wanted == p) &&
            !run_pattern(one, (enum reg_pattern)p, error))
            return false;
    return true;
}

static void print_difference(void *context, const struct bytes_difference *d)
{
    int64_t *n_printed = context;
    int digits = format_facts(d->tensor->format)->n_bytes * 2;
    if ((*n_printed)++ < SHOWN_OUTPUTS)
        printf("  %s[%" PRId64 "][%" PRId64 "]  got %.9g (0x%0*" PRIx64 ", %a)  expected %.9g (0x%0*" PRIx64 ", %a)\n",
               d->tensor->name, d->row, d->column, d->got, digits, d->got_bits, d->got, d->expected, digits,
               d->expected_bits, d->expected);
}

static void judge_bytes(struct one_run *one, const struct bytes_case *open, struct bytes_options *options)
{
    int64_t n_different = 0;
    struct launch_fault fault = launch_as_planned(&open->host);
    struct verdict v = bytes_verdict(open, &one->target);
    options->differs = print_difference;
    options->context = &n_different;
    bytes_judge(open, &one->target, &fault, options, &v);
    if (n_different > SHOWN_OUTPUTS)
        printf("  and %" PRId64 " more\n", n_different - SHOWN_OUTPUTS);
    print_verdict(one, &v);
    if (v.status == VERDICT_PASS)
        return;
    print_repeat(one, &v);
}

static bool run_bytes(struct one_run *one, struct error *error)
{
    const struct arguments *a = one->arguments;
    struct bytes_options options = {.seed = a->seed, .schedule = a->schedule, .n_threads = a->n_jobs, .checks = a->checks};
    struct bytes_case open;
    bool ok = bytes_open(&open, one->bytes, one->registration, &options, error);
    if (ok)
        judge_bytes(one, &open, &options);
    bytes_close(&open);
    fflush(stdout);
    return ok;
}

/* Finds the byte contract, or says which there are. */
static bool choose_bytes(struct one_run *one, struct error *error)
{
    const struct arguments *a = one->arguments;
    if (a->shape || a->pattern != REG_PATTERN_COUNT) {
        error_set(error, STATUS_USAGE, "--bytes has its own shape and pattern; leave --shape and --pattern out");
        return false;
    }
    if (a->hash || a->dump_row >= 0) {
        error_set(error, STATUS_USAGE, "--bytes is judged by its bytes; leave --hash and --dump-row out, or give --shape");
        return false;
    }
    one->bytes = registration_bytes(one->registration, a->bytes);
    if (one->bytes) {
        one->shape = &one->bytes->shape;
        return true;
    }
    struct text names = {0};
    for (size_t i = 0; i < one->registration->n_bytes; i++)
        text_append(&names, " %s", one->registration->bytes[i].name);
    error_set(error, STATUS_USAGE, "%s has no byte contract %s; it has:%s", one->registration->name, a->bytes,
              names.data ? names.data : " none");
    text_free(&names);
    return false;
}

/* Shapes that the weights of a file ask for: of --rows, else of one row and of a pass of several. */
static bool choose_weights(struct one_run *one, struct error *error)
{
    static const int default_rows[WEIGHTS_SHAPES] = {1, 16};
    const struct arguments *a = one->arguments;
    const int *rows = a->n_rows ? &a->n_rows : default_rows, n_shapes = a->n_rows ? 1 : WEIGHTS_SHAPES;
    if (a->shape || a->bytes) {
        error_set(error, STATUS_USAGE, "--weights makes the shape; leave --shape and --bytes out");
        return false;
    }
    if (!weights_open(&one->weights, one->registration, a->weights, error))
        return false;
    for (int i = 0; i < n_shapes; i++) {
        one->weights_rows[i] = rows[i];
        if (!weights_shape(&one->weights, rows[i], &one->weights_shapes[i], error))
            return false;
    }
    one->n_weights_shapes = n_shapes;
    return true;
}

/* Finds the shape, or says which there are. */
static bool choose_shape(struct one_run *one, struct error *error)
{
    const struct arguments *a = one->arguments;
    one->shape = a->shape ? registration_shape(one->registration, a->shape) : NULL;
    if (one->shape)
        return true;
    struct text labels = {0};
    for (size_t i = 0; i < one->registration->n_shapes; i++)
        text_append(&labels, " %s", one->registration->shapes[i].label);
    error_set(error, STATUS_USAGE, "%s%s; give --shape one of:%s", a->shape ? "no shape " : "no shape given",
              a->shape ? a->shape : "", labels.data);
    text_free(&labels);
    return false;
}

static bool choose_registration(struct one_run *one, struct error *error)
{
    const char *name = one->arguments->kernel;
    if (!name) {
        error_set(error, STATUS_USAGE, "name a registration; `hipcontract list` shows them");
        return false;
    }
    one->registration = registry_find(&one->session->registry, name);
    if (one->registration)
        return true;
    error_set(error, STATUS_USAGE, "no registration is named %s; `hipcontract list` shows them", name);
    return false;
}

/* Whether the one pattern that was asked for, if any, is run. */
static bool pattern_is_possible(const struct one_run *one, struct error *error)
{
    enum reg_pattern wanted = one->arguments->pattern;
    if (wanted == REG_PATTERN_COUNT || possible_patterns(one) & 1u << wanted)
        return true;
    return error_set(error, STATUS_USAGE, "%s does not run pattern %s%s", one->registration->name, reg_pattern_name(wanted),
                     one->arguments->weights ? " on the weights of a file" : "");
}

static bool choose(struct one_run *one, struct error *error)
{
    const struct arguments *a = one->arguments;
    if (!choose_registration(one, error))
        return false;
    if (a->n_rows && !a->weights)
        return error_set(error, STATUS_USAGE, "--rows goes with --weights; a shape has its own rows");
    bool found = a->weights ? choose_weights(one, error) : a->bytes ? choose_bytes(one, error) : choose_shape(one, error);
    return found && pattern_is_possible(one, error);
}

static void print_case(const struct one_run *one)
{
    const struct arguments *a = one->arguments;
    printf("%s at %s%s%s on %s%s, seed %" PRIu64 "\n", one->registration->name, one->shape->label, a->weights ? " of " : "",
           a->weights ? a->weights : "", one->target.device->chip, a->on_gpu ? "" : " (emulated)", a->seed);
}

static bool run_weights(struct one_run *one, struct error *error)
{
    if (*one->weights.unused)
        printf("not used by %s: %s\n", one->registration->name, one->weights.unused);
    for (int i = 0; i < one->n_weights_shapes; i++) {
        one->shape = &one->weights_shapes[i];
        print_case(one);
        if (!run_patterns(one, error))
            return false;
    }
    return true;
}

static bool run_chosen(struct one_run *one, struct error *error)
{
    if (one->arguments->weights)
        return run_weights(one, error);
    print_case(one);
    return one->bytes ? run_bytes(one, error) : run_patterns(one, error) && run_launcher_checks(one, error);
}

static bool run_on_device(struct one_run *one, struct error *error)
{
    struct device *device;
    const char *chip = one->arguments->n_chips ? one->arguments->chips[0] : one->arguments->on_gpu ? NULL : DEFAULT_CHIP;
    if (!session_device(one->session, chip, one->arguments->n_jobs, &device, error))
        return false;
    one->environment = run_environment(one->session);
    one->environment.chips = device->chip;
    one->builds = (struct builds){.builder = &one->session->builder, .device = device};
    bool ok = builds_target(&one->builds, one->registration, NULL, &one->target, error) &&
              run_record_open(&one->record, one->session, &one->environment, error);
    one->twin = twin_find(&one->session->registry, one->registration, &one->builds);
    ok = ok && run_chosen(one, error);
    enum status status = ok ? one->status : error->status;
    ok &= run_record_close(&one->record, one->registration->name, device->chip, status, ok ? error : NULL);
    builds_free(&one->builds);
    device->close(device);
    return ok;
}

int command_run(int argc, char **argv)
{
    struct arguments arguments;
    struct error error = {0};
    if (!arguments_parse(argc, argv, FOR_RUN, &arguments, &error))
        return command_fail(argv[0], &error);
    if (arguments.help) {
        arguments_print_help(FOR_RUN, usage);
        return STATUS_OK;
    }
    struct session session;
    struct one_run one = {
        .arguments = &arguments, .session = &session, .dump = {.hashes = arguments.hash, .row = arguments.dump_row}};
    bool ok = session_open(&session, &arguments, &error) && choose(&one, &error) && run_on_device(&one, &error);
    int status = ok ? (int)one.status : command_fail(arguments.command, &error);
    weights_close(&one.weights);
    session_close(&session);
    return status;
}
