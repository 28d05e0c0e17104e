/*
 * References of the EXL3 linears at every default shape against OpenBLAS dgemm of the same product, on as many threads, and
 * the model behind the teeth: float64, and rounding each partial sum. Prints figures, asserts nothing.
 */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/base/clock.h"
#include "contract/base/parallel.h"
#include "contract/host_case.h"
#include "contract/registry_list.h"

enum { FEWEST_CALLS = 5 };
static const double least_seconds = 0.3; /* of calls, for the fastest of them */

struct product {
    struct host_case host;
    struct bound *bounds;
    double *a, *b, *c, *model; /* dgemm's operands, and the model's outputs */
    int64_t rows, k, n;
    struct policy policy;
};

typedef void timed_call(struct product *product);

static void call_dgemm(struct product *p)
{
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)p->rows, (int)p->n, (int)p->k, 1, p->a, (int)p->k, p->b,
                (int)p->n, 0, p->c, (int)p->n);
}

static int output_of(const struct product *p)
{
    return next_output(&p->host.plan, 0);
}

static void call_reference(struct product *p)
{
    p->host.c.registration->reference(&p->host.c, output_of(p), p->bounds);
}

static void call_model(struct product *p)
{
    p->host.c.registration->model(&p->host.c, output_of(p), &p->policy, p->model);
}

/* Of the fastest call: others share the machine. */
static double seconds(timed_call *call, struct product *product)
{
    double best = 1e9, total = 0;
    for (int i = 0; i < FEWEST_CALLS || total < least_seconds; i++) {
        uint64_t start = clock_ns();
        call(product);
        double once = (double)(clock_ns() - start) * 1e-9;
        best = once < best ? once : best;
        total += once;
    }
    return best;
}

static bool product_open(struct product *p, const struct registration *r, const struct reg_shape *shape,
                         struct error *error)
{
    *p = (struct product){.rows = shape->dim[0], .k = shape->dim[1], .n = shape->dim[2]};
    if (!host_case_open(&p->host, r, shape, REG_PATTERN_SIGNED, 1, parallel_processors(), error))
        return false;
    p->bounds = calloc((size_t)(p->rows * p->n), sizeof *p->bounds);
    p->model = calloc((size_t)(p->rows * p->n), sizeof *p->model);
    p->a = calloc((size_t)(p->rows * p->k), sizeof *p->a);
    p->b = calloc((size_t)(p->k * p->n), sizeof *p->b);
    p->c = calloc((size_t)(p->rows * p->n), sizeof *p->c);
    if (!p->bounds || !p->model || !p->a || !p->b || !p->c)
        return error_set(error, STATUS_ENVIRONMENT, "out of memory");
    for (int64_t i = 0; i < p->rows * p->k; i++)
        p->a[i] = 1.0 / (double)(i + 1);
    for (int64_t i = 0; i < p->k * p->n; i++)
        p->b[i] = (double)(i % 17) - 8;
    return true;
}

static void product_close(struct product *p)
{
    host_case_close(&p->host);
    free(p->bounds);
    free(p->model);
    free(p->a);
    free(p->b);
    free(p->c);
}

static void measure(const struct registration *r, const struct reg_shape *shape)
{
    struct product product;
    struct error error;
    if (product_open(&product, r, shape, &error)) {
        double dgemm = seconds(call_dgemm, &product), reference = seconds(call_reference, &product);
        product.policy = policy_true;
        double plain = seconds(call_model, &product);
        product.policy.sum_format = FORMAT_F16;
        double rounding = seconds(call_model, &product);
        printf("%-26s %-14s dgemm %9.3f ms  reference %9.3f ms, ratio %5.2f  model %9.3f ms, sums of f16 %9.3f ms\n",
               r->name, shape->label, dgemm * 1e3, reference * 1e3, reference / dgemm, plain * 1e3, rounding * 1e3);
    } else {
        printf("%-26s %-14s %s\n", r->name, shape->label, error.text);
    }
    product_close(&product);
    fflush(stdout);
}

/* Usage: bench_references [part of a registration's name] */
int main(int argc, char **argv)
{
    struct error error;
    struct arena arena = {0};
    struct registry registry;
    if (!registry_collect(&arena, &registry, &error)) {
        fprintf(stderr, "bench: %s\n", error.text);
        return (int)error.status;
    }
    printf("references of the EXL3 linears, %d threads\n", parallel_processors());
    for (size_t i = 0; i < registry.n_registrations; i++) {
        const struct registration *r = registry.registrations[i];
        for (size_t s = 0; s < r->n_shapes && strstr(r->name, "exl3_linear") && (argc < 2 || strstr(r->name, argv[1])); s++)
            if (!r->shapes[s].heavy)
                measure(r, &r->shapes[s]);
    }
    arena_free(&arena);
    return 0;
}
