/*
 * C[M][N] = A[M][K] B[N][K]^T with bf16 factors, sums in f32 and C in f32 or bf16, in tiles of tile.h.
 *
 * A step's factors go from memory to registers while the step before is computed, and then to one of two stages in LDS.
 * When the sums are complete they take the stages' place, in the format of the output, and leave as vectors of it.
 * A, B and C are aligned to 16 bytes.
 *
 * MATH says how a block sums: `tile`, a thread's `sums_t`, add(stage, sums) for one step, and each(sums, f) that calls
 * f(row of the tile, column of the tile, sum). STORE says how C is written.
 */
#ifndef KERNELS_HGEMM_H
#define KERNELS_HGEMM_H

#include <hip/hip_runtime.h>

#include "../vectors.h"
#include "tile.h"

#pragma clang fp contract(off)

namespace
{

#define HGEMM_TILE(variant, threads, m, n, k) constexpr hgemm_tile tile_##variant = {threads, m, n, k};
HGEMM_TILES(HGEMM_TILE)
#undef HGEMM_TILE

#if defined(__gfx950__)
constexpr int lds_bytes_of_chip = 163840;
#else
constexpr int lds_bytes_of_chip = 65536;
#endif

constexpr int n_of_vector = HGEMM_VECTOR_BYTES / sizeof(bf16_t);

struct hgemm_problem {
    const bf16_t *__restrict__ a, *__restrict__ b;
    int m, n, k;
};

template <typename MATH> struct stage {
    static constexpr int row_elements = hgemm_row_bytes(MATH::tile.k, sizeof(bf16_t)) / sizeof(bf16_t);
    alignas(HGEMM_VECTOR_BYTES) bf16_t a[MATH::tile.m][row_elements], b[MATH::tile.n][row_elements];
};

template <typename MATH, typename OUT> union hgemm_lds {
    static constexpr int row_elements = hgemm_row_bytes(MATH::tile.n, sizeof(OUT)) / sizeof(OUT);
    stage<MATH> stages[2];
    alignas(HGEMM_VECTOR_BYTES) OUT c[MATH::tile.m][row_elements];
};

/* row[at] ... row[at + 7], 0 from `end` on. `whole`: rows start where a vector may, and end with one. */
__device__ __forceinline__ bf16x8_t load_factors(const bf16_t *row, int at, int end, bool whole)
{
    bf16x8_t v = {};
    if (whole)
        return at < end ? *(const bf16x8_t *)(row + at) : v;
    for (int i = 0; i < n_of_vector; i++)
        if (at + i < end)
            v[i] = row[at + i];
    return v;
}

/* One thread's vectors of a step's ROWS rows. Rows past the last are the last's again, whose sums nobody stores. */
template <typename MATH, int ROWS> struct staged_rows {
    static constexpr int vectors_of_row = MATH::tile.k / n_of_vector;
    static constexpr int n_vectors = ROWS * vectors_of_row / MATH::tile.threads;
    static_assert(n_vectors * MATH::tile.threads == ROWS * vectors_of_row);
    bf16x8_t of[n_vectors];

    static __device__ __forceinline__ int row(int i)
    {
        return (threadIdx.x + i * MATH::tile.threads) / vectors_of_row;
    }
    static __device__ __forceinline__ int at()
    {
        return threadIdx.x % vectors_of_row * n_of_vector;
    }
    __device__ __forceinline__ void load(const bf16_t *from, int first_row, int rows, int k, int k_first, int k_end)
    {
#pragma unroll
        for (int i = 0; i < n_vectors; i++)
            of[i] = load_factors(from + (size_t)min(first_row + row(i), rows - 1) * k, k_first + at(), k_end,
                                 k % n_of_vector == 0);
    }
    template <int STRIDE> __device__ __forceinline__ void store(bf16_t (&to)[ROWS][STRIDE]) const
    {
#pragma unroll
        for (int i = 0; i < n_vectors; i++)
            *(bf16x8_t *)&to[row(i)][at()] = of[i];
    }
};

template <typename MATH> struct step {
    staged_rows<MATH, MATH::tile.m> a;
    staged_rows<MATH, MATH::tile.n> b;

    __device__ __forceinline__ void load(const hgemm_problem &p, int k_first, int k_end)
    {
        a.load(p.a, blockIdx.y * MATH::tile.m, p.m, p.k, k_first, k_end);
        b.load(p.b, blockIdx.x * MATH::tile.n, p.n, p.k, k_first, k_end);
    }
    __device__ __forceinline__ void store(stage<MATH> &to) const
    {
        a.store(to.a);
        b.store(to.b);
    }
};

template <typename OUT> using out_vector = OUT __attribute__((ext_vector_type(HGEMM_VECTOR_BYTES / sizeof(OUT))));

struct store_c {
    template <typename OUT> static __device__ __forceinline__ void vector(OUT *to, out_vector<OUT> value)
    {
        *(out_vector<OUT> *)to = value;
    }
    template <typename OUT> static __device__ __forceinline__ void element(OUT *to, OUT value)
    {
        *to = value;
    }
};

/* A sum as it enters the tile of C. */
template <typename OUT> __device__ __forceinline__ OUT shuffled(float sum)
{
#if defined(HGEMM_FAULT_BF16_SUMS)
    return (OUT)(float)(__bf16)sum;
#elif defined(HGEMM_FAULT_F16_SUMS)
    return (OUT)(float)(_Float16)sum;
#else
    return (OUT)sum;
#endif
}

/* The block's tile of C from LDS, masked by C's last row and column. */
template <typename MATH, typename STORE, typename OUT>
__device__ __forceinline__ void store_tile(const hgemm_lds<MATH, OUT> &lds, const hgemm_problem &p, OUT *__restrict__ c)
{
    constexpr int n_of_store = HGEMM_VECTOR_BYTES / sizeof(OUT), stores_of_row = MATH::tile.n / n_of_store;
#if defined(HGEMM_FAULT_C_STRIDE)
    constexpr int stride = MATH::tile.n;
#else
    constexpr int stride = hgemm_lds<MATH, OUT>::row_elements;
#endif
#if defined(HGEMM_FAULT_TAIL_COLUMNS)
    const int n_stored = blockIdx.x * MATH::tile.n + MATH::tile.n;
#else
    const int n_stored = p.n;
#endif
    const bool whole = p.n % n_of_store == 0;
#pragma unroll
    for (int i = threadIdx.x; i < MATH::tile.m * stores_of_row; i += MATH::tile.threads) {
        const int of_tile = i / stores_of_row, at = i % stores_of_row * n_of_store;
        const int row = blockIdx.y * MATH::tile.m + of_tile, column = blockIdx.x * MATH::tile.n + at;
        if (row >= p.m || column >= n_stored)
            continue;
        const out_vector<OUT> value = *(const out_vector<OUT> *)(&lds.c[0][0] + of_tile * stride + at);
        OUT *to = c + (size_t)row * p.n + column;
        if (whole)
            STORE::vector(to, value);
        else
            for (int j = 0; j < n_of_store; j++)
                if (column + j < n_stored)
                    STORE::element(to + j, (OUT)value[j]);
    }
}

/* Tile (blockIdx.y, blockIdx.x) of C, of the products k_first <= k < k_end; k_first is a multiple of the tile's k. */
template <typename MATH, typename OUT, typename STORE = store_c>
__device__ __forceinline__ void hgemm(const hgemm_problem &p, int k_first, int k_end, OUT *__restrict__ c)
{
    __shared__ hgemm_lds<MATH, OUT> lds;
    static_assert(sizeof lds == hgemm_lds_bytes(MATH::tile, sizeof(OUT)));
    static_assert(sizeof lds <= lds_bytes_of_chip);
    typename MATH::sums_t sums = {};
    step<MATH> next;
    next.load(p, k_first, k_end);
#if defined(HGEMM_FAULT_K_TILE)
    k_end -= MATH::tile.k;
#endif
    for (int k = k_first, of = 0; k < k_end; k += MATH::tile.k, of ^= 1) {
        next.store(lds.stages[of]); /* last read before the barrier of the step before */
        __syncthreads();
        if (k + MATH::tile.k < k_end)
            next.load(p, k + MATH::tile.k, k_end);
        MATH::add(lds.stages[of], sums);
    }
#if !defined(HGEMM_FAULT_NO_TILE_BARRIER)
    __syncthreads();
#endif
    MATH::each(sums, [&](int row, int column, float sum) { lds.c[row][column] = shuffled<OUT>(sum); });
    __syncthreads();
    store_tile<MATH, STORE>(lds, p, c);
}

} // namespace

/* C[m][n] of all products. */
#define HGEMM(symbol, MATH, OUT)                                                                                           \
    extern "C" __global__ __launch_bounds__(MATH::tile.threads) void symbol(                                               \
        const bf16_t *__restrict__ a, const bf16_t *__restrict__ b, OUT *__restrict__ c, int m, int n, int k)              \
    {                                                                                                                      \
        hgemm<MATH, OUT>({a, b, m, n, k}, 0, k, c);                                                                        \
    }

/* partials[gridDim.z][m][n]: blockIdx.z has k_of_split of the products, a multiple of the tile's k. */
#define HGEMM_SPLIT(symbol, MATH, OUT)                                                                                     \
    extern "C" __global__ __launch_bounds__(MATH::tile.threads) void symbol(                                               \
        const bf16_t *__restrict__ a, const bf16_t *__restrict__ b, OUT *__restrict__ partials, int m, int n, int k,       \
        int k_of_split)                                                                                                    \
    {                                                                                                                      \
        const int k_first = blockIdx.z * k_of_split;                                                                       \
        hgemm<MATH, OUT>({a, b, m, n, k}, k_first, min(k, k_first + k_of_split), partials + (size_t)blockIdx.z * m * n);   \
    }

#endif
