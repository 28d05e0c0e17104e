/*
 * WMMA of gfx11, 16x16x16 (RDNA3.5 ISA, VOP3P; layouts from AMD's matrix instruction calculator 1.3.2, numerics in
 * dot_step.h): D[i][j] = C[i][j] + sum over k of A[i][k] * B[k][j], pairs of k in rising order, each pair one dot step.
 *
 * Row i of A and column j of B lie in lane i or j of each group of 16 lanes, their elements of rising k packed into
 * consecutive registers. Element (i, j) of C and D lies in register i / groups, lane 16 * (i % groups) + j, where groups =
 * lanes / 16; the lane uses the copies of A and B in its own group.
 *
 * EXEC is taken to have no say (modelled); the compiler only runs WMMA with all lanes on.
 */
#include "device/emulator/dot_rows.h"
#include "device/emulator/wmma.h"

enum { TILE = 16, GROUPS = WAVE_LANES / TILE, ROWS = TILE / GROUPS, MAX_OPERAND_ROWS = 8 };

/* A matrix operand read before anything is written: D may be the registers of a source. */
struct operand_rows {
    alignas(64) uint32_t row[MAX_OPERAND_ROWS][WAVE_LANES];
};

/* neg_lo negates the elements in bits 15:0 of each register, neg_hi those above. */
static void read_factor(struct wave *wave, const struct instruction *in, int k, int n_rows, struct operand_rows *rows)
{
    uint32_t flip = (in->neg_lo >> k & 1 ? 0x8000u : 0) | (in->neg_hi >> k & 1 ? 0x80000000u : 0);
    unsigned first = operand_row(&in->src[k]);
    for (int r = 0; r < n_rows; r++) {
        const uint32_t *source = vgpr_row(wave, first + (unsigned)r);
        EACH_LANE rows->row[r][lane] = source[lane] ^ flip;
    }
}

/* C, which may be an inline constant; sign: the sign bit of its format. abs before neg. */
static void read_addend(struct wave *wave, const struct instruction *in, uint32_t sign, unsigned shift,
                        struct operand_rows *rows)
{
    const struct operand *c = &in->src[2];
    bool in_registers = c->kind == OPERAND_VGPR || c->kind == OPERAND_AGPR;
    uint32_t keep = in->neg_hi & 4 ? ~sign : UINT32_MAX, flip = in->neg_lo & 4 ? sign : 0;
    uint32_t constant = in_registers ? 0 : scalar_read32(wave, c);
    for (int r = 0; r < ROWS; r++) {
        const uint32_t *source = in_registers ? vgpr_row(wave, operand_row(c) + (unsigned)r) : NULL;
        EACH_LANE rows->row[r][lane] = (((source ? source[lane] >> shift : constant) & keep) ^ flip);
    }
}

/* A's rows as the lanes of D's register r need them: lane L takes lane 16 * (L / 16) + i of its group. */
static void spread_rows(const uint32_t *a, int r, uint32_t *lanes)
{
    for (int group = 0; group < GROUPS; group++) {
        uint32_t value = a[TILE * group + r * GROUPS + group];
        for (int lane = 0; lane < TILE; lane++)
            lanes[TILE * group + lane] = value;
    }
}

/* All eight steps of every register of D, into acc. */
static void multiply_tiles(const struct operand_rows *a, const struct operand_rows *b, dot_rows_function *step,
                           struct operand_rows *acc)
{
    for (int r = 0; r < ROWS; r++) {
        LANE_ARRAY32(factor);
        LANE_ARRAY32(next);
        for (int pair = 0; pair < TILE / 2; pair++) {
            spread_rows(a->row[pair], r, factor);
            step(factor, b->row[pair], acc->row[r], next);
            memcpy(acc->row[r], next, sizeof next);
        }
    }
}

static void write_result(struct wave *wave, const struct instruction *in, const struct operand_rows *result)
{
    for (int r = 0; r < ROWS; r++)
        memcpy(vgpr_row(wave, operand_row(&in->dst[0]) + (unsigned)r), result->row[r], sizeof result->row[r]);
}

static bool is_ieee(const struct wave *wave)
{
    return dot_rule(wave) == DOT_RULE_IEEE;
}

static void wmma_f32(struct wave *wave, const struct instruction *in, dot_rows_function *step)
{
    struct operand_rows a, b, acc;
    read_factor(wave, in, 0, TILE / 2, &a);
    read_factor(wave, in, 1, TILE / 2, &b);
    read_addend(wave, in, 0x80000000u, 0, &acc);
    multiply_tiles(&a, &b, step, &acc);
    write_result(wave, in, &acc);
}

HANDLER(wmma11_f32_16x16x16_f16)
{
    wmma_f32(wave, in, is_ieee(wave) ? VARIANT(dot_ieee_rows_f16) : VARIANT(dot_rows_f16));
}

HANDLER(wmma11_f32_16x16x16_bf16)
{
    wmma_f32(wave, in, is_ieee(wave) ? VARIANT(dot_ieee_rows_bf16) : VARIANT(dot_rows_bf16));
}

static void step_f16(const uint32_t *a, const uint32_t *b, const uint32_t *acc, uint32_t *r)
{
    VARIANT(dot_rows_f16_f16)(a, b, acc, r, false);
}

static void step_f16_saturating(const uint32_t *a, const uint32_t *b, const uint32_t *acc, uint32_t *r)
{
    VARIANT(dot_rows_f16_f16)(a, b, acc, r, true);
}

/* The IEEE model: one chain in f32, rounded at its end. */
static void multiply_in_f32(bool is_bf16, bool saturate, const struct operand_rows *a, const struct operand_rows *b,
                            struct operand_rows *acc)
{
    for (int r = 0; r < ROWS; r++)
        EACH_LANE acc->row[r][lane] = is_bf16 ? acc->row[r][lane] << 16 : f16_to_f32_bits(acc->row[r][lane]);
    multiply_tiles(a, b, is_bf16 ? VARIANT(dot_ieee_rows_bf16) : VARIANT(dot_ieee_rows_f16), acc);
    for (int r = 0; r < ROWS; r++)
        EACH_LANE acc->row[r][lane] = dot_narrow(is_bf16, saturate, acc->row[r][lane]);
}

/* op_sel[2] picks the half of C and D; D's other half stays. */
static void wmma_16_bits(struct wave *wave, const struct instruction *in, bool is_bf16, dot_rows_function *step)
{
    struct operand_rows a, b, acc;
    const unsigned shift = in->op_sel & 4 ? 16 : 0;
    read_factor(wave, in, 0, TILE / 2, &a);
    read_factor(wave, in, 1, TILE / 2, &b);
    read_addend(wave, in, 0x8000u, shift, &acc);
    for (int r = 0; r < ROWS; r++)
        EACH_LANE acc.row[r][lane] &= 0xffffu;
    if (is_ieee(wave))
        multiply_in_f32(is_bf16, env_f16(wave).saturate, &a, &b, &acc);
    else
        multiply_tiles(&a, &b, step, &acc);
    for (int r = 0; r < ROWS; r++) {
        uint32_t *row = vgpr_row(wave, operand_row(&in->dst[0]) + (unsigned)r);
        EACH_LANE row[lane] = (row[lane] & ~(0xffffu << shift)) | acc.row[r][lane] << shift;
    }
}

HANDLER(wmma11_f16_16x16x16_f16)
{
    wmma_16_bits(wave, in, false, env_f16(wave).saturate ? step_f16_saturating : step_f16);
}

HANDLER(wmma11_bf16_16x16x16_bf16)
{
    wmma_16_bits(wave, in, true, VARIANT(dot_rows_bf16_bf16));
}

/* iu8 and iu4: exact sums; neg_lo[0] and [1] make A and B signed; clamp saturates once. */

static inline int32_t element(uint32_t word, int bits, int index, bool is_signed)
{
    uint32_t top = word << (32 - bits * (index + 1));
    return is_signed ? (int32_t)top >> (32 - bits) : (int32_t)(top >> (32 - bits));
}

static int32_t dot_word(uint32_t a, uint32_t b, int bits, bool a_signed, bool b_signed)
{
    int32_t sum = 0;
    for (int k = 0; k < 32 / bits; k++)
        sum += element(a, bits, k, a_signed) * element(b, bits, k, b_signed);
    return sum;
}

static void wmma_integer(struct wave *wave, const struct instruction *in, int bits)
{
    struct operand_rows a, b, acc;
    const int n_rows = TILE * bits / 32;
    const bool a_signed = in->neg_lo & 1, b_signed = in->neg_lo & 2, clamp = in->flags & FLAG_CLAMP;
    const unsigned first_a = operand_row(&in->src[0]), first_b = operand_row(&in->src[1]);
    for (int r = 0; r < n_rows; r++) {
        memcpy(a.row[r], vgpr_row(wave, first_a + (unsigned)r), sizeof a.row[r]);
        memcpy(b.row[r], vgpr_row(wave, first_b + (unsigned)r), sizeof b.row[r]);
    }
    read_addend(wave, in, 0, 0, &acc);
    for (int r = 0; r < ROWS; r++) {
        for (int lane = 0; lane < WAVE_LANES; lane++) {
            int row_lane = lane / TILE * TILE + r * GROUPS + lane / TILE;
            int64_t sum = (int32_t)acc.row[r][lane];
            for (int word = 0; word < n_rows; word++)
                sum += dot_word(a.row[word][row_lane], b.row[word][lane], bits, a_signed, b_signed);
            int64_t clamped = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
            acc.row[r][lane] = (uint32_t)(clamp ? clamped : sum);
        }
    }
    write_result(wave, in, &acc);
}

HANDLER(wmma11_i32_16x16x16_iu8)
{
    wmma_integer(wave, in, 8);
}

HANDLER(wmma11_i32_16x16x16_iu4)
{
    wmma_integer(wave, in, 4);
}
