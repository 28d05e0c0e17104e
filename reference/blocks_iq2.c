#include "reference/blocks_iq2.h"

#include "reference/format.h"

static const uint16_t grid[256] = {
#include "reference/iq2_xxs_grid.def"
};

static const int8_t magnitude_of_digit[] = {8, 25, 43};

void iq2_xxs_grid_point(int number, int8_t magnitudes[IQ2_XXS_RUN])
{
    for (int i = 0; i < IQ2_XXS_RUN; i++)
        magnitudes[i] = magnitude_of_digit[grid[number] >> 2 * i & 3];
}

int iq2_xxs_signs(int seven)
{
    return seven | __builtin_parity((unsigned)seven) << 7;
}

/* Word 0 or 1 of the 32 weights that the run is of. */
static uint32_t word_of(const struct block_iq2_xxs *block, int run, int which)
{
    const uint16_t *halves = &block->q[run / 4 * 4 + 2 * which];
    return halves[0] | (uint32_t)halves[1] << 16;
}

void iq2_xxs_run(const struct block_iq2_xxs *block, int run, int8_t q[IQ2_XXS_RUN])
{
    int at = run % 4, signs = iq2_xxs_signs(word_of(block, run, 1) >> 7 * at & 127);
    iq2_xxs_grid_point(word_of(block, run, 0) >> 8 * at & 255, q);
    for (int i = 0; i < IQ2_XXS_RUN; i++)
        if (signs >> i & 1)
            q[i] = (int8_t)-q[i];
}

double iq2_xxs_scale(const struct block_iq2_xxs *block, int run)
{
    uint32_t s = word_of(block, run, 1) >> 28;
    return format_load(FORMAT_F16, &block->scale, 0) * (2 * s + 1) / 8;
}
