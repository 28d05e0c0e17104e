/*
 * Metamorphic relations: what scaling, permutation and padding ask of a kernel, which powers of two a case's inputs allow,
 * and faults that no other gate sees.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contract/relations.h"
#include "contract/run.h"
#include "tests/support/fake_kernels.h"

/* A contract on a kernel. */
static struct verdict judged(const char *symbol, const struct reg_bytes *contract)
{
    struct registration r = fake_registration(symbol);
    struct builder builder = fake_builder();
    struct builds builds = {.builder = &builder, .device = fake_device_open(fake_kernels, true)};
    struct bytes_options options = {.seed = 1, .n_threads = 1};
    struct launch_target target;
    struct bytes_case open;
    struct error error = {0};
    if (!builds_target(&builds, &r, NULL, &target, &error) || !bytes_open(&open, contract, &r, &options, &error))
        fail_msg("%s", error.text);
    struct launch_fault fault = launch_as_planned(&open.host);
    struct verdict v = bytes_verdict(&open, &target);
    bytes_judge(&open, &target, &fault, &options, &v);
    assert_int_equal(fake_device_live_allocations(), 0);
    bytes_close(&open);
    builds_free(&builds);
    return v;
}

static void assert_red(const char *symbol, int relation, const char *says)
{
    struct verdict v = judged(symbol, &fake_relations[relation]);
    assert_int_equal(v.status, VERDICT_FAIL);
    assert_int_equal(v.gate, GATE_BYTES);
    if (!strstr(v.reason, says))
        fail_msg("%s: '%s' does not say '%s'", symbol, v.reason, says);
}

/* Six outputs in each launch beside that of all. */
static void a_right_kernel_holds_every_relation(void **state)
{
    (void)state;
    static const int n_runs[] = {[FAKE_SCALE_X] = 3, [FAKE_PERMUTE_ROWS] = 3, [FAKE_PAD_COLUMNS] = 2};
    for (size_t i = 0; i < n_fake_relations; i++) {
        struct verdict v = judged("dot", &fake_relations[i]);
        if (v.status != VERDICT_PASS)
            fail_msg("%s: %s", v.name, v.reason);
        assert_int_equal(v.n_runs, n_runs[i]);
        assert_int_equal(v.n_runs, bytes_launches(&fake_relations[i]));
        assert_int_equal(v.n_compared, 6 * (n_runs[i] - 1));
        assert_int_equal(v.n_undecided, 0);
        assert_true(v.output.high | v.output.low);
    }
}

/* Verdicts of a whole run on a kernel, other than those that pass or were not run; the relations' and all others. */
struct reds {
    int of_relations, of_others;
};

static void count_red(void *context, const struct verdict *v)
{
    struct reds *reds = context;
    if (v->subject == SUBJECT_GATE && verdict_status_is_red(v->status))
        ++*(*v->name ? &reds->of_relations : &reds->of_others);
    assert_int_not_equal(v->status, VERDICT_INVALID);
}

static struct reds run_all(const char *symbol)
{
    struct reds reds = {0};
    struct registration r = fake_registration(symbol);
    const struct registration *registrations[] = {&r};
    struct registry registry = {registrations, 1, NULL, 0};
    struct builder builder = fake_builder();
    struct run_options options = {.n_runs = 5, .n_threads = 1, .seed = 1, .today = "2026-11-30"};
    struct verdict_stream stream = {0};
    struct error error = {0};
    r.bytes = fake_relations;
    r.n_bytes = n_fake_relations;
    stream_add(&stream, (struct verdict_sink){.verdict = count_red, .context = &reds});
    struct run run = {.registry = &registry,
                      .options = &options,
                      .stream = &stream,
                      .builds = {.builder = &builder, .device = fake_device_open(fake_kernels, true)}};
    if (!run_gates(&run, &error))
        fail_msg("%s", error.text);
    builds_free(&run.builds);
    return reds;
}

static void relations_alone_see_what_stays_within_bounds(void **state)
{
    (void)state;
    static const char *const symbols[] = {
        [FAKE_SCALE_X] = "fixed_point", [FAKE_PERMUTE_ROWS] = "order_by_place", [FAKE_PAD_COLUMNS] = "order_by_columns"};
    assert_int_equal(run_all("dot").of_relations, 0);
    for (size_t i = 0; i < n_fake_relations; i++) {
        struct reds reds = run_all(symbols[i]);
        if (reds.of_others || !reds.of_relations)
            fail_msg("%s: %d of the relations are red, and %d others", symbols[i], reds.of_relations, reds.of_others);
    }
}

static void each_fault_is_its_own_relations(void **state)
{
    (void)state;
    assert_red("fixed_point", FAKE_SCALE_X, "x times 2^-");
    assert_red("order_by_place", FAKE_PERMUTE_ROWS, "rotated by one: y[");
    assert_red("order_by_columns", FAKE_PAD_COLUMNS, "padded to 6x77: y[0][0] is 0x");
    assert_int_equal(judged("fixed_point", &fake_relations[FAKE_PERMUTE_ROWS]).status, VERDICT_PASS);
    assert_int_equal(judged("order_by_place", &fake_relations[FAKE_SCALE_X]).status, VERDICT_PASS);
    assert_int_equal(judged("order_by_columns", &fake_relations[FAKE_SCALE_X]).status, VERDICT_PASS);
}

static void each_launch_is_held_to_gate_1(void **state)
{
    (void)state;
    static const char *const unwritten[] = {[FAKE_SCALE_X] = "y[5][0] is 0x7b5a7b5a and by the relation 0x",
                                            [FAKE_PERMUTE_ROWS] = "and by the relation 0xfff5fff5; 2 of 6",
                                            [FAKE_PAD_COLUMNS] = "y[5][0] is 0x7b5a7b5a and by the relation 0xfff5fff5"};
    for (int i = 0; i < (int)n_fake_relations; i++) {
        assert_red("changes_input", i, "the launch of all: input x was changed");
        assert_red("skips_last_row", i, unwritten[i]);
    }
    assert_red("writes_after", FAKE_PAD_COLUMNS, "guard after tensor y was written");
}

/* The contract's case; bytes_close is the caller's. */
static struct host_case open_case(struct bytes_case *open, const struct reg_bytes *contract)
{
    static struct registration r;
    struct bytes_options options = {.seed = 1, .n_threads = 1};
    struct error error = {0};
    r = fake_registration("dot");
    if (!bytes_open(open, contract, &r, &options, &error))
        fail_msg("%s", error.text);
    return open->host;
}

static void fill_powers(const struct reg_case *c, int tensor, void *data)
{
    for (int64_t i = 0; i < c->plan->tensor[tensor].rows * c->plan->tensor[tensor].columns; i++)
        format_store(FORMAT_F32, data, i, tensor == FAKE_X ? (i % 2 ? 0x1p3 : -0x1p-5) : 0x1p-7);
}

/*
 * x is 2^-5 and 2^3, w 2^-7. Products are multiples of 2^-12: scaled by 2^-114 that is the smallest normal number, 2^-126.
 * At most 300 of them, below 2^9, times the largest, 2^-4, where factors below 1 count as 1 (2^3): 2^12 and a bit for what
 * rounding adds, so 2^13 to be below 2^127 at most.
 */
static void the_powers_are_those_that_keep_results_normal(void **state)
{
    (void)state;
    struct reg_bytes contract = fake_relations[FAKE_SCALE_X];
    struct bytes_case open;
    struct outputs none = {{0}};
    int powers[2];
    contract.fill = fill_powers;
    struct host_case host = open_case(&open, &contract);
    assert_true(scaling_powers(contract.scaling, &host, &none, powers, NULL));
    assert_int_equal(powers[0], -126 + 5 + 7);
    assert_int_equal(powers[1], 127 - 1 - 3 - (8 + 2));
    struct reg_scaling halves = *contract.scaling;
    halves.rounded = FORMAT_F16; /* from 2^-14 to below 2^16, and none rounds up to that */
    assert_true(scaling_powers(&halves, &host, &none, powers, NULL));
    assert_int_equal(powers[0], -14 + 5);
    assert_int_equal(powers[1], 15 - 1 - 3);
    bytes_close(&open);
    assert_int_equal(judged("dot", &contract).status, VERDICT_PASS);
}

/* Numbers of 24 digits below 1 are no multiples of 2^-14, which halves count by. */
static void inputs_that_allow_no_power_make_the_contract_invalid(void **state)
{
    (void)state;
    struct reg_scaling halves = *fake_relations[FAKE_SCALE_X].scaling;
    struct reg_bytes contract = fake_relations[FAKE_SCALE_X];
    halves.sums = FORMAT_F16;
    contract.scaling = &halves;
    struct verdict v = judged("dot", &contract);
    assert_int_equal(v.status, VERDICT_INVALID);
    assert_non_null(
        strstr(v.reason, "no power of two scales these inputs such that all results stay normal numbers of f16"));
}

static void fill_zeros(const struct reg_case *c, int tensor, void *data)
{
    memset(data, 0, tensor_bytes(&c->plan->tensor[tensor]));
}

static void zeros_alone_prove_nothing(void **state)
{
    (void)state;
    struct reg_bytes contract = fake_relations[FAKE_SCALE_X];
    contract.fill = fill_zeros;
    assert_int_equal(judged("dot", &contract).status, VERDICT_INVALID);
}

static void fill_with_infinity(const struct reg_case *c, int tensor, void *data)
{
    fill_powers(c, tensor, data);
    if (tensor == FAKE_X)
        format_store(FORMAT_F32, data, 0, INFINITY);
}

static void infinity_allows_no_power(void **state)
{
    (void)state;
    struct reg_bytes contract = fake_relations[FAKE_SCALE_X];
    contract.fill = fill_with_infinity;
    assert_int_equal(judged("dot", &contract).status, VERDICT_INVALID);
}

/* One product a row, 2 * 2^-126, and in the first row (1 - 2^-24) * 2^-126: between 2^-126 - 2^-149, which is subnormal,
 * and 2^-126, it is rounded to even; scaled it is a number of f32 itself. */
static void fill_below_the_smallest(const struct reg_case *c, int tensor, void *data)
{
    const struct reg_tensor *t = &c->plan->tensor[tensor];
    fill_zeros(c, tensor, data);
    for (int64_t row = 0; row < t->rows; row++)
        format_store(FORMAT_F32, data, row * t->columns, tensor == FAKE_W ? 0x1p-126 : row == 0 ? 1 - 0x1p-24 : 2);
}

static void an_output_that_was_rounded_up_to_a_normal_number_is_undecided(void **state)
{
    (void)state;
    struct reg_scaling wide = *fake_relations[FAKE_SCALE_X].scaling;
    struct reg_bytes contract = fake_relations[FAKE_SCALE_X];
    wide.sums = FORMAT_F64;
    contract.scaling = &wide;
    contract.fill = fill_below_the_smallest;
    struct verdict v = judged("dot", &contract);
    if (v.status != VERDICT_PASS)
        fail_msg("%s", v.reason);
    assert_int_equal(v.n_compared, 6);
    assert_int_equal(v.n_undecided, 1);
}

static void a_padding_that_adds_something_is_seen(void **state)
{
    (void)state;
    static const struct reg_padding ones = {.shape = {.label = "6x77", .dim = {6, 77}}, .number = 1};
    struct reg_bytes contract = fake_relations[FAKE_PAD_COLUMNS];
    contract.padding = &ones;
    struct verdict v = judged("dot", &contract);
    assert_int_equal(v.status, VERDICT_FAIL);
    assert_int_equal(v.n_wrong, 6);
}

/* The fake's relations, of which one may be spoilt. */
struct spoilt {
    struct reg_bytes bytes[3];
    struct reg_scaling scaling;
    struct reg_permutation permutation;
    struct reg_padding padding;
};

static void scales_integers_or_outputs(struct spoilt *s)
{
    s->scaling.inputs |= 1u << FAKE_Y;
}
static void scales_no_output(struct spoilt *s)
{
    s->scaling.outputs = 0;
}
static void scales_what_is_no_factor(struct spoilt *s)
{
    s->scaling.factors = 1u << FAKE_W;
}
static void names_no_format_of_sums(struct spoilt *s)
{
    s->scaling.sums = FORMAT_F64;
}
static void permutes_one_item(struct spoilt *s)
{
    s->permutation.group = 6;
}
static void permutes_part_of_an_item(struct spoilt *s)
{
    s->permutation.group = 4;
}
static void permutes_no_output(struct spoilt *s)
{
    s->permutation.row_tensors = 1u << FAKE_X;
}
static void permutes_rows_and_columns_of_one(struct spoilt *s)
{
    s->permutation.column_tensors = 1u << FAKE_X;
}
static void permutes_what_has_fewer_rows(struct spoilt *s)
{
    s->permutation.row_tensors |= 1u << FAKE_W;
}
static void pads_to_fewer_columns(struct spoilt *s)
{
    s->padding.shape.dim[1] = 49;
}
static void pads_nothing(struct spoilt *s)
{
    s->padding.shape.dim[1] = 50;
}
static void pads_to_a_refused_shape(struct spoilt *s)
{
    s->padding.shape.dim[1] = 2000;
}
static void is_two_relations(struct spoilt *s)
{
    s->bytes[0].padding = &s->padding;
}

static bool check(void (*spoil)(struct spoilt *s), struct error *error)
{
    struct spoilt s = {.scaling = *fake_relations[FAKE_SCALE_X].scaling,
                       .permutation = *fake_relations[FAKE_PERMUTE_ROWS].permutation,
                       .padding = *fake_relations[FAKE_PAD_COLUMNS].padding};
    memcpy(s.bytes, fake_relations, sizeof s.bytes);
    s.bytes[FAKE_SCALE_X].scaling = &s.scaling;
    s.bytes[FAKE_PERMUTE_ROWS].permutation = &s.permutation;
    s.bytes[FAKE_PAD_COLUMNS].padding = &s.padding;
    struct registration r = fake_registration("dot");
    const struct registration *registrations[] = {&r};
    const struct control *controls[] = {&fake_controls[0]};
    r.bytes = s.bytes;
    r.n_bytes = sizeof s.bytes / sizeof *s.bytes;
    if (spoil)
        spoil(&s);
    return registry_check(&(struct registry){registrations, 1, controls, 1}, error);
}

static void a_relation_that_cannot_hold_is_refused(void **state)
{
    (void)state;
    static const struct {
        void (*spoil)(struct spoilt *s);
        const char *says;
    } rows[] = {
        {scales_integers_or_outputs, "scale x: scales at least one input and one output"},
        {scales_no_output, "scale x: scales at least one input and one output"},
        {scales_what_is_no_factor, "all that are scaled are among them"},
        {names_no_format_of_sums, "names the float formats of its sums"},
        {permutes_one_item, "dimension 0 of its shape does not count two items or more, of 6 each"},
        {permutes_part_of_an_item, "does not count two items or more, of 4 each"},
        {permutes_no_output, "permutes an input and an output at least"},
        {permutes_rows_and_columns_of_one, "each by its rows or by its columns"},
        {permutes_what_has_fewer_rows, "w has 1 x 50 elements, which are not equal runs for 6 items"},
        {pads_to_fewer_columns, "x does not grow from its shape to the padded one"},
        {pads_nothing, "no input grows"},
        {pads_to_a_refused_shape, "at most 1000 columns"},
        {is_two_relations, "gives two of windows, expected bytes and relations"},
    };
    struct error error = {0};
    if (!check(NULL, &error))
        fail_msg("%s", error.text);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (check(rows[i].spoil, &error) || !strstr(error.text, rows[i].says))
            fail_msg("row %zu: '%s' does not say '%s'", i, error.text, rows[i].says);
        assert_int_equal(error.status, STATUS_USAGE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_right_kernel_holds_every_relation),
        cmocka_unit_test(relations_alone_see_what_stays_within_bounds),
        cmocka_unit_test(each_fault_is_its_own_relations),
        cmocka_unit_test(each_launch_is_held_to_gate_1),
        cmocka_unit_test(the_powers_are_those_that_keep_results_normal),
        cmocka_unit_test(inputs_that_allow_no_power_make_the_contract_invalid),
        cmocka_unit_test(zeros_alone_prove_nothing),
        cmocka_unit_test(infinity_allows_no_power),
        cmocka_unit_test(an_output_that_was_rounded_up_to_a_normal_number_is_undecided),
        cmocka_unit_test(a_padding_that_adds_something_is_seen),
        cmocka_unit_test(a_relation_that_cannot_hold_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
