#include "reference/blocks_q2k.h"

#include "reference/format.h"

int q2_k_bits(const struct block_q2_k *block, int k)
{
    return block->q[k / 128 * 32 + k % 32] >> k % 128 / 32 * 2 & 3;
}

double q2_k_scale(const struct block_q2_k *block, int k)
{
    return format_load(FORMAT_F16, &block->scale, 0) * (block->scales[k / Q2_K_GROUP] & 15);
}

double q2_k_minimum(const struct block_q2_k *block, int k)
{
    return format_load(FORMAT_F16, &block->minimum, 0) * (block->scales[k / Q2_K_GROUP] >> 4);
}
