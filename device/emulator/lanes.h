/*
 * What every handler uses: the lanes of a source, the place for a result, and the blend under the exec mask. Files under
 * ops/ are compiled once for each wave size and host instruction set: WAVE_LANES (32 or 64) is a constant there, so
 * that loops over lanes have a constant length and vectorise; HANDLER_SUFFIX tells the builds apart.
 *
 * A vector handler reads like this:
 *
 *     HANDLER(add_u32)
 *     {
 *         LANES32(a, 0);            // const uint32_t *a: the lanes of source 0, modifiers and DPP applied
 *         LANES32(b, 1);
 *         RESULT32(d);              // uint32_t *d: where the result goes (the row itself when every lane is on)
 *         EACH_LANE d[lane] = a[lane] + b[lane];
 *         commit32(wave, in, d);    // blend under exec, half, SDWA and DPP masks
 *     }
 *
 * Lanes that are off are computed too and dropped, so a handler's loop must not trap, write memory or index by their
 * values.
 */
#ifndef EMULATOR_LANES_H
#define EMULATOR_LANES_H

#ifndef WAVE_LANES
#error "files under ops/ are compiled with -DWAVE_LANES=32 or 64 and -DHANDLER_SUFFIX=…"
#endif

#include <stdalign.h>
#include <stdint.h>
#include <string.h>

#include "device/emulator/wave.h"

#define LANES_PASTE_(a, b) a##b
#define LANES_PASTE(a, b)  LANES_PASTE_(a, b)
/* A name that differs between builds; also for helpers with external linkage under ops/. */
#define VARIANT(name)      LANES_PASTE(name, HANDLER_SUFFIX)
#define HANDLER_NAME(name) VARIANT(LANES_PASTE_(op_, name))
#define HANDLER(name)      void HANDLER_NAME(name)(struct wave * wave, const struct instruction *in)

/* Declares every handler of the opcode table. */
#define OP(mnemonic, class, signature, name) HANDLER(name);
#include "device/emulator/opcodes.def"
#undef OP

#define EACH_LANE _Pragma("GCC ivdep") for (int lane = 0; lane < WAVE_LANES; lane++)

#define LANE_ARRAY32(name) alignas(64) uint32_t name[WAVE_LANES]
#define LANE_ARRAY64(name) alignas(64) uint64_t name[WAVE_LANES]

static inline uint32_t *vgpr_row(const struct wave *wave, unsigned row)
{
    return __builtin_assume_aligned(wave->vgpr + (size_t)row * WAVE_LANES, 64);
}

/* n_bits, at most 32, of one lane of consecutive rows, from bit `first` on. */
static inline uint32_t lane_field(const uint32_t (*rows)[WAVE_LANES], unsigned lane, unsigned first, unsigned n_bits)
{
    const unsigned row = first / 32, shift = first % 32;
    uint64_t word = rows[row][lane];
    if (shift + n_bits > 32)
        word |= (uint64_t)rows[row + 1][lane] << 32;
    return (uint32_t)(word >> shift) & (UINT32_MAX >> (32 - n_bits));
}

/* Where the bits are zeros so far; value has no others. */
static inline void lane_field_put(uint32_t (*rows)[WAVE_LANES], unsigned lane, unsigned first, unsigned n_bits,
                                  uint32_t value)
{
    const unsigned row = first / 32, shift = first % 32;
    rows[row][lane] |= value << shift;
    if (shift + n_bits > 32)
        rows[row + 1][lane] |= value >> (32 - shift);
}

static inline unsigned operand_row(const struct operand *operand)
{
    return operand->index + (operand->kind == OPERAND_AGPR ? (unsigned)AGPR_FIRST_ROW : 0u);
}

/* Slow paths, in ops/source.c: DPP of source 0, SDWA, halves and modifiers. */
const uint32_t *VARIANT(source32_slow)(struct wave *wave, const struct instruction *in, int k, uint32_t *scratch);
/* The lanes of a 64-bit source with f64 neg/abs, always in scratch. DPP of 64-bit sources included. */
void VARIANT(source64_fill)(struct wave *wave, const struct instruction *in, int k, uint64_t *scratch);
/* Lanes that an instruction may write: exec, less those that DPP masks off or gives no source. */
uint64_t VARIANT(dpp_write_mask)(struct wave *wave, const struct instruction *in);
/* Blends a result into half a register, an SDWA selection, or under a DPP mask. */
void VARIANT(commit32_slow)(struct wave *wave, const struct instruction *in, const uint32_t *result);

/* In scalar.c. A scalar operand's bits: SGPR, constant or special register (source k of a scalar instruction, or a
 * broadcast). */
uint32_t VARIANT(scalar_read_slow)(struct wave *wave, const struct operand *operand);
uint64_t VARIANT(scalar_read64)(struct wave *wave, const struct operand *operand);

static inline uint32_t scalar_read32(struct wave *wave, const struct operand *operand)
{
    if (operand->kind == OPERAND_SCALAR)
        return wave->sgpr[operand->index];
    if (operand->kind == OPERAND_CONSTANT)
        return (uint32_t)operand->constant;
    return VARIANT(scalar_read_slow)(wave, operand);
}

static inline uint64_t scalar_read64(struct wave *wave, const struct operand *operand)
{
    if (operand->kind == OPERAND_SCALAR) {
        uint64_t value;
        memcpy(&value, &wave->sgpr[operand->index], 8);
        return value;
    }
    if (operand->kind == OPERAND_CONSTANT)
        return operand->constant;
    return VARIANT(scalar_read64)(wave, operand);
}

static inline void scalar_write32(struct wave *wave, const struct operand *operand, uint32_t value)
{
    if (operand->kind == OPERAND_SCALAR)
        wave->sgpr[operand->index] = value;
}

static inline void scalar_write64(struct wave *wave, const struct operand *operand, uint64_t value)
{
    if (operand->kind == OPERAND_SCALAR)
        memcpy(&wave->sgpr[operand->index], &value, 8);
}

/* Lane masks (VCC, EXEC, or SGPRs): one register on wave32, two on wave64. */
static inline uint64_t mask_read(struct wave *wave, const struct operand *operand)
{
    return WAVE_LANES == 64 ? scalar_read64(wave, operand) : scalar_read32(wave, operand);
}

static inline void mask_write(struct wave *wave, const struct operand *operand, uint64_t mask)
{
    if (WAVE_LANES == 64)
        scalar_write64(wave, operand, mask);
    else
        scalar_write32(wave, operand, (uint32_t)mask);
}

static inline uint64_t vcc_read(const struct wave *wave)
{
    return WAVE_LANES == 64 ? wave->vcc : wave->vcc & 0xffffffffu;
}

static inline uint64_t exec_read(const struct wave *wave)
{
    return WAVE_LANES == 64 ? wave->exec : wave->exec & 0xffffffffu;
}

/* Bit i of a word: what turns lane masks into words and back by an AND, which vectorises on every host. */
static const uint32_t lane_bits[32] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
    1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
    1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
};

/* All ones in words[lane] where the mask has the lane, else 0. */
static inline void lanes_of_mask(uint64_t mask, uint32_t *words)
{
    for (int first = 0; first < WAVE_LANES; first += 32) {
        uint32_t bits = (uint32_t)(mask >> first);
        for (int i = 0; i < 32; i++)
            words[first + i] = (bits & lane_bits[i]) ? UINT32_MAX : 0;
    }
}

/* The mask of the lanes whose word is not 0; words are all ones or 0. */
static inline uint64_t mask_of_lanes(const uint32_t *words)
{
    uint64_t mask = 0;
    for (int first = 0; first < WAVE_LANES; first += 32) {
        uint32_t bits = 0;
        for (int i = 0; i < 32; i++)
            bits |= words[first + i] & lane_bits[i];
        mask |= (uint64_t)bits << first;
    }
    return mask;
}

/* All ones in lane_mask[lane] where exec has the lane. */
static inline const uint32_t *exec_lanes(struct wave *wave)
{
    uint64_t exec = exec_read(wave);
    if (exec != wave->lane_mask_exec) {
        lanes_of_mask(exec, wave->lane_mask);
        wave->lane_mask_exec = exec;
    }
    return wave->lane_mask;
}

/* Whether an operand holds one 16-bit value, of any kind. */
static inline bool is_16_bits(const struct operand *operand)
{
    const uint32_t types = 1u << TYPE_B16 | 1u << TYPE_I16 | 1u << TYPE_U16 | 1u << TYPE_F16 | 1u << TYPE_BF16;
    return types >> operand->type & 1;
}

/* The lanes of source k as 32-bit values. 16-bit types come zero-extended in the low half. */
static inline const uint32_t *source32(struct wave *wave, const struct instruction *in, int k, uint32_t *scratch)
{
    const struct operand *operand = &in->src[k];
    if (__builtin_expect(in->plain >> k & 1, 1))
        return vgpr_row(wave, in->plain_row[k]);
    if (operand->modifiers | operand->half | operand->sdwa_select | in->form)
        return VARIANT(source32_slow)(wave, in, k, scratch);
    if (operand->kind <= OPERAND_AGPR && operand->kind != OPERAND_NONE)
        return vgpr_row(wave, operand_row(operand));
    uint32_t value = scalar_read32(wave, operand) & (is_16_bits(operand) ? 0xffffu : UINT32_MAX);
    for (int lane = 0; lane < WAVE_LANES; lane++)
        scratch[lane] = value;
    return scratch;
}

#define LANES32(name, k)                                                                                                   \
    LANE_ARRAY32(name##_scratch);                                                                                          \
    const uint32_t *name = __builtin_assume_aligned(source32(wave, in, (k), name##_scratch), 64)

#define LANES64(name, k)                                                                                                   \
    LANE_ARRAY64(name);                                                                                                    \
    VARIANT(source64_fill)(wave, in, (k), name)

/* Whether dst[0] can be written in place: every lane on, no half, no DPP or SDWA. */
static inline bool writes_whole_row(const struct wave *wave, const struct instruction *in)
{
    return exec_read(wave) == wave->full_exec && (in->plain & PLAIN_RESULT);
}

static inline uint32_t *result32(struct wave *wave, const struct instruction *in, uint32_t *scratch)
{
    return writes_whole_row(wave, in) ? vgpr_row(wave, operand_row(&in->dst[0])) : scratch;
}

/* The row itself or scratch; sources of the same instruction may lie in the same row, lane by lane. A handler that reads
 * other lanes than the one it writes must compute into an array of its own. */
#define RESULT32(name)                                                                                                     \
    LANE_ARRAY32(name##_scratch);                                                                                          \
    uint32_t *name = __builtin_assume_aligned(result32(wave, in, name##_scratch), 64)

/* Puts a row of results in place under a lane mask given as all-ones words. */
static inline void blend32(uint32_t *row, const uint32_t *result, const uint32_t *lanes)
{
    EACH_LANE row[lane] = (result[lane] & lanes[lane]) | (row[lane] & ~lanes[lane]);
}

static inline void commit32(struct wave *wave, const struct instruction *in, const uint32_t *result)
{
    if (in->dst[0].half | in->form) {
        VARIANT(commit32_slow)(wave, in, result);
        return;
    }
    uint32_t *row = vgpr_row(wave, operand_row(&in->dst[0]));
    if (row != result)
        blend32(row, result, exec_lanes(wave));
}

/* A row result for any register (second destinations, wide results): the given row under exec, whole registers only. */
static inline void commit_row(struct wave *wave, unsigned row, const uint32_t *result)
{
    blend32(vgpr_row(wave, row), result, exec_lanes(wave));
}

/* 64-bit results: low halves to dst[0]'s first register, high halves to the next. */
static inline void commit64(struct wave *wave, const struct instruction *in, const uint64_t *result)
{
    LANE_ARRAY32(low);
    LANE_ARRAY32(high);
    EACH_LANE low[lane] = (uint32_t)result[lane];
    EACH_LANE high[lane] = (uint32_t)(result[lane] >> 32);
    const uint32_t *lanes = exec_lanes(wave);
    LANE_ARRAY32(dpp_lanes);
    if (in->form) {
        lanes_of_mask(VARIANT(dpp_write_mask)(wave, in), dpp_lanes);
        lanes = dpp_lanes;
    }
    unsigned row = operand_row(&in->dst[0]);
    blend32(vgpr_row(wave, row), low, lanes);
    blend32(vgpr_row(wave, row + 1), high, lanes);
}

static inline float bits_f32(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

static inline uint32_t f32_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

static inline double bits_f64(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, 8);
    return value;
}

static inline uint64_t f64_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, 8);
    return bits;
}

#endif
