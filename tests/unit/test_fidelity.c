/*
 * docs/fidelity.md: its tables are what the opcode table, LLVM and the gathered evidence give now; the walk over encodings
 * finds what it must; a grade says no more than the evidence does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "contract/base/file.h"
#include "contract/base/project.h"
#include "device/emulator/decode.h"
#include "tests/support/fidelity.h"

enum { LLVM_OF_THE_PAGE = 22 };

static char *read_project_file(const char *relative)
{
    char path[4096], *text;
    size_t n_bytes;
    struct error error;
    if (!project_path(relative, path, sizeof path, &error) || !file_read(path, &text, &n_bytes, &error))
        fail_msg("%s", error.text);
    return text;
}

static struct evidence_table read_evidence(const char *relative)
{
    char path[4096];
    struct evidence_table table;
    struct error error;
    if (!project_path(relative, path, sizeof path, &error) || !evidence_table_read(path, &table, &error))
        fail_msg("%s", error.text);
    return table;
}

/* The instruction sets, or a skipped test where this build's LLVM is not the page's. */
static struct fidelity *walked(void **state)
{
    if (disassembler_llvm_version() != LLVM_OF_THE_PAGE) {
        fprintf(stderr, "the page is made with LLVM %d, this build has %u\n", LLVM_OF_THE_PAGE,
                disassembler_llvm_version());
        skip();
    }
    return *state;
}

/* An opcode or a test that came or went must show on the page; `make fidelity` makes it anew. */
static void the_page_is_current(void **state)
{
    struct fidelity *fidelity = walked(state);
    struct error error;
    if (getenv("FIDELITY_IN_MAKING")) {
        fprintf(stderr, "the page is being made\n");
        skip();
    }
    struct evidence_table evidence = read_evidence("tests/fidelity/evidence.txt");
    fidelity_use(fidelity, &evidence);
    char *page = read_project_file("docs/fidelity.md"), *made = fidelity_page(fidelity, page, &error);
    if (!made)
        fail_msg("%s", error.text);
    size_t at = 0, line = 1;
    for (; made[at] && made[at] == page[at]; at++)
        line += made[at] == '\n';
    if (made[at] != page[at])
        fail_msg("docs/fidelity.md is not current from line %zu on: run `make fidelity`", line);
    free(made);
    free(page);
    evidence_table_free(&evidence);
}

/* Each needs a pattern of its own, or bits of the low half. */
static void the_walk_finds_every_kind_of_encoding(void **state)
{
    static const struct {
        enum chip_family family;
        const char *known[8], *unknown[3];
    } expected[] = {
        {CHIP_RDNA2, {"v_fmac_f32", "image_sample", "s_load_dword", "v_cmpx_tru_f16"}, {"v_dual_mov_b32", "v_bitop3_b32"}},
        {CHIP_RDNA35,
         {"v_dual_fmac_f32", "s_fmac_f32", "v_wmma_i32_16x16x16_iu4", "ds_load_2addr_stride64_b64", "s_barrier"},
         {"s_barrier_signal", "v_mfma_f32_4x4x1_16b_f32"}},
        {CHIP_RDNA4,
         {"v_wmma_f32_16x16x16_fp8_fp8", "s_barrier_signal_isfirst", "flat_atomic_pk_add_f16", "s_load_u8", "v_s_exp_f32",
          "global_load_tr_b128", "v_dual_max_num_f32", "tbuffer_load_format_xyz"},
         {"v_add_co_u16"}},
        {CHIP_CDNA2, {"v_pk_fma_f32", "s_cbranch_g_fork", "v_accvgpr_write_b32", "buffer_load_dword"}, {"v_prng_b32"}},
        {CHIP_CDNA4,
         {"v_mfma_scale_f32_16x16x128_f8f6f4", "v_permlane32_swap_b32", "ds_read_b64_tr_b16", "v_bitop3_b16",
          "v_cvt_scalef32_sr_pk32_bf6_f32"},
         {"v_mfma_f32_16x16x8_xf32"}},
    };
    struct fidelity *fidelity = walked(state);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct instruction_set *set = &fidelity->sets[expected[i].family];
        for (size_t k = 0; k < 8 && expected[i].known[k]; k++)
            if (!instruction_set_find(set, expected[i].known[k]))
                fail_msg("%s: no %s", family_chip(expected[i].family), expected[i].known[k]);
        for (size_t k = 0; k < 3 && expected[i].unknown[k]; k++)
            assert_null(instruction_set_find(set, expected[i].unknown[k]));
    }
}

static void graphics_is_left_out(void **state)
{
    (void)state;
    assert_non_null(instruction_left_out("image_sample"));
    assert_non_null(instruction_left_out("v_interp_p2_f32"));
    assert_non_null(instruction_left_out("exp"));
    assert_null(instruction_left_out("v_exp_f32"));
    assert_null(instruction_left_out("ds_read_b32"));
}

/* A file of one string; its path. */
static const char *write_temporary(char path[32], const char *text)
{
    strcpy(path, "/tmp/fidelity_XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    return path;
}

static void a_grade_says_what_the_evidence_does(void **state)
{
    struct fidelity *fidelity = walked(state);
    struct evidence_table table;
    struct error error;
    char path[32];
    write_temporary(path, "v_add_f32 gfx1151 case\nv_add_f32 gfx1100 test_x vector\nv_exp_f32 gfx90a case\n");
    assert_true(evidence_table_read(path, &table, &error));
    unlink(path);
    fidelity_use(fidelity, &table);
    assert_int_equal(fidelity_grade(fidelity, CHIP_RDNA3, "v_add_f32"), GRADE_SILICON);
    assert_int_equal(fidelity_grade(fidelity, CHIP_RDNA35, "v_add_f32"), GRADE_EXACT);
    assert_int_equal(fidelity_grade(fidelity, CHIP_CDNA2, "v_add_f32"), GRADE_SHARED);
    assert_int_equal(fidelity_grade(fidelity, CHIP_CDNA2, "v_exp_f32"), GRADE_MODELLED);
    assert_int_equal(fidelity_grade(fidelity, CHIP_CDNA3, "v_exp_f32"), GRADE_ASSUMED);
    assert_int_equal(fidelity_grade(fidelity, CHIP_CDNA2, "v_mul_hi_u32"), GRADE_UNTESTED);
    assert_int_equal(fidelity_grade(fidelity, CHIP_CDNA2, "v_prng_b32"), GRADE_ABSENT);
    assert_int_equal(fidelity_grade(fidelity, CHIP_RDNA4, "image_load"), GRADE_ABSENT);
    evidence_table_free(&table);
}

/* A chip stands for its family; programs that only run instructions prove nothing. */
static void notes_are_gathered_by_family(void **state)
{
    (void)state;
    struct evidence_table table = {0};
    struct error error;
    char path[32], *text = NULL;
    size_t length;
    write_temporary(path, "gfx1150 v_b case\ngfx1151 v_b case\ngfx90a v_a vector\ngfx90a v_a test_levels\ngfx90a v_a case\n"
                          "gfx90a v_c test_faults\n");
    assert_true(evidence_table_add_notes(path, &table, &error));
    unlink(path);
    FILE *out = open_memstream(&text, &length);
    evidence_table_write(&table, out);
    fclose(out);
    assert_string_equal(text, "v_a gfx90a case vector\nv_b gfx1151 case\n");
    evidence_table_keep_vectors(&table);
    assert_int_equal(table.n_rows, 1);
    evidence_table_free(&table);
    free(text);
    write_temporary(path, "gfx90a v_a\n");
    assert_false(evidence_table_add_notes(path, &table, &error));
    assert_non_null(strstr(error.text, ":1: no evidence"));
    unlink(path);
    evidence_table_free(&table);
}

/* An assembler that cannot read the texts refuses none of them, which is not its word for them. */
static void an_assembler_that_reads_nothing_is_an_error(void **state)
{
    (void)walked(state);
    struct instruction_set set;
    struct error error;
    const char *before = getenv("LLVM_MC");
    char *kept = before ? strdup(before) : NULL;
    setenv("LLVM_MC", "true", 1);
    bool ok = instruction_set_walk(chip_find("gfx908"), &set, &error);
    instruction_set_free(&set);
    if (kept)
        setenv("LLVM_MC", kept, 1);
    else
        unsetenv("LLVM_MC");
    free(kept);
    assert_false(ok);
    assert_non_null(strstr(error.text, "true -mcpu=gfx908"));
}

static int walk_all(void **state)
{
    static struct fidelity fidelity;
    struct error error;
    *state = &fidelity;
    if (disassembler_llvm_version() != LLVM_OF_THE_PAGE)
        return 0;
    if (fidelity_open(&fidelity, &error))
        return 0;
    fprintf(stderr, "%s\n", error.text);
    return -1;
}

static int close_all(void **state)
{
    fidelity_close(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_is_current),          cmocka_unit_test(the_walk_finds_every_kind_of_encoding),
        cmocka_unit_test(graphics_is_left_out),         cmocka_unit_test(a_grade_says_what_the_evidence_does),
        cmocka_unit_test(notes_are_gathered_by_family), cmocka_unit_test(an_assembler_that_reads_nothing_is_an_error),
    };
    return cmocka_run_group_tests(tests, walk_all, close_all);
}
