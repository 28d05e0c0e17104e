/*
 * Registrations that would take a run down with them, beside those of the example project (tests/outside), whose folder
 * this is copied into: a reference that crashes at one shape and one that does not return, a shape that no memory holds, a
 * kernel that does not end, and one that does not compile.
 */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "dot.c"

enum { WRONG_ROWS = 2, HUGE_ROWS = 1 << 24, HUGE_COLUMNS = 1000 };

static void crashing_reference(const struct reg_case *c, int tensor, struct bound *out)
{
    if (c->shape->dim[0] == WRONG_ROWS) {
        printf("about to crash");
        raise(SIGSEGV);
    }
    reference(c, tensor, out);
}

static void hanging_reference(const struct reg_case *c, int tensor, struct bound *out)
{
    while (c->shape->dim[0] == WRONG_ROWS)
        pause();
    reference(c, tensor, out);
}

static const struct reg_shape huge_shapes[] = {
    {.label = "1x64", .dim = {1, 64}, .quick = true},
    {.label = "2x33", .dim = {2, 33}, .quick = true},
    {.label = "huge", .dim = {HUGE_ROWS, HUGE_COLUMNS}, .quick = true},
};

#define HOSTILE(variable, ...)                                                                                             \
    static const struct registration variable = {.name = #variable,                                                        \
                                                 .family = "example",                                                      \
                                                 .fill = fill,                                                             \
                                                 .plan = plan,                                                             \
                                                 .depth = depth,                                                           \
                                                 .audit = audit,                                                           \
                                                 .model = model,                                                           \
                                                 .exact = exact,                                                           \
                                                 __VA_ARGS__};                                                             \
    REG_KERNEL(&variable);                                                                                                 \
    REG_NAMED_CONTROL(variable##_row_late, .registration = #variable, .what = "x is read one row late", .shape = "2x33",   \
                      .pattern = REG_PATTERN_SIGNED, .gate = GATE_BOUND, .least_factor = 100, .how = CONTROL_POINTER,      \
                      .tensor = X, .offset_rows = 1)

HOSTILE(hostile_crash, REG_SHAPES(shapes), .source = DOT_SOURCE, .symbol = "example_dot_64",
        .reference = crashing_reference);
HOSTILE(hostile_hang, REG_SHAPES(shapes), .source = DOT_SOURCE, .symbol = "example_dot_64", .reference = hanging_reference);
HOSTILE(hostile_memory, REG_SHAPES(huge_shapes), .source = DOT_SOURCE, .symbol = "example_dot_64", .reference = reference);
HOSTILE(hostile_loop, REG_SHAPES(shapes), .source = "kernels/loop.hip", .symbol = "loop", .reference = reference);
HOSTILE(hostile_source, REG_SHAPES(shapes), .source = "kernels/no_kernel.hip", .symbol = "none", .reference = reference);
