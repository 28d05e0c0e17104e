#include "tests/support/corpus.h"

#include <fnmatch.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "contract/base/arena.h"
#include "contract/base/file.h"
#include "contract/base/project.h"
#include "tests/support/object_code.h"
#include "toolchain/process.h"
#include "toolchain/toolchain.h"

static const char *const levels[] = {"0", "2", "3"};
static const char *const kernel_patterns[] = {"kernels/*/*.hip", "tests/kernels/*.hip", "tests/kernels/agreement/*.hip"};

/* Mnemonics that libraries hold and the emulator leaves out on purpose. Fewer than the rules of instruction_set.h: that
 * no library uses an instruction is here what is measured. */
static const struct {
    const char *pattern, *reason;
} excuses[] = {
    {"image_*", "images"},
};

/* Sources whose inline assembly only some chips take. */
static const char *const for_some_chips[] = {"*/wait.hip", "*/memory_forms.hip"};

enum { MAX_MNEMONICS = 4096 };

struct occurrence {
    const char *mnemonic; /* as the text has it */
    const char *missing;  /* "FUNCTION: TEXT" of the first form that does not decode; NULL */
};

struct corpus {
    const struct chip *chip;
    uint32_t n_lanes;
    struct arena arena;
    struct occurrence *occurrences;
    size_t n_occurrences;
    const char *object; /* what is being measured */
    bool is_full;       /* a mnemonic had no room */
    struct corpus_tally *tally;
};

static struct occurrence *find(struct corpus *corpus, const char *text)
{
    size_t length = strcspn(text, " ");
    for (size_t i = 0; i < corpus->n_occurrences; i++) {
        const char *known = corpus->occurrences[i].mnemonic;
        if (!strncmp(known, text, length) && !known[length])
            return &corpus->occurrences[i];
    }
    if (corpus->n_occurrences == MAX_MNEMONICS)
        return NULL;
    struct occurrence *added = &corpus->occurrences[corpus->n_occurrences];
    added->mnemonic = arena_format(&corpus->arena, "%.*s", (int)length, text);
    corpus->n_occurrences += added->mnemonic != NULL;
    return added->mnemonic ? added : NULL;
}

static void visit(void *context, const char *function, const struct emulated_code *code)
{
    struct corpus *corpus = context;
    corpus->tally->n_instructions += code->n_instructions;
    for (uint32_t i = 0; i < code->n_instructions; i++) {
        const struct instruction *in = &code->instructions[i];
        struct occurrence *occurrence = find(corpus, in->text);
        corpus->is_full |= !occurrence;
        if (occurrence && !in->opcode && !occurrence->missing)
            occurrence->missing = arena_format(&corpus->arena, "%s %s: %s", corpus->object, function, in->text);
    }
}

static bool measure_object(struct corpus *corpus, const char *name, const unsigned char *bytes, size_t n_bytes,
                           struct error *error)
{
    corpus->object = name;
    corpus->tally->n_objects++;
    bool ok = object_code_visit(bytes, n_bytes, corpus->n_lanes, visit, corpus, error) || error_prefix(error, "%s", name);
    if (ok && corpus->is_full)
        return error_set(error, STATUS_ENVIRONMENT, "%s: more than %d mnemonics, or out of memory", name, MAX_MNEMONICS);
    return ok;
}

static bool make_library(const struct corpus *corpus, const char *level, const char *path, struct error *error)
{
    char script[PATH_MAX], isa[16], wave[16];
    struct process_result result;
    if (!project_path("scripts/device_libraries.sh", script, sizeof script, error))
        return false;
    snprintf(isa, sizeof isa, "%u", corpus->chip->isa_version);
    snprintf(wave, sizeof wave, "%u", corpus->n_lanes);
    const char *const argv[] = {script, corpus->chip->name, isa, wave, level, path, NULL};
    if (!process_run(argv, "/", &result, error))
        return false;
    bool ok = result.exit_status == 0;
    if (!ok)
        error_set(error, STATUS_ENVIRONMENT, "%s %s: %.300s", script, corpus->chip->name,
                  result.err.data ? result.err.data : "no message");
    process_result_free(&result);
    return ok;
}

static bool measure_library(struct corpus *corpus, const char *level, const char *cache, struct error *error)
{
    const char *name = arena_format(&corpus->arena, "ocml+ockl-%s-wave%u-O%s", corpus->chip->name, corpus->n_lanes, level);
    const char *path = name ? arena_format(&corpus->arena, "%s/%s.co", cache, name) : NULL;
    char *bytes;
    size_t n_bytes;
    if (!path)
        return error_set(error, STATUS_ENVIRONMENT, "out of memory");
    if (access(path, R_OK) != 0 && !make_library(corpus, level, path, error))
        return false;
    if (!file_read(path, &bytes, &n_bytes, error))
        return false;
    bool ok = measure_object(corpus, name, (unsigned char *)bytes, n_bytes, error);
    free(bytes);
    return ok;
}

static bool measure_source(struct corpus *corpus, struct toolchain *toolchain, const char *path, const char *level,
                           struct error *error)
{
    struct compile_request request = {.source_path = path,
                                      .family = path,
                                      .chip = corpus->chip->name,
                                      .optimisation = arena_format(&corpus->arena, "-O%s", level),
                                      .wave_size = corpus->n_lanes};
    struct compiled compiled;
    if (!toolchain_compile(toolchain, &request, &compiled, error))
        return false;
    const char *name = arena_format(&corpus->arena, "%s -O%s", path, level);
    bool ok = measure_object(corpus, name, compiled.bytes, compiled.n_bytes, error);
    compiled_free(&compiled);
    return ok;
}

static bool is_for_all_chips(const char *path)
{
    for (size_t i = 0; i < sizeof for_some_chips / sizeof *for_some_chips; i++)
        if (fnmatch(for_some_chips[i], path, 0) == 0)
            return false;
    return true;
}

static bool measure_pattern(struct corpus *corpus, struct toolchain *toolchain, const char *relative, const char *level,
                            struct error *error)
{
    char pattern[PATH_MAX];
    glob_t found;
    if (!project_path(relative, pattern, sizeof pattern, error))
        return false;
    if (glob(pattern, 0, NULL, &found) != 0)
        return error_set(error, STATUS_ENVIRONMENT, "%s: no such files", pattern);
    bool ok = true;
    for (size_t i = 0; ok && i < found.gl_pathc; i++)
        ok = !is_for_all_chips(found.gl_pathv[i]) || measure_source(corpus, toolchain, found.gl_pathv[i], level, error);
    globfree(&found);
    return ok;
}

static bool measure_kernels(struct corpus *corpus, const char *level, struct error *error)
{
    struct toolchain *toolchain = toolchain_open(NULL, error);
    bool ok = toolchain;
    for (size_t p = 0; ok && p < sizeof kernel_patterns / sizeof *kernel_patterns; p++)
        ok = measure_pattern(corpus, toolchain, kernel_patterns[p], level, error);
    if (toolchain)
        toolchain_close(toolchain);
    return ok;
}

static const char *excuse(const char *mnemonic)
{
    for (size_t i = 0; i < sizeof excuses / sizeof *excuses; i++)
        if (fnmatch(excuses[i].pattern, mnemonic, 0) == 0)
            return excuses[i].reason;
    return NULL;
}

static void sum_up(const struct corpus *corpus, FILE *out)
{
    for (size_t i = 0; i < sizeof for_some_chips / sizeof *for_some_chips; i++)
        fprintf(out, "left out %s %s: only some chips take its inline assembly\n", corpus->chip->name, for_some_chips[i]);
    for (size_t i = 0; i < corpus->n_occurrences; i++) {
        const struct occurrence *occurrence = &corpus->occurrences[i];
        const char *reason = occurrence->missing ? excuse(occurrence->mnemonic) : NULL;
        if (reason)
            fprintf(out, "left out %s %s: %s (%s)\n", corpus->chip->name, occurrence->mnemonic, reason,
                    occurrence->missing);
        else if (occurrence->missing)
            fprintf(out, "MISSING %s %s: %s\n", corpus->chip->name, occurrence->mnemonic, occurrence->missing);
        corpus->tally->n_excused += reason != NULL;
        corpus->tally->n_occurring += !reason;
        corpus->tally->n_implemented += !occurrence->missing;
    }
}

bool corpus_measure(const struct chip *chip, uint32_t n_lanes, const char *cache, FILE *out, struct corpus_tally *tally,
                    struct error *error)
{
    struct corpus corpus = {.chip = chip, .n_lanes = n_lanes, .tally = tally};
    *tally = (struct corpus_tally){0};
    corpus.occurrences = arena_alloc(&corpus.arena, MAX_MNEMONICS * sizeof *corpus.occurrences);
    bool ok = corpus.occurrences || error_set(error, STATUS_ENVIRONMENT, "out of memory");
    for (size_t i = 0; ok && i < sizeof levels / sizeof *levels; i++)
        ok = measure_library(&corpus, levels[i], cache, error) && measure_kernels(&corpus, levels[i], error);
    if (ok)
        sum_up(&corpus, out);
    arena_free(&corpus.arena);
    return ok;
}
