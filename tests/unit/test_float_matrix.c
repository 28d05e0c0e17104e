/*
 * WMMA of gfx11, every form on both wave sizes, against its definition: elements found through the published layouts,
 * summed by the second model of the dot step, in rising k. A transposed operand, a wrong copy, a wrong order or a sign that
 * lands on the wrong half fails here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "contract/base/random.h"
#include "tests/support/dot_truth.h"
#include "tests/support/float_truth.h"
#include "tests/support/lane_op.h"

enum { TILE = 16, ROW_A = 32, ROW_B = 48, ROW_C = 64, ROW_D = 80, MATRIX_ROWS = 8 };
enum element { F16, BF16, F32, INTEGER };

struct place {
    int row, lane, bit;
};

typedef struct place locate(int i, int j, int k, int h);

struct matrix {
    const char *mnemonic;
    uint32_t n_lanes;
    enum element factor;
    int factor_bits;
    enum element result;
    int result_bits;
    locate *a, *b, *d;
};

#define NAME_(prefix, counter) prefix##counter
#define NAME(prefix, counter)  NAME_(prefix, counter)
#define LOCATE(name, row, lane, bit)                                                                                       \
    static struct place name(int i, int j, int k, int h)                                                                   \
    {                                                                                                                      \
        (void)i, (void)j, (void)k, (void)h;                                                                                \
        return (struct place){row, lane, bit};                                                                             \
    }
#define MATRIX(mnemonic, lanes, factor, factor_bits, result, result_bits, ar, al, ab, br, bl, bb, dr, dl, db)              \
    LOCATE(NAME(locate_a_, __LINE__), ar, al, ab)                                                                          \
    LOCATE(NAME(locate_b_, __LINE__), br, bl, bb)                                                                          \
    LOCATE(NAME(locate_d_, __LINE__), dr, dl, db)
#include "tests/support/matrix_layouts.def"
#undef MATRIX

static const struct matrix matrices[] = {
#define MATRIX(mnemonic, lanes, factor, factor_bits, result, result_bits, ...)                                             \
    {mnemonic,                                                                                                             \
     lanes,                                                                                                                \
     factor,                                                                                                               \
     factor_bits,                                                                                                          \
     result,                                                                                                               \
     result_bits,                                                                                                          \
     NAME(locate_a_, __LINE__),                                                                                            \
     NAME(locate_b_, __LINE__),                                                                                            \
     NAME(locate_d_, __LINE__)},
#include "tests/support/matrix_layouts.def"
#undef MATRIX
};

static uint32_t fetch(struct lane_op *op, int first_row, struct place place, int bits)
{
    uint32_t word = lane_op_row(op, (unsigned)(first_row + place.row))[place.lane] >> place.bit;
    return bits == 32 ? word : word & ((1u << bits) - 1);
}

static int64_t as_integer(uint32_t field, int bits, bool is_signed)
{
    return is_signed && field >> (bits - 1) ? (int64_t)field - (INT64_C(1) << bits) : (int64_t)field;
}

/* D[i][j] from the registers as they are. */
static uint32_t integer_truth(const struct matrix *m, struct lane_op *op, int i, int j, struct place d)
{
    bool a_signed = op->instruction.neg_lo & 1, b_signed = op->instruction.neg_lo & 2;
    int copy = d.lane / TILE * TILE;
    int64_t sum = (int32_t)fetch(op, ROW_C, d, 32);
    for (int k = 0; k < TILE; k++) {
        struct place a = m->a(i, j, k, 0), b = m->b(i, j, k, 0);
        a.lane += copy;
        b.lane += copy;
        sum += as_integer(fetch(op, ROW_A, a, m->factor_bits), m->factor_bits, a_signed) *
               as_integer(fetch(op, ROW_B, b, m->factor_bits), m->factor_bits, b_signed);
    }
    if (op->instruction.flags & FLAG_CLAMP)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)sum;
}

static uint16_t factor_of(struct lane_op *op, int first_row, struct place place, int copy, int source, int k)
{
    place.lane += copy;
    unsigned negate = k % 2 ? op->instruction.neg_hi : op->instruction.neg_lo;
    return (uint16_t)(fetch(op, first_row, place, 16) ^ (negate >> source & 1 ? 0x8000u : 0));
}

static uint32_t float_truth(const struct matrix *m, struct lane_op *op, int i, int j, struct place d)
{
    enum dot_truth_result kind = m->result == F32 ? DOT_TRUTH_F32 : m->result == F16 ? DOT_TRUTH_F16 : DOT_TRUTH_BF16;
    uint32_t sign = 1u << (m->result_bits - 1), acc = fetch(op, ROW_C, d, m->result_bits);
    int copy = d.lane / TILE * TILE;
    acc = op->instruction.neg_hi & 4 ? acc & ~sign : acc;
    acc = op->instruction.neg_lo & 4 ? acc ^ sign : acc;
    for (int k = 0; k < TILE; k += 2) {
        uint16_t a[2], b[2];
        for (int half = 0; half < 2; half++) {
            a[half] = factor_of(op, ROW_A, m->a(i, j, k + half, 0), copy, 0, k + half);
            b[half] = factor_of(op, ROW_B, m->b(i, j, k + half, 0), copy, 1, k + half);
        }
        acc = dot_truth_step(m->factor == BF16, kind, a, b, acc);
    }
    return acc;
}

static uint32_t random_word(const struct truth_format *format, uint64_t random, uint64_t choice)
{
    uint64_t near_one = choice % 8 ? (choice & ~UINT64_C(15)) | 7 : choice;
    uint64_t low = truth_interesting(format, random, near_one),
             high = truth_interesting(format, random >> 7, near_one >> 5);
    return (uint32_t)(format->bits == 16 ? low | high << 16 : low);
}

/* specials: whether infinities and NaNs may come too; they make most sums special, so not always. */
static void fill(struct lane_op *op, const struct matrix *m, struct random_key key, bool specials)
{
    const struct truth_format *factor = m->factor == BF16 ? &truth_bf16 : &truth_f16;
    const struct truth_format *result = m->result == F16 ? &truth_f16 : m->result == BF16 ? &truth_bf16 : &truth_f32;
    for (unsigned row = ROW_A; row < ROW_D + MATRIX_ROWS; row++) {
        for (unsigned lane = 0; lane < op->wave.n_lanes; lane++) {
            uint64_t random = random_bits(key, 2 * (row * 64 + lane)), choice = random_bits(key, 2 * (row * 64 + lane) + 1);
            if (!specials)
                choice |= 7;
            lane_op_row(op, row)[lane] = m->factor == INTEGER ? (uint32_t)random
                                         : row < ROW_C        ? random_word(factor, random, choice)
                                                              : random_word(result, random, choice);
        }
    }
}

static void check(const struct matrix *m, struct random_key key, unsigned neg_lo, unsigned neg_hi, unsigned op_sel,
                  unsigned flags, bool specials)
{
    struct lane_op *op = lane_op_open(m->mnemonic, m->n_lanes, LANE_OP_PLAIN_MODE);
    assert_non_null(op);
    struct instruction *in = &op->instruction;
    const uint16_t rows[] = {ROW_A, ROW_B, ROW_C};
    for (int k = 0; k < 3; k++)
        in->src[k].index = rows[k];
    in->dst[0].index = ROW_D;
    in->neg_lo = (uint8_t)neg_lo;
    in->neg_hi = (uint8_t)neg_hi;
    in->op_sel = (uint8_t)op_sel;
    in->flags = flags;
    fill(op, m, key, specials);
    static uint32_t before[MATRIX_ROWS][64];
    for (unsigned row = 0; row < MATRIX_ROWS; row++)
        memcpy(before[row], lane_op_row(op, ROW_D + row), m->n_lanes * 4);
    in->run(&op->wave, in);
    for (int i = 0; i < TILE; i++) {
        for (int j = 0; j < TILE; j++) {
            struct place d = m->d(i, j, 0, op_sel >> 2);
            uint32_t truth = m->factor == INTEGER ? integer_truth(m, op, i, j, d) : float_truth(m, op, i, j, d);
            uint32_t got = fetch(op, ROW_D, d, m->result_bits);
            if (got != truth)
                fail_msg("%s wave%u D[%d][%d] is %08x, not %08x", m->mnemonic, m->n_lanes, i, j, got, truth);
            struct place other = {d.row, d.lane, 16 - d.bit};
            if (m->result_bits == 16)
                assert_int_equal(fetch(op, ROW_D, other, 16), before[d.row][d.lane] >> other.bit & 0xffff);
        }
    }
    lane_op_close(op);
}

static void products_match_their_definition(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof matrices / sizeof *matrices; n++) {
        const struct matrix *m = &matrices[n];
        for (unsigned run = 0; run < 6; run++) {
            struct random_key key = random_key_for(run, m->mnemonic);
            unsigned neg_lo = (unsigned)random_below(key, 1000000, m->factor == INTEGER ? 4 : 8);
            unsigned neg_hi = m->factor == INTEGER ? 0 : (unsigned)random_below(key, 1000001, 8);
            unsigned op_sel = m->result_bits == 16 ? run % 2 * 4 : 0,
                     flags = m->factor == INTEGER && run % 2 ? FLAG_CLAMP : 0;
            check(m, key, run ? neg_lo : 0, run ? neg_hi : 0, op_sel, flags, run % 3 == 2);
        }
    }
}

/* The compiler accumulates in place. */
static void destination_may_be_the_addend(void **state)
{
    (void)state;
    struct lane_op *op = lane_op_open("v_wmma_f32_16x16x16_f16", 32, LANE_OP_PLAIN_MODE);
    struct instruction *in = &op->instruction;
    const uint16_t rows[] = {ROW_A, ROW_B, ROW_C};
    for (int k = 0; k < 3; k++)
        in->src[k].index = rows[k];
    in->dst[0].index = ROW_C;
    for (unsigned row = ROW_A; row < ROW_C; row++)
        for (unsigned lane = 0; lane < 32; lane++)
            lane_op_row(op, row)[lane] = 0x3c003c00; /* ones */
    for (unsigned row = ROW_C; row < ROW_C + MATRIX_ROWS; row++)
        for (unsigned lane = 0; lane < 32; lane++)
            lane_op_row(op, row)[lane] = 0x40a00000; /* 5 */
    in->run(&op->wave, in);
    for (unsigned row = ROW_C; row < ROW_C + MATRIX_ROWS; row++)
        for (unsigned lane = 0; lane < 32; lane++)
            assert_int_equal(lane_op_row(op, row)[lane], 0x41a80000); /* 21 */
    lane_op_close(op);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_match_their_definition),
        cmocka_unit_test(destination_may_be_the_addend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
