#include "reference/audit.h"

#include <math.h>
#include <stdlib.h>
#include <mpfr.h>

struct audit {
    mpfr_t slot[AUDIT_SLOTS];
    mpfr_t left, right; /* operands that come as doubles */
};

struct audit *audit_open(void)
{
    struct audit *audit = malloc(sizeof *audit);
    if (!audit)
        return NULL;
    for (int i = 0; i < AUDIT_SLOTS; i++) {
        mpfr_init2(audit->slot[i], AUDIT_BITS);
        mpfr_set_zero(audit->slot[i], 1);
    }
    mpfr_init2(audit->left, AUDIT_BITS);
    mpfr_init2(audit->right, AUDIT_BITS);
    return audit;
}

void audit_close(struct audit *audit)
{
    if (!audit)
        return;
    for (int i = 0; i < AUDIT_SLOTS; i++)
        mpfr_clear(audit->slot[i]);
    mpfr_clear(audit->left);
    mpfr_clear(audit->right);
    free(audit);
    mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE);
}

void audit_set(struct audit *audit, int to, double value)
{
    mpfr_set_d(audit->slot[to], value, MPFR_RNDN);
}

void audit_copy(struct audit *audit, int to, int from)
{
    mpfr_set(audit->slot[to], audit->slot[from], MPFR_RNDN);
}

/* X(name): operations that MPFR has under the same name, with one and with two operands. */
#define UNARY(X)  X(sqrt) X(exp) X(exp2) X(log) X(sin) X(cos) X(tanh)
#define BINARY(X) X(add) X(sub) X(mul) X(div) X(max)

#define DEFINE_UNARY(name)                                                                                                 \
    void audit_##name(struct audit *audit, int to, int a)                                                                  \
    {                                                                                                                      \
        mpfr_##name(audit->slot[to], audit->slot[a], MPFR_RNDN);                                                           \
    }
UNARY(DEFINE_UNARY)
#undef DEFINE_UNARY

#define DEFINE_BINARY(name)                                                                                                \
    void audit_##name(struct audit *audit, int to, int a, int b)                                                           \
    {                                                                                                                      \
        mpfr_##name(audit->slot[to], audit->slot[a], audit->slot[b], MPFR_RNDN);                                           \
    }
BINARY(DEFINE_BINARY)
#undef DEFINE_BINARY

void audit_fma(struct audit *audit, int to, int a, int b, int c)
{
    mpfr_fma(audit->slot[to], audit->slot[a], audit->slot[b], audit->slot[c], MPFR_RNDN);
}

void audit_accumulate(struct audit *audit, int slot, double a, double b)
{
    mpfr_set_d(audit->left, a, MPFR_RNDN);
    mpfr_set_d(audit->right, b, MPFR_RNDN);
    mpfr_fma(audit->slot[slot], audit->left, audit->right, audit->slot[slot], MPFR_RNDN);
}

double audit_get(const struct audit *audit, int slot)
{
    return mpfr_get_d(audit->slot[slot], MPFR_RNDN);
}

/* The value in a precision that the format has at its magnitude; fewer bits the deeper it lies below the smallest normal.
 */
static double round_once(const mpfr_t x, const struct format_facts *f)
{
    mpfr_exp_t exponent = mpfr_get_exp(x) - 1;
    mpfr_exp_t bits = exponent >= f->exponent_min ? f->precision_bits : f->precision_bits - (f->exponent_min - exponent);
    if (bits < 1) /* below the smallest subnormal: it from above half of it, else zero (a tie goes to even) */
        return bits == 0 && mpfr_cmpabs_ui(x, 0) && fabs(mpfr_get_d(x, MPFR_RNDA)) > f->half_subnormal
                   ? 2 * f->half_subnormal
                   : 0;
    mpfr_t rounded;
    mpfr_init2(rounded, bits);
    mpfr_set(rounded, x, MPFR_RNDN);
    double value = fabs(mpfr_get_d(rounded, MPFR_RNDN));
    mpfr_clear(rounded);
    return value > f->largest ? HUGE_VAL : value;
}

double audit_get_rounded(const struct audit *audit, int slot, enum number_format format)
{
    mpfr_srcptr x = audit->slot[slot];
    if (format == FORMAT_F64 || mpfr_zero_p(x) || !mpfr_number_p(x))
        return mpfr_get_d(x, MPFR_RNDN);
    return copysign(round_once(x, format_facts(format)), mpfr_signbit(x) ? -1 : 1);
}

double audit_distance(const struct audit *audit, int slot, double value)
{
    mpfr_srcptr x = audit->slot[slot];
    if (!isfinite(value) || !mpfr_number_p(x)) {
        bool same = isnan(value) ? mpfr_nan_p(x) : mpfr_inf_p(x) && mpfr_cmp_d(x, value) == 0;
        return same ? 0 : HUGE_VAL;
    }
    mpfr_t distance;
    mpfr_init2(distance, AUDIT_BITS);
    mpfr_sub_d(distance, x, value, MPFR_RNDA);
    double result = fabs(mpfr_get_d(distance, MPFR_RNDA));
    mpfr_clear(distance);
    return result;
}

enum { DOUBLE_BITS = 53 };

#define DEFINE_CORRECT(name)                                                                                               \
    double correct_##name(double x)                                                                                        \
    {                                                                                                                      \
        MPFR_DECL_INIT(number, DOUBLE_BITS);                                                                               \
        mpfr_set_d(number, x, MPFR_RNDN);                                                                                  \
        mpfr_##name(number, number, MPFR_RNDN);                                                                            \
        return mpfr_get_d(number, MPFR_RNDN);                                                                              \
    }
DEFINE_CORRECT(exp)
DEFINE_CORRECT(exp2)
DEFINE_CORRECT(log)
#undef DEFINE_CORRECT
