/*
 * Live registers: programs whose counts follow by hand from what each instruction reads and writes, and kernels that hold a
 * known number of values. Every kernel of the tree is held to what its compiler allocated in test_second_opinion.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/emulator/liveness.h"
#include "device/emulator/sanitizer/flow.h"
#include "tests/support/object_code.h"
#include "tests/support/wave_runner.h"
#include "toolchain/toolchain.h"

/* What is live at each instruction: before it or after it, whichever is more, what it writes included. The wave starts with
 * v0 … v2 and all scalar registers. */
static const struct program {
    const char *what, *chip;
    uint32_t n_lanes;
    enum register_file file;
    const char *text;
    const char *counts; /* of each instruction, from the first */
} programs[] = {
    {"a value is live from its write to its last read", "gfx1151", 32, FILE_VGPR,
     "v_mov_b32 v3, 1\n"                 /* v0, v3 */
     "v_add_nc_u32 v4, v0, v3\n"         /* v0, v3 | v4, v3 */
     "global_store_b32 v4, v3, s[0:1]\n" /* v4, v3 */
     "s_endpgm",
     "2 2 2 0"},
    {"so is a scalar one", "gfx1151", 32, FILE_SGPR,
     "s_load_b64 s[4:5], s[0:1], 0x0\n" /* s0 s1 | s4 s5 */
     "s_add_u32 s4, s4, 8\n"            /* s4 s5 */
     "s_addc_u32 s5, s5, 0\n"           /* VCC and SCC are no allocator's */
     "v_mov_b32 v1, 0\n"                /* s4 s5 */
     "global_store_b32 v1, v1, s[4:5]\n"
     "s_endpgm",
     "2 2 2 2 2 0"},
    {"a result that nobody reads takes its register where it is written", "gfx1151", 32, FILE_VGPR,
     "v_mov_b32 v3, 1\n" /* v3, v0 */
     "v_mov_b32 v3, 2\n"
     "global_store_b32 v0, v3, s[0:1]\n"
     "s_endpgm",
     "2 2 2 0"},
    {"a wide load takes all its registers, and keeps those that are read", "gfx1151", 32, FILE_VGPR,
     "global_load_b128 v[4:7], v0, s[0:1]\n" /* v4 … v7, v0 */
     "v_add_f32 v5, v5, v5\n"                /* v5, v0 */
     "global_store_b32 v0, v5, s[0:1]\n"
     "s_endpgm",
     "5 2 2 0"},
    {"what a loop reads is live around it", "gfx1151", 32, FILE_VGPR,
     "v_mov_b32 v3, 0\n" /* v3, v0, v1 */
     "again:\n"
     "v_add_f32 v3, v3, v1\n" /* v3, v0, v1 */
     "s_sub_u32 s4, s4, 1\n"
     "s_cmp_lg_u32 s4, 0\n"
     "s_cbranch_scc1 again\n"            /* v1 still: it may be read again */
     "global_store_b32 v0, v3, s[0:1]\n" /* v0, v3 */
     "s_endpgm",
     "3 3 3 3 3 2 0"},
    {"either side of a branch counts where it is", "gfx1151", 32, FILE_VGPR,
     "s_cbranch_scc1 other\n" /* v0, v1: the other side reads v1 */
     "v_mov_b32 v3, 2\n"      /* v0, v3 */
     "s_branch join\n"
     "other:\n"
     "v_mov_b32 v4, 1\n" /* v0, v1, v4 */
     "v_add_f32 v3, v1, v4\n"
     "join:\n"
     "global_store_b32 v0, v3, s[0:1]\n"
     "s_endpgm",
     "2 2 2 3 3 2 0"},
    {"lanes that EXEC keeps off keep their value without a branch", "gfx1151", 32, FILE_VGPR,
     "v_mov_b32 v3, 5\n"               /* v0, v1, v3 */
     "v_cmp_eq_u32 vcc_lo, 0, v1\n"    /* v0, v1, v3 */
     "s_and_saveexec_b32 s4, vcc_lo\n" /* v0, v3: the way past the next line */
     "v_mov_b32 v3, 7\n"               /* v0, v3 */
     "s_or_b32 exec_lo, exec_lo, s4\n"
     "global_store_b32 v0, v3, s[0:1]\n"
     "s_endpgm",
     "3 3 2 2 2 2 0"},
    {"and so do those of the other side", "gfx1151", 32, FILE_VGPR,
     "v_mov_b32 v4, 1\n"                /* v0, v4 */
     "s_and_saveexec_b32 s4, vcc_lo\n"  /* v0, v4 */
     "v_mov_b32 v3, 5\n"                /* v0, v4, v3 */
     "s_and_not1_saveexec_b32 s4, s4\n" /* v0, v4, v3: the other side reads v4 */
     "v_mov_b32 v3, v4\n"               /* v0, v4 | v0, v3 */
     "s_or_b32 exec_lo, exec_lo, s4\n"  /* v0, v3 */
     "global_store_b32 v0, v3, s[0:1]\n"
     "s_endpgm",
     "2 2 3 3 2 2 2 0"},
    {"a whole write that EXEC does not narrow ends the old value", "gfx1151", 32, FILE_VGPR,
     "v_mov_b32 v3, 5\n" /* dead, beside v0 */
     "v_mov_b32 v4, 6\n" /* v0, v4 */
     "v_mov_b32 v3, v4\n"
     "global_store_b32 v0, v3, s[0:1]\n"
     "s_endpgm",
     "2 2 2 2 0"},
    {"a register is written half by half", "gfx1151", 32, FILE_VGPR,
     "v_mov_b32 v3, v1\n"     /* v0, v1 | v0, v1, v3: the high half is kept */
     "v_mov_b16 v3.l, v1.l\n" /* v0, v3, v1 */
     "global_store_b32 v0, v3, s[0:1]\n"
     "s_endpgm",
     "3 3 2 0"},
    {"halves that nobody wrote take no register", "gfx1151", 32, FILE_VGPR,
     "v_mov_b32 v4, v1\n"     /* v0, v4 */
     "v_mov_b16 v3.l, v4.l\n" /* v0, v4, v3 */
     "v_mov_b16 v3.h, v4.h\n" /* v0, v3, v4 */
     "global_store_b32 v0, v3, s[0:1]\n"
     "s_endpgm",
     "2 3 3 2 0"},
    {"a written lane keeps the others", "gfx1151", 32, FILE_VGPR,
     "v_mov_b32 v3, 0\n" /* v0, v3 */
     "v_writelane_b32 v3, s4, 1\n"
     "global_store_b32 v0, v3, s[0:1]\n"
     "s_endpgm",
     "2 2 2 0"},
    {"DPP keeps lanes that have no source lane", "gfx1151", 32, FILE_VGPR,
     "v_mov_b32 v3, 0\n"                                           /* v0, v1, v3 */
     "v_mov_b32_dpp v3, v1 row_shr:1 row_mask:0xf bank_mask:0xf\n" /* v3 is kept in lane 0 of each row */
     "global_store_b32 v0, v3, s[0:1]\n"
     "s_endpgm",
     "3 3 2 0"},
    {"and none where every lane has one", "gfx1151", 32, FILE_VGPR,
     "v_mov_b32 v4, 0\n"                                           /* v0, v1, v4 */
     "v_mov_b32_dpp v4, v1 row_ror:1 row_mask:0xf bank_mask:0xf\n" /* v0, v1 | v0, v4 */
     "global_store_b32 v0, v4, s[0:1]\n"
     "s_endpgm",
     "3 2 2 0"},
    {"both halves of a dual instruction count", "gfx1151", 32, FILE_VGPR,
     "v_dual_mov_b32 v3, v1 :: v_dual_mov_b32 v4, v2\n" /* v0, v1, v2 | v0, v3, v4 */
     "v_add_f32 v3, v3, v4\n"
     "global_store_b32 v0, v3, s[0:1]\n"
     "s_endpgm",
     "3 3 2 0"},
    {"a mask is two scalar registers of a wave64", "gfx90a", 64, FILE_SGPR,
     "v_cmp_eq_u32 s[6:7], v0, v1\n" /* s0 s1 s6 s7 */
     "v_cndmask_b32 v2, v0, v1, s[6:7]\n"
     "global_store_dword v0, v2, s[0:1]\n" /* s0 s1 */
     "s_endpgm",
     "4 4 2 0"},
    {"and one of a wave32", "gfx1151", 32, FILE_SGPR,
     "v_cmp_eq_u32 s6, v0, v1\n"
     "v_cndmask_b32 v2, v0, v1, s6\n"
     "global_store_b32 v0, v2, s[0:1]\n"
     "s_endpgm",
     "3 3 2 0"},
    {"accumulation registers are a file of their own", "gfx90a", 64, FILE_AGPR,
     "v_accvgpr_write_b32 a0, 0\n"
     "v_accvgpr_write_b32 a1, 0\n"
     "v_accvgpr_write_b32 a2, 0\n"
     "v_accvgpr_write_b32 a3, 0\n"
     "v_mfma_f32_16x16x16f16 a[0:3], v[0:1], v[0:1], a[0:3]\n"
     "v_accvgpr_read_b32 v1, a2\n" /* a2 alone */
     "global_store_dword v0, v1, s[0:1]\n"
     "s_endpgm",
     "1 2 3 4 4 1 0 0"},
};

static bool decode_text(const char *chip, uint32_t n_lanes, const char *text, struct emulated_code *code)
{
    uint8_t *bytes;
    size_t n_bytes;
    struct error error;
    if (!wave_runner_assemble(chip, n_lanes, text, &bytes, &n_bytes))
        return false;
    bool ok = code_decode(chip_find(chip), n_lanes, bytes, n_bytes, 0, n_bytes, code, &error);
    free(bytes);
    return ok;
}

static void check_program(const struct program *program)
{
    struct emulated_code code;
    struct liveness liveness;
    char counts[100] = "";
    assert_true(decode_text(program->chip, program->n_lanes, program->text, &code));
    assert_true(liveness_make(&code, &liveness));
    for (uint32_t i = 0; i < code.n_instructions; i++)
        snprintf(counts + strlen(counts), sizeof counts - strlen(counts), "%s%u", i ? " " : "",
                 liveness.at[i].n[program->file]);
    if (strcmp(counts, program->counts) != 0)
        fail_msg("%s: %s of %s, not %s", program->what, counts, register_file_name(program->file), program->counts);
    assert_null(liveness.incomplete);
    liveness_free(&liveness);
    code_free(&code);
}

static void counts_follow_from_reads_and_writes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        check_program(&programs[i]);
}

/* The loop's product is written in two places on the way to the store; the nearer one, in the loop, is named. */
static void values_are_of_their_nearest_writer(void **state)
{
    (void)state;
    static const char text[] = "v_mov_b32 v3, 0\n"
                               "again:\n"
                               "v_add_f32 v3, v3, v1\n"
                               "s_sub_u32 s4, s4, 1\n"
                               "s_cmp_lg_u32 s4, 0\n"
                               "s_cbranch_scc1 again\n"
                               "global_store_b32 v0, v3, s[0:1]\n"
                               "s_endpgm";
    struct emulated_code code;
    struct liveness liveness;
    struct live_value values[FLOW_PLACES];
    assert_true(decode_text("gfx1151", 32, text, &code));
    assert_true(liveness_make(&code, &liveness));
    assert_int_equal(liveness_values(&liveness, 5, FILE_VGPR, values), 2);
    assert_int_equal(values[0].place, 0);
    assert_int_equal(values[0].writer, NO_INSTRUCTION);
    assert_int_equal(values[1].place, 3);
    assert_int_equal(values[1].writer, 1);
    assert_int_equal(liveness_values(&liveness, 0, FILE_VGPR, values), 3); /* after the write: v0, v1, v3 */
    assert_int_equal(values[2].writer, 0);
    assert_int_equal(liveness.peak[FILE_VGPR], 0);
    assert_int_equal(liveness.peak[FILE_AGPR], NO_INSTRUCTION);
    liveness_free(&liveness);
    code_free(&code);
}

static const char *why_incomplete(const char *chip, uint32_t n_lanes, const char *text)
{
    struct emulated_code code;
    struct liveness liveness;
    assert_true(decode_text(chip, n_lanes, text, &code));
    assert_true(liveness_make(&code, &liveness));
    const char *why = liveness.incomplete;
    liveness_free(&liveness);
    code_free(&code);
    return why;
}

static void lower_bounds_say_so(void **state)
{
    (void)state;
    assert_string_equal(why_incomplete("gfx1151", 32, "s_getpc_b64 s[0:1]\n s_swappc_b64 s[4:5], s[0:1]\n s_endpgm"),
                        "it calls functions, whose registers are not counted");
    assert_string_equal(why_incomplete("gfx1151", 32, "v_movrels_b32 v3, v0\n s_endpgm"), "it picks registers by index");
    assert_string_equal(
        why_incomplete("gfx90a", 64,
                       "s_set_gpr_idx_on s0, gpr_idx(SRC0)\n v_mov_b32 v1, v0\n s_set_gpr_idx_off\n s_endpgm"),
        "it picks registers by index");
    assert_string_equal(why_incomplete("gfx1151", 32, ".long 0xffffffff\n s_endpgm"),
                        "it has instructions that the emulator does not know");
}

/* One kernel of a code object. */
struct wanted_kernel {
    const char *name;
    struct live_counts peak;
    bool found;
};

static struct live_counts peak_of(const struct emulated_code *code)
{
    struct liveness liveness;
    struct live_counts peak = {0};
    assert_true(liveness_make(code, &liveness));
    for (int file = 0; file < REGISTER_FILE_COUNT; file++)
        if (liveness.peak[file] != NO_INSTRUCTION)
            peak.n[file] = liveness.at[liveness.peak[file]].n[file];
    liveness_free(&liveness);
    return peak;
}

static void note_kernel(void *context, const char *function, const struct emulated_code *code)
{
    struct wanted_kernel *wanted = context;
    if (strcmp(function, wanted->name) != 0)
        return;
    wanted->found = true;
    wanted->peak = peak_of(code);
}

static struct live_counts peak_of_kernel(const struct compiled *compiled, const char *name)
{
    struct error error;
    struct wanted_kernel wanted = {.name = name};
    if (!object_code_visit(compiled->bytes, compiled->n_bytes, 0, note_kernel, &wanted, &error))
        fail_msg("%s", error.text);
    assert_true(wanted.found);
    return wanted.peak;
}

static struct compiled compile(struct toolchain *toolchain, const char *source, const char *family, const char *chip)
{
    struct error error;
    struct compiled compiled = {0};
    struct compile_request request = {.source_path = source, .family = family, .chip = chip};
    if (!toolchain_compile(toolchain, &request, &compiled, &error))
        fail_msg("%s", error.text);
    return compiled;
}

static int open_compiler(void **state)
{
    struct error error;
    *state = toolchain_open(NULL, &error);
    if (!*state)
        print_error("%s\n", error.text);
    return *state ? 0 : -1;
}

static int close_compiler(void **state)
{
    toolchain_close(*state);
    return 0;
}

/* N values, and the work-item's offset: v0 times their bytes. Of scalars the most are live before the last is loaded: N - 1
 * values, and the pointers to input and output. */
static void kernels_hold_as_many_as_they_say(void **state)
{
    static const char *const chips[] = {"gfx1030", "gfx1100", "gfx1151", "gfx1201", "gfx90a", "gfx942", "gfx950"};
    for (size_t c = 0; c < sizeof chips / sizeof *chips; c++) {
        struct compiled compiled = compile(*state, "tests/kernels/pressure.hip", "pressure", chips[c]);
        assert_int_equal(peak_of_kernel(&compiled, "hold_40").n[FILE_VGPR], 40 + 1);
        assert_int_equal(peak_of_kernel(&compiled, "hold_96").n[FILE_VGPR], 96 + 1);
        assert_int_equal(peak_of_kernel(&compiled, "hold_scalars_60").n[FILE_SGPR], 59 + 2 + 2);
        compiled_free(&compiled);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_follow_from_reads_and_writes),
        cmocka_unit_test(values_are_of_their_nearest_writer),
        cmocka_unit_test(lower_bounds_say_so),
        cmocka_unit_test(kernels_hold_as_many_as_they_say),
    };
    return cmocka_run_group_tests(tests, open_compiler, close_compiler);
}
