/*
 * Everyday HIP kernels, compiled at -O0 and at -O3, run on the emulator: their arithmetic gives the host's bits wherever it
 * is specified, and keeps to documented ulps elsewhere.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "records/chips.h"
#include "reference/audit.h"
#include "reference/format.h"
#include "tests/support/dot_model.h"
#include "tests/support/everyday.h"

enum { N = 1000, BLOCK = 256, GRID = (N + BLOCK - 1) / BLOCK };

static int32_t saturated(int64_t value)
{
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
}

/* The step of the chip that runs: gfx11's and gfx12's adders, and a chain of fused multiply-adds before them. */
static float expected_dot2(float acc, const double p[2], const double q[2])
{
    enum chip_family family = chip_find(everyday_build()->chip)->family;
    if (family == CHIP_RDNA3 || family == CHIP_RDNA35)
        return dot2_gfx11(FORMAT_F16, acc, p, q);
    if (family == CHIP_RDNA4)
        return dot2_gfx12(FORMAT_F16, acc, p, q);
    return fmaf((float)p[1], (float)q[1], fmaf((float)p[0], (float)q[0], acc));
}

/* Mixed signs are RDNA3's and later. */
static bool has_mixed_dot4(void)
{
    enum chip_family family = chip_find(everyday_build()->chip)->family;
    return family == CHIP_RDNA3 || family == CHIP_RDNA35 || family == CHIP_RDNA4;
}

static void dot_products_follow_the_chip(void **state)
{
    static uint16_t a[2 * N], b[2 * N];
    static int32_t wrapped[N], clamped[N], expected_wrapped[N], expected_clamped[N];
    static float half_sum[N], expected_half_sum[N];
    for (int i = 0; i < 2 * N; i++) {
        format_store(FORMAT_F16, a, i, draw_float("dot a", i, 4));
        format_store(FORMAT_F16, b, i, draw_float("dot b", i, 4));
    }
    for (int i = 0; i < N; i++) {
        wrapped[i] = (int32_t)draw("dot c", i);
        clamped[i] = i % 3 ? wrapped[i] : INT32_MAX - (int32_t)(draw("dot c", i) % 50000);
        half_sum[i] = draw_float("dot half", i, 8);
        int8_t a8[4], b8[4];
        memcpy(a8, a + 2 * i, 4);
        memcpy(b8, b + 2 * i, 4);
        int64_t same = 0, mixed = 0;
        for (int k = 0; k < 4; k++) {
            same += a8[k] * b8[k];
            mixed += (uint8_t)a8[k] * b8[k];
        }
        expected_wrapped[i] = (int32_t)(uint32_t)(wrapped[i] + same);
        expected_clamped[i] = saturated(clamped[i] + mixed);
        double p[2] = {format_load(FORMAT_F16, a, 2 * i), format_load(FORMAT_F16, a, 2 * i + 1)};
        double q[2] = {format_load(FORMAT_F16, b, 2 * i), format_load(FORMAT_F16, b, 2 * i + 1)};
        expected_half_sum[i] = expected_dot2(half_sum[i], p, q);
    }
    call(state, &(struct kernel_call){"dots",
                                      {GRID},
                                      {BLOCK},
                                      0,
                                      {{a, sizeof a},
                                       {b, sizeof b},
                                       {wrapped, sizeof wrapped},
                                       {clamped, sizeof clamped},
                                       {half_sum, sizeof half_sum}},
                                      {N},
                                      1});
    if (has_mixed_dot4()) {
        EXPECT_SAME("dot4 signed", wrapped, expected_wrapped, N, 1);
        EXPECT_SAME("dot4 mixed, clamped", clamped, expected_clamped, N, 1);
    }
    EXPECT_SAME("dot2 of halves", half_sum, expected_half_sum, N, 1);
}

static void matrix_product_is_a_chain_of_fused_multiply_adds(void **state)
{
    enum { ROWS = 33, COLUMNS = 20, DEPTH = 45 };
    static float a[ROWS * DEPTH], b[DEPTH * COLUMNS], c[ROWS * COLUMNS], expected[ROWS * COLUMNS];
    for (int i = 0; i < ROWS * DEPTH; i++)
        a[i] = draw_float("matrix a", i, 1);
    for (int i = 0; i < DEPTH * COLUMNS; i++)
        b[i] = draw_float("matrix b", i, 1);
    memset(expected, 0, sizeof expected);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        for (int k = 0; k < DEPTH; k++)
            expected[i] = fmaf(a[i / COLUMNS * DEPTH + k], b[k * COLUMNS + i % COLUMNS], expected[i]);
    call(state, &(struct kernel_call){"matrix_product",
                                      {2, 3},
                                      {16, 16},
                                      0,
                                      {{a, sizeof a}, {b, sizeof b}, {c, sizeof c}},
                                      {ROWS, COLUMNS, DEPTH},
                                      3});
    EXPECT_SAME("matrix product", c, expected, ROWS * COLUMNS, COLUMNS);
}

static uint8_t byte_of(uint32_t word, int byte)
{
    return (uint8_t)(word >> (8 * byte));
}

static uint32_t reversed(uint32_t word)
{
    uint32_t result = 0;
    for (int i = 0; i < 32; i++)
        result |= (word >> i & 1) << (31 - i);
    return result;
}

static void expected_bits(uint32_t a, uint32_t b, uint32_t o[12])
{
    uint64_t joined = (uint64_t)a << 32 | b;
    o[0] = (uint32_t)__builtin_popcount(a);
    o[1] = a ? (uint32_t)__builtin_clz(a) : 32;
    o[2] = (uint32_t)ffs((int)a);
    o[3] = reversed(a);
    o[4] = (a >> (b & 31)) | (a << (-b & 31));
    o[5] = (uint32_t)((uint64_t)a * b >> 32);
    o[6] = (uint32_t)((int64_t)(int32_t)a * (int32_t)b >> 32);
    o[7] = (uint32_t)(joined >> (b & 31));
    o[8] = (uint32_t)byte_of(b, 0) | (uint32_t)byte_of(a, 2) << 8 | (uint32_t)byte_of(b, 1) << 16 |
           (uint32_t)byte_of(a, 1) << 24;
    o[9] = ((a >> (b & 31)) & 127) ^ (uint32_t)((int32_t)(a << 18) >> 23);
    o[10] = (a & b) | (~a & 0x0f0f0f0fu);
    o[11] = 100;
    uint32_t lerp = 0;
    for (int i = 0; i < 4; i++) {
        o[11] += (uint32_t)abs(byte_of(a, i) - byte_of(b, i));
        lerp |= (uint32_t)((byte_of(a, i) + byte_of(b, i) + 1) >> 1) << (8 * i);
    }
    o[11] += lerp;
}

static void bit_tricks_equal_the_hosts(void **state)
{
    static uint32_t x[N], y[N], out[12 * N], expected[12 * N];
    for (int i = 0; i < N; i++) {
        x[i] = i < 3 ? (uint32_t)(i == 1) * UINT32_MAX : (uint32_t)draw("bits x", i) >> (i % 32);
        y[i] = (uint32_t)draw("bits y", i);
        expected_bits(x[i], y[i], expected + 12 * i);
    }
    call(state, &(struct kernel_call){
                    "bit_tricks", {GRID}, {BLOCK}, 0, {{x, sizeof x}, {y, sizeof y}, {out, sizeof out}}, {N}, 1});
    EXPECT_SAME("bit tricks", out, expected, 12 * N, 12);
}

static void expected_doubles(double a, double b, double o[10])
{
    o[0] = a + b;
    o[1] = a * b - a;
    o[2] = a / b;
    o[3] = sqrt(fabs(a));
    o[4] = fma(a, b, -a);
    o[5] = floor(a) + trunc(b) + rint(a) + ceil(b);
    o[6] = fmin(a, b) - fmax(a, b);
    o[7] = (double)(float)a + (double)(int)b + (double)(unsigned)fabs(a);
    o[8] = a < b ? 1.0 / 3.0 : (a == b ? 2.5 : -a);
    o[9] = ldexp(a, (int)b & 15);
}

static void doubles_divide_root_and_round_as_ieee_says(void **state)
{
    static double x[N], y[N], out[10 * N], expected[10 * N];
    for (int i = 0; i < N; i++) {
        x[i] = (random_unit(random_key_for(13, "doubles x"), (uint64_t)i) - 0.5) * ldexp(1, i % 61 - 30);
        y[i] = i % 50 == 7 ? x[i] : (random_unit(random_key_for(13, "doubles y"), (uint64_t)i) - 0.5) * ldexp(1, i % 31);
        expected_doubles(x[i], y[i], expected + 10 * i);
    }
    call(state,
         &(struct kernel_call){"doubles", {GRID}, {BLOCK}, 0, {{x, sizeof x}, {y, sizeof y}, {out, sizeof out}}, {N}, 1});
    EXPECT_SAME("doubles", out, expected, 10 * N, 10);
}

static void expected_integers64(int64_t a, int64_t y, int64_t o[9])
{
    int64_t b = y | 1;
    uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
    o[0] = (int64_t)(ua + ub);
    o[1] = (int64_t)(ua * ub);
    o[2] = (a / 3) / b;
    o[3] = (a / 5) % b;
    o[4] = (int64_t)(ua / ub);
    o[5] = (int64_t)(ua << (b & 63)) ^ (a >> (b & 63)) ^ (int64_t)(ua >> (a & 63));
    o[6] = a < b ? a : (ua < ub ? b : (int64_t)(0 - ua));
    o[7] = __builtin_popcountll(ua) + __builtin_clzll(ua) + __builtin_ffsll(a);
    o[8] = (int64_t)(uint64_t)((unsigned __int128)ua * ub >> 64);
}

static void integers_of_64_bits_equal_the_hosts(void **state)
{
    static int64_t x[N], y[N], out[9 * N], expected[9 * N];
    for (int i = 0; i < N; i++) {
        x[i] = (int64_t)(draw("long x", i) >> (i % 60)) | 1;
        y[i] = (int64_t)draw("long y", i) >> (i % 63);
        expected_integers64(x[i], y[i], expected + 9 * i);
    }
    call(state, &(struct kernel_call){
                    "integers64", {GRID}, {BLOCK}, 0, {{x, sizeof x}, {y, sizeof y}, {out, sizeof out}}, {N}, 1});
    EXPECT_SAME("64-bit integers", out, expected, 9 * N, 9);
}

static void expected_integers32(int32_t a, int32_t y, int32_t o[9])
{
    int32_t b = y | 1;
    uint32_t ua = (uint32_t)a, ub = (uint32_t)b, least = ua < ub ? ua : ub, most = ua < ub ? ub : ua;
    o[0] = (a / 2) / b;
    o[1] = (a / 2) % b;
    o[2] = (int32_t)(ua / ub);
    o[3] = (int32_t)(ua % ub);
    o[4] = (a < b ? a : b) ^ (a < b ? b : a);
    o[5] = (int32_t)(least + most * 3);
    o[6] = (int32_t)((uint32_t)abs(a >> 1) + ((ua << (b & 31)) ^ (uint32_t)(a >> (b & 31)) ^ (ua >> (b & 31))));
    o[7] = (int16_t)a * (int16_t)b + (int8_t)a + (uint8_t)b + (uint16_t)(a >> 8);
    o[8] = (int32_t)((uint32_t)(a < -1000 ? -1000 : a > 1000 ? 1000 : a) + (ua & 0xffffff) * (ub & 0xffffff));
}

static void integers_of_32_bits_equal_the_hosts(void **state)
{
    static int32_t x[N], y[N], out[9 * N], expected[9 * N];
    for (int i = 0; i < N; i++) {
        x[i] = (int32_t)draw("int x", i) >> (i % 31);
        y[i] = (int32_t)draw("int y", i) >> (i % 29);
        expected_integers32(x[i], y[i], expected + 9 * i);
    }
    call(state, &(struct kernel_call){
                    "integers32", {GRID}, {BLOCK}, 0, {{x, sizeof x}, {y, sizeof y}, {out, sizeof out}}, {N}, 1});
    EXPECT_SAME("32-bit integers", out, expected, 9 * N, 9);
}

static double half(double value)
{
    return format_round(FORMAT_F16, value);
}

/* Sums, products and fused products of these operands are exact in double, so half() rounds once. */
static void expected_halves(double a, double b, uint16_t *o)
{
    const double results[10] = {half(a + b),     half(half(a * b) - a), half(a * b),
                                half(a * b),     half(b * 1.5),         half(half(a + b) - half(b + 1.5)),
                                half(a * b + a), half(b * 1.5 + b),     a < b ? a : half((int)(b * 0.25)),
                                half(a * b + b)};
    for (int i = 0; i < 10; i++)
        format_store(FORMAT_F16, o, i, results[i]);
}

static void halves_round_once_an_operation(void **state)
{
    static uint16_t x[N], y[N], out[10 * N], expected[10 * N];
    for (int i = 0; i < N; i++) {
        format_store(FORMAT_F16, x, i, draw_float("half x", i, 8));
        format_store(FORMAT_F16, y, i, draw_float("half y", i, 64));
        expected_halves(format_load(FORMAT_F16, x, i), format_load(FORMAT_F16, y, i), expected + 10 * i);
    }
    call(state,
         &(struct kernel_call){"halves", {GRID}, {BLOCK}, 0, {{x, sizeof x}, {y, sizeof y}, {out, sizeof out}}, {N}, 1});
    EXPECT_SAME("halves", out, expected, 10 * N, 10);
}

static void bfloat16_rounds_to_nearest_even(void **state)
{
    static float x[N], back[N], expected_back[N];
    static uint16_t out[N], expected[N];
    for (int i = 0; i < N; i++) {
        uint32_t bits = (uint32_t)draw("bf16", i) & (i % 4 ? 0xffffffffu : 0xffff8000u); /* a quarter are ties */
        if ((bits >> 23 & 0xff) == 0xff)
            bits ^= 0x20000000u;
        memcpy(&x[i], &bits, sizeof bits);
        format_store(FORMAT_BF16, expected, i, x[i]);
        expected_back[i] = (float)format_load(FORMAT_BF16, expected, i) * 3.0f;
    }
    call(state, &(struct kernel_call){
                    "float_to_bf16", {GRID}, {BLOCK}, 0, {{x, sizeof x}, {out, sizeof out}, {back, sizeof back}}, {N}, 1});
    EXPECT_SAME("bf16", out, expected, N, 1);
    EXPECT_SAME("bf16 widened", back, expected_back, N, 1);
}

static void expected_floats(float a, float b, int i, float o[10])
{
    int exponent;
    o[0] = a / b;
    o[1] = sqrtf(fabsf(a));
    o[2] = a * b + a - b;
    o[3] = floorf(a) + truncf(b) + rintf(a) + ceilf(b);
    o[4] = fminf(a, b) - fmaxf(a, b);
    o[5] = (float)(int)(a * 100.0f) + (float)(unsigned)fabsf(b) + (float)(uint8_t)i;
    o[6] = ldexpf(a, (int)b & 7) + copysignf(1.0f, b);
    o[7] = frexpf(a, &exponent);
    o[7] += (float)exponent;
    o[8] = a != a ? 1.0f : (isinf(b) ? 2.0f : (a > b ? a - b : b));
    o[9] = (float)(int64_t)(a * 1048576.0f) + (float)((uint64_t)i << 33);
}

static void floats_divide_root_and_convert_as_ieee_says(void **state)
{
    static float x[N], y[N], out[10 * N], expected[10 * N];
    for (int i = 0; i < N; i++) {
        x[i] = draw_float("floats x", i, ldexp(1, i % 20 == 3 ? -130 : i % 24));
        y[i] = draw_float("floats y", i, ldexp(1, i % 20 == 4 ? -128 : i % 25));
        expected_floats(x[i], y[i], i, expected + 10 * i);
    }
    call(state,
         &(struct kernel_call){"floats", {GRID}, {BLOCK}, 0, {{x, sizeof x}, {y, sizeof y}, {out, sizeof out}}, {N}, 1});
    EXPECT_SAME("floats", out, expected, 10 * N, 10);
}

enum { FUNCTIONS = 11 };
/* The device library's limits in ulp, which are OpenCL's (OpenCL C 3.0, 7.4): exp, log, sin, cos, rsqrt, pow, tanh, exp2;
 * f64 sin, exp, log. */
static const double function_ulps[FUNCTIONS] = {3, 3, 4, 4, 2, 16, 5, 3, 4, 3, 3};

/* The true value of one function of `a` in slot 0. */
static void true_function(struct audit *audit, int function, float a)
{
    audit_set(audit, 0, a);
    audit_set(audit, 1, fabsf(a));
    audit_set(audit, 2, 1);
    audit_set(audit, 3, 1.7f);
    switch (function) {
    case 0:
    case 9:
        audit_exp(audit, 0, 0);
        break;
    case 1:
    case 10:
        audit_log(audit, 0, 1);
        break;
    case 2:
        audit_sin(audit, 0, 0);
        break;
    case 3:
        audit_set(audit, 0, a * 1000.0f);
        audit_cos(audit, 0, 0);
        break;
    case 4:
        audit_sqrt(audit, 0, 1);
        audit_div(audit, 0, 2, 0);
        break;
    case 5:
        audit_log(audit, 0, 1);
        audit_mul(audit, 0, 0, 3);
        audit_exp(audit, 0, 0);
        break;
    case 6:
        audit_tanh(audit, 0, 0);
        break;
    case 7:
        audit_exp2(audit, 0, 0);
        break;
    default:
        audit_set(audit, 0, (double)a * 3.0);
        audit_sin(audit, 0, 0);
        break;
    }
}

static void library_functions_keep_to_their_ulps(void **state)
{
    static float x[N], out[8 * N];
    static double out64[3 * N];
    double worst[FUNCTIONS] = {0};
    for (int i = 0; i < N; i++)
        x[i] = draw_float("functions", i, i % 5 ? 8 : 80);
    call(state, &(struct kernel_call){
                    "functions", {GRID}, {BLOCK}, 0, {{x, sizeof x}, {out, sizeof out}, {out64, sizeof out64}}, {N}, 1});
    struct audit *audit = audit_open();
    assert_non_null(audit);
    for (int i = 0; i < N; i++)
        for (int f = 0; f < FUNCTIONS; f++) {
            double got = f < 8 ? out[8 * i + f] : out64[3 * i + f - 8];
            true_function(audit, f, x[i]);
            double ulp = 2 * format_half_spacing(f < 8 ? FORMAT_F32 : FORMAT_F64, audit_get(audit, 0));
            double off = audit_distance(audit, 0, got) / ulp;
            worst[f] = off > worst[f] ? off : worst[f];
            if (!(off <= function_ulps[f]))
                fail_msg("function %d of %a: %a is %.2f ulp from %a", f, x[i], got, off, audit_get(audit, 0));
        }
    audit_close(audit);
    print_message("  worst ulps: exp %.2f log %.2f sin %.2f cos %.2f rsqrt %.2f pow %.2f tanh %.2f exp2 %.2f; f64 sin %.2f "
                  "exp %.2f log %.2f\n",
                  worst[0], worst[1], worst[2], worst[3], worst[4], worst[5], worst[6], worst[7], worst[8], worst[9],
                  worst[10]);
}

int main(int argc, char **argv)
{
    (void)argc;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dot_products_follow_the_chip),
        cmocka_unit_test(matrix_product_is_a_chain_of_fused_multiply_adds),
        cmocka_unit_test(bit_tricks_equal_the_hosts),
        cmocka_unit_test(doubles_divide_root_and_round_as_ieee_says),
        cmocka_unit_test(integers_of_64_bits_equal_the_hosts),
        cmocka_unit_test(integers_of_32_bits_equal_the_hosts),
        cmocka_unit_test(halves_round_once_an_operation),
        cmocka_unit_test(bfloat16_rounds_to_nearest_even),
        cmocka_unit_test(floats_divide_root_and_convert_as_ieee_says),
        cmocka_unit_test(library_functions_keep_to_their_ulps),
    };
    return everyday_run(argv + 1, "everyday arithmetic", tests, sizeof tests / sizeof *tests);
}
