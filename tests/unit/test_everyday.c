/*
 * Everyday HIP kernels, compiled at -O0 and at -O3, run on the emulator and give what the same code gives on the host: how
 * data moves, how lanes and waves meet, how control flows. Arithmetic is in test_everyday_arithmetic.c.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/everyday.h"

enum { N = 1000, BLOCK = 256, GRID = (N + BLOCK - 1) / BLOCK };

static void saxpy_is_a_fused_multiply_and_add(void **state)
{
    static float x[N], y[N], expected[N];
    for (int i = 0; i < N; i++) {
        x[i] = draw_float("saxpy x", i, 3);
        y[i] = draw_float("saxpy y", i, 1);
        expected[i] = fmaf(1.7f, x[i], y[i]);
    }
    call(state,
         &(struct kernel_call){"saxpy", {GRID}, {BLOCK}, 0, {{x, sizeof x}, {y, sizeof y}}, {float_bits(1.7f), N}, 2});
    EXPECT_SAME("saxpy", y, expected, N, 1);
}

static void transpose_goes_through_lds(void **state)
{
    enum { ROWS = 70, COLUMNS = 45 };
    static float in[ROWS * COLUMNS], out[ROWS * COLUMNS], expected[ROWS * COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        in[i] = draw_float("transpose", i, 1);
        expected[i % COLUMNS * ROWS + i / COLUMNS] = in[i];
    }
    call(state,
         &(struct kernel_call){"transpose", {2, 3}, {32, 8}, 0, {{in, sizeof in}, {out, sizeof out}}, {ROWS, COLUMNS}, 2});
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
    static float x[N], sums[GRID], expected[GRID];
    for (int i = 0; i < N; i++)
        x[i] = draw_float("sum", i, 10);
    for (int b = 0; b < GRID; b++)
        expected[b] = expected_block_sum(x, b * BLOCK);
    call(state, &(struct kernel_call){"block_sum", {GRID}, {BLOCK}, 0, {{x, sizeof x}, {sums, sizeof sums}}, {N}, 1});
    EXPECT_SAME("block_sum", sums, expected, GRID, 1);
}

static void scan_gives_running_sums_of_a_block(void **state)
{
    static int32_t x[N], out[N], expected[N];
    for (int i = 0; i < N; i++) {
        x[i] = (int32_t)(draw("scan", i) % 2001) - 1000;
        expected[i] = x[i] + (i % BLOCK ? expected[i - 1] : 0);
    }
    call(state, &(struct kernel_call){"inclusive_scan", {GRID}, {BLOCK}, 0, {{x, sizeof x}, {out, sizeof out}}, {N}, 1});
    EXPECT_SAME("scan", out, expected, N, 1);
}

static void histogram_counts_with_atomics_in_lds_and_memory(void **state)
{
    enum { LENGTH = 5000 };
    static uint8_t x[LENGTH];
    static uint32_t bins[64], expected[64];
    memset(bins, 0, sizeof bins);
    memset(expected, 0, sizeof expected);
    for (int i = 0; i < LENGTH; i++) {
        x[i] = (uint8_t)(draw("histogram", i) >> (draw("histogram", i) & 3));
        expected[x[i] & 63]++;
    }
    call(state, &(struct kernel_call){"histogram", {3}, {BLOCK}, 0, {{x, sizeof x}, {bins, sizeof bins}}, {LENGTH}, 1});
    EXPECT_SAME("histogram", bins, expected, 64, 1);
}

static float at_or_zero(const float *x, int i)
{
    return i >= 0 && i < N ? x[i] : 0;
}

static void stencil_reads_its_halo_from_dynamic_lds(void **state)
{
    static float x[N], out[N], expected[N];
    for (int i = 0; i < N; i++)
        x[i] = draw_float("stencil", i, 100);
    for (int i = 0; i < N; i++)
        expected[i] = (at_or_zero(x, i - 2) - at_or_zero(x, i + 2)) * 0.25f +
                      (at_or_zero(x, i - 1) + at_or_zero(x, i + 1)) - 2.0f * x[i];
    call(state, &(struct kernel_call){
                    "stencil", {GRID}, {BLOCK}, (BLOCK + 4) * sizeof(float), {{x, sizeof x}, {out, sizeof out}}, {N}, 1});
    EXPECT_SAME("stencil", out, expected, N, 1);
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
    static int32_t x[N], table[8];
    static int64_t out[N], expected[N];
    for (int i = 0; i < 8; i++)
        table[i] = (int32_t)draw("table", i) >> 4;
    for (int i = 0; i < N; i++) {
        x[i] = (int32_t)draw("calls", i) >> 2;
        expected[i] = mix(mix(x[i], i, table, i), x[i] & 1023, table, i + 3) + (x[i] & 1 ? 2 : -1) * (x[i] >> 8);
    }
    call(state,
         &(struct kernel_call){
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
    call(state, &(struct kernel_call){"scratch_sort", {2}, {128}, 0, {{x, sizeof x}, {out, sizeof out}}, {ITEMS}, 1});
    EXPECT_SAME("scratch sort", out, expected, 16 * ITEMS, 16);
}

/* Work-item `item` of a block of waves: shuffles stay among 32 lanes, votes take the wave. */
static void expected_shuffles(const int32_t *block, int item, int wave_size, int32_t o[10])
{
    const int32_t *wave = block + item / wave_size * wave_size, *v = block + item / 32 * 32;
    int lane = item % 32, all = 1, any = 0;
    uint32_t ballot = 0;
    for (int l = 0; l < wave_size; l++) {
        ballot |= l < 32 ? (uint32_t)(wave[l] & 1) << l : 0;
        all &= wave[l] > -1000000;
        any |= wave[l] == 77;
    }
    bool shifts =
        lane % 16 != 0 && (lane / 4 % 4 == 0 || lane / 4 % 4 == 2); /* banks 0 and 2 of a row, and a lane before it */
    o[0] = v[lane >= 3 ? lane - 3 : lane];
    o[1] = v[lane + 5 < 32 ? lane + 5 : lane];
    o[2] = v[lane ^ 9];
    o[3] = v[v[lane] & 31];
    o[4] = (int32_t)ballot;
    o[5] = all + 2 * any;
    o[6] = wave[0];
    o[7] = v[lane ^ 1];
    o[8] = v[lane ^ 3];
    o[9] = (shifts ? v[lane - 1] : -1) + __builtin_popcount(ballot & ((1u << lane) - 1));
}

static void lanes_exchange_values(void **state)
{
    enum { ITEMS = 300, PADDED = 512 };
    static int32_t x[PADDED], out[10 * ITEMS], expected[10 * ITEMS];
    for (int i = 0; i < ITEMS; i++)
        x[i] = i == 100 ? 77 : (int32_t)(draw("shuffle", i) % 2100000) - 1050000 + (i < 64 ? 1100000 : 0);
    for (int i = 0; i < ITEMS; i++)
        expected_shuffles(x, i, (int)everyday_build()->wave_size, expected + 10 * i);
    call(state, &(struct kernel_call){"shuffles", {2}, {BLOCK}, 0, {{x, sizeof x}, {out, sizeof out}}, {ITEMS}, 1});
    EXPECT_SAME("shuffles", out, expected, 10 * ITEMS, 10);
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
    /* add, grow, skip if odd, subtract, xor, abs, halt?, jump to 1 */
    static int32_t program[] = {0, 0, 1, 2, 7 | 40 << 3, 3, 4, 6, 5 | 1 << 3};
    static int32_t out[2 * N], expected[2 * N];
    for (int i = 0; i < N; i++)
        interpret(program, i, 150, expected + 2 * i);
    call(state, &(struct kernel_call){
                    "interpreter", {GRID}, {BLOCK}, 0, {{program, sizeof program}, {out, sizeof out}}, {N, 150}, 2});
    EXPECT_SAME("interpreter", out, expected, 2 * N, 2);
}

static void atomics_lose_no_update(void **state)
{
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
    call(state, &(struct kernel_call){
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
    call(state, &(struct kernel_call){
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
    enum { NX = 13, NY = 11, NZ = 5 };
    static int32_t out[NX * NY * NZ], expected[NX * NY * NZ];
    for (int i = 0; i < NX * NY * NZ; i++)
        expected[i] = (2 + 10 * 3 + 100 * 2) * 1000 + 8 * 4 * 3 + (i % NX) * (i / NX % NY) - i / (NX * NY);
    call(state, &(struct kernel_call){"coordinates", {2, 3, 2}, {8, 4, 3}, 0, {{out, sizeof out}}, {NX, NY, NZ}, 3});
    EXPECT_SAME("coordinates", out, expected, NX * NY * NZ, 1);
}

static void lanes_leave_a_loop_at_their_own_times(void **state)
{
    static int32_t x[N], out[N], expected[N];
    for (int i = 0; i < N; i++) {
        x[i] = i ? i : 27;
        expected[i] = 0;
        for (uint64_t v = (uint64_t)x[i]; v > 1; v = v & 1 ? 3 * v + 1 : v / 2)
            if (++expected[i] > 200)
                break;
    }
    call(state, &(struct kernel_call){"collatz", {GRID}, {BLOCK}, 0, {{x, sizeof x}, {out, sizeof out}}, {N}, 1});
    EXPECT_SAME("collatz", out, expected, N, 1);
}

int main(int argc, char **argv)
{
    (void)argc;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saxpy_is_a_fused_multiply_and_add),
        cmocka_unit_test(transpose_goes_through_lds),
        cmocka_unit_test(block_sum_adds_along_its_tree),
        cmocka_unit_test(scan_gives_running_sums_of_a_block),
        cmocka_unit_test(histogram_counts_with_atomics_in_lds_and_memory),
        cmocka_unit_test(stencil_reads_its_halo_from_dynamic_lds),
        cmocka_unit_test(functions_are_called_directly_and_through_pointers),
        cmocka_unit_test(scratch_arrays_take_dynamic_indices),
        cmocka_unit_test(lanes_exchange_values),
        cmocka_unit_test(switches_in_loops_diverge_and_meet),
        cmocka_unit_test(atomics_lose_no_update),
        cmocka_unit_test(loads_and_stores_take_every_width_and_alignment),
        cmocka_unit_test(coordinates_cover_a_three_dimensional_launch),
        cmocka_unit_test(lanes_leave_a_loop_at_their_own_times),
    };
    return everyday_run(argv + 1, "everyday kernels", tests, sizeof tests / sizeof *tests);
}
