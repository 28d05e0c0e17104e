/*
 * Small HIP kernels as anybody writes them: between them they use most of what a compiler makes of HIP. Each takes pointers,
 * then 32-bit scalars; tests/unit/test_everyday.c computes the same on the host. Contraction is off so that every float
 * operation is the one that is written.
 */
#include "tests/kernels/wave64.h"

#include <hip/hip_runtime.h>

#pragma clang fp contract(off)

#define KERNEL extern "C" __global__ __launch_bounds__(256) void

typedef _Float16 half_t;
typedef half_t half2_t __attribute__((ext_vector_type(2)));

static __device__ int global_index()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

KERNEL saxpy(const float *x, float *y, float a, int n)
{
    int i = global_index();
    if (i < n)
        y[i] = __builtin_fmaf(a, x[i], y[i]);
}

KERNEL transpose(const float *in, float *out, int rows, int columns)
{
    __shared__ float tile[32][33];
    int column = blockIdx.x * 32 + threadIdx.x;
    for (int j = threadIdx.y; j < 32; j += blockDim.y) {
        int row = blockIdx.y * 32 + j;
        if (row < rows && column < columns)
            tile[j][threadIdx.x] = in[row * columns + column];
    }
    __syncthreads();
    int out_column = blockIdx.y * 32 + threadIdx.x;
    for (int j = threadIdx.y; j < 32; j += blockDim.y) {
        int out_row = blockIdx.x * 32 + j;
        if (out_row < columns && out_column < rows)
            out[out_row * rows + out_column] = tile[threadIdx.x][j];
    }
}

/* Lanes by shuffles, then waves through LDS: a fixed tree of additions. */
KERNEL block_sum(const float *x, float *sums, int n)
{
    __shared__ float partial[8];
    int i = global_index();
    float sum = i < n ? x[i] : 0.0f;
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down(sum, step, 32);
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned w = 1; w < blockDim.x / 32; w++)
            sum += partial[w];
        sums[blockIdx.x] = sum;
    }
}

KERNEL inclusive_scan(const int *x, int *out, int n)
{
    __shared__ int buffer[2][256];
    int i = global_index(), t = threadIdx.x, from = 0;
    buffer[0][t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        buffer[1 - from][t] = buffer[from][t] + (t >= step ? buffer[from][t - step] : 0);
        from = 1 - from;
        __syncthreads();
    }
    if (i < n)
        out[i] = buffer[from][t];
}

KERNEL histogram(const unsigned char *x, unsigned *bins, int n)
{
    __shared__ unsigned local[64];
    if (threadIdx.x < 64)
        local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = global_index(); i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[x[i] & 63], 1u);
    __syncthreads();
    if (threadIdx.x < 64 && local[threadIdx.x])
        atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

/* Five points, with the halo in dynamic LDS. */
KERNEL stencil(const float *x, float *out, int n)
{
    extern __shared__ float tile[];
    int i = global_index(), t = threadIdx.x;
    for (int j = t; j < (int)blockDim.x + 4; j += blockDim.x) {
        int at = (int)(blockIdx.x * blockDim.x) + j - 2;
        tile[j] = at >= 0 && at < n ? x[at] : 0.0f;
    }
    __syncthreads();
    if (i < n)
        out[i] = (tile[t] - tile[t + 4]) * 0.25f + (tile[t + 1] + tile[t + 3]) - 2.0f * tile[t + 2];
}

/* Integer and half dot products of the chip. */
KERNEL dots(const int *a, const int *b, int *sum_signed, int *sum_mixed, float *sum_half, int n)
{
    int i = global_index();
    if (i >= n)
        return;
    half2_t p = __builtin_bit_cast(half2_t, a[i]), q = __builtin_bit_cast(half2_t, b[i]);
    sum_half[i] = __builtin_amdgcn_fdot2(p, q, sum_half[i], false);
#if defined(__GFX11__) || defined(__GFX12__)
    sum_signed[i] = __builtin_amdgcn_sudot4(true, a[i], true, b[i], sum_signed[i], false);
    sum_mixed[i] = __builtin_amdgcn_sudot4(false, a[i], true, b[i], sum_mixed[i], true);
#endif
}

KERNEL matrix_product(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float a_tile[16][16], b_tile[16][16];
    int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int k0 = 0; k0 < k; k0 += 16) {
        int ka = k0 + threadIdx.x, kb = k0 + threadIdx.y;
        a_tile[threadIdx.y][threadIdx.x] = row < m && ka < k ? a[row * k + ka] : 0;
        b_tile[threadIdx.y][threadIdx.x] = kb < k && column < n ? b[kb * n + column] : 0;
        __syncthreads();
        for (int j = 0; j < 16; j++)
            sum = __builtin_fmaf(a_tile[threadIdx.y][j], b_tile[j][threadIdx.x], sum);
        __syncthreads();
    }
    if (row < m && column < n)
        c[row * n + column] = sum;
}

KERNEL bit_tricks(const unsigned *x, const unsigned *y, unsigned *out, int n)
{
    int i = global_index();
    if (i >= n)
        return;
    unsigned a = x[i], b = y[i];
    unsigned *o = out + 12 * i;
    o[0] = __popc(a);
    o[1] = __clz(a);
    o[2] = __ffs(a);
    o[3] = __brev(a);
    o[4] = (a >> (b & 31)) | (a << (-b & 31));
    o[5] = __umulhi(a, b);
    o[6] = (unsigned)__mulhi((int)a, (int)b);
    o[7] = __builtin_amdgcn_alignbit(a, b, b & 31);
    o[8] = __builtin_amdgcn_perm(a, b, 0x05010600u);
    o[9] = __builtin_amdgcn_ubfe(a, b & 31, 7) ^ (unsigned)__builtin_amdgcn_sbfe((int)a, 5, 9);
    o[10] = (a & b) | (~a & 0x0f0f0f0fu);
    o[11] = __builtin_amdgcn_sad_u8(a, b, 100u) + __builtin_amdgcn_lerp(a, b, 0x01010101u);
}

KERNEL doubles(const double *x, const double *y, double *out, int n)
{
    int i = global_index();
    if (i >= n)
        return;
    double a = x[i], b = y[i];
    double *o = out + 10 * i;
    o[0] = a + b;
    o[1] = a * b - a;
    o[2] = a / b;
    o[3] = __builtin_sqrt(__builtin_fabs(a));
    o[4] = __builtin_fma(a, b, -a);
    o[5] = __builtin_floor(a) + __builtin_trunc(b) + __builtin_rint(a) + __builtin_ceil(b);
    o[6] = __builtin_fmin(a, b) - __builtin_fmax(a, b);
    o[7] = (double)(float)a + (double)(int)b + (double)(unsigned)__builtin_fabs(a);
    o[8] = a < b ? 1.0 / 3.0 : (a == b ? 2.5 : -a);
    o[9] = __builtin_ldexp(a, (int)b & 15);
}

__attribute__((noinline)) static __device__ int gcd(int a, int b)
{
    while (b) {
        int r = a % b;
        a = b;
        b = r;
    }
    return a;
}

__attribute__((noinline)) static __device__ long mix(long a, int b, const int *table, int index)
{
    return a * 31 + b - table[index & 7] + gcd(b, (index | 1));
}

__attribute__((noinline)) static __device__ int twice(int a)
{
    return 2 * a;
}

__attribute__((noinline)) static __device__ int negated(int a)
{
    return -a;
}

KERNEL function_calls(const int *x, const int *table, long *out, int n)
{
    int i = global_index();
    if (i >= n)
        return;
    int (*chosen)(int) = x[i] & 1 ? twice : negated;
    out[i] = mix(mix(x[i], i, table, i), x[i] & 1023, table, i + 3) + chosen(x[i] >> 8);
}

/* Sorts 16 values a lane in an array that needs an address, so it lies in scratch. */
KERNEL scratch_sort(const int *x, int *out, int n)
{
    int i = global_index();
    if (i >= n)
        return;
    int a[16];
    for (int j = 0; j < 16; j++)
        a[j] = x[16 * i + j];
    for (int j = 1; j < 16; j++) {
        int key = a[j], k = j - 1;
        while (k >= 0 && a[k] > key) {
            a[k + 1] = a[k];
            k--;
        }
        a[k + 1] = key;
    }
    for (int j = 0; j < 16; j++)
        out[16 * i + j] = a[j] + (a[a[j] & 15] & 1);
}

KERNEL shuffles(const int *x, int *out, int n)
{
    int i = global_index(), lane = threadIdx.x % 32;
    int v = i < n ? x[i] : 0;
    int *o = out + 10 * i;
    int up = __shfl_up(v, 3, 32), down = __shfl_down(v, 5, 32), other = __shfl_xor(v, 9, 32), any_lane = __shfl(v, v & 31, 32);
    unsigned long ballot = __ballot(v & 1);
    int all = __all(v > -1000000), any = __any(v == 77), first = __builtin_amdgcn_readfirstlane(v);
    int swizzled = __builtin_amdgcn_ds_swizzle(v, 0x041f);
    int quad = __builtin_amdgcn_update_dpp(-1, v, 0x1b, 0xf, 0xf, false);
    int shifted = __builtin_amdgcn_update_dpp(-1, v, 0x111, 0xf, 0x5, false);
    if (i < n) {
        o[0] = up;
        o[1] = down;
        o[2] = other;
        o[3] = any_lane;
        o[4] = (int)ballot;
        o[5] = all + 2 * any;
        o[6] = first;
        o[7] = swizzled;
        o[8] = quad;
        o[9] = shifted + __popcll(ballot & ((1ull << lane) - 1));
    }
}

KERNEL integers64(const long *x, const long *y, long *out, int n)
{
    int i = global_index();
    if (i >= n)
        return;
    long a = x[i], b = y[i] | 1;
    unsigned long ua = (unsigned long)a, ub = (unsigned long)b;
    long *o = out + 9 * i;
    o[0] = (long)(ua + ub);
    o[1] = (long)(ua * ub);
    o[2] = (a / 3) / b;
    o[3] = (a / 5) % b;
    o[4] = (long)(ua / ub);
    o[5] = (long)(ua << (b & 63)) ^ (a >> (b & 63)) ^ (long)(ua >> (a & 63));
    o[6] = a < b ? a : (ua < ub ? b : -a);
    o[7] = __popcll(ua) + __clzll(a) + __ffsll((unsigned long long)ua);
    o[8] = (long)__umul64hi(ua, ub);
}

KERNEL integers32(const int *x, const int *y, int *out, int n)
{
    int i = global_index();
    if (i >= n)
        return;
    int a = x[i], b = y[i] | 1;
    unsigned ua = (unsigned)a, ub = (unsigned)b;
    int *o = out + 9 * i;
    o[0] = (a / 2) / b;
    o[1] = (a / 2) % b;
    o[2] = (int)(ua / ub);
    o[3] = (int)(ua % ub);
    o[4] = min(a, b) ^ max(a, b);
    o[5] = (int)(min(ua, ub) + max(ua, ub) * 3u);
    o[6] = (int)((unsigned)abs(a >> 1) + ((ua << (b & 31)) ^ (unsigned)(a >> (b & 31)) ^ (ua >> (b & 31))));
    o[7] = (short)a * (short)b + (signed char)a + (unsigned char)b + (unsigned short)(a >> 8);
    o[8] = (int)((unsigned)min(max(a, -1000), 1000) + (ua & 0xffffff) * (ub & 0xffffff));
}

KERNEL halves(const half_t *x, const half_t *y, half_t *out, int n)
{
    int i = global_index();
    if (i >= n)
        return;
    half_t a = x[i], b = y[i];
    half2_t p = {a, b}, q = {b, (half_t)1.5f};
    half_t *o = out + 10 * i;
    half2_t product = p * q, sum = p + q, fused = __builtin_elementwise_fma(p, q, p);
    o[0] = a + b;
    o[1] = a * b - a;
    o[2] = (half_t)((float)a * (float)b);
    o[3] = product.x;
    o[4] = product.y;
    o[5] = sum.x - sum.y;
    o[6] = fused.x;
    o[7] = fused.y;
    o[8] = a < b ? a : (half_t)(int)((float)b * 0.25f);
    o[9] = __builtin_fmaf16(a, b, b);
}

KERNEL float_to_bf16(const float *x, __bf16 *out, float *back, int n)
{
    int i = global_index();
    if (i >= n)
        return;
    out[i] = (__bf16)x[i];
    back[i] = (float)out[i] * 3.0f;
}

/* A little interpreter: a switch in a data-dependent loop. */
KERNEL interpreter(const int *program, int *out, int n, int limit)
{
    int i = global_index();
    if (i >= n)
        return;
    int a = i, b = 1, steps = 0;
    for (int pc = 0; steps < limit; steps++) {
        int op = program[pc];
        pc = pc + 1;
        switch (op & 7) {
        case 0: a += b; break;
        case 1: b = (b * 3 + 1) & 0xffff; break;
        case 2: if (a & 1) pc += 1; break;
        case 3: a ^= b >> 2; break;
        case 4: if (a < 0) a = -a; break;
        case 5: pc = op >> 3; break;
        case 6: if (a % 7 == 3) goto done; break;
        default: a -= op; break;
        }
    }
done:
    out[2 * i] = a ^ b;
    out[2 * i + 1] = steps;
}

KERNEL floats(const float *x, const float *y, float *out, int n)
{
    int i = global_index();
    if (i >= n)
        return;
    float a = x[i], b = y[i];
    float *o = out + 10 * i;
    int exponent;
    o[0] = a / b;
    o[1] = __builtin_sqrtf(__builtin_fabsf(a));
    o[2] = a * b + a - b;
    o[3] = __builtin_floorf(a) + __builtin_truncf(b) + __builtin_rintf(a) + __builtin_ceilf(b);
    o[4] = __builtin_fminf(a, b) - __builtin_fmaxf(a, b);
    o[5] = (float)(int)(a * 100.0f) + (float)(unsigned)__builtin_fabsf(b) + (float)(unsigned char)((unsigned)i);
    o[6] = __builtin_ldexpf(a, (int)b & 7) + __builtin_copysignf(1.0f, b);
    o[7] = __builtin_frexpf(a, &exponent) + (float)exponent;
    o[8] = a != a ? 1.0f : (__builtin_isinf(b) ? 2.0f : (a > b ? a - b : b));
    o[9] = (float)((long)(a * 1048576.0f)) + (float)((unsigned long)i << 33);
}

/* The device library's functions: accurate to a few ulp, not to the bit. */
KERNEL functions(const float *x, float *out, double *out64, int n)
{
    int i = global_index();
    if (i >= n)
        return;
    float a = x[i];
    float *o = out + 8 * i;
    o[0] = expf(a);
    o[1] = logf(fabsf(a));
    o[2] = sinf(a);
    o[3] = cosf(a * 1000.0f);
    o[4] = rsqrtf(fabsf(a));
    o[5] = powf(fabsf(a), 1.7f);
    o[6] = tanhf(a);
    o[7] = exp2f(a);
    out64[3 * i] = sin((double)a * 3.0);
    out64[3 * i + 1] = exp((double)a);
    out64[3 * i + 2] = log((double)fabsf(a));
}

KERNEL atomics(const int *x, int *words, unsigned long *longs, float *reals, int *old, int n)
{
    int i = global_index();
    if (i >= n)
        return;
    int v = x[i];
    atomicAdd(&words[0], v);
    atomicSub(&words[1], v);
    atomicMin(&words[2], v);
    atomicMax(&words[3], v);
    atomicAnd(&words[4], v | 0xff);
    atomicOr(&words[5], v & 0xff0);
    atomicXor(&words[6], v);
    atomicAdd(&longs[0], (unsigned long long)v);
    atomicMax(&longs[1], (unsigned long long)(unsigned)v << 8);
    atomicAdd(&reals[0], (float)(v & 15));
    __builtin_amdgcn_atomic_inc32((__attribute__((address_space(1))) unsigned *)&words[7], 99u, __ATOMIC_RELAXED, "agent");
    int seen = words[8], expected;
    do { /* a sum by compare and swap */
        expected = seen;
        seen = atomicCAS(&words[8], expected, expected + (v & 255));
    } while (seen != expected);
    old[i] = atomicExch(&words[16 + i], v);
}

struct pair_t {
    int first;
    unsigned char small;
    short middle;
    double big;
};

/* Loads and stores of every width, a structure, and addresses that are only byte-aligned. */
KERNEL widths(const unsigned char *bytes, float4 *vectors, pair_t *pairs, short *shorts, int n)
{
    int i = global_index();
    if (i >= n)
        return;
    unsigned word;
    __builtin_memcpy(&word, bytes + 3 * i + 1, 4);
    float4 v = vectors[i];
    vectors[i] = make_float4(v.w, v.z + 1.0f, v.y, v.x * 2.0f);
    pair_t p = pairs[i];
    pairs[i] = {p.first + (int)(word & 0xffff), (unsigned char)(p.small + bytes[i]), (short)(p.middle * 3), p.big + (double)(signed char)bytes[i]};
    shorts[i] = (short)(shorts[i] - (short)(word >> 16));
}

/* Every coordinate of a three-dimensional launch, with a partial last block's bound. */
KERNEL coordinates(int *out, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < nx && y < ny && z < nz)
        out[(z * ny + y) * nx + x] =
            (int)(gridDim.x + 10 * gridDim.y + 100 * gridDim.z) * 1000 + (int)(blockDim.x * blockDim.y * blockDim.z) + x * y - z;
}

/* Lanes leave a loop at different times and meet again. */
KERNEL collatz(const int *x, int *out, int n)
{
    int i = global_index();
    if (i >= n)
        return;
    unsigned long v = (unsigned long)x[i];
    int steps = 0;
    while (v > 1) {
        v = v & 1 ? 3 * v + 1 : v / 2;
        if (++steps > 200)
            break;
    }
    out[i] = steps;
}
