/*
 * The EXL3 references: the trellis against a decode bit by bit, sums against MPFR, and bounds against the kernels' own
 * steps, which never leave them and come near enough for the bounds to mean something.
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
#include "reference/exl3.h"
#include "reference/exl3_trellis.h"
#include "reference/step.h"
#include "tests/support/exl3_model.h"

static const int widths[] = {2, 3, 4, 5, 6, 7, 8};
enum { N_WIDTHS = sizeof widths / sizeof *widths, LARGEST_TILE = 16 * 8 };

static void fill_bits(uint16_t *out, int64_t n, const char *name)
{
    struct random_key key = random_key_for(7, name);
    for (int64_t i = 0; i < n; i++)
        out[i] = (uint16_t)random_bits(key, (uint64_t)i);
}

static void fill_f16(uint16_t *out, int64_t n, const char *name)
{
    struct random_key key = random_key_for(7, name);
    for (int64_t i = 0; i < n; i++)
        format_store(FORMAT_F16, out, i, 2 * random_unit(key, (uint64_t)i) - 1);
}

static void an_all_ones_window_decodes_to_the_check_value_at_every_width(void **state)
{
    (void)state;
    uint16_t tile[LARGEST_TILE];
    memset(tile, 0xff, sizeof tile);
    for (int w = 0; w < N_WIDTHS; w++) {
        double weights[EXL3_TILE_WEIGHTS];
        struct exl3_codebook codebook;
        exl3_codebook_init(&codebook);
        exl3_decode_tile(&codebook, tile, widths[w], weights, EXL3_TILE);
        for (int t = 0; t < EXL3_TILE_WEIGHTS; t++) {
            assert_true(exl3_weight(exl3_window(tile, widths[w], t)) == -0.6513671875);
            assert_true(weights[t] == -0.6513671875);
        }
    }
}

static void the_codebook_constants_are_the_given_bits(void **state)
{
    (void)state;
    uint16_t bits[] = {0x1EEE, 0xC931, 0x6400 + 510};
    double exact = format_load(FORMAT_F16, bits, 2) * format_load(FORMAT_F16, bits, 0) + format_load(FORMAT_F16, bits, 1);
    assert_true(exl3_weight_of_byte_sum(510) == format_round(FORMAT_F16, exact));
    assert_int_equal(exl3_byte_sum(0), 0);
    assert_int_equal(exl3_byte_sum(1), 0x83 + 0xDC + 0xD1 + 0x2D);
}

static void windows_equal_a_decode_bit_by_bit(void **state)
{
    (void)state;
    uint16_t tile[LARGEST_TILE];
    fill_bits(tile, LARGEST_TILE, "tile");
    for (int w = 0; w < N_WIDTHS; w++)
        for (int t = 0; t < EXL3_TILE_WEIGHTS; t++)
            assert_int_equal(exl3_window(tile, widths[w], t), exl3_window_by_bits(tile, widths[w], t));
}

/* The first weight's window of a 4-bit tile is the ring's last 12 bits and its first 4. */
static void the_ring_wraps_around(void **state)
{
    (void)state;
    uint16_t tile[64] = {0};
    tile[1] = 0xA000;  /* the first word's upper half: bits 0 … 15 of the stream */
    tile[62] = 0x0BCD; /* the last word's lower half: its last 16 bits */
    assert_int_equal(exl3_window(tile, 4, 0), 0xBCDA);
    assert_int_equal(exl3_window(tile, 4, 255), 0x0BCD);
}

static void places_follow_the_matrix_layout(void **state)
{
    (void)state;
    static const struct {
        int t, row, column;
    } known[] = {{0, 0, 0}, {1, 1, 0}, {2, 8, 0}, {3, 9, 0}, {4, 0, 8}, {8, 2, 0}, {32, 0, 1}, {255, 15, 15}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_int_equal(exl3_row(known[i].t), known[i].row);
        assert_int_equal(exl3_column(known[i].t), known[i].column);
    }
    for (int t = 0; t < EXL3_TILE_WEIGHTS; t++)
        assert_int_equal(exl3_index(exl3_row(t), exl3_column(t)), t);
}

static void a_tile_decodes_into_its_places(void **state)
{
    (void)state;
    struct exl3_codebook codebook;
    uint16_t tile[LARGEST_TILE];
    double weights[EXL3_TILE][EXL3_TILE];
    exl3_codebook_init(&codebook);
    fill_bits(tile, LARGEST_TILE, "places");
    for (int w = 0; w < N_WIDTHS; w++) {
        exl3_decode_tile(&codebook, tile, widths[w], &weights[0][0], EXL3_TILE);
        for (int row = 0; row < EXL3_TILE; row++)
            for (int column = 0; column < EXL3_TILE; column++)
                assert_true(weights[row][column] ==
                            exl3_weight(exl3_window_by_bits(tile, widths[w], exl3_index(row, column))));
    }
}

static void the_hadamard_transform_is_its_own_inverse_times_128(void **state)
{
    (void)state;
    double v[HADAMARD_SIZE], once[HADAMARD_SIZE];
    for (int i = 0; i < HADAMARD_SIZE; i++)
        v[i] = i * i % 61 - 30;
    memcpy(once, v, sizeof v);
    hadamard_model(&policy_true, once);
    for (int j = 0; j < HADAMARD_SIZE; j++) {
        double sum = 0;
        for (int i = 0; i < HADAMARD_SIZE; i++)
            sum += hadamard_sign(j, i) * v[i];
        assert_true(once[j] == sum);
    }
    hadamard_model(&policy_true, once);
    for (int i = 0; i < HADAMARD_SIZE; i++)
        assert_true(once[i] == 128 * v[i]);
}

/* rot_in */

enum { ROT_ROWS = 3, ROT_K = 256 };

struct rot_case {
    struct exl3_rot_in p;
    float x[ROT_ROWS * ROT_K];
    uint16_t suh[ROT_K];
    struct bound out[ROT_ROWS * ROT_K];
};

static void open_rot(struct rot_case *r)
{
    struct random_key key = random_key_for(11, "rot");
    for (int i = 0; i < ROT_ROWS * ROT_K; i++)
        r->x[i] = (float)(2 * random_unit(key, (uint64_t)i) - 1);
    fill_f16(r->suh, ROT_K, "suh");
    r->p = (struct exl3_rot_in){ROT_ROWS, ROT_K, FORMAT_F32, EXL3_SCALE, r->x, r->suh, 2};
    exl3_rot_in_reference(&r->p, r->out);
}

static void rot_in_is_within_its_bound_of_mpfr_and_the_bound_bites(void **state)
{
    (void)state;
    struct rot_case r;
    open_rot(&r);
    double worst = 0;
    struct audit *audit = audit_open();
    for (int group = 0; group < ROT_ROWS * ROT_K / 128; group++) {
        float suh[128], out[128];
        for (int i = 0; i < 128; i++)
            suh[i] = (float)format_load(FORMAT_F16, r.suh, group % 2 * 128 + i);
        exl3_rot_in_group(r.x + group * 128, suh, out);
        for (int i = 0; i < 128; i++) {
            const struct bound *b = &r.out[group * 128 + i];
            double ratio = fabs(out[i] - b->value) / b->error;
            worst = fmax(worst, ratio);
            assert_true(ratio <= 1);
            assert_true(b->error < 0x1p-10 * fabs(b->value) + 0x1p-16);
            exl3_rot_in_audit(&r.p, group / 2, group % 2 * 128 + i, audit);
            assert_true(audit_distance(audit, 0, b->value) <= 0x1p-10 * b->error);
        }
    }
    audit_close(audit);
    assert_true(worst > 0.5);
}

static void rot_in_classes_follow_its_butterflies(void **state)
{
    (void)state;
    struct rot_case r;
    open_rot(&r);
    r.x[ROT_K + 3] = INFINITY;  /* row 1, group 0 */
    r.x[2 * ROT_K + 130] = NAN; /* row 2, group 1 */
    r.x[ROT_K + 128] = 3.4e38f; /* row 1, group 1: f16 overflows, f32 does not */
    exl3_rot_in_reference(&r.p, r.out);
    for (int i = 0; i < 128; i++) {
        enum value_class expected =
            (format_load(FORMAT_F16, r.suh, 3) < 0) != (hadamard_sign(i, 3) < 0) ? CLASS_MINUS_INF : CLASS_PLUS_INF;
        assert_int_equal(bound_class(r.out[i], FORMAT_F16), CLASS_FINITE);
        assert_int_equal(bound_class(r.out[ROT_K + i], FORMAT_F16), expected);
        assert_true(isinf(r.out[ROT_K + 128 + i].value));
        assert_int_equal(bound_class(r.out[2 * ROT_K + 128 + i], FORMAT_F16), CLASS_NAN);
    }
}

/* linear */

enum { ROWS = 2, K = 256, N = 128, TILES = K / 16 * (N / 16) };

struct linear_case {
    struct exl3_linear p;
    uint16_t x[ROWS * K], w[TILES * LARGEST_TILE], svh[N];
    struct bound out[ROWS * N];
    double weights[N * K];
};

static struct linear_case *open_linear(int bits, int n_waves, enum number_format out)
{
    struct linear_case *l = calloc(1, sizeof *l);
    assert_non_null(l);
    fill_f16(l->x, ROWS * K, "x");
    fill_bits(l->w, TILES * LARGEST_TILE, "w");
    fill_f16(l->svh, N, "svh");
    l->p = (struct exl3_linear){ROWS, K, N, bits, n_waves, out, EXL3_SCALE, l->x, l->w, l->svh, 2, false};
    for (int c = 0; c < N; c++)
        exl3_column_of(&l->p, c, l->weights + c * K);
    exl3_linear_reference(&l->p, l->out);
    return l;
}

static float dot2_as_fma(enum number_format format, float sum, const double a[2], const double b[2])
{
    (void)format;
    return fmaf((float)a[1], (float)b[1], fmaf((float)a[0], (float)b[0], sum));
}

static void the_linear_kernels_steps_stay_within_the_bound_on_every_chip(void **state)
{
    (void)state;
    exl3_dot2 *const steps[] = {dot2_as_fma, dot2_gfx11, dot2_gfx12};
    for (int w = 0; w < N_WIDTHS; w++)
        for (int n_waves = 4; n_waves <= 8; n_waves += 4) {
            struct linear_case *l = open_linear(widths[w], n_waves, FORMAT_F32);
            for (int i = 0; i < 3; i++)
                for (int row = 0; row < ROWS; row++) {
                    float out[N];
                    exl3_linear_group(&l->p, steps[i], row, 0, l->weights, out);
                    for (int c = 0; c < N; c++)
                        assert_true(fabs(out[c] - l->out[row * N + c].value) <= l->out[row * N + c].error);
                }
            free(l);
        }
}

static void the_linear_value_is_mpfrs_and_the_bound_is_small(void **state)
{
    (void)state;
    struct linear_case *l = open_linear(4, 4, FORMAT_F32);
    struct audit *audit = audit_open();
    for (int i = 0; i < ROWS * N; i += 7) {
        exl3_linear_audit(&l->p, i / N, i % N, audit);
        assert_true(audit_distance(audit, 0, l->out[i].value) <= 0x1p-10 * l->out[i].error);
        double terms = 0; /* sum |x W| over the group, scaled: what the error must be small against */
        for (int c = 0; c < N; c++)
            for (int k = 0; k < K; k++)
                terms += fabs(format_load(FORMAT_F16, l->x, i / N * K + k) * l->weights[c * K + k]);
        terms *= EXL3_SCALE * fabs(format_load(FORMAT_F16, l->svh, i % N));
        assert_true(l->out[i].error > 0x1p-24 * fabs(l->out[i].value));
        assert_true(l->out[i].error < 128 * 0x1p-24 * terms);
    }
    audit_close(audit);
    free(l);
}

static void bf16_outputs_may_be_half_a_spacing_off(void **state)
{
    (void)state;
    struct linear_case *l = open_linear(4, 4, FORMAT_BF16);
    for (int row = 0; row < ROWS; row++) {
        float out[N];
        exl3_linear_group(&l->p, dot2_gfx11, row, 0, l->weights, out);
        for (int c = 0; c < N; c++) {
            const struct bound *b = &l->out[row * N + c];
            assert_true(fabs(format_round(FORMAT_BF16, out[c]) - b->value) <= b->error);
            assert_true(b->error >= format_half_spacing(FORMAT_BF16, b->value));
        }
    }
    free(l);
}

static void the_exact_sum_is_what_the_chips_steps_give_bit_for_bit(void **state)
{
    (void)state;
    struct linear_case *l = open_linear(4, 4, FORMAT_F32);
    memset(l->w, 0xff, sizeof l->w);
    for (int i = 0; i < ROWS * K; i++)
        format_store(FORMAT_F16, l->x, i, -16 * (1 + i * 37 % 98));
    for (int c = 0; c < N; c++)
        exl3_column_of(&l->p, c, l->weights + c * K);
    struct exact_sum sums[ROWS * N];
    exl3_linear_exact(&l->p, 0, ROWS * N, sums);
    for (int row = 0; row < ROWS; row++) {
        float out[N];
        exl3_linear_group(&l->p, dot2_gfx11, row, 0, l->weights, out);
        for (int c = 0; c < N; c++) {
            assert_true(exact_premise_holds(&sums[row * N + c], true));
            assert_true(sums[row * N + c].expected == out[c]);
        }
        assert_true(out[0] != 0 && out[1] == 0 && out[127] == 0);
    }
    free(l);
}

static void a_row_of_nan_leaves_the_others_alone(void **state)
{
    (void)state;
    struct linear_case *l = open_linear(4, 4, FORMAT_F32);
    struct bound before[N];
    memcpy(before, l->out, sizeof before);
    format_store(FORMAT_F16, l->x, K + 9, NAN);
    exl3_linear_reference(&l->p, l->out);
    assert_memory_equal(before, l->out, sizeof before);
    for (int c = 0; c < N; c++)
        assert_int_equal(bound_class(l->out[N + c], FORMAT_F32), CLASS_NAN);
    free(l);
}

/* Adders align a subnormal element as the smallest normal one: the bound of a row of them is not that of its products. */
static void subnormal_rows_take_what_alignment_costs(void **state)
{
    (void)state;
    struct linear_case *l = open_linear(4, 4, FORMAT_F32);
    struct bound expected[N];
    for (int k = 0; k < K; k++)
        l->x[K + k] = (uint16_t)(k % 3 ? 1 + k / 8 : 0x8001 + k / 4); /* row 1: at most 2^-18, of either sign */
    exl3_linear_reference(&l->p, l->out);
    for (int c = 0; c < N; c++) {
        struct step_terms terms = {0};
        for (int k = 0; k < K; k++)
            step_terms_add(&terms, FORMAT_F16, format_load(FORMAT_F16, l->x, K + k), l->weights[c * K + k]);
        assert_true(terms.sum_aligned > 20 * terms.sum_abs);
        expected[c] = step_chain(STEP_DOT2_ANY, &terms, K / 4 / 2, 3);
    }
    hadamard_bound(FORMAT_F32, expected);
    for (int c = 0; c < N; c++) {
        struct bound svh = bound_exact(format_load(FORMAT_F16, l->svh, c));
        struct bound scaled = bound_mul(FORMAT_F32, expected[c], bound_exact(EXL3_SCALE));
        double error = bound_mul(FORMAT_F32, scaled, svh).error;
        assert_true(fabs(l->out[N + c].error - error) <= 0x1p-40 * error);
    }
    free(l);
}

/* Three groups of columns, the same weights in both layouts. */
enum { STRIP_N = 384, STRIP_TILES = K / 16 * (STRIP_N / 16) };

struct strip_case {
    struct exl3_linear checkpoint, strips;
    uint16_t x[ROWS * K], w[STRIP_TILES * LARGEST_TILE], w_strips[STRIP_TILES * LARGEST_TILE], svh[STRIP_N];
};

static struct strip_case *open_strips(int bits)
{
    struct strip_case *s = calloc(1, sizeof *s);
    assert_non_null(s);
    size_t words = (size_t)bits * 16;
    fill_f16(s->x, ROWS * K, "x");
    fill_bits(s->w, STRIP_TILES * LARGEST_TILE, "strips");
    fill_f16(s->svh, STRIP_N, "svh");
    const uint16_t *tile = s->w;
    for (size_t row = 0; row < K / 16; row++)
        for (size_t column = 0; column < STRIP_N / 16; column++, tile += words)
            memcpy(s->w_strips + ((column / 8 * (K / 16) + row) * 8 + column % 8) * words, tile, words * sizeof *tile);
    s->checkpoint = (struct exl3_linear){ROWS, K, STRIP_N, bits, 4, FORMAT_F32, EXL3_SCALE, s->x, s->w, s->svh, 1, false};
    s->strips = s->checkpoint;
    s->strips.w = s->w_strips;
    s->strips.strips = true;
    return s;
}

static void both_tile_layouts_give_the_same_reference(const struct strip_case *s)
{
    struct bound one[ROWS * STRIP_N], other[ROWS * STRIP_N];
    exl3_linear_reference(&s->checkpoint, one);
    exl3_linear_reference(&s->strips, other);
    assert_memory_equal(one, other, sizeof one);
}

static void both_tile_layouts_give_the_same_model(const struct strip_case *s)
{
    double one[ROWS * STRIP_N], other[ROWS * STRIP_N];
    exl3_linear_model(&s->checkpoint, &policy_true, one);
    exl3_linear_model(&s->strips, &policy_true, other);
    assert_memory_equal(one, other, sizeof one);
}

static void both_tile_layouts_have_the_same_exact_values(const struct strip_case *s)
{
    struct audit *audit = audit_open();
    struct bound values[ROWS * STRIP_N];
    exl3_linear_reference(&s->checkpoint, values);
    for (int i = 5; i < ROWS * STRIP_N; i += 61) {
        exl3_linear_audit(&s->strips, i / STRIP_N, i % STRIP_N, audit);
        assert_true(audit_distance(audit, 0, values[i].value) <= 0x1p-10 * values[i].error);
    }
    audit_close(audit);
}

static void both_tile_layouts_give_the_same_results(void **state)
{
    (void)state;
    for (int w = 0; w < N_WIDTHS; w++) {
        struct strip_case *s = open_strips(widths[w]);
        both_tile_layouts_give_the_same_reference(s);
        both_tile_layouts_give_the_same_model(s);
        both_tile_layouts_have_the_same_exact_values(s);
        free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_all_ones_window_decodes_to_the_check_value_at_every_width),
        cmocka_unit_test(the_codebook_constants_are_the_given_bits),
        cmocka_unit_test(windows_equal_a_decode_bit_by_bit),
        cmocka_unit_test(the_ring_wraps_around),
        cmocka_unit_test(places_follow_the_matrix_layout),
        cmocka_unit_test(a_tile_decodes_into_its_places),
        cmocka_unit_test(the_hadamard_transform_is_its_own_inverse_times_128),
        cmocka_unit_test(rot_in_is_within_its_bound_of_mpfr_and_the_bound_bites),
        cmocka_unit_test(rot_in_classes_follow_its_butterflies),
        cmocka_unit_test(the_linear_kernels_steps_stay_within_the_bound_on_every_chip),
        cmocka_unit_test(the_linear_value_is_mpfrs_and_the_bound_is_small),
        cmocka_unit_test(bf16_outputs_may_be_half_a_spacing_off),
        cmocka_unit_test(the_exact_sum_is_what_the_chips_steps_give_bit_for_bit),
        cmocka_unit_test(a_row_of_nan_leaves_the_others_alone),
        cmocka_unit_test(subnormal_rows_take_what_alignment_costs),
        cmocka_unit_test(both_tile_layouts_give_the_same_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
