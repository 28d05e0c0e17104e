/* Each hypothesis is claimed of outputs that it has made, by itself alone, and not of those that miss its threshold; random
 * faults are given no pattern. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "contract/base/random.h"
#include "contract/hypotheses.h"

enum { ROWS = 64, COLUMNS = 96, ELEMENTS = ROWS * COLUMNS };

/* Outputs within their bounds, until a fault is planted. */
struct outputs_made {
    struct wrong_sample sample;
    double got[ELEMENTS];
    struct bound reference[ELEMENTS];
    bool is_wrong[ELEMENTS];
};

static struct outputs_made made;

/* Random references with a bound of some f32 roundings, and outputs as right kernels leave them. */
static void make(int64_t rows, int64_t columns, uint64_t seed)
{
    made.sample = (struct wrong_sample){rows, columns, FORMAT_F32, made.got, made.reference, made.is_wrong, 0};
    struct random_key key = random_key_for(seed, "outputs"), noise = random_key_for(seed, "noise");
    for (int64_t i = 0; i < rows * columns; i++) {
        double value = 2 * random_unit(key, (uint64_t)i) - 1, error = 0x1p-20 * fabs(value) + 0x1p-24;
        made.reference[i] = (struct bound){value, error};
        made.got[i] = format_round(FORMAT_F32, value + error * (random_unit(noise, (uint64_t)i) - 0.5));
        made.is_wrong[i] = false;
    }
}

/* What gate 3 finds of the outputs as they are now. */
static const struct wrong_sample *judged(void)
{
    made.sample.n_wrong = 0;
    for (int64_t i = 0; i < made.sample.rows * made.sample.columns; i++) {
        const struct bound *bound = &made.reference[i];
        made.is_wrong[i] = isfinite(bound->error) && !(fabs(made.got[i] - bound->value) <= bound->error);
        made.sample.n_wrong += made.is_wrong[i];
    }
    return &made.sample;
}

/* Every output of these rows and columns through a function. */
static void change(int64_t first_row, int64_t rows, int64_t first_column, int64_t columns, double (*how)(int64_t))
{
    for (int64_t row = first_row; row < first_row + rows && row < made.sample.rows; row++)
        for (int64_t column = first_column; column < first_column + columns && column < made.sample.columns; column++) {
            int64_t i = row * made.sample.columns + column;
            made.got[i] = how(i);
        }
}

static void change_all(double (*how)(int64_t))
{
    change(0, made.sample.rows, 0, made.sample.columns, how);
}

static double zero(int64_t i)
{
    (void)i;
    return 0;
}

/* What belongs somewhere else; beyond the ends something else. */
static double moved(int64_t i, int64_t rows, int64_t columns)
{
    int64_t row = i / made.sample.columns + rows, column = i % made.sample.columns + columns;
    bool is_there = row >= 0 && row < made.sample.rows && column >= 0 && column < made.sample.columns;
    return is_there ? format_round(FORMAT_F32, made.reference[row * made.sample.columns + column].value) : 9;
}

static double row_late(int64_t i)
{
    return moved(i, -1, 0);
}

static double row_early(int64_t i)
{
    return moved(i, 1, 0);
}

static double column_late(int64_t i)
{
    return moved(i, 0, -1);
}

static double column_early(int64_t i)
{
    return moved(i, 0, 1);
}

static double two_rows_late(int64_t i)
{
    return moved(i, -2, 0);
}

static double scaled(int64_t i)
{
    return format_round(FORMAT_F32, made.reference[i].value * 1.0001);
}

static double negated(int64_t i)
{
    return -made.got[i];
}

static double in_bf16(int64_t i)
{
    return format_round(FORMAT_BF16, made.reference[i].value);
}

static double in_fp16(int64_t i)
{
    return format_round(FORMAT_F16, made.reference[i].value);
}

/* Off by one and a half bounds, up or down. */
static double noisy(int64_t i)
{
    double sign = random_bits(random_key_for(7, "signs"), (uint64_t)i) & 1 ? 1 : -1;
    return format_round(FORMAT_F32, made.reference[i].value + sign * 1.5 * made.reference[i].error);
}

static double random_output(int64_t i)
{
    return format_round(FORMAT_F32, 2 * random_unit(random_key_for(8, "wrong"), (uint64_t)i) - 1.5);
}

typedef bool hypothesis(const struct wrong_sample *sample, char text[HYPOTHESIS_BYTES]);

#define HYPOTHESIS_ROW(name) {#name, hypothesis_##name},
static const struct {
    const char *name;
    hypothesis *holds;
} all[] = {WHAT_HYPOTHESES(HYPOTHESIS_ROW) WHERE_HYPOTHESES(HYPOTHESIS_ROW)};
#undef HYPOTHESIS_ROW

/* Exactly the named hypotheses hold ("a b"), and the guess is those words. */
static void assert_holds(const char *names, const char *guess)
{
    const struct wrong_sample *sample = judged();
    char holding[400] = "", text[HYPOTHESIS_BYTES], guessed[2 * HYPOTHESIS_BYTES];
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].holds(sample, text))
            snprintf(holding + strlen(holding), sizeof holding - strlen(holding), "%s%s", *holding ? " " : "", all[i].name);
    assert_string_equal(holding, names);
    hypotheses_guess(sample, guessed);
    assert_string_equal(guessed, guess);
}

static void right_outputs_show_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        make(ROWS, COLUMNS, seed);
        assert_holds("", "");
        assert_int_equal(made.sample.n_wrong, 0);
    }
}

/* Whatever is wrong all over shows what it holds; where it is says nothing. */
static void what_wrong_outputs_hold(void **state)
{
    (void)state;
    static const struct {
        double (*how)(int64_t);
        const char *name, *guess;
    } faults[] = {
        {zero, "zeros", "all outputs are 0"},
        {row_late, "row_late", "they hold what belongs one row before (one row late)"},
        {row_early, "row_early", "they hold what belongs one row after (one row early)"},
        {column_late, "column_late", "they hold what belongs one column before (one column late)"},
        {column_early, "column_early", "they hold what belongs one column after (one column early)"},
        {scaled, "factor", "they are 1.0001 times the reference"},
        {negated, "factor", "they are -1 times the reference"},
        {in_bf16, "bf16 fp16", "they are bf16 numbers: rounded on the way, to bf16 or less"},
        {in_fp16, "fp16", "they are fp16 numbers: rounded on the way, to fp16 or less"},
        {two_rows_late, "", ""},
        {noisy, "", ""},
        {random_output, "", ""},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        make(ROWS, COLUMNS, i);
        change_all(faults[i].how);
        assert_holds(faults[i].name, faults[i].guess);
    }
}

/* A fault that 96 in 100 wrong outputs show is claimed; one of 94 is not. */
static void one_in_twenty_may_be_otherwise(void **state)
{
    (void)state;
    static const struct {
        double (*how)(int64_t);
        hypothesis *holds;
    } faults[] = {{zero, hypothesis_zeros},
                  {row_late, hypothesis_row_late},
                  {column_early, hypothesis_column_early},
                  {scaled, hypothesis_factor},
                  {in_bf16, hypothesis_bf16}};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        for (int n_otherwise = 4; n_otherwise <= 6; n_otherwise += 2) {
            char text[HYPOTHESIS_BYTES];
            make(ROWS, COLUMNS, i);
            change_all(faults[i].how);
            for (int64_t at = 0; at < ELEMENTS; at++)
                if (at % 100 < n_otherwise)
                    made.got[at] = random_output(at);
            assert_int_equal(faults[i].holds(judged(), text), n_otherwise == 4);
        }
}

static void a_few_wrong_outputs_show_nothing(void **state)
{
    (void)state;
    for (int n = HYPOTHESIS_FEWEST - 1; n <= HYPOTHESIS_FEWEST; n++) {
        char text[HYPOTHESIS_BYTES];
        make(ROWS, COLUMNS, 1);
        change(10, 1, 16, n, zero);
        assert_int_equal(judged()->n_wrong, n);
        assert_int_equal(hypothesis_zeros(judged(), text), n == HYPOTHESIS_FEWEST);
        make(ROWS, COLUMNS, 1);
        change(10, 1, 16, n, scaled);
        assert_int_equal(hypothesis_factor(judged(), text), n == HYPOTHESIS_FEWEST);
        make(ROWS, COLUMNS, 1);
        change(10, 1, 16, n, row_late);
        assert_int_equal(hypothesis_row_late(judged(), text), n == HYPOTHESIS_FEWEST);
    }
}

/* Of two rows that are wrong one has a row after it; where half of that one is right, too few have. */
static void a_shift_needs_outputs_to_hold(void **state)
{
    (void)state;
    char text[HYPOTHESIS_BYTES];
    make(2, COLUMNS, 12);
    change_all(row_early);
    made.got[5] = format_round(FORMAT_F32, made.reference[5].value);
    assert_true(hypothesis_row_early(judged(), text));
    make(2, COLUMNS, 12);
    change(0, 1, 0, COLUMNS / 2, row_early);
    change(1, 1, 0, COLUMNS, random_output);
    assert_false(hypothesis_row_early(judged(), text));
}

/* Where twice as far fits as well, the bounds are wide or the values the same. */
static void wide_bounds_are_no_shift(void **state)
{
    (void)state;
    char text[HYPOTHESIS_BYTES];
    make(ROWS, COLUMNS, 3);
    for (int64_t i = 0; i < ELEMENTS; i++)
        made.reference[i] = (struct bound){i / COLUMNS % 2 ? 1 : -1, 0.5};
    for (int64_t i = 0; i < ELEMENTS; i++)
        made.got[i] = -made.reference[i].value;
    assert_true(hypothesis_row_late(judged(), text)); /* two rows further the sign is the other one */
    for (int64_t i = 0; i < ELEMENTS; i++) {
        made.reference[i] = (struct bound){i % COLUMNS ? 0 : 1, 0.5};
        made.got[i] = i % COLUMNS ? 1e3 : 1;
    }
    for (int64_t i = 1; i < ELEMENTS; i += COLUMNS)
        made.reference[i].value = 1e3;
    assert_false(hypothesis_row_late(judged(), text));
    assert_false(hypothesis_column_late(judged(), text));
}

/* Outputs that are nearly the same differ from their references by a factor and by an offset alike. */
static void a_factor_needs_references_that_differ(void **state)
{
    (void)state;
    char text[HYPOTHESIS_BYTES];
    make(ROWS, COLUMNS, 4);
    for (int64_t i = 0; i < ELEMENTS; i++) {
        made.reference[i] = (struct bound){1 + 0.4 * random_unit(random_key_for(4, "near"), (uint64_t)i), 0x1p-20};
        made.got[i] = 3 * made.reference[i].value;
    }
    assert_false(hypothesis_factor(judged(), text));
    made.reference[77].value = 0.5;
    made.got[77] = 1.5;
    assert_true(hypothesis_factor(judged(), text));
}

/* Outputs that are stored in bf16 are all bf16 numbers, and fp16 has only three bits more. */
static void narrow_outputs_are_no_sign_of_rounding(void **state)
{
    (void)state;
    static const struct {
        enum number_format format;
        bool bf16, fp16;
    } stored[] = {
        {FORMAT_F32, true, false}, {FORMAT_F16, true, false}, {FORMAT_BF16, false, false}, {FORMAT_I32, false, false}};
    for (size_t i = 0; i < sizeof stored / sizeof *stored; i++) {
        char text[HYPOTHESIS_BYTES];
        make(ROWS, COLUMNS, 5);
        change_all(in_bf16);
        made.sample.format = stored[i].format;
        assert_int_equal(hypothesis_bf16(judged(), text), stored[i].bf16);
        change_all(in_fp16);
        assert_int_equal(hypothesis_fp16(judged(), text), stored[i].format == FORMAT_F32);
    }
}

static void whole_tiles(void **state)
{
    (void)state;
    make(ROWS, COLUMNS, 6);
    change(16, 16, 32, 16, random_output);
    assert_holds("tiles", "they fill whole tiles of 16x16: 1 of 24, the first at [16][32]");
    make(ROWS, COLUMNS, 6);
    change(32, 32, 0, 32, zero);
    change(0, 32, 64, 32, zero);
    assert_holds("zeros tiles", "they are 0; they fill whole tiles of 32x32: 2 of 6, the first at [0][64]");
    change(17, 1, 33, 1, zero); /* one output more belongs to no whole tile */
    assert_holds("zeros", "they are 0");
}

/* The last columns, which are no whole tile, are one as far as they go. */
static void a_ragged_edge_is_a_tile(void **state)
{
    (void)state;
    make(64, 70, 7);
    change(0, 64, 64, 6, random_output);
    assert_holds("tiles", "they fill whole tiles of 32x32: 2 of 6, the first at [0][64]");
}

static void lanes_by_column_and_by_output(void **state)
{
    (void)state;
    make(ROWS, COLUMNS, 8);
    for (int64_t column = 5; column < COLUMNS; column += 32)
        change(0, ROWS, column, 1, random_output);
    assert_holds("lanes", "they are every 32nd column, from 5 on");
    make(63, 33, 8);
    for (int64_t i = 3; i < made.sample.rows * made.sample.columns; i += 64)
        made.got[i] = random_output(i);
    assert_holds("lanes", "they are every 64th output, from 3 on");
    made.got[4] = 5; /* another lane */
    assert_holds("", "");
    make(ROWS, COLUMNS, 8);
    for (int64_t column = 1; column < COLUMNS; column += 2)
        change(0, ROWS, column, 1, zero);
    assert_holds("zeros lanes", "they are 0; they are every 2nd column, from 1 on");
}

/* Half of a lane's outputs is no lane. */
static void a_lane_is_wrong_as_a_whole(void **state)
{
    (void)state;
    make(ROWS, COLUMNS, 9);
    for (int64_t column = 5; column < COLUMNS; column += 32)
        change(0, ROWS * 8 / 10, column, 1, random_output);
    assert_holds("", "");
    for (int64_t column = 5; column < COLUMNS; column += 32)
        change(0, ROWS * 95 / 100, column, 1, random_output);
    assert_holds("lanes", "they are every 32nd column, from 5 on");
}

static void whole_rows(void **state)
{
    (void)state;
    make(ROWS, COLUMNS, 10);
    change(7, 1, 0, COLUMNS, random_output);
    change(40, 2, 0, COLUMNS, random_output);
    assert_holds("rows", "they fill whole rows: 3 of 64, the first row 7");
    change(50, 1, 0, COLUMNS / 2, random_output);
    assert_holds("", "");
}

/* NaN and infinities belong to no pattern of values, and hide none of places. */
static void non_finite_outputs_have_no_value(void **state)
{
    (void)state;
    make(ROWS, COLUMNS, 11);
    for (int64_t column = 5; column < COLUMNS; column += 32)
        for (int64_t row = 0; row < ROWS; row++)
            made.got[row * COLUMNS + column] = row % 2 ? (double)NAN : (double)INFINITY;
    assert_holds("lanes", "they are every 32nd column, from 5 on");
}

/* Scattered single outputs, and blocks that lie across tiles, of many seeds. */
static void random_places_show_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct random_key key = random_key_for(seed, "places");
        make(ROWS, COLUMNS, seed);
        for (uint64_t n = 0; n < 8 + seed * 10; n++) {
            int64_t at = random_below(key, n, ELEMENTS);
            made.got[at] = random_output(at + (int64_t)seed);
        }
        assert_holds("", "");
        make(ROWS, COLUMNS, seed);
        change(3 + (int64_t)seed % 9, 17, 5 + (int64_t)seed % 7, 20, random_output);
        assert_holds("", "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_outputs_show_nothing),
        cmocka_unit_test(what_wrong_outputs_hold),
        cmocka_unit_test(one_in_twenty_may_be_otherwise),
        cmocka_unit_test(a_few_wrong_outputs_show_nothing),
        cmocka_unit_test(a_shift_needs_outputs_to_hold),
        cmocka_unit_test(wide_bounds_are_no_shift),
        cmocka_unit_test(a_factor_needs_references_that_differ),
        cmocka_unit_test(narrow_outputs_are_no_sign_of_rounding),
        cmocka_unit_test(whole_tiles),
        cmocka_unit_test(a_ragged_edge_is_a_tile),
        cmocka_unit_test(lanes_by_column_and_by_output),
        cmocka_unit_test(a_lane_is_wrong_as_a_whole),
        cmocka_unit_test(whole_rows),
        cmocka_unit_test(non_finite_outputs_have_no_value),
        cmocka_unit_test(random_places_show_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
