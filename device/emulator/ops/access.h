/*
 * One vector memory instruction's accesses: an address a lane, checked, and then moved to or from registers. A resolver for
 * each address space fills a struct access; loads, stores and atomics work on any. A lane that may not access is dropped
 * from `lanes` and reported: its store does not happen, its load gives `missing`.
 */
#ifndef EMULATOR_ACCESS_H
#define EMULATOR_ACCESS_H

#include "device/emulator/lanes.h"
#include "device/emulator/sanitizer/sanitizer.h"

/* What a load that may not happen gives: a NaN as f32 and, in its upper half, as bf16. */
#define MISSING_POISON UINT32_C(0x7fc0dead)

struct access {
    uintptr_t base;
    alignas(64) uint64_t offset[WAVE_LANES]; /* of the lane's first byte from base */
    uint64_t lanes;                          /* that may access */
    uint32_t missing;                        /* what the others load */
    bool every_lane_safe; /* all of exec may access, and even the other lanes have an offset that can be read */
    bool private_bytes;   /* LDS or scratch: bytes that only this host thread touches */
    /* For access_report, set where wave->watched: */
    uint8_t kind, space;                    /* enum access_kind, enum access_space */
    bool mixed;                             /* guest holds flat addresses of several spaces */
    alignas(64) uint64_t guest[WAVE_LANES]; /* what an access_record's bytes count */
};

static inline uint8_t *access_at(const struct access *access, int lane)
{
    return (uint8_t *)(access->base + (uintptr_t)access->offset[lane]);
}

#define EACH_LANE_OF(mask)                                                                                                 \
    for (uint64_t left_ = (mask); left_; left_ &= left_ - 1)                                                               \
        for (int lane = __builtin_ctzll(left_), once_ = 1; once_; once_ = 0)

/* Whether the span is of the wave's device, or of one that it has peer access to. */
static inline bool span_is_reachable(const struct wave *wave, const struct span *span)
{
    return wave->dispatch->reachable >> span->device & 1;
}

#define describe_memory VARIANT(describe_memory)

/* What is wrong with n_bytes of the wave's access at a guest address that may not happen, for its finding. */
void describe_memory(const struct wave *wave, uint64_t address, uint32_t n_bytes, enum access_kind kind, char *text,
                     size_t n_text);

#define resolve_global  VARIANT(resolve_global)
#define resolve_flat    VARIANT(resolve_flat)
#define resolve_scratch VARIANT(resolve_scratch)
#define resolve_buffer  VARIANT(resolve_buffer)
#define resolve_lds     VARIANT(resolve_lds)

/* n_bytes a lane at the address of a global_, flat_ or scratch_ instruction, whose address register is src[k] and whose
 * scalar base, if it has one, the last source. */
void resolve_global(struct wave *wave, const struct instruction *in, int k, uint32_t n_bytes, enum access_kind kind,
                    struct access *access);
void resolve_flat(struct wave *wave, const struct instruction *in, int k, uint32_t n_bytes, enum access_kind kind,
                  struct access *access);
void resolve_scratch(struct wave *wave, const struct instruction *in, int k, uint32_t n_bytes, enum access_kind kind,
                     struct access *access);
/* A buffer_ instruction: src[k] is the address register (k -1: it has none), then come the resource and the scalar offset.
 * Lanes outside the resource's range are dropped in silence, as the hardware does, and load 0. Dwords of one access are
 * range-checked one by one: fills pieces[0] and returns 1 where that makes no difference, else fills one of 4 bytes for
 * each dword and returns their number (at most BUFFER_PIECES). Atomics are all or nothing. */
enum { BUFFER_PIECES = 4 };
unsigned resolve_buffer(struct wave *wave, const struct instruction *in, int k, uint32_t n_bytes, enum access_kind kind,
                        struct access pieces[BUFFER_PIECES]);
/* LDS bytes at address[lane] (bytes from the workgroup's first; all lanes, those off unused). */
void resolve_lds(struct wave *wave, const uint32_t *address, uint32_t n_bytes, enum access_kind kind,
                 struct access *access);

#define access_report VARIANT(access_report)

/* Reports a resolved access to the sanitizer: n_bytes of a lane, the first of them `skip` bytes into the access's. Only
 * where wave->watched. `record` says the registers; space, kind, lanes and bytes are filled in here. The functions below do
 * it themselves; a handler that moves data by access_at calls it before the first byte moves. */
void access_report(struct wave *wave, const struct access *access, uint32_t skip, const struct access_record *record);

#define load_dwords  VARIANT(load_dwords)
#define load_part    VARIANT(load_part)
#define store_dwords VARIANT(store_dwords)
#define store_part   VARIANT(store_part)

/* How a load of less than a dword fills its register. */
enum part { PART_U8, PART_I8, PART_U16, PART_I16 };
enum part_half { PART_WHOLE, PART_LOW, PART_HIGH };

/* Registers row … row + n_dwords - 1 from n_dwords consecutive dwords a lane. */
void load_dwords(struct wave *wave, unsigned row, unsigned n_dwords, const struct access *access);
/* A byte or word, extended; PART_LOW and PART_HIGH (d16) keep the other half of the register. */
void load_part(struct wave *wave, unsigned row, enum part part, enum part_half half, const struct access *access);
void store_dwords(struct wave *wave, unsigned row, unsigned n_dwords, const struct access *access);
/* The low 1 or 2 bytes of the register, or of its high half. */
void store_part(struct wave *wave, unsigned row, unsigned n_bytes, bool high_half, const struct access *access);

#endif
