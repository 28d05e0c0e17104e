/*
 * out[rows][n] = x[rows][k] times the rows of a Q8_0 matrix [n][k], whose weights are rounded to fp16: products and sums in
 * f32, k in splits whose partial sums lie in scratch until projection_sum adds them. A matrix is read as it is stored, or
 * from the fp16 copy that projection_unpack_q8_0 makes; both give the same bytes. A variant for waves of 32 lanes a row, and
 * one for 64.
 */
#include "../lanes.h"
#include "../vectors.h"

#pragma clang fp contract(off)

namespace
{

constexpr int threads = 256;
constexpr int weights_of_block = 32; /* Q8_0: an fp16 scale, then so many bytes */
constexpr int words_of_block = 17;   /* of 16 bits */
constexpr int weights_of_lane = 8;
constexpr int lanes_of_block = weights_of_block / weights_of_lane;

/* A quarter of a block. */
__device__ __forceinline__ half8_t unpack(const unsigned short *block, int quarter)
{
    const float scale = (float)__builtin_bit_cast(_Float16, block[0]);
    half8_t weights;
#pragma unroll
    for (int i = 0; i < weights_of_lane / 2; i++) {
        const unsigned pair = block[1 + quarter * weights_of_lane / 2 + i];
        weights[2 * i] = (_Float16)(scale * (float)(signed char)pair);
        weights[2 * i + 1] = (_Float16)(scale * (float)(signed char)(pair >> 8));
    }
    return weights;
}

/* Weights past the end of a row count as nothing. */
__device__ __forceinline__ half8_t clip(half8_t weights, int at, int k)
{
#pragma unroll
    for (int i = 0; i < weights_of_lane; i++)
        weights[i] = at + i < k ? weights[i] : (_Float16)0;
    return weights;
}

/* The matrix as it is stored. */
struct packed {
    const unsigned short *words;
    __device__ __forceinline__ half8_t load(size_t block, int quarter, int at, int k) const
    {
        return clip(unpack(words + block * words_of_block, quarter), at, k);
    }
};

/* Its copy in fp16, whose rows are whole blocks. */
struct unpacked {
    const half8_t *weights;
    __device__ __forceinline__ half8_t load(size_t block, int quarter, int, int) const
    {
        return weights[block * lanes_of_block + quarter];
    }
};

/* The sum over LANES lanes, the same bits in each. */
template <int LANES> __device__ __forceinline__ float sum_of_lanes(float value)
{
    value = wave_sum(value);
    if constexpr (LANES == 64) {
        const int other = (int)(__builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)) ^ 32) * 4;
        value += __builtin_bit_cast(float, __builtin_amdgcn_ds_bpermute(other, __builtin_bit_cast(int, value)));
    }
    return value;
}

/* partial[split][rows][n]; LANES lanes a row of the matrix, blocks of the grid along n, rows and splits. */
template <int LANES, typename MATRIX>
__device__ __forceinline__ void partial_sums(const float *x, MATRIX matrix, float *partial, int k, int n,
                                             int blocks_of_split)
{
    const int lane = threadIdx.x % LANES, column = blockIdx.x * (threads / LANES) + threadIdx.x / LANES;
    const int blocks_of_row = (k + weights_of_block - 1) / weights_of_block, first = blockIdx.z * blocks_of_split;
    const int n_parts = min(blocks_of_split, blocks_of_row - first) * lanes_of_block;
    const float *row = x + (size_t)blockIdx.y * k;
    const bool whole = k % 4 == 0;
    if (column >= n)
        return;
    float sum = 0;
    for (int part = lane; part < n_parts; part += LANES) {
        const int block = first + part / lanes_of_block, quarter = part % lanes_of_block;
        const int at = block * weights_of_block + quarter * weights_of_lane;
        const half8_t weights = matrix.load((size_t)column * blocks_of_row + block, quarter, at, k);
        const float4_t low = load4(row, at, k, whole, 0), high = load4(row, at + 4, k, whole, 0);
#pragma unroll
        for (int i = 0; i < weights_of_lane; i++)
            sum = __builtin_fmaf(i < 4 ? low[i % 4] : high[i % 4], (float)weights[i], sum);
    }
    sum = sum_of_lanes<LANES>(sum);
    if (lane == 0)
        partial[((size_t)blockIdx.z * gridDim.y + blockIdx.y) * n + column] = sum;
}

} // namespace

#define VARIANT(lanes)                                                                                                     \
    extern "C" __global__ __launch_bounds__(threads) void projection_q8_0_w##lanes(                                        \
        const float *__restrict__ x, const unsigned short *__restrict__ words, float *__restrict__ partial, int k, int n,  \
        int blocks_of_split)                                                                                               \
    {                                                                                                                      \
        partial_sums<lanes>(x, packed{words}, partial, k, n, blocks_of_split);                                             \
    }                                                                                                                      \
    extern "C" __global__ __launch_bounds__(threads) void projection_f16_w##lanes(                                         \
        const float *__restrict__ x, const half8_t *__restrict__ weights, float *__restrict__ partial, int k, int n,       \
        int blocks_of_split)                                                                                               \
    {                                                                                                                      \
        partial_sums<lanes>(x, unpacked{weights}, partial, k, n, blocks_of_split);                                         \
    }

#if defined(__GFX9__)
VARIANT(64)
#else
VARIANT(32)
#endif

/* One thread a quarter of a block. */
extern "C" __global__ __launch_bounds__(threads) void projection_unpack_q8_0(const unsigned short *__restrict__ words,
                                                                             half8_t *__restrict__ weights, int k, int n)
{
    const int blocks_of_row = (k + weights_of_block - 1) / weights_of_block;
    const size_t part = (size_t)blockIdx.x * threads + threadIdx.x, block = part / lanes_of_block;
    const int quarter = part % lanes_of_block;
    if (block >= (size_t)n * blocks_of_row)
        return;
    const int at = (int)(block % blocks_of_row) * weights_of_block + quarter * weights_of_lane;
    weights[part] = packed{words}.load(block, quarter, at, k);
}

/* out[i] = the partial sums of element i, added in the order of the splits. */
extern "C" __global__ __launch_bounds__(threads) void projection_sum(const float *__restrict__ partial,
                                                                     float *__restrict__ out, int n_out, int n_splits)
{
    const int i = blockIdx.x * threads + threadIdx.x;
    if (i >= n_out)
        return;
    float sum = partial[i];
    for (int split = 1; split < n_splits; split++)
        sum += partial[(size_t)split * n_out + i];
    out[i] = sum;
}
