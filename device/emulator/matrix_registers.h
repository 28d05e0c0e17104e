/*
 * The elements of a matrix operand, read from registers by its layout.
 */
#ifndef EMULATOR_MATRIX_REGISTERS_H
#define EMULATOR_MATRIX_REGISTERS_H

#include "device/emulator/lanes.h"
#include "device/emulator/matrix_shape.h"

/* Element number `element` of `bits` bits of a lane; elements may cross registers. */
static inline uint32_t matrix_element(const struct wave *wave, unsigned first_row, unsigned bits, unsigned element,
                                      unsigned lane)
{
    const uint32_t(*rows)[WAVE_LANES] = (const uint32_t(*)[WAVE_LANES])vgpr_row(wave, first_row);
    return lane_field(rows, lane, element * bits, bits);
}

struct matrix_source {
    unsigned first_row, bits;
    struct matrix_layout layout;
};

/* A of one block, [m][k]. */
static inline void matrix_read_left(const struct wave *wave, const struct matrix_shape *s,
                                    const struct matrix_source *source, unsigned block, uint32_t *a)
{
    for (unsigned k = 0; k < s->k; k++) {
        struct matrix_place place = matrix_place(&source->layout, k, block);
        for (unsigned i = 0; i < s->m; i++)
            a[i * s->k + k] = matrix_element(wave, source->first_row, source->bits, place.element, place.lane + i);
    }
}

/* B of one block, [k][n]; lane_of: where each lane's elements come from, NULL for itself. */
static inline void matrix_read_right(const struct wave *wave, const struct matrix_shape *s,
                                     const struct matrix_source *source, unsigned block, const uint8_t *lane_of,
                                     uint32_t *b)
{
    for (unsigned k = 0; k < s->k; k++) {
        struct matrix_place place = matrix_place(&source->layout, k, block);
        for (unsigned j = 0; j < s->n; j++) {
            unsigned lane = lane_of ? lane_of[place.lane + j] : place.lane + j;
            b[k * s->n + j] = matrix_element(wave, source->first_row, source->bits, place.element, lane);
        }
    }
}

/* The k of each kept factor of a sparse A: two of every four consecutive k are kept, each with two bits that say which.
 * They lie in the lane of the factor, two bits for each of its elements from bit `first` on. kept: [m][k / 2]; s->k counts
 * the kept ones. */
static inline void matrix_read_kept(const struct matrix_shape *s, const struct matrix_source *source, const uint32_t *index,
                                    unsigned first, uint8_t *kept)
{
    for (unsigned k = 0; k < s->k; k++) {
        struct matrix_place place = matrix_place(&source->layout, k, 0);
        for (unsigned i = 0; i < s->m; i++)
            kept[i * s->k + k] = (uint8_t)(k / 2 * 4 + (index[place.lane + i] >> (first + 2 * place.element) & 3));
    }
}

/* The rows of B, [k][n], that the kept factors of one row of A meet: [k / 2][n]. */
static inline void matrix_pick_rows(const struct matrix_shape *s, const uint8_t *kept, const uint32_t *b, uint32_t *picked)
{
    for (unsigned k = 0; k < s->k; k++)
        memcpy(picked + k * s->n, b + kept[k] * s->n, s->n * sizeof *b);
}

#endif
