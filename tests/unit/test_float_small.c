/*
 * fp8 and bf8 conversions of gfx942, gfx950 and gfx12 against the formats' definitions: every byte, and every f32 whose
 * lower half is on either side of a middle. A wrong bias, a NaN taken for a number, an overflow that wraps, a tie to the
 * odd neighbour or a random bit at the wrong place fails here: it is a factor of two in every quantised weight.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contract/base/random.h"
#include "tests/support/float_truth.h"
#include "tests/support/lane_op.h"
#include "tests/support/small_truth.h"
#include "tests/support/wave_runner.h"

static const struct chip_formats {
    const char *chip;
    const struct small_truth *fp8, *bf8;
    bool saturates_infinity;
} chips[] = {
    {"gfx942", &small_truth_fp8_fnuz, &small_truth_bf8_fnuz, true},
    {"gfx950", &small_truth_fp8, &small_truth_bf8, true},
    {"gfx1201", &small_truth_fp8, &small_truth_bf8, false},
};
enum { N_CHIPS = sizeof chips / sizeof *chips, BATCH = 1 << 12 };

static float as_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

static uint32_t as_bits(double value)
{
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, 4);
    return value != value ? 0xffc00000 : bits;
}

static struct lane_op *open_on(const char *chip, const char *mnemonic, uint32_t mode)
{
    struct lane_op *op = lane_op_open_on(chip, mnemonic, 64, mode);
    assert_non_null(op);
    return op;
}

static void every_byte_is_its_number(void **state)
{
    (void)state;
    uint64_t byte[256], result[256];
    for (unsigned code = 0; code < 256; code++)
        byte[code] = 0xabcdef00u | code;
    for (int c = 0; c < N_CHIPS; c++) {
        for (int is_bf8 = 0; is_bf8 < 2; is_bf8++) {
            struct lane_op *op = open_on(chips[c].chip, is_bf8 ? "v_cvt_f32_bf8" : "v_cvt_f32_fp8", LANE_OP_PLAIN_MODE);
            lane_op_run(op, 256, (const uint64_t *[]){byte}, result);
            lane_op_close(op);
            for (unsigned code = 0; code < 256; code++) {
                uint32_t truth = as_bits(small_truth_value(is_bf8 ? chips[c].bf8 : chips[c].fp8, code));
                if ((uint32_t)result[code] != truth)
                    fail_msg("%s %s %#x gives %#x, not %#x", chips[c].chip, is_bf8 ? "bf8" : "fp8", code,
                             (uint32_t)result[code], truth);
            }
        }
    }
}

/* Every upper half with lower halves that end a fraction, stand at a middle or beside one. */
static uint32_t dense_f32(size_t i)
{
    static const uint16_t lower[] = {0, 1, 0x7fff, 0x8000, 0x8001, 0xffff};
    return (uint32_t)(i / 6) << 16 | lower[i % 6];
}

static void check_encoding(const struct chip_formats *chip, const struct small_truth *format, bool saturate)
{
    static uint64_t a[BATCH], b[BATCH], result[BATCH];
    const char *mnemonic = format->name[0] == 'b' ? "v_cvt_pk_bf8_f32" : "v_cvt_pk_fp8_f32";
    uint32_t mode = LANE_OP_PLAIN_MODE | (saturate ? (uint32_t)MODE_FP16_OVFL : 0u);
    struct lane_op *op = open_on(chip->chip, mnemonic, mode);
    struct small_truth_rounding how = {.saturate = saturate, .saturates_infinity = chip->saturates_infinity};
    for (size_t first = 0; first < 6 * 65536; first += BATCH) {
        for (size_t i = 0; i < BATCH; i++) {
            a[i] = dense_f32(first + i);
            b[i] = a[i] ^ 0x80000000u;
            result[i] = 0xa5a50000;
        }
        lane_op_run(op, BATCH, (const uint64_t *[]){a, b}, result);
        for (size_t i = 0; i < BATCH; i++) {
            uint32_t low = small_truth_code(format, how, as_float((uint32_t)a[i]));
            uint32_t truth = 0xa5a50000u | low | small_truth_code(format, how, as_float((uint32_t)b[i])) << 8;
            if ((uint32_t)result[i] != truth)
                fail_msg("%s %s saturate %d: %#x gives %#x, not %#x", chip->chip, mnemonic, saturate, (uint32_t)a[i],
                         (uint32_t)result[i], truth);
        }
    }
    lane_op_close(op);
}

typedef void check_format(const struct chip_formats *chip, const struct small_truth *format, bool saturate);

static void on_each_format(check_format *check)
{
    for (int c = 0; c < N_CHIPS; c++) {
        for (int saturate = 0; saturate < 2; saturate++) {
            check(&chips[c], chips[c].fp8, saturate);
            check(&chips[c], chips[c].bf8, saturate);
        }
    }
}

static void encoding_rounds_to_the_nearest(void **state)
{
    (void)state;
    on_each_format(check_encoding);
}

static void check_stochastic(const struct chip_formats *chip, const struct small_truth *format, bool saturate)
{
    static uint64_t a[BATCH], random[BATCH], result[BATCH];
    const char *mnemonic = format->name[0] == 'b' ? "v_cvt_sr_bf8_f32" : "v_cvt_sr_fp8_f32";
    struct random_key key = random_key_for(21, mnemonic);
    uint32_t mode = LANE_OP_PLAIN_MODE | (saturate ? (uint32_t)MODE_FP16_OVFL : 0u);
    struct lane_op *op = open_on(chip->chip, mnemonic, mode);
    for (size_t i = 0; i < BATCH; i++) {
        bool in_range = random_below(key, 4 * i, 4) != 0; /* near the format's numbers */
        uint32_t exponent = (uint32_t)(127 - format->bias - 5) + (uint32_t)random_below(key, 4 * i + 1, 40);
        uint64_t bits = random_bits(key, 4 * i + 2);
        a[i] = in_range ? (bits & 0x807fffff) | exponent << 23 : truth_interesting(&truth_f32, bits, bits >> 20);
        random[i] = i % 3 == 0 ? UINT32_MAX : i % 3 == 1 ? 0 : random_bits(key, 4 * i + 3) & 0xffffffff;
        result[i] = 0x5a5a5a5a;
    }
    lane_op_run(op, BATCH, (const uint64_t *[]){a, random}, result);
    lane_op_close(op);
    for (size_t i = 0; i < BATCH; i++) {
        struct small_truth_rounding how = {.saturate = saturate,
                                           .saturates_infinity = chip->saturates_infinity,
                                           .stochastic = true,
                                           .random = (uint32_t)random[i]};
        uint32_t truth = 0x5a5a5a00u | small_truth_code(format, how, as_float((uint32_t)a[i]));
        if ((uint32_t)result[i] != truth)
            fail_msg("%s %s: %#x with %#x gives %#x, not %#x", chip->chip, mnemonic, (uint32_t)a[i], (uint32_t)random[i],
                     (uint32_t)result[i], truth);
    }
}

static void random_bits_decide_the_direction(void **state)
{
    (void)state;
    on_each_format(check_stochastic);
}

/* What the text selects: bytes and halves of sources and results. 0x38 is 1.0 in the OCP's fp8, 0x40 is 2.0. */
static void texts_select_bytes_and_halves(void **state)
{
    (void)state;
    static const struct {
        const char *chip, *text;
        uint32_t source, before, low, high;
    } cases[] = {
        {"gfx1201", "v_cvt_f32_fp8_e64 v0, v2 byte_sel:2", 0x00380000, 0, 0x3f800000, 0},
        {"gfx1201", "v_cvt_f32_fp8_e64 v0, v2 byte_sel:1", 0x00003800, 0, 0x3f800000, 0},
        {"gfx1201", "v_cvt_pk_f32_fp8_e64 v[0:1], v2.h", 0x40380000, 0, 0x3f800000, 0x40000000},
        {"gfx1201", "v_cvt_pk_fp8_f32 v0.h, v2, -v2", 0x3f800000, 0x11112222, 0xb8382222, 0},
        {"gfx950", "v_cvt_f32_fp8_sdwa v0, v2 src0_sel:BYTE_3", 0x38000000, 0, 0x3f800000, 0},
        {"gfx950", "v_cvt_pk_f32_fp8_sdwa v[0:1], v2 src0_sel:WORD_1", 0x40380000, 0, 0x3f800000, 0x40000000},
        {"gfx950", "v_cvt_pk_f32_fp8_e32 v[0:1], v2", 0x00004038, 0, 0x3f800000, 0x40000000},
        {"gfx950", "v_cvt_pk_fp8_f32 v0, v2, v2 op_sel:[0,0,1]", 0x3f800000, 0x11112222, 0x38382222, 0},
        {"gfx950", "v_cvt_pk_fp8_f32 v0, v2, v2", 0x3f800000, 0x11112222, 0x11113838, 0},
        {"gfx942", "v_cvt_pk_fp8_f32 v0, v2, v2", 0x3f800000, 0x11112222, 0x11114040, 0}, /* FNUZ: bias 8 */
        {"gfx950", "v_cvt_sr_fp8_f32 v0, v2, v4 op_sel:[0,0,0,1]", 0x3f800000, 0x11112222, 0x11382222, 0},
        {"gfx1201", "v_cvt_sr_fp8_f32 v0, v2, v4 byte_sel:3", 0x3f800000, 0x11112222, 0x38112222, 0},
        {"gfx950", "v_cvt_sr_bf16_f32 v0, v2, v4 op_sel:[0,0,1]", 0x3f80ffff, 0x11112222, 0x3f802222, 0},
        {"gfx950", "v_cvt_sr_f16_f32 v0, v2, v4", 0x3f801fff, 0x11112222, 0x11113c00, 0},
        {"gfx950", "v_cvt_pk_bf16_f32 v0, v2, -v2", 0x3f808001, 0, 0xbf813f81, 0},
        {"gfx950", "v_cvt_pk_f16_f32 v0, |v2|, v2", 0xbf801001, 0, 0xbc013c01, 0},
        {"gfx950", "v_cvt_f32_bf16_sdwa v0, v2 src0_sel:WORD_1", 0x3f801234, 0, 0x3f800000, 0},
        {"gfx950", "v_cvt_f32_bf16_e32 v0, v2", 0x3f801234, 0, 0x12340000, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wave_runner *runner = wave_runner_open(cases[i].chip, !strcmp(cases[i].chip, "gfx1201") ? 32 : 64);
        assert_non_null(runner);
        wave_runner_vgpr(runner, 0)[5] = cases[i].before;
        wave_runner_vgpr(runner, 2)[5] = cases[i].source;
        assert_true(wave_runner_run(runner, cases[i].text));
        if (wave_runner_vgpr(runner, 0)[5] != cases[i].low || wave_runner_vgpr(runner, 1)[5] != cases[i].high)
            fail_msg("%s %s: %#x %#x, not %#x %#x", cases[i].chip, cases[i].text, wave_runner_vgpr(runner, 0)[5],
                     wave_runner_vgpr(runner, 1)[5], cases[i].low, cases[i].high);
        wave_runner_close(runner);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_is_its_number),
        cmocka_unit_test(encoding_rounds_to_the_nearest),
        cmocka_unit_test(random_bits_decide_the_direction),
        cmocka_unit_test(texts_select_bytes_and_halves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
