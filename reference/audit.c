#include "reference/audit.h"

#include <math.h>
#include <stdlib.h>
#include <mpfr.h>

#include "contract/base/memory_needed.h"

enum { LIMBS = (AUDIT_BITS + GMP_NUMB_BITS - 1) / GMP_NUMB_BITS };

/* Numbers whose digits lie beside them: MPFR allocates none. */
struct audit {
    mpfr_t slot[AUDIT_SLOTS];
    mpfr_t left, right; /* operands that come as doubles */
    mp_limb_t limbs[AUDIT_SLOTS + 2][LIMBS];
};

/* What MPFR allocates all the same, inside a function, cannot be refused: GMP would abort (GMP manual, "Custom
 * Allocation"). */
static void *allocate(size_t n_bytes)
{
    return memory_needed(malloc(n_bytes));
}

static void *reallocate(void *old, size_t old_bytes, size_t n_bytes)
{
    (void)old_bytes;
    return memory_needed(realloc(old, n_bytes));
}

static void release(void *memory, size_t n_bytes)
{
    (void)n_bytes;
    free(memory);
}

__attribute__((constructor)) static void watch_memory(void)
{
    mp_set_memory_functions(allocate, reallocate, release);
}

/* Zero. */
static void place(mpfr_ptr number, mp_limb_t *limbs, mpfr_prec_t bits)
{
    mpfr_custom_init(limbs, bits);
    mpfr_custom_init_set(number, MPFR_ZERO_KIND, 0, bits, limbs);
}

struct audit *audit_open(void)
{
    struct audit *audit = malloc(sizeof *audit);
    if (!audit)
        return NULL;
    for (int i = 0; i < AUDIT_SLOTS; i++)
        place(audit->slot[i], audit->limbs[i], AUDIT_BITS);
    place(audit->left, audit->limbs[AUDIT_SLOTS], AUDIT_BITS);
    place(audit->right, audit->limbs[AUDIT_SLOTS + 1], AUDIT_BITS);
    return audit;
}

void audit_close(struct audit *audit)
{
    if (!audit)
        return;
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
    mp_limb_t limbs[LIMBS];
    place(rounded, limbs, bits);
    mpfr_set(rounded, x, MPFR_RNDN);
    double value = fabs(mpfr_get_d(rounded, MPFR_RNDN));
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
    MPFR_DECL_INIT(distance, AUDIT_BITS);
    mpfr_sub_d(distance, x, value, MPFR_RNDA);
    return fabs(mpfr_get_d(distance, MPFR_RNDA));
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
