/*
 * Everyday HIP kernels, compiled at -O0 and at -O3, run on the emulator and give what the same code gives on the host, bit
 * for bit wherever the arithmetic is specified.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <cmocka.h>

#include "contract/base/random.h"
#include "reference/audit.h"
#include "reference/format.h"
#include "tests/support/dot_model.h"
#include "tests/support/kernel_module.h"

static struct kernel_module module;

static uint64_t draw(const char *what, int index)
{
    return random_bits(random_key_for(11, what), (uint64_t)index);
}

/* Uniform in [-scale, scale), as a float. */
static float draw_float(const char *what, int index, double scale)
{
    return (float)((random_unit(random_key_for(12, what), (uint64_t)index) * 2 - 1) * scale);
}

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void call(const struct kernel_call *c)
{
    if (!kernel_module_call(&module, c))
        fail_msg("%s did not run", c->kernel);
}

/* Compares n elements of n_bytes each; the first that differs is shown in hex, per_item of them belong to one work-item. */
static void expect_same(const char *what, const void *got, const void *expected, int n, size_t n_bytes, int per_item)
{
    int n_wrong = 0, first = -1;
    for (int i = 0; i < n; i++)
        if (memcmp((const char *)got + n_bytes * (size_t)i, (const char *)expected + n_bytes * (size_t)i, n_bytes) != 0) {
            first = first < 0 ? i : first;
            n_wrong++;
        }
    if (!n_wrong)
        return;
    uint64_t g = 0, e = 0;
    memcpy(&g, (const char *)got + n_bytes * (size_t)first, n_bytes);
    memcpy(&e, (const char *)expected + n_bytes * (size_t)first, n_bytes);
    fail_msg("%s: %d of %d differ, first at item %d result %d: got %#llx, expected %#llx", what, n_wrong, n,
             first / per_item, first % per_item, (unsigned long long)g, (unsigned long long)e);
}

#define EXPECT_SAME(what, got, expected, n, per_item) expect_same(what, got, expected, n, sizeof *(got), per_item)

enum { N = 1000, BLOCK = 256, GRID = (N + BLOCK - 1) / BLOCK };

static void saxpy_is_a_fused_multiply_and_add(void **state)
{
    (void)state;
    static float x[N], y[N], expected[N];
    for (int i = 0; i < N; i++) {
        x[i] = draw_float("saxpy x", i, 3);
        y[i] = draw_float("saxpy y", i, 1);
        expected[i] = fmaf(1.7f, x[i], y[i]);
    }
    call(&(struct kernel_call){"saxpy", {GRID}, {BLOCK}, 0, {{x, sizeof x}, {y, sizeof y}}, {float_bits(1.7f), N}, 2});
    EXPECT_SAME("saxpy", y, expected, N, 1);
}

static void transpose_goes_through_lds(void **state)
{
    (void)state;
    enum { ROWS = 70, COLUMNS = 45 };
    static float in[ROWS * COLUMNS], out[ROWS * COLUMNS], expected[ROWS * COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        in[i] = draw_float("transpose", i, 1);
        expected[i % COLUMNS * ROWS + i / COLUMNS] = in[i];
    }
    call(&(struct kernel_call){"transpose", {2, 3}, {32, 8}, 0, {{in, sizeof in}, {out, sizeof out}}, {ROWS, COLUMNS}, 2});
    EXPECT_SAME("transpose", out, expected, ROWS * COLUMNS, ROWS);
}

/* Lanes by shuffles down, waves in order. */
static float expected_block_sum(const float *x, int first)
{
    float sums[BLOCK], total = 0;
    for (int t = 0; t < BLOCK; t++)
        sums[t] = first + t < N ? x[first + t] : 0;
    for (int w = 0; w < BLOCK; w += 32) {
        for (int step = 16; step > 0; step /= 2)
            for (int lane = 0; lane < 32; lane++) /* rising lanes: the one read is not yet changed */
                sums[w + lane] += sums[w + (lane + step < 32 ? lane + step : lane)];
        total = w == 0 ? sums[0] : total + sums[w];
    }
    return total;
}

static void block_sum_adds_along_its_tree(void **state)
{
    (void)state;
    static float x[N], sums[GRID], expected[GRID];
    for (int i = 0; i < N; i++)
        x[i] = draw_float("sum", i, 10);
    for (int b = 0; b < GRID; b++)
        expected[b] = expected_block_sum(x, b * BLOCK);
    call(&(struct kernel_call){"block_sum", {GRID}, {BLOCK}, 0, {{x, sizeof x}, {sums, sizeof sums}}, {N}, 1});
    EXPECT_SAME("block_sum", sums, expected, GRID, 1);
}

static void scan_gives_running_sums_of_a_block(void **state)
{
    (void)state;
    static int32_t x[N], out[N], expected[N];
    for (int i = 0; i < N; i++) {
        x[i] = (int32_t)(draw("scan", i) % 2001) - 1000;
        expected[i] = x[i] + (i % BLOCK ? expected[i - 1] : 0);
    }
    call(&(struct kernel_call){"inclusive_scan", {GRID}, {BLOCK}, 0, {{x, sizeof x}, {out, sizeof out}}, {N}, 1});
    EXPECT_SAME("scan", out, expected, N, 1);
}

static void histogram_counts_with_atomics_in_lds_and_memory(void **state)
{
    (void)state;
    enum { LENGTH = 5000 };
    static uint8_t x[LENGTH];
    static uint32_t bins[64], expected[64];
    memset(bins, 0, sizeof bins);
    memset(expected, 0, sizeof expected);
    for (int i = 0; i < LENGTH; i++) {
        x[i] = (uint8_t)(draw("histogram", i) >> (draw("histogram", i) & 3));
        expected[x[i] & 63]++;
    }
    call(&(struct kernel_call){"histogram", {3}, {BLOCK}, 0, {{x, sizeof x}, {bins, sizeof bins}}, {LENGTH}, 1});
    EXPECT_SAME("histogram", bins, expected, 64, 1);
}

static float at_or_zero(const float *x, int i)
{
    return i >= 0 && i < N ? x[i] : 0;
}

static void stencil_reads_its_halo_from_dynamic_lds(void **state)
{
    (void)state;
    static float x[N], out[N], expected[N];
    for (int i = 0; i < N; i++)
        x[i] = draw_float("stencil", i, 100);
    for (int i = 0; i < N; i++)
        expected[i] = (at_or_zero(x, i - 2) - at_or_zero(x, i + 2)) * 0.25f +
                      (at_or_zero(x, i - 1) + at_or_zero(x, i + 1)) - 2.0f * x[i];
    call(&(struct kernel_call){
        "stencil", {GRID}, {BLOCK}, (BLOCK + 4) * sizeof(float), {{x, sizeof x}, {out, sizeof out}}, {N}, 1});
    EXPECT_SAME("stencil", out, expected, N, 1);
}

static int32_t saturated(int64_t value)
{
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
}

static void dot_products_follow_the_chip(void **state)
{
    (void)state;
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
        expected_half_sum[i] = dot2_gfx11(FORMAT_F16, half_sum[i], p, q);
    }
    call(&(struct kernel_call){
        "dots",
        {GRID},
        {BLOCK},
        0,
        {{a, sizeof a}, {b, sizeof b}, {wrapped, sizeof wrapped}, {clamped, sizeof clamped}, {half_sum, sizeof half_sum}},
        {N},
        1});
    EXPECT_SAME("dot4 signed", wrapped, expected_wrapped, N, 1);
    EXPECT_SAME("dot4 mixed, clamped", clamped, expected_clamped, N, 1);
    EXPECT_SAME("dot2 of halves", half_sum, expected_half_sum, N, 1);
}

static void matrix_product_is_a_chain_of_fused_multiply_adds(void **state)
{
    (void)state;
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
    call(&(struct kernel_call){
        "matrix_product", {2, 3}, {16, 16}, 0, {{a, sizeof a}, {b, sizeof b}, {c, sizeof c}}, {ROWS, COLUMNS, DEPTH}, 3});
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
    (void)state;
    static uint32_t x[N], y[N], out[12 * N], expected[12 * N];
    for (int i = 0; i < N; i++) {
        x[i] = i < 3 ? (uint32_t)(i == 1) * UINT32_MAX : (uint32_t)draw("bits x", i) >> (i % 32);
        y[i] = (uint32_t)draw("bits y", i);
        expected_bits(x[i], y[i], expected + 12 * i);
    }
    call(
        &(struct kernel_call){"bit_tricks", {GRID}, {BLOCK}, 0, {{x, sizeof x}, {y, sizeof y}, {out, sizeof out}}, {N}, 1});
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
    (void)state;
    static double x[N], y[N], out[10 * N], expected[10 * N];
    for (int i = 0; i < N; i++) {
        x[i] = (random_unit(random_key_for(13, "doubles x"), (uint64_t)i) - 0.5) * ldexp(1, i % 61 - 30);
        y[i] = i % 50 == 7 ? x[i] : (random_unit(random_key_for(13, "doubles y"), (uint64_t)i) - 0.5) * ldexp(1, i % 31);
        expected_doubles(x[i], y[i], expected + 10 * i);
    }
    call(&(struct kernel_call){"doubles", {GRID}, {BLOCK}, 0, {{x, sizeof x}, {y, sizeof y}, {out, sizeof out}}, {N}, 1});
    EXPECT_SAME("doubles", out, expected, 10 * N, 10);
}

static int32_t gcd(int32_t a, int32_t b)
{
    while (b) {
        int32_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

static int64_t mix(int64_t a, int32_t b, const int32_t *table, int32_t index)
{
    return a * 31 + b - table[index & 7] + gcd(b, index | 1);
}

static void functions_are_called_directly_and_through_pointers(void **state)
{
    (void)state;
    static int32_t x[N], table[8];
    static int64_t out[N], expected[N];
    for (int i = 0; i < 8; i++)
        table[i] = (int32_t)draw("table", i) >> 4;
    for (int i = 0; i < N; i++) {
        x[i] = (int32_t)draw("calls", i) >> 2;
        expected[i] = mix(mix(x[i], i, table, i), x[i] & 1023, table, i + 3) + (x[i] & 1 ? 2 : -1) * (x[i] >> 8);
    }
    call(&(struct kernel_call){
        "function_calls", {GRID}, {BLOCK}, 0, {{x, sizeof x}, {table, sizeof table}, {out, sizeof out}}, {N}, 1});
    EXPECT_SAME("function calls", out, expected, N, 1);
}

static int by_value(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void scratch_arrays_take_dynamic_indices(void **state)
{
    (void)state;
    enum { ITEMS = 200 };
    static int32_t x[16 * ITEMS], out[16 * ITEMS], expected[16 * ITEMS];
    for (int i = 0; i < 16 * ITEMS; i++)
        x[i] = (int32_t)draw("sort", i) >> 8;
    for (int i = 0; i < ITEMS; i++) {
        int32_t a[16];
        memcpy(a, x + 16 * i, sizeof a);
        qsort(a, 16, sizeof *a, by_value);
        for (int j = 0; j < 16; j++)
            expected[16 * i + j] = a[j] + (a[a[j] & 15] & 1);
    }
    call(&(struct kernel_call){"scratch_sort", {2}, {128}, 0, {{x, sizeof x}, {out, sizeof out}}, {ITEMS}, 1});
    EXPECT_SAME("scratch sort", out, expected, 16 * ITEMS, 16);
}

/* One wave of 32: v of all lanes to the ten results of one. */
static void expected_shuffles(const int32_t v[32], int lane, int32_t o[10])
{
    uint32_t ballot = 0;
    int all = 1, any = 0;
    for (int l = 0; l < 32; l++) {
        ballot |= (uint32_t)(v[l] & 1) << l;
        all &= v[l] > -1000000;
        any |= v[l] == 77;
    }
    bool shifts =
        lane % 16 != 0 && (lane / 4 % 4 == 0 || lane / 4 % 4 == 2); /* banks 0 and 2 of a row, and a lane before it */
    o[0] = v[lane >= 3 ? lane - 3 : lane];
    o[1] = v[lane + 5 < 32 ? lane + 5 : lane];
    o[2] = v[lane ^ 9];
    o[3] = v[v[lane] & 31];
    o[4] = (int32_t)ballot;
    o[5] = all + 2 * any;
    o[6] = v[0];
    o[7] = v[lane ^ 1];
    o[8] = v[lane ^ 3];
    o[9] = (shifts ? v[lane - 1] : -1) + __builtin_popcount(ballot & ((1u << lane) - 1));
}

static void lanes_exchange_values(void **state)
{
    (void)state;
    enum { ITEMS = 300, PADDED = 512 };
    static int32_t x[PADDED], out[10 * ITEMS], expected[10 * ITEMS];
    for (int i = 0; i < ITEMS; i++)
        x[i] = i == 100 ? 77 : (int32_t)(draw("shuffle", i) % 2100000) - 1050000 + (i < 64 ? 1100000 : 0);
    for (int i = 0; i < ITEMS; i++)
        expected_shuffles(x + i / 32 * 32, i % 32, expected + 10 * i);
    call(&(struct kernel_call){"shuffles", {2}, {BLOCK}, 0, {{x, sizeof x}, {out, sizeof out}}, {ITEMS}, 1});
    EXPECT_SAME("shuffles", out, expected, 10 * ITEMS, 10);
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
    (void)state;
    static int64_t x[N], y[N], out[9 * N], expected[9 * N];
    for (int i = 0; i < N; i++) {
        x[i] = (int64_t)(draw("long x", i) >> (i % 60)) | 1;
        y[i] = (int64_t)draw("long y", i) >> (i % 63);
        expected_integers64(x[i], y[i], expected + 9 * i);
    }
    call(
        &(struct kernel_call){"integers64", {GRID}, {BLOCK}, 0, {{x, sizeof x}, {y, sizeof y}, {out, sizeof out}}, {N}, 1});
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
    (void)state;
    static int32_t x[N], y[N], out[9 * N], expected[9 * N];
    for (int i = 0; i < N; i++) {
        x[i] = (int32_t)draw("int x", i) >> (i % 31);
        y[i] = (int32_t)draw("int y", i) >> (i % 29);
        expected_integers32(x[i], y[i], expected + 9 * i);
    }
    call(
        &(struct kernel_call){"integers32", {GRID}, {BLOCK}, 0, {{x, sizeof x}, {y, sizeof y}, {out, sizeof out}}, {N}, 1});
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
    (void)state;
    static uint16_t x[N], y[N], out[10 * N], expected[10 * N];
    for (int i = 0; i < N; i++) {
        format_store(FORMAT_F16, x, i, draw_float("half x", i, 8));
        format_store(FORMAT_F16, y, i, draw_float("half y", i, 64));
        expected_halves(format_load(FORMAT_F16, x, i), format_load(FORMAT_F16, y, i), expected + 10 * i);
    }
    call(&(struct kernel_call){"halves", {GRID}, {BLOCK}, 0, {{x, sizeof x}, {y, sizeof y}, {out, sizeof out}}, {N}, 1});
    EXPECT_SAME("halves", out, expected, 10 * N, 10);
}

static void bfloat16_rounds_to_nearest_even(void **state)
{
    (void)state;
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
    call(&(struct kernel_call){
        "float_to_bf16", {GRID}, {BLOCK}, 0, {{x, sizeof x}, {out, sizeof out}, {back, sizeof back}}, {N}, 1});
    EXPECT_SAME("bf16", out, expected, N, 1);
    EXPECT_SAME("bf16 widened", back, expected_back, N, 1);
}

static void interpret(const int32_t *program, int i, int limit, int32_t out[2])
{
    int32_t a = i, b = 1, steps = 0;
    bool done = false;
    for (int32_t pc = 0; steps < limit && !done; steps += !done) {
        int32_t op = program[pc++];
        switch (op & 7) {
        case 0:
            a += b;
            break;
        case 1:
            b = (b * 3 + 1) & 0xffff;
            break;
        case 2:
            pc += a & 1;
            break;
        case 3:
            a ^= b >> 2;
            break;
        case 4:
            a = a < 0 ? -a : a;
            break;
        case 5:
            pc = op >> 3;
            break;
        case 6:
            done = a % 7 == 3;
            break;
        default:
            a -= op;
            break;
        }
    }
    out[0] = a ^ b;
    out[1] = steps;
}

static void switches_in_loops_diverge_and_meet(void **state)
{
    (void)state;
    /* add, grow, skip if odd, subtract, xor, abs, halt?, jump to 1 */
    static int32_t program[] = {0, 0, 1, 2, 7 | 40 << 3, 3, 4, 6, 5 | 1 << 3};
    static int32_t out[2 * N], expected[2 * N];
    for (int i = 0; i < N; i++)
        interpret(program, i, 150, expected + 2 * i);
    call(&(struct kernel_call){
        "interpreter", {GRID}, {BLOCK}, 0, {{program, sizeof program}, {out, sizeof out}}, {N, 150}, 2});
    EXPECT_SAME("interpreter", out, expected, 2 * N, 2);
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
    (void)state;
    static float x[N], y[N], out[10 * N], expected[10 * N];
    for (int i = 0; i < N; i++) {
        x[i] = draw_float("floats x", i, ldexp(1, i % 20 == 3 ? -130 : i % 24));
        y[i] = draw_float("floats y", i, ldexp(1, i % 20 == 4 ? -128 : i % 25));
        expected_floats(x[i], y[i], i, expected + 10 * i);
    }
    call(&(struct kernel_call){"floats", {GRID}, {BLOCK}, 0, {{x, sizeof x}, {y, sizeof y}, {out, sizeof out}}, {N}, 1});
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
    (void)state;
    static float x[N], out[8 * N];
    static double out64[3 * N];
    double worst[FUNCTIONS] = {0};
    for (int i = 0; i < N; i++)
        x[i] = draw_float("functions", i, i % 5 ? 8 : 80);
    call(&(struct kernel_call){
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

static void atomics_lose_no_update(void **state)
{
    (void)state;
    enum { ITEMS = 600, WORDS = 16 + ITEMS };
    static int32_t x[ITEMS], words[WORDS], expected[WORDS], old[ITEMS], expected_old[ITEMS];
    static uint64_t longs[2], expected_longs[2];
    static float reals[1], expected_reals[1];
    for (int i = 0; i < WORDS; i++)
        words[i] = expected[i] = i == 4 ? -1 : i < 16 ? 0 : (int32_t)draw("atomic old", i);
    longs[0] = expected_longs[0] = longs[1] = expected_longs[1] = 5;
    reals[0] = expected_reals[0] = 0.5f;
    for (int i = 0; i < ITEMS; i++) {
        int32_t v = x[i] = (int32_t)draw("atomic", i) >> 12;
        expected[0] += v;
        expected[1] -= v;
        expected[2] = v < expected[2] ? v : expected[2];
        expected[3] = v > expected[3] ? v : expected[3];
        expected[4] &= v | 0xff;
        expected[5] |= v & 0xff0;
        expected[6] ^= v;
        expected[7] = expected[7] >= 99 ? 0 : expected[7] + 1;
        expected[8] += v & 255;
        expected_longs[0] += (uint64_t)(int64_t)v;
        uint64_t wide = (uint64_t)(uint32_t)v << 8;
        expected_longs[1] = wide > expected_longs[1] ? wide : expected_longs[1];
        expected_reals[0] += (float)(v & 15);
        expected_old[i] = expected[16 + i];
        expected[16 + i] = v;
    }
    call(&(struct kernel_call){
        "atomics",
        {3},
        {BLOCK},
        0,
        {{x, sizeof x}, {words, sizeof words}, {longs, sizeof longs}, {reals, sizeof reals}, {old, sizeof old}},
        {ITEMS},
        1});
    EXPECT_SAME("atomics on words", words, expected, WORDS, 1);
    EXPECT_SAME("atomics on 64 bits", longs, expected_longs, 2, 1);
    EXPECT_SAME("atomic add of floats", reals, expected_reals, 1, 1);
    EXPECT_SAME("exchanged values", old, expected_old, ITEMS, 1);
}

struct pair {
    int32_t first;
    uint8_t small;
    int16_t middle;
    double big;
};

static void loads_and_stores_take_every_width_and_alignment(void **state)
{
    (void)state;
    static uint8_t bytes[3 * N + 8];
    static float vectors[4 * N], expected_vectors[4 * N];
    static struct pair pairs[N], expected_pairs[N];
    static int16_t shorts[N], expected_shorts[N];
    for (int i = 0; i < 3 * N + 8; i++)
        bytes[i] = (uint8_t)draw("bytes", i);
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 4; k++)
            vectors[4 * i + k] = draw_float("vectors", 4 * i + k, 1);
        const float *v = vectors + 4 * i;
        const float moved[4] = {v[3], v[2] + 1.0f, v[1], v[0] * 2.0f};
        memcpy(expected_vectors + 4 * i, moved, sizeof moved);
        pairs[i].first = (int32_t)draw("pairs", i) >> 1;
        pairs[i].small = (uint8_t)draw("pairs", i);
        pairs[i].middle = (int16_t)(draw("pairs", i) >> 20);
        pairs[i].big = draw_float("pairs", i, 1e6);
        shorts[i] = (int16_t)draw("shorts", i);
        uint32_t word;
        memcpy(&word, bytes + 3 * i + 1, 4);
        expected_pairs[i] = pairs[i];
        expected_pairs[i].first += (int32_t)(word & 0xffff);
        expected_pairs[i].small = (uint8_t)(pairs[i].small + bytes[i]);
        expected_pairs[i].middle = (int16_t)(pairs[i].middle * 3);
        expected_pairs[i].big += (int8_t)bytes[i];
        expected_shorts[i] = (int16_t)(shorts[i] - (int16_t)(word >> 16));
    }
    call(&(struct kernel_call){
        "widths",
        {GRID},
        {BLOCK},
        0,
        {{bytes, sizeof bytes}, {vectors, sizeof vectors}, {pairs, sizeof pairs}, {shorts, sizeof shorts}},
        {N},
        1});
    EXPECT_SAME("vectors", vectors, expected_vectors, 4 * N, 4);
    EXPECT_SAME("shorts", shorts, expected_shorts, N, 1);
    for (int i = 0; i < N; i++) { /* field by field: padding may hold anything */
        assert_int_equal(pairs[i].first, expected_pairs[i].first);
        assert_int_equal(pairs[i].small, expected_pairs[i].small);
        assert_int_equal(pairs[i].middle, expected_pairs[i].middle);
        assert_true(pairs[i].big == expected_pairs[i].big);
    }
}

static void coordinates_cover_a_three_dimensional_launch(void **state)
{
    (void)state;
    enum { NX = 13, NY = 11, NZ = 5 };
    static int32_t out[NX * NY * NZ], expected[NX * NY * NZ];
    for (int i = 0; i < NX * NY * NZ; i++)
        expected[i] = (2 + 10 * 3 + 100 * 2) * 1000 + 8 * 4 * 3 + (i % NX) * (i / NX % NY) - i / (NX * NY);
    call(&(struct kernel_call){"coordinates", {2, 3, 2}, {8, 4, 3}, 0, {{out, sizeof out}}, {NX, NY, NZ}, 3});
    EXPECT_SAME("coordinates", out, expected, NX * NY * NZ, 1);
}

static void lanes_leave_a_loop_at_their_own_times(void **state)
{
    (void)state;
    static int32_t x[N], out[N], expected[N];
    for (int i = 0; i < N; i++) {
        x[i] = i ? i : 27;
        expected[i] = 0;
        for (uint64_t v = (uint64_t)x[i]; v > 1; v = v & 1 ? 3 * v + 1 : v / 2)
            if (++expected[i] > 200)
                break;
    }
    call(&(struct kernel_call){"collatz", {GRID}, {BLOCK}, 0, {{x, sizeof x}, {out, sizeof out}}, {N}, 1});
    EXPECT_SAME("collatz", out, expected, N, 1);
}

static int close_module(void **state)
{
    (void)state;
    kernel_module_close(&module);
    return 0;
}

static int open_unoptimised(void **state)
{
    (void)state;
    return kernel_module_open(&module, "tests/kernels/everyday.hip", "gfx1151", "-O0", 2) ? 0 : -1;
}

static int open_optimised(void **state)
{
    (void)state;
    return kernel_module_open(&module, "tests/kernels/everyday.hip", "gfx1151", "-O3", 2) ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saxpy_is_a_fused_multiply_and_add),
        cmocka_unit_test(transpose_goes_through_lds),
        cmocka_unit_test(block_sum_adds_along_its_tree),
        cmocka_unit_test(scan_gives_running_sums_of_a_block),
        cmocka_unit_test(histogram_counts_with_atomics_in_lds_and_memory),
        cmocka_unit_test(stencil_reads_its_halo_from_dynamic_lds),
        cmocka_unit_test(dot_products_follow_the_chip),
        cmocka_unit_test(matrix_product_is_a_chain_of_fused_multiply_adds),
        cmocka_unit_test(bit_tricks_equal_the_hosts),
        cmocka_unit_test(doubles_divide_root_and_round_as_ieee_says),
        cmocka_unit_test(functions_are_called_directly_and_through_pointers),
        cmocka_unit_test(scratch_arrays_take_dynamic_indices),
        cmocka_unit_test(lanes_exchange_values),
        cmocka_unit_test(integers_of_64_bits_equal_the_hosts),
        cmocka_unit_test(integers_of_32_bits_equal_the_hosts),
        cmocka_unit_test(halves_round_once_an_operation),
        cmocka_unit_test(bfloat16_rounds_to_nearest_even),
        cmocka_unit_test(switches_in_loops_diverge_and_meet),
        cmocka_unit_test(floats_divide_root_and_convert_as_ieee_says),
        cmocka_unit_test(library_functions_keep_to_their_ulps),
        cmocka_unit_test(atomics_lose_no_update),
        cmocka_unit_test(loads_and_stores_take_every_width_and_alignment),
        cmocka_unit_test(coordinates_cover_a_three_dimensional_launch),
        cmocka_unit_test(lanes_leave_a_loop_at_their_own_times),
    };
    int failed = cmocka_run_group_tests_name("everyday kernels at -O3", tests, open_optimised, close_module);
    return failed + cmocka_run_group_tests_name("everyday kernels at -O0", tests, open_unoptimised, close_module);
}
