/*
 * From text to machine code and back: what mutants of code objects are made with.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "device/emulator/assemble.h"
#include "device/emulator/decode.h"

static void text_of_every_family_comes_back_from_its_machine_code(void **state)
{
    (void)state;
    static const struct {
        const char *chip, *text;
        uint32_t n_lanes;
    } cases[] = {
        {"gfx1030", "v_fma_f32 v0, -v1, v2, |v3|", 32},
        {"gfx1151", "v_dual_fmac_f32 v0, v1, v2 :: v_dual_mul_f32 v3, v4, v5", 32},
        {"gfx1151", "v_add_f16_e32 v1.h, v2.l, v3.h", 32},
        {"gfx1151", "s_cbranch_scc1 65530", 32},
        {"gfx1151", "s_and_saveexec_b64 s[0:1], vcc", 64},
        {"gfx1201", "s_barrier_wait 0xffff", 32},
        {"gfx90a", "global_load_dwordx4 v[0:3], v4, s[0:1] offset:16", 64},
        {"gfx942", "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]", 64},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct chip *chip = chip_find(cases[i].chip);
        struct assembler *assembler = assembler_open(chip, cases[i].n_lanes, NULL);
        struct disassembler *disassembler = disassembler_open(chip, cases[i].n_lanes, NULL);
        uint8_t bytes[ASSEMBLED_BYTES];
        char text[200];
        size_t size = assembler_one(assembler, cases[i].text, bytes);
        assert_int_equal(disassembler_next(disassembler, bytes, size, text, sizeof text), size);
        assert_string_equal(text, cases[i].text);
        disassembler_close(disassembler);
        assembler_close(assembler);
    }
}

/* LLVM would print its complaint and end the process. */
static void text_that_is_no_instruction_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"v_bogus v1",
                                        "v_add_f32_e32 v0, v1",
                                        "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5]",
                                        "s_nop 0\ns_nop 0",
                                        "s_nop 0; s_nop 0",
                                        ".fill 100",
                                        ""};
    struct assembler *assembler = assembler_open(chip_find("gfx1151"), 32, NULL);
    uint8_t bytes[ASSEMBLED_BYTES];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(assembler_one(assembler, texts[i], bytes), 0);
    assert_int_equal(assembler_one(assembler, "s_nop 0", bytes), 4);
    assembler_close(assembler);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_of_every_family_comes_back_from_its_machine_code),
        cmocka_unit_test(text_that_is_no_instruction_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
