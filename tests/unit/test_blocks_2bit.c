/* Blocks of two-bit weights: weights derived by hand from bytes, and grid points as they are published. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "reference/blocks_iq2.h"
#include "reference/blocks_q2k.h"

/* ggml-common.h, iq2xxs_grid: the first weight is the lowest byte. */
static const struct published {
    int number;
    uint64_t bytes;
} published[] = {
    {0, 0x0808080808080808},   {1, 0x080808080808082b},   {2, 0x0808080808081919},   {3, 0x0808080808082b08},
    {4, 0x0808080808082b2b},   {5, 0x0808080808190819},   {58, 0x08082b0808080808},  {79, 0x081908082b190808},
    {92, 0x08191908082b1919},  {97, 0x0819192b08080808},  {107, 0x08192b2b19190819}, {108, 0x082b080808080808},
    {131, 0x082b2b2b19081908}, {148, 0x190808192b080808}, {209, 0x192b2b081908082b}, {210, 0x2b08080808080808},
    {230, 0x2b08192b192b0808}, {247, 0x2b192b19082b0808}, {254, 0x2b2b2b0819190808}, {255, 0x2b2b2b1908081908},
};

static uint64_t bytes_of(const int8_t magnitudes[IQ2_XXS_RUN])
{
    uint64_t bytes = 0;
    for (int i = 0; i < IQ2_XXS_RUN; i++)
        bytes |= (uint64_t)(uint8_t)magnitudes[i] << 8 * i;
    return bytes;
}

static void grid_points_are_those_published(void **state)
{
    (void)state;
    int8_t point[IQ2_XXS_RUN];
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        iq2_xxs_grid_point(published[i].number, point);
        if (bytes_of(point) != published[i].bytes)
            fail_msg("grid point %d: %#llx", published[i].number, (unsigned long long)bytes_of(point));
    }
}

/* The published table rises, so that no point is there twice. */
static void grid_points_rise(void **state)
{
    (void)state;
    int8_t point[IQ2_XXS_RUN];
    uint64_t before = 0;
    for (int i = 0; i < 256; i++) {
        iq2_xxs_grid_point(i, point);
        assert_true(bytes_of(point) > before);
        before = bytes_of(point);
    }
}

/* ggml-common.h, ksigns_iq2xs: the first sixteen, and the last. */
static void signs_are_those_published(void **state)
{
    (void)state;
    static const int first[] = {0, 129, 130, 3, 132, 5, 6, 135, 136, 9, 10, 139, 12, 141, 142, 15};
    for (int i = 0; i < 16; i++)
        assert_int_equal(iq2_xxs_signs(i), first[i]);
    assert_int_equal(iq2_xxs_signs(96), 96);
    assert_int_equal(iq2_xxs_signs(127), 255);
}

/* Points 0, 1, 255, 2; signs of weight 0 (and so of 7), of 0 and 1, of all seven (and so of 7), of none; s = 3: times 7
 * / 8. 8, 25 and 43 become 7, 21.875 and 37.625. */
static void an_iq2_xxs_block_has_its_weights(void **state)
{
    (void)state;
    static const double weights[4][8] = {
        {-7, 7, 7, 7, 7, 7, 7, -7},
        {-37.625, -7, 7, 7, 7, 7, 7, 7},
        {-7, -21.875, -7, -7, -21.875, -37.625, -37.625, -37.625},
        {21.875, 21.875, 7, 7, 7, 7, 7, 7},
    };
    const uint32_t numbers = 0x02ff0100, signs = 1 | 3 << 7 | 127 << 14 | UINT32_C(3) << 28;
    struct block_iq2_xxs block = {.scale = 0x3c00}; /* 1 */
    uint16_t *fifth = &block.q[4 * 5];              /* the fifth 32 after the first */
    fifth[0] = (uint16_t)numbers;
    fifth[1] = numbers >> 16;
    fifth[2] = (uint16_t)signs;
    fifth[3] = signs >> 16;
    for (int run = 0; run < 4; run++) {
        int8_t q[IQ2_XXS_RUN];
        iq2_xxs_run(&block, 4 * 5 + run, q);
        for (int i = 0; i < IQ2_XXS_RUN; i++)
            assert_true(iq2_xxs_scale(&block, 4 * 5 + run) * q[i] == weights[run][i]);
    }
    assert_true(iq2_xxs_scale(&block, 0) == 0.125); /* s = 0 */
}

static double q2_k_weight(const struct block_q2_k *block, int k)
{
    return q2_k_scale(block, k) * q2_k_bits(block, k) - q2_k_minimum(block, k);
}

static void a_q2_k_block_has_its_weights(void **state)
{
    (void)state;
    struct block_q2_k block = {.scale = 0x3800, .minimum = 0x3400}; /* 1/2 and 1/4 */
    block.scales[0] = 0x21;
    block.scales[1] = 0x0f;
    block.scales[2] = 0x12;
    block.scales[9] = 0xf3;
    block.scales[15] = 0x01;
    block.q[0] = 0xe4; /* weights 0, 32, 64, 96: 0, 1, 2, 3 */
    block.q[16] = 0x03;
    block.q[32 + 16] = 0x1b;                             /* 144, 176, 208, 240: 3, 2, 1, 0 */
    block.q[63] = 0x40;                                  /* 255: 1 */
    assert_true(q2_k_weight(&block, 0) == -0.5);         /* 1/2 * 1 * 0 - 1/4 * 2 */
    assert_true(q2_k_weight(&block, 16) == 22.5);        /* 1/2 * 15 * 3 */
    assert_true(q2_k_weight(&block, 32) == 1 - 0.25);    /* 1/2 * 2 * 1 - 1/4 * 1 */
    assert_true(q2_k_weight(&block, 144) == 4.5 - 3.75); /* 1/2 * 3 * 3 - 1/4 * 15 */
    assert_true(q2_k_weight(&block, 255) == 0.5);        /* 1/2 * 1 * 1 */
    assert_int_equal(q2_k_bits(&block, 96), 3);
    assert_int_equal(q2_k_bits(&block, 176), 2);
    assert_int_equal(q2_k_bits(&block, 208), 1);
    assert_int_equal(q2_k_bits(&block, 240), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grid_points_are_those_published), cmocka_unit_test(grid_points_rise),
        cmocka_unit_test(signs_are_those_published),       cmocka_unit_test(an_iq2_xxs_block_has_its_weights),
        cmocka_unit_test(a_q2_k_block_has_its_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
