#include "reference/hadamard.h"

#include <math.h>

#include "reference/lanes.h"

int hadamard_sign(int row, int column)
{
    return __builtin_parity((unsigned)(row & column)) ? -1 : 1;
}

/* Each butterfly's reach is below the sum of its operands' times (1 + 2^-6): whatever the seven do to so little, it stays
 * below the largest number. A sum of NaN is not. */
static bool overflows_nothing(enum number_format format, const struct bound values[HADAMARD_SIZE])
{
    double reach = 0;
    for (int i = 0; i < HADAMARD_SIZE; i++)
        reach += fabs(values[i].value) + values[i].error;
    return reach < format_facts(format)->largest / 4;
}

static void butterflies_of_bounds(enum number_format format, struct bound values[HADAMARD_SIZE])
{
    for (int h = 1; h < HADAMARD_SIZE; h *= 2)
        for (int i = 0; i < HADAMARD_SIZE; i++) {
            if (i & h)
                continue;
            struct bound low = values[i], high = values[i + h];
            values[i] = bound_add(format, low, high);
            values[i + h] = bound_sub(format, low, high);
        }
}

void hadamard_bound(enum number_format format, struct bound values[HADAMARD_SIZE])
{
    double value[HADAMARD_SIZE], error[HADAMARD_SIZE];
    if (format == FORMAT_F64 || !overflows_nothing(format, values)) {
        butterflies_of_bounds(format, values);
        return;
    }
    for (int i = 0; i < HADAMARD_SIZE; i++) {
        value[i] = values[i].value;
        error[i] = values[i].error;
    }
    lanes_of_host()->hadamard_bound(format, value, error);
    for (int i = 0; i < HADAMARD_SIZE; i++)
        values[i] = (struct bound){value[i], error[i]};
}

void hadamard_model(const struct policy *policy, double values[HADAMARD_SIZE])
{
    lanes_of_host()->hadamard(policy->sum_format, values);
}

void hadamard_f32(float values[HADAMARD_SIZE])
{
    for (int h = 1; h < HADAMARD_SIZE; h *= 2)
        for (int i = 0; i < HADAMARD_SIZE; i++) {
            if (i & h)
                continue;
            float low = values[i], high = values[i + h];
            values[i] = low + high;
            values[i + h] = low - high;
        }
}
