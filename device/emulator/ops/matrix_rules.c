#include "device/emulator/matrix_rules.h"

#include "device/emulator/float_lanes.h"

/* Every NaN that a matrix instruction gives (modelled). */
static inline uint32_t settle_f32(float value)
{
    return f32_is_nan(f32_bits(value)) ? F32_MADE_NAN : f32_bits(value);
}

/* ---- chains ---- */

static float factor_as_f32(struct matrix_factors f, int k_extent, int row, int k, uint32_t bits)
{
    float value = f.format ? factor_value(f.format, bits) : bits_f32(bits);
    if (!f.scale)
        return value;
    uint8_t scale = f.scale[row * (k_extent / 32) + k / 32];
    return scale == 255 ? bits_f32(F32_MADE_NAN) : ldexpf(value, scale - 127);
}

void VARIANT(matrix_fma)(const struct matrix_shape *shape, struct matrix_factors a, struct matrix_factors b, uint32_t *c)
{
    const int m = shape->m, n = shape->n, k_extent = shape->k;
    alignas(64) float right[MATRIX_FACTORS];
    alignas(64) float sum[64];
    for (int k = 0; k < k_extent; k++)
        for (int j = 0; j < n; j++)
            right[k * n + j] = factor_as_f32(b, k_extent, j, k, b.bits[k * n + j]);
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++)
            sum[j] = bits_f32(c[i * n + j]);
        for (int k = 0; k < k_extent; k++) {
            const float left = factor_as_f32(a, k_extent, i, k, a.bits[i * k_extent + k]);
            for (int j = 0; j < n; j++)
                sum[j] = fma_f32(left, right[k * n + j], sum[j]);
        }
        for (int j = 0; j < n; j++)
            c[i * n + j] = settle_f32(sum[j]);
    }
}

void VARIANT(matrix_fma_f64)(const struct matrix_shape *shape, const uint64_t *a, const uint64_t *b, uint64_t *c)
{
    const int n = shape->n, k_extent = shape->k;
    for (int i = 0; i < shape->m; i++) {
        for (int j = 0; j < n; j++) {
            double sum = bits_f64(c[i * n + j]);
            for (int k = 0; k < k_extent; k++)
                sum = fma(bits_f64(a[i * k_extent + k]), bits_f64(b[k * n + j]), sum);
            c[i * n + j] = f64_is_nan(f64_bits(sum)) ? F64_MADE_NAN : f64_bits(sum);
        }
    }
}

/* ---- balanced trees of f32 additions ---- */

/* A factor; one that is subnormal in its format counts as +0 with flush. */
static inline float tree_factor(const struct small_format *format, uint32_t bits, bool flush)
{
    bool subnormal = small_magnitude(*format, bits) < 1u << format->fraction_bits;
    return flush && subnormal ? 0.0f : factor_value(format, bits);
}

static inline __attribute__((always_inline)) void pairwise(const struct matrix_shape *shape, struct matrix_factors a,
                                                           struct matrix_factors b, uint32_t *c, bool flush)
{
    const int n = shape->n, k_extent = shape->k, group = shape->group;
    alignas(64) float right[MATRIX_FACTORS];
    for (int at = 0; at < k_extent * n; at++)
        right[at] = tree_factor(b.format, b.bits[at], flush);
    for (int i = 0; i < shape->m; i++) {
        alignas(64) float sum[64];
        for (int j = 0; j < n; j++) {
            float start = bits_f32(c[i * n + j]);
            sum[j] = flush && fabsf(start) < 0x1p-126f ? 0.0f : start;
        }
        for (int k = 0; k < k_extent; k += group) {
            float left[4] = {0};
            for (int g = 0; g < group; g++)
                left[g] = tree_factor(a.format, a.bits[i * k_extent + k + g], flush);
            const float *row = right + k * n;
            for (int j = 0; j < n; j++) {
                float tree =
                    flush_float(flush_float(left[0] * row[j], flush) + flush_float(left[1] * row[n + j], flush), flush);
                if (group == 4) {
                    float rest =
                        flush_float(left[2] * row[2 * n + j], flush) + flush_float(left[3] * row[3 * n + j], flush);
                    tree = flush_float(tree + flush_float(rest, flush), flush);
                }
                sum[j] = flush_float(sum[j] + tree, flush);
            }
        }
        for (int j = 0; j < n; j++)
            c[i * n + j] = settle_f32(sum[j]);
    }
}

void VARIANT(matrix_pairwise)(const struct matrix_shape *shape, struct matrix_factors a, struct matrix_factors b,
                              uint32_t *c, bool flush)
{
    if (flush)
        pairwise(shape, a, b, c, true);
    else
        pairwise(shape, a, b, c, false);
}

/* ---- integers ---- */

static inline int32_t integer_factor(uint8_t format, uint32_t bits, bool is_signed)
{
    const int unused = format == FACTOR_I8 ? 24 : 28;
    return is_signed ? (int32_t)(bits << unused) >> unused : (int32_t)bits;
}

void VARIANT(matrix_integer)(const struct matrix_shape *shape, const uint32_t *a, const uint32_t *b, uint32_t *c,
                             bool a_signed, bool b_signed, bool saturate)
{
    const int n = shape->n, k_extent = shape->k;
    alignas(64) int32_t right[MATRIX_FACTORS];
    for (int at = 0; at < k_extent * n; at++)
        right[at] = integer_factor(shape->b_format, b[at], b_signed);
    for (int i = 0; i < shape->m; i++) {
        alignas(64) int32_t sum[64] = {0}; /* below 2^16 * k */
        for (int k = 0; k < k_extent; k++) {
            const int32_t left = integer_factor(shape->a_format, a[i * k_extent + k], a_signed);
            for (int j = 0; j < n; j++)
                sum[j] += left * right[k * n + j];
        }
        for (int j = 0; j < n; j++) {
            int64_t exact = (int64_t)(int32_t)c[i * n + j] + sum[j];
            int64_t clamped = exact > INT32_MAX ? INT32_MAX : exact < INT32_MIN ? INT32_MIN : exact;
            c[i * n + j] = (uint32_t)(saturate ? clamped : exact);
        }
    }
}
