/*
 * Fuzz target: what worker processes tell the run that started them, by one whose memory is damaged. An input is edits of
 * what two workers' registrations tell when all is well. What is sound is the same when it is sent again; the run in worker
 * processes comes to its end; and the log that it leaves can be read.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "contract/host_case.h"
#include "contract/pool.h"
#include "contract/turns.h"
#include "reports/console.h"
#include "reports/log.h"
#include "reports/outputs_json.h"
#include "reports/report.h"
#include "tests/fuzz/input_file.h"
#include "tests/fuzz/must.h"
#include "tests/support/fake_kernels.h"
#include "tests/support/report_samples.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

/* Input: in which order it is told; then edits: registration and kind, the message and a place in it in 16 bits, two
 * values. */
enum { HEADER_BYTES = 1, EDIT_BYTES = 6, MOST_MESSAGES = 8 };
/* One input of so many is told by processes too, which takes tens of times as long. */
enum { IN_PROCESSES = 64 };
enum { EDIT_BYTE, EDIT_BIT, EDIT_NUMBER, EDIT_FILL, EDIT_CUT, EDIT_REPEAT, EDIT_KINDS };
enum { N_REGISTRATIONS = 2, TOLD_BYTES = 1 << 16, WORKER_SOCKET = 3, LIMIT_S = 10 };

/* What is told of a registration. */
struct told {
    unsigned char bytes[TOLD_BYTES];
    size_t n_bytes;
    size_t starts[MOST_MESSAGES + 1], n_messages; /* of the right one */
    bool is_whole;                                /* a sound DONE is in it: the worker lives on */
};

static const char chip[] = "gfx1151";
static struct registration registrations[N_REGISTRATIONS];
static struct told right[N_REGISTRATIONS], told[N_REGISTRATIONS];

/* Takes from a socket what was sent to its other end, which is closed for it. */
static void take(const int sockets[2], struct told *to)
{
    ssize_t got;
    close(sockets[0]);
    while ((got = read(sockets[1], to->bytes + to->n_bytes, TOLD_BYTES - to->n_bytes)) > 0)
        to->n_bytes += (size_t)got;
    must(to->n_bytes < TOLD_BYTES);
    close(sockets[1]);
}

static void tell_verdict(int socket, struct verdict v, const struct registration *registration)
{
    snprintf(v.registration, sizeof v.registration, "%s", registration->name);
    must(message_send(socket, MESSAGE_VERDICT, &v));
}

static void tell_outputs(int socket, const struct registration *registration)
{
    static const struct executed executed[] = {{"v_add_f32", "VALU", 12}, {"s_mov_b32", "SALU", 3}};
    static const float y[] = {1};
    struct reg_plan plan;
    const struct reg_shape *shape = &registration->shapes[0];
    must(registration->plan(shape, &plan, NULL) && tensor_bytes(&plan.tensor[FAKE_Y]) == sizeof y);
    must(message_send_outputs(socket, &(struct case_outputs){.registration = registration->name,
                                                             .shape = shape->label,
                                                             .pattern = "signed",
                                                             .plan = &plan,
                                                             .data = {[FAKE_Y] = y},
                                                             .executed = executed,
                                                             .n_executed = 2}));
}

/* A miss with all that is said of one. */
static struct verdict explained_miss(void)
{
    struct verdict v = sample_miss(2);
    v.ratio_histogram[RATIO_BIN_BOUND] = 1;
    v.error_map = (struct error_map){.tensor = "y", .rows = 1, .columns = 33, .n_rows = 1, .n_columns = 2, .cell = {".a"}};
    v.diagnosis = (struct diagnosis){.tensor = "y", .format = "f32", .rows = 1, .columns = 33, .n_wrong = 1, .n_near = 2};
    return v;
}

/* As long as it fits a socket's buffer. */
static void tell_rightly(const struct registration *registration, struct told *to)
{
    const struct message_ready ready = {.ok = true, .kind = "fake", .chip = "gfx1151", .n_devices = 1, .wave_size = 32};
    struct message_begun begun = {.verdict = sample_pass(GATE_BYTES), .done_work = 1};
    const struct message_done done = {.ok = true, .end = {.duration_ns = 5}, .done_work = 2};
    int sockets[2];
    must(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
    snprintf(begun.verdict.registration, sizeof begun.verdict.registration, "%s", registration->name);
    must(message_send(sockets[0], MESSAGE_READY, &ready) && message_send(sockets[0], MESSAGE_BEGUN, &begun));
    tell_outputs(sockets[0], registration);
    tell_verdict(sockets[0], sample_race(), registration);
    tell_verdict(sockets[0], explained_miss(), registration);
    must(message_send(sockets[0], MESSAGE_DONE, &done));
    take(sockets, to);
}

/* Of a copy of its own, so that reads past its end are seen. */
static struct message_bytes received(const unsigned char *data, size_t n_bytes)
{
    struct message_bytes bytes = {.data = malloc(n_bytes + 1), .n_bytes = n_bytes, .capacity = n_bytes};
    must(bytes.data != NULL);
    memcpy(bytes.data, data, n_bytes);
    return bytes;
}

static void find_messages(struct told *to)
{
    struct message_bytes bytes = received(to->bytes, to->n_bytes);
    struct message message;
    while (message_next(&bytes, &message) == MESSAGE_FOUND) {
        must(to->n_messages < MOST_MESSAGES);
        to->starts[++to->n_messages] = bytes.taken;
    }
    must(bytes.taken == to->n_bytes);
    message_bytes_free(&bytes);
}

static void make_right_ones(void)
{
    static const char *const names[] = {"a", "b"};
    for (int i = 0; i < N_REGISTRATIONS; i++) {
        registrations[i] = fake_registration("dot");
        registrations[i].name = names[i];
        tell_rightly(&registrations[i], &right[i]);
        find_messages(&right[i]);
    }
}

/* Numbers that are no count, no index and no finite number. */
static void put_number(struct told *to, size_t at, unsigned value)
{
    static const uint64_t numbers[] = {UINT64_MAX,         INT64_MAX,          (uint64_t)1 << 63,  INT32_MAX,
                                       0x7ff0000000000000, 0x7ff8000000000000, 0x7fe0000000000000, 0};
    size_t n_bytes = value & 8 ? sizeof *numbers : sizeof(int);
    at -= at % n_bytes;
    if (at + n_bytes <= to->n_bytes)
        memcpy(to->bytes + at, &numbers[value % 8], n_bytes);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Puts what begins at a place behind it once more. */
static void repeat(struct told *to, size_t at, size_t n_bytes)
{
    n_bytes = least(n_bytes, least(to->n_bytes - at, TOLD_BYTES - to->n_bytes));
    memmove(to->bytes + at + n_bytes, to->bytes + at, to->n_bytes - at);
    to->n_bytes += n_bytes;
}

static void edit(const uint8_t edit_bytes[EDIT_BYTES])
{
    struct told *to = &told[edit_bytes[0] / EDIT_KINDS % N_REGISTRATIONS];
    unsigned first = edit_bytes[4], second = edit_bytes[5];
    const size_t *start = &to->starts[edit_bytes[1] % to->n_messages];
    size_t at = start[0] + ((size_t)edit_bytes[2] | (size_t)edit_bytes[3] << 8) % (start[1] - start[0]);
    if (at >= to->n_bytes)
        return;
    switch (edit_bytes[0] % EDIT_KINDS) {
    case EDIT_BYTE:
        to->bytes[at] = (uint8_t)first;
        break;
    case EDIT_BIT:
        to->bytes[at] ^= (uint8_t)(1u << first % 8);
        break;
    case EDIT_NUMBER:
        put_number(to, at, first);
        break;
    case EDIT_FILL:
        memset(to->bytes + at, (int)second, least(first * 4, to->n_bytes - at));
        break;
    case EDIT_CUT:
        to->n_bytes = at;
        break;
    default:
        repeat(to, at, first << 8 | second);
    }
}

/* Every instruction is one of the log's line. */
static void say_executed(const struct case_outputs *outputs)
{
    struct case_outputs of_chip = *outputs;
    of_chip.chip = chip;
    json_t *line = outputs_to_json(&of_chip), *executed = json_object_get(line, "executed");
    must(line != NULL);
    for (size_t i = 0; i < outputs->n_executed; i++)
        must(json_object_get(json_object_get(executed, outputs->executed[i].class), outputs->executed[i].mnemonic));
    json_decref(line);
}

/* Outputs that are sent again are the same message. */
static void send_again(const struct message *message, const struct registration *registration)
{
    static struct told again;
    struct arena arena = {0};
    struct reg_plan plan;
    struct case_outputs outputs;
    struct message back;
    int sockets[2];
    must(message_read_outputs(message, registration, &arena, &plan, &outputs));
    must(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0 && message_send_outputs(sockets[0], &outputs));
    again.n_bytes = 0;
    take(sockets, &again);
    say_executed(&outputs);
    arena_free(&arena);
    struct message_bytes bytes = received(again.bytes, again.n_bytes);
    must(message_next(&bytes, &back) == MESSAGE_FOUND && bytes.taken == bytes.n_bytes);
    must(message_is_sound(&back, registration, chip) && back.n_bytes == message->n_bytes);
    must(message_read_outputs(&back, registration, &arena, &plan, &outputs));
    size_t n_head = sizeof(struct message_outputs); /* of which what stands behind a text's end may differ */
    must(memcmp(back.body + n_head, message->body + n_head, back.n_bytes - n_head) == 0);
    message_bytes_free(&bytes);
    arena_free(&arena);
}

static void keep_again(const struct message *message)
{
    struct message_bytes kept = {0};
    struct message back;
    must(message_keep(&kept, message) && message_next(&kept, &back) == MESSAGE_FOUND);
    must(back.kind == message->kind && back.n_bytes == message->n_bytes);
    must(memcmp(back.body, message->body, back.n_bytes) == 0 && message_next(&kept, &back) == MESSAGE_NONE);
    message_bytes_free(&kept);
}

/* Nothing behind it is read. */
static bool is_sound_alone(const struct message *message, const struct registration *registration)
{
    unsigned char *body = malloc(message->n_bytes);
    must(body != NULL);
    memcpy(body, message->body, message->n_bytes);
    bool is = message_is_sound(&(struct message){message->kind, body, message->n_bytes}, registration, chip);
    free(body);
    return is;
}

/* Up to the first that is not sound, as the run reads it and tells it. */
static void read_told(struct told *from, const struct registration *registration, struct turns *turns, struct turn *turn)
{
    struct message_bytes bytes = received(from->bytes, from->n_bytes);
    struct message message;
    const struct message_end end = {.duration_ns = 5};
    bytes.most_outputs = message_most_outputs(registration);
    from->is_whole = false;
    while (!from->is_whole && message_next(&bytes, &message) == MESSAGE_FOUND && is_sound_alone(&message, registration)) {
        keep_again(&message);
        if (message.kind == MESSAGE_OUTPUTS)
            send_again(&message, registration);
        if (message.kind == MESSAGE_OUTPUTS || message.kind == MESSAGE_VERDICT)
            must(turns_tell(turns, turn, &message));
        from->is_whole = message.kind == MESSAGE_DONE;
    }
    message_bytes_free(&bytes);
    must(turns_tell(turns, turn, &(struct message){MESSAGE_END, (const unsigned char *)&end, sizeof end}));
    turns_finish(turns, turn);
}

/* In this process; the second way tells of the second registration before it is its turn. */
static void tell_here(struct run *run, unsigned way)
{
    struct turns turns;
    struct turn *list[N_REGISTRATIONS];
    must(turns_open(&turns, run, 0, NULL));
    for (int i = 0; i < N_REGISTRATIONS; i++)
        must((list[i] = turns_next(&turns)) != NULL);
    for (unsigned i = 0; i < N_REGISTRATIONS; i++) {
        unsigned at = (i + way) % N_REGISTRATIONS;
        read_told(&told[at], &registrations[at], &turns, list[at]);
    }
    must(turns.at == turns.n && !turns_next(&turns));
    turns_close(&turns);
}

/* The worker: tells of each registration that it is asked for what stands there, READY only once, and ends where that is
 * not whole. */
static bool tell(void *context, int n_threads, struct device **device, struct error *error)
{
    uint32_t index;
    bool is_ready = false;
    (void)context, (void)n_threads, (void)device, (void)error;
    while (recv(WORKER_SOCKET, &index, sizeof index, MSG_WAITALL) == sizeof index && index < N_REGISTRATIONS) {
        const struct told *from = &told[index];
        for (size_t n = is_ready ? from->starts[1] : 0; n < from->n_bytes;) {
            ssize_t sent = send(WORKER_SOCKET, from->bytes + n, from->n_bytes - n, MSG_NOSIGNAL);
            if (sent <= 0)
                _exit(1);
            n += (size_t)sent;
        }
        is_ready = true;
        if (!from->is_whole)
            break;
    }
    _exit(0);
}

static void show(void *context, const char *registration, const char *shape, double done_share)
{
    (void)context;
    must(done_share >= 0 && done_share <= 1 + 1e-9 && strlen(registration) + strlen(shape) < 2 * VERDICT_NAME_BYTES);
}

/* By one worker, or two at once. What tell_here found to be whole is known by then. */
static void tell_in_processes(struct run *run, unsigned way)
{
    const struct pool_options pool = {
        .worker.open = tell, .n_workers = 1 + (int)way, .time_limit_ns = (uint64_t)LIMIT_S * 1000000000};
    struct error error = {0};
    if (!pool_run(run, &pool, &error))
        must(error.text[0] && error.status != STATUS_OK);
    builds_free(&run->builds);
}

static void run_told(struct verdict_stream *stream, void (*telling)(struct run *run, unsigned way), unsigned way)
{
    static const struct registration *const list[] = {&registrations[0], &registrations[1]};
    const struct registry registry = {list, N_REGISTRATIONS, NULL, 0};
    const struct run_options options = {.n_runs = 2, .n_threads = 1, .seed = 1, .today = "2026-11-29"};
    struct builder builder = fake_builder();
    struct device known = {.kind = "fake", .chip = "gfx1151"};
    struct run run = {.registry = &registry,
                      .options = &options,
                      .stream = stream,
                      .builds = {.builder = &builder, .device = &known},
                      .progress = {.step = show}};
    telling(&run, way);
}

/* The log of what the run makes of it can be read. */
static void run_logged(void (*telling)(struct run *run, unsigned way), unsigned way)
{
    static const struct log_environment environment = {
        .version = "0", .device = "fake", .chips = "gfx1151", .scope = "default", .seed = 1, .n_runs = 2};
    struct counts counts = {0};
    struct verdict_stream stream = {0};
    struct run_log log;
    struct report report = {0};
    struct error error = {0};
    char path[600], *text = NULL;
    size_t n_text = 0;
    struct console console = {.out = open_memstream(&text, &n_text)};
    snprintf(path, sizeof path, "%s/run.jsonl", input_folder());
    must(console.out && log_open(&log, path, &environment, &error));
    log.with_outputs = true;
    stream_add(&stream, counts_sink(&counts));
    stream_add(&stream, log_sink(&log));
    stream_add(&stream, console_sink(&console));
    run_told(&stream, telling, way);
    console_summary(&console, &counts, false);
    log_summary(&log, &counts, stream.worst, false);
    bool ok = log_close(&log, &error) && report_add_log(&report, path, &error) && report_settle(&report, &error);
    if (!ok)
        fprintf(stderr, "ERROR: %s\n", error.text);
    must(ok);
    report_free(&report);
    console_free(&console);
    must(fclose(console.out) == 0);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    if (!registrations[0].name)
        make_right_ones();
    if (n_bytes < HEADER_BYTES)
        return 0;
    memcpy(told, right, sizeof told);
    for (size_t i = HEADER_BYTES; i + EDIT_BYTES <= n_bytes; i += EDIT_BYTES)
        edit(data + i);
    run_logged(tell_here, data[0] % 2);
    if (hash_bytes(data, n_bytes).low % IN_PROCESSES == 0)
        run_logged(tell_in_processes, data[0] % 2);
    return 0;
}
