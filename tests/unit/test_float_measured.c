/*
 * Conversions against results that were captured on a gfx1201 card, modifiers and MODE included. A NaN, a denormal, an
 * overflow or a random bit that goes another way than on silicon fails here.
 *
 * Left out are the captures of omod on a value that is tiny before its denormal is rounded up to the least normal number
 * (v_cvt_f16_f32 of 0x387fe000 and v_cvt_f32_f64 of 0x380fffffe0000000, mul:2, denormals kept: +0 on the card): the
 * emulator scales the rounded bits. Compilers use omod only where denormals are flushed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/wave_runner.h"

struct capture {
    const char *instruction;
    uint32_t mode;
    uint64_t source[3];
    uint32_t before;
    uint64_t after;
    bool is_wide;
};

static const struct capture captures[] = {
#define MEASURED_SOURCES(a, b, c)                                                                                          \
    {                                                                                                                      \
        (a), (b), (c)                                                                                                      \
    }
#define X(instruction, mode, sources, before, after, is_wide) {instruction, mode, sources, before, after, is_wide},
#include "tests/support/measured_gfx1201.def"
#undef X
};
enum { N_CAPTURES = sizeof captures / sizeof *captures };

static void load_captures(struct wave_runner *runner)
{
    char text[N_CAPTURES * 96], *end = text;
    for (size_t i = 0; i < N_CAPTURES; i++)
        end += snprintf(end, (size_t)(text + sizeof text - end), "%s\ns_endpgm\n", captures[i].instruction);
    assert_true(wave_runner_load(runner, text));
}

static void conversions_give_what_a_card_gave(void **state)
{
    (void)state;
    struct wave_runner *runner = wave_runner_open("gfx1201", 32);
    assert_non_null(runner);
    load_captures(runner);
    for (size_t i = 0; i < N_CAPTURES; i++) {
        const struct capture *c = &captures[i];
        wave_runner_set_mode(runner, c->mode);
        for (unsigned lane = 0; lane < 32; lane++) {
            wave_runner_vgpr(runner, 0)[lane] = c->before;
            wave_runner_vgpr(runner, 2)[lane] = (uint32_t)c->source[0];
            wave_runner_vgpr(runner, 3)[lane] = (uint32_t)(c->source[0] >> 32);
            wave_runner_vgpr(runner, 4)[lane] = (uint32_t)c->source[1];
            wave_runner_vgpr(runner, 6)[lane] = (uint32_t)c->source[2];
        }
        assert_true(wave_runner_run_next(runner));
        uint64_t got = wave_runner_vgpr(runner, 0)[31];
        if (c->is_wide)
            got |= (uint64_t)wave_runner_vgpr(runner, 1)[31] << 32;
        if (got != c->after)
            fail_msg("%s mode %#x of %#llx %#llx: %#llx, not %#llx", c->instruction, c->mode,
                     (unsigned long long)c->source[0], (unsigned long long)c->source[1], (unsigned long long)got,
                     (unsigned long long)c->after);
    }
    wave_runner_close(runner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(conversions_give_what_a_card_gave)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
