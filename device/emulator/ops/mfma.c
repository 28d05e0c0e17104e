/*
 * MFMA of CDNA (CDNA3 ISA, "Matrix Arithmetic Instructions"; LLVM, VOP3PInstructions.td; modifiers as AMD's matrix
 * instruction calculator 1.3.2 gives them): operands to matrices, sums by the chip's rule, matrices to registers.
 * EXEC is taken to have no say (modelled). D may be the registers of a source: all is read before anything is written.
 */
#include "device/emulator/code.h"
#include "device/emulator/float_lanes.h"
#include "device/emulator/matrix_registers.h"
#include "device/emulator/matrix_rules.h"

enum { WAVE64 = 64 };

static struct matrix_layout factor_layout(const struct matrix_shape *s, unsigned extent, unsigned run)
{
    unsigned n_groups = WAVE64 / (extent * s->blocks);
    return (struct matrix_layout){.run = (uint8_t)run,
                                  .n_groups = (uint8_t)n_groups,
                                  .group_lanes = (uint8_t)(extent * s->blocks),
                                  .block_lanes = (uint8_t)extent};
}

/* Runs of four rows go from one group of lanes to the next, runs of one row of f64. The blocks of the smallest shapes lie
 * in lanes. */
static struct matrix_layout result_layout(const struct matrix_shape *s)
{
    bool in_lanes = s->m == 4;
    unsigned taken = in_lanes ? s->n * s->blocks : s->n;
    return (struct matrix_layout){.run = s->result == RESULT_F64 ? 1 : 4,
                                  .n_groups = (uint8_t)(WAVE64 / taken),
                                  .group_lanes = (uint8_t)taken,
                                  .block_lanes = in_lanes ? s->n : 0,
                                  .block_elements = in_lanes ? 0 : (uint8_t)(s->m * s->n / WAVE64)};
}

/* ---- what an instruction's fields change ---- */

/* cbsz and abid: block b of A is that of its group of 2^cbsz whose number is abid. */
static unsigned broadcast_block(const struct matrix_shape *s, const struct instruction *in, unsigned b)
{
    unsigned first = b >> in->cbsz << in->cbsz, block = first + in->abid;
    return s->blocks > 1 && block < s->blocks ? block : b;
}

/* blgp: the lane whose B lane `lane` takes. */
static unsigned permuted_lane(unsigned blgp, unsigned lane)
{
    switch (blgp) {
    case 0:
        return lane;
    case 1:
        return lane % 32;
    case 2:
        return lane % 32 + 32;
    case 3:
        return (lane + 16) % 64;
    default:
        return lane % 16 + 16 * (blgp - 4);
    }
}

/* gfx942 and later read it for f32 and for several blocks only; nobody for f64. */
static unsigned lane_permutation(const struct wave *wave, const struct matrix_shape *s, const struct instruction *in)
{
    bool everywhere = wave->chip->family == CHIP_CDNA1 || wave->chip->family == CHIP_CDNA2;
    bool read = s->a_format != FACTOR_F64 && (everywhere || s->blocks > 1 || s->a_format == FACTOR_F32);
    return read ? in->blgp : 0;
}

/* ---- registers to matrices ---- */

/* C, which may be an inline constant; all blocks, [block][m][n]. */
static void read_addend(struct wave *wave, const struct matrix_shape *s, const struct operand *c, uint32_t *to)
{
    const struct matrix_layout layout = result_layout(s);
    bool in_registers = c->kind == OPERAND_VGPR || c->kind == OPERAND_AGPR;
    uint32_t constant = in_registers ? 0 : scalar_read32(wave, c);
    for (unsigned row = 0; row < (unsigned)(s->blocks * s->m); row++) {
        struct matrix_place place = matrix_place(&layout, row % s->m, row / s->m);
        const uint32_t *lanes = in_registers ? vgpr_row(wave, operand_row(c) + place.element) + place.lane : NULL;
        for (unsigned j = 0; j < s->n; j++)
            to[row * s->n + j] = lanes ? lanes[j] : constant;
    }
}

static void write_result(struct wave *wave, const struct matrix_shape *s, const struct operand *d, const uint32_t *from)
{
    const struct matrix_layout layout = result_layout(s);
    for (unsigned row = 0; row < (unsigned)(s->blocks * s->m); row++) {
        struct matrix_place place = matrix_place(&layout, row % s->m, row / s->m);
        memcpy(vgpr_row(wave, operand_row(d) + place.element) + place.lane, from + row * s->n, s->n * sizeof *from);
    }
}

/* ---- rules ---- */

/* How the chip reads a factor's format. gfx942's 8-bit floats are FNUZ. */
static const struct small_format *format_on(const struct wave *wave, unsigned format)
{
    if (format == FACTOR_F32)
        return NULL;
    bool fnuz = wave->chip->family == CHIP_CDNA3;
    if (fnuz && format == FACTOR_FP8)
        format = FACTOR_FP8_FNUZ;
    if (fnuz && format == FACTOR_BF8)
        format = FACTOR_BF8_FNUZ;
    return factor_formats[format];
}

static void sum_floats(const struct wave *wave, const struct matrix_shape *s, struct matrix_factors a,
                       struct matrix_factors b, uint32_t *c)
{
    enum chip_family family = wave->chip->family;
    if (s->a_format == FACTOR_F32 || wave->dispatch->matrix_model == MATRIX_MODEL_IEEE)
        VARIANT(matrix_fma)(s, a, b, c);
    else if (family == CHIP_CDNA1 || family == CHIP_CDNA2)
        VARIANT(matrix_pairwise)(s, a, b, c, family == CHIP_CDNA2);
    else
        VARIANT(matrix_group)(s, a, b, c);
}

static void drop_low_bits(uint32_t *bits, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        bits[i] >>= 13;
}

/* One block: integers, or floats by the chip's rule. */
static void sum_block(const struct wave *wave, const struct matrix_shape *s, uint32_t *a, uint32_t *b,
                      const uint8_t *const scale[2], uint32_t *sum)
{
    if (s->a_format == FACTOR_XF32) {
        drop_low_bits(a, s->m * s->k);
        drop_low_bits(b, s->k * s->n);
    }
    if (s->result == RESULT_I32)
        VARIANT(matrix_integer)(s, a, b, sum, true, true, false);
    else
        sum_floats(wave, s, (struct matrix_factors){a, format_on(wave, s->a_format), scale[0]},
                   (struct matrix_factors){b, format_on(wave, s->b_format), scale[1]}, sum);
}

static const uint8_t *const unscaled[2] = {NULL, NULL};

/* s: the shape with the formats that the fields select; scale: of A and B, or NULL; blgp: lanes that B comes from. */
static void multiply(struct wave *wave, const struct instruction *in, const struct matrix_shape *s,
                     const struct matrix_source source[2], const uint8_t *const scale[2], unsigned blgp)
{
    alignas(64) uint32_t a[MATRIX_FACTORS], b[MATRIX_FACTORS], c[MATRIX_RESULTS];
    uint8_t lane_of[WAVE64];
    for (unsigned lane = 0; lane < WAVE64; lane++)
        lane_of[lane] = (uint8_t)permuted_lane(blgp, lane);
    read_addend(wave, s, &in->src[2], c);
    for (unsigned block = 0; block < s->blocks; block++) {
        uint32_t *sum = c + block * s->m * s->n;
        matrix_read_left(wave, s, &source[0], broadcast_block(s, in, block), a);
        matrix_read_right(wave, s, &source[1], block, lane_of, b);
        sum_block(wave, s, a, b, scale, sum);
    }
    write_result(wave, s, &in->dst[0], c);
}

static void mfma(struct wave *wave, const struct instruction *in, const struct matrix_shape *s)
{
    const unsigned a_run = s->k * s->m * s->blocks / WAVE64, b_run = s->k * s->n * s->blocks / WAVE64;
    const struct matrix_source source[2] = {
        {operand_row(&in->src[0]), factor_bits(s->a_format), factor_layout(s, s->m, a_run)},
        {operand_row(&in->src[1]), factor_bits(s->b_format), factor_layout(s, s->n, b_run)}};
    multiply(wave, in, s, source, unscaled, lane_permutation(wave, s, in));
}

/* ---- sparse A (gfx942, gfx950) ---- */

/* cbsz 0: abid picks the set of indices; else the first one counts (the calculator's manual). */
static unsigned first_index_bit(const struct instruction *in, unsigned n_elements)
{
    return in->cbsz ? 0 : in->abid * 2 * n_elements % 32;
}

/* Sums by the chip's rule of the kept products alone, in rising k (modelled). C is D. */
static void smfmac(struct wave *wave, const struct instruction *in, const struct matrix_shape *dense)
{
    alignas(64) uint32_t a[MATRIX_FACTORS], b[MATRIX_FACTORS], c[MATRIX_RESULTS], picked[MATRIX_FACTORS];
    uint8_t kept[MATRIX_FACTORS];
    struct matrix_shape s = *dense;
    s.k /= 2;
    const unsigned run = s.k * s.m / WAVE64;
    const struct matrix_source left = {operand_row(&in->src[0]), factor_bits(s.a_format), factor_layout(&s, s.m, run)};
    const struct matrix_source right = {operand_row(&in->src[1]), factor_bits(s.b_format), factor_layout(&s, s.n, 2 * run)};
    LANES32(index, 2);
    read_addend(wave, &s, &in->dst[0], c);
    matrix_read_left(wave, &s, &left, 0, a);
    matrix_read_right(wave, dense, &right, 0, NULL, b);
    matrix_read_kept(&s, &left, index, first_index_bit(in, run), kept);
    const unsigned m = s.m;
    s.m = 1;
    for (unsigned i = 0; i < m; i++) {
        matrix_pick_rows(&s, kept + i * s.k, b, picked);
        sum_block(wave, &s, a + i * s.k, picked, unscaled, c + i * s.n);
    }
    write_result(wave, dense, &in->dst[0], c);
}

/* ---- f64 ---- */

static uint64_t read_f64(const struct wave *wave, unsigned row, unsigned lane)
{
    return vgpr_row(wave, row)[lane] | (uint64_t)vgpr_row(wave, row + 1)[lane] << 32;
}

/* A lane holds one element of A and B. neg (in the bits of blgp) negates A, B and C; gfx90a has no such field. */
static void mfma_f64(struct wave *wave, const struct instruction *in, const struct matrix_shape *s)
{
    uint64_t a[64], b[64], c[256], sign[3];
    const struct matrix_layout factors = factor_layout(s, s->m, 1), results = result_layout(s);
    const unsigned a_row = operand_row(&in->src[0]), b_row = operand_row(&in->src[1]), c_row = operand_row(&in->src[2]);
    const bool in_registers = in->src[2].kind == OPERAND_VGPR || in->src[2].kind == OPERAND_AGPR;
    alignas(64) uint32_t low[4][WAVE_LANES], high[4][WAVE_LANES];
    for (int k = 0; k < 3; k++)
        sign[k] = (uint64_t)(in->neg_lo >> k & 1) << 63;
    for (unsigned block = 0; block < s->blocks; block++) {
        for (unsigned k = 0; k < s->k; k++) {
            unsigned lane = matrix_place(&factors, k, block).lane;
            for (unsigned i = 0; i < s->m; i++) {
                a[i * s->k + k] = read_f64(wave, a_row, lane + i) ^ sign[0];
                b[k * s->n + i] = read_f64(wave, b_row, lane + i) ^ sign[1];
            }
        }
        for (unsigned at = 0; at < (unsigned)(s->m * s->n); at++) {
            struct matrix_place place = matrix_place(&results, at / s->n, block);
            c[at] = sign[2] ^ (in_registers ? read_f64(wave, c_row + 2u * place.element, place.lane + at % s->n)
                                            : scalar_read64(wave, &in->src[2]));
        }
        VARIANT(matrix_fma_f64)(s, a, b, c);
        for (unsigned at = 0; at < (unsigned)(s->m * s->n); at++) {
            struct matrix_place place = matrix_place(&results, at / s->n, block);
            low[place.element][place.lane + at % s->n] = (uint32_t)c[at];
            high[place.element][place.lane + at % s->n] = (uint32_t)(c[at] >> 32);
        }
    }
    for (unsigned element = 0; element < (unsigned)(s->m * s->n * s->blocks) / WAVE64; element++) {
        memcpy(vgpr_row(wave, operand_row(&in->dst[0]) + 2 * element), low[element], sizeof low[element]);
        memcpy(vgpr_row(wave, operand_row(&in->dst[0]) + 2 * element + 1), high[element], sizeof high[element]);
    }
}

/* ---- formats and scales by field (gfx950) ---- */

/* cbsz and blgp name the formats of A and B: fp8, bf8, fp6, bf6, fp4. */
static unsigned narrow_format(unsigned field)
{
    static const uint8_t formats[] = {FACTOR_FP8, FACTOR_BF8, FACTOR_FP6, FACTOR_BF6, FACTOR_FP4};
    return field < sizeof formats ? formats[field] : FACTOR_FP4;
}

/* A lane's 32 elements: of 8-bit formats 16 consecutive k, and 16 more k / 2 further on; else 32 consecutive k. */
static struct matrix_source narrow_source(const struct matrix_shape *s, const struct operand *operand, unsigned extent,
                                          uint8_t format)
{
    return (struct matrix_source){operand_row(operand), factor_bits(format),
                                  factor_layout(s, extent, factor_bits(format) == 8 ? 16 : 32)};
}

/* The E8M0 bytes of src[k]: row or column i, block of 32 k by the group of lanes; op_sel and op_sel_hi pick the byte. */
static void read_scales(struct wave *wave, const struct instruction *in, int k, unsigned extent, uint8_t *scales)
{
    LANES32(lanes, k);
    const unsigned which = (unsigned)k - 3, n_blocks = WAVE64 / extent;
    const unsigned byte = (in->op_sel >> which & 1) + 2 * (in->op_sel_hi >> which & 1);
    for (unsigned i = 0; i < extent; i++)
        for (unsigned block = 0; block < n_blocks; block++)
            scales[i * n_blocks + block] = (uint8_t)(lanes[block * extent + i] >> 8 * byte);
}

static void mfma_narrow(struct wave *wave, const struct instruction *in, const struct matrix_shape *shape, bool scaled)
{
    struct matrix_shape s = *shape;
    uint8_t a_scales[64], b_scales[64];
    s.a_format = (uint8_t)narrow_format(in->cbsz);
    s.b_format = (uint8_t)narrow_format(in->blgp);
    const struct matrix_source source[2] = {narrow_source(&s, &in->src[0], s.m, s.a_format),
                                            narrow_source(&s, &in->src[1], s.n, s.b_format)};
    if (scaled) {
        read_scales(wave, in, 3, s.m, a_scales);
        read_scales(wave, in, 4, s.n, b_scales);
    }
    const uint8_t *const scale[2] = {scaled ? a_scales : NULL, scaled ? b_scales : NULL};
    multiply(wave, in, &s, source, scale, 0);
}

/* ---- handlers; no chip has them in wave32 ---- */

#define MFMA_HANDLER(name, function, ...)                                                                                  \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        static const struct matrix_shape shape = {__VA_ARGS__};                                                            \
        if (WAVE_LANES == WAVE64)                                                                                          \
            function;                                                                                                      \
        else                                                                                                               \
            instruction_unsupported(wave, in);                                                                             \
    }

#define MFMA(name, ...)        MFMA_HANDLER(name, mfma(wave, in, &shape), __VA_ARGS__)
#define SMFMAC(name, ...)      MFMA_HANDLER(name, smfmac(wave, in, &shape), __VA_ARGS__)
#define MFMA_F64(name, ...)    MFMA_HANDLER(name, mfma_f64(wave, in, &shape), __VA_ARGS__)
#define MFMA_NARROW(name, ...) MFMA_HANDLER(name, mfma_narrow(wave, in, &shape, false), __VA_ARGS__)
#define MFMA_SCALED(name, ...) MFMA_HANDLER(name, mfma_narrow(wave, in, &shape, true), __VA_ARGS__)
#include "device/emulator/mfma_shapes.def"
