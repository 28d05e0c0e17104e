/*
 * WMMA of gfx12, 16x16: f16 and bf16 by steps of four products (dot_step_gfx12.h, fitted to a gfx1201), 8-bit floats as a
 * chain of fused multiply-adds (modelled), integers exactly. EXEC is taken to have no say (modelled); the compiler only
 * runs WMMA with all lanes on.
 */
#include "device/emulator/dot_rows.h"
#include "device/emulator/dot_special.h"
#include "device/emulator/dot_step_gfx12.h"
#include "device/emulator/matrix_registers.h"
#include "device/emulator/matrix_rule.h"
#include "device/emulator/matrix_rules.h"
#include "device/emulator/wmma.h"

enum { TILE = 16, GROUPS = WAVE_LANES / TILE };

/* Row i of A or column j of B in lane i or j of each group. 8- and 4-bit elements of wave64 go to the groups in the order
 * 0, 2, 1, 3. */
static struct matrix_layout factor_layout(const struct matrix_shape *s, unsigned run, unsigned n_groups)
{
    bool is_half = s->a_format == FACTOR_F16 || s->a_format == FACTOR_BF16;
    return (struct matrix_layout){
        .run = (uint8_t)run, .n_groups = (uint8_t)n_groups, .swapped = !is_half && n_groups == 4, .group_lanes = TILE};
}

static const struct matrix_layout result_layout = {
    .run = TILE / GROUPS, .n_groups = GROUPS, .swapped = GROUPS == 4, .group_lanes = TILE};

static unsigned result_bits(const struct matrix_shape *s)
{
    return s->result == RESULT_F16 || s->result == RESULT_BF16 ? 16 : 32;
}

/* C as [i][j], which may be an inline constant. neg_hi takes its magnitude, then neg_lo negates. */
static void read_addend(struct wave *wave, const struct operand *operand, const struct instruction *in,
                        const struct matrix_shape *s, uint32_t *c)
{
    const unsigned bits = result_bits(s);
    const uint32_t sign = s->result == RESULT_I32 ? 0 : 1u << (bits - 1);
    const uint32_t keep = in->neg_hi & 4 ? ~sign : UINT32_MAX, flip = in->neg_lo & 4 ? sign : 0;
    bool in_registers = operand->kind == OPERAND_VGPR;
    uint32_t constant = in_registers ? 0 : scalar_read32(wave, operand);
    for (unsigned at = 0; at < TILE * TILE; at++) {
        struct matrix_place place = matrix_place(&result_layout, at / TILE, 0);
        unsigned lane = place.lane + at % TILE;
        uint32_t value = in_registers ? matrix_element(wave, operand_row(operand), bits, place.element, lane) : constant;
        c[at] = (value & keep) ^ flip;
    }
}

/* All halves of a 16-bit result's registers belong to it. */
static void write_result(struct wave *wave, const struct instruction *in, const struct matrix_shape *s, const uint32_t *d)
{
    const unsigned per_register = 32 / result_bits(s);
    for (unsigned at = 0; at < TILE * TILE; at++) {
        struct matrix_place place = matrix_place(&result_layout, at / TILE, 0);
        uint32_t *word = &vgpr_row(wave, operand_row(&in->dst[0]) + place.element / per_register)[place.lane + at % TILE];
        if (per_register == 1)
            *word = d[at];
        else if (place.element % 2)
            *word = (*word & 0xffffu) | d[at] << 16;
        else
            *word = (*word & 0xffff0000u) | d[at];
    }
}

/* ---- f16 and bf16: pairs of k in one word ---- */

struct step_rule {
    struct dot_format format;
    uint8_t result;
    uint32_t saturate;
};

static inline uint32_t widen(uint8_t result, uint32_t c)
{
    return result == RESULT_F16 ? f16_to_f32_bits(c) : result == RESULT_BF16 ? c << 16 : c;
}

static uint32_t special_step(const struct step_rule *rule, const uint32_t a[2], const uint32_t b[2], uint32_t wide)
{
    unsigned class = dot_classify(rule->format, a[0], b[0]) | dot_classify(rule->format, a[1], b[1]);
    uint32_t bits = dot_special_result(class, wide);
    return rule->result == RESULT_F32 ? bits : dot_narrow_special(rule->format, bits);
}

/* Four products of one row of A with all columns; c: the row of sums. Inlined, for the loop to be compiled for the format.
 */
static inline __attribute__((always_inline)) void step_row(struct dot_format f, uint8_t result, uint32_t saturate,
                                                           const uint32_t a[2], const uint32_t *b, uint32_t *c)
{
    const int32_t least = result == RESULT_F16 ? DOT12_LEAST_F16 : DOT12_LEAST_F32;
    uint32_t next[TILE], special[TILE], any = 0;
    for (int j = 0; j < TILE; j++) {
        uint32_t wide = widen(result, c[j]);
        struct dot12_pair p = dot12_multiply(f, a[0], b[j]), q = dot12_multiply(f, a[1], b[TILE + j]);
        struct dot12_sum sum = dot12_add(f, p, q, wide, least);
        uint32_t bits = result == RESULT_F16 ? dot12_round_f16(sum, saturate) : dot12_round_f32(sum);
        next[j] = result == RESULT_BF16 ? bits >> 16 : bits;
        special[j] = dot_is_special(f, a[0], b[j], wide) | dot_is_special(f, a[1], b[TILE + j], wide);
        any |= special[j];
    }
    const struct step_rule rule = {f, result, saturate};
    for (int j = 0; any && j < TILE; j++)
        if (special[j])
            next[j] = special_step(&rule, a, (const uint32_t[]){b[j], b[TILE + j]}, widen(result, c[j]));
    memcpy(c, next, sizeof next);
}

/* a: [i][k / 2] and b: [k / 2][j] words of two factors; c: [i][j]. */
static void steps_of(const struct matrix_shape *s, uint32_t saturate, const uint32_t *a, const uint32_t *b, uint32_t *c)
{
    const int n_words = s->k / 2;
    for (int i = 0; i < s->m; i++) {
        for (int word = 0; word < n_words; word += 2) {
            const uint32_t *left = a + i * n_words + word, *right = b + word * TILE;
            if (s->result == RESULT_F16)
                step_row(dot_f16, RESULT_F16, saturate, left, right, c + i * TILE);
            else if (s->result == RESULT_BF16)
                step_row(dot12_bf16, RESULT_BF16, 0, left, right, c + i * TILE);
            else if (s->a_format == FACTOR_BF16)
                step_row(dot12_bf16, RESULT_F32, 0, left, right, c + i * TILE);
            else
                step_row(dot_f16, RESULT_F32, 0, left, right, c + i * TILE);
        }
    }
}

static void multiply_halves(const struct wave *wave, const struct matrix_shape *s, uint32_t *a, uint32_t *b, uint32_t *c)
{
    const int n_words = s->k / 2;
    for (int i = 0; i < s->m; i++)
        for (int word = 0; word < n_words; word++)
            a[i * n_words + word] = a[i * s->k + 2 * word] | a[i * s->k + 2 * word + 1] << 16;
    for (int word = 0; word < n_words; word++)
        for (int j = 0; j < TILE; j++)
            b[word * TILE + j] = b[2 * word * TILE + j] | b[(2 * word + 1) * TILE + j] << 16;
    steps_of(s, env_f16(wave).saturate, a, b, c);
}

/* ---- the IEEE model, and 8-bit floats ---- */

static void multiply_chain(const struct wave *wave, const struct matrix_shape *s, uint32_t *a, uint32_t *b, uint32_t *c)
{
    for (int at = 0; at < s->m * TILE; at++)
        c[at] = widen(s->result, c[at]);
    VARIANT(matrix_fma)
    (s, (struct matrix_factors){a, factor_formats[s->a_format], NULL},
     (struct matrix_factors){b, factor_formats[s->b_format], NULL}, c);
    for (int at = 0; at < s->m * TILE; at++) {
        if (result_bits(s) == 16)
            c[at] = dot_narrow(s->result == RESULT_BF16, env_f16(wave).saturate, c[at]);
    }
}

static void multiply(struct wave *wave, const struct instruction *in, const struct matrix_shape *s, uint32_t *a,
                     uint32_t *b, uint32_t *c)
{
    bool ieee = wave->dispatch->matrix_model == MATRIX_MODEL_IEEE;
    if (s->result == RESULT_I32)
        VARIANT(matrix_integer)(s, a, b, c, in->neg_lo & 1, in->neg_lo & 2, in->flags & FLAG_CLAMP);
    else if (!ieee && factor_bits(s->a_format) == 16)
        multiply_halves(wave, s, a, b, c);
    else
        multiply_chain(wave, s, a, b, c);
}

/* 16-bit factors: neg_lo negates the even k of what the registers hold, neg_hi the odd ones; bit 0 in A, bit 1 in B. */
static void flip_signs(const struct instruction *in, const struct matrix_shape *left, const struct matrix_shape *right,
                       uint32_t *a, uint32_t *b)
{
    if (factor_bits(left->a_format) != 16 || !((in->neg_lo | in->neg_hi) & 3))
        return;
    for (int at = 0; at < left->m * left->k; at++)
        a[at] ^= (at % left->k % 2 ? in->neg_hi : in->neg_lo) & 1 ? 0x8000u : 0;
    for (int at = 0; at < right->k * right->n; at++)
        b[at] ^= (at / right->n % 2 ? in->neg_hi : in->neg_lo) & 2 ? 0x8000u : 0;
}

static void wmma12(struct wave *wave, const struct instruction *in, const struct matrix_shape *s, unsigned run,
                   unsigned n_groups)
{
    uint32_t a[MATRIX_FACTORS], b[MATRIX_FACTORS], c[TILE * TILE];
    const struct matrix_layout layout = factor_layout(s, run, n_groups);
    const struct matrix_source left = {operand_row(&in->src[0]), factor_bits(s->a_format), layout};
    const struct matrix_source right = {operand_row(&in->src[1]), factor_bits(s->b_format), layout};
    matrix_read_left(wave, s, &left, 0, a);
    matrix_read_right(wave, s, &right, 0, NULL, b);
    flip_signs(in, s, s, a, b);
    read_addend(wave, &in->src[2], in, s, c);
    multiply(wave, in, s, a, b, c);
    write_result(wave, in, s, c);
}

/* ---- sparse A: C is D ---- */

/* Which bits of src[2] hold the indices of n_elements kept factors: index_key counts such sets. */
static unsigned first_index_bit(const struct instruction *in, unsigned n_elements)
{
    return in->index_key * 2u * n_elements % 32;
}

/* Steps of four kept products, in rising k (modelled). */
static void swmmac12(struct wave *wave, const struct instruction *in, const struct matrix_shape *dense, unsigned run,
                     unsigned a_groups, unsigned b_run, unsigned b_groups)
{
    uint32_t a[MATRIX_FACTORS], b[MATRIX_FACTORS], c[TILE * TILE], picked[MATRIX_FACTORS];
    uint8_t kept[MATRIX_FACTORS];
    struct matrix_shape s = *dense;
    s.k /= 2;
    const struct matrix_source left = {operand_row(&in->src[0]), factor_bits(s.a_format), factor_layout(&s, run, a_groups)};
    const struct matrix_source right = {operand_row(&in->src[1]), factor_bits(s.b_format),
                                        factor_layout(&s, b_run, b_groups)};
    LANES32(index, 2);
    struct instruction plain = *in;
    matrix_read_left(wave, &s, &left, 0, a);
    matrix_read_right(wave, dense, &right, 0, NULL, b);
    matrix_read_kept(&s, &left, index, first_index_bit(in, s.k / a_groups), kept);
    flip_signs(in, &s, dense, a, b);
    plain.neg_hi &= 3;
    plain.neg_lo &= 3;
    read_addend(wave, &in->dst[0], &plain, &s, c);
    s.m = 1;
    for (unsigned i = 0; i < TILE; i++) {
        matrix_pick_rows(&s, kept + i * s.k, b, picked);
        multiply(wave, &plain, &s, a + i * s.k, picked, c + i * TILE);
    }
    write_result(wave, in, dense, c);
}

#define SWMMAC12(name, k, a, b, result, run32, run64, a_groups64, b_run32, b_run64)                                        \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        static const struct matrix_shape shape = {TILE, TILE, k, 1, a, b, result, 0};                                      \
        if (WAVE_LANES == 64)                                                                                              \
            swmmac12(wave, in, &shape, run64, a_groups64, b_run64, 4);                                                     \
        else                                                                                                               \
            swmmac12(wave, in, &shape, run32, 2, b_run32, 2);                                                              \
    }

#define WMMA12(name, k, a, b, result, run32, run64, groups64)                                                              \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        static const struct matrix_shape shape = {TILE, TILE, k, 1, a, b, result, 0};                                      \
        wmma12(wave, in, &shape, WAVE_LANES == 64 ? run64 : run32, WAVE_LANES == 64 ? groups64 : 2);                       \
    }
#include "device/emulator/wmma12_shapes.def"
