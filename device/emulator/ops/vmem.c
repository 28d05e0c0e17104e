/*
 * Vector memory: loads and stores of global, flat, scratch and buffer instructions. One format a line; each line makes the
 * handler of every address space.
 */
#include "device/emulator/ops/spaces.h"
#include "device/emulator/ops/to_lds.h"

/* X(name, bytes, part, half): formats of less than a dword. */
#define PART_LOADS(X)                                                                                                      \
    X(u8, 1, PART_U8, PART_WHOLE)                                                                                          \
    X(i8, 1, PART_I8, PART_WHOLE)                                                                                          \
    X(u16, 2, PART_U16, PART_WHOLE)                                                                                        \
    X(i16, 2, PART_I16, PART_WHOLE)                                                                                        \
    X(d16_u8, 1, PART_U8, PART_LOW)                                                                                        \
    X(d16_i8, 1, PART_I8, PART_LOW)                                                                                        \
    X(d16_b16, 2, PART_U16, PART_LOW)                                                                                      \
    X(d16_hi_u8, 1, PART_U8, PART_HIGH)                                                                                    \
    X(d16_hi_i8, 1, PART_I8, PART_HIGH)                                                                                    \
    X(d16_hi_b16, 2, PART_U16, PART_HIGH)
/* X(name, bytes, from the high half). */
#define PART_STORES(X)                                                                                                     \
    X(b8, 1, false)                                                                                                        \
    X(b16, 2, false)                                                                                                       \
    X(d16_hi_b8, 1, true)                                                                                                  \
    X(d16_hi_b16, 2, true)
/* X(name, dwords). */
#define DWORD_FORMATS(X) X(b32, 1) X(b64, 2) X(b96, 3) X(b128, 4)

static bool is_signed(enum part part)
{
    return part == PART_I8 || part == PART_I16;
}

#define DWORD_LOAD(space, name, n_dwords)                                                                                  \
    HANDLER(space##_load_##name)                                                                                           \
    {                                                                                                                      \
        struct access access;                                                                                              \
        resolve_##space(wave, in, 0, 4 * (n_dwords), ACCESS_LOAD, &access);                                                \
        if (__builtin_expect(goes_to_lds(in), 0))                                                                          \
            load_to_lds(wave, in, (struct to_lds_format){4 * (n_dwords), false}, &access, 1);                              \
        else                                                                                                               \
            load_dwords(wave, operand_row(&in->dst[0]), n_dwords, &access);                                                \
    }
#define DWORD_STORE(space, name, n_dwords)                                                                                 \
    HANDLER(space##_store_##name)                                                                                          \
    {                                                                                                                      \
        struct access access;                                                                                              \
        resolve_##space(wave, in, 0, 4 * (n_dwords), ACCESS_STORE, &access);                                               \
        store_dwords(wave, operand_row(&in->src[1]), n_dwords, &access);                                                   \
    }
#define PART_LOAD(space, name, n_bytes, part, half)                                                                        \
    HANDLER(space##_load_##name)                                                                                           \
    {                                                                                                                      \
        struct access access;                                                                                              \
        resolve_##space(wave, in, 0, n_bytes, ACCESS_LOAD, &access);                                                       \
        if (__builtin_expect(goes_to_lds(in), 0))                                                                          \
            load_to_lds(wave, in, (struct to_lds_format){n_bytes, is_signed(part)}, &access, 1);                           \
        else                                                                                                               \
            load_part(wave, operand_row(&in->dst[0]), part, half, &access);                                                \
    }
#define PART_STORE(space, name, n_bytes, high_half)                                                                        \
    HANDLER(space##_store_##name)                                                                                          \
    {                                                                                                                      \
        struct access access;                                                                                              \
        resolve_##space(wave, in, 0, n_bytes, ACCESS_STORE, &access);                                                      \
        store_part(wave, operand_row(&in->src[1]), n_bytes, high_half, &access);                                           \
    }

#define ALL_SPACES_DWORD(name, n_dwords)                                                                                   \
    DWORD_LOAD(global, name, n_dwords)                                                                                     \
    DWORD_LOAD(flat, name, n_dwords)                                                                                       \
    DWORD_LOAD(scratch, name, n_dwords)                                                                                    \
    DWORD_STORE(global, name, n_dwords)                                                                                    \
    DWORD_STORE(flat, name, n_dwords)                                                                                      \
    DWORD_STORE(scratch, name, n_dwords)
#define ALL_SPACES_PART_LOAD(name, n_bytes, part, half)                                                                    \
    PART_LOAD(global, name, n_bytes, part, half)                                                                           \
    PART_LOAD(flat, name, n_bytes, part, half)                                                                             \
    PART_LOAD(scratch, name, n_bytes, part, half)
#define ALL_SPACES_PART_STORE(name, n_bytes, high_half)                                                                    \
    PART_STORE(global, name, n_bytes, high_half)                                                                           \
    PART_STORE(flat, name, n_bytes, high_half)                                                                             \
    PART_STORE(scratch, name, n_bytes, high_half)

DWORD_FORMATS(ALL_SPACES_DWORD)
PART_LOADS(ALL_SPACES_PART_LOAD)
PART_STORES(ALL_SPACES_PART_STORE)

/* Buffer stores name their data first, loads their address. */
static void buffer_load_dwords(struct wave *wave, const struct instruction *in, unsigned n_dwords)
{
    struct access pieces[BUFFER_PIECES];
    unsigned n_pieces = resolve_buffer(wave, in, 0, 4 * n_dwords, ACCESS_LOAD, pieces);
    if (__builtin_expect(goes_to_lds(in), 0)) {
        load_to_lds(wave, in, (struct to_lds_format){(uint8_t)(4 * n_dwords), false}, pieces, n_pieces);
        return;
    }
    for (unsigned i = 0; i < n_pieces; i++)
        load_dwords(wave, operand_row(&in->dst[0]) + i, n_pieces == 1 ? n_dwords : 1, &pieces[i]);
}

static void buffer_store_dwords(struct wave *wave, const struct instruction *in, unsigned n_dwords)
{
    struct access pieces[BUFFER_PIECES];
    unsigned n_pieces = resolve_buffer(wave, in, 1, 4 * n_dwords, ACCESS_STORE, pieces);
    for (unsigned i = 0; i < n_pieces; i++)
        store_dwords(wave, operand_row(&in->src[0]) + i, n_pieces == 1 ? n_dwords : 1, &pieces[i]);
}

#define BUFFER_DWORD(name, n_dwords)                                                                                       \
    HANDLER(buffer_load_##name)                                                                                            \
    {                                                                                                                      \
        buffer_load_dwords(wave, in, n_dwords);                                                                            \
    }                                                                                                                      \
    HANDLER(buffer_store_##name)                                                                                           \
    {                                                                                                                      \
        buffer_store_dwords(wave, in, n_dwords);                                                                           \
    }
#define BUFFER_PART_LOAD(name, n_bytes, part, half)                                                                        \
    HANDLER(buffer_load_##name)                                                                                            \
    {                                                                                                                      \
        struct access pieces[BUFFER_PIECES];                                                                               \
        resolve_buffer(wave, in, 0, n_bytes, ACCESS_LOAD, pieces);                                                         \
        if (__builtin_expect(goes_to_lds(in), 0))                                                                          \
            load_to_lds(wave, in, (struct to_lds_format){n_bytes, is_signed(part)}, pieces, 1);                            \
        else                                                                                                               \
            load_part(wave, operand_row(&in->dst[0]), part, half, pieces);                                                 \
    }
#define BUFFER_PART_STORE(name, n_bytes, high_half)                                                                        \
    HANDLER(buffer_store_##name)                                                                                           \
    {                                                                                                                      \
        struct access pieces[BUFFER_PIECES];                                                                               \
        resolve_buffer(wave, in, 1, n_bytes, ACCESS_STORE, pieces);                                                        \
        store_part(wave, operand_row(&in->src[0]), n_bytes, high_half, pieces);                                            \
    }

DWORD_FORMATS(BUFFER_DWORD)
PART_LOADS(BUFFER_PART_LOAD)
PART_STORES(BUFFER_PART_STORE)

static void resolve_addtid(struct wave *wave, const struct instruction *in, const struct operand *base,
                           enum access_kind kind, struct access *access)
{
    uint64_t first = scalar_read64(wave, base) + (uint64_t)(int64_t)in->offset;
    for (int lane = 0; lane < WAVE_LANES; lane++)
        access->offset[lane] = first + 4 * (uint64_t)lane;
    resolve_memory(wave, exec_read(wave), 4, kind, access);
}

HANDLER(global_load_addtid_b32)
{
    struct access access;
    resolve_addtid(wave, in, &in->src[0], ACCESS_LOAD, &access);
    load_dwords(wave, operand_row(&in->dst[0]), 1, &access);
}

HANDLER(global_store_addtid_b32)
{
    struct access access;
    resolve_addtid(wave, in, &in->src[1], ACCESS_STORE, &access);
    store_dwords(wave, operand_row(&in->src[0]), 1, &access);
}

/* Dwords of memory to registers and back, one for each bit of M0 (RDNA4 ISA, GLOBAL_LOAD_BLOCK). */
enum { BLOCK_DWORDS = 32 };
#define BLOCK(space)                                                                                                       \
    HANDLER(space##_load_block)                                                                                            \
    {                                                                                                                      \
        struct instruction one = *in;                                                                                      \
        struct access access[BLOCK_DWORDS];                                                                                \
        for (unsigned i = 0; i < BLOCK_DWORDS; i++, one.offset += 4)                                                       \
            if (wave->sgpr[SREG_M0] >> i & 1)                                                                              \
                resolve_##space(wave, &one, 0, 4, ACCESS_LOAD, &access[i]);                                                \
        for (unsigned i = 0; i < BLOCK_DWORDS; i++)                                                                        \
            if (wave->sgpr[SREG_M0] >> i & 1)                                                                              \
                load_dwords(wave, operand_row(&in->dst[0]) + i, 1, &access[i]);                                            \
    }                                                                                                                      \
    HANDLER(space##_store_block)                                                                                           \
    {                                                                                                                      \
        struct instruction one = *in;                                                                                      \
        struct access access;                                                                                              \
        for (unsigned i = 0; i < BLOCK_DWORDS; i++, one.offset += 4) {                                                     \
            if (!(wave->sgpr[SREG_M0] >> i & 1))                                                                           \
                continue;                                                                                                  \
            resolve_##space(wave, &one, 0, 4, ACCESS_STORE, &access);                                                      \
            store_dwords(wave, operand_row(&in->src[1]) + i, 1, &access);                                                  \
        }                                                                                                                  \
    }
BLOCK(global)
BLOCK(scratch)

HANDLER(cache_control)
{
    (void)wave;
    (void)in;
}
