/*
 * The references' inner loops against the plain functions that they stand for, bit for bit, at every host level of this
 * build.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "contract/base/random.h"
#include "reference/exl3_trellis.h"
#include "reference/hadamard.h"
#include "reference/lanes.h"
#include "reference/policy.h"

enum { GROUP = LANES_GROUP, ROWS = LANES_SLICE_ROWS, N_TRIES = 8 };

static const char *const levels[] = {"v1", "v3", "v4"};
enum { N_LEVELS = sizeof levels / sizeof *levels };

typedef void lanes_check(const struct lanes *lanes);

/* Runs the check with the functions of each level once. */
static void at_each_level(lanes_check *check)
{
    const struct lanes *seen[N_LEVELS];
    int n_seen = 0;
    for (int i = 0; i < N_LEVELS; i++) {
        setenv("HIPCONTRACT_LEVEL", levels[i], 1);
        const struct lanes *lanes = lanes_of_host();
        bool is_new = true;
        for (int s = 0; s < n_seen; s++)
            is_new &= seen[s] != lanes;
        if (!is_new)
            continue;
        seen[n_seen++] = lanes;
        check(lanes);
    }
    unsetenv("HIPCONTRACT_LEVEL");
    if (n_seen < N_LEVELS)
        printf("note: %d of %d levels are in this build and on this host\n", n_seen, (int)N_LEVELS);
}

static void assert_same_bits(double a, double b)
{
    if (!(isnan(a) && isnan(b)))
        assert_memory_equal(&a, &b, sizeof a);
}

/* Doubles of every exponent around those of a format, where it rounds, and where it rounds to even. */
static double edge_of(enum number_format format, uint64_t draw)
{
    struct random_key key = random_key_for(5, "edges");
    const struct format_facts *f = format_facts(format);
    uint64_t bits = random_bits(key, draw);
    int exponent = f->exponent_min - f->precision_bits - 2 + (int)(bits % (uint64_t)(f->exponent_max * 2 + 30));
    double significand = 1 + (double)(bits >> 40) * 0x1p-24;
    if (bits & 1 << 20) /* a tie of a number in the normal range */
        significand = 1 + ((double)(bits >> 30 & 255) + 0.5) * ldexp(1, 1 - f->precision_bits);
    return ldexp(bits & 1 << 21 ? -significand : significand, exponent);
}

static void check_rounding(const struct lanes *lanes)
{
    static const enum number_format formats[] = {FORMAT_F32, FORMAT_F16, FORMAT_BF16};
    enum { N = 20003, N_SPECIAL = 5 };
    static double values[N];
    for (int i = 0; i < 3; i++) {
        enum number_format format = formats[i];
        double special[N_SPECIAL] = {0, -0.0, INFINITY, -INFINITY, NAN};
        for (int n = 0; n < N; n++)
            values[n] = n < N_SPECIAL ? special[n] : edge_of(format, (uint64_t)n);
        lanes->round(format, N, values);
        for (int n = 0; n < N; n++)
            assert_same_bits(values[n], format_round(format, n < N_SPECIAL ? special[n] : edge_of(format, (uint64_t)n)));
    }
}

static void rounding_is_format_rounds(void **state)
{
    (void)state;
    at_each_level(check_rounding);
}

static void check_load(const struct lanes *lanes)
{
    static uint16_t bits[65536 + 3];
    static double values[65536 + 3];
    for (int i = 0; i < 65536 + 3; i++)
        bits[i] = (uint16_t)i;
    lanes->load_f16(bits, 65536 + 3, values);
    for (int i = 0; i < 65536 + 3; i++)
        assert_same_bits(values[i], format_load(FORMAT_F16, bits, i));
}

static void every_f16_number_is_loaded(void **state)
{
    (void)state;
    at_each_level(check_load);
}

static void fill_tiles(uint16_t *tiles, int n, uint64_t seed)
{
    struct random_key key = random_key_for(seed, "tiles");
    for (int i = 0; i < n; i++)
        tiles[i] = (uint16_t)random_bits(key, (uint64_t)i);
}

static void check_decode(const struct lanes *lanes)
{
    uint16_t tiles[LANES_TILES * 16 * EXL3_MAX_BITS];
    double slice[ROWS * GROUP];
    for (int bits = 2; bits <= EXL3_MAX_BITS; bits++) {
        fill_tiles(tiles, LANES_TILES * exl3_tile_words(bits), (uint64_t)bits);
        lanes->decode(tiles, bits, slice);
        for (int row = 0; row < ROWS; row++)
            for (int column = 0; column < GROUP; column++) {
                const uint16_t *tile = tiles + column / 16 * exl3_tile_words(bits);
                double weight = exl3_weight(exl3_window(tile, bits, exl3_index(row, column % 16)));
                assert_same_bits(slice[row * GROUP + lanes_place(column)], weight);
            }
    }
}

static void tiles_decode_into_the_places_of_their_columns(void **state)
{
    (void)state;
    at_each_level(check_decode);
}

/* 16-bit tiles whose words are all numbers: each of the 65536 windows is decoded. */
static void check_windows(const struct lanes *lanes)
{
    uint16_t tiles[LANES_TILES * 16 * 8];
    double slice[ROWS * GROUP];
    for (int first = 0; first < 65536; first += LANES_TILES * 16 * 8) {
        for (int i = 0; i < LANES_TILES * 16 * 8; i++)
            tiles[i ^ 1] = (uint16_t)(first + i); /* a ring word has its first half on top */
        lanes->decode(tiles, 8, slice);
        for (int i = 0; i < LANES_TILES * 16 * 8; i++) {
            int tile = i / 128, t = i % 128 * 2 + 1; /* the window that ends with the word */
            double weight = slice[exl3_row(t) * GROUP + lanes_place(tile * 16 + exl3_column(t))];
            assert_same_bits(weight, exl3_weight((uint16_t)(first + i)));
        }
    }
}

static void every_window_has_its_weight(void **state)
{
    (void)state;
    at_each_level(check_windows);
}

/* f16 numbers: of any exponent with the special ones now and then, or all finite. */
static double random_f16(struct random_key key, uint64_t draw, bool finite)
{
    uint16_t bits = (uint16_t)random_bits(key, draw);
    if (finite || draw % 97)
        bits = (bits >> 10 & 31) == 31 ? bits & 0x83ff : bits;
    return format_load(FORMAT_F16, &bits, 0);
}

static void check_products(const struct lanes *lanes)
{
    enum { N_ROWS = 5, STRIDE = 48 };
    uint16_t tiles[LANES_TILES * 64];
    double slice[ROWS * GROUP], x[N_ROWS * STRIDE], magnitude[N_ROWS * STRIDE];
    struct lanes_sums sums[N_ROWS] = {0};
    struct random_key key = random_key_for(5, "x");
    fill_tiles(tiles, LANES_TILES * 64, 4);
    lanes->decode(tiles, 4, slice);
    for (int i = 0; i < N_ROWS * STRIDE; i++) {
        x[i] = random_f16(key, (uint64_t)i, false);
        magnitude[i] = fabs(x[i]);
    }
    lanes->products(slice, x, magnitude, STRIDE, N_ROWS, sums);
    lanes->products(slice, x + ROWS, magnitude + ROWS, STRIDE, N_ROWS, sums);
    for (int row = 0; row < N_ROWS; row++)
        for (int place = 0; place < GROUP; place++) {
            double value = 0, size = 0;
            for (int part = 0; part < 2; part++) {
                double partial = 0, partial_size = 0;
                for (int k = 0; k < ROWS; k++) {
                    double product = x[row * STRIDE + part * ROWS + k] * slice[k * GROUP + place];
                    partial = k == 0 ? product : partial + product;
                    partial_size = k == 0 ? fabs(product) : partial_size + fabs(product);
                }
                value += partial;
                size += partial_size;
            }
            assert_same_bits(sums[row].value[place], value);
            assert_same_bits(sums[row].magnitude[place], size);
        }
}

static void products_are_summed_in_the_written_order(void **state)
{
    (void)state;
    at_each_level(check_products);
}

static void check_chain(const struct lanes *lanes)
{
    static const enum number_format formats[] = {FORMAT_F64, FORMAT_F16, FORMAT_BF16, FORMAT_F32};
    struct random_key key = random_key_for(6, "chain");
    double slice[ROWS * GROUP], x[ROWS], sums[GROUP];
    for (int i = 0; i < ROWS * GROUP; i++)
        slice[i] = random_f16(key, (uint64_t)i, true) * 0x1p-8;
    for (int which = 0; which < 16; which++) {
        struct policy policy = policy_true;
        policy.sum_format = formats[which % 4];
        policy.product_format = formats[which / 4];
        for (int k = 0; k < ROWS; k++)
            x[k] = random_f16(key, (uint64_t)(100000 + which * ROWS + k), which % 3 != 0);
        for (int place = 0; place < GROUP; place++)
            sums[place] = place;
        lanes->chain(policy.sum_format, policy.product_format, slice, x, ROWS - 1, sums);
        for (int place = 0; place < GROUP; place++) {
            double sum = place;
            for (int k = 0; k < ROWS - 1; k++)
                sum = policy_add(&policy, sum, policy_product(&policy, x[k], slice[k * GROUP + place]));
            assert_same_bits(sums[place], sum);
        }
    }
}

static void chains_round_as_their_policy_does(void **state)
{
    (void)state;
    at_each_level(check_chain);
}

static void check_hadamard(const struct lanes *lanes)
{
    static const enum number_format formats[] = {FORMAT_F64, FORMAT_F16, FORMAT_BF16};
    struct random_key key = random_key_for(7, "hadamard");
    for (int i = 0; i < 3 * N_TRIES; i++) {
        struct policy policy = policy_true;
        double v[GROUP], plain[GROUP];
        policy.sum_format = formats[i % 3];
        for (int c = 0; c < GROUP; c++)
            plain[c] = v[c] = random_f16(key, (uint64_t)(i * GROUP + c), i % 2 == 0);
        lanes->hadamard(policy.sum_format, v);
        for (int h = 1; h < GROUP; h *= 2)
            for (int c = 0; c < GROUP; c++)
                if (!(c & h)) {
                    double low = plain[c], high = plain[c + h];
                    plain[c] = policy_add(&policy, low, high);
                    plain[c + h] = policy_add(&policy, low, -high);
                }
        for (int c = 0; c < GROUP; c++)
            assert_same_bits(v[c], plain[c]);
    }
}

static void the_rotation_is_its_butterflies(void **state)
{
    (void)state;
    at_each_level(check_hadamard);
}

static void plain_hadamard_bound(enum number_format format, struct bound v[GROUP])
{
    for (int h = 1; h < GROUP; h *= 2)
        for (int c = 0; c < GROUP; c++)
            if (!(c & h)) {
                struct bound low = v[c], high = v[c + h];
                v[c] = bound_add(format, low, high);
                v[c + h] = bound_sub(format, low, high);
            }
}

static void assert_same_bound(struct bound a, struct bound b)
{
    assert_same_bits(a.value, b.value);
    assert_same_bits(a.error, b.error);
}

static void check_hadamard_bound(const struct lanes *lanes)
{
    static const enum number_format formats[] = {FORMAT_F32, FORMAT_F16, FORMAT_BF16};
    struct random_key key = random_key_for(8, "bounds");
    for (int i = 0; i < 3 * N_TRIES; i++) {
        double values[GROUP], errors[GROUP];
        struct bound plain[GROUP];
        for (int c = 0; c < GROUP; c++) {
            uint64_t at = (uint64_t)(2 * (i * GROUP + c));
            values[c] = random_f16(key, at, true) * 0x1p-8;
            errors[c] = fabs(values[c]) * random_unit(key, at + 1) * 0x1p-8;
            plain[c] = (struct bound){values[c], errors[c]};
        }
        lanes->hadamard_bound(formats[i % 3], values, errors);
        plain_hadamard_bound(formats[i % 3], plain);
        for (int c = 0; c < GROUP; c++)
            assert_same_bound((struct bound){values[c], errors[c]}, plain[c]);
    }
}

static void the_rotations_bound_is_its_butterflies(void **state)
{
    (void)state;
    at_each_level(check_hadamard_bound);
}

/* Where something is infinite, no number or near overflow, hadamard_bound goes by classes. */
static void the_rotations_bound_keeps_classes(void **state)
{
    (void)state;
    static const struct bound specials[] = {
        {NAN, 0}, {INFINITY, 0}, {1, INFINITY}, {0x1.fffffep127, 0x1p100}, {0x1p122, 1}};
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        struct bound v[GROUP], plain[GROUP];
        for (int c = 0; c < GROUP; c++)
            plain[c] = v[c] = c == 77 ? specials[i] : (struct bound){0x1p121 * (c % 5), c};
        hadamard_bound(FORMAT_F32, v);
        plain_hadamard_bound(FORMAT_F32, plain);
        for (int c = 0; c < GROUP; c++)
            assert_same_bound(v[c], plain[c]);
    }
}

static struct bound plain_output(const struct lanes_finish *f, double svh, struct bound rotated)
{
    struct bound scaled = bound_mul(FORMAT_F32, rotated, bound_exact(f->scale));
    struct bound f32 = bound_mul(FORMAT_F32, scaled, bound_exact(svh));
    return f->format == FORMAT_F32 ? f32 : bound_convert(f->format, f32);
}

static void check_finish_of(const struct lanes *lanes, const struct lanes_finish *finish, int64_t n_steps, uint64_t seed)
{
    struct random_key key = random_key_for(seed, "finish");
    struct lanes_sums sums;
    double svh[GROUP];
    struct bound out[GROUP], plain[GROUP];
    for (int c = 0; c < GROUP; c++) {
        int place = lanes_place(c);
        svh[c] = c % 50 ? random_f16(key, (uint64_t)c, true) : 0;
        sums.value[place] = random_f16(key, (uint64_t)(c + 1000), true) * ldexp(1, (int)seed * 37 % 160 - 130);
        sums.magnitude[place] = fabs(sums.value[place]) * (1 + 4 * random_unit(key, (uint64_t)(c + 2000)));
        sums.excess[place] = c % 3 ? 0 : sums.magnitude[place] * 1000 * random_unit(key, (uint64_t)(c + 3000));
        struct step_terms terms = {.n_products = finish->n_products,
                                   .sum = sums.value[place],
                                   .sum_abs = sums.magnitude[place],
                                   .sum_aligned = sums.magnitude[place] + sums.excess[place]};
        plain[c] = step_chain(STEP_DOT2_ANY, &terms, n_steps, finish->more_additions);
    }
    lanes->finish(finish, svh, &sums, out);
    plain_hadamard_bound(FORMAT_F32, plain);
    for (int c = 0; c < GROUP; c++)
        assert_same_bound(out[c], plain_output(finish, svh[c], plain[c]));
}

static void check_finish(const struct lanes *lanes)
{
    static const enum number_format formats[] = {FORMAT_F32, FORMAT_BF16};
    for (int i = 0; i < 3 * N_TRIES; i++) {
        int64_t n_products = 128 << i % 6, n_steps = n_products / 16;
        struct lanes_finish finish = {
            .n_products = n_products, .more_additions = 7, .scale = 0x1.6a09e6p-4f, .format = formats[i % 2]};
        finish.n_models = step_factors(STEP_DOT2_ANY, n_products, n_steps, finish.models);
        check_finish_of(lanes, &finish, n_steps, (uint64_t)i);
    }
}

static void outputs_are_bounded_as_the_plain_steps_bound_them(void **state)
{
    (void)state;
    at_each_level(check_finish);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounding_is_format_rounds),
        cmocka_unit_test(every_f16_number_is_loaded),
        cmocka_unit_test(tiles_decode_into_the_places_of_their_columns),
        cmocka_unit_test(every_window_has_its_weight),
        cmocka_unit_test(products_are_summed_in_the_written_order),
        cmocka_unit_test(chains_round_as_their_policy_does),
        cmocka_unit_test(the_rotation_is_its_butterflies),
        cmocka_unit_test(the_rotations_bound_is_its_butterflies),
        cmocka_unit_test(the_rotations_bound_keeps_classes),
        cmocka_unit_test(outputs_are_bounded_as_the_plain_steps_bound_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
