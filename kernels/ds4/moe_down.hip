/*
 * moe_down_sum6: the down products of the six experts that each token selected, over Q8_0 rows, weighted and summed. 8 lanes
 * share a row of all six; each lane weights its own sums, so that the lanes of a row are added once.
 */
#include "q8_0_run.h"

#pragma clang fp contract(off)

namespace
{

constexpr int threads = 256, lanes = 8, experts_of_token = 6;

/* The calling lane's part of one expert's row. WHOLE: n is a multiple of 4. */
template <bool WHOLE>
__device__ __forceinline__ float part(const block *__restrict__ row, const float *__restrict__ mid, unsigned n)
{
    float sum = 0;
#pragma unroll 2
    for (unsigned at = weights_of_lane * lane_of_group<lanes>(); at < n; at += weights_of_lane * lanes) {
        const block *own = row + at / weights_of_block;
        const float4_t mids = WHOLE ? *(const float4_t *)(mid + at) : load4(mid, at, n, false, 0);
        sum = __builtin_fmaf(own->scale, dot(load_q(own, at % weights_of_block), mids), sum);
    }
    return sum;
}

/* The calling lane's part of a row of all experts of a token. */
template <bool WHOLE>
__device__ __forceinline__ float part_of_experts(const float *__restrict__ mid, const int *__restrict__ selected,
                                                 const float *__restrict__ weight, const block *__restrict__ down_weights,
                                                 int row, int out_dim, int n)
{
#if defined(DS4_FAULT_FIVE_EXPERTS)
    constexpr int summed = experts_of_token - 1;
#else
    constexpr int summed = experts_of_token;
#endif
    const int blocks = (n + weights_of_block - 1) / weights_of_block;
    float sum = 0;
    for (int e = 0; e < summed; e++) {
        const block *own = down_weights + ((size_t)selected[e] * out_dim + row) * blocks;
        sum = __builtin_fmaf(weight[e], part<WHOLE>(own, mid + (size_t)e * n, n), sum);
    }
    return sum;
}

} // namespace

/* mid[tokens * 6][n] f32, selected[tokens][6] experts, weight[tokens][6] f32, down_weights[experts][out_dim][n / 32 rounded up]
 * blocks -> out[tokens][out_dim] f32. Block y is the token, block x 32 rows. */
extern "C" __global__ __launch_bounds__(threads) void moe_down_sum6(
    const float *__restrict__ mid, const int *__restrict__ selected, const float *__restrict__ weight,
    const block *__restrict__ down_weights, float *__restrict__ out, int out_dim, int n)
{
    const int row = blockIdx.x * (threads / lanes) + threadIdx.x / lanes;
    if (row >= out_dim)
        return;
    const size_t token = blockIdx.y, slot = token * experts_of_token;
    const float *own_mid = mid + slot * n;
    const float own = n % weights_of_lane == 0
                          ? part_of_experts<true>(own_mid, selected + slot, weight + slot, down_weights, row, out_dim, n)
                          : part_of_experts<false>(own_mid, selected + slot, weight + slot, down_weights, row, out_dim, n);
    const float sum = lanes_sum<lanes>(own);
    if (lane_of_group<lanes>() == 0)
        out[token * out_dim + row] = sum;
}
