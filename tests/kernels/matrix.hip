/*
 * Matrix products as a kernel's author writes them, by the compiler's builtins of each chip: D = A B of 32 x 32 halves in one
 * wave. tests/unit/test_matrix_kernels.c computes the same on the host. Chips and waves without such builtins have no kernel here.
 */
#include <hip/hip_runtime.h>

#define KERNEL extern "C" __global__ __launch_bounds__(64) void

typedef _Float16 half_t;
typedef half_t half4_t __attribute__((ext_vector_type(4)));
typedef half_t half8_t __attribute__((ext_vector_type(8)));
typedef half_t half16_t __attribute__((ext_vector_type(16)));
typedef float float8_t __attribute__((ext_vector_type(8)));
typedef float float16_t __attribute__((ext_vector_type(16)));

enum { SIZE = 32 };

#if defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__)

/* Lane l holds row or column l % 32 and four k from 4 * (l / 32) on; four rows of D go from one half of the wave to the other. */
KERNEL multiply_halves(const half_t *a, const half_t *b, float *d)
{
    const int lane = threadIdx.x, index = lane % SIZE, part = lane / SIZE;
    float16_t sum = 0;
    for (int k = 0; k < SIZE; k += 8) {
        half4_t left, right;
        for (int i = 0; i < 4; i++) {
            left[i] = a[index * SIZE + k + 4 * part + i];
            right[i] = b[(k + 4 * part + i) * SIZE + index];
        }
        sum = __builtin_amdgcn_mfma_f32_32x32x8f16(left, right, sum, 0, 0, 0);
    }
    for (int i = 0; i < 16; i++)
        d[(8 * (i / 4) + 4 * part + i % 4) * SIZE + index] = sum[i];
}

#elif (defined(__GFX11__) || defined(__GFX12__)) && __AMDGCN_WAVEFRONT_SIZE == 32

/* A tile of 16 x 16; lane l has row or column l % 16. gfx12's halves of a wave share the k, gfx11's hold all of them. */
static __device__ float8_t multiply_tile(const half_t *a, const half_t *b, float8_t sum, int index, int part)
{
#if defined(__gfx1200__) || defined(__gfx1201__)
    half8_t left, right;
    for (int i = 0; i < 8; i++) {
        left[i] = a[index * SIZE + 8 * part + i];
        right[i] = b[(8 * part + i) * SIZE + index];
    }
    return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(left, right, sum);
#else
    half16_t left, right;
    for (int i = 0; i < 16; i++) {
        left[i] = a[index * SIZE + i];
        right[i] = b[i * SIZE + index];
    }
    return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(left, right, sum);
#endif
}

static __device__ int row_of(int i, int part)
{
#if defined(__gfx1200__) || defined(__gfx1201__)
    return 8 * part + i;
#else
    return 2 * i + part;
#endif
}

KERNEL multiply_halves(const half_t *a, const half_t *b, float *d)
{
    const int index = threadIdx.x % 16, part = threadIdx.x / 16;
    for (int row = 0; row < SIZE; row += 16) {
        for (int column = 0; column < SIZE; column += 16) {
            float8_t sum = 0;
            for (int k = 0; k < SIZE; k += 16)
                sum = multiply_tile(a + row * SIZE + k, b + k * SIZE + column, sum, index, part);
            for (int i = 0; i < 8; i++)
                d[(row + row_of(i, part)) * SIZE + column + index] = sum[i];
        }
    }
}

#endif
