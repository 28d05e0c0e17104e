/*
 * A run in worker processes on a fake device: it tells what a run in one process tells; whatever ends a worker is one
 * verdict on what it was running; and with the run its workers end.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "contract/counts.h"
#include "contract/pool.h"
#include "contract/teeth.h"
#include "reports/outputs_json.h"
#include "reports/verdict_json.h"
#include "tests/support/fake_kernels.h"
#include "tests/support/room.h"

enum { N_REGISTRATIONS = 4, N_PATTERNS = 4, MOST_LINES = 1000, MOST_KERNELS = 32, HANG_SECONDS = 600 };

/* What the reference of a registration does at 6x64. */
static void (*act)(void);
static const char *act_in;
static void (*plain_reference)(const struct reg_case *c, int tensor, struct bound *out);

static void reference(const struct reg_case *c, int tensor, struct bound *out)
{
    if (act && strcmp(c->registration->name, act_in) == 0 && strcmp(c->shape->label, "6x64") == 0)
        act();
    plain_reference(c, tensor, out);
}

/* Without the test's own handler. */
static void crash_by(int signal_number)
{
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void run_crash(const struct fake_launch *launch)
{
    (void)launch;
    crash_by(SIGSEGV);
}

/* A run of the registrations a to d, of which b has controls, and what it told, a line of JSON each. */
struct fixture {
    struct registration registrations[N_REGISTRATIONS];
    const struct registration *list[N_REGISTRATIONS];
    struct control controls[8];
    const struct control *control_list[8];
    size_t n_controls;
    struct fake_kernel kernels[MOST_KERNELS];
    struct run_options options;
    struct pool_options pool;
    struct counts counts;
    struct verdict_stream stream;
    struct decided *decided;
    struct verdict died; /* the last */
    char *lines[MOST_LINES];
    size_t n_lines;
    int n_steps, n_ends, n_not_run, interrupt_at_end; /* 0: never */
    size_t interrupt_at_line;
    bool stood_still;
    double last_share;
    bool ok;
    struct error error;
};

static void add_line(struct fixture *f, json_t *object)
{
    assert_true(f->n_lines < MOST_LINES);
    json_object_del(object, "duration_ns");
    f->lines[f->n_lines++] = json_dumps(object, JSON_SORT_KEYS);
    json_decref(object);
}

static void keep_verdict(void *context, const struct verdict *v)
{
    struct fixture *f = context;
    add_line(f, verdict_to_json(v));
    f->n_not_run += v->subject == SUBJECT_CONTROL && v->status == VERDICT_NOT_RUN;
    if (v->status == VERDICT_DIED)
        f->died = *v;
}

static void keep_outputs(void *context, const struct case_outputs *outputs)
{
    add_line(context, outputs_to_json(outputs));
}

static void keep_end(void *context, const struct registration_end *end)
{
    struct fixture *f = context;
    f->n_ends++;
    add_line(f, json_pack("{s:s, s:s, s:b}", "end", end->registration, "chip", end->chip, "replayed", end->replayed));
}

static void count_step(void *context, const char *registration, const char *shape, double done_share)
{
    struct fixture *f = context;
    (void)registration, (void)shape;
    assert_true(done_share >= 0 && done_share <= 1 + 1e-9);
    f->last_share = done_share;
    f->n_steps++;
}

static bool is_interrupted(void *context)
{
    const struct fixture *f = context;
    return (f->interrupt_at_end && f->n_ends >= f->interrupt_at_end) ||
           (f->interrupt_at_line && f->n_lines >= f->interrupt_at_line);
}

static struct fixture *fixture(void (*does)(void))
{
    static const char *const names[] = {"a", "b", "c", "d"};
    struct fixture *f = calloc(1, sizeof *f);
    size_t n = 0;
    act = does;
    act_in = "b";
    for (int i = 0; i < N_REGISTRATIONS; i++) {
        f->registrations[i] = fake_registration("dot");
        plain_reference = f->registrations[i].reference;
        f->registrations[i].reference = reference;
        f->registrations[i].name = names[i];
        f->list[i] = &f->registrations[i];
    }
    for (f->n_controls = 0; f->n_controls < n_fake_controls; f->n_controls++) {
        f->controls[f->n_controls] = fake_controls[f->n_controls];
        f->controls[f->n_controls].registration = "b";
        f->control_list[f->n_controls] = &f->controls[f->n_controls];
    }
    for (; fake_kernels[n].name; n++)
        f->kernels[n] = fake_kernels[n];
    f->kernels[n] = (struct fake_kernel){"crash", run_crash};
    f->options = (struct run_options){.n_runs = 3, .n_threads = 1, .seed = 1, .today = "2026-11-29"};
    f->pool = (struct pool_options){.n_workers = 1};
    stream_add(&f->stream, counts_sink(&f->counts));
    stream_add(&f->stream, (struct verdict_sink){keep_verdict, keep_end, keep_outputs, f});
    return f;
}

static void free_fixture(struct fixture *f)
{
    for (size_t i = 0; i < f->n_lines; i++)
        free(f->lines[i]);
    free(f);
}

static bool open_fake(void *context, int n_threads, struct device **device, struct error *error)
{
    const struct fixture *f = context;
    (void)n_threads, (void)error;
    *device = fake_device_open(f->kernels, true);
    return true;
}

static void go(struct fixture *f, bool isolated)
{
    struct registry registry = {f->list, N_REGISTRATIONS, f->control_list, f->n_controls};
    struct builder builder = fake_builder();
    struct device *real = fake_device_open(f->kernels, true);
    struct device known = {.kind = real->kind};
    snprintf(known.chip, sizeof known.chip, "%s", real->chip);
    struct run run = {.registry = &registry,
                      .options = &f->options,
                      .stream = &f->stream,
                      .builds = {.builder = &builder, .device = isolated ? &known : real},
                      .decided = f->decided,
                      .progress = {.step = count_step, .context = f},
                      .interrupted = is_interrupted,
                      .interrupt_context = f};
    if (!f->pool.worker.open)
        f->pool.worker.open = open_fake;
    f->pool.worker.context = f;
    f->ok = isolated ? pool_run(&run, &f->pool, &f->error) : run_gates(&run, &f->error);
    run.builds.device = real;
    builds_free(&run.builds);
}

static void assert_same_lines(const struct fixture *f, const struct fixture *other)
{
    for (size_t i = 0; i < f->n_lines && i < other->n_lines; i++)
        assert_string_equal(f->lines[i], other->lines[i]);
    assert_int_equal(f->n_lines, other->n_lines);
}

/* Verdicts, outputs and ends; also of what does not compile, is not for the chip, and has byte contracts. */
static void workers_tell_what_the_run_tells(void **state)
{
    static const int n_workers[] = {1, 2, 5};
    (void)state;
    struct fixture *alone = NULL;
    for (size_t i = 0; i <= sizeof n_workers / sizeof *n_workers; i++) {
        struct fixture *f = fixture(NULL);
        f->registrations[1].bytes = fake_bytes;
        f->registrations[1].n_bytes = n_fake_bytes;
        f->registrations[2].source = "broken.hip";
        f->registrations[3].chips = "gfx90a";
        if (i > 0)
            f->pool.n_workers = n_workers[i - 1];
        go(f, i > 0);
        assert_true(f->ok);
        assert_int_equal(f->n_ends, 3);
        if (!alone) {
            alone = f;
            continue;
        }
        assert_same_lines(f, alone);
        assert_int_equal(f->n_steps, alone->n_steps);
        assert_int_equal(f->stream.worst, STATUS_RED);
        free_fixture(f);
    }
    free_fixture(alone);
}

static void crash(void)
{
    crash_by(SIGSEGV);
}

static void be_killed(void)
{
    kill(getpid(), SIGKILL);
}

static void leave(void)
{
    _exit(7);
}

static void hang(void)
{
    sleep(HANG_SECONDS);
}

/* Where a worker has its socket, and nothing else but the standard streams. */
static void send_rubbish(void)
{
    char rubbish[64];
    memset(rubbish, 0xa5, sizeof rubbish);
    for (int i = 4; i < 64; i++)
        if (fcntl(i, F_GETFD) >= 0)
            return;
    if (write(3, rubbish, sizeof rubbish) == sizeof rubbish)
        sleep(HANG_SECONDS);
}

/* More than any case of the registration has: it would be waited for. */
static void promise_too_much(void)
{
    const uint64_t head[2] = {MESSAGE_OUTPUTS, (uint64_t)1 << 40};
    if (send(3, head, sizeof head, MSG_NOSIGNAL) == sizeof head)
        sleep(HANG_SECONDS);
}

/* A process of its own holds the socket beyond its death. */
static void crash_with_a_child(void)
{
    if (fork() == 0) {
        sleep(HANG_SECONDS / 100);
        _exit(0);
    }
    crash_by(SIGSEGV);
}

/* The message that only opens a device, once more: an error of it would end the run. */
static void send_ready_again(void)
{
    const struct message_ready ready = {.error = {STATUS_ENVIRONMENT, "no such device"}};
    message_send(3, MESSAGE_READY, &ready);
    sleep(HANG_SECONDS);
}

/* Of the registration that is run, as a worker tells it. */
static void tell_more_work_than_there_is(void)
{
    struct message_begun begun = {
        .verdict = {.status = VERDICT_NOT_RUN, .gate = GATE_BYTES, .chip = "gfx1151", .registration = "b", .shape = "6x64"},
        .done_work = 1e300};
    if (!message_send(3, MESSAGE_BEGUN, &begun))
        _exit(1);
}

static void assert_one_died(const struct fixture *f, const char *why)
{
    if (!strstr(f->died.reason, why))
        fail_msg("\"%s\" is not in: %s", why, f->died.reason);
    assert_string_equal(f->died.registration, "b");
    assert_string_equal(f->died.shape, "6x64");
    assert_string_equal(f->died.pattern, "signed");
    assert_int_equal(f->died.gate, GATE_BYTES);
    assert_non_null(strstr(f->died.reason, "; what was left of the registration was not run"));
    assert_true(f->ok);
    assert_int_equal(f->stream.worst, STATUS_RED);
    assert_int_equal(f->n_ends, N_REGISTRATIONS);
    assert_int_equal(f->counts.chips[0].n_fail, 1);
    assert_int_equal(f->counts.chips[0].n_pass, N_REGISTRATIONS - 1);
    assert_int_equal(f->n_not_run, n_fake_controls);
    assert_true(f->last_share > 0.5);
}

static void what_ends_a_worker_is_one_verdict_and_the_run_goes_on(void **state)
{
    static const struct {
        void (*act)(void);
        const char *why;
    } rows[] = {{crash, "its process was ended by signal 11 (Segmentation fault), having held "},
                {be_killed, "its process was ended by signal 9 (Killed), having held "},
                {leave, "its process ended itself with exit status 7"},
                {crash_with_a_child, "its process was ended by signal 11 (Segmentation fault), having held "},
                {send_rubbish, "its process sent what is no message: its memory is damaged"},
                {promise_too_much, "its process sent what is no message: its memory is damaged"},
                {send_ready_again, "its process sent what is no message: its memory is damaged"},
                {hang, "it took longer than 1 s and was ended (--time-limit)"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int n_workers = 1; n_workers <= 3; n_workers += 2) {
            struct fixture *f = fixture(rows[i].act);
            f->pool.time_limit_ns = 1000000000;
            f->pool.n_workers = n_workers;
            go(f, true);
            assert_one_died(f, rows[i].why);
            free_fixture(f);
        }
}

/* The share that is done, which is shown, is asserted at each step. */
static void no_more_work_is_done_than_there_is(void **state)
{
    (void)state;
    struct fixture *f = fixture(tell_more_work_than_there_is);
    go(f, true);
    assert_true(f->ok && f->n_steps > 0);
    assert_int_equal(f->counts.chips[0].n_pass, N_REGISTRATIONS);
    free_fixture(f);
}

/* Cases before it are decided, and stay so. */
static void verdicts_before_a_death_are_those_of_the_run(void **state)
{
    (void)state;
    struct fixture *alone = fixture(NULL), *f = fixture(crash);
    size_t n_same = 0;
    go(f, true);
    act = NULL;
    go(alone, false);
    while (strcmp(f->lines[n_same], alone->lines[n_same]) == 0)
        n_same++;
    assert_non_null(strstr(f->lines[n_same], "\"status\": \"died\""));
    /* Of each case the outputs and two gates: of a in all shapes, with its teeth and end, of b in the first. */
    assert_int_equal(n_same, 3 * N_PATTERNS * 3 + TOOTH_COUNT + 1 + N_PATTERNS * 3);
    free_fixture(alone);
    free_fixture(f);
}

static void control_that_ends_its_worker_is_missed(void **state)
{
    (void)state;
    struct fixture *f = fixture(NULL);
    f->controls[2] = (struct control){.name = "crashes",
                                      .registration = "b",
                                      .what = "ends the process",
                                      .shape = "9x300",
                                      .pattern = REG_PATTERN_ONESIDED,
                                      .gate = GATE_BOUND,
                                      .how = CONTROL_BUILD,
                                      .define = "crash"};
    go(f, true);
    assert_string_equal(f->died.name, "crashes");
    assert_string_equal(f->died.shape, "9x300");
    assert_string_equal(f->died.pattern, "onesided");
    assert_int_equal(f->died.subject, SUBJECT_CONTROL);
    assert_int_equal(f->counts.chips[0].n_missed, 1);
    assert_int_equal(f->counts.chips[0].n_red, 2);
    assert_int_equal(f->n_not_run, n_fake_controls - 3);
    assert_int_equal(f->counts.chips[0].n_pass, N_REGISTRATIONS);
    assert_int_equal(f->stream.worst, STATUS_RED);
    free_fixture(f);
}

/* More than the limit, and less than what address sanitizers map. */
static const struct reg_shape huge[] = {{.label = "6x64", .dim = {1 << 28, 64}}};

static void memory_that_a_case_does_not_get_fails_the_case(void **state)
{
    (void)state;
    struct fixture *f = fixture(NULL);
    f->registrations[1].shapes = huge;
    f->registrations[1].n_shapes = 1;
    for (size_t i = 0; i < f->n_controls; i++)
        f->controls[i].shape = huge[0].label;
#ifndef __SANITIZE_ADDRESS__ /* it has terabytes, which the limit would count */
    f->pool.worker.memory_limit = (uint64_t)1 << 30;
    go(f, true);
    assert_one_died(f, "out of host memory for a case; run fewer jobs, or smaller shapes (--memory-limit: 1024 MiB)");
#endif
    free_fixture(f);
}

/* A message that has no end. */
static void send_for_ever(void)
{
    static const char bytes[1 << 20];
    const uint64_t head[2] = {MESSAGE_OUTPUTS, (uint64_t)1 << 29};
    ssize_t sent = send(3, head, sizeof head, MSG_NOSIGNAL);
    while (sent > 0)
        sent = send(3, bytes, sizeof bytes, MSG_NOSIGNAL);
}

/* Adds a shape that is not run, of which the outputs would be that many. */
static void add_heavy_shape(struct registration *registration)
{
    static struct reg_shape shapes[8];
    assert_true(registration->n_shapes < sizeof shapes / sizeof *shapes);
    memcpy(shapes, registration->shapes, registration->n_shapes * sizeof *shapes);
    shapes[registration->n_shapes++] = (struct reg_shape){.label = "heavy", .dim = {1 << 27, 1}, .heavy = true};
    registration->shapes = shapes;
}

/* In a process that has little. */
static void memory_that_the_run_does_not_get_for_a_message_costs_the_case(void **state)
{
    enum { ROOM_BYTES = 256 << 20 };
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    print_message("  skipped: AddressSanitizer ends the process where memory runs out\n");
    skip();
#endif
    int status;
    pid_t run = fork();
    if (run == 0) {
        struct fixture *f = fixture(send_for_ever);
        add_heavy_shape(&f->registrations[1]);
        f->pool.time_limit_ns = 20000000000;
        room_limit(ROOM_BYTES);
        go(f, true);
        assert_one_died(f, "out of host memory for what its process sends");
        _exit(0);
    }
    assert_int_equal(waitpid(run, &status, 0), run);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* As where nobody reads what it prints. */
static void stand_still(void *context, const struct verdict *v)
{
    struct fixture *f = context;
    if (!f->stood_still && strcmp(v->registration, "a") == 0)
        usleep(2500000);
    f->stood_still = true;
}

static void take_a_while(void)
{
    usleep(300000);
}

/* The worker has by then long begun the case that takes a while, and what it told fills its socket. */
static void time_in_which_the_run_stands_still_is_no_workers(void **state)
{
    (void)state;
    struct fixture *f = fixture(take_a_while);
    stream_add(&f->stream, (struct verdict_sink){.verdict = stand_still, .context = f});
    f->pool.time_limit_ns = 1000000000;
    f->pool.n_workers = 2;
    go(f, true);
    assert_string_equal(f->died.reason, "");
    assert_int_equal(f->counts.chips[0].n_pass, N_REGISTRATIONS);
    free_fixture(f);
}

static bool open_none(void *context, int n_threads, struct device **device, struct error *error)
{
    (void)context, (void)n_threads, (void)device;
    return error_set(error, STATUS_ENVIRONMENT, "no such device");
}

static bool open_badly(void *context, int n_threads, struct device **device, struct error *error)
{
    (void)context, (void)n_threads, (void)device, (void)error;
    crash_by(SIGBUS);
    return true;
}

static bool open_never(void *context, int n_threads, struct device **device, struct error *error)
{
    (void)context, (void)n_threads, (void)device, (void)error;
    sleep(HANG_SECONDS);
    return true;
}

static void device_that_does_not_open_is_no_verdict(void **state)
{
    static const struct {
        bool (*open)(void *context, int n_threads, struct device **device, struct error *error);
        const char *error;
    } rows[] = {{open_none, "no such device"},
                {open_badly, "opening the device: its process was ended by signal 7"},
                {open_never, "took longer than 1 s and was ended (--time-limit)"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct message_ready ready;
        struct error error = {0};
        struct fixture *f = fixture(NULL);
        f->pool.worker.open = rows[i].open;
        f->pool.time_limit_ns = 1000000000;
        go(f, true);
        assert_false(f->ok);
        assert_int_equal(f->error.status, STATUS_ENVIRONMENT);
        assert_non_null(strstr(f->error.text, rows[i].error));
        assert_int_equal(f->n_lines, 0);
        assert_false(worker_probe(&f->pool.worker, f->pool.time_limit_ns, &ready, &error));
        assert_non_null(strstr(error.text, rows[i].error));
        free_fixture(f);
    }
}

static void probe_tells_what_the_device_is(void **state)
{
    (void)state;
    struct message_ready ready;
    struct error error = {0};
    struct fixture *f = fixture(NULL);
    const struct device *device = fake_device_open(f->kernels, true);
    const struct worker_options options = {.open = open_fake, .context = f, .n_threads = 1};
    assert_true(worker_probe(&options, 0, &ready, &error));
    assert_string_equal(ready.chip, device->chip);
    assert_string_equal(ready.kind, device->kind);
    assert_int_equal(ready.n_devices, device->n_devices);
    free_fixture(f);
}

static void interrupted_run_tells_what_was_decided(void **state)
{
    (void)state;
    struct fixture *whole = fixture(NULL);
    go(whole, false);
    for (int n_workers = 1; n_workers <= 3; n_workers++) {
        struct fixture *f = fixture(NULL);
        f->pool.n_workers = n_workers;
        f->interrupt_at_end = 2;
        go(f, true);
        assert_true(f->n_ends >= 2);
        for (size_t i = 0; i < f->n_lines; i++)
            assert_string_equal(f->lines[i], whole->lines[i]);
        if (n_workers == 1) { /* others may be done with all before they are asked to stop */
            assert_false(f->ok);
            assert_int_equal(f->n_ends, 2);
        }
        if (!f->ok)
            assert_int_equal(f->error.status, STATUS_INTERRUPTED);
        free_fixture(f);
    }
    free_fixture(whole);
}

static void take_a_second(void)
{
    sleep(1);
}

/* "b" has told all that it may before its turn, and fills its socket, while "a" takes its time. */
static void interrupted_run_does_not_wait_for_a_turn_that_does_not_come(void **state)
{
    (void)state;
    struct fixture *f = fixture(take_a_second);
    act_in = "a";
    f->pool.n_workers = 2;
    f->pool.most_kept_bytes = 1;
    f->interrupt_at_line = N_PATTERNS * 3 + 1; /* the first of 6x64 */
    alarm(HANG_SECONDS / 10);
    go(f, true);
    alarm(0);
    assert_false(f->ok);
    assert_int_equal(f->error.status, STATUS_INTERRUPTED);
    assert_int_equal(f->n_ends, 0);
    free_fixture(f);
}

static const struct verdict *const *find_died(void *context, const char *registration, const char *chip, size_t *n_verdicts)
{
    static const struct verdict died = {
        .subject = SUBJECT_CONTROL, .status = VERDICT_DIED, .gate = GATE_BYTES, .chip = "gfx1151", .registration = "a"};
    static const struct verdict *const verdicts[] = {&died};
    (void)context, (void)chip;
    *n_verdicts = strcmp(registration, "a") == 0;
    return verdicts;
}

static void what_died_is_run_again_by_a_run_that_goes_on(void **state)
{
    (void)state;
    struct decided decided = {.find = find_died};
    struct fixture *f = fixture(NULL);
    f->decided = &decided;
    go(f, true);
    assert_string_equal(f->died.reason, "");
    assert_int_equal(f->counts.chips[0].n_pass, N_REGISTRATIONS);
    assert_int_equal(f->stream.worst, STATUS_OK);
    free_fixture(f);
}

/* The worker's standard error is the writing end of a pipe, of which the end of all its writers can be read. */
static void workers_end_with_the_run(void **state)
{
    (void)state;
    int pipe_ends[2];
    char byte;
    assert_int_equal(pipe(pipe_ends), 0);
    pid_t run = fork();
    if (run == 0) {
        dup2(pipe_ends[1], STDERR_FILENO);
        struct fixture *f = fixture(hang);
        go(f, true);
        _exit(0);
    }
    close(pipe_ends[1]);
    sleep(1);
    kill(run, SIGKILL);
    assert_int_equal(waitpid(run, NULL, 0), run);
    alarm(HANG_SECONDS / 10);
    assert_int_equal(read(pipe_ends[0], &byte, 1), 0);
    alarm(0);
    close(pipe_ends[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_tell_what_the_run_tells),
        cmocka_unit_test(what_ends_a_worker_is_one_verdict_and_the_run_goes_on),
        cmocka_unit_test(no_more_work_is_done_than_there_is),
        cmocka_unit_test(verdicts_before_a_death_are_those_of_the_run),
        cmocka_unit_test(control_that_ends_its_worker_is_missed),
        cmocka_unit_test(memory_that_a_case_does_not_get_fails_the_case),
        cmocka_unit_test(memory_that_the_run_does_not_get_for_a_message_costs_the_case),
        cmocka_unit_test(time_in_which_the_run_stands_still_is_no_workers),
        cmocka_unit_test(device_that_does_not_open_is_no_verdict),
        cmocka_unit_test(probe_tells_what_the_device_is),
        cmocka_unit_test(interrupted_run_tells_what_was_decided),
        cmocka_unit_test(interrupted_run_does_not_wait_for_a_turn_that_does_not_come),
        cmocka_unit_test(what_died_is_run_again_by_a_run_that_goes_on),
        cmocka_unit_test(workers_end_with_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
