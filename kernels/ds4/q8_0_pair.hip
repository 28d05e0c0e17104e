/*
 * matmul_q8_0_pair_w32, matmul_q8_0_pair_w64: f32 rows of x times two matrices of Q8_0 rows, gate and up, in one launch that
 * reads x once for both. 32 lanes a row of the matrices on any chip, or a wave of 64, whose halves take the even and the odd
 * blocks. A lane multiplies 4 weights at a time: a chain of fma over q * x, then one fma with the block's scale.
 */
#include "q8_0_run.h"

#pragma clang fp contract(off)

namespace
{

constexpr int threads = 256;

/* Of the scales that the lanes of a half of 32 hold, lane `from`'s. */
__device__ __forceinline__ float scale_of(float own, int from)
{
#if defined(DS4_FAULT_BROADCAST_WIDTH)
    return __shfl(own, from);
#elif defined(DS4_FAULT_LANE_OF_BLOCK)
    return __shfl(own, (threadIdx.x & ~31u) | from);
#else
    return lanes_broadcast<wave>(own, from);
#endif
}

struct sums {
    float gate, up;
};

/* The calling lane's part of a row of both matrices. WHOLE: k is a multiple of 4. A lane past the end loads the
 * row's first weights and drops what comes of them, so that no branch parts the loads of steps_at_once steps. */
template <int LANES, bool WHOLE>
__device__ __forceinline__ sums part(const float *__restrict__ x, const block *__restrict__ gate_row,
                                     const block *__restrict__ up_row, int k, int blocks)
{
    constexpr int halves = LANES / wave, blocks_of_half = wave / lanes_of_block, steps_at_once = 2;
    const int half = lane_of_group<LANES>() / wave, lane = lane_of_group<wave>();
    sums sum = {};
    for (int first = 0; first < blocks; first += LANES) { /* 32 blocks a half: one scale a lane */
        const int own_block = first + halves * lane + half, scaled = own_block < blocks ? own_block : blocks - 1;
        const float gate_scales = gate_row[scaled].scale, up_scales = up_row[scaled].scale;
        for (int step = 0; step < wave && first + halves * step < blocks; step += steps_at_once * blocks_of_half) {
#pragma unroll
            for (int s = 0; s < steps_at_once; s++) {
                const int of_half = step + s * blocks_of_half + lane / lanes_of_block, b = first + halves * of_half + half;
                const float gate_scale = scale_of(gate_scales, of_half), up_scale = scale_of(up_scales, of_half);
                const int own = b * weights_of_block + lane % lanes_of_block * weights_of_lane;
                const bool inside = own < k;
                const unsigned at = inside ? own : 0, of_row = at / weights_of_block, of_block = at % weights_of_block;
                const float4_t xs = WHOLE ? *(const float4_t *)(x + at) : load4(x, at, k, false, 0);
                const float gate = __builtin_fmaf(gate_scale, dot(load_q(gate_row + of_row, of_block), xs), sum.gate);
                const float up = __builtin_fmaf(up_scale, dot(load_q(up_row + of_row, of_block), xs), sum.up);
                sum = inside ? sums{gate, up} : sum;
            }
        }
    }
    return sum;
}

template <int LANES>
__device__ __forceinline__ void pair(const float *__restrict__ x, const block *__restrict__ gate_weights,
                                     const block *__restrict__ up_weights, float *__restrict__ gate,
                                     float *__restrict__ up, int k, int n)
{
    int row = blockIdx.x * (threads / LANES) + threadIdx.y;
    if (__builtin_amdgcn_wavefrontsize() == LANES) /* uniform then: row addresses are scalars */
        row = __builtin_amdgcn_readfirstlane(row);
    if (row >= n)
        return;
    const int blocks = (k + weights_of_block - 1) / weights_of_block;
    const block *gate_row = gate_weights + (size_t)row * blocks, *up_row = up_weights + (size_t)row * blocks;
    const float *own_x = x + (size_t)blockIdx.y * k;
    const sums own = k % weights_of_lane == 0 ? part<LANES, true>(own_x, gate_row, up_row, k, blocks)
                                              : part<LANES, false>(own_x, gate_row, up_row, k, blocks);
    const float gate_sum = lanes_sum<LANES>(own.gate), up_sum = lanes_sum<LANES>(own.up);
    if (lane_of_group<LANES>() == 0) {
        gate[(size_t)blockIdx.y * n + row] = gate_sum;
        up[(size_t)blockIdx.y * n + row] = up_sum;
    }
}

} // namespace

/* x[rows][k] f32, weights[n][k / 32 rounded up] blocks -> gate, up[rows][n] f32. Blocks of LANES x 256 / LANES threads, a row
 * of the matrices each LANES; block y is the row of x. */
#define PAIR(symbol, lanes)                                                                                                \
    extern "C" __global__ __launch_bounds__(threads) void symbol(                                                          \
        const float *__restrict__ x, const block *__restrict__ gate_weights, const block *__restrict__ up_weights,         \
        float *__restrict__ gate, float *__restrict__ up, int k, int n)                                                    \
    {                                                                                                                      \
        pair<lanes>(x, gate_weights, up_weights, gate, up, k, n);                                                          \
    }

PAIR(matmul_q8_0_pair_w32, 32)
#if defined(__GFX9__)
PAIR(matmul_q8_0_pair_w64, 64)
#endif
