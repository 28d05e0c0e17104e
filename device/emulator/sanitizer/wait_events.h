/*
 * What raises and lowers the counters of memory instructions in flight, by family.
 */
#ifndef EMULATOR_WAIT_EVENTS_H
#define EMULATOR_WAIT_EVENTS_H

#include "device/emulator/instruction.h"
#include "records/chips.h"

enum wait_event {
    EVENT_NONE,
    EVENT_LOAD,
    EVENT_STORE,
    EVENT_ATOMIC, /* to memory: a load where it returns its old value, else a store */
    EVENT_FLAT,   /* memory or LDS */
    EVENT_FLAT_STORE,
    EVENT_LDS,
    EVENT_SCALAR,
    EVENT_DIRECT, /* LDS to a register without an address */
    EVENT_WAIT,
};

/* gfx12's names; before it DS and KM are one counter (LGKM), and before gfx10 LOAD and STORE are (VM). */
enum wait_counter { COUNTER_LOAD, COUNTER_STORE, COUNTER_DS, COUNTER_KM, COUNTER_EXP, COUNTER_COUNT };

/* A wait that says nothing of a counter. */
enum { WAIT_ANY = 0xff };

enum wait_event wait_event_of(const struct opcode *opcode);
/* The counter that says when an event's results are there, for memory and for LDS apart where a flat one may be either. */
enum wait_counter wait_counter_of(const struct chip *chip, enum wait_event event, bool returns);
/* How many may be outstanding after a wait, for each counter. */
void wait_limits_of(const struct chip *chip, const struct instruction *in, uint8_t limits[COUNTER_COUNT]);

#endif
