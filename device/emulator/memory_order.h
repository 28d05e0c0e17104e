/*
 * What an instruction says about the order of the wave's memory accesses, read once from its text: AMDGPUUsage, "Memory
 * Model", code sequences of each target.
 */
#ifndef EMULATOR_MEMORY_ORDER_H
#define EMULATOR_MEMORY_ORDER_H

#include <stdint.h>

#include "device/emulator/instruction.h"
#include "records/chips.h"

/* Bits of instruction.ordering. */
enum memory_ordering {
    MEMORY_COHERENT = 1 << 0,    /* a load or store that goes to a cache which other waves share: atomic or volatile */
    MEMORY_INVALIDATES = 1 << 1, /* drops what the wave's caches hold of other workgroups' data: the end of an acquire */
    MEMORY_STORES_DONE = 1 << 2, /* waits until all stores are performed: the start of a release */
    MEMORY_SIGNALS = 1 << 3,     /* arrives at a split barrier */
    MEMORY_WAITS = 1 << 4,       /* waits for a split barrier */
};

/* The bits of a parsed instruction whose immediate has been read. */
uint8_t memory_order_of(const struct chip *chip, const struct instruction *in);

#endif
