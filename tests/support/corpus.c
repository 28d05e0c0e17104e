#include "tests/support/corpus.h"

#include <fnmatch.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "contract/base/arena.h"
#include "contract/base/file.h"
#include "contract/base/parallel.h"
#include "contract/base/project.h"
#include "tests/support/object_code.h"
#include "toolchain/process.h"
#include "toolchain/toolchain.h"

static const char *const levels[] = {"-O0", "-O2", "-O3"};
static const char *const kernel_patterns[] = {"kernels/*/*.hip", "tests/kernels/*.hip", "tests/kernels/agreement/*.hip"};

/* Mnemonics that libraries hold and the emulator leaves out on purpose. Fewer than the rules of instruction_set.h: that
 * no library uses an instruction is here what is measured. */
static const struct {
    const char *pattern, *reason;
} excuses[] = {
    {"image_*", "images"},
};

/* Sources that are not measured, or not at one level. */
static const struct {
    const char *pattern, *level; /* level NULL: at none */
    const char *reason;
} left_out[] = {
    {"*/wait.hip", NULL, "only some chips take its inline assembly"},
    {"*/memory_forms.hip", NULL, "only some chips take its inline assembly"},
    {"*/pressure.hip", "-O0",
     "unoptimised, the scalar operands of its inline assembly come from memory, through vector registers"},
};

enum { MAX_MNEMONICS = 4096, MAX_OBJECTS = 1024 };

/* A code object to measure, once it is compiled. */
struct object {
    const char *name, *path; /* path: of the source, or of the libraries' object */
    const char *level;       /* of levels */
    bool is_library;
    struct compiled compiled; /* where ok */
    bool ok;
    struct error error;
};

struct occurrence {
    const char *mnemonic; /* as the text has it */
    const char *missing;  /* "FUNCTION: TEXT" of the first form that does not decode; NULL */
};

struct corpus {
    const struct chip *chip;
    uint32_t n_lanes;
    struct arena arena;
    struct toolchain *toolchain;
    struct object *objects;
    size_t n_objects;
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
    const char *const argv[] = {script, corpus->chip->name, isa, wave, level + strlen("-O"), path, NULL};
    if (!process_run(argv, "/", &result, error))
        return false;
    bool ok = result.exit_status == 0;
    if (!ok)
        error_set(error, STATUS_ENVIRONMENT, "%s %s: %.300s", script, corpus->chip->name,
                  result.err.data ? result.err.data : "no message");
    process_result_free(&result);
    return ok;
}

static bool compile_library(const struct corpus *corpus, struct object *object)
{
    char *bytes;
    size_t n_bytes;
    if (access(object->path, R_OK) != 0 && !make_library(corpus, object->level, object->path, &object->error))
        return false;
    if (!file_read(object->path, &bytes, &n_bytes, &object->error))
        return false;
    object->compiled = (struct compiled){.bytes = (unsigned char *)bytes, .n_bytes = n_bytes};
    return true;
}

static bool compile_source(const struct corpus *corpus, struct object *object)
{
    struct compile_request request = {.source_path = object->path,
                                      .family = object->path,
                                      .chip = corpus->chip->name,
                                      .optimisation = object->level,
                                      .wave_size = corpus->n_lanes};
    return toolchain_compile(corpus->toolchain, &request, &object->compiled, &object->error);
}

static void compile_object(void *context, int64_t item)
{
    const struct corpus *corpus = context;
    struct object *object = &corpus->objects[item];
    object->ok = object->is_library ? compile_library(corpus, object) : compile_source(corpus, object);
}

static bool is_measured(const char *path, const char *level)
{
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (fnmatch(left_out[i].pattern, path, 0) == 0 && (!left_out[i].level || !strcmp(left_out[i].level, level)))
            return false;
    return true;
}

/* One more object to measure; what is NULL was out of memory. */
static bool add_object(struct corpus *corpus, const struct object *object, struct error *error)
{
    if (!object->name || !object->path)
        return error_set(error, STATUS_ENVIRONMENT, "out of memory");
    if (corpus->n_objects == MAX_OBJECTS)
        return error_set(error, STATUS_ENVIRONMENT, "%s: more than %d objects", object->name, MAX_OBJECTS);
    corpus->objects[corpus->n_objects++] = *object;
    return true;
}

static bool add_libraries(struct corpus *corpus, const char *cache, struct error *error)
{
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof levels / sizeof *levels; i++) {
        const char *name =
            arena_format(&corpus->arena, "ocml+ockl-%s-wave%u%s", corpus->chip->name, corpus->n_lanes, levels[i]);
        const char *path = name ? arena_format(&corpus->arena, "%s/%s.co", cache, name) : NULL;
        ok =
            add_object(corpus, &(struct object){.name = name, .path = path, .level = levels[i], .is_library = true}, error);
    }
    return ok;
}

static bool add_source(struct corpus *corpus, const char *path, struct error *error)
{
    bool ok = true;
    const char *kept = arena_format(&corpus->arena, "%s", path);
    for (size_t i = 0; ok && i < sizeof levels / sizeof *levels; i++) {
        const char *name = arena_format(&corpus->arena, "%s %s", path, levels[i]);
        ok = !is_measured(path, levels[i]) ||
             add_object(corpus, &(struct object){.name = name, .path = kept, .level = levels[i]}, error);
    }
    return ok;
}

static bool add_sources(struct corpus *corpus, const char *relative, struct error *error)
{
    char pattern[PATH_MAX];
    glob_t found;
    if (!project_path(relative, pattern, sizeof pattern, error))
        return false;
    if (glob(pattern, 0, NULL, &found) != 0)
        return error_set(error, STATUS_ENVIRONMENT, "%s: no such files", pattern);
    bool ok = true;
    for (size_t i = 0; ok && i < found.gl_pathc; i++)
        ok = add_source(corpus, found.gl_pathv[i], error);
    globfree(&found);
    return ok;
}

/* The libraries take longest, so they come first. */
static bool list_objects(struct corpus *corpus, const char *cache, struct error *error)
{
    corpus->objects = arena_alloc(&corpus->arena, MAX_OBJECTS * sizeof *corpus->objects);
    if (!corpus->objects)
        return error_set(error, STATUS_ENVIRONMENT, "out of memory");
    bool ok = add_libraries(corpus, cache, error);
    for (size_t p = 0; ok && p < sizeof kernel_patterns / sizeof *kernel_patterns; p++)
        ok = add_sources(corpus, kernel_patterns[p], error);
    return ok;
}

static bool measure_objects(struct corpus *corpus, struct error *error)
{
    corpus->toolchain = toolchain_open(NULL, error);
    if (!corpus->toolchain)
        return false;
    parallel_for(parallel_processors(), (int64_t)corpus->n_objects, compile_object, corpus);
    bool ok = true;
    for (size_t i = 0; i < corpus->n_objects; i++) {
        struct object *object = &corpus->objects[i];
        if (ok && !object->ok)
            *error = object->error;
        ok = ok && object->ok &&
             measure_object(corpus, object->name, object->compiled.bytes, object->compiled.n_bytes, error);
        if (object->ok)
            compiled_free(&object->compiled);
    }
    toolchain_close(corpus->toolchain);
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
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        fprintf(out, "left out %s %s%s%s: %s\n", corpus->chip->name, left_out[i].pattern, left_out[i].level ? " " : "",
                left_out[i].level ? left_out[i].level : "", left_out[i].reason);
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
    ok = ok && list_objects(&corpus, cache, error) && measure_objects(&corpus, error);
    if (ok)
        sum_up(&corpus, out);
    arena_free(&corpus.arena);
    return ok;
}
