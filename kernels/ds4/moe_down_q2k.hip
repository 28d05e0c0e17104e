/*
 * moe_down_sum6_q2k: the down products of the six experts that each token selected, over Q2_K rows, weighted and summed. 16
 * lanes share a row, a word of two-bit weights each: 4 neighbours in each of four groups, whose sums q * x and x meet the
 * group's scale and minimum in one fma each. Each lane weights its own sums, so that the lanes of a row are added once.
 */
#include "../lanes.h"

#pragma clang fp contract(off)

namespace
{

constexpr int threads = 256, lanes = 16, experts_of_token = 6;
constexpr int weights_of_block = 256, weights_of_half = 128, groups_of_lane = 4, weights_of_group = 4;

struct block {
    unsigned scales[4]; /* a byte for each 16 weights: scale in bits 3:0, minimum in 7:4 */
    unsigned q[16];     /* byte 32 (k / 128) + k % 32 has weight k in bits of 2 (k % 128 / 32) */
    _Float16 scale, minimum;
};
static_assert(sizeof(block) == 84);

/* The scale byte of a lane's group g: its half has eight, two for each g. */
__device__ __forceinline__ unsigned scale_of(uint2 of_half, unsigned g, unsigned upper)
{
    return (g < 2 ? of_half.x : of_half.y) >> 8 * (2 * (g % 2) + upper) & 255;
}

/* Adds the calling lane's 16 weights of a block times x, which starts at the block's first. */
__device__ __forceinline__ float add_block(float sum, const block *from, const float *x)
{
    const unsigned lane = lane_of_group<lanes>(), half = lane / 8, first = lane % 8 * weights_of_group;
    const uint2 scales = uint2{from->scales[2 * half], from->scales[2 * half + 1]};
    const unsigned q = from->q[lane];
    const float scale = from->scale, minimum = from->minimum;
#pragma unroll
    for (int g = 0; g < groups_of_lane; g++) {
        const float4_t xs = *(const float4_t *)(x + half * weights_of_half + g * 32 + first);
        const unsigned both = scale_of(scales, g, first / 16);
#if defined(DS4_FAULT_NIBBLES)
        const unsigned of_scale = both >> 4, of_minimum = both & 15;
#else
        const unsigned of_scale = both & 15, of_minimum = both >> 4;
#endif
        float products = (float)(q >> 2 * g & 3) * xs[0], plain = xs[0];
        for (int i = 1; i < weights_of_group; i++) {
            products = __builtin_fmaf((float)(q >> (8 * i + 2 * g) & 3), xs[i], products);
            plain += xs[i];
        }
        sum = __builtin_fmaf(scale * (float)of_scale, products, sum); /* factors are exact */
        sum = __builtin_fmaf(-minimum * (float)of_minimum, plain, sum);
    }
    return sum;
}

} // namespace

/* mid[tokens * 6][n] f32, selected[tokens][6] experts, weight[tokens][6] f32, down_weights[experts][out_dim][n / 256] blocks ->
 * out[tokens][out_dim] f32. Block y is the token, block x 16 rows; n is a multiple of 256. */
extern "C" __global__ __launch_bounds__(threads) void moe_down_sum6_q2k(
    const float *__restrict__ mid, const int *__restrict__ selected, const float *__restrict__ weight,
    const block *__restrict__ down_weights, float *__restrict__ out, int out_dim, int n)
{
    const int row = blockIdx.x * (threads / lanes) + threadIdx.x / lanes;
    if (row >= out_dim)
        return;
    const size_t token = blockIdx.y;
    const int blocks = n / weights_of_block;
    float sum = 0;
    for (int e = 0; e < experts_of_token; e++) {
        const size_t slot = token * experts_of_token + e;
        const block *own = down_weights + ((size_t)selected[slot] * out_dim + row) * blocks;
        float part = 0;
        for (int b = 0; b < blocks; b++)
            part = add_block(part, own + b, mid + slot * n + b * weights_of_block);
        sum = __builtin_fmaf(weight[slot], part, sum);
    }
    sum = lanes_sum<lanes>(sum);
    if (lane_of_group<lanes>() == 0)
        out[token * out_dim + row] = sum;
}
