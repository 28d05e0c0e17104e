/*
 * Atomics on memory: global, flat and buffer.
 */
#include "device/emulator/ops/atomic_ops.h"

/* Sums of f32 in the memory's caches flush denormals where the chip has no support for them (LLVM's
 * hasMemoryAtomicFaddF32DenormalSupport: gfx940 and gfx12 have it). */
static bool memory_flushes_f32(const struct wave *wave)
{
    enum chip_family family = wave->chip->family;
    return !(family == CHIP_RDNA4 || family == CHIP_CDNA3 || family == CHIP_CDNA4);
}

/* LDS reached by a flat atomic follows the MODE register instead, as the DS instructions do. */
static struct atomic_flush flush_at(const struct wave *wave, const struct access *access)
{
    return access->private_bytes ? atomic_flush_of_mode(wave) : (struct atomic_flush){.f32 = memory_flushes_f32(wave)};
}

/* The data registers hold the operand and then, for compare-and-swap, the value compared with. */
static struct atomic_rows memory_rows(const struct instruction *in, unsigned data_row, unsigned n_bytes)
{
    return (struct atomic_rows){.data = data_row,
                                .second = data_row + n_bytes / 4,
                                .has_second = true,
                                .returns = in->n_dst > 0,
                                .result = in->n_dst > 0 ? operand_row(&in->dst[0]) : 0};
}

#define MEMORY_ATOMIC(space, name, T)                                                                                      \
    HANDLER(space##_atomic_##name)                                                                                         \
    {                                                                                                                      \
        struct access access;                                                                                              \
        resolve_##space(wave, in, 0, sizeof(T), ACCESS_ATOMIC, &access);                                                   \
        struct atomic_rows rows = memory_rows(in, operand_row(&in->src[1]), sizeof(T));                                    \
        rows.has_second = in->src[1].n_dwords * 4 > sizeof(T);                                                             \
        atomic_all_lanes(wave, &access, &rows, sizeof(T), flush_at(wave, &access), next_##name);                           \
    }
/* A buffer atomic returns into its data register. */
#define BUFFER_ATOMIC(name, T)                                                                                             \
    HANDLER(buffer_atomic_##name)                                                                                          \
    {                                                                                                                      \
        struct access pieces[BUFFER_PIECES];                                                                               \
        resolve_buffer(wave, in, 1, sizeof(T), ACCESS_ATOMIC, pieces);                                                     \
        struct atomic_rows rows = memory_rows(in, operand_row(&in->src[0]), sizeof(T));                                    \
        rows.has_second = in->src[0].n_dwords * 4 > sizeof(T);                                                             \
        rows.returns = (in->flags & FLAG_GLC) != 0;                                                                        \
        rows.result = rows.data;                                                                                           \
        atomic_all_lanes(wave, pieces, &rows, sizeof(T), flush_at(wave, pieces), next_##name);                             \
    }
#define EVERY_MEMORY_ATOMIC(name, T, new_value)                                                                            \
    MEMORY_ATOMIC(global, name, T)                                                                                         \
    MEMORY_ATOMIC(flat, name, T)                                                                                           \
    BUFFER_ATOMIC(name, T)
ATOMICS(EVERY_MEMORY_ATOMIC)
