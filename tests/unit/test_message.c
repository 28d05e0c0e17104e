/* Messages of workers: what is sent is what is read, in whatever pieces it comes, and what is not sound is no message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "contract/host_case.h"
#include "contract/message.h"
#include "tests/support/fake_kernels.h"

enum { MOST_BYTES = 1 << 20 };

/* What the sender puts on a socket. */
static unsigned char sent[MOST_BYTES];
static size_t n_sent;

static void take_sent(const int sockets[2])
{
    ssize_t got;
    close(sockets[0]);
    for (n_sent = 0; (got = read(sockets[1], sent + n_sent, sizeof sent - n_sent)) > 0;)
        n_sent += (size_t)got;
    close(sockets[1]);
}

static struct verdict sample_verdict(void)
{
    return (struct verdict){.subject = SUBJECT_GATE,
                            .status = VERDICT_PASS,
                            .gate = GATE_BOUND,
                            .worst_ratio = 0.5,
                            .registration = "k",
                            .chip = "gfx1151"};
}

/* With a finding, an error map and lines of source: every field that is looked at is set. */
static struct verdict explained_verdict(void)
{
    struct verdict v = sample_verdict();
    const struct finding_listing listing = {.text = "one\ntwo\n", .at = 1};
    v.has_finding = true;
    v.finding.place.instructions = v.finding.other.source = listing;
    v.error_map =
        (struct error_map){.tensor = "y", .rows = ERROR_MAP_ROWS, .columns = 2, .n_rows = ERROR_MAP_ROWS, .n_columns = 2};
    for (int row = 0; row < ERROR_MAP_ROWS; row++)
        strcpy(v.error_map.cell[row], ".a");
    return v;
}

static void send_verdict(const struct verdict *verdict)
{
    int sockets[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    assert_true(message_send(sockets[0], MESSAGE_VERDICT, verdict));
    take_sent(sockets);
}

/* Bytes as message_receive leaves them. */
static struct message_bytes bytes_of(size_t n_bytes)
{
    struct message_bytes bytes = {.data = calloc(n_bytes + 1, 1), .n_bytes = n_bytes, .capacity = n_bytes + 1};
    memcpy(bytes.data, sent, n_bytes);
    return bytes;
}

static void message_is_found_once_it_is_whole(void **state)
{
    (void)state;
    const struct verdict verdict = sample_verdict();
    send_verdict(&verdict);
    for (size_t n_bytes = 0; n_bytes <= n_sent; n_bytes++) {
        struct message message;
        struct message_bytes bytes = bytes_of(n_bytes);
        assert_int_equal(message_next(&bytes, &message), n_bytes == n_sent ? MESSAGE_FOUND : MESSAGE_NONE);
        if (n_bytes == n_sent) {
            assert_int_equal(message.kind, MESSAGE_VERDICT);
            assert_memory_equal(message.body, &verdict, sizeof verdict);
            assert_int_equal(message_next(&bytes, &message), MESSAGE_NONE);
        }
        message_bytes_free(&bytes);
    }
}

static void messages_are_kept_in_their_order(void **state)
{
    (void)state;
    struct message_bytes kept = {0};
    struct message message;
    for (uint64_t i = 0; i < 100; i++) {
        const struct message_end end = {.duration_ns = i};
        assert_true(message_keep(&kept, &(struct message){MESSAGE_END, (const unsigned char *)&end, sizeof end}));
    }
    for (uint64_t i = 0; i < 100; i++) {
        struct message_end end;
        assert_int_equal(message_next(&kept, &message), MESSAGE_FOUND);
        memcpy(&end, message.body, sizeof end);
        assert_int_equal(end.duration_ns, i);
    }
    assert_int_equal(message_next(&kept, &message), MESSAGE_NONE);
    message_bytes_free(&kept);
}

static void damaged_heads_are_no_messages(void **state)
{
    (void)state;
    const struct registration registration = fake_registration("dot");
    struct arena arena = {0};
    struct reg_plan plan;
    struct case_outputs outputs;
    const struct verdict verdict = sample_verdict();
    send_verdict(&verdict);
    for (size_t at = 0; at < 16; at++)
        for (int bit = 0; bit < 8; bit++) {
            struct message message;
            struct message_bytes bytes = bytes_of(n_sent);
            bytes.data[at] ^= (unsigned char)(1u << bit);
            enum message_found found = message_next(&bytes, &message);
            if (found == MESSAGE_FOUND) {
                assert_int_equal(message.kind, MESSAGE_OUTPUTS); /* of any length */
                assert_false(message_read_outputs(&message, &registration, &arena, &plan, &outputs));
            } else
                assert_int_equal(found, MESSAGE_DAMAGED);
            message_bytes_free(&bytes);
        }
}

/* Of each field that is read as an index, a count or a text, a value that reaches past it. */
static void verdicts_that_reach_past_a_table_are_not_sound(void **state)
{
    (void)state;
    struct verdict v = explained_verdict();
    assert_true(message_verdict_is_sound(&v));
    int *const numbers[] = {(int *)&v.subject,
                            (int *)&v.status,
                            &v.gate,
                            &v.error_map.n_rows,
                            &v.error_map.n_columns,
                            &v.diagnosis.n_near,
                            (int *)&v.finding.kind,
                            &v.finding.place.instructions.at,
                            &v.finding.other.source.at};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        static const int wrong[] = {-1, 1000, INT32_MAX};
        int right = *numbers[i];
        for (size_t j = 0; j < sizeof wrong / sizeof *wrong; j++) {
            *numbers[i] = wrong[j];
            assert_false(message_verdict_is_sound(&v));
        }
        *numbers[i] = right;
    }
    assert_true(message_verdict_is_sound(&v));
}

#define TEXT(member)                                                                                                       \
    {                                                                                                                      \
        offsetof(struct verdict, member), sizeof((struct verdict *)0)->member                                              \
    }

static void texts_that_do_not_end_are_not_sound(void **state)
{
    static const struct {
        size_t offset, n_bytes;
    } texts[] = {TEXT(chip),
                 TEXT(device),
                 TEXT(registration),
                 TEXT(file),
                 TEXT(name),
                 TEXT(shape),
                 TEXT(pattern),
                 TEXT(checks),
                 TEXT(twin),
                 TEXT(depth_tensor),
                 TEXT(depth_parts),
                 TEXT(worst.tensor),
                 TEXT(modelled),
                 TEXT(reason),
                 TEXT(error_map.tensor),
                 TEXT(error_map.cell[ERROR_MAP_ROWS - 1]),
                 TEXT(diagnosis.tensor),
                 TEXT(diagnosis.format),
                 TEXT(diagnosis.guess),
                 TEXT(finding.place.kernel),
                 TEXT(finding.place.instruction),
                 TEXT(finding.place.file),
                 TEXT(finding.other.file),
                 TEXT(finding.place.instructions.text),
                 TEXT(finding.other.source.text),
                 TEXT(finding.message),
                 TEXT(finding.text)};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct verdict v = explained_verdict();
        assert_true(message_verdict_is_sound(&v));
        memset((char *)&v + texts[i].offset, 'x', texts[i].n_bytes);
        assert_false(message_verdict_is_sound(&v));
    }
}

/* What a log could not say again. */
static void counts_and_maps_that_no_run_makes_are_not_sound(void **state)
{
    (void)state;
    struct verdict v = explained_verdict();
    v.ratio_histogram[RATIO_BINS - 1] = -1;
    assert_false(message_verdict_is_sound(&v));
    v = explained_verdict();
    v.error_map.cell[3][1] = (char)(ERROR_MAP_FIRST + RATIO_BINS);
    assert_false(message_verdict_is_sound(&v));
    v = explained_verdict();
    v.error_map.cell[3][1] = '\0';
    assert_false(message_verdict_is_sound(&v));
    v = explained_verdict();
    v.error_map.rows = ERROR_MAP_ROWS - 1;
    assert_false(message_verdict_is_sound(&v));
    v = explained_verdict();
    strcpy(v.finding.place.instructions.text, "one\ntwo");
    assert_false(message_verdict_is_sound(&v));
}

/* To read a bool of another byte than 0 and 1 has no meaning: compilers index tables by it. */
static void bools_of_other_bytes_are_not_sound(void **state)
{
    (void)state;
    struct verdict v = explained_verdict();
    bool *const bools[] = {&v.replayed, &v.resources.are_known, &v.has_finding, &v.finding.has_other};
    for (size_t i = 0; i < sizeof bools / sizeof *bools; i++) {
        bool right = *bools[i];
        memset(bools[i], 2, 1);
        assert_false(message_verdict_is_sound(&v));
        *bools[i] = right;
    }
    assert_true(message_verdict_is_sound(&v));
}

static bool is_sound(enum message_kind kind, const void *body, size_t n_bytes)
{
    const struct registration registration = fake_registration("dot");
    return message_is_sound(&(struct message){kind, body, n_bytes}, &registration, "gfx1151");
}

/* A run that is told of a failure ends with the failure's status. */
static void failures_that_do_not_say_which_are_not_sound(void **state)
{
    (void)state;
    struct message_ready ready = {.ok = true};
    struct message_done done = {.ok = true};
    assert_true(is_sound(MESSAGE_READY, &ready, sizeof ready) && is_sound(MESSAGE_DONE, &done, sizeof done));
    ready.ok = done.ok = false;
    assert_false(is_sound(MESSAGE_READY, &ready, sizeof ready) || is_sound(MESSAGE_DONE, &done, sizeof done));
    ready.error.status = done.error.status = STATUS_ENVIRONMENT;
    assert_false(is_sound(MESSAGE_READY, &ready, sizeof ready) || is_sound(MESSAGE_DONE, &done, sizeof done));
    ready.error.text[0] = done.error.text[0] = 'x';
    assert_true(is_sound(MESSAGE_READY, &ready, sizeof ready) && is_sound(MESSAGE_DONE, &done, sizeof done));
    memset(&ready.ok, 2, 1);
    memset(&done.ok, 2, 1);
    assert_false(is_sound(MESSAGE_READY, &ready, sizeof ready) || is_sound(MESSAGE_DONE, &done, sizeof done));
    done.ok = true;
    memset(&done.end.replayed, 2, 1);
    assert_false(is_sound(MESSAGE_DONE, &done, sizeof done));
}

static void work_that_does_not_add_up_is_not_sound(void **state)
{
    static const double wrong[] = {-1, (double)NAN, (double)INFINITY};
    (void)state;
    struct message_begun begun = {.verdict = sample_verdict()};
    struct message_done done = {.ok = true};
    strcpy(begun.verdict.registration, fake_registration("dot").name);
    assert_true(is_sound(MESSAGE_BEGUN, &begun, sizeof begun));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        begun.done_work = done.done_work = wrong[i];
        assert_false(is_sound(MESSAGE_BEGUN, &begun, sizeof begun) || is_sound(MESSAGE_DONE, &done, sizeof done));
    }
}

/* The largest is that of the registration's largest case; a head that promises more would be waited for. */
static void outputs_of_more_bytes_than_a_case_has_are_no_message(void **state)
{
    (void)state;
    const struct registration registration = fake_registration("dot");
    struct reg_plan plan;
    size_t most = message_most_outputs(&registration), n_largest = 0;
    for (size_t i = 0; i < registration.n_shapes; i++) {
        assert_true(registration.plan(&registration.shapes[i], &plan, NULL));
        n_largest = n_largest < tensor_bytes(&plan.tensor[FAKE_Y]) ? tensor_bytes(&plan.tensor[FAKE_Y]) : n_largest;
    }
    assert_in_range(most, sizeof(struct message_outputs) + n_largest,
                    sizeof(struct message_outputs) + n_largest + (64 << 20));
    for (uint64_t beyond = 0; beyond < 2; beyond++) {
        const uint64_t head[] = {MESSAGE_OUTPUTS, most + beyond};
        struct message message;
        memcpy(sent, head, sizeof head);
        struct message_bytes bytes = bytes_of(sizeof head);
        bytes.most_outputs = most;
        assert_int_equal(message_next(&bytes, &message), beyond ? MESSAGE_DAMAGED : MESSAGE_NONE);
        message_bytes_free(&bytes);
    }
}

static void send_outputs(const struct case_outputs *outputs)
{
    int sockets[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    assert_true(message_send_outputs(sockets[0], outputs));
    take_sent(sockets);
}

static void outputs_are_read_as_they_were_sent(void **state)
{
    static const struct executed executed[] = {{"v_add_f32", "VALU", 12}, {"s_mov_b32", "SALU", 3}};
    (void)state;
    const struct registration registration = fake_registration("dot");
    const struct reg_shape *shape = &registration.shapes[1];
    struct reg_plan plan, read_plan;
    float y[] = {1, 2, 3, 4, 5, 6};
    assert_true(registration.plan(shape, &plan, NULL));
    struct case_outputs outputs = {.registration = registration.name,
                                   .shape = shape->label,
                                   .pattern = "signed",
                                   .code = {1, 2},
                                   .plan = &plan,
                                   .data = {[FAKE_Y] = y},
                                   .executed = executed,
                                   .n_executed = 2};
    assert_int_equal(tensor_bytes(&plan.tensor[FAKE_Y]), sizeof y);
    send_outputs(&outputs);
    struct message_bytes bytes = bytes_of(n_sent);
    struct message message;
    struct case_outputs back;
    struct arena arena = {0};
    assert_int_equal(message_next(&bytes, &message), MESSAGE_FOUND);
    assert_true(message_read_outputs(&message, &registration, &arena, &read_plan, &back));
    assert_string_equal(back.shape, shape->label);
    assert_string_equal(back.pattern, "signed");
    assert_true(hash_equal(back.code, outputs.code));
    assert_memory_equal(back.data[FAKE_Y], y, sizeof y);
    assert_int_equal(back.n_executed, 2);
    assert_string_equal(back.executed[1].mnemonic, "s_mov_b32");
    assert_string_equal(back.executed[1].class, "SALU");
    assert_int_equal(back.executed[1].n_executed, 3);
    for (size_t n_bytes = sizeof(struct message_outputs); n_bytes < message.n_bytes; n_bytes++) {
        const struct message cut = {message.kind, message.body, n_bytes};
        assert_false(message_read_outputs(&cut, &registration, &arena, &read_plan, &back));
    }
    const struct message longer = {message.kind, message.body, message.n_bytes + 1};
    assert_false(message_read_outputs(&longer, &registration, &arena, &read_plan, &back));
    struct message_outputs *body = (struct message_outputs *)(bytes.data + (message.body - bytes.data));
    body->n_executed = UINT64_MAX;
    assert_false(message_read_outputs(&message, &registration, &arena, &read_plan, &back));
    body->n_executed = 2;
    body->shape[0] = '7';
    assert_false(message_read_outputs(&message, &registration, &arena, &read_plan, &back));
    arena_free(&arena);
    message_bytes_free(&bytes);
}

/* They become keys of the log. */
static void names_of_instructions_that_are_no_words_are_not_sound(void **state)
{
    static const char *const wrong[] = {"", "v_add f32", "v_\x80", "v_\n"};
    (void)state;
    const struct registration registration = fake_registration("dot");
    const struct reg_shape *shape = &registration.shapes[0];
    struct reg_plan plan, read_plan;
    float y[] = {1};
    assert_true(registration.plan(shape, &plan, NULL));
    for (size_t i = 0; i < 2 * sizeof wrong / sizeof *wrong; i++) {
        const char *word = wrong[i / 2];
        const struct executed executed = {i % 2 ? word : "v_add_f32", i % 2 ? "VALU" : word, 1};
        struct case_outputs back, outputs = {.registration = registration.name,
                                             .shape = shape->label,
                                             .pattern = "signed",
                                             .plan = &plan,
                                             .data = {[FAKE_Y] = y},
                                             .executed = &executed,
                                             .n_executed = 1};
        struct message message;
        struct arena arena = {0};
        send_outputs(&outputs);
        struct message_bytes bytes = bytes_of(n_sent);
        assert_int_equal(message_next(&bytes, &message), MESSAGE_FOUND);
        assert_false(message_read_outputs(&message, &registration, &arena, &read_plan, &back));
        arena_free(&arena);
        message_bytes_free(&bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(message_is_found_once_it_is_whole),
        cmocka_unit_test(messages_are_kept_in_their_order),
        cmocka_unit_test(damaged_heads_are_no_messages),
        cmocka_unit_test(verdicts_that_reach_past_a_table_are_not_sound),
        cmocka_unit_test(texts_that_do_not_end_are_not_sound),
        cmocka_unit_test(counts_and_maps_that_no_run_makes_are_not_sound),
        cmocka_unit_test(bools_of_other_bytes_are_not_sound),
        cmocka_unit_test(failures_that_do_not_say_which_are_not_sound),
        cmocka_unit_test(work_that_does_not_add_up_is_not_sound),
        cmocka_unit_test(outputs_of_more_bytes_than_a_case_has_are_no_message),
        cmocka_unit_test(outputs_are_read_as_they_were_sent),
        cmocka_unit_test(names_of_instructions_that_are_no_words_are_not_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
