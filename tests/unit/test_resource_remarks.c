/* What records hold of a kernel is what its compiler says of it while it compiles: the remarks of
 * -Rpass-analysis=kernel-resource-usage, with the occupancy that the compiler reckons itself. One source of each family,
 * the smallest; HIPCONTRACT_ALL_SOURCES=1 in the environment takes them all, for minutes. Under a sanitizer, which sees
 * nothing of compilers, one family. */
#include <dirent.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "contract/base/file.h"
#include "contract/base/parallel.h"
#include "contract/base/text.h"
#include "contract/registry_list.h"
#include "records/limits.h"
#include "tests/support/scratch.h"
#include "toolchain/profile.h"
#include "toolchain/toolchain.h"

enum { MAX_SOURCES = 64, MAX_UNITS = 512 };

struct source {
    const struct registration *of;
    long long n_bytes;
};

struct unit {
    const struct source *source;
    const struct chip *chip;
    struct compiled compiled;
    struct error error;
    bool ok;
};

struct fixture {
    struct arena arena;
    struct registry registry;
    struct source sources[MAX_SOURCES];
    int n_sources;
    char folder[SCRATCH_PATH_BYTES];
    struct toolchain *toolchain;
    struct unit units[MAX_UNITS];
    int n_units;
    int n_compared, n_refused;
};

static long long size_of(const struct registration *of)
{
    struct stat facts;
    char path[SCRATCH_PATH_BYTES];
    const char *root = getenv("HIPCONTRACT_ROOT");
    snprintf(path, sizeof path, "%s/%s", root ? root : ".", of->source);
    return stat(path, &facts) == 0 ? (long long)facts.st_size : 1LL << 40;
}

#ifdef __SANITIZE_ADDRESS__
static const char *const families = "softmax";
#else
static const char *const families = "*";
#endif

/* A source that is to be compiled: of a family the smallest, or every one. */
static void add_source(struct fixture *fixture, const struct registration *of)
{
    struct source added = {of, size_of(of)};
    bool all = getenv("HIPCONTRACT_ALL_SOURCES") != NULL;
    if (fnmatch(families, of->family, 0) != 0)
        return;
    for (int i = 0; i < fixture->n_sources; i++) {
        struct source *old = &fixture->sources[i];
        if (all ? strcmp(old->of->source, of->source) != 0 : strcmp(old->of->family, of->family) != 0)
            continue;
        if (added.n_bytes < old->n_bytes)
            *old = added;
        return;
    }
    assert_true(fixture->n_sources < MAX_SOURCES);
    fixture->sources[fixture->n_sources++] = added;
}

static int open_fixture(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct error error = {0};
    if (!fixture || !registry_collect(&fixture->arena, &fixture->registry, &error))
        return -1;
    for (size_t i = 0; i < fixture->registry.n_registrations; i++)
        add_source(fixture, fixture->registry.registrations[i]);
    *state = fixture;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *fixture = *state;
    arena_free(&fixture->arena);
    free(fixture);
    return 0;
}

/* A compiler that is the real one and asks for remarks; what each compile says lies in a file CHIP.PID of the folder. */
static struct toolchain *open_compiler(const struct fixture *fixture, const struct profile *profile)
{
    char script[3 * PATH_MAX], path[SCRATCH_PATH_BYTES], linker[SCRATCH_PATH_BYTES], cache[SCRATCH_PATH_BYTES];
    struct error error = {0};
    snprintf(script, sizeof script,
             "#!/bin/sh\n[ \"$1\" != --version ] || exec echo '%s'\n"
             "for word; do case $word in --offload-arch=*) chip=${word#*=} ;; esac; done\n"
             "case \" $* \" in *' -E '*|*' -emit-llvm '*) exec %s \"$@\" ;; esac\n"
             "exec %s \"$@\" -Rpass-analysis=kernel-resource-usage 2>\"%s/$chip.$$\"\n",
             profile->version, profile->executable, profile->executable, fixture->folder);
    assert_true(scratch_write(fixture->folder, "ld.lld", "", linker));
    assert_true(scratch_write(fixture->folder, "compiler", script, path));
    free(scratch_run((const char *const[]){"chmod", "+x", path, linker, NULL}));
    struct profile scripted = *profile;
    snprintf(scripted.executable, sizeof scripted.executable, "%s", path);
    snprintf(cache, sizeof cache, "%.400s/cache", fixture->folder);
    struct toolchain *toolchain = toolchain_open_profile(&scripted, cache, &error);
    if (!toolchain)
        fail_msg("%s", error.text);
    return toolchain;
}

static void compile_unit(void *context, int64_t item)
{
    struct fixture *fixture = context;
    struct unit *unit = &fixture->units[item];
    const struct registration *of = unit->source->of;
    struct compile_request request = {
        .source_path = of->source, .family = of->family, .chip = unit->chip->name, .is_quiet = true};
    unit->ok = toolchain_compile(fixture->toolchain, &request, &unit->compiled, &unit->error);
}

static bool is_for(const struct fixture *fixture, const struct source *source, const struct chip *chip)
{
    for (size_t i = 0; i < fixture->registry.n_registrations; i++)
        if (registrations_share_source(fixture->registry.registrations[i], source->of) &&
            registration_is_for(fixture->registry.registrations[i], chip->name))
            return true;
    return false;
}

static void compile_units(struct fixture *fixture)
{
    size_t n_chips;
    const struct chip *chips = chip_table(&n_chips);
    fixture->n_units = 0;
    for (size_t c = 0; c < n_chips; c++)
        for (int i = 0; i < fixture->n_sources && chips[c].of_record; i++)
            if (toolchain_knows_chip(fixture->toolchain, chips[c].name) &&
                is_for(fixture, &fixture->sources[i], &chips[c])) {
                assert_true(fixture->n_units < MAX_UNITS);
                fixture->units[fixture->n_units++] = (struct unit){.source = &fixture->sources[i], .chip = &chips[c]};
            }
    parallel_for(parallel_processors(), fixture->n_units, compile_unit, fixture);
}

/* All that was said while compiling for a chip. The caller frees. */
static struct text remarks_for(const struct fixture *fixture, const char *chip)
{
    struct text text = {0};
    DIR *folder = opendir(fixture->folder);
    assert_non_null(folder);
    size_t length = strlen(chip);
    for (const struct dirent *file; (file = readdir(folder));) {
        char path[SCRATCH_PATH_BYTES * 2], *data;
        size_t n_bytes;
        struct error error;
        if (strncmp(file->d_name, chip, length) != 0 || file->d_name[length] != '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", fixture->folder, file->d_name);
        assert_true(file_read(path, &data, &n_bytes, &error));
        text_append(&text, "%s", data);
        free(data);
    }
    closedir(folder);
    return text;
}

/* Where a kernel's remarks begin, and end: at the next kernel's. NULL where there are none. */
static const char *find_remarks(const char *all, const char *kernel, const char **end)
{
    static const char begin[] = "Function Name: ";
    for (const char *at = all; (at = strstr(at, begin));) {
        at += strlen(begin);
        size_t length = strlen(kernel);
        if (strncmp(at, kernel, length) != 0 || at[length] != ' ')
            continue;
        *end = strstr(at, begin);
        if (!*end)
            *end = at + strlen(at);
        return at;
    }
    return NULL;
}

/* The number of a remark, "True" and "False" as 1 and 0; -1 where it is not said. */
static long long said(const char *from, const char *end, const char *key)
{
    const char *at = strstr(from, key);
    if (!at || at >= end)
        return -1;
    at += strlen(key);
    return strncmp(at, "True", 4) == 0 ? 1 : strncmp(at, "False", 5) == 0 ? 0 : strtoll(at, NULL, 10);
}

static void compare(const struct unit *unit, const struct record *record, int major, const char *from, const char *end)
{
    long long vgprs = said(from, end, " VGPRs: "), agprs = said(from, end, " AGPRs: ");
    if (!chip_is_cdna(unit->chip) && agprs < 0)
        agprs = 0; /* there are none to speak of */
    /* Old compilers count the SGPRs without VCC and the like, and say nothing of a dynamic stack. */
    long long sgprs = said(from, end, " TotalSGPRs: "), dynamic = said(from, end, " Dynamic Stack: ");
    long long both = unit->chip->unified_agprs && agprs ? (vgprs + 3) / 4 * 4 + agprs : vgprs;
    const struct {
        enum record_figure figure;
        long long said;
    } figures[] = {
        {RECORD_vgprs, both},
        {RECORD_agprs, agprs},
        {RECORD_sgprs, sgprs >= 0 ? sgprs : said(from, end, " SGPRs: ")},
        {RECORD_private, said(from, end, " ScratchSize [bytes/lane]: ")},
        {RECORD_vspills, said(from, end, " VGPRs Spill: ")},
        {RECORD_sspills, said(from, end, " SGPRs Spill: ")},
        {RECORD_lds, said(from, end, " LDS Size [bytes/block]: ")},
        /* clang 15 takes gfx1100 for a chip of 1024 VGPRs a SIMD. */
        {RECORD_occupancy, major >= 16 ? said(from, end, " Occupancy [waves/SIMD]: ") : record->figure[RECORD_occupancy]},
        {RECORD_dynamic, dynamic >= 0 ? dynamic : record->figure[RECORD_dynamic]},
    };
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (figures[i].said != record->figure[figures[i].figure])
            fail_msg("%s %s: %s is %u, the compiler says %lld", unit->chip->name, record->kernel,
                     record_figure_name(figures[i].figure), record->figure[figures[i].figure], figures[i].said);
}

static void compare_unit(struct fixture *fixture, const struct unit *unit, int major)
{
    struct code_object object;
    struct error error;
    struct text remarks = remarks_for(fixture, unit->chip->name);
    assert_true(code_object_parse(unit->compiled.bytes, unit->compiled.n_bytes, unit->source->of->source, &object, &error));
    for (size_t i = 0; i < object.n_kernels; i++) {
        const char *end = NULL, *from = find_remarks(remarks.data, object.kernels[i].name, &end);
        struct record record = limits_measure(unit->chip, &object.kernels[i]);
        if (!from)
            fail_msg("%s %s: the compiler says nothing", unit->chip->name, record.kernel);
        compare(unit, &record, major, from, end);
        fixture->n_compared++;
    }
    code_object_free(&object);
    text_free(&remarks);
}

static void records_are_what_each_compiler_says(void **state)
{
    struct fixture *fixture = *state;
    static struct profile profiles[PROFILE_MOST];
    size_t n_profiles = profile_find_all(profiles, PROFILE_MOST);
    assert_true(n_profiles > 0);
    for (size_t p = 0; p < n_profiles; p++) {
        if (profiles[p].kind != PROFILE_DEBIAN)
            continue; /* its compiler brings its device libraries from where it lies */
        fixture->n_compared = fixture->n_refused = 0;
        assert_true(scratch_open(fixture->folder));
        fixture->toolchain = open_compiler(fixture, &profiles[p]);
        compile_units(fixture);
        for (int i = 0; i < fixture->n_units; i++) {
            struct unit *unit = &fixture->units[i];
            if (unit->ok)
                compare_unit(fixture, unit, profile_major(&profiles[p]));
            else if (p == 0)
                fail_msg("%s", unit->error.text);
            fixture->n_refused += !unit->ok;
            compiled_free(&unit->compiled);
        }
        print_message("%s: %d kernels compared, %d sources not compiled\n", profiles[p].name, fixture->n_compared,
                      fixture->n_refused);
        assert_true(fixture->n_compared > 0);
        toolchain_close(fixture->toolchain);
        scratch_close(fixture->folder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(records_are_what_each_compiler_says)};
    return cmocka_run_group_tests_name("resource remarks", tests, open_fixture, close_fixture);
}
