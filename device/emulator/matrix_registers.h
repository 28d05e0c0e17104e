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
    unsigned at = element * bits, row = first_row + at / 32, shift = at % 32;
    uint64_t word = vgpr_row(wave, row)[lane];
    if (shift + bits > 32)
        word |= (uint64_t)vgpr_row(wave, row + 1)[lane] << 32;
    return (uint32_t)(word >> shift & (UINT64_MAX >> (64 - bits)));
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

#endif
