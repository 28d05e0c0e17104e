#include "device/emulator/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/*
 * Guest addresses only grow: an address is never given out twice, so a stale pointer can always be told from a new one, and
 * the spans, kept in the order of their making, are sorted by address without further work.
 */
#define GUEST_FIRST                                                                                                        \
    UINT64_C(0x200000000000) /* clear of flat apertures and of what Linux hands out, ASan's shadow included */
#define GUEST_END    UINT64_C(0x7ffe00000000)
#define LOW_HALF_END UINT64_C(0x100000000) /* what 32 bits of an address do not reach */
enum {
    GUEST_ALIGNMENT = 256,
    GUARD_BYTES = 64 << 10,
    POISON_BYTE = 0xa5,
    FREED_KEPT = 1024,
    NULL_PAGE_BYTES = 64 << 10,
};
#define EAGER_POISON_BYTES ((size_t)256 << 20) /* beyond: zero pages of the host, committed as they are touched */
#define MMAP_BYTES         ((size_t)1 << 20)
#define NEAREST_BYTES      ((uint64_t)1 << 30) /* farther than this from every allocation, an address belongs to none */

/* A span and the host memory behind it, which the parts of a split allocation share: the first part owns all of it. */
struct allocation {
    struct span span;
    bool is_defined; /* all of it has been written, or counts as if; else span.defined says what, and NULL that nothing has
                      */
    size_t host_bytes; /* 0: a later part */
};

struct memory {
    struct allocation *allocations; /* by base */
    size_t n_allocations, capacity, n_freed;
    uint64_t next_address;
    uint64_t generation; /* of the spans' places and states */
    bool counts_depth, straddles;
};

struct memory *memory_open(void)
{
    struct memory *memory = calloc(1, sizeof *memory);
    if (memory) {
        memory->next_address = GUEST_FIRST;
        memory->generation = 1;
    }
    return memory;
}

static uint8_t *host_allocate(size_t n_bytes)
{
    if (n_bytes < MMAP_BYTES)
        return aligned_alloc(64, (n_bytes + 63) & ~(size_t)63);
    void *host = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return host == MAP_FAILED ? NULL : host;
}

static void host_free(uint8_t *host, size_t n_bytes)
{
    if (n_bytes < MMAP_BYTES)
        free(host);
    else
        munmap(host, n_bytes);
}

void memory_close(struct memory *memory)
{
    if (!memory)
        return;
    for (size_t i = 0; i < memory->n_allocations; i++) {
        const struct allocation *allocation = &memory->allocations[i];
        if (!allocation->span.freed && allocation->host_bytes)
            host_free(allocation->span.host, allocation->host_bytes);
        free(allocation->span.defined);
        free(allocation->span.depth);
    }
    free(memory->allocations);
    free(memory);
}

static bool make_room(struct memory *memory)
{
    memory->generation++;
    if (memory->n_allocations < memory->capacity)
        return true;
    size_t capacity = memory->capacity ? 2 * memory->capacity : 64;
    struct allocation *grown = realloc(memory->allocations, capacity * sizeof *grown);
    if (!grown)
        return false;
    memory->allocations = grown;
    memory->capacity = capacity;
    return true;
}

void memory_poison(uint8_t *zeros, size_t n_bytes)
{
    if (n_bytes <= EAGER_POISON_BYTES)
        memset(zeros, POISON_BYTE, n_bytes);
}

void memory_straddle(struct memory *memory, bool on)
{
    memory->straddles = on;
}

/* The next free place, or the next that has a multiple of 4 GiB in its middle, while there are any. What is longer than
 * the alignment has bytes on either side. */
static uint64_t place(const struct memory *memory, size_t n_bytes)
{
    uint64_t half = (n_bytes / 2 + GUEST_ALIGNMENT / 2) & ~(uint64_t)(GUEST_ALIGNMENT - 1);
    uint64_t middle = (memory->next_address + half + LOW_HALF_END - 1) & ~(LOW_HALF_END - 1);
    return memory->straddles && middle + n_bytes < GUEST_END ? middle - half : memory->next_address;
}

uint64_t memory_allocate(struct memory *memory, size_t n_bytes, int device, const char *name)
{
    size_t bytes = n_bytes ? n_bytes : 1;
    if (bytes > SIZE_MAX / 4 || !make_room(memory))
        return 0;
    uint8_t *host = host_allocate(bytes);
    if (!host)
        return 0;
    memory_poison(host, bytes);
    struct allocation *allocation = &memory->allocations[memory->n_allocations++];
    *allocation = (struct allocation){
        .span = {.base = place(memory, bytes), .n_bytes = bytes, .host = host, .device = device}, .host_bytes = bytes};
    allocation->is_defined = bytes > EAGER_POISON_BYTES;
    snprintf(allocation->span.name, sizeof allocation->span.name, "%s", name ? name : "");
    memory->next_address =
        allocation->span.base + ((bytes + GUARD_BYTES + GUEST_ALIGNMENT - 1) & ~(uint64_t)(GUEST_ALIGNMENT - 1));
    return allocation->span.base;
}

/* Index of the last allocation whose base is not above address; n_allocations where there is none. */
static size_t index_below(const struct memory *memory, uint64_t address)
{
    size_t low = 0, high = memory->n_allocations;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (memory->allocations[middle].span.base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? low - 1 : memory->n_allocations;
}

static bool span_holds(const struct span *span, uint64_t address)
{
    return address - span->base < span->n_bytes;
}

static struct allocation *live_at(const struct memory *memory, uint64_t address)
{
    size_t i = index_below(memory, address);
    if (i == memory->n_allocations)
        return NULL;
    struct allocation *allocation = &memory->allocations[i];
    return span_holds(&allocation->span, address) && !allocation->span.freed ? allocation : NULL;
}

static struct allocation *live_first_byte(const struct memory *memory, uint64_t address)
{
    struct allocation *allocation = live_at(memory, address);
    return allocation && allocation->span.base == address && allocation->host_bytes ? allocation : NULL;
}

/* Forgets the older half of the freed spans once there are too many to keep. */
static void forget_freed(struct memory *memory)
{
    size_t to_drop = memory->n_freed / 2, kept = 0;
    for (size_t i = 0; i < memory->n_allocations; i++) {
        if (memory->allocations[i].span.freed && to_drop) {
            to_drop--;
            memory->n_freed--;
        } else {
            memory->allocations[kept++] = memory->allocations[i];
        }
    }
    memory->n_allocations = kept;
}

static void drop_depth(struct allocation *allocation)
{
    free(allocation->span.depth);
    allocation->span.depth = NULL;
}

static void define_whole(struct allocation *allocation)
{
    free(allocation->span.defined);
    allocation->span.defined = NULL;
    allocation->is_defined = true;
}

bool memory_free(struct memory *memory, uint64_t address)
{
    struct allocation *first = live_first_byte(memory, address);
    if (!first)
        return false;
    const struct allocation *end = memory->allocations + memory->n_allocations;
    uint8_t *host = first->span.host;
    for (struct allocation *part = first; part < end && (part == first || part->host_bytes == 0); part++) {
        part->span.freed = true;
        define_whole(part);
        drop_depth(part);
        part->span.host = NULL;
        memory->n_freed++;
    }
    host_free(host, first->host_bytes);
    memory->generation++;
    if (memory->n_freed > FREED_KEPT)
        forget_freed(memory);
    return true;
}

bool memory_split(struct memory *memory, uint64_t address)
{
    struct allocation *allocation = live_at(memory, address);
    if (!allocation || !make_room(memory))
        return false;
    size_t i = index_below(memory, address);
    allocation = &memory->allocations[i];
    uint64_t offset = address - allocation->span.base;
    if (offset == 0)
        return true;
    memmove(allocation + 2, allocation + 1, (memory->n_allocations - i - 1) * sizeof *allocation);
    memory->n_allocations++;
    define_whole(allocation);
    drop_depth(allocation);
    allocation[1] = allocation[0];
    allocation[0].span.n_bytes = offset;
    allocation[1].span.base += offset;
    allocation[1].span.n_bytes -= offset;
    allocation[1].span.host += offset;
    allocation[1].host_bytes = 0;
    return true;
}

bool memory_rename(struct memory *memory, uint64_t address, const char *name)
{
    struct allocation *allocation = live_at(memory, address);
    if (!allocation || allocation->span.base != address)
        return false;
    snprintf(allocation->span.name, sizeof allocation->span.name, "%s", name);
    return true;
}

/* The part of the allocation at address that n_bytes cover; 0 where it is not live. */
static size_t covered(const struct allocation *allocation, uint64_t address, size_t n_bytes)
{
    if (!allocation)
        return 0;
    uint64_t left = allocation->span.n_bytes - (address - allocation->span.base);
    return n_bytes < left ? n_bytes : left;
}

/* Without memory to keep count in, all counts as written: no finding is better than a false one. */
static bool keep_count(struct allocation *allocation, bool defined)
{
    if (!allocation->span.defined)
        allocation->span.defined = calloc(1, allocation->span.n_bytes);
    if (allocation->span.defined && defined)
        memset(allocation->span.defined, 1, allocation->span.n_bytes);
    allocation->is_defined = !allocation->span.defined;
    return allocation->span.defined != NULL;
}

void memory_define(struct memory *memory, uint64_t address, size_t n_bytes)
{
    struct allocation *allocation = live_at(memory, address);
    size_t n = covered(allocation, address, n_bytes);
    if (n == 0 || allocation->is_defined)
        return;
    if (n == allocation->span.n_bytes)
        define_whole(allocation);
    else if (keep_count(allocation, false))
        memset(allocation->span.defined + (address - allocation->span.base), 1, n);
}

void memory_forget(struct memory *memory, uint64_t address, size_t n_bytes)
{
    struct allocation *allocation = live_at(memory, address);
    size_t n = covered(allocation, address, n_bytes);
    if (n && keep_count(allocation, allocation->is_defined))
        memset(allocation->span.defined + (address - allocation->span.base), 0, n);
}

static bool count_depth(struct span *span)
{
    if (!span->depth)
        span->depth = calloc(1, sizeof *span->depth + span->n_bytes + 1);
    return span->depth != NULL;
}

bool memory_count_depth(struct memory *memory)
{
    memory->counts_depth = true;
    for (size_t i = 0; i < memory->n_allocations; i++) {
        struct span *span = &memory->allocations[i].span;
        if (!span->freed && !span->read_only && !count_depth(span))
            return false;
    }
    return true;
}

void memory_forget_depth(struct memory *memory)
{
    memory->counts_depth = false;
    for (size_t i = 0; i < memory->n_allocations; i++)
        drop_depth(&memory->allocations[i]);
}

void memory_set_constant_depth(struct memory *memory, uint64_t address, size_t n_bytes)
{
    struct allocation *allocation = live_at(memory, address);
    size_t n = covered(allocation, address, n_bytes);
    if (!n || !memory->counts_depth || !count_depth(&allocation->span)) /* more additions are counted, never fewer */
        return;
    const uint16_t constant = 1; /* depth_state.h: DEPTH_CONSTANT as memory has it */
    size_t first = (size_t)(address - allocation->span.base) & ~(size_t)1;
    for (size_t at = first; at < first + n; at += sizeof constant)
        memcpy(allocation->span.depth->bytes + at, &constant, sizeof constant);
    allocation->span.depth->counted = 1;
}

/* What the host wrote is data. */
static void copy_depth(struct allocation *target, uint64_t to, const struct allocation *source, uint64_t from,
                       size_t n_bytes)
{
    if (!target || !target->span.depth)
        return;
    uint8_t *bytes = target->span.depth->bytes + (to - target->span.base);
    if (!source || !source->span.depth) {
        memset(bytes, 0, n_bytes);
        return;
    }
    memmove(bytes, source->span.depth->bytes + (from - source->span.base), n_bytes);
    target->span.depth->counted |= source->span.depth->counted;
}

void memory_copy_written(struct memory *memory, uint64_t to, uint64_t from, size_t n_bytes)
{
    struct allocation *target = live_at(memory, to), *source = live_at(memory, from);
    copy_depth(target, to, source, from, n_bytes);
    if (!source || source->is_defined)
        memory_define(memory, to, n_bytes);
    else if (!source->span.defined)
        memory_forget(memory, to, n_bytes);
    else if (target && keep_count(target, target->is_defined))
        memmove(target->span.defined + (to - target->span.base), source->span.defined + (from - source->span.base),
                n_bytes);
}

void memory_track(struct memory *memory)
{
    for (size_t i = 0; i < memory->n_allocations; i++) {
        struct allocation *allocation = &memory->allocations[i];
        if (!allocation->span.freed && !allocation->is_defined && !allocation->span.defined)
            keep_count(allocation, false);
    }
}

void memory_define_all(struct memory *memory)
{
    for (size_t i = 0; i < memory->n_allocations; i++)
        if (!memory->allocations[i].is_defined)
            define_whole(&memory->allocations[i]);
}

void memory_set_read_only(struct memory *memory, uint64_t address, bool read_only)
{
    struct allocation *allocation = live_at(memory, address);
    if (allocation)
        allocation->span.read_only = read_only;
}

uint8_t *memory_host(struct memory *memory, uint64_t address, size_t n_bytes)
{
    const struct allocation *allocation = live_at(memory, address);
    if (!allocation)
        return NULL;
    uint64_t offset = address - allocation->span.base;
    return n_bytes <= allocation->span.n_bytes - offset ? allocation->span.host + offset : NULL;
}

bool memory_is_guest(const struct memory *memory, uint64_t address)
{
    return address >= GUEST_FIRST && address < memory->next_address;
}

const struct span *memory_find(const struct memory *memory, uint64_t address)
{
    const struct allocation *allocation = live_at(memory, address);
    return allocation ? &allocation->span : NULL;
}

const struct span *memory_find_cached(const struct memory *memory, struct span_cache *cache, uint64_t address)
{
    if (cache->generation != memory->generation)
        *cache = (struct span_cache){.generation = memory->generation};
    for (int way = 0; way < SPAN_CACHE_WAYS; way++) {
        const struct span *span = cache->span[way];
        if (span && span_holds(span, address))
            return span;
    }
    const struct span *span = memory_find(memory, address);
    if (span)
        cache->span[cache->next++ % SPAN_CACHE_WAYS] = span;
    return span;
}

static uint64_t distance(const struct span *span, uint64_t address)
{
    return address < span->base ? span->base - address : address - (span->base + span->n_bytes);
}

/* The allocation that holds an address, or the nearest one; at equal distance the one below. */
static const struct span *nearest(const struct memory *memory, uint64_t address)
{
    size_t below = index_below(memory, address);
    size_t above = below == memory->n_allocations ? 0 : below + 1;
    const struct span *a = below < memory->n_allocations ? &memory->allocations[below].span : NULL;
    const struct span *b = above < memory->n_allocations ? &memory->allocations[above].span : NULL;
    if (!a || !b || span_holds(a, address))
        return a ? a : b;
    return distance(a, address) <= distance(b, address) ? a : b;
}

/* "argument 1 (in:f32 1024)" does. */
static bool name_says_size(const char *name)
{
    size_t length = strlen(name);
    return length && name[length - 1] == ')';
}

/* "freed x (1024 bytes)". */
static void name_span(const struct span *span, char *text, size_t n_bytes)
{
    char size[32] = "";
    if (!name_says_size(span->name))
        snprintf(size, sizeof size, " (%" PRIu64 " bytes)", span->n_bytes);
    snprintf(text, n_bytes, "%s%s%s", span->freed ? "freed " : "", span->name[0] ? span->name : "an unnamed allocation",
             size);
}

void memory_describe(const struct memory *memory, uint64_t address, char *text, size_t n_bytes)
{
    const struct span *span = nearest(memory, address);
    char name[160];
    if (address == 0) {
        snprintf(text, n_bytes, "the address is null");
    } else if (address < NULL_PAGE_BYTES) {
        snprintf(text, n_bytes, "the address is %" PRIu64 " bytes past null", address);
    } else if (!span || (!span_holds(span, address) && distance(span, address) > NEAREST_BYTES)) {
        snprintf(text, n_bytes, "address 0x%" PRIx64 " is in no allocation", address);
    } else {
        name_span(span, name, sizeof name);
        if (span_holds(span, address))
            snprintf(text, n_bytes, "the address is byte %" PRIu64 " of %s", address - span->base, name);
        else
            snprintf(text, n_bytes, "the address is %" PRIu64 " bytes %s %s", distance(span, address),
                     address < span->base ? "before" : "past", name);
    }
}

void memory_name_byte(const struct memory *memory, uint64_t address, char *text, size_t n_bytes)
{
    const struct span *span = nearest(memory, address);
    char name[160];
    if (!span || !span_holds(span, address)) {
        memory_describe(memory, address, text, n_bytes);
        return;
    }
    name_span(span, name, sizeof name);
    snprintf(text, n_bytes, "byte %" PRIu64 " of %s", address - span->base, name);
}
