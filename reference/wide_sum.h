/*
 * A sum in two doubles (Knuth; Muller et al., 4.3.2): terms of very different sizes may cancel, and the value must still be
 * good to far below a spacing of the output.
 */
#ifndef REFERENCE_WIDE_SUM_H
#define REFERENCE_WIDE_SUM_H

struct wide_sum {
    double high, low;
};

static inline void wide_add(struct wide_sum *sum, double term)
{
    double high = sum->high + term, from_sum = high - term;
    sum->low += (sum->high - from_sum) + (term - (high - from_sum));
    sum->high = high;
}

/* Of finite terms, the nearest double but for a last bit. */
static inline double wide_value(const struct wide_sum *sum)
{
    return sum->high + sum->low;
}

#endif
