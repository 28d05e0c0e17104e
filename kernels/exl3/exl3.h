/* What the files of the exl3 family share. */
#ifndef KERNELS_EXL3_H
#define KERNELS_EXL3_H

#include "contract/registry.h"
#include "reference/exl3.h"
#include "reference/exl3_trellis.h"

#define EXL3_SHAPE_NOTE "K and N are multiples of 128 (whole Hadamard groups): no odd or ragged width exists"

enum { EXL3_GROUP = HADAMARD_SIZE };

/* Weights of an exllamav3 checkpoint. */
extern const struct reg_weights exl3_linear_weights, exl3_rot_in_weights;

/* Arguments in the order of a kernel's parameters. */
static inline struct reg_arg exl3_tensor_arg(int tensor)
{
    return (struct reg_arg){.kind = REG_ARG_TENSOR, .tensor = tensor};
}

static inline struct reg_arg exl3_int_arg(int64_t value)
{
    return (struct reg_arg){.kind = REG_ARG_I32, .integer = value};
}

static inline struct reg_arg exl3_scale_arg(void)
{
    return (struct reg_arg){.kind = REG_ARG_F32, .real = EXL3_SCALE};
}

/* The scale, an f32 below 2^-3, as what is beside the factors of a product. */
#define EXL3_SCALE_UNIT (-27)

/* Tiles whose weights all have one sign, else random: 256 of them, from which many are drawn. */
enum { EXL3_POOL_TILES = 256 };
struct exl3_tile_pool {
    int bits;
    uint16_t tile[EXL3_POOL_TILES][16 * EXL3_MAX_BITS];
};
/* sign: +1 or -1. */
void exl3_tile_pool_fill(struct exl3_tile_pool *pool, struct random_key key, int bits, int sign);
/* The index-th draw of the key: exl3_tile_words(bits) words. */
void exl3_tile_pool_draw(const struct exl3_tile_pool *pool, struct random_key key, int64_t index, uint16_t *tile);

#endif
