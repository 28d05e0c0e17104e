/*
 * selftest_sums: out[row] = sum over j of x[row][j] w[j] in f32, a block of four waves or eight a row: thread t chains j =
 * t, t + threads, … by fused multiply-adds, and thread 0 adds the threads' sums in rising order. `hipcontract selftest`
 * runs it and its faults through every gate.
 */
#include <hip/hip_runtime.h>

static constexpr int threads = 256;

/* What a thread keeps of its chain. */
static __device__ float kept(float sum)
{
#if defined(SELFTEST_F16_SUMS)
    return (float)(_Float16)sum;
#else
    return sum;
#endif
}

static __device__ float result(float sum, int row, int rows)
{
#if defined(SELFTEST_HIDES_NAN)
    return sum != sum ? 0 : sum;
#elif defined(SELFTEST_LAST_WRONG)
    return row == rows - 1 ? sum * 1.01f : sum;
#elif defined(SELFTEST_FIXED_POINT)
    return __builtin_fabsf(sum) < 0x1p20f ? __builtin_rintf(sum * 0x1p22f) * 0x1p-22f : sum;
#else
    return sum;
#endif
}

/* The sum of all threads' sums, in thread 0. */
static __device__ float sum_of_block(float sum)
{
#if defined(SELFTEST_ANY_ORDER)
    __shared__ float total;
    if (threadIdx.x == 0)
        total = 0;
    __syncthreads();
    __hip_atomic_fetch_add(&total, sum, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    __syncthreads();
    return total;
#else
    __shared__ float part[threads];
    part[threadIdx.x] = kept(sum);
#if !defined(SELFTEST_NO_BARRIER)
    __syncthreads();
#endif
    if (threadIdx.x != 0)
        return 0;
    float total = part[0];
    for (int t = 1; t < threads; t++)
        total += part[t];
    return total;
#endif
}

extern "C" __global__ __launch_bounds__(threads) void selftest_sums(const float *x, const float *w, float *out, int n)
{
    const int row = blockIdx.x, rows = gridDim.x;
    const float *own = x + (size_t)row * n;
    float sum = 0;
    for (int j = threadIdx.x; j < n; j += threads)
        sum = __builtin_fmaf(own[j], w[j], sum);
    const float total = sum_of_block(sum);
    if (threadIdx.x != 0)
        return;
#if defined(SELFTEST_LAST_UNWRITTEN)
    if (row == rows - 1)
        return;
#endif
    out[row] = result(total, row, rows);
#if defined(SELFTEST_PAST_END)
    if (row == rows - 1)
        out[rows] = 0;
#elif defined(SELFTEST_WRITES_INPUT)
    const_cast<float *>(own)[0] = 0;
#endif
}
