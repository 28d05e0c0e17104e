/*
 * The guest's memory: allocations in a 64-bit guest address space of their own, never host addresses, so that guest code
 * can neither read nor write the host and results do not depend on where the host put things. Every access is checked
 * against the allocations; between any two lies a guard gap that belongs to none.
 */
#ifndef EMULATOR_MEMORY_H
#define EMULATOR_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/base/error.h"

struct memory;

/* What the depth audit keeps of a span (depth/depth.h): two bytes of count for each two of its own. */
struct memory_depth {
    uint32_t counted; /* not 0: some may be others than those of data. Host threads of workgroups share it */
    uint8_t bytes[];
};

/* One allocation as accesses see it. */
struct span {
    uint64_t base, n_bytes; /* guest addresses [base, base + n_bytes) */
    uint8_t *host;          /* of base */
    int device;             /* owner */
    bool read_only;         /* code, kernarg */
    uint8_t *defined; /* a byte for each: 1 where it has been written; NULL: all of them have, or nobody keeps count */
    struct memory_depth *depth; /* of its bytes, in a depth audit; else NULL */
    bool freed;                 /* kept for a while so that a use after free can be named */
    char name[48];
};

enum { SPAN_CACHE_WAYS = 4 };

/* The spans that a wave touched last: spares the search for nearly every access. */
struct span_cache {
    const struct span *span[SPAN_CACHE_WAYS];
    unsigned next;
    uint64_t generation; /* of the memory when it was filled */
};

struct memory *memory_open(void);
void memory_close(struct memory *memory);
/* Later allocations each have a multiple of 4 GiB in their middle, so that sums of addresses carry into the high half; as
 * long as there is room for that. */
void memory_straddle(struct memory *memory, bool on);
/* n_bytes (0 counts as 1) filled with a poison (beyond 256 MiB: zeros, committed as they are touched, which count as
 * written), aligned to 256; the guest address, or 0 when the host is out of memory. name is copied. Deterministic: the same
 * calls give the same addresses. */
uint64_t memory_allocate(struct memory *memory, size_t n_bytes, int device, const char *name);
/* Fills fresh host memory with the same poison, up to the same size. */
void memory_poison(uint8_t *zeros, size_t n_bytes);
/* False where address is not the first byte of a live allocation. */
bool memory_free(struct memory *memory, uint64_t address);
/* Cuts the live allocation that holds address into two adjacent spans there, each with its own name and read-only mark;
 * memory_free of the first byte frees both. For the segments of a code object, whose distances are fixed. */
bool memory_split(struct memory *memory, uint64_t address);
bool memory_rename(struct memory *memory, uint64_t address, const char *name);
/* For the sanitizer's init check: n_bytes from a live address count as written, or as never written, whatever they hold. */
void memory_define(struct memory *memory, uint64_t address, size_t n_bytes);
void memory_forget(struct memory *memory, uint64_t address, size_t n_bytes);
/* After a copy of n_bytes: those of `to` count as written where those of `from` do, or all where `from` is the host's. */
void memory_copy_written(struct memory *memory, uint64_t to, uint64_t from, size_t n_bytes);
/* Before a launch that keeps count of what it writes (spans that are not written as a whole get their `defined`), and
 * before one that does not (all live memory counts as written from then on). */
void memory_track(struct memory *memory);
void memory_define_all(struct memory *memory);
/* The depth audit begins, or a launch of it: every live span that can be written gets its counts, those of data. False when
 * the host is out of memory. And the audit's end, which forgets them. */
bool memory_count_depth(struct memory *memory);
void memory_forget_depth(struct memory *memory);
/* n_bytes from a live address have the same number from the host, as a kernel's constants are: hipMemset. */
void memory_set_constant_depth(struct memory *memory, uint64_t address, size_t n_bytes);
void memory_set_read_only(struct memory *memory, uint64_t address, bool read_only);
/* Host bytes of [address, address + n_bytes) for copies by the runtime; NULL unless all of it is in one live span. */
uint8_t *memory_host(struct memory *memory, uint64_t address, size_t n_bytes);
/* Whether the address is, was, or lies near one of the guest's: none of the host's is. */
bool memory_is_guest(const struct memory *memory, uint64_t address);
/* The live span that holds address, or NULL. No launch may allocate or free while waves run, so no lock is needed. */
const struct span *memory_find(const struct memory *memory, uint64_t address);
/* The same through a wave's cache. */
const struct span *memory_find_cached(const struct memory *memory, struct span_cache *cache, uint64_t address);
/* "the address is 4 bytes past x (1024 bytes)": how it lies to the nearest allocation, for findings. A name that ends in
 * ')' says its size itself. Only an address that is near none is given as a number: where allocations lie depends on all
 * that the process allocated before, and a finding is the same in whichever run it is made. */
void memory_describe(const struct memory *memory, uint64_t address, char *text, size_t n_bytes);
/* "byte 64 of x (1024 bytes)", of an address that an allocation holds, or held; else as memory_describe. */
void memory_name_byte(const struct memory *memory, uint64_t address, char *text, size_t n_bytes);

#endif
