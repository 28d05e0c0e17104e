/*
 * Metamorphic relations (struct reg_bytes) in the words that registrations use: members of a byte contract beside its shape
 * and fill. Tensors are given as bits 1 << tensor.
 */
#ifndef KERNELS_RELATIONS_H
#define KERNELS_RELATIONS_H

#include "contract/registry.h"

/* Sums in f32 of products of an element of each of `of_factors`; further members of struct reg_scaling follow. */
#define SCALE(of_name, of_inputs, of_outputs, of_factors, ...)                                                             \
    .name = "scale " of_name, .what = of_name " times a power of two gives outputs times it",                              \
    .scaling = &(const struct reg_scaling)                                                                                 \
    {                                                                                                                      \
        .inputs = (of_inputs), .outputs = (of_outputs), .factors = (of_factors), .sums = FORMAT_F32, __VA_ARGS__           \
    }

/* Dimension of_dim of the shape counts what is permuted; row_tensors, column_tensors and, where items are wider than one,
 * group follow. */
#define PERMUTE(of_name, of_dim, ...)                                                                                      \
    .name = "permute " of_name, .what = of_name " in another order give the same outputs in that order",                   \
    .permutation = &(const struct reg_permutation)                                                                         \
    {                                                                                                                      \
        .dim = (of_dim), __VA_ARGS__                                                                                       \
    }

/* The padded shape, and where zeros would add something the number that does not, follow. */
#define PAD(of_name, ...)                                                                                                  \
    .name = "pad " of_name, .what = of_name " that add nothing change no output", .padding = &(const struct reg_padding)   \
    {                                                                                                                      \
        __VA_ARGS__                                                                                                        \
    }

/* What a weight of blocks is a product of: an f16 scale, a multiple of 2^-24 below 2^16, and an integer of 8 bits. */
#define BESIDE_BLOCKS .beside_unit = -24, .beside_log = 24

#endif
