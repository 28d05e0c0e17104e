/*
 * What source lines cost a kernel: kernels of known lines, peaks and spills, on every chip of record.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contract/base/file.h"
#include "device/emulator/explain.h"
#include "tests/support/scratch.h"
#include "tests/support/source_line.h"
#include "toolchain/toolchain.h"

static const char source[] = "tests/kernels/pressure.hip";

enum { MAX_CHIPS = 8 };

/* The kernels, compiled for each chip of record. */
struct fixture {
    struct compiled compiled[MAX_CHIPS];
    struct code_object objects[MAX_CHIPS];
    size_t n_chips;
};

static bool compile_for(struct toolchain *toolchain, struct fixture *fixture, const char *chip, struct error *error)
{
    struct compiled *compiled = &fixture->compiled[fixture->n_chips];
    struct compile_request request = {.source_path = source, .family = "pressure", .chip = chip};
    return toolchain_compile(toolchain, &request, compiled, error) &&
           code_object_parse(compiled->bytes, compiled->n_bytes, source, &fixture->objects[fixture->n_chips++], error);
}

static int open_fixture(void **state)
{
    struct error error;
    size_t n_chips;
    const struct chip *chips = chip_table(&n_chips);
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct toolchain *toolchain = toolchain_open(NULL, &error);
    bool ok = fixture && toolchain;
    for (size_t c = 0; c < n_chips && ok; c++)
        ok = !chips[c].of_record || compile_for(toolchain, fixture, chips[c].name, &error);
    toolchain_close(toolchain);
    if (!ok)
        print_error("%s\n", error.text);
    *state = fixture;
    return ok ? 0 : -1;
}

static int close_fixture(void **state)
{
    struct fixture *fixture = *state;
    for (size_t c = 0; c < fixture->n_chips; c++) {
        code_object_free(&fixture->objects[c]);
        compiled_free(&fixture->compiled[c]);
    }
    free(fixture);
    return 0;
}

static struct explanation explain(const struct code_object *object, const char *name)
{
    struct error error;
    struct explanation explanation;
    const struct code_kernel *kernel = code_object_kernel(object, name);
    assert_non_null(kernel);
    if (!explain_kernel(object, kernel, &explanation, &error))
        fail_msg("%s: %s", object->chip, error.text);
    assert_null(explanation.incomplete);
    return explanation;
}

static void assert_at(struct source_place at, const char *text)
{
    assert_string_equal(at.file, source);
    assert_int_equal(at.line, source_line(source, text));
}

/* Where all 40 values are there, 40 are of the line that takes them; the compiler gives their loads that line. */
static void a_peak_is_shared_by_the_lines_that_wrote_it(void **state)
{
    const struct fixture *fixture = *state;
    for (size_t c = 0; c < fixture->n_chips; c++) {
        struct explanation explanation = explain(&fixture->objects[c], "hold_40");
        const struct explained_peak *peak = &explanation.peak[FILE_VGPR];
        assert_int_equal(peak->n_registers, 40 + 1);
        assert_at(peak->shares[0].at, "\"+v\"(value[i])");
        assert_int_equal(peak->shares[0].n_registers, 40);
        assert_false(peak->shares[0].from_start);
        assert_int_equal(peak->n_shares, 2);
        assert_int_equal(peak->shares[1].n_registers, 1); /* the offset */
        assert_int_equal(explanation.peak[FILE_AGPR].n_registers, 0);
        assert_int_equal(explanation.peak[FILE_AGPR].n_shares, 0);
        explanation_free(&explanation);
    }
}

static const struct explained_line *line_of(const struct explanation *explanation, const char *text)
{
    uint32_t line = source_line(source, text);
    for (size_t i = 0; i < explanation->n_lines; i++)
        if (explanation->lines[i].at.line == line && strcmp(explanation->lines[i].at.file, source) == 0)
            return &explanation->lines[i];
    fail_msg("no instruction is of the line with \"%s\"", text);
    return NULL;
}

/* Lines are in order, and their sums are the kernel's. */
static void assert_lines_add_up(const struct explanation *explanation, const struct code_kernel *kernel)
{
    uint32_t n_instructions = 0, n_classed = explanation->mix.n_unknown, spilled[SPILL_KIND_COUNT] = {0};
    unsigned most = 0;
    for (size_t i = 0; i < explanation->n_lines; i++) {
        const struct explained_line *line = &explanation->lines[i];
        n_instructions += line->n_instructions;
        most = line->live[FILE_VGPR] > most ? line->live[FILE_VGPR] : most;
        for (int kind = 0; kind < SPILL_KIND_COUNT; kind++)
            spilled[kind] += line->spilled[kind];
        if (i > 0)
            assert_true(strcmp(line->at.file, line[-1].at.file) > 0 || line->at.line > line[-1].at.line);
    }
    for (int class = 0; class < CLASS_COUNT; class ++)
        n_classed += explanation->mix.by_class[class];
    assert_int_equal(n_instructions, explanation->mix.n_instructions);
    assert_int_equal(n_classed, explanation->mix.n_instructions);
    assert_int_equal(explanation->mix.n_bytes, kernel->code_bytes);
    assert_int_equal(most, explanation->peak[FILE_VGPR].n_registers);
    assert_memory_equal(spilled, explanation->spilled, sizeof spilled);
}

static void lines_add_up_to_the_kernel(void **state)
{
    const struct fixture *fixture = *state;
    for (size_t c = 0; c < fixture->n_chips; c++)
        for (size_t k = 0; k < fixture->objects[c].n_kernels; k++) {
            const struct code_kernel *kernel = &fixture->objects[c].kernels[k];
            struct explanation explanation = explain(&fixture->objects[c], kernel->name);
            assert_lines_add_up(&explanation, kernel);
            explanation_free(&explanation);
        }
}

/* The compiler counts the registers that its spills store; each is stored once here, and read back once. */
static void vector_spills_are_the_compilers(void **state)
{
    const struct fixture *fixture = *state;
    for (size_t c = 0; c < fixture->n_chips; c++) {
        const struct code_kernel *kernel = code_object_kernel(&fixture->objects[c], "hold_96_in_32");
        struct explanation explanation = explain(&fixture->objects[c], kernel->name);
        assert_true(kernel->vgpr_spills > 0);
        assert_int_equal(explanation.spilled[SPILL_VGPR_STORE], kernel->vgpr_spills);
        assert_int_equal(explanation.spilled[SPILL_VGPR_RELOAD], kernel->vgpr_spills);
        assert_int_equal(line_of(&explanation, "+ i] = value[i];")->spilled[SPILL_VGPR_RELOAD], kernel->vgpr_spills);
        assert_int_equal(line_of(&explanation, "+ i] = value[i];")->spilled[SPILL_VGPR_STORE], 0);
        assert_true(explanation.n_spills[SPILL_VGPR_STORE] <= kernel->vgpr_spills); /* up to four at once */
        assert_int_equal(explanation.spilled[SPILL_SGPR_STORE], 0);
        explanation_free(&explanation);
    }
}

static void scalar_spills_are_the_compilers(void **state)
{
    const struct fixture *fixture = *state;
    for (size_t c = 0; c < fixture->n_chips; c++) {
        const struct code_kernel *kernel = code_object_kernel(&fixture->objects[c], "hold_scalars_60_in_48");
        struct explanation explanation = explain(&fixture->objects[c], kernel->name);
        assert_true(kernel->sgpr_spills > 0);
        assert_int_equal(explanation.spilled[SPILL_SGPR_STORE], kernel->sgpr_spills);
        assert_int_equal(explanation.n_spills[SPILL_SGPR_STORE], kernel->sgpr_spills);
        assert_true(explanation.spilled[SPILL_SGPR_RELOAD] >= kernel->sgpr_spills);
        assert_int_equal(explanation.spilled[SPILL_VGPR_STORE], 0);
        explanation_free(&explanation);
    }
}

static void arrays_in_scratch_are_no_spills(void **state)
{
    const struct fixture *fixture = *state;
    for (size_t c = 0; c < fixture->n_chips; c++) {
        const struct code_kernel *kernel = code_object_kernel(&fixture->objects[c], "index_array");
        struct explanation explanation = explain(&fixture->objects[c], kernel->name);
        assert_true(kernel->private_bytes >= 200 * 4);
        for (int kind = 0; kind < SPILL_KIND_COUNT; kind++)
            assert_int_equal(explanation.n_spills[kind], 0);
        explanation_free(&explanation);
    }
}

static const struct mix_change *change_of(const struct mix_change *changes, size_t n_changes, const char *name)
{
    for (size_t i = 0; i < n_changes; i++)
        if (strcmp(changes[i].name, name) == 0)
            return &changes[i];
    fail_msg("%s did not change", name);
    return NULL;
}

/* 40 and 96 floats, loaded one by one and stored four at a time. */
static void a_mix_differs_by_what_was_added(void **state)
{
    const struct fixture *fixture = *state;
    struct arena arena = {0};
    for (size_t c = 0; c < fixture->n_chips; c++) {
        struct explanation before = explain(&fixture->objects[c], "hold_40"),
                           after = explain(&fixture->objects[c], "hold_96");
        struct mix_difference difference;
        assert_true(instruction_mix_compare(&before.mix, &after.mix, &arena, &difference));
        bool has_new_names =
            strncmp(fixture->objects[c].chip, "gfx11", 5) == 0 || strncmp(fixture->objects[c].chip, "gfx12", 5) == 0;
        const struct mix_change *stores = change_of(difference.mnemonics, difference.n_mnemonics,
                                                    has_new_names ? "global_store_b128" : "global_store_dwordx4");
        assert_int_equal(stores->before, 40 / 4);
        assert_int_equal(stores->after, 96 / 4);
        const struct mix_change *accesses = change_of(difference.classes, difference.n_classes, "GLOBAL");
        assert_int_equal(accesses->before, 40 + 40 / 4);
        assert_int_equal(accesses->after, 96 + 96 / 4);
        int64_t grown = 0;
        for (size_t i = 0; i < difference.n_mnemonics; i++)
            grown += (int64_t)difference.mnemonics[i].after - difference.mnemonics[i].before;
        assert_int_equal(grown, (int64_t)after.mix.n_instructions - before.mix.n_instructions);
        explanation_free(&before);
        explanation_free(&after);
    }
    arena_free(&arena);
}

static void the_same_build_has_no_difference(void **state)
{
    const struct fixture *fixture = *state;
    struct arena arena = {0};
    struct mix_difference difference;
    struct explanation explanation = explain(&fixture->objects[0], "hold_40");
    assert_true(instruction_mix_compare(&explanation.mix, &explanation.mix, &arena, &difference));
    assert_int_equal(difference.n_classes, 0);
    assert_int_equal(difference.n_mnemonics, 0);
    explanation_free(&explanation);
    arena_free(&arena);
}

static void a_stripped_symbol_is_refused(void **state)
{
    const struct fixture *fixture = *state;
    struct error error;
    struct explanation explanation;
    struct code_kernel stripped = *code_object_kernel(&fixture->objects[0], "hold_40");
    stripped.code_bytes = 0;
    assert_false(explain_kernel(&fixture->objects[0], &stripped, &explanation, &error));
    assert_int_equal(error.status, STATUS_USAGE);
    assert_non_null(strstr(error.text, "hold_40: its symbol is stripped"));
}

/* Everything is then of one nameless line, and the figures stand. */
static void code_without_line_tables_is_explained_without_lines(void **state)
{
    const struct fixture *fixture = *state;
    char folder[SCRATCH_PATH_BYTES], from[SCRATCH_PATH_BYTES], to[SCRATCH_PATH_BYTES], *bytes;
    size_t n_bytes;
    struct error error;
    struct code_object object;
    assert_true(scratch_open(folder));
    snprintf(from, sizeof from, "%.400s/k.co", folder);
    snprintf(to, sizeof to, "%.400s/bare.co", folder);
    assert_true(file_write(from, fixture->compiled[0].bytes, fixture->compiled[0].n_bytes, &error));
    free(scratch_run((const char *const[]){"llvm-objcopy-22", "--strip-debug", from, to, NULL}));
    assert_true(file_read(to, &bytes, &n_bytes, &error));
    assert_true(code_object_parse(bytes, n_bytes, to, &object, &error));
    struct explanation explanation = explain(&object, "hold_40");
    assert_int_equal(explanation.n_lines, 1);
    assert_string_equal(explanation.lines[0].at.file, "");
    assert_int_equal(explanation.peak[FILE_VGPR].n_registers, 40 + 1);
    explanation_free(&explanation);
    code_object_free(&object);
    free(bytes);
    scratch_close(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_peak_is_shared_by_the_lines_that_wrote_it),
        cmocka_unit_test(lines_add_up_to_the_kernel),
        cmocka_unit_test(vector_spills_are_the_compilers),
        cmocka_unit_test(scalar_spills_are_the_compilers),
        cmocka_unit_test(arrays_in_scratch_are_no_spills),
        cmocka_unit_test(a_mix_differs_by_what_was_added),
        cmocka_unit_test(the_same_build_has_no_difference),
        cmocka_unit_test(a_stripped_symbol_is_refused),
        cmocka_unit_test(code_without_line_tables_is_explained_without_lines),
    };
    return cmocka_run_group_tests(tests, open_fixture, close_fixture);
}
