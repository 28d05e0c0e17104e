/*
 * Every f16 and every 16-bit integer through the one-operand instructions, in every mode that has a say, against MPFR:
 * these spaces are small enough to leave nothing out. Then f32 to the 16-bit formats, with every upper half and lower
 * halves on either side of a middle.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/float_truth.h"
#include "tests/support/lane_op.h"

enum { N = 1 << 16 };

static uint64_t in[N], out[N];

/* MODE's fields for f16; the same for f32. */
static uint32_t mode_bits(struct truth_mode mode)
{
    uint32_t denormals = (mode.flush_in ? 0u : 1u) | (mode.flush_out ? 0u : 2u);
    return mode.rounding * 5 | denormals << 4 | denormals << 6;
}

static void run_all(const char *mnemonic, struct truth_mode mode)
{
    struct lane_op *op = lane_op_open(mnemonic, 64, mode_bits(mode));
    assert_non_null(op);
    memset(out, 0, sizeof out);
    lane_op_run(op, N, (const uint64_t *[]){in}, out);
    lane_op_close(op);
}

static void expect(const char *mnemonic, struct truth_mode mode, size_t i, uint64_t truth)
{
    if (out[i] != truth)
        fail_msg("%s of %#llx (rounding %u, flush in %d out %d) gives %#llx, not %#llx", mnemonic,
                 (unsigned long long)in[i], mode.rounding, mode.flush_in, mode.flush_out, (unsigned long long)out[i],
                 (unsigned long long)truth);
}

static struct truth_mode mode_of(unsigned m)
{
    return (struct truth_mode){.rounding = m & 3, .flush_in = !(m >> 2 & 1), .flush_out = !(m >> 3 & 1)};
}

/* What a denormal operand counts as. */
static uint64_t flushed(struct truth_mode mode, uint64_t half)
{
    return mode.flush_in && !(half & 0x7c00) ? half & 0x8000 : half;
}

static uint64_t quiet(uint64_t half)
{
    return half | 0x200;
}

static void every_f16_widens(void **state)
{
    (void)state;
    for (unsigned m = 0; m < 16; m++) {
        struct truth_mode mode = mode_of(m);
        for (size_t i = 0; i < N; i++)
            in[i] = i;
        run_all("v_cvt_f32_f16", mode);
        for (size_t i = 0; i < N; i++)
            expect("v_cvt_f32_f16", mode, i, truth_convert(&truth_f16, &truth_f32, mode, i));
    }
}

struct to_integer {
    const char *mnemonic;
    mpfr_rnd_t direction;
};

/* To an integer as a float: the operand's sign stays on a zero. */
static uint64_t integer_of(struct truth_mode mode, mpfr_rnd_t direction, uint64_t half)
{
    if (truth_is_nan(&truth_f16, half))
        return quiet(half);
    mpfr_t value;
    mpfr_init2(value, 64);
    truth_load(&truth_f16, flushed(mode, half), value);
    if (!mpfr_inf_p(value))
        mpfr_rint(value, value, direction);
    uint64_t bits = truth_round(&truth_f16, (struct truth_mode){0}, value);
    mpfr_clear(value);
    return bits;
}

static void every_f16_rounds_to_an_integer(void **state)
{
    (void)state;
    static const struct to_integer operations[] = {
        {"v_trunc_f16", MPFR_RNDZ}, {"v_floor_f16", MPFR_RNDD}, {"v_ceil_f16", MPFR_RNDU}, {"v_rndne_f16", MPFR_RNDN}};
    for (size_t i = 0; i < N; i++)
        in[i] = i;
    for (size_t k = 0; k < sizeof operations / sizeof *operations; k++) {
        for (unsigned m = 0; m < 16; m += 5) {
            struct truth_mode mode = mode_of(m);
            run_all(operations[k].mnemonic, mode);
            for (size_t i = 0; i < N; i++)
                expect(operations[k].mnemonic, mode, i, integer_of(mode, operations[k].direction, i));
        }
    }
}

/* x - floor(x), rounded, and kept below 1. */
static uint64_t fraction_of(struct truth_mode mode, uint64_t half)
{
    if (truth_is_nan(&truth_f16, half))
        return quiet(half);
    mpfr_t value, floor;
    mpfr_inits2(64, value, floor, (mpfr_ptr)0);
    truth_load(&truth_f16, flushed(mode, half), value);
    uint64_t bits = truth_made_nan(&truth_f16);
    if (!mpfr_inf_p(value)) {
        mpfr_floor(floor, value);
        mpfr_sub(value, value, floor, mode.rounding == 2 ? MPFR_RNDD : MPFR_RNDN); /* exact; the sign of a zero */
        bits = truth_round(&truth_f16, mode, value);
    }
    mpfr_clears(value, floor, (mpfr_ptr)0);
    return bits == 0x3c00 ? 0x3bff : bits;
}

static void every_f16_has_its_fraction(void **state)
{
    (void)state;
    for (size_t i = 0; i < N; i++)
        in[i] = i;
    for (unsigned m = 0; m < 16; m++) {
        struct truth_mode mode = mode_of(m);
        run_all("v_fract_f16", mode);
        for (size_t i = 0; i < N; i++)
            expect("v_fract_f16", mode, i, fraction_of(mode, i));
    }
}

static void every_f16_splits(void **state)
{
    (void)state;
    for (size_t i = 0; i < N; i++)
        in[i] = i;
    for (unsigned m = 0; m < 16; m += 5) {
        struct truth_mode mode = mode_of(m);
        for (int wants_exponent = 0; wants_exponent < 2; wants_exponent++) {
            const char *mnemonic = wants_exponent ? "v_frexp_exp_i16_f16" : "v_frexp_mant_f16";
            run_all(mnemonic, mode);
            for (size_t i = 0; i < N; i++) {
                mpfr_t value;
                mpfr_exp_t exponent = 0;
                mpfr_init2(value, 64);
                bool is_nan = truth_is_nan(&truth_f16, i);
                if (!is_nan)
                    truth_load(&truth_f16, flushed(mode, i), value);
                if (!is_nan && mpfr_regular_p(value))
                    mpfr_frexp(&exponent, value, value, MPFR_RNDN);
                uint64_t mantissa = is_nan ? quiet(i) : truth_round(&truth_f16, mode, value);
                mpfr_clear(value);
                expect(mnemonic, mode, i, wants_exponent ? (uint64_t)exponent & 0xffff : mantissa);
            }
        }
    }
}

static void every_integer_becomes_an_f16(void **state)
{
    (void)state;
    for (size_t i = 0; i < N; i++)
        in[i] = i;
    for (unsigned m = 0; m < 16; m++) {
        struct truth_mode mode = mode_of(m);
        for (int is_signed = 0; is_signed < 2; is_signed++) {
            const char *mnemonic = is_signed ? "v_cvt_f16_i16" : "v_cvt_f16_u16";
            run_all(mnemonic, mode);
            for (size_t i = 0; i < N; i++) {
                mpfr_t value;
                mpfr_init2(value, 64);
                mpfr_set_si(value, is_signed ? (int16_t)i : (long)i, MPFR_RNDN);
                expect(mnemonic, mode, i, truth_round(&truth_f16, mode, value));
                mpfr_clear(value);
            }
        }
    }
}

/* Lower halves that end a fraction, stand at a middle of f16 or bf16 or beside one. */
static void f32_narrows(const char *chip, const char *mnemonic, const struct truth_format *to, bool follows_rounding,
                        bool is_pair)
{
    static const uint16_t lower[] = {0, 1, 0x0fff, 0x1000, 0x1001, 0x7fff, 0x8000, 0x8001, 0xffff};
    for (unsigned m = 0; m < 16; m++) {
        struct truth_mode mode = mode_of(m), rounds = mode;
        rounds.rounding = follows_rounding ? mode.rounding : 0;
        unsigned which = m % (sizeof lower / sizeof *lower);
        for (size_t i = 0; i < N; i++)
            in[i] = i << 16 | lower[(which + i) % (sizeof lower / sizeof *lower)];
        struct lane_op *op = lane_op_open_on(chip, mnemonic, 64, mode_bits(mode));
        assert_non_null(op);
        lane_op_run(op, N, (const uint64_t *[]){in, in}, out);
        lane_op_close(op);
        for (size_t i = 0; i < N; i++) {
            uint64_t half = truth_convert(&truth_f32, to, rounds, in[i]);
            out[i] &= is_pair ? 0xffffffff : 0xffff;
            expect(mnemonic, mode, i, is_pair ? half | half << 16 : half);
        }
    }
}

static void f32_narrows_to_16_bits(void **state)
{
    (void)state;
    f32_narrows("gfx1151", "v_cvt_f16_f32", &truth_f16, true, false);
    f32_narrows("gfx950", "v_cvt_pk_f16_f32", &truth_f16, false, true);
    f32_narrows("gfx950", "v_cvt_pk_bf16_f32", &truth_bf16, false, true);
}

/* Toward zero whatever MODE says; a number never becomes infinite. */
static void packing_cuts_toward_zero(void **state)
{
    (void)state;
    for (unsigned m = 0; m < 16; m++) {
        struct truth_mode mode = mode_of(m), cut = mode;
        cut.rounding = 3;
        for (size_t i = 0; i < N; i++)
            in[i] = i << 16 | (i * 0x9e37 & 0xffff);
        struct lane_op *op = lane_op_open("v_cvt_pk_rtz_f16_f32", 64, mode_bits(mode));
        assert_non_null(op);
        lane_op_run(op, N, (const uint64_t *[]){in, in}, out);
        lane_op_close(op);
        for (size_t i = 0; i < N; i++) {
            uint64_t half = truth_convert(&truth_f32, &truth_f16, cut, in[i]);
            expect("v_cvt_pk_rtz_f16_f32", mode, i, half | half << 16);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_f16_widens),
        cmocka_unit_test(every_f16_rounds_to_an_integer),
        cmocka_unit_test(every_f16_has_its_fraction),
        cmocka_unit_test(every_f16_splits),
        cmocka_unit_test(every_integer_becomes_an_f16),
        cmocka_unit_test(f32_narrows_to_16_bits),
        cmocka_unit_test(packing_cuts_toward_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
