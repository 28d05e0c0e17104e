/* indexer_scores_f16 and _bf16 for every chip: a chain of dot2 steps, or of fma, a token and key. */
#include "../dot2.h"
#include "indexer.h"

namespace
{

typedef __bf16 bf16x2_t __attribute__((ext_vector_type(2)));
typedef unsigned uint4_t __attribute__((ext_vector_type(4)));

#if defined(__GFX9__)
constexpr int lanes_of_wave = 64;
#else
constexpr int lanes_of_wave = 32;
#endif

#if defined(__gfx950__) || defined(__GFX11__) || defined(__GFX12__)
#define INDEXER_HAS_DOT2_BF16 1
#else
#define INDEXER_HAS_DOT2_BF16 0
#endif

/* sum + the products of two f16 pairs. */
__device__ __forceinline__ float dot2(half_t, unsigned a, unsigned b, float sum)
{
    return dot2(__builtin_bit_cast(half2_t, a), __builtin_bit_cast(half2_t, b), sum);
}

/* The same of bf16 pairs: the upper halves of f32 numbers. */
__device__ __forceinline__ float dot2(bf16_t, unsigned a, unsigned b, float sum)
{
#if INDEXER_HAS_DOT2_BF16
    return __builtin_amdgcn_fdot2_f32_bf16(__builtin_bit_cast(bf16x2_t, a), __builtin_bit_cast(bf16x2_t, b), sum, false);
#else
    const float low = __builtin_fmaf(__builtin_bit_cast(float, a << 16), __builtin_bit_cast(float, b << 16), sum);
    return __builtin_fmaf(__builtin_bit_cast(float, a & 0xffff0000u), __builtin_bit_cast(float, b & 0xffff0000u), low);
#endif
}

/* 16 bytes of a key. Where bf16 pairs are widened, the optimiser must not see that they are the same for all heads: it
 * would widen whole keys ahead, into registers that are not there. */
template <typename NUMBER> __device__ __forceinline__ uint4_t part_of_key(uint4_t part)
{
    if constexpr (__is_same(NUMBER, bf16_t) && !INDEXER_HAS_DOT2_BF16)
        asm volatile("" : "+v"(part));
    return part;
}

template <typename NUMBER> struct dot2_chain {
    using number = NUMBER;
    static constexpr int lanes = lanes_of_wave, n_parts = lanes / side;
    static constexpr int n_vectors = width * sizeof(number) / sizeof(uint4_t);
    struct keys_t {
        uint4_t of[n_vectors];
    };

    static __device__ __forceinline__ keys_t load(const number *row, int)
    {
        keys_t keys;
#pragma unroll
        for (int v = 0; v < n_vectors; v++)
            keys.of[v] = ((const uint4_t *)row)[v];
        return keys;
    }
    /* The parts read neighbouring rows of q, which start in different banks. */
    static __device__ __forceinline__ int token(int e, int part)
    {
        return n_parts * e + part;
    }
    /* 16 bytes of each token's q are read while those before are multiplied; barriers hold the compiler to that order,
     * which would else read far ahead, or not at all. */
    template <int N_TILES, int N_SUMS>
    static __device__ __forceinline__ void dots(const number (&q)[side][stride], const keys_t (&keys)[N_TILES], int,
                                                int part, float (&sums)[N_TILES][N_SUMS])
    {
        uint4_t own[2][N_SUMS];
        read(q, 0, part, own[0]);
#pragma unroll
        for (int v = 0; v < n_vectors; v++) {
            if (v + 1 < n_vectors)
                read(q, v + 1, part, own[(v + 1) % 2]);
            uint4_t key[N_TILES];
#pragma unroll
            for (int i = 0; i < N_TILES; i++)
                key[i] = part_of_key<number>(keys[i].of[v]);
            __builtin_amdgcn_sched_barrier(0);
#pragma unroll
            for (int pair = 0; pair < 4; pair++)
#pragma unroll
                for (int e = 0; e < N_SUMS; e++)
#pragma unroll
                    for (int i = 0; i < N_TILES; i++)
                        sums[i][e] = dot2(number(), own[v % 2][e][pair], key[i][pair], sums[i][e]);
            __builtin_amdgcn_sched_barrier(0);
        }
    }
    template <int N_SUMS>
    static __device__ __forceinline__ void read(const number (&q)[side][stride], int v, int part, uint4_t (&own)[N_SUMS])
    {
#pragma unroll
        for (int e = 0; e < N_SUMS; e++)
            own[e] = ((const uint4_t *)q[token(e, part)])[v];
    }
};

} // namespace

INDEXER_SCORES(indexer_scores_f16, dot2_chain<half_t>)
INDEXER_SCORES(indexer_scores_bf16, dot2_chain<bf16_t>)
