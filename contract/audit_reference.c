/*
 * The reference itself is audited: a fixed sample of outputs is recomputed in MPFR from the same inputs. Every output of a
 * small case, else SAMPLE of them: a quarter those of the largest error, the rest drawn by the case's key.
 */
#include "contract/gates.h"

#include <math.h>
#include <stdlib.h>

#include "contract/base/parallel.h"
#include "contract/harness_fault.h"

enum { SMALL_CASE = 256, SAMPLE = 64, SAMPLE_LARGEST = 16, AUDIT_CHUNK = 8 };

struct audit_loop {
    const struct host_case *host;
    int tensor;
    int64_t n;
    int64_t *elements;
    double *distances; /* from the 256-bit value; NaN where it could not be computed */
};

/* What the float64 value may be off by. */
static double allowed_distance(enum number_format format, const struct bound *bound)
{
    double half_spacing = format_facts(format)->is_float ? format_half_spacing(format, bound->value) : 0.5;
    return 0x1p-10 * fmin(bound->error, half_spacing);
}

static bool is_decided(const struct host_case *host, int t, int64_t i)
{
    return isfinite(host->bounds[t][i].value) && isfinite(host->bounds[t][i].error);
}

/* Inserts i among the largest errors seen so far, largest first. */
static void keep_largest(const struct bound *bounds, int64_t *largest, int64_t *n, int64_t i)
{
    int64_t at = *n < SAMPLE_LARGEST ? (*n)++ : SAMPLE_LARGEST;
    while (at > 0 && bounds[largest[at - 1]].error < bounds[i].error) {
        if (at < SAMPLE_LARGEST)
            largest[at] = largest[at - 1];
        at--;
    }
    if (at < SAMPLE_LARGEST)
        largest[at] = i;
}

static int64_t take_sample(const struct host_case *host, int t, int64_t *elements)
{
    int64_t n_outputs = tensor_elements(&host->plan.tensor[t]), n = 0;
    if (n_outputs <= SMALL_CASE) {
        for (; n < n_outputs; n++)
            elements[n] = n;
        return n;
    }
    for (int64_t i = 0; i < n_outputs; i++)
        if (is_decided(host, t, i))
            keep_largest(host->bounds[t], elements, &n, i);
    struct random_key key = random_key_for(reg_key(&host->c, t).value, "audit");
    for (uint64_t k = 0; n < SAMPLE; k++)
        elements[n++] = (int64_t)(random_bits(key, k) % (uint64_t)n_outputs);
    return n;
}

static void audit_chunk(void *context, int64_t item)
{
    const struct audit_loop *loop = context;
    int64_t end = (item + 1) * AUDIT_CHUNK < loop->n ? (item + 1) * AUDIT_CHUNK : loop->n;
    struct audit *audit = audit_open();
    for (int64_t k = item * AUDIT_CHUNK; k < end; k++) {
        int64_t i = loop->elements[k];
        if (!audit || !is_decided(loop->host, loop->tensor, i)) {
            loop->distances[k] = audit ? 0 : NAN;
            continue;
        }
        loop->host->c.registration->audit(&loop->host->c, loop->tensor, i, audit);
        loop->distances[k] = audit_distance(audit, 0, loop->host->bounds[loop->tensor][i].value);
    }
    if (audit)
        audit_close(audit);
}

static bool judge_distances(const struct audit_loop *loop, struct error *error)
{
    const struct reg_case *c = &loop->host->c;
    const struct reg_tensor *tensor = &loop->host->plan.tensor[loop->tensor];
    for (int64_t k = 0; k < loop->n && !harness_has(HARNESS_AUDIT_ACCEPTS); k++) {
        const struct bound *bound = &loop->host->bounds[loop->tensor][loop->elements[k]];
        if (!is_decided(loop->host, loop->tensor, loop->elements[k]) ||
            loop->distances[k] <= allowed_distance(tensor->format, bound))
            continue;
        return error_set(
            error, STATUS_USAGE,
            "registration %s, shape %s, pattern %s: the reference of %s[%lld] is %.17g, %.3g away from MPFR's value; "
            "%.3g is allowed (2^-10 of the bound and of half a spacing): mend the reference",
            c->registration->name, c->shape->label, reg_pattern_name(c->pattern), tensor->name,
            (long long)loop->elements[k], bound->value, loop->distances[k], allowed_distance(tensor->format, bound));
    }
    return true;
}

bool audit_reference(const struct host_case *host, int64_t *n_audited, struct error *error)
{
    bool ok = true;
    *n_audited = 0;
    for (int t = next_output(&host->plan, 0); t >= 0 && ok; t = next_output(&host->plan, t + 1)) {
        int64_t elements[SMALL_CASE];
        double distances[SMALL_CASE];
        struct audit_loop loop = {host, t, take_sample(host, t, elements), elements, distances};
        parallel_for(host->c.n_threads, (loop.n + AUDIT_CHUNK - 1) / AUDIT_CHUNK, audit_chunk, &loop);
        ok = judge_distances(&loop, error);
        *n_audited += loop.n;
    }
    return ok;
}
