#include "reference/hadamard.h"

int hadamard_sign(int row, int column)
{
    return __builtin_parity((unsigned)(row & column)) ? -1 : 1;
}

void hadamard_bound(enum number_format format, struct bound values[HADAMARD_SIZE])
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

void hadamard_model(const struct policy *policy, double values[HADAMARD_SIZE])
{
    for (int h = 1; h < HADAMARD_SIZE; h *= 2)
        for (int i = 0; i < HADAMARD_SIZE; i++) {
            if (i & h)
                continue;
            double low = values[i], high = values[i + h];
            values[i] = policy_add(policy, low, high);
            values[i + h] = policy_add(policy, low, -high);
        }
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
