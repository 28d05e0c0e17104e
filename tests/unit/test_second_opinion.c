/* What the reader finds in every registered family's code objects, for every chip of record and of every compiler, is what
 * LLVM's own tools print: llvm-readelf --notes for the metadata, llvm-objdump for the kernel descriptors. And what each
 * kernel's code needs of registers is what its compiler allocated. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contract/base/file.h"
#include "contract/base/parallel.h"
#include "contract/registry_list.h"
#include "device/code_object.h"
#include "device/emulator/liveness.h"
#include "records/chips.h"
#include "tests/support/object_code.h"
#include "tests/support/scratch.h"
#include "toolchain/profile.h"
#include "toolchain/toolchain.h"

enum { MAX_UNITS = 2048 };

/* One source for one chip. */
struct unit {
    const char *source, *family;
    const struct chip *chip;
    int compiler; /* 0: the project's */
    struct compiled compiled;
    struct error error;
    bool ok;
};

struct fixture {
    char folder[SCRATCH_PATH_BYTES];
    struct toolchain *toolchains[PROFILE_MOST];
    int n_toolchains;
    struct unit units[MAX_UNITS];
    int n_units;
};

static void add_unit(struct fixture *fixture, int compiler, const char *source, const char *family, const struct chip *chip)
{
    for (int i = 0; i < fixture->n_units; i++)
        if (fixture->units[i].compiler == compiler && fixture->units[i].chip == chip &&
            strcmp(fixture->units[i].source, source) == 0)
            return;
    assert_true(fixture->n_units < MAX_UNITS);
    fixture->units[fixture->n_units++] =
        (struct unit){.source = source, .family = family, .chip = chip, .compiler = compiler};
}

static void compile_unit(void *context, int64_t item)
{
    struct fixture *fixture = context;
    struct unit *unit = &fixture->units[item];
    struct compile_request request = {
        .source_path = unit->source, .family = unit->family, .chip = unit->chip->name, .is_quiet = unit->compiler > 0};
    unit->ok = toolchain_compile(fixture->toolchains[unit->compiler], &request, &unit->compiled, &unit->error);
}

/* Every source for every chip of record; of kernels that are not registered, with the project's compiler only. */
static void add_units(struct fixture *fixture, const struct registry *registry, int compiler)
{
    size_t n_chips;
    const struct chip *chips = chip_table(&n_chips);
    for (size_t c = 0; c < n_chips; c++) {
        if (!chips[c].of_record || !toolchain_knows_chip(fixture->toolchains[compiler], chips[c].name))
            continue;
        for (size_t i = 0; i < registry->n_registrations; i++) {
            const struct registration *r = registry->registrations[i];
            if (registration_is_for(r, chips[c].name))
                add_unit(fixture, compiler, r->source, r->family, &chips[c]);
        }
        if (compiler == 0)
            add_unit(fixture, compiler, "tests/kernels/everyday.hip", "everyday", &chips[c]);
    }
}

static int open_fixture(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct arena arena = {0};
    struct registry registry;
    struct error error = {0};
    struct profile profiles[PROFILE_MOST];
    int n_profiles = (int)profile_find_all(profiles, PROFILE_MOST);
    if (!fixture || !registry_collect(&arena, &registry, &error) || !scratch_open(fixture->folder))
        return -1;
    for (int i = 0; i < n_profiles; i++) {
        fixture->toolchains[i] = toolchain_open_profile(&profiles[i], NULL, &error);
        if (!fixture->toolchains[i]) {
            print_error("%s\n", error.text);
            return -1;
        }
        fixture->n_toolchains++;
        add_units(fixture, &registry, i);
    }
    arena_free(&arena);
    parallel_for(parallel_processors(), fixture->n_units, compile_unit, fixture);
    *state = fixture;
    return fixture->n_toolchains > 0 ? 0 : -1;
}

static int close_fixture(void **state)
{
    struct fixture *fixture = *state;
    for (int i = 0; i < fixture->n_units; i++)
        compiled_free(&fixture->units[i].compiled);
    for (int i = 0; i < fixture->n_toolchains; i++)
        toolchain_close(fixture->toolchains[i]);
    scratch_close(fixture->folder);
    free(fixture);
    return 0;
}

/* The value that stands after `key` within [from, to); the number, or -1 where the key is absent. "true" counts as 1. */
static long long number_after(const char *from, const char *to, const char *key)
{
    const char *at = strstr(from, key);
    if (!at || at >= to)
        return -1;
    at += strlen(key);
    at += strspn(at, " ");
    return strncmp(at, "true", 4) == 0 ? 1 : strncmp(at, "false", 5) == 0 ? 0 : strtoll(at, NULL, 10);
}

static void expect_number(const struct unit *unit, const struct code_kernel *kernel, const char *key, long long printed,
                          long long read)
{
    if (printed != read)
        fail_msg("%s for %s, kernel %s: %s is %lld, the reader says %lld", unit->source, unit->chip->name, kernel->name,
                 key, printed, read);
}

static size_t count_between(const char *from, const char *to, const char *word)
{
    size_t n = 0;
    for (const char *at = from; (at = strstr(at, word)) && at < to; at++)
        n++;
    return n;
}

/* The notes print one block a kernel; the kernel's own keys are indented by four, its arguments' by eight. */
static void compare_notes(const struct unit *unit, const struct code_kernel *kernel, const char *from, const char *to)
{
    const struct {
        const char *key;
        long long read, absent;
    } figures[] = {
        {" .agpr_count:", kernel->agprs, 0},
        {" .group_segment_fixed_size:", kernel->lds_bytes, -1},
        {" .kernarg_segment_align:", kernel->kernarg_align_bytes, -1},
        {" .kernarg_segment_size:", kernel->kernarg_bytes, -1},
        {" .max_flat_workgroup_size:", kernel->max_workgroup_threads, -1},
        {" .private_segment_fixed_size:", kernel->private_bytes, -1},
        {" .sgpr_count:", kernel->sgprs, -1},
        {" .sgpr_spill_count:", kernel->sgpr_spills, -1},
        {" .uses_dynamic_stack:", kernel->uses_dynamic_stack, 0},
        {" .vgpr_count:", kernel->vgprs, -1},
        {" .vgpr_spill_count:", kernel->vgpr_spills, -1},
        {" .wavefront_size:", kernel->wave_size, -1},
    };
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        long long printed = number_after(from, to, figures[i].key);
        expect_number(unit, kernel, figures[i].key, printed == -1 ? figures[i].absent : printed, figures[i].read);
    }
    expect_number(unit, kernel, "number of arguments", (long long)count_between(from, to, " .value_kind:"),
                  (long long)kernel->n_args);
    const char *at = from;
    for (size_t i = 0; i < kernel->n_args; i++) {
        at = strstr(at, " .offset:");
        assert_non_null(at);
        expect_number(unit, kernel, ".offset", number_after(at, to, " .offset:"), kernel->args[i].offset_bytes);
        expect_number(unit, kernel, ".size", number_after(at, to, " .size:"), kernel->args[i].size_bytes);
        at++;
    }
}

/* The block of a kernel: from its list mark to the next one or the end of the list. */
static const char *find_block(const char *notes, const char *name, const char **end)
{
    char symbol[600];
    snprintf(symbol, sizeof symbol, "\n    .symbol:         %.500s.kd\n", name);
    const char *at = strstr(notes, symbol);
    if (!at)
        return NULL;
    const char *start = at;
    while (start > notes && strncmp(start, "\n  - ", 5) != 0)
        start--;
    const char *next = strstr(at, "\n  - "), *last = strstr(at, "\namdhsa.");
    *end = next && (!last || next < last) ? next : last;
    return start;
}

static void compare_unit_notes(const struct fixture *fixture, const struct unit *unit, const struct code_object *object)
{
    char path[SCRATCH_PATH_BYTES];
    struct error error;
    snprintf(path, sizeof path, "%.400s/k.co", fixture->folder);
    assert_true(file_write(path, unit->compiled.bytes, unit->compiled.n_bytes, &error));
    char *notes = scratch_run((const char *const[]){"llvm-readelf-22", "--notes", path, NULL});
    assert_non_null(notes);
    assert_int_equal(count_between(notes, notes + strlen(notes), "\n    .symbol:"), object->n_kernels);
    for (size_t i = 0; i < object->n_kernels; i++) {
        const char *end, *block = find_block(notes, object->kernels[i].name, &end);
        if (!block || !end)
            fail_msg("llvm-readelf prints no kernel %s", object->kernels[i].name);
        compare_notes(unit, &object->kernels[i], block, end);
    }
    free(notes);
}

/* Compilers before 22 leave a count of SGPRs in the descriptors of gfx10 and later, where llvm-objdump wants zero bits and
 * prints bytes. */
static bool is_undecodable(const char *printed)
{
    static const char words[] = "; error decoding ",
                      bits[] = "GRANULATED_WAVEFRONT_SGPR_COUNT reserved bits in range (9:6)";
    const char *end = strchr(printed, '\n'), *at = strstr(printed, bits);
    return strncmp(printed, words, strlen(words)) == 0 && at && end && at < end;
}

static void compare_unit_descriptors(const struct fixture *fixture, const struct unit *unit,
                                     const struct code_object *object)
{
    char path[SCRATCH_PATH_BYTES];
    snprintf(path, sizeof path, "%.400s/k.co", fixture->folder);
    char *text = scratch_run((const char *const[]){"llvm-objdump-22", "-d", "--section=.rodata", path, NULL});
    assert_non_null(text);
    for (size_t i = 0; i < object->n_kernels; i++) {
        const struct code_kernel *kernel = &object->kernels[i];
        const struct code_descriptor *descriptor = &kernel->descriptor;
        char head[600];
        snprintf(head, sizeof head, "\n%016llx <%.500s.kd>:\n", (unsigned long long)kernel->descriptor_address,
                 kernel->name);
        const char *from = strstr(text, head), *to = from ? strstr(from, ".end_amdhsa_kernel") : NULL;
        if (from && unit->compiler > 0 && is_undecodable(from + strlen(head)))
            continue;
        if (!to)
            fail_msg("llvm-objdump prints no descriptor of %s at its address", kernel->name);
        expect_number(unit, kernel, "group segment", number_after(from, to, "_group_segment_fixed_size"),
                      descriptor->group_segment_bytes);
        expect_number(unit, kernel, "private segment", number_after(from, to, "_private_segment_fixed_size"),
                      descriptor->private_segment_bytes);
        expect_number(unit, kernel, "kernarg", number_after(from, to, ".amdhsa_kernarg_size"), descriptor->kernarg_bytes);
        /* FLOAT_DENORM_MODE_32 and _16_64 are bits 17:16 and 19:18 of RSRC1. */
        expect_number(unit, kernel, "denorm 32", number_after(from, to, "denorm_mode_32"), descriptor->rsrc1 >> 16 & 3);
        expect_number(unit, kernel, "denorm 16", number_after(from, to, "denorm_mode_16_64"), descriptor->rsrc1 >> 18 & 3);
        /* ENABLE_SGPR_WORKGROUP_ID_X is bit 7 of RSRC2, ENABLE_VGPR_WORKITEM_ID bits 12:11. */
        expect_number(unit, kernel, "id x", number_after(from, to, "sgpr_workgroup_id_x"), descriptor->rsrc2 >> 7 & 1);
        expect_number(unit, kernel, "item id", number_after(from, to, "vgpr_workitem_id"), descriptor->rsrc2 >> 11 & 3);
        expect_number(unit, kernel, "kernarg pointer", number_after(from, to, "user_sgpr_kernarg_segment_ptr"),
                      descriptor->kernel_code_properties >> 3 & 1);
        long long wave32 = number_after(from, to, "wavefront_size32");
        expect_number(unit, kernel, "wave32", wave32 == -1 ? 0 : wave32, kernel->wave_size == 32);
    }
    free(text);
}

static void every_family_reads_as_llvm_prints_it(void **state)
{
    const struct fixture *fixture = *state;
    int n_compared[PROFILE_MOST] = {0};
    assert_true(fixture->n_units >= 7);
    for (int i = 0; i < fixture->n_units; i++) {
        const struct unit *unit = &fixture->units[i];
        struct code_object object;
        struct error error;
        if (!unit->ok && (unit->compiler == 0 || unit->error.status != STATUS_RED))
            fail_msg("%s", unit->error.text);
        if (!unit->ok)
            continue; /* an older compiler lacks what the source uses */
        n_compared[unit->compiler] += 1;
        if (!code_object_parse(unit->compiled.bytes, unit->compiled.n_bytes, unit->source, &object, &error))
            fail_msg("%s", error.text);
        assert_string_equal(object.chip, unit->chip->name);
        compare_unit_notes(fixture, unit, &object);
        compare_unit_descriptors(fixture, unit, &object);
        code_object_free(&object);
    }
    for (int i = 0; i < fixture->n_toolchains; i++) {
        print_message("%s: %d code objects\n", toolchain_name(fixture->toolchains[i]), n_compared[i]);
        assert_true(n_compared[i] > 0);
    }
}

/* Kernels of one code object, and all so far whose live registers are known whole. */
struct allocations {
    const struct code_object *object;
    const struct chip *chip;
    unsigned n_kernels, n_exact;
    double sum_of_shares;
};

static unsigned most_live(const struct liveness *liveness, enum register_file file)
{
    uint32_t peak = liveness->peak[file];
    return peak == NO_INSTRUCTION ? 0 : liveness->at[peak].n[file];
}

static void compare_allocation(void *context, const char *function, const struct emulated_code *code)
{
    struct allocations *all = context;
    const struct code_kernel *kernel = code_object_kernel(all->object, function);
    struct liveness liveness;
    if (!kernel)
        return;
    assert_true(liveness_make(code, &liveness));
    /* On a unified file the metadata's figure holds both. */
    unsigned vgprs = kernel->vgprs - (all->chip->unified_agprs ? kernel->agprs : 0);
    unsigned live = most_live(&liveness, FILE_VGPR);
    if (live > vgprs || most_live(&liveness, FILE_AGPR) > kernel->agprs || most_live(&liveness, FILE_SGPR) > kernel->sgprs)
        fail_msg("%s %s: %u VGPRs, %u AGPRs, %u SGPRs are live, %u, %u, %u allocated", all->chip->name, function, live,
                 most_live(&liveness, FILE_AGPR), most_live(&liveness, FILE_SGPR), vgprs, kernel->agprs, kernel->sgprs);
    if (!liveness.incomplete) {
        all->n_kernels++;
        all->n_exact += live == vgprs;
        all->sum_of_shares += (double)live / vgprs;
    }
    liveness_free(&liveness);
}

static void live_registers_are_what_is_allocated(void **state)
{
    const struct fixture *fixture = *state;
    struct allocations all = {0};
    for (int i = 0; i < fixture->n_units && fixture->units[i].compiler == 0; i++) {
        const struct compiled *compiled = &fixture->units[i].compiled;
        struct code_object object;
        struct error error;
        if (!code_object_parse(compiled->bytes, compiled->n_bytes, fixture->units[i].source, &object, &error))
            fail_msg("%s", error.text);
        all.object = &object;
        all.chip = fixture->units[i].chip;
        if (!object_code_visit(compiled->bytes, compiled->n_bytes, 0, compare_allocation, &all, &error))
            fail_msg("%s", error.text);
        code_object_free(&object);
    }
    print_message("the most VGPRs live are those allocated in %u of %u kernels, %.1f %% of them on average\n", all.n_exact,
                  all.n_kernels, 100 * all.sum_of_shares / all.n_kernels);
    /* An allocator takes more than it needs where that costs no wave: wide values must be neighbours, and an instruction
     * that reuses a register waits. */
    assert_true(all.sum_of_shares / all.n_kernels > 0.9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_family_reads_as_llvm_prints_it),
        cmocka_unit_test(live_registers_are_what_is_allocated),
    };
    return cmocka_run_group_tests_name("second_opinion", tests, open_fixture, close_fixture);
}
