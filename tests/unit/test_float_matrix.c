/*
 * Every matrix instruction of every chip, on both wave sizes where both exist, against its definition: elements found
 * through the published layouts, summed by a second model of the chip's rule. A transposed operand, a wrong copy, a wrong
 * order or a sign that lands on the wrong half fails here.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "contract/base/random.h"
#include "records/chips.h"
#include "tests/support/float_truth.h"
#include "tests/support/lane_op.h"
#include "tests/support/matrix_truth.h"
#include "tests/support/wave_runner.h"

enum { ROW_A = 32, ROW_B = 48, ROW_C = 64, ROW_D = 96, ROW_SCALE = 130, END_ROW = 140, MAX_K = 128 };

struct place {
    int row, lane, bit;
};

typedef struct place locate(int i, int j, int k, int b, int h);

struct matrix {
    const char *chip, *mnemonic;
    uint32_t n_lanes;
    int m, n, k, blocks;
    enum matrix_type a, b, result;
    int cbsz, blgp, copies;
    locate *locate_a, *locate_b, *locate_d;
};

#define NAME_(prefix, counter) prefix##counter
#define NAME(prefix, counter)  NAME_(prefix, counter)
#define LOCATE(name, row, lane, bit)                                                                                       \
    static struct place name(int i, int j, int k, int b, int h)                                                            \
    {                                                                                                                      \
        (void)i, (void)j, (void)k, (void)b, (void)h;                                                                       \
        return (struct place){row, lane, bit};                                                                             \
    }
#define MATRIX(chip, mnemonic, lanes, m, n, kk, blocks, a, b, d, cbsz, blgp, copies, a_at, b_at, d_at)                     \
    LOCATE_AT(NAME(locate_a_, __LINE__), a_at)                                                                             \
    LOCATE_AT(NAME(locate_b_, __LINE__), b_at)                                                                             \
    LOCATE_AT(NAME(locate_d_, __LINE__), d_at)
#define LOCATE_AT(name, at)         LOCATE_ARGUMENTS(name, UNWRAP at)
#define LOCATE_ARGUMENTS(name, ...) LOCATE(name, __VA_ARGS__)
#define UNWRAP(...)                 __VA_ARGS__
#include "tests/support/matrix_layouts.def"
#undef MATRIX

static const struct matrix matrices[] = {
#define MATRIX(chip, mnemonic, lanes, m, n, kk, blocks, a, b, d, cbsz, blgp, copies, a_at, b_at, d_at)                     \
    {chip,                                                                                                                 \
     mnemonic,                                                                                                             \
     lanes,                                                                                                                \
     m,                                                                                                                    \
     n,                                                                                                                    \
     kk,                                                                                                                   \
     blocks,                                                                                                               \
     a,                                                                                                                    \
     b,                                                                                                                    \
     d,                                                                                                                    \
     cbsz,                                                                                                                 \
     blgp,                                                                                                                 \
     copies,                                                                                                               \
     NAME(locate_a_, __LINE__),                                                                                            \
     NAME(locate_b_, __LINE__),                                                                                            \
     NAME(locate_d_, __LINE__)},
#include "tests/support/matrix_layouts.def"
#undef MATRIX
};
enum { N_MATRICES = sizeof matrices / sizeof *matrices };

/* ---- one case: registers, fields, truth ---- */

static uint32_t saved[END_ROW][64]; /* the registers before the instruction */

struct trial {
    const struct matrix *m;
    struct lane_op *op;
    unsigned neg_lo, neg_hi, op_sel, op_sel_hi, flags, cbsz, abid, blgp;
};

static bool is_rdna(const struct matrix *m)
{
    return m->chip[3] == '1' && strlen(m->chip) == 7;
}

static bool is_integer(const struct matrix *m)
{
    return m->result == I32;
}

static bool is_scaled(const struct matrix *m)
{
    return strstr(m->mnemonic, "scale");
}

static bool is_narrow(const struct matrix *m)
{
    return strstr(m->mnemonic, "f8f6f4");
}

/* bits [bit, bit + bits) from register first_row + row on, of before the instruction. */
static uint64_t fetch(int first_row, struct place at, int bits)
{
    int row = first_row + at.row + at.bit / 32, bit = at.bit % 32;
    uint64_t word = saved[row][at.lane];
    if (bit + bits > 32)
        word |= (uint64_t)saved[row + 1][at.lane] << 32;
    word >>= bit;
    return bits == 64 ? word : word & ((UINT64_C(1) << bits) - 1);
}

static uint64_t result_of(struct lane_op *op, struct place at, int bits)
{
    uint64_t word = lane_op_row(op, (unsigned)(ROW_D + at.row))[at.lane];
    if (bits == 64)
        return word | (uint64_t)lane_op_row(op, (unsigned)(ROW_D + at.row + 1))[at.lane] << 32;
    return bits == 32 ? word : word >> at.bit & 0xffff;
}

static enum matrix_type type_on(const struct matrix *m, enum matrix_type type)
{
    bool fnuz = !strcmp(m->chip, "gfx942");
    return fnuz && type == FP8 ? FP8_FNUZ : fnuz && type == BF8 ? BF8_FNUZ : type;
}

static enum matrix_adder adder_of(const struct matrix *m)
{
    bool half = m->a == F16 || m->a == BF16, cdna1 = !strcmp(m->chip, "gfx908"), cdna2 = !strcmp(m->chip, "gfx90a");
    if (is_integer(m))
        return ADDER_INTEGER;
    if (is_rdna(m))
        return !half ? ADDER_FMA : !strncmp(m->chip, "gfx11", 5) ? ADDER_GFX11 : ADDER_GFX12;
    if (m->a == F32 || m->a == F64)
        return ADDER_FMA;
    return cdna1 ? ADDER_PAIRWISE : cdna2 ? ADDER_PAIRWISE_FLUSH : ADDER_GROUP;
}

/* RDNA: neg_lo is for the even k of a 16-bit source, neg_hi for the odd ones. CDNA's doubles: neg_lo. */
static uint64_t signed_factor(const struct trial *t, int source, int k, enum matrix_type type, uint64_t bits)
{
    unsigned negate = k % 2 && type != F64 ? t->neg_hi : t->neg_lo;
    bool has_signs = type == F64 || ((type == F16 || type == BF16) && is_rdna(t->m));
    return has_signs && negate >> source & 1 ? bits ^ UINT64_C(1) << (matrix_type_bits(type) - 1) : bits;
}

static uint64_t signed_addend(const struct trial *t, uint64_t bits)
{
    const uint64_t sign = UINT64_C(1) << (matrix_type_bits(t->m->result) - 1);
    if (is_integer(t->m))
        return bits;
    bits = t->neg_hi & 4 ? bits & ~sign : bits;
    return t->neg_lo & 4 ? bits ^ sign : bits;
}

/* The calculator's manual: block b of A is b - b % 2^cbsz + abid. */
static int broadcast_from(const struct trial *t, int b)
{
    return t->m->blocks > 1 ? b - b % (1 << t->cbsz) + (int)t->abid : b;
}

/* The calculator's manual, a table of B's lanes by blgp. */
static int lane_from(const struct trial *t, int lane)
{
    const int from[8] = {lane,      lane % 32,      lane % 32 + 32, (lane + 16) % 64,
                         lane % 16, lane % 16 + 16, lane % 16 + 32, lane % 16 + 48};
    return is_rdna(t->m) || is_narrow(t->m) ? lane : from[t->blgp];
}

static void read_scales(const struct trial *t, int i, int j, int scale[2][4])
{
    for (int block = 0; block < t->m->k / 32; block++) {
        for (int source = 0; source < 2; source++) {
            unsigned byte = (t->op_sel >> source & 1) + 2 * (t->op_sel_hi >> source & 1);
            int extent = source ? t->m->n : t->m->m, index = source ? j : i;
            scale[source][block] = (int)(saved[ROW_SCALE + source][index + extent * block] >> 8 * byte & 0xff);
        }
    }
}

static uint64_t truth_of(const struct trial *t, int i, int j, int b, struct place d)
{
    const struct matrix *m = t->m;
    uint64_t left[MAX_K], right[MAX_K];
    int scale[2][4], copy = m->copies > 1 ? d.lane / 16 * 16 : 0, h = (int)(t->op_sel >> 2 & 1);
    for (int k = 0; k < m->k; k++) {
        struct place a_at = m->locate_a(i, j, k, broadcast_from(t, b), h), b_at = m->locate_b(i, j, k, b, h);
        a_at.lane += copy;
        b_at.lane = lane_from(t, b_at.lane + copy);
        left[k] = signed_factor(t, 0, k, m->a, fetch(ROW_A, a_at, matrix_type_bits(m->a)));
        right[k] = signed_factor(t, 1, k, m->b, fetch(ROW_B, b_at, matrix_type_bits(m->b)));
    }
    if (is_scaled(m))
        read_scales(t, i, j, scale);
    struct matrix_problem problem = {
        .adder = adder_of(m),
        .a_type = type_on(m, m->a),
        .b_type = type_on(m, m->b),
        .result = m->result,
        .k = m->k,
        .group = m->a == BF16 && !strstr(m->mnemonic, "_1k") ? 2 : 4,
        .a = left,
        .b = right,
        .a_scale = is_scaled(m) ? scale[0] : NULL,
        .b_scale = is_scaled(m) ? scale[1] : NULL,
        .a_signed = m->a == I8 || (t->neg_lo & 1),
        .b_signed = m->b == I8 || (t->neg_lo & 2),
        .saturate = t->flags & FLAG_CLAMP,
        .c = signed_addend(t, fetch(ROW_C, d, matrix_type_bits(m->result))),
    };
    return matrix_truth(&problem);
}

/* ---- registers ---- */

static const struct truth_format *wide_format(enum matrix_type type)
{
    return type == F16 ? &truth_f16 : type == BF16 ? &truth_bf16 : type == F64 ? &truth_f64 : &truth_f32;
}

static uint64_t interesting(enum matrix_type type, uint64_t random, uint64_t choice, bool specials)
{
    uint64_t near_one = choice % 8 ? (choice & ~UINT64_C(15)) | 7 : choice;
    return truth_interesting(wide_format(type), random, specials ? near_one : near_one | 7);
}

/* NaNs and infinities of 8-bit formats become numbers where they would make every sum special. */
static uint32_t calm_bytes(uint32_t word)
{
    for (int shift = 0; shift < 32; shift += 8)
        if ((word >> shift & 0x7f) >= 0x7c || (word >> shift & 0xff) == 0x80)
            word ^= UINT32_C(0x44) << shift;
    return word;
}

/* Scales of 2^-7 to 2^8, seldom anything or NaN. */
static uint32_t scale_word(uint64_t random, bool specials)
{
    if (specials && random >> 60 == 0)
        return (uint32_t)random | 0xff00;
    return 0x78787878u + ((uint32_t)random & 0x0f0f0f0fu);
}

static uint32_t register_word(enum matrix_type type, struct random_key key, unsigned at, bool odd_row, bool specials)
{
    uint64_t random = random_bits(key, 4 * at), choice = random_bits(key, 4 * at + 1);
    switch (type) {
    case F16:
    case BF16:
        return (uint32_t)(interesting(type, random, choice, specials) |
                          interesting(type, random >> 7, choice >> 5, specials) << 16);
    case F32:
    case XF32:
        return (uint32_t)interesting(type, random, choice, specials);
    case F64:
        return (uint32_t)(interesting(type, random, choice, specials) >> (odd_row ? 32 : 0));
    case FP8:
    case BF8:
        return specials ? (uint32_t)random : calm_bytes((uint32_t)random);
    default:
        return (uint32_t)random;
    }
}

static void fill(struct lane_op *op, const struct matrix *m, struct random_key key, bool specials)
{
    for (unsigned row = ROW_A; row < END_ROW; row++) {
        enum matrix_type type = row < ROW_B ? m->a : row < ROW_C ? m->b : m->result;
        for (unsigned lane = 0; lane < m->n_lanes; lane++) {
            /* Both halves of a double come from one draw. */
            unsigned at = (type == F64 ? row & ~1u : row) * 64 + lane;
            uint32_t word = register_word(type, key, at, row & 1, specials);
            if (row >= ROW_SCALE)
                word = scale_word(random_bits(key, 4 * at + 2), specials);
            lane_op_row(op, row)[lane] = word;
            saved[row][lane] = word;
        }
    }
}

static void place_operands(struct lane_op *op)
{
    const uint16_t rows[] = {ROW_A, ROW_B, ROW_C, ROW_SCALE, ROW_SCALE + 1};
    for (int k = 0; k < op->instruction.n_src; k++) {
        op->instruction.src[k].index = rows[k];
        op->instruction.src[k].half = HALF_NONE;
    }
    op->instruction.dst[0].index = ROW_D;
    lane_op_prepare(op);
}

static void apply_fields(const struct trial *t)
{
    struct instruction *in = &t->op->instruction;
    in->neg_lo = (uint8_t)t->neg_lo;
    in->neg_hi = (uint8_t)t->neg_hi;
    in->op_sel = (uint8_t)t->op_sel;
    in->op_sel_hi = (uint8_t)t->op_sel_hi;
    in->flags = t->flags;
    in->cbsz = (uint8_t)t->cbsz;
    in->abid = (uint8_t)t->abid;
    in->blgp = (uint8_t)t->blgp;
}

/* The other half of a 16-bit result on gfx11 stays. */
static void check_kept_half(const struct trial *t, struct place d)
{
    struct place other = {d.row, d.lane, 16 - d.bit};
    if (t->m->copies > 1 && matrix_type_bits(t->m->result) == 16)
        assert_int_equal(result_of(t->op, other, 16), saved[ROW_D + d.row][d.lane] >> other.bit & 0xffff);
}

static void check(const struct trial *t)
{
    const struct matrix *m = t->m;
    const int bits = matrix_type_bits(m->result);
    apply_fields(t);
    t->op->instruction.run(&t->op->wave, &t->op->instruction);
    for (int b = 0; b < m->blocks; b++) {
        for (int at = 0; at < m->m * m->n; at++) {
            int i = at / m->n, j = at % m->n;
            struct place d = m->locate_d(i, j, 0, b, (int)(t->op_sel >> 2 & 1));
            uint64_t truth = truth_of(t, i, j, b, d), got = result_of(t->op, d, bits);
            if (got != truth)
                fail_msg("%s %s wave%u cbsz %u abid %u blgp %u: block %d D[%d][%d] is %0*llx, not %0*llx", m->chip,
                         m->mnemonic, m->n_lanes, t->cbsz, t->abid, t->blgp, b, i, j, bits / 4, (unsigned long long)got,
                         bits / 4, (unsigned long long)truth);
            check_kept_half(t, d);
        }
    }
}

/* Fields that the instruction has, drawn; none in the first run. */
static struct trial draw_fields(const struct matrix *m, struct lane_op *op, struct random_key key, unsigned run)
{
    struct trial t = {.m = m, .op = op, .cbsz = (unsigned)m->cbsz, .blgp = (unsigned)m->blgp};
    const bool is_half = m->a == F16 || m->a == BF16;
    if (!run)
        return t;
    if (is_rdna(m) && is_integer(m)) {
        t.neg_lo = (unsigned)random_below(key, 1000000, 4);
        t.flags = run % 2 ? FLAG_CLAMP : 0;
    } else if (is_rdna(m)) {
        t.neg_lo = (unsigned)random_below(key, 1000000, 8) & (is_half ? 7 : 4);
        t.neg_hi = (unsigned)random_below(key, 1000001, 8) & (is_half ? 7 : 4);
        t.op_sel = m->copies > 1 && matrix_type_bits(m->result) == 16 ? run % 2 * 4 : 0;
    } else if (m->a == F64) {
        t.neg_lo = strcmp(m->chip, "gfx90a") ? (unsigned)random_below(key, 1000000, 8) : 0;
    } else if (is_narrow(m)) {
        t.op_sel = (unsigned)random_below(key, 1000000, 4);
        t.op_sel_hi = (unsigned)random_below(key, 1000001, 4);
    } else {
        bool old = !strcmp(m->chip, "gfx908") || !strcmp(m->chip, "gfx90a");
        unsigned log2_blocks = (unsigned)__builtin_ctz((unsigned)m->blocks);
        t.cbsz = (unsigned)random_below(key, 1000000, log2_blocks + 1);
        t.abid = (unsigned)random_below(key, 1000001, 1u << t.cbsz);
        t.blgp = old || m->blocks > 1 || m->a == F32 ? (unsigned)random_below(key, 1000002, 8) : 0;
    }
    return t;
}

static void products_match_their_definition(void **state)
{
    (void)state;
    for (size_t n = 0; n < N_MATRICES; n++) {
        const struct matrix *m = &matrices[n];
        struct lane_op *op = lane_op_open_on(m->chip, m->mnemonic, m->n_lanes, LANE_OP_PLAIN_MODE);
        assert_non_null(op);
        place_operands(op);
        for (unsigned run = 0; run < (is_rdna(m) ? 6 : 3); run++) {
            struct random_key key = random_key_for(run, m->mnemonic);
            fill(op, m, key, run % 3 == 2);
            struct trial trial = draw_fields(m, op, key, run);
            check(&trial);
        }
        lane_op_close(op);
    }
}

/* ---- measured on a gfx1201 card ---- */

struct measured {
    const char *mnemonic;
    uint16_t a[16], b[16];
    uint32_t c, result[2]; /* by wave size */
};

static const struct measured measured[] = {
#define PASS(...)                                                                                                          \
    {                                                                                                                      \
        __VA_ARGS__                                                                                                        \
    }
#define MEASURED(mnemonic, a, b, c, wave32, wave64) {mnemonic, a, b, c, {wave32, wave64}},
#include "tests/support/wmma12_measured.def"
#undef MEASURED
#undef PASS
};

static const struct matrix *find_matrix(const char *chip, const char *mnemonic, uint32_t n_lanes)
{
    for (size_t n = 0; n < N_MATRICES; n++)
        if (!strcmp(matrices[n].chip, chip) && !strcmp(matrices[n].mnemonic, mnemonic) && matrices[n].n_lanes == n_lanes)
            return &matrices[n];
    return NULL;
}

static void put_half(struct lane_op *op, int first_row, struct place at, uint16_t bits)
{
    uint32_t *word = &lane_op_row(op, (unsigned)(first_row + at.row))[at.lane];
    *word = (*word & ~(0xffffu << at.bit)) | (uint32_t)bits << at.bit;
}

/* Every row of A, column of B and element of C alike, so every element of D is the measured one. */
static void check_measured(const struct measured *row, uint32_t n_lanes)
{
    const struct matrix *m = find_matrix("gfx1201", row->mnemonic, n_lanes);
    struct lane_op *op = lane_op_open_on("gfx1201", row->mnemonic, n_lanes, LANE_OP_PLAIN_MODE);
    place_operands(op);
    for (int k = 0; k < 16; k++) {
        int from = n_lanes == 32 && k >= 4 && k < 12 ? (k + 4 < 12 ? k + 4 : k - 4) : k;
        for (int i = 0; i < 16; i++) {
            put_half(op, ROW_A, m->locate_a(i, 0, k, 0, 0), row->a[from]);
            put_half(op, ROW_B, m->locate_b(0, i, k, 0, 0), row->b[from]);
        }
    }
    for (unsigned r = ROW_C; r < ROW_C + 8; r++)
        for (unsigned lane = 0; lane < n_lanes; lane++)
            lane_op_row(op, r)[lane] = row->c;
    op->instruction.run(&op->wave, &op->instruction);
    for (int at = 0; at < 256; at++)
        assert_int_equal(result_of(op, m->locate_d(at / 16, at % 16, 0, 0, 0), 32), row->result[n_lanes == 64]);
    lane_op_close(op);
}

static void gfx12_products_give_what_was_measured(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        check_measured(&measured[i], 32);
        check_measured(&measured[i], 64);
    }
}

/* ---- the assembler's texts, gfx942's published sums ---- */

/* -2^24 + 1/2 + 1/2 and others by gfx942's rule (8 products a group, the rest zero), f16 inputs. */
static void gfx942_sums_give_the_published_values(void **state)
{
    (void)state;
    static const struct {
        uint32_t a, b, c, d;
    } cases[] = {
        {0x48004200, 0x44004800, 0x3f800000, 0x42640000}, /* 1 + 3*8 + 8*4 */
        {0x48004200, 0x44004800, 0xbf800000, 0x425c0000}, /* -1 + 3*8 + 8*4 */
        {0x4800c200, 0x44004800, 0x3f800000, 0x41100000}, /* 1 + -3*8 + 8*4 */
        {0xbc003c00, 0x3c003c00, 0x00000000, 0x00000000}, /* 0 + 1*1 + -1*1 */
        {0x3c003c00, 0x38003800, 0xcb800000, 0xcb7fffff},
    };
    struct wave_runner *runner = wave_runner_open("gfx942", 64);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (unsigned lane = 0; lane < 64; lane++) {
            wave_runner_vgpr(runner, 0)[lane] = lane < 16 ? cases[i].a : 0;
            wave_runner_vgpr(runner, 256 + 2)[lane] = lane < 16 ? cases[i].b : 0;
            for (unsigned r = 0; r < 4; r++)
                wave_runner_vgpr(runner, 256 + 4 + r)[lane] = cases[i].c;
        }
        assert_true(wave_runner_run(runner, "v_mfma_f32_16x16x16_f16 a[8:11], v[0:1], a[2:3], a[4:7]"));
        for (unsigned r = 0; r < 4; r++)
            for (unsigned lane = 0; lane < 64; lane++)
                assert_int_equal(wave_runner_vgpr(runner, 256 + 8 + r)[lane], cases[i].d);
    }
    wave_runner_close(runner);
}

/* MFMA reads inline constants as C, and the texts of modifiers; two blocks, block 1 of A from block 0. */
static void texts_of_matrix_instructions_are_read(void **state)
{
    (void)state;
    struct wave_runner *runner = wave_runner_open("gfx90a", 64);
    for (unsigned lane = 0; lane < 64; lane++) {
        wave_runner_vgpr(runner, 0)[lane] = lane < 32 ? 0x40000000 : 0x40400000; /* 2, 3 */
        wave_runner_vgpr(runner, 1)[lane] = lane < 32 ? 0x3f800000 : 0x40800000; /* 1, 4 */
    }
    assert_true(wave_runner_run(runner, "v_mfma_f32_32x32x1f32 a[0:31], v0, v1, 1.0 cbsz:1 abid:0 blgp:2"));
    assert_int_equal(wave_runner_vgpr(runner, 256)[0], 0x41100000);       /* 1 + 2*4: B of lanes 32 up */
    assert_int_equal(wave_runner_vgpr(runner, 256 + 16)[63], 0x41100000); /* block 1 */
    assert_true(wave_runner_run(runner, "v_accvgpr_write_b32 a0, v1\nv_accvgpr_read_b32 v2, a0\nv_accvgpr_mov_b32 a1, a0"));
    assert_int_equal(wave_runner_vgpr(runner, 2)[63], 0x40800000);
    assert_int_equal(wave_runner_vgpr(runner, 257)[0], 0x3f800000);
    wave_runner_close(runner);
    runner = wave_runner_open("gfx942", 64);
    for (unsigned lane = 0; lane < 64; lane++)
        for (unsigned r = 0; r < 4; r++)
            wave_runner_vgpr(runner, r)[lane] = r & 1 ? 0x3ff00000 : 0; /* ones */
    assert_true(wave_runner_run(runner, "v_mfma_f64_16x16x4_f64 v[8:15], v[0:1], v[2:3], 1.0 neg:[1,0,1]"));
    assert_int_equal(wave_runner_vgpr(runner, 9)[5], 0xc0140000); /* -1 - 4 */
    wave_runner_close(runner);
    runner = wave_runner_open("gfx950", 64);
    for (unsigned lane = 0; lane < 64; lane++) {
        for (unsigned r = 0; r < 14; r++)
            wave_runner_vgpr(runner, r)[lane] = r < 8 ? 0x38383838 : 0; /* A: E4M3 ones */
        for (unsigned r = 8; r < 12; r++)
            wave_runner_vgpr(runner, r)[lane] = 0x22222222; /* B: E2M1 ones */
        wave_runner_vgpr(runner, 20)[lane] = 0x00800000;    /* 2^1 in byte 2 */
        wave_runner_vgpr(runner, 21)[lane] = 0x7f;          /* 2^0 */
    }
    assert_true(wave_runner_run(runner, "v_mfma_scale_f32_16x16x128_f8f6f4 v[24:27], v[0:7], v[8:11], 1.0, v20, v21 "
                                        "op_sel:[0,0,0] op_sel_hi:[1,0,0] cbsz:0 blgp:4"));
    assert_int_equal(wave_runner_vgpr(runner, 24)[17], 0x43808000); /* 1 + 2 * 128 */
    wave_runner_close(runner);
}

/* Sixteen products just over 1 and C = 2^24, where an f32 steps by 2: a chain rounds each up and ends at 2^24 + 32, the
 * chips' adders at 2^24 + 16. C = 2^12 for halves, which step by 4: gfx11's pairs end at 2^12 + 32, one rounding at 2^12
 * + 16. */
static void the_ieee_model_is_one_chain(void **state)
{
    (void)state;
    static const struct {
        const char *chip, *mnemonic;
        uint32_t lanes, factor, c;
    } cases[] = {
        {"gfx1151", "v_wmma_f32_16x16x16_f16", 32, 0x3c013c01, 0x4b800000},
        {"gfx1201", "v_wmma_f32_16x16x16_f16", 32, 0x3c013c01, 0x4b800000},
        {"gfx1151", "v_wmma_f16_16x16x16_f16", 32, 0x3c013c01, 0x6c006c00},
        {"gfx1201", "v_wmma_f16_16x16x16_f16", 64, 0x3c013c01, 0x6c006c00},
        {"gfx942", "v_mfma_f32_16x16x16_f16", 64, 0x3c013c01, 0x4b800000},
        {"gfx90a", "v_mfma_f32_16x16x16f16", 64, 0x3c013c01, 0x4b800000},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        struct lane_op *op = lane_op_open_on(cases[n].chip, cases[n].mnemonic, cases[n].lanes, LANE_OP_PLAIN_MODE);
        place_operands(op);
        op->dispatch.matrix_model = MATRIX_MODEL_IEEE;
        for (unsigned row = ROW_A; row < ROW_D; row++)
            for (unsigned lane = 0; lane < cases[n].lanes; lane++)
                lane_op_row(op, row)[lane] = row < ROW_C ? cases[n].factor : cases[n].c;
        op->instruction.run(&op->wave, &op->instruction);
        bool half = strstr(cases[n].mnemonic, "_f16_16x16x16");
        float sum = half ? 0x1p12f : 0x1p24f;
        for (int k = 0; k < 16; k++)
            sum = fmaf(0x1.004p0f, 0x1.004p0f, sum);
        uint32_t wide, got = lane_op_row(op, ROW_D)[5];
        memcpy(&wide, &sum, 4);
        if (half)
            assert_int_equal(got & 0xffff, truth_convert(&truth_f32, &truth_f16, (struct truth_mode){0}, wide));
        else
            assert_int_equal(got, wide);
        assert_true(sum == (half ? 0x1p12f + 16 + 0x1p-5f : 0x1p24f + 32));
        lane_op_close(op);
    }
}

/* MODE.FP16_OVFL holds for the chain too: sums of 2^16 each overflow f16, and an infinite addend stays infinite. */
static void the_ieee_model_saturates_halves(void **state)
{
    (void)state;
    static const struct {
        const char *chip, *text;
        uint32_t mode, c, result;
    } cases[] = {
        {"gfx1151", "v_wmma_f16_16x16x16_f16 v[24:31], v[0:7], v[8:15], v[24:31]", 0, 0, 0x7c00},
        {"gfx1151", "v_wmma_f16_16x16x16_f16 v[24:31], v[0:7], v[8:15], v[24:31]", MODE_FP16_OVFL, 0, 0x7bff},
        {"gfx1151", "v_wmma_f16_16x16x16_f16 v[24:31], v[0:7], v[8:15], v[24:31]", MODE_FP16_OVFL, 0x7c007c00, 0x7c00},
        {"gfx1201", "v_wmma_f16_16x16x16_f16 v[24:27], v[0:3], v[8:11], v[24:27]", MODE_FP16_OVFL, 0, 0x7bff},
        {"gfx1201", "v_wmma_f16_16x16x16_f16 v[24:27], v[0:3], v[8:11], v[24:27]", MODE_FP16_OVFL, 0x7c007c00, 0x7c00},
        {"gfx1201", "v_swmmac_f16_16x16x32_f16 v[24:27], v[0:3], v[8:15], v20", MODE_FP16_OVFL, 0, 0x7bff},
        {"gfx1151", "v_dot2_f16_f16 v24, v0, v8, v24", MODE_FP16_OVFL, 0, 0x7bff},
        {"gfx1151", "v_dot2_f16_f16 v24, v0, v8, v24", 0, 0, 0x7c00},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        struct wave_runner *runner = wave_runner_open(cases[n].chip, 32);
        assert_non_null(runner);
        runner->dispatch.matrix_model = MATRIX_MODEL_IEEE;
        wave_runner_set_mode(runner, WAVE_RUNNER_HSA_MODE | cases[n].mode);
        for (unsigned row = 0; row < 32; row++)
            for (unsigned lane = 0; lane < 32; lane++)
                wave_runner_vgpr(runner, row)[lane] = row < 16 ? 0x5c005c00 : row < 24 ? 0x44444444 : cases[n].c;
        assert_true(wave_runner_run(runner, cases[n].text));
        if ((wave_runner_vgpr(runner, 24)[7] & 0xffff) != cases[n].result)
            fail_msg("%s on %s, case %zu: 0x%x", cases[n].text, cases[n].chip, n, wave_runner_vgpr(runner, 24)[7]);
        wave_runner_close(runner);
    }
}

/* The compiler accumulates in place. */
static void destination_may_be_the_addend(void **state)
{
    (void)state;
    struct lane_op *op = lane_op_open("v_wmma_f32_16x16x16_f16", 32, LANE_OP_PLAIN_MODE);
    place_operands(op);
    op->instruction.dst[0].index = ROW_C;
    for (unsigned row = ROW_A; row < ROW_C; row++)
        for (unsigned lane = 0; lane < 32; lane++)
            lane_op_row(op, row)[lane] = 0x3c003c00; /* ones */
    for (unsigned row = ROW_C; row < ROW_C + 8; row++)
        for (unsigned lane = 0; lane < 32; lane++)
            lane_op_row(op, row)[lane] = 0x40a00000; /* 5 */
    op->instruction.run(&op->wave, &op->instruction);
    for (unsigned row = ROW_C; row < ROW_C + 8; row++)
        for (unsigned lane = 0; lane < 32; lane++)
            assert_int_equal(lane_op_row(op, row)[lane], 0x41a80000); /* 21 */
    lane_op_close(op);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_match_their_definition),       cmocka_unit_test(gfx12_products_give_what_was_measured),
        cmocka_unit_test(gfx942_sums_give_the_published_values), cmocka_unit_test(texts_of_matrix_instructions_are_read),
        cmocka_unit_test(the_ieee_model_is_one_chain),           cmocka_unit_test(the_ieee_model_saturates_halves),
        cmocka_unit_test(destination_may_be_the_addend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
