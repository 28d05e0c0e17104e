/*
 * Every instruction that our kernels compile to, at -O0 and at -O3, is one that the emulator implements.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "contract/registry_list.h"
#include "device/code_object.h"
#include "device/emulator/code.h"
#include "toolchain/toolchain.h"

static const char chip_name[] = "gfx1151";

enum { MAX_REPORTS = 200 };

struct report {
    char mnemonic[64];
    int count;
    char example[200];
};

struct coverage {
    struct report reports[MAX_REPORTS];
    int n_reports;
    int n_instructions;
};

static void note_unknown(struct coverage *coverage, const char *source, const struct instruction *in)
{
    char mnemonic[64];
    snprintf(mnemonic, sizeof mnemonic, "%.*s", (int)strcspn(in->text, " \t"), in->text);
    for (int i = 0; i < coverage->n_reports; i++)
        if (strcmp(coverage->reports[i].mnemonic, mnemonic) == 0) {
            coverage->reports[i].count++;
            return;
        }
    if (coverage->n_reports == MAX_REPORTS)
        return;
    struct report *report = &coverage->reports[coverage->n_reports++];
    snprintf(report->mnemonic, sizeof report->mnemonic, "%s", mnemonic);
    snprintf(report->example, sizeof report->example, "%s: %s", source, in->text);
    report->count = 1;
}

static bool is_implemented(const struct instruction *in)
{
    if (!in->opcode || in->run == instruction_unsupported)
        return false;
    return !in->pair || (in->pair[0].run != instruction_unsupported && in->pair[1].run != instruction_unsupported);
}

/* The bytes of one kernel's function: what lies between functions is padding and need not be known. */
static void cover_function(struct coverage *coverage, const struct emulated_code *code, const struct code_symbol *symbol,
                           const char *source)
{
    for (uint32_t i = 0; i < code->n_instructions; i++) {
        const struct instruction *in = &code->instructions[i];
        if (in->offset_bytes < symbol->address || in->offset_bytes >= symbol->address + symbol->size_bytes)
            continue;
        coverage->n_instructions++;
        if (!is_implemented(in))
            note_unknown(coverage, source, in);
    }
}

static void cover_object(struct coverage *coverage, const struct code_object *object, const char *source)
{
    struct error error;
    size_t image_bytes = (size_t)code_object_image_bytes(object);
    uint8_t *image = calloc(1, image_bytes);
    assert_non_null(image);
    if (!code_object_load(object, 0, image, image_bytes, &error))
        fail_msg("%s: %s", source, error.text);
    for (size_t s = 0; s < object->n_segments; s++) {
        const struct code_segment *segment = &object->segments[s];
        struct emulated_code code;
        if (!segment->executable)
            continue;
        if (!code_decode(chip_find(chip_name), 32, image, image_bytes, segment->address, segment->memory_bytes / 4 * 4,
                         &code, &error))
            fail_msg("%s: %s", source, error.text);
        for (size_t i = 0; i < object->n_symbols; i++)
            if (object->symbols[i].is_function && object->symbols[i].address >= segment->address &&
                object->symbols[i].address < segment->address + segment->memory_bytes)
                cover_function(coverage, &code, &object->symbols[i], source);
        code_free(&code);
    }
    free(image);
}

static void cover_source(struct coverage *coverage, struct toolchain *toolchain, const char *source,
                         const char *optimisation)
{
    struct compile_request request = {
        .source_path = source, .family = source, .chip = chip_name, .optimisation = optimisation};
    struct compiled compiled;
    struct code_object object;
    struct error error;
    if (!toolchain_compile(toolchain, &request, &compiled, &error))
        fail_msg("%s", error.text);
    if (!code_object_parse(compiled.bytes, compiled.n_bytes, source, &object, &error))
        fail_msg("%s", error.text);
    cover_object(coverage, &object, source);
    code_object_free(&object);
    compiled_free(&compiled);
}

/* Every source that a registration names, and the everyday kernels, each once. */
static void cover_all(struct coverage *coverage, struct toolchain *toolchain, const char *optimisation)
{
    struct arena arena = {0};
    struct registry registry;
    struct error error;
    if (!registry_collect(&arena, &registry, &error))
        fail_msg("%s", error.text);
    cover_source(coverage, toolchain, "tests/kernels/everyday.hip", optimisation);
    for (size_t i = 0; i < registry.n_registrations; i++) {
        bool seen = false;
        for (size_t j = 0; j < i; j++)
            seen |= strcmp(registry.registrations[i]->source, registry.registrations[j]->source) == 0;
        if (!seen)
            cover_source(coverage, toolchain, registry.registrations[i]->source, optimisation);
    }
    arena_free(&arena);
}

static void every_instruction_that_our_kernels_compile_to_is_implemented(void **state)
{
    const char *optimisation = *state;
    struct error error;
    struct toolchain *toolchain = toolchain_open(NULL, &error);
    if (!toolchain) {
        print_message("  skipped: %s\n", error.text);
        skip();
    }
    static struct coverage coverage;
    coverage = (struct coverage){0};
    cover_all(&coverage, toolchain, optimisation);
    toolchain_close(toolchain);
    print_message("  %s: %d instructions\n", optimisation, coverage.n_instructions);
    for (int i = 0; i < coverage.n_reports; i++)
        print_message("  not implemented: %-28s %5d x, %s\n", coverage.reports[i].mnemonic, coverage.reports[i].count,
                      coverage.reports[i].example);
    assert_true(coverage.n_instructions > 1000);
    assert_int_equal(coverage.n_reports, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(every_instruction_that_our_kernels_compile_to_is_implemented, "-O3"),
        cmocka_unit_test_prestate(every_instruction_that_our_kernels_compile_to_is_implemented, "-O0"),
    };
    return cmocka_run_group_tests_name("coverage", tests, NULL, NULL);
}
