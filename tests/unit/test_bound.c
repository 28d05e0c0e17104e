/*
 * Bounded arithmetic, as properties: whatever a kernel's arithmetic may give stays within its bound, the bound's value is
 * the true one, and the bound is tight enough that half of it would be caught.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "contract/base/random.h"
#include "reference/audit.h"
#include "reference/bound.h"

enum op {
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_FMA,
    OP_SQRT,
    OP_MAX,
    OP_ABS,
    OP_CONVERT,
    OP_EXP,
    OP_EXP2,
    OP_RCP,
    OP_RSQRT,
    OP_COUNT
};
static const char *const op_names[OP_COUNT] = {"add", "sub",     "mul", "div",  "fma", "sqrt", "max",
                                               "abs", "convert", "exp", "exp2", "rcp", "rsqrt"};

/* A number in the three views: what the kernel holds, its bound, and (in an audit slot) the truth. */
struct node {
    double kernel;
    struct bound bound;
};

enum { TREE_NODES = 24, SCRATCH_A = 40, SCRATCH_B, SCRATCH_C, SCRATCH_RESULT, ULPS = 2 };

static struct audit *audit;

static int open_audit(void **state)
{
    (void)state;
    audit = audit_open();
    return audit ? 0 : -1;
}

static int close_audit(void **state)
{
    (void)state;
    audit_close(audit);
    return 0;
}

/* The exact operation on audit slots. */
static void exact_op(enum op op, int to, int a, int b, int c)
{
    audit_set(audit, SCRATCH_RESULT, 1);
    switch (op) {
    case OP_ADD:
        audit_add(audit, to, a, b);
        break;
    case OP_SUB:
        audit_sub(audit, to, a, b);
        break;
    case OP_MUL:
        audit_mul(audit, to, a, b);
        break;
    case OP_DIV:
        audit_div(audit, to, a, b);
        break;
    case OP_FMA:
        audit_fma(audit, to, a, b, c);
        break;
    case OP_SQRT:
        audit_sqrt(audit, to, a);
        break;
    case OP_MAX:
        audit_max(audit, to, a, b);
        break;
    case OP_EXP:
        audit_exp(audit, to, a);
        break;
    case OP_EXP2:
        audit_exp2(audit, to, a);
        break;
    case OP_RCP:
        audit_div(audit, to, SCRATCH_RESULT, a);
        break;
    case OP_RSQRT:
        audit_sqrt(audit, to, a);
        audit_div(audit, to, SCRATCH_RESULT, to);
        break;
    case OP_ABS:
        audit_mul(audit, to, a, a);
        audit_sqrt(audit, to, to);
        break;
    default:
        audit_copy(audit, to, a);
        break;
    }
}

static bool is_function(enum op op)
{
    return op >= OP_EXP;
}

/* What a kernel may compute: f32 by the host's own float, other formats by one rounding of the exact result, functions
 * anywhere within their ulps (wobble in [-1, 1]). */
static double kernel_op(enum op op, enum number_format format, double a, double b, double c, double wobble)
{
    float fa = (float)a, fb = (float)b, fc = (float)c;
    if (format == FORMAT_F32 && (double)fa == a && (double)fb == b && (double)fc == c && op <= OP_SQRT) {
        const float host[] = {fa + fb, fa - fb, fa * fb, fa / fb, fmaf(fa, fb, fc), sqrtf(fa)};
        return host[op];
    }
    audit_set(audit, SCRATCH_A, a);
    audit_set(audit, SCRATCH_B, b);
    audit_set(audit, SCRATCH_C, c);
    exact_op(op, SCRATCH_RESULT + 1, SCRATCH_A, SCRATCH_B, SCRATCH_C);
    if (op == OP_MAX || op == OP_ABS)
        return audit_get(audit, SCRATCH_RESULT + 1);
    if (!is_function(op))
        return audit_get_rounded(audit, SCRATCH_RESULT + 1, format);
    double truth = audit_get(audit, SCRATCH_RESULT + 1);
    if (!isfinite(truth) || !isfinite(a))
        return truth;
    double ulp = 2 * format_half_spacing(format, truth), off = format_round(format, truth + wobble * (ULPS - 0.5) * ulp);
    return fabs(off - truth) <= ULPS * ulp ? off
                                           : format_round(format, truth); /* rounding in the next binade may go too far */
}

static struct bound bound_op(enum op op, enum number_format format, struct bound a, struct bound b, struct bound c)
{
    switch (op) {
    case OP_ADD:
        return bound_add(format, a, b);
    case OP_SUB:
        return bound_sub(format, a, b);
    case OP_MUL:
        return bound_mul(format, a, b);
    case OP_DIV:
        return bound_div(format, a, b);
    case OP_FMA:
        return bound_fma(format, a, b, c);
    case OP_SQRT:
        return bound_sqrt(format, a);
    case OP_MAX:
        return bound_max(a, b);
    case OP_ABS:
        return bound_abs(a);
    case OP_EXP:
        return bound_exp(format, a, ULPS);
    case OP_EXP2:
        return bound_exp2(format, a, ULPS);
    case OP_RCP:
        return bound_rcp(format, a, ULPS);
    case OP_RSQRT:
        return bound_rsqrt(format, a, ULPS);
    default:
        return bound_convert(format, a);
    }
}

static const enum number_format tree_formats[] = {FORMAT_F32, FORMAT_F16, FORMAT_BF16, FORMAT_F64};

/* A leaf of the format: mostly of order one, at times anywhere in its range, zero, or its largest. */
static double random_leaf(struct random_key key, uint64_t index, enum number_format format)
{
    const struct format_facts *f = format_facts(format);
    int range = f->exponent_max < 40 ? f->exponent_max : 40;
    uint32_t kind = random_below(key, 4 * index, 32);
    double sign = random_bits(key, 4 * index + 1) & 1 ? -1 : 1, fraction = 1 + random_unit(key, 4 * index + 2);
    if (kind == 0)
        return sign * f->largest;
    if (kind == 1)
        return sign * 0;
    int exponent = kind < 6 ? (int)random_below(key, 4 * index + 3, 2 * (uint32_t)range) - range
                            : (int)random_below(key, 4 * index + 3, 7) - 3;
    return format_round(format, sign * ldexp(fraction, exponent));
}

/* A node's claims, checked. Returns the share of its bound that the kernel's error takes. */
static double check_node(const struct node *node, int slot, enum number_format format, const char *op)
{
    struct bound b = node->bound;
    enum value_class class = bound_class(b, format), kernel_class = value_class(node->kernel);
    if (class == CLASS_UNDECIDED)
        return 0;
    if (class != CLASS_FINITE || kernel_class != CLASS_FINITE) {
        if (class != kernel_class)
            fail_msg("%s %s: bound says class %d (%a +- %a), the kernel has %a", op, format_facts(format)->name, class,
                     b.value, b.error, node->kernel);
        return 0;
    }
    double distance = fabs(node->kernel - b.value);
    if (distance > b.error)
        fail_msg("%s %s: kernel %a is %a from %a, bound %a", op, format_facts(format)->name, node->kernel, distance,
                 b.value, b.error);
    if (slot >= 0 && audit_distance(audit, slot, b.value) > b.error)
        fail_msg("%s %s: value %a is %a from MPFR's, bound %a", op, format_facts(format)->name, b.value,
                 audit_distance(audit, slot, b.value), b.error);
    return b.error > 0 ? distance / b.error : 0;
}

/* A random program over earlier nodes; the tree it builds shares subtrees, which only makes errors conspire. Truth follows
 * only where everything is finite: MPFR overflows elsewhere. */
static int run_tree(struct random_key key, double *worst)
{
    struct node node[TREE_NODES];
    bool truth[TREE_NODES];
    int n_checked = 0;
    for (int i = 0; i < TREE_NODES; i++) {
        uint64_t draw = 64 + 8 * (uint64_t)i;
        enum number_format format = tree_formats[random_below(key, draw, 4)];
        if (i < 6) {
            double leaf = random_leaf(key, (uint64_t)i, format);
            node[i] = (struct node){leaf, bound_exact(leaf)};
            audit_set(audit, i, leaf);
            truth[i] = true;
            continue;
        }
        int a = (int)random_below(key, draw + 1, (uint32_t)i), b = (int)random_below(key, draw + 2, (uint32_t)i),
            c = (int)random_below(key, draw + 3, (uint32_t)i);
        enum op op = (enum op)random_below(key, draw + 4, OP_COUNT);
        double wobble = 2 * random_unit(key, draw + 5) - 1;
        exact_op(op, i, a, b, c);
        node[i].kernel = kernel_op(op, format, node[a].kernel, node[b].kernel, node[c].kernel, wobble);
        node[i].bound = bound_op(op, format, node[a].bound, node[b].bound, node[c].bound);
        truth[i] = truth[a] && truth[b] && truth[c] && bound_class(node[i].bound, format) == CLASS_FINITE;
        if (op == OP_MAX || op == OP_ABS)
            format = FORMAT_F64;
        n_checked += bound_class(node[i].bound, format) == CLASS_FINITE;
        *worst = fmax(*worst, check_node(&node[i], truth[i] ? i : -1, format, op_names[op]));
    }
    return n_checked;
}

static void random_trees_never_leave_their_bound(void **state)
{
    (void)state;
    double worst = 0;
    int n_checked = 0;
    for (int tree = 0; tree < 6000; tree++)
        n_checked += run_tree((struct random_key){random_bits(random_key_for(3, "trees"), (uint64_t)tree)}, &worst);
    print_message("  %d finite nodes, worst share of a bound %.4f\n", n_checked, worst);
    assert_true(n_checked > 40000);
    assert_true(worst > 0.5); /* half of the bounds would have failed */
}

/* One operation on exact operands must reach past half of its bound: a halved unit roundoff could not pass. */
static void every_single_operation_reaches_past_half_of_its_bound(void **state)
{
    (void)state;
    struct random_key key = random_key_for(4, "single");
    for (int op = 0; op < OP_COUNT; op++) {
        for (int f = 0; f < 3; f++) {
            double worst = 0;
            for (uint64_t i = 0; i < 2000; i++) {
                double x[3];
                for (uint64_t k = 0; k < 3; k++)
                    x[k] = format_round(op == OP_CONVERT ? FORMAT_F64 : tree_formats[f],
                                        ldexp(1 + random_unit(key, 8 * i + k), -3 * (int)k));
                double wobble = i & 1 ? 1 : -1;
                struct node node = {
                    kernel_op((enum op)op, tree_formats[f], x[0], x[1], x[2], wobble),
                    bound_op((enum op)op, tree_formats[f], bound_exact(x[0]), bound_exact(x[1]), bound_exact(x[2]))};
                worst = fmax(worst, check_node(&node, -1, FORMAT_F64, op_names[op]));
            }
            if (op != OP_MAX && op != OP_ABS && worst <= 0.5)
                fail_msg("%s in %s reaches only %.3f of its bound", op_names[op], format_facts(tree_formats[f])->name,
                         worst);
        }
    }
}

/* Operands that are off by their whole error: the propagated part alone must be covered and be reached. */
static void propagation_is_covered_at_the_ends_of_the_interval_and_reached(void **state)
{
    (void)state;
    struct random_key key = random_key_for(5, "ends");
    double worst[OP_COUNT] = {0};
    for (uint64_t i = 0; i < 40000; i++) {
        enum op op = (enum op)(i % OP_COUNT);
        struct node x[3], result;
        for (uint64_t k = 0; k < 3; k++) {
            double value = 1 + random_unit(key, 8 * i + k), error = value * 0.3 * random_unit(key, 8 * i + 3 + k);
            double sign = random_bits(key, 8 * i + 6) >> k & 1 ? 1 : -1;
            x[k] = (struct node){value + sign * error * (1 - 0x1p-40), {value, error}};
        }
        result.kernel = kernel_op(op, FORMAT_F64, x[0].kernel, x[1].kernel, x[2].kernel, 0);
        result.bound = bound_op(op, FORMAT_F64, x[0].bound, x[1].bound, x[2].bound);
        worst[op] = fmax(worst[op], check_node(&result, -1, FORMAT_F64, op_names[op]));
    }
    for (int op = 0; op < OP_COUNT; op++)
        if (worst[op] < 0.5)
            fail_msg("%s: the worst end reaches only %.3f of the bound", op_names[op], worst[op]);
}

/* Adds n terms in f32 or f16 along a random tree; returns the sum and the most additions that a term passed. */
static double random_tree_sum(struct random_key key, enum number_format format, double *terms, int n, int64_t *depth)
{
    int64_t passed[256] = {0};
    *depth = 0;
    for (uint64_t step = 0; n > 1; step++) {
        int a = (int)random_below(key, 2 * step, (uint32_t)n), b = (int)random_below(key, 2 * step + 1, (uint32_t)(n - 1));
        b += b >= a;
        terms[a] =
            format == FORMAT_F32 ? (double)((float)terms[a] + (float)terms[b]) : format_round(format, terms[a] + terms[b]);
        passed[a] = 1 + (passed[a] > passed[b] ? passed[a] : passed[b]);
        *depth = passed[a] > *depth ? passed[a] : *depth;
        terms[b] = terms[--n];
        passed[b] = passed[n];
        if (a == n)
            terms[b] = terms[a], passed[b] = passed[a];
    }
    return terms[0];
}

static void sums_over_random_trees_never_exceed_gamma_of_their_depth(void **state)
{
    (void)state;
    struct random_key key = random_key_for(6, "sums");
    for (uint64_t i = 0; i < 3000; i++) {
        enum number_format format = i & 1 ? FORMAT_F32 : FORMAT_F16;
        int n = 2 + (int)random_below(key, i, 199);
        double terms[256], sum = 0, sum_abs = 0;
        struct random_key case_key = {random_bits(key, 100000 + i)};
        for (int k = 0; k < n; k++) {
            terms[k] = format_round(format, 2 * random_unit(case_key, 1000 + (uint64_t)k) - (i & 2 ? 1 : 0));
            sum += terms[k];
            sum_abs += fabs(terms[k]);
        }
        int64_t depth;
        double got = random_tree_sum(case_key, format, terms, n, &depth);
        struct bound b = bound_sum(format, n, sum, sum_abs, 0, depth);
        if (!(fabs(got - sum) <= b.error))
            fail_msg("%d terms, depth %d: error %a, bound %a", n, (int)depth, fabs(got - sum), b.error);
    }
}

/* One followed by terms a little under half its spacing: each addition loses its whole term. */
static void a_chain_that_loses_every_term_comes_near_the_bound_of_a_sum(void **state)
{
    (void)state;
    for (int format = FORMAT_F32; format <= FORMAT_BF16; format++) {
        double term = format_facts((enum number_format)format)->unit_roundoff * 0.999, got = 1, sum = 1;
        for (int k = 0; k < 16; k++) {
            got = format_round((enum number_format)format, got + term);
            sum += term;
        }
        struct bound b = bound_sum((enum number_format)format, 17, sum, sum, 0, 16);
        double share = (sum - got) / b.error;
        assert_true(got == 1 && share <= 1);
        assert_true(share > (format == FORMAT_BF16 ? 0.85 : 0.98));
    }
}

/* 2^54 + 1 - 2^54 is 0 in float64 and 1 in truth. */
static void a_sum_includes_what_float64_itself_cancels(void **state)
{
    (void)state;
    double sum = 0x1p54 + 1.0 - 0x1p54;
    assert_true(sum == 0);
    assert_true(bound_sum(FORMAT_F32, 3, sum, 0x1p55 + 1, 0, 0).error >= 1);
}

/* Errors of terms grow with the additions that they pass: gamma is 1/3 for 512 of them in f16. */
static void errors_of_terms_pass_through_the_additions(void **state)
{
    (void)state;
    assert_true(bound_sum(FORMAT_F16, 2, 1, 0, 1, 512).error >= 1 + 1.0 / 3);
}

static void gamma_is_highams(void **state)
{
    (void)state;
    assert_true(fabs(bound_gamma(FORMAT_F32, 1000) - 1000 * 0x1p-24 / (1 - 1000 * 0x1p-24)) < 1e-18);
    assert_true(isinf(bound_gamma(FORMAT_F16, 2048)) && isinf(bound_gamma(FORMAT_BF16, 256)));
    assert_true(bound_gamma(FORMAT_F32, 0) == 0);
}

struct class_case {
    struct bound bound;
    enum number_format stored;
    enum value_class expected;
};

static void classes_follow_from_the_interval_and_the_overflow_threshold(void **state)
{
    (void)state;
    const struct class_case cases[] = {
        {{65519, 0.5}, FORMAT_F16, CLASS_FINITE},
        {{65519, 1}, FORMAT_F16, CLASS_UNDECIDED},
        {{65520, 0}, FORMAT_F16, CLASS_PLUS_INF},
        {{-65525, 5}, FORMAT_F16, CLASS_MINUS_INF},
        {{-65525, 6}, FORMAT_F16, CLASS_UNDECIDED},
        {{65525, 6}, FORMAT_F32, CLASS_FINITE},
        {{NAN, 0}, FORMAT_F32, CLASS_NAN},
        {{-INFINITY, 0}, FORMAT_F32, CLASS_MINUS_INF},
        {{1, INFINITY}, FORMAT_F32, CLASS_UNDECIDED},
        {{INFINITY, INFINITY}, FORMAT_F32, CLASS_UNDECIDED},
        {{0x1.ffffffp127, 0}, FORMAT_F32, CLASS_PLUS_INF},
        {bound_mul(FORMAT_F16, bound_exact(256), bound_exact(256)), FORMAT_F16, CLASS_PLUS_INF},
        {bound_add(FORMAT_F16, bound_exact(65504), bound_exact(16)), FORMAT_F16,
         CLASS_UNDECIDED}, /* float64's own error reaches it */
        {bound_add(FORMAT_F32, bound_exact(INFINITY), bound_exact(-INFINITY)), FORMAT_F32, CLASS_NAN},
        {bound_add(FORMAT_F32, bound_exact(INFINITY), (struct bound){1, INFINITY}), FORMAT_F32, CLASS_UNDECIDED},
        {bound_mul(FORMAT_F32, bound_exact(INFINITY), (struct bound){1, 0.5}), FORMAT_F32, CLASS_PLUS_INF},
        {bound_mul(FORMAT_F32, bound_exact(INFINITY), (struct bound){1, 2}), FORMAT_F32, CLASS_UNDECIDED},
        {bound_mul(FORMAT_F32, bound_exact(INFINITY), bound_exact(0)), FORMAT_F32, CLASS_NAN},
        {bound_mul(FORMAT_F32, bound_exact(NAN), (struct bound){1, INFINITY}), FORMAT_F32, CLASS_NAN},
        {bound_div(FORMAT_F32, bound_exact(1), bound_exact(-0.0)), FORMAT_F32, CLASS_MINUS_INF},
        {bound_div(FORMAT_F32, bound_exact(1), (struct bound){0, 0x1p-30}), FORMAT_F32, CLASS_UNDECIDED},
        {bound_div(FORMAT_F32, bound_exact(0), bound_exact(0)), FORMAT_F32, CLASS_NAN},
        {bound_div(FORMAT_F32, bound_exact(1), bound_exact(INFINITY)), FORMAT_F32, CLASS_FINITE},
        {bound_sqrt(FORMAT_F32, (struct bound){-1, 0.5}), FORMAT_F32, CLASS_NAN},
        {bound_sqrt(FORMAT_F32, (struct bound){1, 1.5}), FORMAT_F32, CLASS_UNDECIDED},
        {bound_rsqrt(FORMAT_F32, bound_exact(0), 1), FORMAT_F32, CLASS_PLUS_INF},
        {bound_exp(FORMAT_F32, bound_exact(-INFINITY), 1), FORMAT_F32, CLASS_FINITE},
        {bound_exp(FORMAT_F32, bound_exact(89), 1), FORMAT_F32, CLASS_PLUS_INF},
        {bound_exp(FORMAT_F32, (struct bound){88.7, 0.1}, 1), FORMAT_F32, CLASS_UNDECIDED},
        {bound_convert(FORMAT_F16, bound_exact(65503.9)), FORMAT_F16, CLASS_FINITE},
        {bound_convert(FORMAT_F16, bound_exact(1e6)), FORMAT_F16, CLASS_PLUS_INF},
        {bound_sum(FORMAT_F16, 3, 70000, 70000, 0, 2), FORMAT_F16, CLASS_PLUS_INF},
        {bound_sum(FORMAT_F16, 3, 30000, 150000, 0, 2), FORMAT_F16, CLASS_UNDECIDED}, /* a partial sum may overflow */
        {bound_sum(FORMAT_F16, 3, 70000, 300000, 0, 2), FORMAT_F16, CLASS_UNDECIDED}, /* and to either side */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (bound_class(cases[i].bound, cases[i].stored) != cases[i].expected)
            fail_msg("case %zu: %a +- %a is class %d, expected %d", i, cases[i].bound.value, cases[i].bound.error,
                     bound_class(cases[i].bound, cases[i].stored), cases[i].expected);
}

static void conversion_of_an_exact_value_is_bounded_by_its_own_rounding(void **state)
{
    (void)state;
    assert_true(bound_convert(FORMAT_F16, bound_exact(0.5)).error == 0);
    assert_true(bound_convert(FORMAT_F16, bound_exact(1 + 0x1p-12)).error == 0x1p-12);
    assert_true(bound_convert(FORMAT_BF16, (struct bound){1, 0x1p-30}).error >= 0x1p-30 + 0x1p-8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_trees_never_leave_their_bound),
        cmocka_unit_test(every_single_operation_reaches_past_half_of_its_bound),
        cmocka_unit_test(propagation_is_covered_at_the_ends_of_the_interval_and_reached),
        cmocka_unit_test(sums_over_random_trees_never_exceed_gamma_of_their_depth),
        cmocka_unit_test(a_chain_that_loses_every_term_comes_near_the_bound_of_a_sum),
        cmocka_unit_test(a_sum_includes_what_float64_itself_cancels),
        cmocka_unit_test(errors_of_terms_pass_through_the_additions),
        cmocka_unit_test(gamma_is_highams),
        cmocka_unit_test(classes_follow_from_the_interval_and_the_overflow_threshold),
        cmocka_unit_test(conversion_of_an_exact_value_is_bounded_by_its_own_rounding),
    };
    return cmocka_run_group_tests_name("bound", tests, open_audit, close_audit);
}
