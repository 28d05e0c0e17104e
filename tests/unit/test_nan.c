/*
 * The nan check: the instruction at which a NaN or infinity first appears that no operand held, with its operands; and no
 * note where one came with the inputs. It is a note: the launch succeeds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/wave_runner.h"

/* v1, v2 and v3 hold the same in every lane but lane 4, where they are a, b and c; v4 gets the result. */
static const struct nan_case {
    const char *chip;
    uint32_t n_lanes;
    const char *text;
    uint32_t a, b, c;
    const char *part; /* NULL: no note */
} cases[] = {
    {"gfx1151", 32, "v_mul_f32 v4, v1, v2", 0x7f000000, 0x7f000000, 0, "inf from 1.70141183e+38, 1.70141183e+38"},
    {"gfx1151", 32, "v_fma_f32 v4, v1, v2, v3", 0x7f000000, 0x40800000, 0, "inf from 1.70141183e+38, 4, 0"},
    {"gfx1151", 32, "v_rcp_f32 v4, v1", 0, 0, 0, "inf from 0"},
    {"gfx1151", 32, "v_sqrt_f32 v4, v1", 0xbf800000, 0, 0, "nan from -1"},
    {"gfx1151", 32, "v_mul_f32 v1, v1, v2", 0x7f000000, 0x40800000, 0, "inf from 1.70141183e+38, 4"},
    {"gfx1151", 32, "v_cvt_f16_f32 v4, v1", 0x47800000, 0, 0, "inf from 65536"},
    {"gfx1151", 32, "v_add_f32 v4, v1, v2", 0x7f800000, 0xff800000, 0, NULL}, /* inf - inf: the operands are special */
    {"gfx1151", 32, "v_add_f32 v4, v1, v2", 0x7fc00000, 0, 0, NULL},
    {"gfx1151", 32, "v_mov_b32 v4, 0x7f800000", 0, 0, 0, NULL},
    {"gfx1151", 32, "v_mul_f32 v4, v1, v2", 0x3f800000, 0x40000000, 0, NULL},
    {"gfx1151", 32, "v_add_nc_u32 v4, v1, v2", 0x7f7fffff, 1, 0, NULL},
    {"gfx1151", 32, "v_dual_mul_f32 v4, v1, v2 :: v_dual_mov_b32 v5, v0", 0x7f000000, 0x7f000000, 0, "inf from"},
    {"gfx90a", 64, "v_mul_f32 v4, v1, v2", 0x7f000000, 0x7f000000, 0, "lane 4: the wave's first"},
    {"gfx1151", 32, "v_cvt_f16_f32 v4, v1", 0x7f000000, 0, 0, "inf from 1.70141183e+38"},
    {"gfx1151", 32, "v_add_f16 v4.l, v1.l, v2.l", 0x7bff, 0x7bff, 0, "inf from 65504, 65504"},
    {"gfx1151", 32, "v_ldexp_f32 v4, v1, 4", 0x7f000000, 0, 0, "held: inf from 1.70141183e+38"},
    {"gfx90a", 64, "v_div_fixup_f16 v4, v1, v2, v3", 0x3c00, 0, 0x0001, "from 1, 0, 5.96046448e-08"},
    {"gfx950", 64, "v_cvt_scalef32_f32_fp8 v4, v1, v2", 0x7e, 0x7f000000, 0, "held: inf from 1.70141183e+38"},
    {"gfx90a", 64, "v_pk_mul_f16 v4, v1, v2", 0x7bff3c00, 0x40003c00, 0, "inf from"},
};

static void the_first_nan_is_noted_and_inherited_ones_are_not(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct nan_case *c = &cases[i];
        struct wave_runner *runner = wave_runner_open(c->chip, c->n_lanes);
        assert_non_null(runner);
        assert_true(wave_runner_watch(runner, CHECKS_BASIC | 1u << FINDING_NAN));
        for (unsigned lane = 0; lane < c->n_lanes; lane++)
            for (unsigned row = 1; row < 4; row++)
                wave_runner_vgpr(runner, row)[lane] = 0x3c003c00;
        const uint32_t odd[3] = {c->a, c->b, c->c};
        for (unsigned row = 1; row < 4; row++)
            wave_runner_vgpr(runner, row)[4] = odd[row - 1];
        bool clean = wave_runner_run(runner, c->text);
        if (c->part ? clean || !wave_runner_found(runner, FINDING_NAN, c->part) : !clean)
            fail_msg("%s: %s", c->chip, c->text);
        wave_runner_close(runner);
    }
}

static void a_wave_notes_once(void **state)
{
    (void)state;
    struct wave_runner *runner = wave_runner_open("gfx1151", 32);
    assert_true(wave_runner_watch(runner, 1u << FINDING_NAN));
    assert_false(wave_runner_run(runner, "v_rcp_f32 v4, v1\n v_rcp_f32 v5, v1"));
    assert_int_equal(runner->dispatch.n_findings, 1);
    wave_runner_close(runner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_nan_is_noted_and_inherited_ones_are_not),
        cmocka_unit_test(a_wave_notes_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
