/*
 * MPFR at 256 bits behind a small interface; reference/audit.c is the only file that includes mpfr.h. A family recomputes
 * one output from the same inputs in it, and the harness compares the float64 value.
 */
#ifndef REFERENCE_AUDIT_H
#define REFERENCE_AUDIT_H

#include <stdint.h>

#include "reference/format.h"

enum { AUDIT_BITS = 256, AUDIT_SLOTS = 64 };

/* A machine of AUDIT_SLOTS numbers of AUDIT_BITS bits; slots are named by index. One per thread. */
struct audit;

struct audit *audit_open(void);
void audit_close(struct audit *audit);

void audit_set(struct audit *audit, int to, double value);
void audit_copy(struct audit *audit, int to, int from);
void audit_add(struct audit *audit, int to, int a, int b);
void audit_sub(struct audit *audit, int to, int a, int b);
void audit_mul(struct audit *audit, int to, int a, int b);
void audit_div(struct audit *audit, int to, int a, int b);
void audit_fma(struct audit *audit, int to, int a, int b, int c);
void audit_sqrt(struct audit *audit, int to, int a);
void audit_exp(struct audit *audit, int to, int a);
void audit_exp2(struct audit *audit, int to, int a);
void audit_log(struct audit *audit, int to, int a);
void audit_sin(struct audit *audit, int to, int a);
void audit_cos(struct audit *audit, int to, int a);
void audit_tanh(struct audit *audit, int to, int a);
void audit_max(struct audit *audit, int to, int a, int b);
/* slot += a * b for two doubles, exact before the one rounding. */
void audit_accumulate(struct audit *audit, int slot, double a, double b);
/* Nearest double. */
double audit_get(const struct audit *audit, int slot);
/* The slot correctly rounded once to a format, as a double (no double rounding). */
double audit_get_rounded(const struct audit *audit, int slot, enum number_format format);
/* |slot - value|, rounded up to a double; 0 where both are NaN or the same infinity, infinite where only one is. */
double audit_distance(const struct audit *audit, int slot, double value);

/* Correctly rounded doubles (results in double's normal range), and so the same bits on every host, which libm's are not.
 */
double correct_exp(double x);
double correct_exp2(double x);
double correct_log(double x);

#endif
