/* Eight tiles of EXL3's codebook mul1 at once: a vector holds the same weight of neighbouring tiles. */
#include "reference/exl3_trellis.h"
#include "reference/lanes/vector.h"

/* The tiles' streams side by side, their last words before the first, so that every window lies in two neighbouring rows.
 */
struct rings {
    uint32_t word[EXL3_TILE_WEIGHTS * EXL3_MAX_BITS / 32 + 1][LANES_TILES];
};

static void fill_rings(struct rings *rings, const uint16_t *tiles, int bits)
{
    int n_words = exl3_tile_words(bits) / 2;
    for (int tile = 0; tile < LANES_TILES; tile++)
        for (int i = 0; i < n_words; i++)
            memcpy(&rings->word[i + 1][tile], tiles + 2 * (tile * n_words + i), sizeof(uint32_t));
    memcpy(rings->word[0], rings->word[n_words], sizeof rings->word[0]);
}

static inline u32s load_words(const uint32_t *from)
{
    u32s v;
    memcpy(&v, from, sizeof v);
    return v;
}

/* The 16 bits that end `end` bits after the first ring word. */
static inline u32s window(const struct rings *rings, int end, int tile)
{
    unsigned last = ((unsigned)end - 1) / 32, below = -(unsigned)end % 32; /* below: 0 to 31 bits of the last word */
    u32s high = load_words(&rings->word[last][tile]), low = load_words(&rings->word[last + 1][tile]);
    return ((high << 1 << (31 - below)) | low >> below) & 0xffff;
}

static inline u32s byte_sum(u32s window)
{
    u32s x = window * UINT32_C(0x83DCD12D);
    u32s pairs = (x & 0x00ff00ff) + (x >> 8 & 0x00ff00ff);
    return (pairs & 0xffff) + (pairs >> 16);
}

/* exl3_weight_of_byte_sum: in units of 2^-18 the fma is an integer below 2^20, which f32 holds; its fraction is rounded to
 * f16's 10 bits, nearest, ties to even. None is 0 or so small as to be subnormal in f16. */
static inline f64s weight_of_byte_sum(u32s sum)
{
    i32s exact = (i32s)((1024 + sum) * 1774) - 1329 * (1 << 11);
    u32s bits = (u32s) __builtin_convertvector(exact, f32s);
    u32s rounded = (bits + 0xfff + (bits >> 13 & 1)) & ~UINT32_C(0x1fff);
    return __builtin_convertvector((f32s)rounded, f64s) * 0x1p-18;
}

/* The eight weights that stand together: t = 8 q + e, where q alone and e alone say how far the place is. */
static inline void decode_eight(const struct rings *rings, int bits, int q, double *to)
{
#pragma GCC unroll 8
    for (int e = 0; e < 8; e++) {
        double *own = to + (e % 2 + 8 * (e / 2 % 2)) * LANES_GROUP + 8 * (e / 4) * LANES_TILES;
        for (int tile = 0; tile < LANES_TILES; tile += N_LANES)
            store(own + tile, weight_of_byte_sum(byte_sum(window(rings, (8 * q + e + 1) * bits, tile))));
    }
}

void AT_LEVEL(decode)(const uint16_t *tiles, int bits, double *slice)
{
    struct rings rings;
    fill_rings(&rings, tiles, bits);
    for (int q = 0; q < EXL3_TILE_WEIGHTS / 8; q++)
        decode_eight(&rings, bits, q, slice + q % 4 * 2 * LANES_GROUP + q / 4 * LANES_TILES);
}
