/*
 * moe_gate_up_mid_iq2: gate and up products of the experts that each token selected, over IQ2_XXS rows, and silu(gate) * up. 8
 * lanes share a row of both matrices; a lane takes the eight weights of a grid point at a time: a chain of fma over their
 * signed magnitudes times x, then one fma with their scale. The grid is expanded to bytes in LDS.
 */
#include "silu.h"

#pragma clang fp contract(off)

namespace
{

constexpr int threads = 256, lanes = 8;
constexpr int weights_of_block = 256, weights_of_point = 8, points_of_scale = 4, n_points = 256;

struct block {
    _Float16 scale;
    unsigned short q[weights_of_block / 8]; /* for each 32 weights: four numbers of points, then signs and scale */
};
static_assert(sizeof(block) == 66);

typedef unsigned __attribute__((aligned(2), may_alias)) unaligned_word;

__constant__ const unsigned short digits_of_point[n_points] = {
#include "../../reference/iq2_xxs_grid.def"
};

/* Four digits 0, 1, 2 as the bytes 8, 25, 43. */
__device__ __forceinline__ unsigned magnitudes_of(unsigned digits)
{
    unsigned bytes = 0;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const unsigned digit = digits >> 2 * i & 3;
        bytes |= (8 + 17 * digit + (digit >> 1)) << 8 * i;
    }
    return bytes;
}

/* The lane's eight activations times the weights of a point, but for their scale; bit i of signs: weight i is negative. */
__device__ __forceinline__ float dot(uint2 magnitudes, unsigned signs, const float *x)
{
    float sum = 0;
#pragma unroll
    for (int i = 0; i < weights_of_point; i++) {
        const float magnitude = (float)((i < 4 ? magnitudes.x : magnitudes.y) >> 8 * (i % 4) & 255);
        const unsigned sign = signs << (31 - i) & 0x80000000u;
        const float signed_x = __builtin_bit_cast(float, __builtin_bit_cast(unsigned, x[i]) ^ sign);
        sum = i == 0 ? magnitude * signed_x : __builtin_fmaf(magnitude, signed_x, sum);
    }
    return sum;
}

/* Adds the products of point `point` of a block. */
__device__ __forceinline__ float add_point(float sum, const block *from, unsigned point, const uint2 *grid, const float *x)
{
    const unsigned of_scale = point / points_of_scale, which = point % points_of_scale;
    const unsigned char *words = (const unsigned char *)from->q + 8 * of_scale;
    const unsigned number = words[which], signs_and_scale = *(const unaligned_word *)(words + 4);
    const unsigned seven = signs_and_scale >> 7 * which & 127;
#if defined(DS4_FAULT_EIGHTH_SIGN)
    const unsigned signs = seven;
#else
    const unsigned signs = seven | (__builtin_popcount(seven) & 1) << 7;
#endif
    const float scale = (float)from->scale * (float)(2 * (signs_and_scale >> 28) + 1) * 0.125f; /* exact */
    return __builtin_fmaf(scale, dot(grid[number], signs, x), sum);
}

} // namespace

/* x[tokens][n] f32, selected[tokens][slots] experts, gate_weights and up_weights[experts][n_mid][n / 256] blocks ->
 * mid[tokens * slots][n_mid] f32. Block y is a token's slot, block x 32 rows; n is a multiple of 256. */
extern "C" __global__ __launch_bounds__(threads) void moe_gate_up_mid_iq2(
    const float *__restrict__ x, const int *__restrict__ selected, const block *__restrict__ gate_weights,
    const block *__restrict__ up_weights, float *__restrict__ mid, int slots, int n_mid, int n)
{
    __shared__ uint2 grid[n_points];
    static_assert(threads == n_points, "each thread expands a point");
    const unsigned digits = digits_of_point[threadIdx.x];
    grid[threadIdx.x] = uint2{magnitudes_of(digits), magnitudes_of(digits >> 8)};
    __syncthreads();
    const int row = blockIdx.x * (threads / lanes) + threadIdx.x / lanes;
    if (row >= n_mid)
        return;
    const int of_token = blockIdx.y, blocks = n / weights_of_block;
    const size_t first = ((size_t)selected[of_token] * n_mid + row) * blocks;
    const block *gate_row = gate_weights + first, *up_row = up_weights + first;
    const float *own_x = x + (size_t)(of_token / slots) * n;
    float gate = 0, up = 0;
    for (unsigned at = weights_of_point * lane_of_group<lanes>(); at < (unsigned)n; at += weights_of_point * lanes) {
        const unsigned of_row = at / weights_of_block, point = at % weights_of_block / weights_of_point;
        float xs[weights_of_point];
        *(float4_t *)xs = *(const float4_t *)(own_x + at);
        *(float4_t *)(xs + 4) = *(const float4_t *)(own_x + at + 4);
        gate = add_point(gate, gate_row + of_row, point, grid, xs);
        up = add_point(up, up_row + of_row, point, grid, xs);
    }
    gate = lanes_sum<lanes>(gate);
    up = lanes_sum<lanes>(up);
    if (lane_of_group<lanes>() == 0)
        mid[(size_t)of_token * n_mid + row] = silu(gate) * up;
}
