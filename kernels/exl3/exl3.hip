/*
 * EXL3 projection for decode rows: y = H128( H128(x . suh) W ) . svh, in two kernels.
 *
 *   tf_exl3_rot_in*          rows of f32, f16 or bf16 times suh, rotated, scaled, rounded to f16.
 *   tf_exl3_linear_kB_wV*    f16 rows times a trellis-coded W, the output rotation, the scale and svh. B/2 bits a weight, V
 * waves of 32 lanes a block; f32 or bf16 out.
 *
 * H128 is the Sylvester Hadamard matrix over each aligned group of 128, by butterflies h = 1, 2, ... 64; the scale
 * (1/sqrt(128) in f32) is multiplied in afterwards. Work is laid out in logical waves of 32 lanes on every chip, so a
 * wave64 chip runs two of them in one wave and every result keeps its order of additions.
 */
#include "../lanes.h"

#pragma clang fp contract(off)

typedef _Float16 half2_t __attribute__((ext_vector_type(2)));
typedef _Float16 half4_t __attribute__((ext_vector_type(4)));
typedef __bf16 bfloat4_t __attribute__((ext_vector_type(4)));

namespace
{

constexpr int group = 128;       /* columns of one Hadamard group */
constexpr int tile = 16;         /* rows and columns of a trellis tile */
constexpr int rows_of_pass = 16; /* rows that share one decode of W */
constexpr int rows_of_sum = 4;   /* rows whose partial sums are in LDS at once */
constexpr int rot_in_threads = 128;

/* v_dot2_f32_f16 where the chip has it; elsewhere one fma a product, low half first. */
#if defined(__gfx900__) || defined(__gfx902__) || defined(__gfx909__) || defined(__gfx90c__) || defined(__gfx1010__) ||    \
    defined(__gfx1013__)
#define EXL3_HAS_DOT2 0
#else
#define EXL3_HAS_DOT2 1
#endif

__device__ __forceinline__ float dot2(half2_t a, half2_t b, float sum)
{
#if EXL3_HAS_DOT2
    return __builtin_amdgcn_fdot2(a, b, sum, false);
#else
    return __builtin_fmaf((float)a.y, (float)b.y, __builtin_fmaf((float)a.x, (float)b.x, sum));
#endif
}

/* One butterfly across lanes: the lower lane gets lower + upper, the upper one lower - upper. */
template <int MASK> __device__ __forceinline__ float4_t butterfly(float4_t v, int lane)
{
    const unsigned sign = lane & MASK ? 0x80000000u : 0u;
    float4_t out;
    for (int i = 0; i < 4; i++) {
        const float own = v[i]; /* a copy: clang's bit_cast of a vector's element takes the first one's bits */
        out[i] = lane_xor<MASK>(own) + __builtin_bit_cast(float, __builtin_bit_cast(unsigned, own) ^ sign);
    }
    return out;
}

/* H128 of the group whose columns 4*lane ... 4*lane+3 this lane holds: h = 1 and 2 in the lane, 4 to 64 across lanes. */
__device__ __forceinline__ float4_t hadamard128(float4_t v, int lane)
{
    v = float4_t{v[0] + v[1], v[0] - v[1], v[2] + v[3], v[2] - v[3]};
    v = float4_t{v[0] + v[2], v[1] + v[3], v[0] - v[2], v[1] - v[3]};
    v = butterfly<1>(v, lane);
    v = butterfly<2>(v, lane);
    v = butterfly<4>(v, lane);
    v = butterfly<8>(v, lane);
    return butterfly<16>(v, lane);
}

/* Hides a value from the optimiser, so that what made it and what follows stay two roundings. */
__device__ __forceinline__ float rounded_here(float value)
{
    asm volatile("" : "+v"(value));
    return value;
}

/* The product with the scale and the conversion to f16: two roundings. */
__device__ __forceinline__ _Float16 scaled_f16(float value, float scale)
{
#if defined(EXL3_FAULT_DIVIDE)
    return (_Float16)rounded_here(value / 11.3137085f);
#elif defined(EXL3_FAULT_FUSED)
    unsigned fused = 0;
    asm("v_fma_mixlo_f16 %0, %1, %2, 0" : "+v"(fused) : "v"(value), "v"(scale));
    return __builtin_bit_cast(half2_t, fused).x;
#else
    return (_Float16)rounded_here(value * scale);
#endif
}

/* One element of x times its suh. */
__device__ __forceinline__ float product(float x, float suh)
{
#if defined(EXL3_FAULT_F16_PRODUCT)
    return (float)(_Float16)rounded_here(x * suh);
#else
    return x * suh;
#endif
}

/* x[rows][k] . suh[k] -> H128 -> * scale -> f16. One logical wave a group of 128, one row of blocks a row of x. */
template <typename VECTOR>
__device__ __forceinline__ void rot_in(const VECTOR *__restrict__ x, const half4_t *__restrict__ suh,
                                       half4_t *__restrict__ out, float scale, int k)
{
    const int lane = threadIdx.x % wave;
    const unsigned groups_of_row = (unsigned)k / group;
    const unsigned g = blockIdx.x * (rot_in_threads / wave) + threadIdx.x / wave;
    if (g >= groups_of_row)
        return;
    const size_t from = ((size_t)blockIdx.y * groups_of_row + g) * wave + lane;
    const VECTOR in = x[from];
    const half4_t sign = suh[g * wave + lane];
    float4_t v;
    for (int i = 0; i < 4; i++)
        v[i] = product((float)in[i], (float)sign[i]);
    v = hadamard128(v, lane);
    half4_t result;
    for (int i = 0; i < 4; i++)
        result[i] = scaled_f16(v[i], scale);
    out[from] = result;
}

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
                                           int n_rows, int k, int n, int first, int last, lane_sums<BITS, ROWS> &sums)
{
    constexpr int words_of_tile = 8 * BITS;
    const int lane = threadIdx.x % wave;
    const size_t words_of_tile_row = (size_t)(n / tile) * words_of_tile;
    const unsigned *own = w + (size_t)(blockIdx.x * (group / tile) + lane / 8) * words_of_tile + lane % 8 * BITS;
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
                                            int n_rows, int k, int n, partial_sums<WAVES> &partial)
{
    const int lane = threadIdx.x % wave;
    int own_wave = threadIdx.x / wave;
    if (__builtin_amdgcn_wavefrontsize() == wave) /* uniform then: lets x come through scalar loads */
        own_wave = __builtin_amdgcn_readfirstlane(own_wave);
    const int tile_rows = k / tile / WAVES;
    lane_sums<BITS, ROWS> sums = {};
    accumulate<BITS, ROWS>(x, w, row, n_rows, k, n, own_wave * tile_rows, (own_wave + 1) * tile_rows, sums);
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

/* x[rows][k] f16 (from rot_in), w[k/16][n/16][8*BITS] words, svh[n] f16 -> out[rows][n]. One block: 128 columns, up to 16
 * rows. The same chain of dot2 steps makes a row's sums however many rows share the pass. */
template <int BITS, int WAVES, typename OUT>
__device__ __forceinline__ void linear(const half2_t *__restrict__ x, const unsigned *__restrict__ w,
                                       const half4_t *__restrict__ svh, OUT *__restrict__ out, float scale, int rows, int k,
                                       int n)
{
    __shared__ partial_sums<WAVES> partial;
    const int row = blockIdx.y * rows_of_pass;
    const int left = rows - row;
    if (left <= 1)
        linear_pass<BITS, 1, WAVES>(x, w, svh, out, scale, row, rows, k, n, partial);
    else if (left <= 4)
        linear_pass<BITS, 4, WAVES>(x, w, svh, out, scale, row, rows, k, n, partial);
    else
        linear_pass<BITS, rows_of_pass, WAVES>(x, w, svh, out, scale, row, rows, k, n, partial);
}

} // namespace

#define EXL3_ROT_IN(symbol, VECTOR)                                                                                        \
    extern "C" __global__ __launch_bounds__(rot_in_threads) void symbol(                                                   \
        const VECTOR *__restrict__ x, const half4_t *__restrict__ suh, half4_t *__restrict__ out, float scale, int k)      \
    {                                                                                                                      \
        rot_in(x, suh, out, scale, k);                                                                                     \
    }

EXL3_ROT_IN(tf_exl3_rot_in, float4_t)
EXL3_ROT_IN(tf_exl3_rot_in_f16, half4_t)
EXL3_ROT_IN(tf_exl3_rot_in_bf16, bfloat4_t)

#define EXL3_LINEAR(symbol, bits, waves, OUT)                                                                              \
    extern "C" __global__ __launch_bounds__(waves *wave) void symbol(                                                      \
        const half2_t *__restrict__ x, const unsigned *__restrict__ w, const half4_t *__restrict__ svh,                    \
        OUT *__restrict__ out, float scale, int rows, int k, int n)                                                        \
    {                                                                                                                      \
        linear<bits, waves>(x, w, svh, out, scale, rows, k, n);                                                            \
    }

EXL3_LINEAR(tf_exl3_linear_k8_w4, 4, 4, float)
EXL3_LINEAR(tf_exl3_linear_k8_w8, 4, 8, float)
EXL3_LINEAR(tf_exl3_linear_k8_w4_bf16, 4, 4, __bf16)
EXL3_LINEAR(tf_exl3_linear_k8_w8_bf16, 4, 8, __bf16)
