/*
 * Packed f16 and integer arithmetic and fma_mix against operations on single halves, under every choice of halves and
 * signs. A half taken from the wrong place, a sign flipped on the wrong one or a second rounding fails here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contract/base/random.h"
#include "tests/support/float_truth.h"
#include "tests/support/lane_op.h"

enum { N_CASES = 512 };

struct choice {
    unsigned op_sel, op_sel_hi, neg_lo, neg_hi;
};

static struct choice draw_choice(struct random_key key, uint64_t n)
{
    if (n == 0)
        return (struct choice){0, 7, 0, 0};
    return (struct choice){(unsigned)random_below(key, 4 * n, 8), (unsigned)random_below(key, 4 * n + 1, 8),
                           (unsigned)random_below(key, 4 * n + 2, 8), (unsigned)random_below(key, 4 * n + 3, 8)};
}

static void choose(struct lane_op *op, struct choice choice)
{
    op->instruction.op_sel = (uint8_t)choice.op_sel;
    op->instruction.op_sel_hi = (uint8_t)choice.op_sel_hi;
    op->instruction.neg_lo = (uint8_t)choice.neg_lo;
    op->instruction.neg_hi = (uint8_t)choice.neg_hi;
}

/* Source k's half for the low or high result. */
static uint64_t half_of(struct choice choice, int k, bool high, uint64_t word, bool negates)
{
    bool from_high = (high ? choice.op_sel_hi : choice.op_sel) >> k & 1;
    bool negate = negates && ((high ? choice.neg_hi : choice.neg_lo) >> k & 1);
    return ((from_high ? word >> 16 : word) & 0xffff) ^ (negate ? 0x8000 : 0);
}

static void draw_words(const char *name, uint64_t *words)
{
    struct random_key key = random_key_for(12, name);
    for (size_t i = 0; i < N_CASES; i++)
        words[i] = truth_interesting(&truth_f16, random_bits(key, 4 * i), random_bits(key, 4 * i + 1)) |
                   truth_interesting(&truth_f16, random_bits(key, 4 * i + 2), random_bits(key, 4 * i + 3)) << 16;
}

struct packed_f16 {
    const char *mnemonic;
    enum truth_operation operation;
    int n_sources;
};

static const struct packed_f16 packed_f16s[] = {
    {"v_pk_add_f16", TRUTH_ADD, 2}, {"v_pk_mul_f16", TRUTH_MULTIPLY, 2}, {"v_pk_fma_f16", TRUTH_FMA, 3}};

static void packed_f16_is_two_f16(void **state)
{
    (void)state;
    static uint64_t a[N_CASES], b[N_CASES], c[N_CASES], result[N_CASES];
    draw_words("packed a", a);
    draw_words("packed b", b);
    draw_words("packed c", c);
    for (size_t n = 0; n < 3; n++) {
        struct random_key key = random_key_for(13, packed_f16s[n].mnemonic);
        struct lane_op *op = lane_op_open(packed_f16s[n].mnemonic, 32, 0);
        assert_non_null(op);
        for (unsigned m = 0; m < 16; m++) {
            struct choice choice = draw_choice(key, 15 - m); /* the plain choice in the plain mode */
            unsigned rounding = (m + 1) % 4, denormals = m >> 2;
            lane_op_set_mode(op, rounding << 2 | denormals << 6);
            choose(op, choice);
            memset(result, 0, sizeof result);
            lane_op_run(op, N_CASES, (const uint64_t *[]){a, b, c}, result);
            struct truth_mode mode = {.rounding = rounding, .flush_in = !(denormals & 1), .flush_out = !(denormals & 2)};
            for (size_t i = 0; i < N_CASES; i++) {
                uint64_t half[2];
                for (int high = 0; high < 2; high++)
                    half[high] =
                        truth_operation(&truth_f16, mode, packed_f16s[n].operation, half_of(choice, 0, high, a[i], true),
                                        half_of(choice, 1, high, b[i], true), half_of(choice, 2, high, c[i], true));
                if (result[i] != (half[0] | half[1] << 16))
                    fail_msg("%s mode %u: %#llx %#llx %#llx gives %#llx, not %#llx", packed_f16s[n].mnemonic, m,
                             (unsigned long long)a[i], (unsigned long long)b[i], (unsigned long long)c[i],
                             (unsigned long long)result[i], (unsigned long long)(half[0] | half[1] << 16));
            }
        }
        lane_op_close(op);
    }
}

/* fmac's accumulator is its destination, both halves. */
static void packed_fmac_accumulates(void **state)
{
    (void)state;
    struct lane_op *op = lane_op_open("v_pk_fmac_f16", 32, LANE_OP_PLAIN_MODE);
    uint64_t a = 0x40003c00, b = 0x42004200, result = 0x3c004000; /* 1*3 + 2, 2*3 + 1 */
    lane_op_run(op, 1, (const uint64_t *[]){&a, &b}, &result);
    assert_int_equal(result, 0x47004500);
    lane_op_close(op);
}

/* ---- packed f32 ---- */

static void draw_pairs(const char *name, uint64_t *pairs)
{
    struct random_key key = random_key_for(14, name);
    for (size_t i = 0; i < N_CASES; i++)
        pairs[i] = truth_interesting(&truth_f32, random_bits(key, 4 * i), random_bits(key, 4 * i + 1)) |
                   truth_interesting(&truth_f32, random_bits(key, 4 * i + 2), random_bits(key, 4 * i + 3)) << 32;
}

static uint64_t dword_of(struct choice choice, int k, bool high, uint64_t pair)
{
    bool from_high = (high ? choice.op_sel_hi : choice.op_sel) >> k & 1;
    bool negate = (high ? choice.neg_hi : choice.neg_lo) >> k & 1;
    return ((from_high ? pair >> 32 : pair) & 0xffffffff) ^ (negate ? 0x80000000 : 0);
}

static const struct packed_f16 packed_f32s[] = {
    {"v_pk_add_f32", TRUTH_ADD, 2}, {"v_pk_mul_f32", TRUTH_MULTIPLY, 2}, {"v_pk_fma_f32", TRUTH_FMA, 3}};

static void packed_f32_is_two_f32(void **state)
{
    (void)state;
    static uint64_t a[N_CASES], b[N_CASES], c[N_CASES], result[N_CASES];
    draw_pairs("pairs a", a);
    draw_pairs("pairs b", b);
    draw_pairs("pairs c", c);
    for (size_t n = 0; n < 3; n++) {
        struct random_key key = random_key_for(15, packed_f32s[n].mnemonic);
        struct lane_op *op = lane_op_open_on("gfx90a", packed_f32s[n].mnemonic, 64, 0);
        assert_non_null(op);
        for (unsigned m = 0; m < 16; m++) {
            struct choice choice = draw_choice(key, 15 - m);
            lane_op_set_mode(op, m % 4 | m >> 2 << 4);
            choose(op, choice);
            lane_op_run(op, N_CASES, (const uint64_t *[]){a, b, c}, result);
            struct truth_mode mode = {.rounding = m % 4, .flush_in = !(m >> 2 & 1), .flush_out = !(m >> 2 & 2)};
            for (size_t i = 0; i < N_CASES; i++) {
                uint64_t half[2];
                for (int high = 0; high < 2; high++)
                    half[high] =
                        truth_operation(&truth_f32, mode, packed_f32s[n].operation, dword_of(choice, 0, high, a[i]),
                                        dword_of(choice, 1, high, b[i]), dword_of(choice, 2, high, c[i]));
                if (result[i] != (half[0] | half[1] << 32))
                    fail_msg("%s mode %u: %#llx %#llx %#llx gives %#llx, not %#llx", packed_f32s[n].mnemonic, m,
                             (unsigned long long)a[i], (unsigned long long)b[i], (unsigned long long)c[i],
                             (unsigned long long)result[i], (unsigned long long)(half[0] | half[1] << 32));
            }
        }
        lane_op_close(op);
    }
}

/* ---- integers ---- */

static int64_t as_signed(uint64_t half)
{
    return (int16_t)half;
}

static int64_t clamp_between(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

static int64_t integer_truth(const char *name, uint64_t x, uint64_t y, uint64_t z, bool clamp)
{
    int64_t sx = as_signed(x), sy = as_signed(y), sz = as_signed(z), ux = (int64_t)x, uy = (int64_t)y, uz = (int64_t)z;
    int64_t least = strstr(name, "u16") ? 0 : -32768, most = strstr(name, "u16") ? 65535 : 32767;
    int64_t value = !strcmp(name, "v_pk_add_i16")       ? sx + sy
                    : !strcmp(name, "v_pk_sub_i16")     ? sx - sy
                    : !strcmp(name, "v_pk_mad_i16")     ? sx * sy + sz
                    : !strcmp(name, "v_pk_add_u16")     ? ux + uy
                    : !strcmp(name, "v_pk_sub_u16")     ? ux - uy
                    : !strcmp(name, "v_pk_mad_u16")     ? ux * uy + uz
                    : !strcmp(name, "v_pk_mul_lo_u16")  ? (ux * uy) & 0xffff
                    : !strcmp(name, "v_pk_min_i16")     ? (sx < sy ? sx : sy)
                    : !strcmp(name, "v_pk_max_i16")     ? (sx > sy ? sx : sy)
                    : !strcmp(name, "v_pk_min_u16")     ? (ux < uy ? ux : uy)
                    : !strcmp(name, "v_pk_max_u16")     ? (ux > uy ? ux : uy)
                    : !strcmp(name, "v_pk_lshlrev_b16") ? uy << (x & 15)
                    : !strcmp(name, "v_pk_lshrrev_b16") ? uy >> (x & 15)
                                                        : sy >> (x & 15); /* v_pk_ashrrev_i16 */
    return clamp ? clamp_between(value, least, most) : value;
}

struct packed_integer {
    const char *mnemonic;
    bool clamps;
};

static const struct packed_integer packed_integers[] = {
    {"v_pk_add_i16", true},      {"v_pk_sub_i16", true},     {"v_pk_mad_i16", true},     {"v_pk_add_u16", true},
    {"v_pk_sub_u16", true},      {"v_pk_mad_u16", true},     {"v_pk_mul_lo_u16", false}, {"v_pk_min_i16", false},
    {"v_pk_max_i16", false},     {"v_pk_min_u16", false},    {"v_pk_max_u16", false},    {"v_pk_lshlrev_b16", false},
    {"v_pk_lshrrev_b16", false}, {"v_pk_ashrrev_i16", false}};

static void packed_integers_are_two_integers(void **state)
{
    (void)state;
    static uint64_t a[N_CASES], b[N_CASES], c[N_CASES], result[N_CASES];
    struct random_key key = random_key_for(14, "integers");
    for (size_t i = 0; i < N_CASES; i++) {
        a[i] = (uint32_t)random_bits(key, 3 * i), b[i] = (uint32_t)random_bits(key, 3 * i + 1),
        c[i] = (uint32_t)random_bits(key, 3 * i + 2);
        if (i % 4 == 0)
            b[i] = a[i] & 0xffff00ff; /* equal halves too */
    }
    for (size_t n = 0; n < sizeof packed_integers / sizeof *packed_integers; n++) {
        const struct packed_integer *p = &packed_integers[n];
        for (unsigned run = 0; run < 4; run++) {
            struct lane_op *op = lane_op_open(p->mnemonic, 64, LANE_OP_PLAIN_MODE);
            assert_non_null(op);
            struct choice choice = draw_choice(key, run);
            choice.neg_lo = choice.neg_hi = 0;
            choose(op, choice);
            bool clamp = p->clamps && run % 2;
            op->instruction.flags = clamp ? FLAG_CLAMP : 0;
            memset(result, 0, sizeof result);
            lane_op_run(op, N_CASES, (const uint64_t *[]){a, b, c}, result);
            for (size_t i = 0; i < N_CASES; i++) {
                uint64_t truth = 0;
                for (int high = 0; high < 2; high++)
                    truth |= ((uint64_t)integer_truth(p->mnemonic, half_of(choice, 0, high, a[i], false),
                                                      half_of(choice, 1, high, b[i], false),
                                                      half_of(choice, 2, high, c[i], false), clamp) &
                              0xffff)
                             << (16 * high);
                if (result[i] != truth)
                    fail_msg("%s: %#llx %#llx %#llx gives %#llx, not %#llx", p->mnemonic, (unsigned long long)a[i],
                             (unsigned long long)b[i], (unsigned long long)c[i], (unsigned long long)result[i],
                             (unsigned long long)truth);
            }
            lane_op_close(op);
        }
    }
}

/* ---- fma_mix ---- */

/* Source k as an f32: op_sel_hi makes it an f16 half, which op_sel picks; then abs, then neg. */
static uint64_t mix_truth_source(struct choice choice, const unsigned *modifiers, struct truth_mode mode, int k,
                                 uint64_t word)
{
    uint64_t value = word;
    if (choice.op_sel_hi >> k & 1) {
        uint64_t half = choice.op_sel >> k & 1 ? word >> 16 : word & 0xffff;
        bool nan = truth_is_nan(&truth_f16, half);
        value = truth_convert(&truth_f16, &truth_f32, (struct truth_mode){.flush_in = mode.flush_in}, half);
        if (nan) /* not quieted yet, as far as can be seen: the result is */
            value |= 0x400000;
    }
    value &= modifiers[k] & MODIFIER_ABS ? 0x7fffffff : 0xffffffff;
    return value ^ (modifiers[k] & MODIFIER_NEG ? 0x80000000 : 0);
}

static void check_mix(const char *mnemonic, int kind)
{
    static uint64_t word[3][N_CASES], result[N_CASES];
    struct random_key key = random_key_for(15, mnemonic);
    for (int k = 0; k < 3; k++) {
        draw_words(k == 0 ? "mix a" : k == 1 ? "mix b" : "mix c", word[k]);
        for (size_t i = k; i < N_CASES; i += 3)
            word[k][i] = truth_interesting(&truth_f32, random_bits(key, 6 * i), random_bits(key, 6 * i + 1));
    }
    for (unsigned run = 0; run < 16; run++) {
        struct lane_op *op = lane_op_open(mnemonic, 32, LANE_OP_PLAIN_MODE);
        assert_non_null(op);
        struct choice choice = draw_choice(key, run + 1);
        unsigned modifiers[3];
        for (int k = 0; k < 3; k++)
            op->instruction.src[k].modifiers =
                (uint8_t)(modifiers[k] = run ? (unsigned)random_below(key, 1000 + run * 3 + (uint64_t)k, 4) : 0);
        choice.neg_lo = choice.neg_hi = 0;
        choose(op, choice);
        unsigned rounding = run % 2 ? run / 2 % 4 : 0, denormals = run % 2 && run > 8 ? 0 : 3;
        lane_op_set_mode(op, rounding * 5 | denormals * 0x50);
        struct truth_mode mode = {.rounding = rounding, .flush_in = !denormals, .flush_out = !denormals};
        memset(result, 0x5a, sizeof result);
        lane_op_run(op, N_CASES, (const uint64_t *[]){word[0], word[1], word[2]}, result);
        for (size_t i = 0; i < N_CASES; i++) {
            uint64_t x[3];
            for (int k = 0; k < 3; k++)
                x[k] = mix_truth_source(choice, modifiers, mode, k, word[k][i]);
            uint64_t truth = truth_fma_convert(&truth_f32, kind ? &truth_f16 : &truth_f32, mode, x[0], x[1], x[2]);
            if (kind == 1)
                truth |= 0x5a5a0000;
            if (kind == 2)
                truth = truth << 16 | 0x5a5a;
            if ((uint32_t)result[i] != truth)
                fail_msg("%s run %u: %#llx %#llx %#llx gives %#x, not %#llx", mnemonic, run, (unsigned long long)word[0][i],
                         (unsigned long long)word[1][i], (unsigned long long)word[2][i], (uint32_t)result[i],
                         (unsigned long long)truth);
        }
        lane_op_close(op);
    }
}

static void mixed_fma_takes_either_format(void **state)
{
    (void)state;
    check_mix("v_fma_mix_f32", 0);
    check_mix("v_fma_mixlo_f16", 1);
    check_mix("v_fma_mixhi_f16", 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_f16_is_two_f16),         cmocka_unit_test(packed_fmac_accumulates),
        cmocka_unit_test(packed_f32_is_two_f32),         cmocka_unit_test(packed_integers_are_two_integers),
        cmocka_unit_test(mixed_fma_takes_either_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
