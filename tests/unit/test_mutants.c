/*
 * Mutants of a compiled kernel: where they are, what they change, and which of them a sample holds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/emulator/decode.h"
#include "mutation/mutants.h"
#include "tests/support/project.h"

static const char source[] = "tests/kernels/mutants.hip";

/* The compiled kernel, of which each instruction counts as executed: once, and a branch as taken. */
struct subject {
    struct compiled compiled;
    struct code_object object;
    struct emulated_code code;
    struct executed_at *executed;
    struct registration registration;
    struct mutant_request request;
    struct arena arena;
};

static void open_code(struct subject *s, const struct chip *chip)
{
    struct error error = {0};
    size_t n_bytes = code_object_image_bytes(&s->object);
    uint8_t *image = malloc(n_bytes);
    const struct code_kernel *kernel = &s->object.kernels[0];
    assert_true(image && code_object_load(&s->object, 0, image, n_bytes, &error));
    assert_true(
        code_decode(chip, chip->default_wave, image, n_bytes, kernel->entry_address, kernel->code_bytes, &s->code, &error));
    free(image);
}

static void subject_open_for(struct subject *s, const char *chip)
{
    struct error error = {0};
    struct compile_request compile = {.source_path = source, .family = "mutants", .chip = chip};
    *s = (struct subject){0};
    if (!toolchain_compile(project.toolchain, &compile, &s->compiled, &error) ||
        !code_object_parse(s->compiled.bytes, s->compiled.n_bytes, source, &s->object, &error))
        fail_msg("%s", error.text);
    assert_int_equal(s->object.n_kernels, 1);
    open_code(s, chip_find(chip));
    s->executed = calloc(s->code.n_instructions, sizeof *s->executed);
    assert_non_null(s->executed);
    for (uint32_t i = 0; i < s->code.n_instructions; i++)
        s->executed[i] =
            (struct executed_at){s->code.instructions[i].offset_bytes, 1, s->code.instructions[i].class == CLASS_BRANCH};
    s->registration = (struct registration){.name = "mutants", .symbol = s->object.kernels[0].name};
    s->request = (struct mutant_request){.registration = &s->registration,
                                         .code = s->compiled.bytes,
                                         .n_bytes = s->compiled.n_bytes,
                                         .executed = s->executed,
                                         .n_executed = s->code.n_instructions,
                                         .seed = 1};
}

static struct mutant_list make(struct subject *s)
{
    struct error error = {0};
    struct mutant_list list;
    if (!mutants_make(&s->request, &s->arena, &list, &error))
        fail_msg("%s", error.text);
    return list;
}

static void subject_free(struct subject *s)
{
    arena_free(&s->arena);
    free(s->executed);
    code_free(&s->code);
    code_object_free(&s->object);
    compiled_free(&s->compiled);
}

static const struct instruction *instruction_of(const struct subject *s, const struct mutant *mutant)
{
    for (uint32_t i = 0; i < s->code.n_instructions; i++)
        if (s->code.instructions[i].offset_bytes == s->object.kernels[0].entry_address + mutant->offset_bytes)
            return &s->code.instructions[i];
    fail_msg("no instruction at %s+0x%llx", mutant->kernel, (unsigned long long)mutant->offset_bytes);
    return NULL;
}

/* Each has the kernel's whole name, its place in the file and in the source, other bytes than stand there, and no more or
 * fewer; and it is an instruction that the emulator has. */
static void each_is_another_instruction_in_its_place(void **state)
{
    static const char *const chips[] = {"gfx1151", "gfx90a"};
    (void)state;
    for (size_t c = 0; c < sizeof chips / sizeof *chips; c++) {
        struct subject s;
        subject_open_for(&s, chips[c]);
        struct mutant_list list = make(&s);
        assert_in_range(list.n, 20, list.n_edits);
        for (size_t i = 0; i < list.n; i++) {
            const struct mutant *m = &list.mutants[i];
            const struct instruction *in = instruction_of(&s, m);
            struct emulated_code code;
            assert_string_equal(m->kernel, s.object.kernels[0].name);
            assert_string_equal(m->before, in->text);
            assert_string_not_equal(m->before, m->after);
            assert_int_equal(m->n_bytes, in->size_bytes);
            assert_memory_not_equal(s.compiled.bytes + m->file_offset, m->bytes, m->n_bytes);
            assert_int_equal(m->n_executed, 1);
            assert_int_equal(m->n_taken, in->class == CLASS_BRANCH);
            assert_true(code_decode(s.code.chip, s.code.n_lanes, m->bytes, m->n_bytes, 0, m->n_bytes, &code, NULL));
            assert_non_null(code.instructions[0].opcode);
            assert_string_equal(code.instructions[0].text, m->after);
            code_free(&code);
        }
        subject_free(&s);
    }
}

static bool holds(const struct mutant_list *list, const struct mutant *mutant)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->mutants[i].file_offset == mutant->file_offset && strcmp(list->mutants[i].after, mutant->after) == 0)
            return true;
    return false;
}

/* Operators take turns: the first so many mutants have as many operators as there are. */
static void a_larger_sample_holds_a_smaller_one(void **state)
{
    struct subject s;
    unsigned operators = 0, all_operators = 0;
    (void)state;
    subject_open_for(&s, "gfx1151");
    struct mutant_list all = make(&s);
    s.request.sample = 8;
    struct mutant_list few = make(&s);
    s.request.sample = 16;
    struct mutant_list more = make(&s);
    assert_int_equal(few.n, 8);
    assert_int_equal(more.n, 16);
    for (size_t i = 0; i < few.n; i++) {
        assert_true(holds(&more, &few.mutants[i]));
        operators |= 1u << few.mutants[i].op;
    }
    for (size_t i = 0; i < all.n; i++)
        all_operators |= 1u << all.mutants[i].op;
    assert_in_range(__builtin_popcount(operators), __builtin_popcount(all_operators) < 7 ? 5 : 7, 8);
    subject_free(&s);
}

static void code_that_was_not_executed_is_left_alone(void **state)
{
    struct subject s;
    (void)state;
    subject_open_for(&s, "gfx1151");
    s.request.n_executed = 0;
    assert_int_equal(make(&s).n, 0);
    s.request.executed = &s.executed[3];
    s.request.n_executed = 1;
    struct mutant_list list = make(&s);
    assert_int_equal(list.n_executed, 1);
    for (size_t i = 0; i < list.n; i++)
        assert_ptr_equal(instruction_of(&s, &list.mutants[i]), &s.code.instructions[3]);
    subject_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_another_instruction_in_its_place),
        cmocka_unit_test(a_larger_sample_holds_a_smaller_one),
        cmocka_unit_test(code_that_was_not_executed_is_left_alone),
    };
    return cmocka_run_group_tests(tests, project_setup, project_teardown);
}
