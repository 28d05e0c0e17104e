/* Gate 5: records that are stale, missing or malformed, and launches that do not fit, are each found and named. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "commands/limits_pass.h"
#include "contract/base/file.h"
#include "contract/base/text.h"
#include "records/limits.h"
#include "tests/support/scratch.h"

struct fixture {
    char folder[SCRATCH_PATH_BYTES], path[SCRATCH_PATH_BYTES];
};

static int open_fixture(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    if (!fixture || !scratch_open(fixture->folder))
        return -1;
    *state = fixture;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *fixture = *state;
    scratch_close(fixture->folder);
    free(fixture);
    return 0;
}

static struct code_kernel plain_kernel(void)
{
    return (struct code_kernel){.name = "k",
                                .vgprs = 40,
                                .sgprs = 20,
                                .lds_bytes = 1024,
                                .max_workgroup_threads = 256,
                                .wave_size = 32,
                                .code_bytes = 512,
                                .kernarg_bytes = 280,
                                .descriptor.rsrc1 = 1u << 29};
}

static void every_figure_that_changed_is_told(void **state)
{
    (void)state;
    char text[LIMIT_TEXT_BYTES];
    struct code_kernel kernel = plain_kernel();
    struct record measured = limits_measure(chip_find("gfx1151"), &kernel), committed = measured;
    assert_true(limits_compare(&committed, &measured, NULL, text));
    assert_string_equal(text, "record current");
    assert_false(limits_compare(NULL, &measured, NULL, text));
    assert_string_equal(text, "record missing");
    for (int i = 0; i < RECORD_FIGURE_COUNT; i++) {
        char expected[80], before[RECORD_WORD_BYTES], after[RECORD_WORD_BYTES];
        committed = measured;
        committed.figure[i] += 3;
        assert_false(limits_compare(&committed, &measured, NULL, text));
        record_figure_text(&committed, (enum record_figure)i, before);
        record_figure_text(&measured, (enum record_figure)i, after);
        snprintf(expected, sizeof expected, "record stale: %s %s -> %s", record_figure_name((enum record_figure)i), before,
                 after);
        assert_string_equal(text, expected);
    }
    committed = measured;
    committed.figure[RECORD_kernarg] = RECORD_ABSENT;
    assert_false(limits_compare(&committed, &measured, NULL, text));
    assert_string_equal(text, "record stale: kernarg ? -> 280");
    for (int i = 0; i < RECORD_FIGURE_COUNT; i++)
        committed.figure[i] = measured.figure[i] + 1000000000;
    assert_false(limits_compare(&committed, &measured, NULL, text));
    assert_true(strlen(text) < LIMIT_TEXT_BYTES);
}

static void another_version_of_the_compiler_is_told(void **state)
{
    (void)state;
    char text[LIMIT_TEXT_BYTES];
    struct code_kernel kernel = plain_kernel();
    struct record measured = limits_measure(chip_find("gfx1151"), &kernel), committed = measured;
    static const char old[] = "Debian clang version 22.1.7 (1)", new[] = "Debian clang version 22.1.8 (1~deb12u1)",
                      rebuilt[] = "Debian clang version 22.1.8 (2~deb12u1)";
    assert_true(limits_compare(&committed, &measured, &(struct limit_versions){new, new}, text));
    assert_string_equal(text, "record current");
    assert_true(limits_compare(&committed, &measured, &(struct limit_versions){NULL, new}, text));
    assert_string_equal(text, "record current");
    assert_true(limits_compare(&committed, &measured, &(struct limit_versions){old, new}, text));
    assert_string_equal(text, "record current (recorded with 22.1.7)");
    committed.figure[RECORD_vgprs] = 41;
    assert_false(limits_compare(&committed, &measured, &(struct limit_versions){old, new}, text));
    assert_string_equal(text, "record stale (recorded with 22.1.7, compiled with 22.1.8): vgprs 41 -> 40");
    /* Where the release is the same, its package's version is what differs. */
    assert_false(limits_compare(&committed, &measured, &(struct limit_versions){rebuilt, new}, text));
    assert_string_equal(text, "record stale (recorded with Debian clang version 22.1.8 (2~deb12u1), compiled with Debian "
                              "clang version 22.1.8 (1~deb12u1)): vgprs 41 -> 40");
}

/* On gfx1151 a SIMD has 1536 registers for wave32: 40 registers, allocated as 48, leave room for 32 waves, of which it
 * holds 16. */
static void measured_figures_include_occupancy(void **state)
{
    (void)state;
    struct code_kernel kernel = plain_kernel();
    struct record measured = limits_measure(chip_find("gfx1151"), &kernel);
    assert_int_equal(measured.figure[RECORD_vgprs], 40);
    assert_int_equal(measured.figure[RECORD_bound], 256);
    assert_int_equal(measured.figure[RECORD_occupancy], 16);
    assert_int_equal(measured.figure[RECORD_limit], CHIP_LIMIT_SLOTS);
    assert_int_equal(measured.figure[RECORD_kernarg], 280);
    assert_int_equal(measured.figure[RECORD_dynamic], 0);
    kernel.uses_dynamic_stack = true;
    kernel.vgprs = 145; /* as 168: 9 waves */
    measured = limits_measure(chip_find("gfx1151"), &kernel);
    assert_int_equal(measured.figure[RECORD_occupancy], 9);
    assert_int_equal(measured.figure[RECORD_limit], CHIP_LIMIT_VGPRS);
    assert_int_equal(measured.figure[RECORD_dynamic], 1);
}

static void launches_that_do_not_fit_are_named(void **state)
{
    (void)state;
    const struct chip *chip = chip_find("gfx1151");
    struct code_kernel kernel = plain_kernel();
    static const struct {
        struct limit_launch launch;
        const char *text; /* NULL: fits */
    } cases[] = {
        {{"s", {4, 1, 1}, {256, 1, 1}, .lds_bytes = 0}, NULL},
        {{"s", {4, 1, 1}, {16, 16, 1}, .lds_bytes = 65536 - 1024}, NULL},
        {{"s", {4, 1, 1}, {512, 1, 1}, .lds_bytes = 0}, "launch at s: 512 threads, bound 256"},
        {{"s", {4, 1, 1}, {16, 17, 1}, .lds_bytes = 0}, "launch at s: 272 threads, bound 256"},
        {{"s", {4, 1, 1}, {256, 1, 1}, .lds_bytes = 65536 - 1023},
         "launch at s: 1024 + 64513 bytes of LDS, gfx1151 has 65536"},
        {{"s", {0, 1, 1}, {256, 1, 1}, .lds_bytes = 0}, "launch at s: grid or block is empty in dimension 0"},
        {{"s", {1, 1, 1}, {256, 0, 1}, .lds_bytes = 0}, "launch at s: grid or block is empty in dimension 1"},
        {{"s", {1, 1 << 24, 1}, {1, 256, 1}, .lds_bytes = 0},
         "launch at s: grid 16777216 of 256 work-items in dimension 1, a dispatch counts to 2^32 - 1"},
        {{"s", {1, (1 << 24) - 1, 1}, {1, 256, 1}, .lds_bytes = 0}, NULL},
        {{"s", {1, 1, 1}, {65536, 65536, 1}, .lds_bytes = 0}, "launch at s: 4294967296 threads, bound 256"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[LIMIT_TEXT_BYTES] = "";
        assert_int_equal(limits_launch_fits(chip, &kernel, &cases[i].launch, text), cases[i].text == NULL);
        if (cases[i].text)
            assert_string_equal(text, cases[i].text);
    }
    memcpy(kernel.required_workgroup, (uint32_t[3]){128, 1, 1}, sizeof kernel.required_workgroup);
    char text[LIMIT_TEXT_BYTES];
    assert_false(limits_launch_fits(chip, &kernel, &cases[0].launch, text));
    assert_string_equal(text, "launch at s: block 256,1,1, compiled for 128,1,1");
}

static void launches_for_another_wave_size_are_named(void **state)
{
    (void)state;
    struct code_kernel kernel = plain_kernel();
    struct limit_launch launch = {"s", {4, 1, 1}, {256, 1, 1}, .wave_size = 32};
    char text[LIMIT_TEXT_BYTES];
    assert_true(limits_launch_fits(chip_find("gfx1151"), &kernel, &launch, text));
    kernel.wave_size = 64;
    assert_false(limits_launch_fits(chip_find("gfx90a"), &kernel, &launch, text));
    assert_string_equal(text, "launch at s: written for waves of 32 lanes, compiled for waves of 64 lanes on gfx90a");
    launch.wave_size = 0;
    assert_true(limits_launch_fits(chip_find("gfx90a"), &kernel, &launch, text));
}

/* 208 registers are allocated as 216 on gfx1151: 7 waves a SIMD, so 28 on the four SIMDs of a WGP and 14 on the two of a
 * CU. gfx90a allocates them as 208: 2 waves on each of four SIMDs. */
static void a_workgroup_of_more_waves_than_the_registers_let_in_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *chip;
        uint32_t wave_size, rsrc1, threads;
        const char *text; /* NULL: fits */
    } cases[] = {
        {"gfx1151", 32, 1u << 29, 28 * 32, NULL},
        {"gfx1151", 32, 1u << 29, 28 * 32 + 1,
         "launch at s: 29 waves a workgroup, with 208 VGPRs and 20 SGPRs gfx1151 holds 28"},
        {"gfx1151", 32, 0, 14 * 32, NULL},
        {"gfx1151", 32, 0, 15 * 32, "launch at s: 15 waves a workgroup, with 208 VGPRs and 20 SGPRs gfx1151 holds 14"},
        {"gfx90a", 64, 0, 8 * 64, NULL},
        {"gfx90a", 64, 0, 9 * 64, "launch at s: 9 waves a workgroup, with 208 VGPRs and 20 SGPRs gfx90a holds 8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct code_kernel kernel = plain_kernel();
        kernel.vgprs = 208;
        kernel.wave_size = cases[i].wave_size;
        kernel.descriptor.rsrc1 = cases[i].rsrc1;
        kernel.max_workgroup_threads = 1024;
        struct limit_launch launch = {"s", {4, 1, 1}, {cases[i].threads, 1, 1}, .lds_bytes = 0};
        char text[LIMIT_TEXT_BYTES] = "";
        assert_int_equal(limits_launch_fits(chip_find(cases[i].chip), &kernel, &launch, text), cases[i].text == NULL);
        if (cases[i].text)
            assert_string_equal(text, cases[i].text);
    }
}

/* Eight waves of 40 registers: 16 a SIMD by registers. 128 KiB of LDS in a WGP hold three workgroups of 1024 + 32768 bytes:
 * 24 waves on four SIMDs. */
static void a_launch_has_its_own_occupancy(void **state)
{
    (void)state;
    struct code_kernel kernel = plain_kernel();
    struct limit_launch launch = {"s", {4, 1, 1}, {256, 1, 1}, .lds_bytes = 0};
    assert_int_equal(limits_launch_occupancy(chip_find("gfx1151"), &kernel, &launch), 16);
    launch.lds_bytes = 32768;
    assert_int_equal(limits_launch_occupancy(chip_find("gfx1151"), &kernel, &launch), 6);
    launch.block[0] = 32; /* three waves on four SIMDs */
    assert_int_equal(limits_launch_occupancy(chip_find("gfx1151"), &kernel, &launch), 1);
}

static void a_bound_that_no_launch_uses_is_a_problem(void **state)
{
    (void)state;
    struct code_kernel kernel = plain_kernel();
    char text[LIMIT_TEXT_BYTES];
    const struct limit_launch launches[] = {{"a", {1, 1, 1}, {64, 1, 1}, .lds_bytes = 0},
                                            {"b", {1, 1, 1}, {64, 4, 1}, .lds_bytes = 0}};
    assert_true(limits_bound_is_used(&kernel, launches, 2, text));
    assert_true(limits_bound_is_used(&kernel, NULL, 0, text));
    assert_false(limits_bound_is_used(&kernel, launches, 1, text));
    assert_string_equal(text, "launched at 64 threads where the compiled bound is 256");
}

/* From here: the whole pass, on a family of its own. */
static const char source[] = "#define GLOBAL(n) extern \"C\" __attribute__((global, amdgpu_flat_work_group_size(1, n)))\n"
                             "GLOBAL(64) void twice(float *p) { p[__builtin_amdgcn_workitem_id_x()] *= 2; }\n"
                             "GLOBAL(128) void thrice(float *p) { p[__builtin_amdgcn_workitem_id_x()] *= 3; }\n";

static bool plan_64(const struct reg_shape *shape, struct reg_plan *plan, struct error *error)
{
    if (shape->dim[0] > 1000)
        return error_set(error, STATUS_USAGE, "more than 1000 rows");
    *plan = (struct reg_plan){.grid = {(uint32_t)shape->dim[0], 1, 1},
                              .block = {(uint32_t)shape->dim[1], 1, 1},
                              .lds_bytes = (uint32_t)shape->dim[2]};
    return true;
}

static const struct reg_shape fitting[] = {{.label = "1x64", .dim = {1, 64}}},
                              both_bounds[] = {{.label = "1x64", .dim = {1, 64}}, {.label = "2x128", .dim = {2, 128}}},
                              too_many[] = {{.label = "1x65", .dim = {1, 65}}, {.label = "1x64", .dim = {1, 64}}},
                              half_the_lds[] = {{.label = "1x64+32K", .dim = {1, 64, 32768}}},
                              refused[] = {{.label = "1001x64", .dim = {1001, 64}}, {.label = "1x64", .dim = {1, 64}}};

struct pass_run {
    struct limits_totals totals;
    struct text said; /* "CHIP NAME text\n", "!" before problems */
};

static void collect(void *context, const struct limits_result *result)
{
    struct pass_run *run = context;
    text_append(&run->said, "%s%s %s %s\n", result->problem ? "!" : "", result->chip, result->name, result->text);
}

static struct registration make_registration(const struct fixture *fixture, const char *symbol,
                                             const struct reg_shape *shapes, size_t n_shapes)
{
    return (struct registration){.name = symbol,
                                 .family = "twice",
                                 .source = fixture->path,
                                 .symbol = symbol,
                                 .shapes = shapes,
                                 .n_shapes = n_shapes,
                                 .plan = plan_64};
}

static struct pass_run run_pass_as(const struct fixture *fixture, struct registration registrations[],
                                   size_t n_registrations, struct limits_options options)
{
    const struct registration *list[4];
    for (size_t i = 0; i < n_registrations; i++)
        list[i] = &registrations[i];
    struct registry registry = {.registrations = list, .n_registrations = n_registrations};
    static const char *const chips[] = {"gfx1151", "gfx90a"};
    options.chips = chips;
    options.n_chips = options.n_chips ? options.n_chips : 2;
    options.n_jobs = 2;
    options.records_directory = fixture->folder;
    struct pass_run run = {0};
    struct error error;
    struct toolchain *toolchain = toolchain_open(NULL, &error);
    assert_non_null(toolchain);
    if (!limits_pass(&registry, toolchain, &options, collect, &run, &run.totals, &error))
        text_append(&run.said, "error %d: %s\n", error.status, error.text);
    toolchain_close(toolchain);
    return run;
}

static struct pass_run run_pass(const struct fixture *fixture, struct registration registrations[], size_t n_registrations,
                                bool update)
{
    return run_pass_as(fixture, registrations, n_registrations, (struct limits_options){.update = update});
}

static void expect(struct pass_run run, size_t n_problems, const char *words)
{
    assert_non_null(run.said.data);
    if (run.totals.n_problems != n_problems || !strstr(run.said.data, words))
        fail_msg("%zu problems, not %zu, or \"%s\" is not in:\n%s", run.totals.n_problems, n_problems, words,
                 run.said.data);
    text_free(&run.said);
}

static void edit(const char *path, const char *from, const char *to)
{
    char *text;
    size_t n_bytes;
    struct error error;
    assert_true(file_read(path, &text, &n_bytes, &error));
    char *at = strstr(text, from);
    assert_non_null(at);
    assert_int_equal(strlen(from), strlen(to));
    memcpy(at, to, strlen(to));
    assert_true(file_write(path, text, n_bytes, &error));
    free(text);
}

/* A source of two kernels, their registrations, and where their records are. */
static void write_both(struct fixture *fixture, struct registration both[2], char records[SCRATCH_PATH_BYTES])
{
    assert_true(scratch_write(fixture->folder, "twice.hip", source, fixture->path));
    snprintf(records, SCRATCH_PATH_BYTES, "%.300s/debian-clang-22/twice.txt", fixture->folder);
    both[0] = make_registration(fixture, "thrice", both_bounds, 2);
    both[1] = make_registration(fixture, "twice", fitting, 1);
}

static void the_pass_finds_missing_current_stale_and_left_over_records(void **state)
{
    struct fixture *fixture = *state;
    char records[SCRATCH_PATH_BYTES];
    struct registration both[2];
    write_both(fixture, both, records);
    expect(run_pass(fixture, both, 2, false), 4, "!gfx1151 twice record missing");
    struct pass_run update = run_pass(fixture, both, 2, true);
    assert_int_equal(update.totals.n_files_written, 1);
    expect(update, 0, "gfx90a thrice record written (was: missing)");
    struct pass_run current = run_pass(fixture, both, 2, false);
    assert_int_equal(current.totals.n_cached, 2);
    expect(current, 0, "gfx90a twice record current");
    /* One number changed in the file is found, and named with what was compiled. */
    edit(records, " 128   32", " 256   32");
    expect(run_pass(fixture, both, 2, false), 1, "!gfx1151 thrice record stale: bound 256 -> 128");
    edit(records, "twice    gfx90a", "nobody   gfx90a");
    expect(run_pass(fixture, both, 2, false), 4, "!gfx90a nobody record orphan: family twice has no such kernel any more");
    expect(run_pass(fixture, both, 2, true), 0, "gfx90a nobody record removed");
    expect(run_pass(fixture, both, 2, false), 0, "gfx1151 thrice record current");
    edit(records, "twice    gfx90a", "twice    gfx9 a");
    struct pass_run cut = run_pass(fixture, both, 2, false);
    assert_int_equal(limits_status(&cut.totals), STATUS_USAGE);
    expect(cut, 2, "!gfx90a twice record missing");
}

/* A folder stands where the file was. */
static void records_that_cannot_be_read_are_not_said_to_be_missing(void **state)
{
    struct fixture *fixture = *state;
    char records[SCRATCH_PATH_BYTES];
    struct registration both[2];
    write_both(fixture, both, records);
    expect(run_pass(fixture, both, 2, true), 0, "written");
    assert_int_equal(unlink(records), 0);
    assert_int_equal(mkdir(records, 0700), 0);
    struct pass_run unread = run_pass(fixture, both, 2, false);
    assert_int_equal(limits_status(&unread.totals), STATUS_USAGE);
    assert_null(strstr(unread.said.data, "missing"));
    expect(unread, 1, "twice.txt:0: cannot be read: ");
    struct pass_run update = run_pass(fixture, both, 2, true);
    assert_int_equal(update.totals.n_files_written, 0);
    expect(update, 0, "error 2: ");
}

/* A record file of debian-clang-22 beside twice.txt: that of a family that nothing registers. */
static void write_gone_family(const struct fixture *fixture, const char *lines, char path[SCRATCH_PATH_BYTES])
{
    snprintf(path, SCRATCH_PATH_BYTES, "%.300s/debian-clang-22/gone.txt", fixture->folder);
    struct error error;
    assert_true(file_write(path, lines, strlen(lines), &error));
}

static void records_of_a_family_that_is_gone_are_orphans(void **state)
{
    struct fixture *fixture = *state;
    char gone[SCRATCH_PATH_BYTES];
    assert_true(scratch_write(fixture->folder, "twice.hip", source, fixture->path));
    struct registration both[] = {make_registration(fixture, "thrice", both_bounds, 2),
                                  make_registration(fixture, "twice", fitting, 1)};
    expect(run_pass(fixture, both, 2, true), 0, "written");
    write_gone_family(fixture, "# kernel chip vgprs\nk gfx1151 1\nk gfx90a 1\nk gfx942 1\n", gone);
    expect(run_pass(fixture, both, 2, false), 2, "!gfx1151 k record orphan: there is no family gone any more\n");
    static const char *const only[] = {"twice"};
    expect(run_pass_as(fixture, both, 2, (struct limits_options){.only = only, .n_only = 1}), 0, "twice record current");
    /* What was not asked for stays, and the file with it. */
    struct pass_run update = run_pass(fixture, both, 2, true);
    assert_int_equal(update.totals.n_files_written, 1);
    expect(update, 0, "gfx90a k record removed: there is no family gone any more\n");
    expect(run_pass(fixture, both, 2, false), 0, "record current");
    assert_true(file_exists(gone));
    write_gone_family(fixture, "# kernel chip vgprs\nk gfx90a 1\nk gfx90\n", gone);
    struct pass_run unread = run_pass(fixture, both, 2, false);
    assert_int_equal(limits_status(&unread.totals), STATUS_USAGE);
    expect(unread, 2, "gone.txt:3: 2 columns, a record has 3\n");
    expect(run_pass(fixture, both, 2, true), 0, "nothing is written: mend or delete that line first");
    assert_true(file_exists(gone));
    write_gone_family(fixture, "# kernel chip vgprs\nk gfx90a 1\n", gone);
    expect(run_pass(fixture, both, 2, true), 0, "gfx90a k record removed");
    assert_false(file_exists(gone));
}

static void records_of_a_chip_that_a_family_is_for_no_longer_are_orphans(void **state)
{
    struct fixture *fixture = *state;
    assert_true(scratch_write(fixture->folder, "twice.hip", source, fixture->path));
    struct registration both[] = {make_registration(fixture, "thrice", both_bounds, 2),
                                  make_registration(fixture, "twice", fitting, 1)};
    expect(run_pass(fixture, both, 2, true), 0, "written");
    both[0].chips = both[1].chips = "gfx1151";
    expect(run_pass(fixture, both, 2, false), 2, "!gfx90a twice record orphan: family twice is not for gfx90a any more\n");
    /* Nor is it compiled for the one chip that is asked for. */
    both[0].chips = both[1].chips = "gfx90a";
    expect(run_pass_as(fixture, both, 2, (struct limits_options){.n_chips = 1}), 2,
           "!gfx1151 twice record orphan: family twice is not for gfx1151 any more\n");
    expect(run_pass_as(fixture, both, 2, (struct limits_options){.n_chips = 1, .update = true}), 0,
           "gfx1151 thrice record removed: family twice is not for gfx1151 any more\n");
    expect(run_pass(fixture, both, 2, false), 0, "gfx90a twice record current");
}

static void the_pass_finds_launches_that_do_not_fit(void **state)
{
    struct fixture *fixture = *state;
    assert_true(scratch_write(fixture->folder, "twice.hip", source, fixture->path));
    struct registration good[] = {make_registration(fixture, "thrice", both_bounds, 2),
                                  make_registration(fixture, "twice", fitting, 1)};
    expect(run_pass(fixture, good, 2, true), 0, "written");
    struct registration over[] = {good[0], make_registration(fixture, "twice", too_many, 2)};
    expect(run_pass(fixture, over, 2, false), 2, "!gfx90a twice launch at 1x65: 65 threads, bound 64");
    struct registration under[] = {make_registration(fixture, "thrice", fitting, 1), good[1]};
    expect(run_pass(fixture, under, 2, false), 2, "!gfx1151 thrice launched at 64 threads where the compiled bound is 128");
    struct registration refusing[] = {good[0], make_registration(fixture, "twice", refused, 2)};
    expect(run_pass(fixture, refusing, 2, false), 2, "!gfx1151 twice launch at 1001x64: refused: more than 1000 rows");
    struct registration of_wave32[] = {good[0], good[1]};
    of_wave32[1].wave_size = 32;
    expect(run_pass(fixture, of_wave32, 2, false), 1,
           "!gfx90a twice launch at 1x64: written for waves of 32 lanes, compiled for waves of 64 lanes on gfx90a");
    struct registration absent[] = {good[0], good[1], make_registration(fixture, "absent", fitting, 1)};
    expect(run_pass(fixture, absent, 3, false), 2, "!gfx1151 absent kernel absent is not in the code object of ");
}

static void the_pass_holds_kernels_to_their_budgets(void **state)
{
    struct fixture *fixture = *state;
    assert_true(scratch_write(fixture->folder, "twice.hip", source, fixture->path));
    struct registration kept[] = {make_registration(fixture, "thrice", both_bounds, 2),
                                  make_registration(fixture, "twice", fitting, 1)};
    const struct reg_budget met[] = {{.no_scratch = true, .most_vgprs = 32, .least_waves = 8},
                                     {.chips = "gfx1151", .least_waves = 16}};
    kept[1].budgets = met;
    kept[1].n_budgets = 2;
    expect(run_pass(fixture, kept, 2, true), 0, "written");
    struct registration tight[] = {kept[0], kept[1]};
    const struct reg_budget one_vgpr[] = {{.most_vgprs = 1}}, nine_waves[] = {{.chips = "gfx90a", .least_waves = 9}};
    tight[1].budgets = one_vgpr;
    tight[1].n_budgets = 1;
    expect(run_pass(fixture, tight, 2, false), 2, " VGPRs, the budget is 1\n");
    /* gfx90a holds 8 waves a SIMD. The row is not for gfx1151. */
    tight[1].budgets = nine_waves;
    expect(run_pass(fixture, tight, 2, false), 1,
           "!gfx90a twice over budget: 8 waves a SIMD, the budget wants 9\ngfx90a thrice record current");
    /* 128 KiB hold four workgroups of 32 KiB and two waves on gfx1151's four SIMDs. */
    struct registration lds[] = {kept[0], make_registration(fixture, "twice", half_the_lds, 1)};
    lds[1].budgets = met;
    lds[1].n_budgets = 2;
    expect(run_pass(fixture, lds, 2, false), 2,
           "!gfx1151 twice over budget: launch at 1x64+32K: 2 waves a SIMD, the budget wants 16\n");
}

/* A launcher's own launches, which no plan says, may be those that use the bound. */
static void the_bound_of_a_kernel_that_a_launcher_has_too_may_be_the_launchers(void **state)
{
    struct fixture *fixture = *state;
    const struct reg_launcher launcher = {.kernels = {"thrice"}};
    assert_true(scratch_write(fixture->folder, "twice.hip", source, fixture->path));
    struct registration both[] = {make_registration(fixture, "thrice", fitting, 1),
                                  make_registration(fixture, "twice", fitting, 1),
                                  make_registration(fixture, "launched", fitting, 1)};
    both[2].symbol = NULL;
    both[2].launcher = &launcher;
    expect(run_pass(fixture, both, 3, true), 0, "written");
    expect(run_pass(fixture, both, 2, false), 2, "!gfx1151 thrice launched at 64 threads where the compiled bound is 128");
}

static void a_family_that_does_not_compile_is_a_problem_of_its_chip(void **state)
{
    struct fixture *fixture = *state;
    assert_true(
        scratch_write(fixture->folder, "twice.hip",
                      "#ifdef __gfx90a__\n#error not here\n#endif\n"
                      "extern \"C\" __attribute__((global, amdgpu_flat_work_group_size(1, 64))) void twice(float *p) {}\n",
                      fixture->path));
    struct registration one[] = {make_registration(fixture, "twice", fitting, 1)};
    expect(run_pass(fixture, one, 1, true), 1, "!gfx90a twice family twice for gfx90a does not compile: ");
    expect(run_pass(fixture, one, 1, false), 1, "gfx1151 twice record current");
}

/* Not the project's: what it refuses is counted by kernel, and red only where a record says that it once did not. */
static void what_an_optional_compiler_refuses_is_counted(void **state)
{
    struct fixture *fixture = *state;
    static const char here[] =
        "extern \"C\" __attribute__((global, amdgpu_flat_work_group_size(1, 64))) void twice(float *p) {}\n",
                      not_there[] =
                          "#ifdef __gfx90a__\n#error not here\n#endif\n"
                          "extern \"C\" __attribute__((global, amdgpu_flat_work_group_size(1, 64))) void twice(float "
                          "*p) {}\n";
    struct registration one[] = {make_registration(fixture, "twice", fitting, 1)};
    const struct limits_options writing = {.update = true, .is_optional = true}, reading = {.is_optional = true};
    assert_true(scratch_write(fixture->folder, "twice.hip", not_there, fixture->path));
    struct pass_run counted = run_pass_as(fixture, one, 1, writing);
    assert_int_equal(counted.totals.n_not_compiled, 1);
    expect(counted, 0, "gfx90a twice not compiled by clang-22: family twice for gfx90a does not compile: ");
    expect(run_pass_as(fixture, one, 1, reading), 0, "gfx1151 twice record current");
    assert_true(scratch_write(fixture->folder, "twice.hip", here, fixture->path));
    expect(run_pass_as(fixture, one, 1, writing), 0, "gfx90a twice record written (was: missing)");
    assert_true(scratch_write(fixture->folder, "twice.hip", not_there, fixture->path));
    struct pass_run lost = run_pass_as(fixture, one, 1, reading);
    assert_int_equal(limits_status(&lost.totals), STATUS_RED);
    expect(lost, 1, "!gfx90a twice not compiled by clang-22, its record says that it was: ");
}

/* One version's figures are not put under another's name. */
static void an_update_in_part_by_another_version_writes_nothing(void **state)
{
    struct fixture *fixture = *state;
    char records[SCRATCH_PATH_BYTES];
    struct registration both[2];
    write_both(fixture, both, records);
    expect(run_pass(fixture, both, 2, true), 0, "written");
    edit(records, "clang version 22.1.", "clang version 22.0.");
    expect(run_pass(fixture, both, 2, false), 0, "record current (recorded with 22.0.");
    edit(records, " 128   32", " 256   32");
    expect(run_pass(fixture, both, 2, false), 1, "record stale (recorded with 22.0.");
    const struct limits_options one_chip = {.update = true, .n_chips = 1};
    expect(run_pass_as(fixture, both, 2, one_chip), 0,
           ": nothing is written; update all of the family for all of its chips at once");
    expect(run_pass(fixture, both, 2, false), 1, "record stale (recorded with 22.0.");
    expect(run_pass(fixture, both, 2, true), 0, "written");
    expect(run_pass(fixture, both, 2, false), 0, "gfx1151 thrice record current\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        TEST(every_figure_that_changed_is_told),
        TEST(another_version_of_the_compiler_is_told),
        TEST(measured_figures_include_occupancy),
        TEST(launches_that_do_not_fit_are_named),
        TEST(launches_for_another_wave_size_are_named),
        TEST(a_workgroup_of_more_waves_than_the_registers_let_in_is_named),
        TEST(a_launch_has_its_own_occupancy),
        TEST(a_bound_that_no_launch_uses_is_a_problem),
        TEST(the_pass_finds_missing_current_stale_and_left_over_records),
        TEST(records_that_cannot_be_read_are_not_said_to_be_missing),
        TEST(records_of_a_family_that_is_gone_are_orphans),
        TEST(records_of_a_chip_that_a_family_is_for_no_longer_are_orphans),
        TEST(the_pass_finds_launches_that_do_not_fit),
        TEST(the_pass_holds_kernels_to_their_budgets),
        TEST(the_bound_of_a_kernel_that_a_launcher_has_too_may_be_the_launchers),
        TEST(a_family_that_does_not_compile_is_a_problem_of_its_chip),
        TEST(what_an_optional_compiler_refuses_is_counted),
        TEST(an_update_in_part_by_another_version_writes_nothing),
    };
    return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
