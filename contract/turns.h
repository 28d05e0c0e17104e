/*
 * Registrations that are run at the same time, told to one stream: one after the other, in the registry's order. What is
 * told of one before its turn is kept for it.
 */
#ifndef CONTRACT_TURNS_H
#define CONTRACT_TURNS_H

#include "contract/message.h"
#include "contract/run.h"

struct turn {
    size_t index; /* in the registry */
    const struct registration *registration;
    bool is_done;
    struct message_bytes kept; /* told before its turn */
};

struct turns {
    struct run *run;
    struct turn *list; /* of the selected registrations, behind one that is done */
    size_t n, at;      /* whose turn it is; n: all are done */
    size_t next;       /* to be started */
    size_t most_kept_bytes;
};

/* Those that the run selects; at the first. Of each so many bytes are kept before it is to wait; 0: 256 MiB. Errors:
 * STATUS_ENVIRONMENT, out of host memory. turns_close in either case. */
bool turns_open(struct turns *turns, struct run *run, size_t most_kept_bytes, struct error *error);
void turns_close(struct turns *turns);
/* The next one to be run, each once; NULL where there is none left. Those that take no part are told without. */
struct turn *turns_next(struct turns *turns);
/* Tells a VERDICT, OUTPUTS or END, which is sound. False out of host memory. */
bool turns_tell(struct turns *turns, struct turn *turn, const struct message *message);
bool turns_tell_verdict(struct turns *turns, struct turn *turn, const struct verdict *verdict);
/* All has been told of it; it is another's turn if it was this one's. */
void turns_finish(struct turns *turns, struct turn *turn);
/* So much was told before its turn that what tells more is to wait. */
bool turns_hold_back(const struct turns *turns, const struct turn *turn);

#endif
