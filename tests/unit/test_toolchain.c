/* The cache is keyed by content: whatever can change the code object changes the key, and nothing stale is ever served. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "contract/base/clock.h"
#include "contract/base/file.h"
#include "device/code_object.h"
#include "tests/support/room.h"
#include "tests/support/scratch.h"
#include "toolchain/cache.h"
#include "toolchain/cache_entries.h"
#include "toolchain/process.h"
#include "toolchain/toolchain.h"

/* HIP without its headers, so that a compile takes little time. */
static const char source[] = "#include \"factor.h\"\n"
                             "extern \"C\" __attribute__((global)) void scale(float *p)\n"
                             "{\n"
                             "    p[__builtin_amdgcn_workitem_id_x()] *= 1.25f * FACTOR;\n"
                             "}\n"
                             "// after the kernel\n";
static const char other_body[] = "#include \"factor.h\"\n"
                                 "extern \"C\" __attribute__((global)) void scale(float *p)\n"
                                 "{\n"
                                 "    p[__builtin_amdgcn_workitem_id_x()] *= 1.50f * FACTOR;\n"
                                 "}\n";
static const char header[] = "#ifndef FACTOR\n#define FACTOR 3.0f\n#endif\n";

struct fixture {
    char folder[SCRATCH_PATH_BYTES], cache[SCRATCH_PATH_BYTES], path[SCRATCH_PATH_BYTES];
    struct toolchain *toolchain;
};

static void write_sources(struct fixture *fixture, const char *body, const char *included)
{
    char path[SCRATCH_PATH_BYTES];
    assert_true(scratch_write(fixture->folder, "factor.h", included, path));
    assert_true(scratch_write(fixture->folder, "scale.hip", body, fixture->path));
}

static int open_fixture(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct error error = {0};
    if (!fixture || !scratch_open(fixture->folder))
        return -1;
    snprintf(fixture->cache, sizeof fixture->cache, "%.400s/cache", fixture->folder);
    fixture->toolchain = toolchain_open(fixture->cache, &error);
    if (!fixture->toolchain) {
        print_error("%s\n", error.text);
        return -1;
    }
    write_sources(fixture, source, header);
    *state = fixture;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *fixture = *state;
    toolchain_close(fixture->toolchain);
    scratch_close(fixture->folder);
    free(fixture);
    return 0;
}

struct variant {
    const char *chip, *define, *optimisation;
    unsigned wave_size;
};

static struct compiled compile(const struct fixture *fixture, struct variant variant)
{
    struct compile_request request = {.source_path = fixture->path,
                                      .family = "scale",
                                      .chip = variant.chip ? variant.chip : "gfx1151",
                                      .defines = &variant.define,
                                      .n_defines = variant.define != NULL,
                                      .optimisation = variant.optimisation,
                                      .wave_size = variant.wave_size};
    struct compiled compiled;
    struct error error = {0};
    if (!toolchain_compile(fixture->toolchain, &request, &compiled, &error))
        fail_msg("%s", error.text);
    return compiled;
}

/* The variant is compiled, not taken from the cache, and has another key than the plain one; asked again, it is a hit. */
static void expect_miss_then_hit(const struct fixture *fixture, struct variant variant, struct hash128 plain)
{
    struct compiled first = compile(fixture, variant), second = compile(fixture, variant);
    assert_false(first.from_cache);
    assert_false(hash_equal(first.key, plain));
    assert_true(second.from_cache);
    assert_true(hash_equal(first.key, second.key));
    assert_int_equal(first.n_bytes, second.n_bytes);
    assert_memory_equal(first.bytes, second.bytes, first.n_bytes);
    compiled_free(&first);
    compiled_free(&second);
}

static void the_same_source_is_compiled_once(void **state)
{
    const struct fixture *fixture = *state;
    struct compiled first = compile(fixture, (struct variant){0}), second = compile(fixture, (struct variant){0});
    assert_false(first.from_cache);
    assert_true(second.from_cache);
    assert_memory_equal(first.bytes, second.bytes, first.n_bytes);
    compiled_free(&first);
    compiled_free(&second);
}

static void chip_flags_and_definitions_are_in_the_key(void **state)
{
    const struct fixture *fixture = *state;
    struct compiled plain = compile(fixture, (struct variant){0});
    expect_miss_then_hit(fixture, (struct variant){.chip = "gfx1100"}, plain.key);
    expect_miss_then_hit(fixture, (struct variant){.chip = "gfx90a"}, plain.key);
    expect_miss_then_hit(fixture, (struct variant){.define = "FACTOR=4.0f"}, plain.key);
    expect_miss_then_hit(fixture, (struct variant){.define = "UNUSED"}, plain.key);
    expect_miss_then_hit(fixture, (struct variant){.optimisation = "-O0"}, plain.key);
    expect_miss_then_hit(fixture, (struct variant){.wave_size = 64}, plain.key);
    compiled_free(&plain);
}

static void a_constant_in_a_kernel_body_changes_the_key(void **state)
{
    struct fixture *fixture = *state;
    struct compiled plain = compile(fixture, (struct variant){0});
    write_sources(fixture, other_body, header);
    expect_miss_then_hit(fixture, (struct variant){0}, plain.key);
    write_sources(fixture, source, header);
    struct compiled again = compile(fixture, (struct variant){0});
    assert_true(again.from_cache && hash_equal(again.key, plain.key));
    compiled_free(&again);
    compiled_free(&plain);
}

static void a_constant_in_an_included_header_changes_the_key(void **state)
{
    struct fixture *fixture = *state;
    struct compiled plain = compile(fixture, (struct variant){0});
    write_sources(fixture, source, "#ifndef FACTOR\n#define FACTOR 7.0f\n#endif\n");
    expect_miss_then_hit(fixture, (struct variant){0}, plain.key);
    compiled_free(&plain);
}

static void a_constant_in_a_headers_inline_function_changes_the_key(void **state)
{
    static const char function[] = "static inline __attribute__((device)) float factor() { return %s; }\n"
                                   "#define FACTOR factor()\n";
    struct fixture *fixture = *state;
    char text[256];
    snprintf(text, sizeof text, function, "3.0f");
    write_sources(fixture, source, text);
    struct compiled plain = compile(fixture, (struct variant){0});
    snprintf(text, sizeof text, function, "3.5f");
    write_sources(fixture, source, text);
    expect_miss_then_hit(fixture, (struct variant){0}, plain.key);
    compiled_free(&plain);
}

static size_t n_preprocessed(const struct fixture *fixture)
{
    char path[SCRATCH_PATH_BYTES * 2], *text;
    size_t n_bytes, n = 0;
    struct error error;
    snprintf(path, sizeof path, "%s/preprocessed", fixture->folder);
    if (!file_read(path, &text, &n_bytes, &error))
        return 0;
    for (size_t i = 0; i < n_bytes; i++)
        n += text[i] == '\n';
    free(text);
    return n;
}

static void a_comment_outside_every_kernel_changes_nothing(void **state)
{
    struct fixture *fixture = *state;
    struct compiled plain = compile(fixture, (struct variant){0});
    char other[sizeof source];
    memcpy(other, source, sizeof source);
    memcpy(strstr(other, "after"), "below", 5);
    write_sources(fixture, other, "#ifndef FACTOR\n#define FACTOR 3.0f // of the kernel\n#endif\n");
    struct compiled again = compile(fixture, (struct variant){0});
    assert_true(again.from_cache);
    assert_true(hash_equal(again.key, plain.key));
    compiled_free(&again);
    compiled_free(&plain);
}

/* A compiler of that version line which else is the real one, but for what `after_compile` does once it has compiled. */
static struct toolchain *open_other_compiler(const struct fixture *fixture, const char *version, const char *after_compile)
{
    char script[1024], path[SCRATCH_PATH_BYTES], linker[SCRATCH_PATH_BYTES];
    const char *real = toolchain_executable(fixture->toolchain);
    snprintf(
        script, sizeof script,
        "#!/bin/sh\n[ \"$1\" != --version ] || exec echo '%s'\n%s \"$@\" || exit\ncase $* in *' -E '*) ;; *) %s ;; esac\n",
        version, real, after_compile);
    assert_true(scratch_write(fixture->folder, "ld.lld", "", linker));
    assert_true(scratch_write(fixture->folder, "compiler", script, path));
    char *made = scratch_run((const char *const[]){"chmod", "+x", path, linker, NULL});
    assert_non_null(made);
    free(made);
    struct error error = {0};
    setenv("HIPCONTRACT_CLANG", path, 1);
    struct toolchain *toolchain = toolchain_open(fixture->cache, &error);
    unsetenv("HIPCONTRACT_CLANG");
    if (!toolchain)
        fail_msg("%s", error.text);
    return toolchain;
}

/* The real compiler, which writes a line for each source that it preprocesses. */
static struct toolchain *open_counting_compiler(const struct fixture *fixture)
{
    char script[1024], path[SCRATCH_PATH_BYTES];
    assert_true(scratch_write(fixture->folder, "preprocessed", "", path));
    snprintf(script, sizeof script, ":;; esac; case $* in *' -E '*) echo >>%s", path);
    return open_other_compiler(fixture, toolchain_version(fixture->toolchain), script);
}

static void an_unchanged_source_is_not_preprocessed_again(void **state)
{
    struct fixture counted = *(const struct fixture *)*state;
    char path[SCRATCH_PATH_BYTES];
    counted.toolchain = open_counting_compiler(&counted);
    usleep(2100000); /* what was changed a moment ago is preprocessed each time */
    struct compiled first = compile(&counted, (struct variant){0}), again = compile(&counted, (struct variant){0});
    assert_int_equal(n_preprocessed(&counted), 1);
    assert_true(again.from_cache && hash_equal(again.key, first.key));
    compiled_free(&again);
    /* A new file might be found before another: what it does is asked. */
    assert_true(scratch_write(counted.folder, "new.h", "", path));
    again = compile(&counted, (struct variant){0});
    assert_int_equal(n_preprocessed(&counted), 2);
    assert_true(again.from_cache && hash_equal(again.key, first.key));
    compiled_free(&again);
    assert_int_equal(unlink(path), 0);
    again = compile(&counted, (struct variant){0});
    assert_int_equal(n_preprocessed(&counted), 2);
    compiled_free(&again);
    /* An edit is seen, in the source and in what it includes. */
    write_sources(&counted, other_body, header);
    expect_miss_then_hit(&counted, (struct variant){0}, first.key);
    write_sources(&counted, source, "#ifndef FACTOR\n#define FACTOR 7.0f\n#endif\n");
    expect_miss_then_hit(&counted, (struct variant){0}, first.key);
    compiled_free(&first);
    toolchain_close(counted.toolchain);
}

static void another_version_of_the_compiler_changes_the_key(void **state)
{
    const struct fixture *fixture = *state;
    struct fixture same = *fixture, newer = *fixture;
    struct compiled plain = compile(fixture, (struct variant){0});
    same.toolchain = open_other_compiler(fixture, toolchain_version(fixture->toolchain), ":");
    struct compiled again = compile(&same, (struct variant){0});
    assert_true(again.from_cache && hash_equal(again.key, plain.key));
    newer.toolchain = open_other_compiler(fixture, "Debian clang version 22.1.99 (1~deb12u1)", ":");
    expect_miss_then_hit(&newer, (struct variant){0}, plain.key);
    toolchain_close(same.toolchain);
    toolchain_close(newer.toolchain);
    compiled_free(&again);
    compiled_free(&plain);
}

static void a_source_that_changes_while_it_is_compiled_is_not_kept(void **state)
{
    const struct fixture *fixture = *state;
    char edit[SCRATCH_PATH_BYTES * 2];
    snprintf(edit, sizeof edit, "sed -i 's/1.25f/1.75f/' %s", fixture->path);
    struct fixture edited = *fixture;
    edited.toolchain = open_other_compiler(fixture, toolchain_version(fixture->toolchain), edit);
    struct compile_request request = {.source_path = fixture->path, .family = "scale", .chip = "gfx1151"};
    struct compiled compiled;
    struct error error;
    assert_false(toolchain_compile(edited.toolchain, &request, &compiled, &error));
    assert_int_equal(error.status, STATUS_USAGE);
    assert_non_null(strstr(error.text, "scale.hip, or what it includes, changed while it was compiled; run again"));
    assert_null(compiled.bytes);
    toolchain_close(edited.toolchain);
    write_sources(&edited, source, header);
    struct compiled plain = compile(fixture, (struct variant){0});
    assert_false(plain.from_cache);
    compiled_free(&plain);
}

/* Puts standard error into a file of the fixture's; returns what restores it. */
static int capture_errors(const struct fixture *fixture, char path[SCRATCH_PATH_BYTES])
{
    assert_true(scratch_write(fixture->folder, "errors", "", path));
    fflush(stderr);
    int kept = dup(STDERR_FILENO);
    assert_non_null(freopen(path, "w", stderr));
    return kept;
}

/* What was printed since; the caller frees. */
static char *captured_errors(int kept, const char *path)
{
    char *text;
    size_t n_bytes;
    struct error error;
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    assert_true(file_read(path, &text, &n_bytes, &error));
    return text;
}

/* What a compiler refuses is not asked of it again, where its words are not wanted whole. */
static void a_refused_source_is_refused_from_the_cache(void **state)
{
    const struct fixture *fixture = *state;
    struct fixture refused = *fixture;
    write_sources(&refused, "extern \"C\" __attribute__((global)) void scale(float *p) { p[0] = nothing; }\n", header);
    struct compile_request request = {.source_path = fixture->path, .family = "scale", .chip = "gfx1151", .is_quiet = true};
    struct compiled compiled;
    struct error first, again;
    char errors[SCRATCH_PATH_BYTES];
    int kept = capture_errors(fixture, errors);
    bool ok = toolchain_compile(fixture->toolchain, &request, &compiled, &first) ||
              toolchain_compile(fixture->toolchain, &request, &compiled, &again);
    char *words = captured_errors(kept, errors);
    assert_false(ok);
    assert_string_equal(words, "");
    assert_string_equal(first.text, again.text);
    assert_int_equal(again.status, STATUS_RED);
    assert_non_null(strstr(again.text, "family scale for gfx1151 does not compile: "));
    assert_non_null(strstr(again.text, "error: use of undeclared identifier 'nothing'"));
    free(words);
    struct cache_entries entries;
    struct error error;
    size_t n_refusals = 0;
    assert_true(cache_entries_read(fixture->cache, &entries, &error));
    for (size_t i = 0; i < entries.n_entries; i++) {
        char path[SCRATCH_PATH_BYTES * 2];
        unsigned char *bytes;
        size_t n_bytes;
        snprintf(path, sizeof path, "%s/%s", fixture->cache, entries.entries[i].name);
        assert_int_equal(cache_read(path, &bytes, &n_bytes, &error), CACHE_HIT);
        n_refusals += n_bytes > 9 && memcmp(bytes, "refused: ", 9) == 0;
        free(bytes);
    }
    cache_entries_free(&entries);
    assert_int_equal(n_refusals, 1);
}

static void a_damaged_entry_is_compiled_anew(void **state)
{
    const struct fixture *fixture = *state;
    struct compiled plain = compile(fixture, (struct variant){0});
    char path[SCRATCH_PATH_BYTES * 2], errors[SCRATCH_PATH_BYTES], *entry;
    size_t n_bytes;
    struct error error;
    cache_path(fixture->cache, plain.key, path, sizeof path);
    assert_true(file_read(path, &entry, &n_bytes, &error));
    const struct {
        size_t n_bytes, flipped;
    } damages[] = {{n_bytes, n_bytes / 2}, {n_bytes, 3}, {n_bytes, 32}, {n_bytes / 2, 0}, {20, 0}, {0, 0}};
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        entry[damages[i].flipped] ^= 4;
        assert_true(file_write(path, entry, damages[i].n_bytes, &error));
        entry[damages[i].flipped] ^= 4;
        int kept = capture_errors(fixture, errors);
        struct compiled again = compile(fixture, (struct variant){0});
        char *words = captured_errors(kept, errors), line[SCRATCH_PATH_BYTES * 3];
        snprintf(line, sizeof line, "%s: damaged cache entry; family scale is compiled for gfx1151 anew\n", path);
        assert_string_equal(words, line);
        assert_false(again.from_cache);
        assert_int_equal(again.n_bytes, plain.n_bytes);
        assert_memory_equal(again.bytes, plain.bytes, plain.n_bytes);
        compiled_free(&again);
        free(words);
    }
    struct compiled last = compile(fixture, (struct variant){0});
    assert_true(last.from_cache);
    compiled_free(&last);
    compiled_free(&plain);
    free(entry);
}

/* Flips a byte in the middle of every entry. */
static void damage_all_entries(const struct fixture *fixture)
{
    struct cache_entries entries;
    struct error error;
    assert_true(cache_entries_read(fixture->cache, &entries, &error));
    for (size_t i = 0; i < entries.n_entries; i++) {
        char path[SCRATCH_PATH_BYTES * 2], *bytes;
        size_t n_bytes;
        snprintf(path, sizeof path, "%s/%s", fixture->cache, entries.entries[i].name);
        assert_true(file_read(path, &bytes, &n_bytes, &error));
        bytes[n_bytes / 2] ^= 4;
        assert_true(file_write(path, bytes, n_bytes, &error));
        free(bytes);
    }
    cache_entries_free(&entries);
}

static void expect_whole_entries(const struct fixture *fixture)
{
    struct cache_entries entries;
    struct error error;
    assert_true(cache_entries_read(fixture->cache, &entries, &error));
    assert_true(entries.n_entries > 0);
    for (size_t i = 0; i < entries.n_entries; i++)
        assert_false(entries.entries[i].damaged || entries.entries[i].leftover);
    cache_entries_free(&entries);
}

/* What is linked into code objects is held to its hash as they are. */
static void every_damaged_entry_is_made_anew(void **state)
{
    const struct fixture *fixture = *state;
    char errors[SCRATCH_PATH_BYTES];
    struct compiled plain = compile(fixture, (struct variant){0});
    damage_all_entries(fixture);
    int kept = capture_errors(fixture, errors);
    struct compiled again = compile(fixture, (struct variant){0});
    free(captured_errors(kept, errors));
    assert_false(again.from_cache);
    assert_int_equal(again.n_bytes, plain.n_bytes);
    assert_memory_equal(again.bytes, plain.bytes, plain.n_bytes);
    expect_whole_entries(fixture);
    compiled_free(&again);
    compiled_free(&plain);
}

/* A child process: 0 where it comes to the same code object, with a toolchain of its own, once the gate is opened. */
static int compile_in_child(const struct fixture *fixture, int gate, const struct compiled *plain)
{
    struct compile_request request = {.source_path = fixture->path, .family = "scale", .chip = "gfx1151"};
    struct compiled compiled;
    struct error error;
    char byte;
    struct toolchain *toolchain = toolchain_open(fixture->cache, &error);
    if (!toolchain || read(gate, &byte, 1) != 0 || !toolchain_compile(toolchain, &request, &compiled, &error))
        return 1;
    return compiled.n_bytes == plain->n_bytes && memcmp(compiled.bytes, plain->bytes, plain->n_bytes) == 0 ? 0 : 2;
}

/* All start when the pipe is closed. */
static void expect_same_from_processes(const struct fixture *fixture, const struct compiled *plain)
{
    enum { PROCESSES = 8 };
    pid_t children[PROCESSES];
    int gate[2];
    assert_int_equal(pipe(gate), 0);
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            close(gate[1]);
            _exit(compile_in_child(fixture, gate[0], plain));
        }
    }
    close(gate[0]);
    close(gate[1]);
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
}

static void eight_processes_that_make_the_same_entry_do_not_disturb_each_other(void **state)
{
    struct fixture *fixture = *state, first = *fixture;
    struct error error;
    snprintf(first.cache, sizeof first.cache, "%.400s/first", fixture->folder);
    first.toolchain = toolchain_open(first.cache, &error);
    assert_non_null(first.toolchain);
    struct compiled plain = compile(&first, (struct variant){0});
    expect_same_from_processes(fixture, &plain);
    expect_whole_entries(fixture);
    damage_all_entries(fixture);
    expect_same_from_processes(fixture, &plain);
    expect_whole_entries(fixture);
    toolchain_close(first.toolchain);
    compiled_free(&plain);
}

/* One line names what is in the way, however much is compiled. */
static void a_cache_that_cannot_be_written_costs_a_line(void **state)
{
    struct fixture *fixture = *state, lost = *fixture;
    struct error error;
    char errors[SCRATCH_PATH_BYTES], file[SCRATCH_PATH_BYTES], expected[SCRATCH_PATH_BYTES * 2];
    int kept = capture_errors(fixture, errors);
    snprintf(file, sizeof file, "%.400s/scale.hip", fixture->folder);
    snprintf(lost.cache, sizeof lost.cache, "%.480s/cache", file);
    lost.toolchain = toolchain_open(lost.cache, &error);
    assert_non_null(lost.toolchain);
    struct compiled plain = compile(&lost, (struct variant){0}), again = compile(&lost, (struct variant){0});
    char *words = captured_errors(kept, errors);
    snprintf(expected, sizeof expected,
             "%s: cannot make the directory: Not a directory; the run goes on and keeps no more of what it compiles: make "
             "room there, or set HIPCONTRACT_CACHE to another folder\n",
             file);
    assert_string_equal(words, expected);
    struct compiled cached = compile(fixture, (struct variant){0});
    assert_false(plain.from_cache || again.from_cache);
    assert_int_equal(again.n_bytes, cached.n_bytes);
    assert_memory_equal(again.bytes, cached.bytes, cached.n_bytes);
    toolchain_close(lost.toolchain);
    free(words);
    compiled_free(&cached);
    compiled_free(&again);
    compiled_free(&plain);
}

static void code_objects_do_not_name_the_machine(void **state)
{
    const struct fixture *fixture = *state;
    struct compiled plain = compile(fixture, (struct variant){0});
    assert_null(memmem(plain.bytes, plain.n_bytes, fixture->folder, strlen(fixture->folder)));
    compiled_free(&plain);
}

static void a_kernel_that_does_not_compile_says_so_with_family_and_chip(void **state)
{
    struct fixture *fixture = *state;
    write_sources(fixture, "extern \"C\" __attribute__((global)) void scale(float *p) { p[0] = nothing; }\n", header);
    struct compile_request request = {.source_path = fixture->path, .family = "scale", .chip = "gfx942"};
    struct compiled compiled;
    struct error error;
    assert_false(toolchain_compile(fixture->toolchain, &request, &compiled, &error));
    assert_int_equal(error.status, STATUS_RED);
    assert_non_null(strstr(error.text, "family scale for gfx942 does not compile: "));
    assert_non_null(strstr(error.text, "use of undeclared identifier 'nothing'"));
    assert_null(compiled.bytes);
    request.source_path = "kernels/none/none.hip";
    assert_false(toolchain_compile(fixture->toolchain, &request, &compiled, &error));
    assert_int_equal(error.status, STATUS_RED);
    assert_non_null(strstr(error.text, "kernels/none/none.hip"));
    request.chip = "../x";
    assert_false(toolchain_compile(fixture->toolchain, &request, &compiled, &error));
    assert_int_equal(error.status, STATUS_USAGE);
}

static void a_missing_compiler_is_an_environment_error_with_the_command(void **state)
{
    const struct fixture *fixture = *state;
    struct error error;
    setenv("HIPCONTRACT_CLANG", "/nowhere/clang", 1);
    struct toolchain *toolchain = toolchain_open(fixture->cache, &error);
    unsetenv("HIPCONTRACT_CLANG");
    assert_null(toolchain);
    assert_int_equal(error.status, STATUS_ENVIRONMENT);
    assert_non_null(strstr(error.text, "/nowhere/clang"));
    assert_non_null(strstr(error.text, "apt-get install clang-22"));
}

/* A ROCm compiler is told by its own version line, wherever it lies. */
static void a_rocm_compiler_gets_its_own_records(void **state)
{
    const struct fixture *fixture = *state;
    char path[SCRATCH_PATH_BYTES];
    struct error error;
    assert_true(scratch_write(fixture->folder, "amdclang++",
                              "#!/bin/sh\necho 'AMD clang version 19.0.0git (https://example.org 25133)'\n", path));
    assert_int_equal(access(path, F_OK), 0);
    char *made = scratch_run((const char *const[]){"chmod", "+x", path, NULL});
    assert_non_null(made);
    free(made);
    setenv("HIPCONTRACT_CLANG", path, 1);
    struct toolchain *toolchain = toolchain_open(fixture->cache, &error);
    unsetenv("HIPCONTRACT_CLANG");
    assert_non_null(toolchain);
    assert_string_equal(toolchain_name(toolchain), "rocm-clang-19");
    toolchain_close(toolchain);
}

static void processes_give_output_and_status(void **state)
{
    (void)state;
    struct process_result result;
    struct error error;
    /* More on both streams than a pipe holds. */
    static const char script[] = "i=0; while [ $i -lt 3000 ]; do echo 0123456789012345678901234567890123456789; "
                                 "echo 0123456789012345678901234567890123456789 >&2; i=$((i+1)); done; exit 7";
    assert_true(process_run((const char *const[]){"sh", "-c", script, NULL}, "/", &result, &error));
    assert_int_equal(result.exit_status, 7);
    assert_int_equal(result.out.n_bytes, 3000 * 41);
    assert_int_equal(result.err.n_bytes, 3000 * 41);
    process_result_free(&result);
    assert_true(process_run((const char *const[]){"sh", "-c", "kill -9 $$", NULL}, "/", &result, &error));
    assert_int_equal(result.signal, 9);
    process_result_free(&result);
    assert_false(process_run((const char *const[]){"/nowhere/program", NULL}, "/", &result, &error));
    assert_int_equal(error.status, STATUS_ENVIRONMENT);
}

/* Not as long as there is memory, and not for ever: a program that prints waits for who reads. */
static void output_that_there_is_no_memory_for_is_no_shorter_output(void **state)
{
    (void)state;
    static const char script[] = "head -c 400000000 /dev/zero";
    enum { ROOM_BYTES = 64 << 20, LOST = 3 };
    pid_t child = fork();
    if (child == 0) {
        struct process_result result;
        struct error error;
        room_limit(ROOM_BYTES);
        alarm(60);
        _exit(process_run((const char *const[]){"sh", "-c", script, NULL}, "/", &result, &error) ? 0 : LOST);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), LOST);
}

/* The output would be open for as long as a child of it lived. */
static void processes_end_at_their_time_with_their_children(void **state)
{
    (void)state;
    struct process_result result;
    struct error error;
    uint64_t start_ns = clock_ns();
    assert_true(process_run_for((const char *const[]){"sh", "-c", "echo begun; sleep 600 & sleep 600", NULL}, "/", 1,
                                &result, &error));
    assert_true(result.is_late);
    assert_int_equal(result.signal, 9);
    assert_string_equal(result.out.data, "begun\n");
    assert_in_range((clock_ns() - start_ns) / 1000000000, 1, 60);
    process_result_free(&result);
    assert_true(process_run_for((const char *const[]){"true", NULL}, "/", 600, &result, &error));
    assert_false(result.is_late);
    assert_int_equal(result.exit_status, 0);
    process_result_free(&result);
}

static void a_process_that_closes_its_streams_ends_at_its_time_too(void **state)
{
    (void)state;
    struct process_result result;
    struct error error;
    uint64_t start_ns = clock_ns();
    assert_true(
        process_run_for((const char *const[]){"sh", "-c", "exec >&- 2>&-; exec sleep 600", NULL}, "/", 1, &result, &error));
    assert_true(result.is_late);
    assert_int_equal(result.signal, 9);
    assert_in_range((clock_ns() - start_ns) / 1000000000, 1, 60);
    process_result_free(&result);
}

/* Another source may do better: it is no lack of the environment. */
static void compiler_that_crashes_or_is_late_fails_the_kernel(void **state)
{
    static const struct {
        const char *does;
        int seconds;
        const char *says;
    } rows[] = {{"kill -SEGV $$", 600, "the compiler was ended by signal 11 (Segmentation fault)"},
                {"sleep 600", 3, "the compiler took longer than 3 s and was ended"}};
    struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct compiled compiled;
        struct error error = {0};
        struct toolchain *toolchain = open_other_compiler(fixture, toolchain_version(fixture->toolchain), rows[i].does);
        const struct compile_request request = {.source_path = fixture->path, .family = "scale", .chip = "gfx1151"};
        toolchain_limit_time(toolchain, rows[i].seconds);
        assert_false(toolchain_compile(toolchain, &request, &compiled, &error));
        assert_int_equal(error.status, STATUS_RED);
        assert_non_null(strstr(error.text, rows[i].says));
        toolchain_close(toolchain);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        TEST(the_same_source_is_compiled_once),
        TEST(chip_flags_and_definitions_are_in_the_key),
        TEST(a_constant_in_a_kernel_body_changes_the_key),
        TEST(a_constant_in_an_included_header_changes_the_key),
        TEST(a_constant_in_a_headers_inline_function_changes_the_key),
        TEST(a_comment_outside_every_kernel_changes_nothing),
        TEST(an_unchanged_source_is_not_preprocessed_again),
        TEST(a_refused_source_is_refused_from_the_cache),
        TEST(another_version_of_the_compiler_changes_the_key),
        TEST(a_source_that_changes_while_it_is_compiled_is_not_kept),
        TEST(a_damaged_entry_is_compiled_anew),
        TEST(every_damaged_entry_is_made_anew),
        TEST(eight_processes_that_make_the_same_entry_do_not_disturb_each_other),
        TEST(a_cache_that_cannot_be_written_costs_a_line),
        TEST(code_objects_do_not_name_the_machine),
        TEST(a_kernel_that_does_not_compile_says_so_with_family_and_chip),
        TEST(compiler_that_crashes_or_is_late_fails_the_kernel),
        TEST(a_missing_compiler_is_an_environment_error_with_the_command),
        TEST(a_rocm_compiler_gets_its_own_records),
        cmocka_unit_test(processes_give_output_and_status),
        cmocka_unit_test(output_that_there_is_no_memory_for_is_no_shorter_output),
        cmocka_unit_test(processes_end_at_their_time_with_their_children),
        cmocka_unit_test(a_process_that_closes_its_streams_ends_at_its_time_too),
    };
    return cmocka_run_group_tests_name("toolchain", tests, NULL, NULL);
}
