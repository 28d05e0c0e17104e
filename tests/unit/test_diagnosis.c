/* What a failing gate 3 tells: the first wrong output, the worst, those around it, and a guess; nothing where it passes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contract/diagnosis.h"
#include "reports/diagnosis_text.h"

/* An output tensor y of any size, every output within its bound. */
struct made {
    struct host_case host;
    struct bound *bounds;
    float *y;
    struct outputs outputs;
};

static struct made make(int64_t rows, int64_t columns)
{
    struct made m = {0};
    m.host.plan.n_tensors = 1;
    m.host.plan.tensor[0] = (struct reg_tensor){"y", FORMAT_F32, REG_OUTPUT, rows, columns};
    m.bounds = calloc((size_t)(rows * columns), sizeof *m.bounds);
    m.y = calloc((size_t)(rows * columns), sizeof *m.y);
    assert_true(m.bounds && m.y);
    for (int64_t i = 0; i < rows * columns; i++) {
        m.y[i] = (float)(1 + i % 7 * 0.125);
        m.bounds[i] = (struct bound){m.y[i], 0x1p-22};
    }
    m.host.bounds[0] = m.bounds;
    m.outputs.data[0] = m.y;
    return m;
}

static struct verdict judge(const struct made *m)
{
    struct verdict v = {.gate = GATE_BOUND, .worst.index = -1};
    gate3_judge(&m->host, &m->outputs, &v);
    diagnosis_make(&m->host, &m->outputs, &v);
    return v;
}

static void made_free(struct made *m)
{
    free(m->bounds);
    free(m->y);
}

static void a_pass_has_no_diagnosis(void **state)
{
    (void)state;
    struct made m = make(4, 5);
    struct verdict v = judge(&m);
    assert_int_equal(v.status, VERDICT_PASS);
    assert_string_equal(v.diagnosis.tensor, "");
    struct text lines = {0};
    diagnosis_lines(&v.diagnosis, 6, &lines);
    assert_null(lines.data);
    made_free(&m);
}

static void first_and_worst_are_told_by_row_and_column(void **state)
{
    (void)state;
    struct made m = make(5, 6);
    m.y[7] += 0x1p-20f;
    m.y[14] += 0x1p-18f;
    m.y[28] += 0x1p-19f;
    struct verdict v = judge(&m);
    const struct diagnosis *d = &v.diagnosis;
    assert_string_equal(d->tensor, "y");
    assert_string_equal(d->format, "f32");
    assert_int_equal(d->rows, 5);
    assert_int_equal(d->columns, 6);
    assert_int_equal(d->n_wrong, 3);
    assert_int_equal(d->first.row, 1);
    assert_int_equal(d->first.column, 1);
    assert_int_equal(d->worst.row, 2);
    assert_int_equal(d->worst.column, 2);
    uint32_t bits;
    memcpy(&bits, &m.y[14], sizeof bits);
    assert_int_equal(d->worst.got_bits, bits);
    assert_true(d->worst.got == m.y[14] && d->worst.reference == m.bounds[14].value && d->worst.bound == 0x1p-22);
    assert_true(d->worst.ratio == 16);
    assert_true(d->worst.ulps == 32); /* 2^-18 in spacings of 2^-23 */
    assert_string_equal(d->guess, "");
    made_free(&m);
}

/* Nine around the worst, fewer at the edges; in line where the tensor is a single row or column. */
static void the_neighbourhood_stays_in_the_tensor(void **state)
{
    (void)state;
    static const struct {
        int64_t rows, columns, worst;
        int n_near;
        int64_t first_near, last_near;
    } cases[] = {{5, 6, 14, 9, 7, 21}, {5, 6, 0, 4, 0, 7},    {5, 6, 29, 4, 22, 29},  {1, 30, 10, 9, 6, 14},
                 {1, 30, 1, 6, 0, 5},  {30, 1, 10, 9, 6, 14}, {30, 1, 29, 5, 25, 29}, {1, 1, 0, 1, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct made m = make(cases[i].rows, cases[i].columns);
        m.y[cases[i].worst] += 1;
        struct verdict v = judge(&m);
        const struct diagnosed_output *near = v.diagnosis.near;
        assert_int_equal(v.diagnosis.n_near, cases[i].n_near);
        assert_int_equal(near[0].row * cases[i].columns + near[0].column, cases[i].first_near);
        near += cases[i].n_near - 1;
        assert_int_equal(near->row * cases[i].columns + near->column, cases[i].last_near);
        for (int n = 0; n < v.diagnosis.n_near; n++) {
            const struct diagnosed_output *o = &v.diagnosis.near[n];
            int64_t index = o->row * cases[i].columns + o->column;
            assert_true(o->got == m.y[index] && o->reference == m.bounds[index].value);
            assert_int_equal(o->ratio > 1, index == cases[i].worst);
        }
        made_free(&m);
    }
}

static void a_telling_pattern_is_guessed(void **state)
{
    (void)state;
    struct made m = make(16, 64);
    for (int row = 0; row < 16; row++)
        m.y[row * 64 + 33] = m.y[row * 64 + 1] = 0;
    struct verdict v = judge(&m);
    assert_string_equal(v.diagnosis.guess, "they are 0; they are every 32nd column, from 1 on");
    made_free(&m);
}

/* NaN is infinitely far in bounds and ulps; an output that the reference does not decide is in no way wrong. */
static void what_is_not_finite_is_infinitely_far(void **state)
{
    (void)state;
    struct made m = make(1, 3);
    m.y[1] = -(float)NAN;
    m.y[2] = 9;
    m.bounds[2].error = INFINITY;
    struct verdict v = judge(&m);
    assert_int_equal(v.diagnosis.n_wrong, 1);
    assert_int_equal(v.diagnosis.first.column, 1);
    assert_false(signbit(v.diagnosis.first.got)); /* as a log gives it back */
    assert_true(isinf(v.diagnosis.first.ratio) && isinf(v.diagnosis.first.ulps));
    assert_int_equal(v.diagnosis.n_near, 3);
    assert_true(v.diagnosis.near[2].ratio == 0 && isinf(v.diagnosis.near[2].bound));
    made_free(&m);
}

/* Known findings, twins and depths fail later, and are no wrong outputs. */
static void only_a_failing_bound_has_one(void **state)
{
    (void)state;
    struct made m = make(4, 5);
    struct verdict v = {.gate = GATE_BOUND, .status = VERDICT_FAIL, .worst = {"y", 3, 0, 0, 0, 0}, .n_wrong = 1};
    diagnosis_make(&m.host, &m.outputs, &v);
    assert_string_equal(v.diagnosis.tensor, "");
    m.y[3] = 7;
    v.gate = GATE_CLASSES;
    diagnosis_make(&m.host, &m.outputs, &v);
    assert_string_equal(v.diagnosis.tensor, "");
    v.gate = GATE_BOUND;
    diagnosis_make(&m.host, &m.outputs, &v);
    assert_string_equal(v.diagnosis.tensor, "y");
    made_free(&m);
}

static void integers_are_one_apart(void **state)
{
    (void)state;
    struct made m = make(1, 2);
    int32_t *y = (int32_t *)m.y;
    m.host.plan.tensor[0].format = FORMAT_I32;
    y[0] = 5;
    y[1] = 100;
    m.bounds[0] = (struct bound){5, 0};
    m.bounds[1] = (struct bound){93, 0};
    struct verdict v = judge(&m);
    assert_true(v.diagnosis.worst.ulps == 7);
    made_free(&m);
}

static void lines_say_all_of_it(void **state)
{
    (void)state;
    struct made m = make(2, 2);
    m.y[0] += 0x1p-20f;
    m.y[3] += 0x1p-18f;
    struct verdict v = judge(&m);
    struct text lines = {0};
    snprintf(v.diagnosis.guess, sizeof v.diagnosis.guess, "they are 0");
    diagnosis_lines(&v.diagnosis, 2, &lines);
    assert_string_equal(lines.data,
                        "  first  y[0][0]  got 1.00000095 = 0x3f800008, reference 1, bound 2.38e-07: 4 bounds, 8 ulps\n"
                        "  near   y[0][1]  got 1.125 = 0x3f900000, reference 1.125, bound 2.38e-07: 0 bounds, 0 ulps\n"
                        "  near   y[1][0]  got 1.25 = 0x3fa00000, reference 1.25, bound 2.38e-07: 0 bounds, 0 ulps\n"
                        "  worst  y[1][1]  got 1.37500381 = 0x3fb00020, reference 1.375, bound 2.38e-07: 16 bounds, 32 "
                        "ulps\n"
                        "  guess: they are 0\n");
    text_free(&lines);
    made_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pass_has_no_diagnosis),
        cmocka_unit_test(first_and_worst_are_told_by_row_and_column),
        cmocka_unit_test(the_neighbourhood_stays_in_the_tensor),
        cmocka_unit_test(a_telling_pattern_is_guessed),
        cmocka_unit_test(what_is_not_finite_is_infinitely_far),
        cmocka_unit_test(only_a_failing_bound_has_one),
        cmocka_unit_test(integers_are_one_apart),
        cmocka_unit_test(lines_say_all_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
