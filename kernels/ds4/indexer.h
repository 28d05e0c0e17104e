/*
 * What the variants of indexer_scores share: out[tokens][keys] = sum over heads of w[tokens][heads] * max(0, dot), where
 * dot is the product of q[tokens][heads][128] with k[keys][128], both f16 or both bf16.
 *
 * A block has 16 tokens and 8 tiles of 16 keys: 8 waves of 32 lanes with a tile each, or 4 waves of 64 with two. A lane has
 * one key of each of its wave's tiles, in registers for all heads. q of one head is in LDS while that of the next is on its
 * way from memory.
 *
 * DOT says how dots are made: `number` is the factors' type, `lanes` those of a wave, load(row, part) what a lane keeps of
 * a key (`keys_t`), token(e, part) the token of its e-th sum, where part = lane / 16, and dots() makes the sums of a head.
 * They may add the 128 products in any order.
 */
#ifndef KERNELS_DS4_INDEXER_H
#define KERNELS_DS4_INDEXER_H

#include "../lanes.h"
#include "../vectors.h"

namespace
{

constexpr int width = 128; /* of a head */
constexpr int side = 16;   /* tokens and keys of a tile */
constexpr int tiles_of_block = 8;
constexpr int threads = 256;
constexpr int stride = width + 8;              /* numbers of a row in LDS: 8 rows start in different banks */
constexpr int threads_of_row = threads / side; /* that stage one token's q of a head */
constexpr int numbers_of_thread = width / threads_of_row;
static_assert(numbers_of_thread * sizeof(half_t) == sizeof(float4_t));

template <typename NUMBER> struct indexer_problem {
    const NUMBER *__restrict__ q, *__restrict__ k;
    const float *__restrict__ w;
    int tokens, heads, keys;
};

template <typename NUMBER> struct staged_head {
    alignas(16) NUMBER q[side][stride];
    float w[side];
};

/* One thread's 16 bytes of a head's q, and its token's weight. Tokens past the last are the last again. */
template <typename NUMBER> struct head_part {
    float4_t q;
    float w;

    static __device__ __forceinline__ int token()
    {
        return threadIdx.x / threads_of_row;
    }
    static __device__ __forceinline__ int at()
    {
        return threadIdx.x % threads_of_row * numbers_of_thread;
    }
    __device__ __forceinline__ void load(const indexer_problem<NUMBER> &p, int head)
    {
        const size_t row = (size_t)min((int)blockIdx.y * side + token(), p.tokens - 1) * p.heads + head;
        q = *(const float4_t *)(p.q + row * width + at());
        w = p.w[row];
    }
    __device__ __forceinline__ void store(staged_head<NUMBER> &to) const
    {
        *(float4_t *)&to.q[token()][at()] = q;
        if (at() == 0)
            to.w[token()] = w;
    }
};

/* max(0, dot) that keeps a NaN. */
__device__ __forceinline__ float rectified(float dot)
{
    return dot < 0 ? 0.0f : dot;
}

template <typename DOT> struct wave_of_block {
    static constexpr int n_waves = threads / DOT::lanes, n_sums = side * side / DOT::lanes;
#if defined(DS4_FAULT_ONE_TILE_A_WAVE)
    static constexpr int n_tiles = 1;
#else
    static constexpr int n_tiles = tiles_of_block / n_waves;
#endif
    using number = typename DOT::number;

    int first_tile, place, part;
    typename DOT::keys_t keys[n_tiles];
    float sums[n_tiles][n_sums];

    __device__ __forceinline__ int key(int i) const
    {
        return (blockIdx.x * tiles_of_block + first_tile + i * n_waves) * side + place;
    }

    /* Keys past the last are the last again. */
    __device__ __forceinline__ wave_of_block(const indexer_problem<number> &p) : sums()
    {
        const int lane = threadIdx.x % DOT::lanes;
        first_tile = __builtin_amdgcn_readfirstlane(threadIdx.x / DOT::lanes);
        place = lane % side;
        part = lane / side;
#pragma unroll
        for (int i = 0; i < n_tiles; i++)
            keys[i] = DOT::load(p.k + (size_t)min(key(i), p.keys - 1) * width, part);
    }

    __device__ __forceinline__ void add_head(const staged_head<number> &head)
    {
        float dots[n_tiles][n_sums] = {};
        DOT::template dots<n_tiles, n_sums>(head.q, keys, place, part, dots);
#pragma unroll
        for (int i = 0; i < n_tiles; i++)
#pragma unroll
            for (int e = 0; e < n_sums; e++)
                sums[i][e] = __builtin_fmaf(head.w[DOT::token(e, part)], rectified(dots[i][e]), sums[i][e]);
    }

    __device__ __forceinline__ void store(const indexer_problem<number> &p, float *__restrict__ out) const
    {
#pragma unroll
        for (int i = 0; i < n_tiles; i++)
#pragma unroll
            for (int e = 0; e < n_sums; e++) {
                const int token = blockIdx.y * side + DOT::token(e, part);
#if defined(DS4_FAULT_TILE_INDEX)
                const int to = key(i) ^ side;
#else
                const int to = key(i);
#endif
                if (token < p.tokens && to < p.keys)
                    out[(size_t)token * p.keys + to] = sums[i][e];
            }
    }
};

template <typename DOT>
__device__ __forceinline__ void indexer_scores(const indexer_problem<typename DOT::number> &p, float *__restrict__ out)
{
    __shared__ staged_head<typename DOT::number> staged[2];
    wave_of_block<DOT> wave(p);
    head_part<typename DOT::number> next;
    next.load(p, 0);
    for (int head = 0; head < p.heads; head++) {
        next.store(staged[head % 2]); /* last read before the barrier of the head before */
        __syncthreads();
        if (head + 1 < p.heads)
            next.load(p, head + 1);
        wave.add_head(staged[head % 2]);
    }
    wave.store(p, out);
}

} // namespace

#define INDEXER_SCORES(symbol, DOT)                                                                                        \
    extern "C" __global__ __launch_bounds__(threads) void symbol(                                                          \
        const typename DOT::number *__restrict__ q, const typename DOT::number *__restrict__ k,                            \
        const float *__restrict__ w, float *__restrict__ out, int tokens, int heads, int keys)                             \
    {                                                                                                                      \
        indexer_scores<DOT>({q, k, w, tokens, heads, keys}, out);                                                          \
    }

#endif
