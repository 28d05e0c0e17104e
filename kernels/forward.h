/*
 * Most registrations hand their functions on to a family's reference, which takes the problem that a case poses:
 * TYPE_reference, TYPE_audit, TYPE_model and TYPE_exact with a `const struct TYPE *` first. A file that includes
 * this has `static struct TYPE problem(const struct reg_case *c)` and one output, row-major.
 */
#ifndef KERNELS_FORWARD_H
#define KERNELS_FORWARD_H

#include "contract/registry.h"

/* Defines reference, model and exact. */
#define FORWARD_OUTPUTS(type)                                                                                              \
    static void reference(const struct reg_case *c, int tensor, struct bound *out)                                         \
    {                                                                                                                      \
        (void)tensor;                                                                                                      \
        struct type p = problem(c);                                                                                        \
        type##_reference(&p, out);                                                                                         \
    }                                                                                                                      \
    static void model(const struct reg_case *c, int tensor, const struct policy *policy, double *out)                      \
    {                                                                                                                      \
        (void)tensor;                                                                                                      \
        struct type p = problem(c);                                                                                        \
        type##_model(&p, policy, out);                                                                                     \
    }                                                                                                                      \
    static void exact(const struct reg_case *c, int tensor, int64_t first, int64_t n, struct exact_sum *sums)              \
    {                                                                                                                      \
        (void)tensor;                                                                                                      \
        struct type p = problem(c);                                                                                        \
        type##_exact(&p, first, n, sums);                                                                                  \
    }

/* Defines audit; `columns` is the problem's member that counts the output's. */
#define FORWARD_AUDIT(type, columns)                                                                                       \
    static void audit(const struct reg_case *c, int tensor, int64_t element, struct audit *audit)                          \
    {                                                                                                                      \
        (void)tensor;                                                                                                      \
        struct type p = problem(c);                                                                                        \
        type##_audit(&p, element / p.columns, element % p.columns, audit);                                                 \
    }

/* Defines depth, by TYPE_depth. */
#define FORWARD_DEPTH(type)                                                                                                \
    static void depth(const struct reg_case *c, int tensor, struct depth *depth)                                           \
    {                                                                                                                      \
        (void)tensor;                                                                                                      \
        struct type p = problem(c);                                                                                        \
        type##_depth(&p, depth);                                                                                           \
    }

/* The members of a registration that hold the four. */
#define FORWARDED .reference = reference, .audit = audit, .model = model, .exact = exact

#endif
