#include "contract/message.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "contract/host_case.h"
#include "contract/registry_list.h"

enum { RECEIVE_BYTES = 1 << 16, EXECUTED_BYTES = 16 << 20 /* the names and counts of all instructions are far fewer */ };

/* Before each body. */
struct head {
    uint64_t kind, n_bytes;
};

static const size_t body_bytes[] = {
#define BODY_BYTES(kind, body) sizeof(body),
    MESSAGES(BODY_BYTES)
#undef BODY_BYTES
};

static bool send_all(int socket, const void *data, size_t n_bytes)
{
    const char *at = data;
    while (n_bytes > 0) {
        ssize_t sent = send(socket, at, n_bytes, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            return false;
        at += sent > 0 ? sent : 0;
        n_bytes -= sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

bool message_send(int socket, enum message_kind kind, const void *body)
{
    struct head head = {kind, body_bytes[kind]};
    return send_all(socket, &head, sizeof head) && send_all(socket, body, body_bytes[kind]);
}

static size_t executed_bytes(const struct executed *row)
{
    return strlen(row->mnemonic) + strlen(row->class) + 2 + sizeof row->n_executed;
}

static size_t outputs_bytes(const struct case_outputs *outputs)
{
    size_t n_bytes = sizeof(struct message_outputs);
    for (int t = 0; t < outputs->plan->n_tensors; t++)
        n_bytes += outputs->data[t] ? tensor_bytes(&outputs->plan->tensor[t]) : 0;
    for (size_t i = 0; i < outputs->n_executed; i++)
        n_bytes += executed_bytes(&outputs->executed[i]);
    return n_bytes;
}

static bool send_executed(int socket, const struct executed *row)
{
    return send_all(socket, row->mnemonic, strlen(row->mnemonic) + 1) &&
           send_all(socket, row->class, strlen(row->class) + 1) &&
           send_all(socket, &row->n_executed, sizeof row->n_executed);
}

bool message_send_outputs(int socket, const struct case_outputs *outputs)
{
    struct head head = {MESSAGE_OUTPUTS, outputs_bytes(outputs)};
    struct message_outputs body = {.code = outputs->code, .n_executed = outputs->n_executed};
    strncpy(body.shape, outputs->shape, sizeof body.shape - 1);
    strncpy(body.pattern, outputs->pattern, sizeof body.pattern - 1);
    bool ok = send_all(socket, &head, sizeof head) && send_all(socket, &body, sizeof body);
    for (int t = 0; t < outputs->plan->n_tensors && ok; t++)
        if (outputs->data[t])
            ok = send_all(socket, outputs->data[t], tensor_bytes(&outputs->plan->tensor[t]));
    for (size_t i = 0; i < outputs->n_executed && ok; i++)
        ok = send_executed(socket, &outputs->executed[i]);
    return ok;
}

/* Room behind the bytes for n_bytes more; what was taken makes room first. */
static bool make_room(struct message_bytes *bytes, size_t n_bytes)
{
    if (bytes->taken > 0) {
        bytes->n_bytes -= bytes->taken;
        memmove(bytes->data, bytes->data + bytes->taken, bytes->n_bytes);
        bytes->taken = 0;
    }
    if (bytes->n_bytes + n_bytes <= bytes->capacity)
        return true;
    size_t capacity = 2 * (bytes->n_bytes + n_bytes);
    unsigned char *data = realloc(bytes->data, capacity);
    if (!data)
        return false;
    bytes->data = data;
    bytes->capacity = capacity;
    return true;
}

enum message_received message_receive(struct message_bytes *bytes, int socket)
{
    if (!make_room(bytes, RECEIVE_BYTES))
        return MESSAGE_LOST;
    ssize_t got = recv(socket, bytes->data + bytes->n_bytes, bytes->capacity - bytes->n_bytes, MSG_DONTWAIT);
    if (got < 0)
        return errno == EINTR || errno == EAGAIN ? MESSAGE_RECEIVED : MESSAGE_ENDED;
    bytes->n_bytes += (size_t)got;
    return got > 0 ? MESSAGE_RECEIVED : MESSAGE_ENDED;
}

bool message_keep(struct message_bytes *bytes, const struct message *message)
{
    struct head head = {message->kind, message->n_bytes};
    if (!make_room(bytes, sizeof head + message->n_bytes))
        return false;
    memcpy(bytes->data + bytes->n_bytes, &head, sizeof head);
    memcpy(bytes->data + bytes->n_bytes + sizeof head, message->body, message->n_bytes);
    bytes->n_bytes += sizeof head + message->n_bytes;
    return true;
}

static size_t output_bytes(const struct reg_plan *plan)
{
    size_t n_bytes = 0;
    for (int t = next_output(plan, 0); t >= 0; t = next_output(plan, t + 1))
        n_bytes += tensor_bytes(&plan->tensor[t]);
    return n_bytes;
}

size_t message_most_outputs(const struct registration *registration)
{
    size_t most = 0;
    for (size_t i = 0; i < registration->n_shapes; i++) {
        struct reg_plan plan = {0};
        size_t n_bytes = registration->plan(&registration->shapes[i], &plan, NULL) ? output_bytes(&plan) : 0;
        most = n_bytes > most ? n_bytes : most;
    }
    return sizeof(struct message_outputs) + most + EXECUTED_BYTES;
}

static bool head_is_sound(const struct message_bytes *bytes, const struct head *head)
{
    if (head->kind >= MESSAGE_KIND_COUNT)
        return false;
    size_t least = body_bytes[head->kind], most = bytes->most_outputs ? bytes->most_outputs : SIZE_MAX / 4;
    return head->kind == MESSAGE_OUTPUTS ? head->n_bytes >= least && head->n_bytes <= most : head->n_bytes == least;
}

enum message_found message_next(struct message_bytes *bytes, struct message *message)
{
    struct head head;
    size_t n_left = bytes->n_bytes - bytes->taken;
    if (n_left < sizeof head)
        return MESSAGE_NONE;
    memcpy(&head, bytes->data + bytes->taken, sizeof head);
    if (!head_is_sound(bytes, &head))
        return MESSAGE_DAMAGED;
    if (n_left - sizeof head < head.n_bytes)
        return MESSAGE_NONE;
    *message = (struct message){(enum message_kind)head.kind, bytes->data + bytes->taken + sizeof head, head.n_bytes};
    bytes->taken += sizeof head + head.n_bytes;
    return MESSAGE_FOUND;
}

void message_bytes_free(struct message_bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct message_bytes){0};
}

static bool text_ends(const char *text, size_t n_bytes)
{
    return memchr(text, 0, n_bytes) != NULL;
}

#define ENDS(array) text_ends((array), sizeof(array))

static bool element_is_sound(const struct verdict_element *element)
{
    return ENDS(element->tensor);
}

/* In memory that is damaged a bool may be any byte, and to read it as one has no meaning. */
static bool bool_is_sound(const bool *value)
{
    return *(const unsigned char *)value <= 1;
}

/* An amount that adds up with others. */
static bool amount_is_sound(double amount)
{
    return isfinite(amount) && amount >= 0;
}

static bool map_is_sound(const struct error_map *map)
{
    return *map->tensor == '\0' || error_map_is_whole(map);
}

static bool diagnosis_is_sound(const struct diagnosis *diagnosis)
{
    return ENDS(diagnosis->tensor) && ENDS(diagnosis->format) && ENDS(diagnosis->guess) && diagnosis->n_near >= 0 &&
           diagnosis->n_near <= DIAGNOSIS_NEAR;
}

/* Each line of it ends with a newline, and one of them is meant; or there is none. */
static bool listing_is_sound(const struct finding_listing *listing)
{
    int n_lines = 0;
    const char *at = listing->text, *end = memchr(at, '\0', sizeof listing->text);
    for (const char *newline; end && (newline = memchr(at, '\n', (size_t)(end - at))); at = newline + 1)
        n_lines++;
    return end && at == end && (n_lines == 0 || (listing->at >= 0 && listing->at < n_lines));
}

static bool place_is_sound(const struct finding_place *place)
{
    return ENDS(place->kernel) && ENDS(place->instruction) && ENDS(place->file) && listing_is_sound(&place->instructions) &&
           listing_is_sound(&place->source);
}

static bool finding_is_sound(const struct finding *finding)
{
    return bool_is_sound(&finding->has_other) && (int)finding->kind >= 0 && finding->kind < FINDING_KIND_COUNT &&
           place_is_sound(&finding->place) && place_is_sound(&finding->other) && ENDS(finding->message) &&
           ENDS(finding->text);
}

static bool texts_are_sound(const struct verdict *v)
{
    return ENDS(v->chip) && ENDS(v->device) && ENDS(v->registration) && ENDS(v->file) && ENDS(v->name) && ENDS(v->shape) &&
           ENDS(v->pattern) && ENDS(v->checks) && ENDS(v->twin) && ENDS(v->depth_tensor) && ENDS(v->depth_parts) &&
           ENDS(v->modelled) && ENDS(v->reason);
}

static bool counts_are_sound(const struct verdict *v)
{
    for (size_t bin = 0; bin < RATIO_BINS; bin++)
        if (v->ratio_histogram[bin] < 0)
            return false;
    return true;
}

bool message_verdict_is_sound(const struct verdict *v)
{
    bool read = bool_is_sound(&v->replayed) && bool_is_sound(&v->resources.are_known) && bool_is_sound(&v->has_finding);
    bool counted = (int)v->subject >= 0 && v->subject < SUBJECT_COUNT && (int)v->status >= 0 &&
                   v->status < VERDICT_STATUS_COUNT && v->gate >= 0 && v->gate <= GATE_LIMITS;
    return read && counted && counts_are_sound(v) && texts_are_sound(v) && element_is_sound(&v->worst) &&
           map_is_sound(&v->error_map) && diagnosis_is_sound(&v->diagnosis) &&
           (!v->has_finding || finding_is_sound(&v->finding));
}

/* What of a message is not read yet. */
struct unread {
    const unsigned char *at;
    size_t n_bytes;
};

static const void *read_bytes(struct unread *unread, size_t n_bytes)
{
    if (unread->n_bytes < n_bytes)
        return NULL;
    const void *at = unread->at;
    unread->at += n_bytes;
    unread->n_bytes -= n_bytes;
    return at;
}

static const char *read_text(struct unread *unread)
{
    const unsigned char *end = memchr(unread->at, 0, unread->n_bytes);
    return end ? read_bytes(unread, (size_t)(end - unread->at) + 1) : NULL;
}

/* The name of an instruction or a class. */
static const char *read_name(struct unread *unread)
{
    const char *name = read_text(unread), *at = name;
    while (at && *at > ' ' && *at < 0x7f)
        at++;
    return at && at > name && *at == '\0' ? name : NULL;
}

static bool read_executed(struct unread *unread, struct executed *row)
{
    row->mnemonic = read_name(unread);
    row->class = row->mnemonic ? read_name(unread) : NULL;
    const void *count = row->class ? read_bytes(unread, sizeof row->n_executed) : NULL;
    if (count)
        memcpy(&row->n_executed, count, sizeof row->n_executed);
    return count;
}

static bool read_tensors(struct unread *unread, struct case_outputs *outputs)
{
    bool ok = true;
    for (int t = next_output(outputs->plan, 0); t >= 0 && ok; t = next_output(outputs->plan, t + 1)) {
        outputs->data[t] = read_bytes(unread, tensor_bytes(&outputs->plan->tensor[t]));
        ok = outputs->data[t];
    }
    return ok;
}

/* The pattern's own name, or NULL. */
static const char *pattern_named(const char *name)
{
    for (int p = 0; p < REG_PATTERN_COUNT; p++)
        if (strcmp(reg_pattern_name((enum reg_pattern)p), name) == 0)
            return reg_pattern_name((enum reg_pattern)p);
    return NULL;
}

/* Names and plan are the registration's own: a message only says which. */
static bool read_case(const struct message_outputs *body, const struct registration *registration, struct reg_plan *plan,
                      struct case_outputs *outputs)
{
    if (!ENDS(body->shape) || !ENDS(body->pattern))
        return false;
    const struct reg_shape *shape = registration_shape(registration, body->shape);
    const char *pattern = pattern_named(body->pattern);
    *plan = (struct reg_plan){0};
    if (!shape || !pattern || !registration->plan(shape, plan, NULL))
        return false;
    *outputs = (struct case_outputs){
        .registration = registration->name, .shape = shape->label, .pattern = pattern, .code = body->code, .plan = plan};
    return true;
}

bool message_read_outputs(const struct message *message, const struct registration *registration, struct arena *arena,
                          struct reg_plan *plan, struct case_outputs *outputs)
{
    struct message_outputs body;
    struct unread unread = {message->body, message->n_bytes};
    memcpy(&body, read_bytes(&unread, sizeof body), sizeof body);
    if (!read_case(&body, registration, plan, outputs) || !read_tensors(&unread, outputs) ||
        body.n_executed > unread.n_bytes)
        return false;
    struct executed *rows = arena_alloc(arena, (size_t)(body.n_executed + 1) * sizeof *rows);
    bool ok = rows;
    for (uint64_t i = 0; i < body.n_executed && ok; i++)
        ok = read_executed(&unread, &rows[i]);
    outputs->executed = rows;
    outputs->n_executed = (size_t)body.n_executed;
    return ok && unread.n_bytes == 0;
}

static bool is_of(const struct verdict *verdict, const struct registration *registration, const char *chip)
{
    return message_verdict_is_sound(verdict) && strcmp(verdict->chip, chip) == 0 &&
           strncmp(verdict->registration, registration->name, sizeof verdict->registration - 1) == 0;
}

/* The error says what failed where something did, and with which status. */
static bool outcome_is_sound(const bool *ok, const struct error *error)
{
    if (!bool_is_sound(ok) || !ENDS(error->text))
        return false;
    return (int)error->status >= STATUS_OK && error->status <= STATUS_UNSUPPORTED &&
           (*ok || (error->status != STATUS_OK && *error->text));
}

static bool ready_is_sound(const struct message *message, const struct registration *registration, const char *chip)
{
    struct message_ready ready;
    (void)registration, (void)chip;
    memcpy(&ready, message->body, sizeof ready);
    return outcome_is_sound(&ready.ok, &ready.error) && ENDS(ready.kind) && ENDS(ready.chip);
}

static bool begun_is_sound(const struct message *message, const struct registration *registration, const char *chip)
{
    struct message_begun begun;
    memcpy(&begun, message->body, sizeof begun);
    return amount_is_sound(begun.done_work) && is_of(&begun.verdict, registration, chip);
}

static bool verdict_is_sound(const struct message *message, const struct registration *registration, const char *chip)
{
    struct verdict verdict;
    memcpy(&verdict, message->body, sizeof verdict);
    return is_of(&verdict, registration, chip);
}

static bool outputs_are_sound(const struct message *message, const struct registration *registration, const char *chip)
{
    struct arena arena = {0};
    struct reg_plan plan;
    struct case_outputs outputs;
    (void)chip;
    bool sound = message_read_outputs(message, registration, &arena, &plan, &outputs);
    arena_free(&arena);
    return sound;
}

static bool done_is_sound(const struct message *message, const struct registration *registration, const char *chip)
{
    struct message_done done;
    (void)registration, (void)chip;
    memcpy(&done, message->body, sizeof done);
    return outcome_is_sound(&done.ok, &done.error) && bool_is_sound(&done.end.replayed) && amount_is_sound(done.done_work);
}

bool message_is_sound(const struct message *message, const struct registration *registration, const char *chip)
{
    static bool (*const checks[MESSAGE_KIND_COUNT])(const struct message *, const struct registration *,
                                                    const char *) = {[MESSAGE_READY] = ready_is_sound,
                                                                     [MESSAGE_BEGUN] = begun_is_sound,
                                                                     [MESSAGE_VERDICT] = verdict_is_sound,
                                                                     [MESSAGE_OUTPUTS] = outputs_are_sound,
                                                                     [MESSAGE_DONE] = done_is_sound};
    return checks[message->kind] && checks[message->kind](message, registration, chip);
}
