/*
 * What a worker process tells its parent: messages on a stream socket, in the layout of the one program that both run.
 *
 * A worker may have damaged its own memory. The reader takes nothing for granted: lengths, counts, enumerations and the
 * ends of texts are checked, and a message that is not sound is no message.
 */
#ifndef CONTRACT_MESSAGE_H
#define CONTRACT_MESSAGE_H

#include "contract/base/arena.h"
#include "contract/verdict.h"

/* X(kind, body): the first is a worker's first message; then come, for each registration, its BEGUN … OUTPUTS, and DONE.
 * END is what the run makes of that, in the order of registrations (contract/turns.h). */
#define MESSAGES(X)                                                                                                        \
    X(READY, struct message_ready)                                                                                         \
    X(BEGUN, struct message_begun)                                                                                         \
    X(VERDICT, struct verdict)                                                                                             \
    X(OUTPUTS, struct message_outputs) /* with more behind it */                                                           \
    X(DONE, struct message_done)                                                                                           \
    X(END, struct message_end)

#define MESSAGE_ENUM(kind, body) MESSAGE_##kind,
enum message_kind { MESSAGES(MESSAGE_ENUM) MESSAGE_KIND_COUNT };
#undef MESSAGE_ENUM

/* The device is open, or the error says why not. */
struct message_ready {
    bool ok;
    struct error error;
    char kind[16], chip[32];
    int n_devices, wave_size;
};
/* This is run now. */
struct message_begun {
    struct verdict verdict;
    double done_work; /* of the registration so far */
};
/* The outputs of a case: behind it the bytes of each output tensor in the plan's order, then of each executed instruction
 * its mnemonic, its class (each with its NUL) and its count. */
struct message_outputs {
    char shape[VERDICT_NAME_BYTES], pattern[16];
    struct hash128 code;
    uint64_t n_executed;
};
struct message_end {
    uint64_t duration_ns;
    bool replayed;
};
/* The registration is done, and how it ended; or the error says why not. */
struct message_done {
    bool ok;
    struct error error;
    struct message_end end;
    double done_work;
};

struct message {
    enum message_kind kind;
    const unsigned char *body;
    size_t n_bytes;
};

/* Sends a body of the kind. False where nobody reads any longer. */
bool message_send(int socket, enum message_kind kind, const void *body);
bool message_send_outputs(int socket, const struct case_outputs *outputs);

/* The bytes of messages: as they come from a socket, or kept for later. {0} is empty; message_bytes_free. */
struct message_bytes {
    unsigned char *data;
    size_t n_bytes, capacity;
    size_t taken;        /* of these by message_next */
    size_t most_outputs; /* bytes of an OUTPUTS, more of which are damage; 0: any number */
};

/* The most bytes of an OUTPUTS about a case of the registration; where a head promises more, the run would wait for them
 * and keep whatever comes. */
size_t message_most_outputs(const struct registration *registration);
/* Reads some of what a socket has, and does not wait for more. LOST: out of host memory for it. */
enum message_received { MESSAGE_RECEIVED, MESSAGE_ENDED, MESSAGE_LOST };
enum message_received message_receive(struct message_bytes *bytes, int socket);
/* Keeps a message behind those that are kept. False out of host memory. */
bool message_keep(struct message_bytes *bytes, const struct message *message);
enum message_found { MESSAGE_NONE, MESSAGE_FOUND, MESSAGE_DAMAGED };
/* Takes the next whole message: its body is borrowed until the next call with these bytes. Its kind is one, and its length
 * the kind's. */
enum message_found message_next(struct message_bytes *bytes, struct message *message);
void message_bytes_free(struct message_bytes *bytes);

/* Texts end, and no number reaches past a table. */
bool message_verdict_is_sound(const struct verdict *verdict);
/* The message is one of a worker that is at the registration on the chip; READY is of none, and both may be NULL. */
bool message_is_sound(const struct message *message, const struct registration *registration, const char *chip);
/* Makes outputs of a message about a case of the registration. Plan and lists are the arena's, tensors the message's. False
 * where it is not sound. */
bool message_read_outputs(const struct message *message, const struct registration *registration, struct arena *arena,
                          struct reg_plan *plan, struct case_outputs *outputs);

#endif
