/* The chip table, and occupancy against what clang prints for kernels that take given registers and LDS. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contract/base/text.h"
#include "records/chips.h"
#include "tests/support/scratch.h"

static void chips_of_record_come_first_in_order(void **state)
{
    (void)state;
    static const char *const of_record[] = {"gfx1030", "gfx1100", "gfx1151", "gfx1201", "gfx90a", "gfx942", "gfx950"};
    size_t n_chips;
    const struct chip *chips = chip_table(&n_chips);
    assert_true(n_chips > 7);
    for (size_t i = 0; i < n_chips; i++) {
        assert_int_equal(chips[i].of_record, i < 7);
        if (i < 7)
            assert_string_equal(chips[i].name, of_record[i]);
    }
}

/* One of record where the family has one. */
static void one_chip_stands_for_each_family(void **state)
{
    (void)state;
    static const char *const names[CHIP_FAMILIES] = {"gfx1030", "gfx1100", "gfx1151", "gfx1201",
                                                     "gfx908",  "gfx90a",  "gfx942",  "gfx950"};
    for (int family = 0; family < CHIP_FAMILIES; family++) {
        assert_int_equal(chip_of_family(family)->family, family);
        assert_string_equal(chip_of_family(family)->name, names[family]);
    }
}

static void every_row_is_whole_and_found_by_name_and_machine(void **state)
{
    (void)state;
    size_t n_chips;
    const struct chip *chips = chip_table(&n_chips);
    for (size_t i = 0; i < n_chips; i++) {
        const struct chip *chip = &chips[i];
        assert_ptr_equal(chip_find(chip->name), chip);
        assert_ptr_equal(chip_find_machine(chip->elf_machine), chip);
        int size = chip->default_wave == 64;
        assert_true(size ? chip->has_wave64 : chip->has_wave32);
        assert_true(chip->vgprs_per_simd[size] / chip->vgpr_alloc_granule[size] > 0);
        assert_true(chip->vgpr_encode_granule[size] > 0);
        assert_int_equal(chip->has_wgp, chip->default_wave == 32);
        assert_int_equal(chip->unified_agprs, chip->default_wave == 64 && chip->family != CHIP_CDNA1);
        assert_true(chip->lds_max_per_workgroup >= 65536 && chip->max_threads_per_workgroup == 1024);
    }
    assert_null(chip_find("gfx9999"));
    assert_null(chip_find(""));
    assert_null(chip_find_machine(0));
}

/* __oclc_ISA_version and the processor's name are the same number: gfx1151 is 11, 5, 1; gfx90a 9, 0, 10. */
static void isa_versions_follow_from_the_names(void **state)
{
    (void)state;
    size_t n_chips;
    const struct chip *chips = chip_table(&n_chips);
    for (size_t i = 0; i < n_chips; i++) {
        char name[16];
        uint32_t isa = chips[i].isa_version;
        snprintf(name, sizeof name, "gfx%u%x%x", isa / 1000, isa / 100 % 10, isa % 100);
        assert_string_equal(name, chips[i].name);
    }
}

/* clang's own arithmetic for the machine numbers: llvm-readelf names the chip of each compiled file (test_second_opinion);
 * here occupancy: one kernel a case, with registers clobbered to a count. */
struct occupancy_case {
    unsigned threads, lds_bytes, vgpr, sgpr; /* highest register clobbered; 0: none */
    unsigned agpr;                           /* likewise, CDNA only */
};

static const struct occupancy_case cases[] = {
    {64, 0, 0, 0, 0},        {64, 0, 23, 0, 0},      {64, 0, 24, 0, 0},     {256, 0, 40, 0, 0},     {256, 0, 63, 0, 0},
    {256, 0, 64, 0, 0},      {256, 0, 84, 0, 0},     {256, 0, 96, 0, 0},    {256, 4096, 100, 0, 0}, {256, 0, 127, 0, 0},
    {256, 0, 128, 0, 0},     {256, 0, 168, 0, 0},    {128, 0, 200, 0, 0},   {64, 0, 255, 0, 0},     {448, 20000, 10, 0, 0},
    {1024, 65536, 30, 0, 0}, {256, 40000, 20, 0, 0}, {256, 16512, 8, 0, 0}, {256, 16384, 8, 0, 0},  {320, 128, 8, 0, 0},
    {192, 9000, 8, 0, 0},    {96, 65536, 8, 0, 0},   {32, 2000, 8, 0, 0},   {512, 32896, 8, 0, 0},  {1024, 16, 60, 0, 0},
    {256, 0, 0, 90, 0},      {256, 0, 0, 94, 0},     {256, 0, 0, 95, 0},    {256, 0, 0, 101, 0},    {256, 0, 20, 0, 50},
    {256, 0, 30, 0, 200},    {64, 0, 255, 0, 255},   {256, 0, 0, 0, 3},
};
enum { N_CASES = sizeof cases / sizeof *cases };

static bool applies(const struct chip *chip, const struct occupancy_case *c)
{
    return c->agpr == 0 || chip->unified_agprs;
}

/* The source of all cases of a chip: HIP without its headers. */
static void write_source(const struct chip *chip, struct text *text)
{
    for (size_t i = 0; i < N_CASES; i++) {
        const struct occupancy_case *c = &cases[i];
        if (!applies(chip, c))
            continue;
        text_append(text,
                    "extern \"C\" __attribute__((global, amdgpu_flat_work_group_size(%u, %u))) void k_%zu(float *p)\n{\n",
                    c->threads, c->threads, i);
        if (c->lds_bytes)
            text_append(
                text,
                "    static __attribute__((shared)) char t[%u];\n    t[__builtin_amdgcn_workitem_id_x() %% %u] = 1;\n"
                "    asm volatile(\"\" ::: \"memory\");\n    p[1] = t[3];\n",
                c->lds_bytes, c->lds_bytes);
        if (c->vgpr)
            text_append(text, "    asm volatile(\"\" ::: \"v%u\");\n", c->vgpr);
        if (c->sgpr)
            text_append(text, "    asm volatile(\"\" ::: \"s%u\");\n", c->sgpr);
        if (c->agpr)
            text_append(text, "    asm volatile(\"\" ::: \"a%u\");\n", c->agpr);
        text_append(text, "    p[0] = 1;\n}\n");
    }
}

static uint32_t printed(const char *from, const char *key)
{
    const char *at = strstr(from, key);
    return at ? (uint32_t)strtoul(at + strlen(key), NULL, 10) : UINT32_MAX;
}

static void compare_case(const struct chip *chip, uint32_t wave_size, bool cu_mode, const char *assembly, size_t index)
{
    char label[32];
    snprintf(label, sizeof label, "\nk_%zu:", index);
    const char *from = strstr(assembly, label);
    assert_non_null(from);
    uint32_t total = printed(from, "; TotalNumVgprs: "), vgprs = printed(from, "; NumVgprs: ");
    struct chip_usage usage = {.wave_size = wave_size,
                               .vgprs = chip->unified_agprs ? total : vgprs,
                               .sgprs = printed(from, "; TotalNumSgprs: "),
                               .lds_bytes = cases[index].lds_bytes,
                               .workgroup_threads = cases[index].threads,
                               .cu_mode = cu_mode};
    uint32_t clang = printed(from, "; Occupancy: "), ours = chip_occupancy(chip, &usage).waves;
    if (clang != ours)
        fail_msg("%s wave%u%s, case %zu (%u threads, %u bytes of LDS, %u VGPRs, %u SGPRs): clang says %u, the table %u",
                 chip->name, wave_size, cu_mode ? " CU mode" : "", index, usage.workgroup_threads, usage.lds_bytes,
                 usage.vgprs, usage.sgprs, clang, ours);
}

static void compare_chip(const char *folder, const struct chip *chip, uint32_t wave_size, bool cu_mode)
{
    char path[SCRATCH_PATH_BYTES], arch[40];
    struct text text = {0};
    write_source(chip, &text);
    assert_true(scratch_write(folder, "occupancy.hip", text.data, path));
    text_free(&text);
    snprintf(arch, sizeof arch, "--offload-arch=%s", chip->name);
    const char *argv[] = {"clang-22",  "-x",        "hip", arch, "--cuda-device-only",
                          "-nogpulib", "-nogpuinc", "-O2", "-S", path,
                          "-o",        "-",         NULL,  NULL, NULL};
    size_t n = 12;
    if (wave_size != chip->default_wave)
        argv[n++] = "-mwavefrontsize64";
    if (cu_mode)
        argv[n++] = "-mcumode";
    char *assembly = scratch_run(argv);
    assert_non_null(assembly);
    for (size_t i = 0; i < N_CASES; i++)
        if (applies(chip, &cases[i]))
            compare_case(chip, wave_size, cu_mode, assembly, i);
    free(assembly);
}

static void occupancy_is_what_clang_prints(void **state)
{
    (void)state;
    char folder[SCRATCH_PATH_BYTES];
    assert_true(scratch_open(folder));
    size_t n_chips;
    const struct chip *chips = chip_table(&n_chips);
    for (size_t i = 0; i < n_chips; i++) {
        compare_chip(folder, &chips[i], chips[i].default_wave, false);
        if (chips[i].has_wave32 && chips[i].has_wave64)
            compare_chip(folder, &chips[i], 64, false);
        if (chips[i].has_wgp && chips[i].of_record)
            compare_chip(folder, &chips[i], 32, true);
    }
    scratch_close(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chips_of_record_come_first_in_order),
        cmocka_unit_test(one_chip_stands_for_each_family),
        cmocka_unit_test(every_row_is_whole_and_found_by_name_and_machine),
        cmocka_unit_test(isa_versions_follow_from_the_names),
        cmocka_unit_test(occupancy_is_what_clang_prints),
    };
    return cmocka_run_group_tests_name("chips", tests, NULL, NULL);
}
