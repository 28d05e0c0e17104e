/*
 * Sparse matrix products: every form against its definition, elements and indices found through the published layouts.
 * Factors are small integers, so every order of additions gives the same sum.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "contract/base/random.h"
#include "reference/format.h"
#include "tests/support/lane_op.h"
#include "tests/support/matrix_truth.h"
#include "tests/support/wave_runner.h"

enum { ROW_A = 32, ROW_B = 48, ROW_INDEX = 64, ROW_D = 96, END_ROW = 112, ADDEND = 7 };

struct place {
    int row, lane, bit;
};

typedef struct place locate(int i, int j, int k, int s);

struct sparse {
    const char *chip, *mnemonic;
    uint32_t n_lanes;
    int m, k;
    enum matrix_type a, b, result;
    locate *locate_a, *locate_index, *locate_b, *locate_d;
};

#define NAME_(prefix, counter)      prefix##counter
#define NAME(prefix, counter)       NAME_(prefix, counter)
#define UNWRAP(...)                 __VA_ARGS__
#define LOCATE_AT(name, at)         LOCATE_ARGUMENTS(name, UNWRAP at)
#define LOCATE_ARGUMENTS(name, ...) LOCATE(name, __VA_ARGS__)
#define LOCATE(name, row, lane, bit)                                                                                       \
    static struct place name(int i, int j, int k, int s)                                                                   \
    {                                                                                                                      \
        (void)i, (void)j, (void)k, (void)s;                                                                                \
        return (struct place){row, lane, bit};                                                                             \
    }
#define SPARSE(chip, mnemonic, lanes, m, kk, a, b, d, a_at, index_at, b_at, d_at)                                          \
    LOCATE_AT(NAME(locate_a_, __LINE__), a_at)                                                                             \
    LOCATE_AT(NAME(locate_index_, __LINE__), index_at)                                                                     \
    LOCATE_AT(NAME(locate_b_, __LINE__), b_at)                                                                             \
    LOCATE_AT(NAME(locate_d_, __LINE__), d_at)
#include "tests/support/sparse_layouts.def"
#undef SPARSE

static const struct sparse forms[] = {
#define SPARSE(chip, mnemonic, lanes, m, kk, a, b, d, a_at, index_at, b_at, d_at)                                          \
    {chip,                                                                                                                 \
     mnemonic,                                                                                                             \
     lanes,                                                                                                                \
     m,                                                                                                                    \
     kk,                                                                                                                   \
     a,                                                                                                                    \
     b,                                                                                                                    \
     d,                                                                                                                    \
     NAME(locate_a_, __LINE__),                                                                                            \
     NAME(locate_index_, __LINE__),                                                                                        \
     NAME(locate_b_, __LINE__),                                                                                            \
     NAME(locate_d_, __LINE__)},
#include "tests/support/sparse_layouts.def"
#undef SPARSE
};

/* The bits of -2 … 2 in each format. */
static uint32_t integer_bits(const struct sparse *f, enum matrix_type type, int value)
{
    static const uint16_t one_two[][2] = {
        [F16] = {0x3c00, 0x4000}, [BF16] = {0x3f80, 0x4000}, [FP8] = {0x38, 0x40}, [BF8] = {0x3c, 0x40}};
    if (type == IU8 || type == I8)
        return (uint32_t)value & 0xff;
    if (type == IU4)
        return (uint32_t)value & 0xf;
    bool fnuz = !strcmp(f->chip, "gfx942") && (type == FP8 || type == BF8);
    uint32_t step = type == FP8 ? 8 : 4; /* FNUZ biases are one larger */
    int magnitude = value < 0 ? -value : value;
    uint32_t sign = value < 0 ? 1u << (matrix_type_bits(type) - 1) : 0;
    return magnitude ? sign | (one_two[type][magnitude - 1] + (fnuz ? step : 0u)) : 0;
}

static void put(struct lane_op *op, int first_row, struct place at, int bits, uint32_t value)
{
    uint32_t *word = &lane_op_row(op, (unsigned)(first_row + at.row))[at.lane];
    uint32_t mask = ((1u << bits) - 1) << at.bit;
    *word = (*word & ~mask) | (value << at.bit & mask);
}

static int draw(struct random_key key, unsigned at)
{
    return (int)random_below(key, at, 5) - 2;
}

struct matrices {
    int a[32][128], b[128][32]; /* A with its zeros */
};

/* Fills A's kept factors and their indices, which rise within four k, in set `key_set` of the index register. */
static void fill_a(struct lane_op *op, const struct sparse *f, struct random_key key, int index_shift, struct matrices *to)
{
    memset(to->a, 0, sizeof to->a);
    for (int i = 0; i < f->m; i++) {
        for (int k = 0; k < f->k; k += 4) {
            unsigned at = (unsigned)(i * f->k + k) * 4;
            int first = (int)random_below(key, at, 3),
                second = first + 1 + (int)random_below(key, at + 1, (uint64_t)(3 - first));
            for (int s = 0; s < 2; s++) {
                int which = s ? second : first, value = draw(key, at + 2 + (unsigned)s);
                struct place index = f->locate_index(i, 0, k, s);
                index.bit += index_shift;
                to->a[i][k + which] = value;
                put(op, ROW_A, f->locate_a(i, 0, k, s), matrix_type_bits(f->a), integer_bits(f, f->a, value));
                put(op, ROW_INDEX, index, 2, (uint32_t)which);
            }
        }
    }
}

static void fill_b(struct lane_op *op, const struct sparse *f, struct random_key key, struct matrices *to)
{
    for (int k = 0; k < f->k; k++) {
        for (int j = 0; j < f->m; j++) {
            to->b[k][j] = draw(key, 1000000u + (unsigned)(k * 32 + j));
            put(op, ROW_B, f->locate_b(0, j, k, 0), matrix_type_bits(f->b), integer_bits(f, f->b, to->b[k][j]));
        }
    }
}

static enum number_format result_format(const struct sparse *f)
{
    return f->result == F16 ? FORMAT_F16 : f->result == BF16 ? FORMAT_BF16 : FORMAT_F32;
}

static double result_value(const struct sparse *f, uint32_t word, int bit)
{
    return f->result == I32 ? (double)(int32_t)word : format_load(result_format(f), &word, bit / 16);
}

/* A dword of C, whose elements are all ADDEND. */
static uint32_t addend_word(const struct sparse *f)
{
    uint32_t word = ADDEND;
    for (int at = 0; f->result != I32 && at < 32 / matrix_type_bits(f->result); at++)
        format_store(result_format(f), &word, at, ADDEND);
    return word;
}

static void check(const struct sparse *f, struct random_key key, unsigned set, unsigned set_bits)
{
    static struct matrices matrices;
    struct lane_op *op = lane_op_open_on(f->chip, f->mnemonic, f->n_lanes, LANE_OP_PLAIN_MODE);
    assert_non_null(op);
    struct instruction *in = &op->instruction;
    const uint16_t rows[] = {ROW_A, ROW_B, ROW_INDEX};
    for (int k = 0; k < 3; k++)
        in->src[k].index = rows[k];
    in->dst[0].index = ROW_D;
    lane_op_prepare(op);
    in->neg_lo = f->result == I32 && f->a != I8 ? 3 : 0;
    in->abid = in->index_key = (uint8_t)set;
    for (unsigned lane = 0; lane < f->n_lanes; lane++)
        lane_op_row(op, ROW_INDEX)[lane] = (uint32_t)random_bits(key, 2000000 + lane);
    fill_a(op, f, key, (int)(set * set_bits), &matrices);
    fill_b(op, f, key, &matrices);
    for (unsigned row = ROW_D; row < END_ROW; row++)
        for (unsigned lane = 0; lane < f->n_lanes; lane++)
            lane_op_row(op, row)[lane] = addend_word(f);
    in->run(&op->wave, in);
    for (int at = 0; at < f->m * f->m; at++) {
        int i = at / f->m, j = at % f->m, sum = ADDEND;
        for (int k = 0; k < f->k; k++)
            sum += matrices.a[i][k] * matrices.b[k][j];
        struct place d = f->locate_d(i, j, 0, 0);
        double got = result_value(f, lane_op_row(op, (unsigned)(ROW_D + d.row))[d.lane], d.bit);
        if (got != sum)
            fail_msg("%s %s wave%u set %u: D[%d][%d] is %g, not %d", f->chip, f->mnemonic, f->n_lanes, set, i, j, got, sum);
    }
    lane_op_close(op);
}

/* Bits of indices that a lane holds: two for each factor. */
static unsigned index_bits(const struct sparse *f)
{
    int last = 0;
    for (int k = 0; k < f->k; k += 4) {
        struct place at = f->locate_index(0, 0, k, 1);
        last = at.bit > last ? at.bit : last;
    }
    return (unsigned)last + 2;
}

static void sparse_products_meet_the_factors_that_were_kept(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof forms / sizeof *forms; n++) {
        unsigned bits = index_bits(&forms[n]);
        for (unsigned set = 0; set < 32 / bits; set++)
            check(&forms[n], random_key_for(n, forms[n].mnemonic), set, bits);
    }
}

/* Which fields pick the set of indices: abid where cbsz is 0, index_key. */
static void texts_pick_the_set_of_indices(void **state)
{
    (void)state;
    struct wave_runner *runner = wave_runner_open("gfx942", 64);
    for (unsigned lane = 0; lane < 64; lane++) {
        wave_runner_vgpr(runner, 0)[lane] = 0x00003c00; /* one 1 in each pair of lanes' quads */
        wave_runner_vgpr(runner, 1)[lane] = 0;
        for (unsigned r = 2; r < 6; r++)
            wave_runner_vgpr(runner, r)[lane] = r == 2 ? 0x40003c00 : 0; /* B: k 0 is 1, k 1 is 2 */
        wave_runner_vgpr(runner, 6)[lane] = 0x00000100;                  /* set 1: the kept one is k 1; set 0: k 0 */
        for (unsigned r = 8; r < 16; r++)
            wave_runner_vgpr(runner, r)[lane] = 0;
    }
    assert_true(wave_runner_run(runner, "v_smfmac_f32_16x16x32_f16 v[8:11], v[0:1], v[2:5], v6 abid:1\n"
                                        "v_smfmac_f32_16x16x32_f16 v[12:15], v[0:1], v[2:5], v6 cbsz:1 abid:1"));
    assert_int_equal(wave_runner_vgpr(runner, 8)[3], 0x41000000);  /* 4 groups of lanes * 2 */
    assert_int_equal(wave_runner_vgpr(runner, 12)[3], 0x40800000); /* 4 * 1 */
    wave_runner_close(runner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_products_meet_the_factors_that_were_kept),
        cmocka_unit_test(texts_pick_the_set_of_indices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
