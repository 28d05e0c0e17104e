/*
 * The run loop on a fake device: what is run, counted and covered; a launch that fails ends nothing; interrupt, resume,
 * known findings and builds that fail.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "contract/base/file.h"
#include "contract/counts.h"
#include "contract/run.h"
#include "reports/log.h"
#include "reports/verdict_json.h"
#include "tests/support/fake_kernels.h"

enum { MAX_VERDICTS = 400, MAX_STEPS = 200 };

/* A run of one registration with its controls, and what came of it. */
struct fixture {
    struct registration registration, twin;
    const struct registration *registrations[2];
    size_t n_registrations;
    const struct control *controls[8];
    size_t n_controls;
    struct run_options options;
    struct counts counts;
    struct verdict_stream stream;
    struct decided *decided;
    const struct fake_kernel *kernels; /* NULL: fake_kernels */
    struct verdict verdicts[MAX_VERDICTS];
    size_t n_verdicts;
    double shares[MAX_STEPS];                                                                       /* done at each step */
    int n_steps, interrupt_at;                                                                      /* 0: never */
    size_t (*modelled)(struct device *device, hipFunction_t function, char *text, size_t capacity); /* of the device */
    bool ok;
    struct error error;
};

static void keep(void *context, const struct verdict *v)
{
    struct fixture *f = context;
    assert_true(f->n_verdicts < MAX_VERDICTS);
    f->verdicts[f->n_verdicts++] = *v;
}

static void count_step(void *context, const char *registration, const char *shape, double done_share)
{
    struct fixture *f = context;
    (void)registration, (void)shape;
    assert_true(f->n_steps < MAX_STEPS);
    f->shares[f->n_steps++] = done_share;
}

static bool interrupted(void *context)
{
    const struct fixture *f = context;
    return f->interrupt_at && f->n_steps >= f->interrupt_at;
}

static struct fixture *fixture(const char *symbol)
{
    struct fixture *f = calloc(1, sizeof *f);
    f->registration = fake_registration(symbol);
    f->registrations[0] = &f->registration;
    f->n_registrations = 1;
    for (f->n_controls = 0; f->n_controls < n_fake_controls; f->n_controls++)
        f->controls[f->n_controls] = &fake_controls[f->n_controls];
    f->options = (struct run_options){.n_runs = 5, .n_threads = 1, .seed = 1, .today = "2026-11-29"};
    stream_add(&f->stream, counts_sink(&f->counts));
    stream_add(&f->stream, (struct verdict_sink){.verdict = keep, .context = f});
    return f;
}

static struct fixture *fixture_with_bytes(const char *symbol)
{
    struct fixture *f = fixture(symbol);
    f->registration.bytes = fake_bytes;
    f->registration.n_bytes = n_fake_bytes;
    return f;
}

/* Gives the registration a twin of a source of its own, which is not itself run. */
static void add_twin(struct fixture *f, const char *symbol)
{
    static const char *const only[] = {"fake_dot"};
    f->twin = fake_registration(symbol);
    f->twin.name = f->registration.twin = "fake_twin";
    f->twin.source = "twin.hip";
    f->registrations[f->n_registrations++] = &f->twin;
    f->options.only = only;
    f->options.n_only = 1;
}

static void go(struct fixture *f, int fail_launch)
{
    struct registry registry = {f->registrations, f->n_registrations, f->controls, f->n_controls};
    struct builder builder = fake_builder();
    struct device *device = fake_device_open(f->kernels ? f->kernels : fake_kernels, true);
    device->modelled = f->modelled;
    struct run run = {.registry = &registry,
                      .options = &f->options,
                      .stream = &f->stream,
                      .builds = {.builder = &builder, .device = device},
                      .decided = f->decided,
                      .progress = {.step = count_step, .context = f},
                      .interrupted = interrupted,
                      .interrupt_context = f};
    fake_device_fail_launch(fail_launch, hipErrorLaunchFailure);
    f->ok = run_gates(&run, &f->error);
    builds_free(&run.builds);
    assert_int_equal(fake_device_live_allocations(), 0);
}

static int count(const struct fixture *f, enum verdict_subject subject, enum verdict_status status)
{
    int n = 0;
    for (size_t i = 0; i < f->n_verdicts; i++)
        n += f->verdicts[i].subject == subject && f->verdicts[i].status == status;
    return n;
}

static const struct verdict *find(const struct fixture *f, enum verdict_status status)
{
    for (size_t i = 0; i < f->n_verdicts; i++)
        if (f->verdicts[i].status == status)
            return &f->verdicts[i];
    fail_msg("no verdict is %s", verdict_status_name(status));
    return NULL;
}

static void right_kernel_holds_its_contract(void **state)
{
    (void)state;
    struct fixture *f = fixture("dot");
    go(f, 0);
    for (size_t i = 0; i < f->n_verdicts; i++)
        if (verdict_exit(&f->verdicts[i]) != STATUS_OK)
            fail_msg("%s %s %s: %s", f->verdicts[i].name, f->verdicts[i].shape, f->verdicts[i].pattern,
                     f->verdicts[i].reason);
    assert_true(f->ok);
    assert_int_equal(f->stream.worst, STATUS_OK);
    /* 3 shapes x 4 patterns, each with gate 1 and its own. */
    assert_int_equal(count(f, SUBJECT_GATE, VERDICT_PASS), 24);
    assert_int_equal(count(f, SUBJECT_CONTROL, VERDICT_RED), 6);
    assert_int_equal(count(f, SUBJECT_TOOTH, VERDICT_PASS), 13);
    const struct chip_counts *row = &f->counts.chips[0];
    assert_int_equal(row->n_kernels, 1);
    assert_int_equal(row->n_pass, 1);
    assert_int_equal(row->n_red, 6);
    assert_int_equal(row->n_cells_run, 4);
    free(f);
}

/* The verdict of a byte contract; *at is its place in the stream. */
static const struct verdict *of_bytes(const struct fixture *f, const char *name, size_t *at)
{
    for (*at = 0; *at < f->n_verdicts; (*at)++)
        if (f->verdicts[*at].subject == SUBJECT_GATE && strcmp(f->verdicts[*at].name, name) == 0)
            return &f->verdicts[*at];
    fail_msg("no verdict on byte contract %s", name);
    return NULL;
}

static void byte_contracts_run_after_the_shapes_and_before_the_teeth(void **state)
{
    (void)state;
    struct fixture *f = fixture_with_bytes("dot");
    size_t rows, ones;
    go(f, 0);
    assert_int_equal(of_bytes(f, "rows", &rows)->status, VERDICT_PASS);
    assert_int_equal(of_bytes(f, "ones", &ones)->status, VERDICT_PASS);
    assert_int_equal(rows, 24);
    assert_int_equal(ones, 25);
    assert_int_equal(f->verdicts[26].subject, SUBJECT_TOOTH);
    assert_int_equal(f->counts.chips[0].n_pass, 1);
    assert_int_equal(f->counts.chips[0].n_cells_run, 4);
    assert_int_equal(f->stream.worst, STATUS_OK);
    free(f);
}

static void broken_byte_contract_fails_its_registration(void **state)
{
    (void)state;
    struct fixture *f = fixture_with_bytes("order_by_rows");
    size_t at;
    f->n_controls = 0;
    go(f, 0);
    assert_int_equal(of_bytes(f, "rows", &at)->status, VERDICT_FAIL);
    assert_int_equal(count(f, SUBJECT_GATE, VERDICT_FAIL), 1);
    assert_int_equal(f->counts.chips[0].n_fail, 1);
    assert_int_equal(f->stream.worst, STATUS_RED);
    free(f);
}

static void broken_byte_contract_can_be_a_known_finding(void **state)
{
    (void)state;
    static const struct reg_known_finding known = {GATE_BYTES, "someone", "rows differ", "https://example.org/1",
                                                   "2026-12-31"};
    struct fixture *f = fixture_with_bytes("order_by_rows");
    size_t at;
    f->registration.known = &known;
    f->registration.n_known = 1;
    f->n_controls = 0;
    go(f, 0);
    assert_int_equal(of_bytes(f, "rows", &at)->status, VERDICT_KNOWN_FINDING);
    assert_int_equal(f->stream.worst, STATUS_OK);
    free(f);
}

static size_t uses_an_assumption(struct device *device, hipFunction_t function, char *text, size_t capacity)
{
    (void)device, (void)function;
    snprintf(text, capacity, "v_dot2_f32_f16");
    return 1;
}

/* Expected bytes rest on the instructions' arithmetic; that rows agree with each other does not. */
static void expected_bytes_rest_on_what_is_modelled(void **state)
{
    (void)state;
    struct fixture *f = fixture_with_bytes("dot");
    size_t at;
    f->modelled = uses_an_assumption;
    go(f, 0);
    assert_string_equal(of_bytes(f, "ones", &at)->modelled, "v_dot2_f32_f16");
    assert_string_equal(of_bytes(f, "rows", &at)->modelled, "");
    assert_int_equal(f->counts.chips[0].n_cells_modelled, 4);
    free(f);
    f = fixture("dot");
    f->modelled = uses_an_assumption;
    go(f, 0);
    assert_int_equal(f->counts.chips[0].n_cells_modelled, 3);
    assert_int_equal(f->counts.chips[0].n_cells_run, 1);
    free(f);
}

static void byte_contracts_are_selected_as_shapes_are(void **state)
{
    (void)state;
    struct fixture *f = fixture_with_bytes("dot");
    struct reg_bytes heavy[2] = {fake_bytes[0], fake_bytes[1]};
    size_t at;
    f->options.quick = true;
    go(f, 0);
    assert_int_equal(of_bytes(f, "rows", &at)->status, VERDICT_PASS);
    assert_int_equal(of_bytes(f, "ones", &at)->status, VERDICT_NOT_RUN);
    assert_string_equal(of_bytes(f, "ones", &at)->reason, "left out; a run without --quick runs it");
    assert_int_equal(f->counts.chips[0].n_shapes_left_out, 1);
    assert_int_equal(f->counts.chips[0].n_bytes_left_out, 1);
    free(f);
    f = fixture_with_bytes("dot");
    heavy[1].shape.heavy = true;
    f->registration.bytes = heavy;
    go(f, 0);
    assert_string_equal(of_bytes(f, "ones", &at)->reason, "left out; --full runs it");
    free(f);
    f = fixture_with_bytes("dot");
    f->registration.bytes = heavy;
    f->options.full = true;
    go(f, 0);
    assert_int_equal(of_bytes(f, "ones", &at)->status, VERDICT_PASS);
    free(f);
}

static void cases_of_gate_3_are_held_to_the_twin(void **state)
{
    (void)state;
    struct fixture *f = fixture("dot");
    int64_t n_twin = 0;
    add_twin(f, "dot");
    go(f, 0);
    assert_int_equal(count(f, SUBJECT_GATE, VERDICT_PASS), 24);
    for (size_t i = 0; i < f->n_verdicts; i++) {
        assert_true(f->verdicts[i].gate == GATE_BOUND || f->verdicts[i].n_twin == 0);
        n_twin += f->verdicts[i].n_twin;
    }
    assert_int_equal(n_twin, 2 * (1 + 6 + 9));
    free(f);
    f = fixture("dot");
    add_twin(f, "drops_last_term");
    go(f, 0);
    assert_int_equal(count(f, SUBJECT_GATE, VERDICT_FAIL), 6);
    assert_int_equal(find(f, VERDICT_FAIL)->gate, GATE_BOUND);
    assert_int_equal(f->counts.chips[0].n_fail, 1);
    assert_int_equal(f->stream.worst, STATUS_RED);
    free(f);
}

static void quick_runs_the_marked_shapes_and_says_what_it_leaves_out(void **state)
{
    (void)state;
    struct fixture *f = fixture("dot");
    f->options.quick = true;
    go(f, 0);
    assert_int_equal(count(f, SUBJECT_GATE, VERDICT_PASS), 16);
    assert_string_equal(find(f, VERDICT_NOT_RUN)->shape, "6x64");
    assert_int_equal(f->counts.chips[0].n_shapes_left_out, 1);
    assert_int_equal(f->stream.worst, STATUS_OK);
    free(f);
}

/* Launch 12 is the second run of the third case: its gate 1 is no verdict on numbers, and all other cases are decided as
 * before. */
static void failed_launch_loses_no_result_and_ends_nothing(void **state)
{
    (void)state;
    struct fixture *f = fixture("dot");
    go(f, 12);
    assert_true(f->ok);
    assert_int_equal(count(f, SUBJECT_GATE, VERDICT_LAUNCH_FAILED), 1);
    assert_int_equal(count(f, SUBJECT_GATE, VERDICT_PASS), 23);
    assert_int_equal(count(f, SUBJECT_GATE, VERDICT_FAIL), 0);
    assert_non_null(strstr(find(f, VERDICT_LAUNCH_FAILED)->reason, "hipErrorLaunchFailure"));
    assert_int_equal(f->counts.chips[0].n_fail, 1);
    assert_int_equal(f->stream.worst, STATUS_RED);
    free(f);
}

static void failed_first_launch_leaves_its_gate_not_run(void **state)
{
    (void)state;
    struct fixture *f = fixture("dot");
    go(f, 1);
    assert_int_equal(count(f, SUBJECT_GATE, VERDICT_LAUNCH_FAILED), 1);
    assert_int_equal(find(f, VERDICT_NOT_RUN)->gate, GATE_BOUND);
    assert_int_equal(f->stream.worst, STATUS_RED);
    free(f);
}

static void run_without_end(const struct fake_launch *launch)
{
    (void)launch;
    fake_device_report(FINDING_WATCHDOG, "fake+0x4 s_branch: more than 1000 instructions executed");
}

/* Each of its cases would last until the watchdog ends it. */
static void kernel_that_does_not_end_is_run_once(void **state)
{
    static const struct fake_kernel kernels[] = {{"dot", run_without_end}, {NULL, NULL}};
    (void)state;
    struct fixture *f = fixture_with_bytes("dot");
    f->kernels = kernels;
    go(f, 0);
    assert_int_equal(find(f, VERDICT_FAIL)->gate, GATE_BYTES);
    assert_int_equal(f->n_steps, 1);
    assert_int_equal(count(f, SUBJECT_CONTROL, VERDICT_NOT_RUN), f->n_controls);
    assert_int_equal(f->counts.chips[0].n_shapes_left_out, 2);
    assert_int_equal(f->counts.chips[0].n_bytes_left_out, 2);
    assert_int_equal(f->counts.chips[0].n_fail, 1);
    assert_int_equal(f->counts.chips[0].n_cells_not_run, 2); /* 2 and 4 */
    assert_int_equal(count(f, SUBJECT_TOOTH, VERDICT_BLIND), 0);
    assert_int_equal(f->stream.worst, STATUS_RED);
    free(f);
}

static void kernel_that_does_not_compile_is_red_and_has_no_numbers(void **state)
{
    (void)state;
    struct fixture *f = fixture("dot");
    f->registration.source = "broken.hip";
    go(f, 0);
    assert_true(f->ok);
    assert_int_equal(f->n_verdicts, 1);
    assert_non_null(strstr(find(f, VERDICT_BUILD_FAILED)->reason, "does not compile: expected ';'"));
    assert_int_equal(f->counts.chips[0].n_fail, 1);
    assert_int_equal(f->counts.chips[0].n_cells_not_run, 4);
    free(f);
}

static void missing_kernel_is_red(void **state)
{
    (void)state;
    struct fixture *f = fixture("no_such_kernel");
    go(f, 0);
    assert_non_null(strstr(find(f, VERDICT_BUILD_FAILED)->reason, "no kernel no_such_kernel"));
    assert_non_null(strstr(find(f, VERDICT_BUILD_FAILED)->reason, "hipErrorNotFound"));
    free(f);
}

static void known_finding_is_counted_apart_until_its_date(void **state)
{
    (void)state;
    static const struct reg_known_finding known = {GATE_CLASSES, "someone", "hides NaN", "https://example.org/1",
                                                   "2026-11-29"};
    struct fixture *f = fixture("hides_nan");
    f->registration.known = &known;
    f->registration.n_known = 1;
    f->n_controls = 0;
    go(f, 0);
    assert_true(count(f, SUBJECT_GATE, VERDICT_KNOWN_FINDING) > 0);
    assert_int_equal(f->stream.worst, STATUS_OK);
    assert_int_equal(f->counts.chips[0].n_known, 1);
    assert_int_equal(f->counts.chips[0].n_pass, 1);
    free(f);
    f = fixture("hides_nan");
    f->registration.known = &known;
    f->registration.n_known = 1;
    f->options.today = "2026-11-30";
    go(f, 0);
    assert_true(count(f, SUBJECT_GATE, VERDICT_EXPIRED) > 0);
    assert_int_equal(f->stream.worst, STATUS_RED);
    free(f);
}

static void known_finding_that_is_found_no_longer_is_red(void **state)
{
    (void)state;
    static const struct reg_known_finding known = {GATE_CLASSES, "someone", "hides NaN", "https://example.org/1",
                                                   "2026-12-31"};
    struct fixture *f = fixture("dot");
    f->registration.known = &known;
    f->registration.n_known = 1;
    go(f, 0);
    assert_int_equal(count(f, SUBJECT_KNOWN, VERDICT_NOT_FOUND), 1);
    assert_int_equal(f->stream.worst, STATUS_RED);
    assert_int_equal(f->counts.chips[0].n_fail, 1);
    free(f);
}

static void weak_exact(const struct reg_case *c, int tensor, void *data)
{
    const struct reg_tensor *t = &c->plan->tensor[tensor];
    for (int64_t i = 0; i < t->rows * t->columns; i++)
        format_store(FORMAT_F32, data, i, c->pattern == REG_PATTERN_EXACT ? i == 0 : 0.75);
}

/* Sums of one unit are exact in any format, so they prove nothing. */
static void exact_inputs_that_prove_nothing_fail_gate_4(void **state)
{
    (void)state;
    struct fixture *f = fixture("dot");
    f->registration.fill = weak_exact;
    f->n_controls = 0;
    go(f, 0);
    bool said = false;
    for (size_t i = 0; i < f->n_verdicts; i++)
        said |= f->verdicts[i].status == VERDICT_FAIL && f->verdicts[i].gate == GATE_EXACT &&
                strstr(f->verdicts[i].reason, "no proof");
    assert_true(said);
    /* The same inputs carry no class either. */
    said = false;
    for (size_t i = 0; i < f->n_verdicts; i++)
        said |= f->verdicts[i].status == VERDICT_FAIL && f->verdicts[i].gate == GATE_CLASSES &&
                strstr(f->verdicts[i].reason, "no proof");
    assert_true(said);
    free(f);
}

/* The default inputs plant classes in the weights too, which reach every row. */
static void classes_in_every_row_fail_gate_2(void **state)
{
    (void)state;
    struct fixture *f = fixture("dot");
    f->registration.fill = NULL;
    f->n_controls = 0;
    go(f, 0);
    bool said = false;
    for (size_t i = 0; i < f->n_verdicts; i++)
        said |= f->verdicts[i].status == VERDICT_FAIL && strstr(f->verdicts[i].reason, "no output of any shape is finite");
    assert_true(said);
    free(f);
}

static void registration_of_another_chip_is_counted_as_not_run(void **state)
{
    (void)state;
    struct fixture *f = fixture("dot");
    f->registration.chips = "gfx90a";
    go(f, 0);
    assert_int_equal(f->n_verdicts, 1);
    assert_string_equal(find(f, VERDICT_NOT_RUN)->reason, "not registered for this chip");
    assert_int_equal(f->counts.chips[0].n_kernels, 0);
    assert_int_equal(f->counts.chips[0].n_kernels_left_out, 1);
    assert_int_equal(f->counts.chips[0].n_cells_not_run, 4);
    assert_int_equal(f->counts.chips[0].n_shapes_left_out, 0);
    free(f);
}

static void interrupted_run_stops_between_cases(void **state)
{
    (void)state;
    struct fixture *f = fixture("dot");
    f->interrupt_at = 3;
    go(f, 0);
    assert_false(f->ok);
    assert_int_equal(f->error.status, STATUS_INTERRUPTED);
    assert_int_equal(f->n_verdicts, 4);
    assert_int_equal(f->counts.chips[0].n_kernels, 0);
    free(f);
}

static const struct log_environment environment = {.version = "0",
                                                   .toolchain = "none",
                                                   .compiler = "none",
                                                   .device = "fake",
                                                   .chips = "gfx1151",
                                                   .scope = "default",
                                                   .seed = 1,
                                                   .n_runs = 5};

/* A temporary file's path, removed by the test. */
static void temporary(char path[64])
{
    snprintf(path, 64, "/tmp/hipcontract_test_XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
}

static void log_run(const char *path, int interrupt_at, struct fixture *f)
{
    struct run_log log;
    struct error error;
    assert_true(log_open(&log, path, &environment, &error));
    stream_add(&f->stream, log_sink(&log));
    f->interrupt_at = interrupt_at;
    go(f, 0);
    log_summary(&log, &f->counts, f->ok ? f->stream.worst : f->error.status, !f->ok);
    assert_true(log_close(&log, &error));
}

/* As the log writes them: a NaN's sign is not kept. */
static void assert_same_line(const struct verdict *a, const struct verdict *b)
{
    json_t *one = verdict_to_json(a), *two = verdict_to_json(b);
    assert_true(json_equal(one, two));
    json_decref(one);
    json_decref(two);
}

/* A run that was logged, and a second one that resumes from its log. */
struct resumed {
    char path[64];
    struct fixture *first, *second;
    struct run_history history;
    struct decided decided;
};

static void open_resumed(struct resumed *r, int interrupt_first_at)
{
    struct error error;
    temporary(r->path);
    r->first = fixture_with_bytes("dot");
    r->second = fixture_with_bytes("dot");
    log_run(r->path, interrupt_first_at, r->first);
    if (!history_read(r->path, &environment, &r->history, &error))
        fail_msg("%s", error.text);
    r->decided = history_decided(&r->history);
    r->second->decided = &r->decided;
}

static void close_resumed(struct resumed *r)
{
    history_free(&r->history);
    unlink(r->path);
    free(r->first);
    free(r->second);
}

static void finished_registration_is_replayed_not_run(void **state)
{
    (void)state;
    struct resumed r;
    open_resumed(&r, 0);
    go(r.second, 1);
    assert_int_equal(r.second->n_verdicts, r.first->n_verdicts);
    for (size_t i = 0; i < r.first->n_verdicts; i++)
        assert_same_line(&r.first->verdicts[i], &r.second->verdicts[i]);
    assert_int_equal(r.second->counts.chips[0].n_pass, 1);
    close_resumed(&r);
}

static void unfinished_registration_is_run_again(void **state)
{
    (void)state;
    struct resumed r;
    open_resumed(&r, 5);
    size_t n;
    assert_null(r.decided.find(r.decided.context, "dot", "gfx1151", &n));
    assert_int_equal(n, 0);
    go(r.second, 0);
    assert_int_equal(count(r.second, SUBJECT_GATE, VERDICT_PASS), 26);
    close_resumed(&r);
}

static void other_code_is_run_again(void **state)
{
    (void)state;
    struct resumed r;
    open_resumed(&r, 0);
    r.second->registration.source = "edited.hip";
    go(r.second, 0);
    for (size_t i = 0; i < r.second->n_verdicts; i++)
        assert_false(r.second->verdicts[i].replayed);
    close_resumed(&r);
}

/* A second registration, which is run after the fixture's own. */
static void add_other(struct fixture *f)
{
    f->twin = fake_registration("dot");
    f->twin.name = "fake_other";
    f->registrations[f->n_registrations++] = &f->twin;
}

/* Its own work alone says how far a run is: what does not build goes by in no time. */
static void what_is_not_run_is_no_share_of_the_work(void **state)
{
    (void)state;
    static const char *const only[] = {"fake_other"};
    struct fixture *alone = fixture("dot"), *after_broken = fixture("dot"), *after_right = fixture("dot");
    add_other(alone);
    add_other(after_broken);
    add_other(after_right);
    alone->options.only = only;
    alone->options.n_only = 1;
    after_broken->registration.source = "broken.hip";
    go(alone, 0);
    go(after_broken, 0);
    go(after_right, 0);
    assert_true(alone->n_steps > 2 && alone->shares[0] == 0);
    assert_int_equal(after_broken->n_steps, alone->n_steps);
    assert_memory_equal(after_broken->shares, alone->shares, sizeof alone->shares);
    int first = after_right->n_steps - alone->n_steps;
    assert_true(first > 0 && after_right->shares[first] == 0.5);
    free(alone);
    free(after_broken);
    free(after_right);
}

/* Whether the second run takes over what the first has decided. Releases both. */
static bool takes_over(struct fixture *first, struct fixture *second)
{
    struct error error;
    struct resumed r = {.first = first, .second = second};
    temporary(r.path);
    log_run(r.path, 0, first);
    assert_true(history_read(r.path, &environment, &r.history, &error));
    r.decided = history_decided(&r.history);
    second->decided = &r.decided;
    go(second, 0);
    bool replayed = second->verdicts[0].replayed;
    for (size_t i = 0; i < second->n_verdicts; i++)
        assert_int_equal(second->verdicts[i].replayed, replayed);
    close_resumed(&r);
    return replayed;
}

static struct fixture *fixture_with_twin(const char *name, const char *source)
{
    struct fixture *f = fixture("dot");
    add_twin(f, "dot");
    f->twin.name = f->registration.twin = name;
    f->twin.source = source;
    return f;
}

static void other_code_of_the_twin_is_run_again(void **state)
{
    (void)state;
    assert_true(takes_over(fixture_with_twin("fake_twin", "twin.hip"), fixture_with_twin("fake_twin", "twin.hip")));
    assert_false(takes_over(fixture_with_twin("fake_twin", "twin.hip"), fixture_with_twin("fake_twin", "edited.hip")));
}

static void another_twin_or_none_is_run_again(void **state)
{
    (void)state;
    assert_false(takes_over(fixture("dot"), fixture_with_twin("fake_twin", "twin.hip")));
    assert_false(takes_over(fixture_with_twin("fake_twin", "twin.hip"), fixture("dot")));
    assert_false(takes_over(fixture_with_twin("fake_twin", "twin.hip"), fixture_with_twin("fake_other", "twin.hip")));
}

static bool open_nothing(const struct hip_api *hip, void **state, struct error *error)
{
    (void)hip, (void)state, (void)error;
    return true;
}

static bool launch_rows(void *state, const struct reg_call *call, struct error *error)
{
    const struct reg_plan *plan = call->c->plan;
    int32_t columns = (int32_t)plan->tensor[FAKE_X].columns;
    void *x = call->tensors[FAKE_X], *w = call->tensors[FAKE_W], *y = call->tensors[FAKE_Y];
    void *parameters[] = {&x, &w, &y, &columns};
    (void)state;
    return call->hip->hipModuleLaunchKernel(call->functions[0], (unsigned)plan->tensor[FAKE_Y].rows, 1, 1, 64, 1, 1, 0,
                                            NULL, parameters, NULL) == hipSuccess ||
           error_set(error, STATUS_ENVIRONMENT, "not launched");
}

static void close_nothing(void *state)
{
    (void)state;
}

static const struct reg_launcher row_launcher = {.kernels = {"dot"},
                                                 .devices_shape = "6x64",
                                                 .n_devices = 2,
                                                 .open = open_nothing,
                                                 .launch = launch_rows,
                                                 .close = close_nothing};

static struct fixture *fixture_with_launcher(void)
{
    struct fixture *f = fixture("dot");
    f->registration.symbol = NULL;
    f->registration.launcher = &row_launcher;
    f->n_controls = 0; /* they plant faults in arguments of the plan, of which a launcher takes none */
    return f;
}

static struct fixture *fixture_with_a_twin_that_launches(void)
{
    struct fixture *f = fixture_with_twin("fake_twin", "twin.hip");
    f->twin.symbol = NULL;
    f->twin.launcher = &row_launcher;
    return f;
}

/* Of the host code of a launcher no log has a hash. */
static void launchers_are_run_again(void **state)
{
    (void)state;
    struct fixture *f = fixture_with_launcher();
    go(f, 0);
    assert_int_equal(f->stream.worst, STATUS_OK);
    free(f);
    assert_false(takes_over(fixture_with_launcher(), fixture_with_launcher()));
    assert_false(takes_over(fixture_with_a_twin_that_launches(), fixture_with_a_twin_that_launches()));
}

static bool launch_unknown_instruction(void *state, const struct reg_call *call, struct error *error)
{
    (void)state, (void)call;
    fake_device_report(FINDING_UNSUPPORTED, "dot+0x10 v_new_f32: not implemented");
    return error_set(error, STATUS_ENVIRONMENT, "not launched");
}

/* What a launcher says of its own launch is not why it failed. */
static void a_launcher_that_fails_is_told_with_what_the_device_found(void **state)
{
    (void)state;
    struct fixture *f = fixture_with_launcher();
    struct reg_launcher launcher = row_launcher;
    launcher.launch = launch_unknown_instruction;
    f->registration.launcher = &launcher;
    go(f, 0);
    const char *reason = find(f, VERDICT_LAUNCH_FAILED)->reason;
    assert_string_equal(reason, "run 1: the launcher: not launched: unsupported: dot+0x10 v_new_f32: not implemented");
    free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_kernel_holds_its_contract),
        cmocka_unit_test(byte_contracts_run_after_the_shapes_and_before_the_teeth),
        cmocka_unit_test(broken_byte_contract_fails_its_registration),
        cmocka_unit_test(broken_byte_contract_can_be_a_known_finding),
        cmocka_unit_test(expected_bytes_rest_on_what_is_modelled),
        cmocka_unit_test(byte_contracts_are_selected_as_shapes_are),
        cmocka_unit_test(cases_of_gate_3_are_held_to_the_twin),
        cmocka_unit_test(quick_runs_the_marked_shapes_and_says_what_it_leaves_out),
        cmocka_unit_test(failed_launch_loses_no_result_and_ends_nothing),
        cmocka_unit_test(failed_first_launch_leaves_its_gate_not_run),
        cmocka_unit_test(kernel_that_does_not_end_is_run_once),
        cmocka_unit_test(kernel_that_does_not_compile_is_red_and_has_no_numbers),
        cmocka_unit_test(missing_kernel_is_red),
        cmocka_unit_test(known_finding_is_counted_apart_until_its_date),
        cmocka_unit_test(known_finding_that_is_found_no_longer_is_red),
        cmocka_unit_test(exact_inputs_that_prove_nothing_fail_gate_4),
        cmocka_unit_test(classes_in_every_row_fail_gate_2),
        cmocka_unit_test(registration_of_another_chip_is_counted_as_not_run),
        cmocka_unit_test(interrupted_run_stops_between_cases),
        cmocka_unit_test(finished_registration_is_replayed_not_run),
        cmocka_unit_test(what_is_not_run_is_no_share_of_the_work),
        cmocka_unit_test(unfinished_registration_is_run_again),
        cmocka_unit_test(other_code_is_run_again),
        cmocka_unit_test(other_code_of_the_twin_is_run_again),
        cmocka_unit_test(another_twin_or_none_is_run_again),
        cmocka_unit_test(launchers_are_run_again),
        cmocka_unit_test(a_launcher_that_fails_is_told_with_what_the_device_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
