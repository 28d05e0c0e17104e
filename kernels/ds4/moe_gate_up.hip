/*
 * moe_gate_up_mid_g8, moe_gate_up_mid_g16: gate and up products of the experts that each token selected, over Q8_0 rows, and
 * silu(gate) * up. 8 or 16 lanes share a row of both matrices; a lane multiplies 4 weights at a time, a chain of fma over
 * q * x, then one fma with the block's scale.
 */
#include "q8_0_run.h"
#include "silu.h"

#pragma clang fp contract(off)

namespace
{

constexpr int threads = 256;

/* Over the lanes of a group. */
template <int LANES> __device__ __forceinline__ float group_sum(float value)
{
#if defined(DS4_FAULT_HALF_GROUP)
    return lanes_sum<LANES / 2>(value);
#else
    return lanes_sum<LANES>(value);
#endif
}

struct sums {
    float gate, up;
};

/* The calling lane's part of a row of both matrices. WHOLE: n is a multiple of 4. */
template <int LANES, bool WHOLE>
__device__ __forceinline__ sums part(const float *__restrict__ x, const block *__restrict__ gate_row,
                                     const block *__restrict__ up_row, unsigned n)
{
    sums sum = {};
#pragma unroll 2
    for (unsigned at = weights_of_lane * lane_of_group<LANES>(); at < n; at += weights_of_lane * LANES) {
        const unsigned of_row = at / weights_of_block, of_block = at % weights_of_block;
        const float4_t xs = WHOLE ? *(const float4_t *)(x + at) : load4(x, at, n, false, 0);
        sum.gate = __builtin_fmaf(gate_row[of_row].scale, dot(load_q(gate_row + of_row, of_block), xs), sum.gate);
        sum.up = __builtin_fmaf(up_row[of_row].scale, dot(load_q(up_row + of_row, of_block), xs), sum.up);
    }
    return sum;
}

template <int LANES>
__device__ __forceinline__ void gate_up(const float *__restrict__ x, const int *__restrict__ selected,
                                        const block *__restrict__ gate_weights, const block *__restrict__ up_weights,
                                        float *__restrict__ mid, int slots, int n_mid, int n)
{
    const int row = blockIdx.x * (threads / LANES) + threadIdx.x / LANES;
    if (row >= n_mid)
        return;
    const int of_token = blockIdx.y, blocks = (n + weights_of_block - 1) / weights_of_block;
    const size_t first = ((size_t)selected[of_token] * n_mid + row) * blocks;
    const block *gate_row = gate_weights + first, *up_row = up_weights + first;
    const float *own_x = x + (size_t)(of_token / slots) * n;
    const sums own = n % weights_of_lane == 0 ? part<LANES, true>(own_x, gate_row, up_row, n)
                                              : part<LANES, false>(own_x, gate_row, up_row, n);
    const float gate = group_sum<LANES>(own.gate), up = group_sum<LANES>(own.up);
    if (lane_of_group<LANES>() == 0)
        mid[(size_t)of_token * n_mid + row] = silu(gate) * up;
}

} // namespace

/* x[tokens][n] f32, selected[tokens][slots] experts, gate_weights and up_weights[experts][n_mid][n / 32 rounded up] blocks ->
 * mid[tokens * slots][n_mid] f32. Block y is a token's slot, block x 256 / LANES rows. */
#define GATE_UP(symbol, lanes)                                                                                             \
    extern "C" __global__ __launch_bounds__(threads) void symbol(                                                          \
        const float *__restrict__ x, const int *__restrict__ selected, const block *__restrict__ gate_weights,             \
        const block *__restrict__ up_weights, float *__restrict__ mid, int slots, int n_mid, int n)                        \
    {                                                                                                                      \
        gate_up<lanes>(x, selected, gate_weights, up_weights, mid, slots, n_mid, n);                                       \
    }

GATE_UP(moe_gate_up_mid_g8, 8)
GATE_UP(moe_gate_up_mid_g16, 16)
