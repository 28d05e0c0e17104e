/*
 * tf_exl3_linear_kB_wV: f16 rows (from rot_in) times a trellis-coded W, the output rotation, the scale and svh. B/2 bits a
 * weight, V waves of 32 lanes a block; f32 or bf16 out.
 *
 * A row's sums are one chain of dot2 steps a wave and column, then the waves' sums in rising order: no step depends on how
 * many rows share the launch.
 */
#ifndef KERNELS_EXL3_LINEAR_H
#define KERNELS_EXL3_LINEAR_H

#include "../dot2.h"
#include "rotation.h"

namespace
{

constexpr int tile = 16;         /* rows and columns of a trellis tile */
constexpr int rows_of_pass = 16; /* rows that share one decode of W */
constexpr int rows_of_sum = 4;   /* rows whose partial sums are in LDS at once */

/* What a lane reads of one tile: 32 weights of BITS bits, which are all 16 rows of the columns j and j + 8 (j = lane % 8).
 */
template <int BITS> struct tile_words {
    unsigned word[BITS];
};

/* The word before the lane's own in the tile's ring of 8 * BITS words: the last one of the lane before it among its 8. */
__device__ __forceinline__ unsigned word_before(unsigned last_word)
{
#if defined(__GFX9__)
    const unsigned lane = threadIdx.x % __builtin_amdgcn_wavefrontsize();
    return __builtin_amdgcn_ds_bpermute(((lane & ~7u) | ((lane + 7) & 7)) * 4, last_word);
#else
    constexpr unsigned rotate = 7 | 0 << 3 | 1 << 6 | 2 << 9 | 3 << 12 | 4 << 15 | 5 << 18 | 6 << 21;
    return __builtin_amdgcn_mov_dpp8(last_word, rotate);
#endif
}

/* The 16-bit window that ends at bit END of the ring, where ring[0] is the word before the lane's own; words are read from
 * the most significant bit down. */
template <int BITS> __device__ __forceinline__ unsigned window_ending_at(const unsigned (&ring)[BITS + 1], int end)
{
#if defined(EXL3_FAULT_WINDOW)
    end -= 1;
#endif
    const int last = (end - 1) / 32, shift = 32 * (last + 1) - end;
    const unsigned low = ring[last];
    if (shift <= 16)
        return (low >> shift) & 0xffff;
    return __builtin_amdgcn_alignbit(ring[last - 1], low, shift) & 0xffff;
}

/* Codebook mul1, two weights at once: the four bytes of window * 0x83DCD12D are summed into the mantissa of an f16 1024,
 * and an f16 fma maps 1024 + sum to the weight. */
__device__ __forceinline__ half2_t codebook(unsigned window0, unsigned window1)
{
    const unsigned sum0 = __builtin_amdgcn_sad_u8(window0 * 0x83DCD12Du, 0, 0x64006400u);
    const unsigned both = __builtin_amdgcn_sad_hi_u8(window1 * 0x83DCD12Du, 0, sum0);
    const half2_t scale = __builtin_bit_cast(half2_t, 0x1EEE1EEEu), offset = __builtin_bit_cast(half2_t, 0xC931C931u);
    return __builtin_elementwise_fma(__builtin_bit_cast(half2_t, both), scale, offset);
}

/* pair[c][p]: weights of column j + 8c, k pair p in the order of the chain: rows 2m,2m+1 then 2m+8,2m+9 for m = 0 ... 3. */
template <int BITS> __device__ __forceinline__ void decode(const tile_words<BITS> &words, half2_t (&pair)[2][8])
{
    unsigned ring[BITS + 1];
    ring[0] = word_before(words.word[BITS - 1]);
#pragma unroll
    for (int i = 0; i < BITS; i++)
        ring[i + 1] = words.word[i];
#pragma unroll
    for (int t = 0; t < 32; t += 2) {
        const int m = t / 8, e = t % 8;
        pair[e / 4][2 * m + (e / 2) % 2] =
            codebook(window_ending_at<BITS>(ring, 32 + (t + 1) * BITS), window_ending_at<BITS>(ring, 32 + (t + 2) * BITS));
    }
}

/* The k pair of the 16 rows of a tile that stands at place p of a chain. */
__device__ constexpr int k_pair(int p)
{
    return p / 2 + 4 * (p % 2);
}

template <int BITS, int ROWS> struct lane_sums {
    float of[ROWS][2][2]; /* row, half of the group's 8 tiles, column j or j + 8 */
};

/* The logical wave's tile rows [first, last) times ROWS rows of x from `row` on; rows past n_rows repeat the last. */
template <int BITS, int ROWS>
__device__ __forceinline__ void accumulate(const half2_t *__restrict__ x, const unsigned *__restrict__ w, int row,
                                           int n_rows, int k, int n, int strips, int first, int last,
                                           lane_sums<BITS, ROWS> &sums)
{
    constexpr int words_of_tile = 8 * BITS, words_of_block = group / tile * words_of_tile;
    const int lane = threadIdx.x % wave;
    const size_t words_of_tile_row = strips ? words_of_block : (size_t)(n / tile) * words_of_tile;
    const size_t block = strips ? (size_t)blockIdx.x * (k / tile) * words_of_block : (size_t)blockIdx.x * words_of_block;
    const unsigned *own = w + block + lane / 8 * words_of_tile + lane % 8 * BITS;
    auto load = [&](int kt, int half) {
        return *(const tile_words<BITS> *)(own + kt * words_of_tile_row + half * 4 * words_of_tile);
    };
    tile_words<BITS> next[2] = {load(first, 0), load(first, 1)};
    for (int kt = first; kt < last; kt++) {
        half2_t pair[2][2][8];
        decode<BITS>(next[0], pair[0]);
        decode<BITS>(next[1], pair[1]);
        const int ahead = kt + 1 < last ? kt + 1 : kt;
        next[0] = load(ahead, 0);
        next[1] = load(ahead, 1);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            if (r > 0 && r % rows_of_sum == 0) /* keeps the scalar loads of 4 rows at a time in registers, not of all */
                __builtin_amdgcn_sched_barrier(0);
            const int from = row + r < n_rows ? row + r : n_rows - 1;
            const half2_t *__restrict__ xs = x + ((size_t)from * k + kt * tile) / 2;
#pragma unroll
            for (int i = 0; i < 8; i++) {
#if defined(EXL3_FAULT_ORDER)
                const int p = ROWS > 1 ? 7 - i : i;
#else
                const int p = i;
#endif
                const half2_t xp = xs[k_pair(p)];
#pragma unroll
                for (int s = 0; s < 4; s++)
                    sums.of[r][s / 2][s % 2] = dot2(pair[s / 2][s % 2][p], xp, sums.of[r][s / 2][s % 2]);
            }
        }
    }
}

__device__ __forceinline__ void store4(float *out, float4_t v)
{
    *(float4_t *)out = v;
}

__device__ __forceinline__ void store4(__bf16 *out, float4_t v)
{
    *(bfloat4_t *)out = __builtin_convertvector(v, bfloat4_t);
}

template <int WAVES> struct partial_sums {
    float of[WAVES][rows_of_sum][group];
};

/* Adds the waves' partial sums of one row in rising order, rotates, scales, applies svh and stores; by one logical wave. */
template <int WAVES, typename OUT>
__device__ __forceinline__ void finish_row(const partial_sums<WAVES> &partial, int r, int lane, half4_t svh, float scale,
                                           OUT *out)
{
    float4_t sum = *(const float4_t *)&partial.of[0][r][4 * lane];
#pragma unroll
    for (int v = 1; v < WAVES; v++)
        sum += *(const float4_t *)&partial.of[v][r][4 * lane];
    sum = hadamard128(sum, lane) * scale;
    store4(out + 4 * lane, sum * __builtin_convertvector(svh, float4_t));
}

template <int BITS, int ROWS, int WAVES, typename OUT>
__device__ __forceinline__ void linear_pass(const half2_t *__restrict__ x, const unsigned *__restrict__ w,
                                            const half4_t *__restrict__ svh, OUT *__restrict__ out, float scale, int row,
                                            int n_rows, int k, int n, int strips, partial_sums<WAVES> &partial)
{
    const int lane = threadIdx.x % wave;
    int own_wave = threadIdx.x / wave;
    if (__builtin_amdgcn_wavefrontsize() == wave) /* uniform then: lets x come through scalar loads */
        own_wave = __builtin_amdgcn_readfirstlane(own_wave);
    const int tile_rows = k / tile / WAVES;
    lane_sums<BITS, ROWS> sums = {};
    accumulate<BITS, ROWS>(x, w, row, n_rows, k, n, strips, own_wave * tile_rows, (own_wave + 1) * tile_rows, sums);
    const half4_t own_svh = svh[(size_t)blockIdx.x * wave + lane];
#pragma unroll
    for (int first = 0; first < ROWS; first += rows_of_sum) {
#if !defined(EXL3_FAULT_NO_REUSE_BARRIER)
        if (first > 0)
            __syncthreads();
#endif
#pragma unroll
        for (int r = first; r < ROWS && r < first + rows_of_sum; r++)
#pragma unroll
            for (int s = 0; s < 4; s++)
                partial.of[own_wave][r - first][(s / 2 * 4 + lane / 8) * tile + s % 2 * 8 + lane % 8] =
                    sums.of[r][s / 2][s % 2];
        __syncthreads();
        if (own_wave < rows_of_sum && first + own_wave < ROWS && row + first + own_wave < n_rows)
            finish_row<WAVES>(partial, own_wave, lane, own_svh, scale,
                              out + (size_t)(row + first + own_wave) * n + (size_t)blockIdx.x * group);
    }
}

/* x[rows][k] f16, w[k/16][n/16][8*BITS] words (strips: w[n/128][k/16][8][8*BITS]), svh[n] f16 -> out[rows][n]. One block:
 * 128 columns, up to 16 rows. The same chain of dot2 steps makes a row's sums however many rows share the pass. */
template <int BITS, int WAVES, typename OUT>
__device__ __forceinline__ void linear(const half2_t *__restrict__ x, const unsigned *__restrict__ w,
                                       const half4_t *__restrict__ svh, OUT *__restrict__ out, float scale, int rows, int k,
                                       int n, int strips)
{
    __shared__ partial_sums<WAVES> partial;
    const int row = blockIdx.y * rows_of_pass;
    const int left = rows - row;
    if (left <= 1)
        linear_pass<BITS, 1, WAVES>(x, w, svh, out, scale, row, rows, k, n, strips, partial);
    else if (left <= 4)
        linear_pass<BITS, 4, WAVES>(x, w, svh, out, scale, row, rows, k, n, strips, partial);
    else
        linear_pass<BITS, rows_of_pass, WAVES>(x, w, svh, out, scale, row, rows, k, n, strips, partial);
}

} // namespace

#define EXL3_LINEAR(symbol, bits, waves, OUT)                                                                              \
    extern "C" __global__ __launch_bounds__(waves *wave) void symbol(                                                      \
        const half2_t *__restrict__ x, const unsigned *__restrict__ w, const half4_t *__restrict__ svh,                    \
        OUT *__restrict__ out, float scale, int rows, int k, int n, int strips)                                            \
    {                                                                                                                      \
        linear<bits, waves>(x, w, svh, out, scale, rows, k, n, strips);                                                    \
    }

/* The four kernels of a width: kB is the kernels' name of it, twice the bits. */
#define EXL3_LINEARS(kB, bits)                                                                                             \
    EXL3_LINEAR(tf_exl3_linear_##kB##_w4, bits, 4, float)                                                                  \
    EXL3_LINEAR(tf_exl3_linear_##kB##_w8, bits, 8, float)                                                                  \
    EXL3_LINEAR(tf_exl3_linear_##kB##_w4_bf16, bits, 4, __bf16)                                                            \
    EXL3_LINEAR(tf_exl3_linear_##kB##_w8_bf16, bits, 8, __bf16)

#endif
