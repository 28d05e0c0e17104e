/* Vectors of the numbers that dot and matrix instructions take, for every family. */
#ifndef KERNELS_VECTORS_H
#define KERNELS_VECTORS_H

typedef _Float16 half_t;
typedef half_t half2_t __attribute__((ext_vector_type(2)));
typedef half_t half4_t __attribute__((ext_vector_type(4)));
typedef half_t half8_t __attribute__((ext_vector_type(8)));
typedef short bf16_t; /* its bits */
typedef short bf16x8_t __attribute__((ext_vector_type(8)));
typedef float float8_t __attribute__((ext_vector_type(8)));

#endif
