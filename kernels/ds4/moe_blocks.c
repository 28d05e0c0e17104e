/* What rows of IQ2_XXS and Q2_K blocks look like under each pattern, and which experts a token selects. */
#include "kernels/ds4/moe.h"

#include <math.h>

#include "reference/blocks_iq2.h"
#include "reference/blocks_q2k.h"

bool ds4_rows_fit(const struct ds4_format *format, int64_t n, struct error *error)
{
    return format == &ds4_q8_0 || n % format->weights == 0 ||
           error_set(error, STATUS_USAGE, "%s rows have whole blocks of %d weights: N = %lld is no multiple", format->name,
                     format->weights, (long long)n);
}

/* The two words of 32 weights. One-sided: no sign. Exact: s below 8, and no sign where `positive`. */
static void fill_iq2_words(const struct reg_case *c, struct random_key key, uint64_t i, bool positive, uint16_t halves[4])
{
    uint64_t bits = random_bits(key, i);
    if (c->pattern == REG_PATTERN_ONESIDED || (c->pattern == REG_PATTERN_EXACT && positive))
        bits &= UINT64_C(0xf0000000ffffffff);
    if (c->pattern == REG_PATTERN_EXACT)
        bits &= UINT64_C(0x7fffffffffffffff);
    for (int half = 0; half < 4; half++)
        halves[half] = (uint16_t)(bits >> 16 * half);
}

void ds4_fill_iq2_xxs(const struct reg_case *c, int tensor, bool positive, void *data)
{
    const struct reg_tensor *t = &c->plan->tensor[tensor];
    struct random_key scales = reg_key(c, tensor), words = {random_bits(scales, UINT64_MAX)};
    struct block_iq2_xxs *out = data;
    for (int64_t i = 0; i < t->rows * t->columns / IQ2_XXS_WORDS; i++) {
        double scale = c->pattern == REG_PATTERN_EXACT ? 0x1p-3 : ds4_block_scale(c, scales, (uint64_t)i);
        format_store(FORMAT_F16, &out[i].scale, 0, scale);
        for (int j = 0; j < IQ2_XXS_WEIGHTS / 32; j++)
            fill_iq2_words(c, words, (uint64_t)(8 * i + j), positive, &out[i].q[4 * j]);
    }
    if (c->pattern == REG_PATTERN_CLASSES)
        ds4_plant_scales(c, tensor, IQ2_XXS_WORDS, 0, data);
}

/* One-sided: the minimum is negative, so that it adds. Exact: no scale of 0, so that no sum of a run is lost. */
static void fill_q2_k_block(const struct reg_case *c, struct random_key key, uint64_t i, struct block_q2_k *out)
{
    bool is_exact = c->pattern == REG_PATTERN_EXACT;
    struct random_key bytes = {random_bits(key, ~i)};
    double scale = is_exact ? 0x1p-6 : ds4_block_scale(c, key, 2 * i);
    double minimum = is_exact ? 0x1p-6 : ds4_block_scale(c, key, 2 * i + 1);
    format_store(FORMAT_F16, &out->scale, 0, scale);
    format_store(FORMAT_F16, &out->minimum, 0, c->pattern == REG_PATTERN_ONESIDED ? -minimum : minimum);
    for (int j = 0; j < Q2_K_WEIGHTS / Q2_K_GROUP; j++)
        out->scales[j] = (uint8_t)(random_bits(bytes, (uint64_t)j) | is_exact);
    for (int j = 0; j < Q2_K_WEIGHTS / 4; j++)
        out->q[j] = (uint8_t)random_bits(bytes, (uint64_t)j + 16);
}

void ds4_fill_q2_k(const struct reg_case *c, int tensor, void *data)
{
    const struct reg_tensor *t = &c->plan->tensor[tensor];
    struct random_key key = reg_key(c, tensor);
    struct block_q2_k *out = data;
    for (int64_t i = 0; i < t->rows * t->columns / Q2_K_WORDS; i++)
        fill_q2_k_block(c, key, (uint64_t)i, &out[i]);
    if (c->pattern == REG_PATTERN_CLASSES)
        ds4_plant_scales(c, tensor, Q2_K_WORDS, offsetof(struct block_q2_k, scale) / 2, data);
}

void ds4_fill_selected(const struct reg_case *c, int tensor, int64_t experts, int32_t *selected)
{
    const struct reg_tensor *t = &c->plan->tensor[tensor];
    struct random_key key = reg_key(c, tensor);
    for (int64_t i = 0; i < t->rows * t->columns; i++)
        selected[i] =
            (int32_t)((random_below(key, (uint64_t)(i / t->columns), (uint32_t)experts) + i % t->columns) % experts);
}
