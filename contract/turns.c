#include "contract/turns.h"

#include <stdlib.h>
#include <string.h>

#define MOST_KEPT_BYTES ((size_t)256 << 20)

static void put_verdict(const struct turns *turns, const struct turn *turn, const struct message *message)
{
    struct verdict verdict;
    (void)turn;
    memcpy(&verdict, message->body, sizeof verdict);
    stream_put(turns->run->stream, &verdict);
}

static void put_outputs(const struct turns *turns, const struct turn *turn, const struct message *message)
{
    struct arena arena = {0};
    struct reg_plan plan;
    struct case_outputs outputs;
    if (message_read_outputs(message, turn->registration, &arena, &plan, &outputs)) {
        outputs.chip = turns->run->builds.device->chip;
        stream_put_outputs(turns->run->stream, &outputs);
    }
    arena_free(&arena);
}

static void put_end(const struct turns *turns, const struct turn *turn, const struct message *message)
{
    struct message_end end;
    memcpy(&end, message->body, sizeof end);
    stream_registration_end(turns->run->stream, &(struct registration_end){.registration = turn->registration->name,
                                                                           .chip = turns->run->builds.device->chip,
                                                                           .duration_ns = end.duration_ns,
                                                                           .replayed = end.replayed});
}

static void put(const struct turns *turns, const struct turn *turn, const struct message *message)
{
    static void (*const puts[MESSAGE_KIND_COUNT])(const struct turns *, const struct turn *, const struct message *) = {
        [MESSAGE_VERDICT] = put_verdict, [MESSAGE_OUTPUTS] = put_outputs, [MESSAGE_END] = put_end};
    puts[message->kind](turns, turn, message);
}

/* One gets its turn: what was kept of it comes first. One that takes no part is told to take none. */
static void begin_turn(struct turns *turns, struct turn *turn)
{
    struct error error;
    struct message message;
    while (message_next(&turn->kept, &message) == MESSAGE_FOUND)
        put(turns, turn, &message);
    message_bytes_free(&turn->kept);
    if (!run_takes_part(turns->run, turn->index))
        turn->is_done = run_registration(turns->run, turn->index, &error);
}

static void pass_on(struct turns *turns)
{
    while (turns->at < turns->n && turns->list[turns->at].is_done)
        if (++turns->at < turns->n)
            begin_turn(turns, &turns->list[turns->at]);
}

bool turns_open(struct turns *turns, struct run *run, size_t most_kept_bytes, struct error *error)
{
    *turns = (struct turns){.run = run,
                            .list = calloc(run->registry->n_registrations + 1, sizeof *turns->list),
                            .most_kept_bytes = most_kept_bytes ? most_kept_bytes : MOST_KEPT_BYTES};
    if (!turns->list)
        return error_set(error, STATUS_ENVIRONMENT, "out of host memory for the list of registrations to run");
    turns->list[0].is_done = true;
    turns->n = turns->next = 1;
    for (size_t i = 0; i < run->registry->n_registrations; i++)
        if (run_selects(run->registry, run->options, i))
            turns->list[turns->n++] = (struct turn){.index = i, .registration = run->registry->registrations[i]};
    pass_on(turns);
    return true;
}

void turns_close(struct turns *turns)
{
    for (size_t i = 0; i < turns->n; i++)
        message_bytes_free(&turns->list[i].kept);
    free(turns->list);
}

struct turn *turns_next(struct turns *turns)
{
    while (turns->next < turns->n && !run_takes_part(turns->run, turns->list[turns->next].index))
        turns->next++;
    return turns->next < turns->n ? &turns->list[turns->next++] : NULL;
}

bool turns_tell(struct turns *turns, struct turn *turn, const struct message *message)
{
    if (turn != &turns->list[turns->at])
        return message_keep(&turn->kept, message);
    put(turns, turn, message);
    return true;
}

bool turns_tell_verdict(struct turns *turns, struct turn *turn, const struct verdict *verdict)
{
    const struct message message = {MESSAGE_VERDICT, (const unsigned char *)verdict, sizeof *verdict};
    return turns_tell(turns, turn, &message);
}

void turns_finish(struct turns *turns, struct turn *turn)
{
    turn->is_done = true;
    pass_on(turns);
}

bool turns_hold_back(const struct turns *turns, const struct turn *turn)
{
    return turn != &turns->list[turns->at] && turn->kept.n_bytes > turns->most_kept_bytes;
}
