#include "toolchain/toolchain.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "contract/base/file.h"
#include "contract/base/project.h"
#include "toolchain/cache.h"
#include "toolchain/command_line.h"
#include "toolchain/manifest.h"
#include "toolchain/process.h"
#include "toolchain/profile.h"

struct toolchain {
    struct profile profile;
    char root[PATH_MAX];     /* compilers run there, or in a request's root, so that paths in code objects do not name the
                                machine */
    char cache[PATH_MAX];    /* absolute */
    atomic_bool cache_lost;  /* it cannot be written, and that was said */
    struct hash128 identity; /* of the compiler and the device libraries' contents */
    struct manifests manifests;
    int time_limit_s; /* of one run of the compiler; 0: any */
};

static struct hash128 hash_text(struct hash128 hash, const char *text)
{
    return hash_more(hash, text, strlen(text) + 1);
}

static bool check_parts(const struct profile *profile, struct error *error)
{
    struct profile_part parts[PROFILE_MAX_PARTS];
    size_t n_parts = profile_parts(profile, parts);
    for (size_t i = 0; i < n_parts; i++)
        if (!*parts[i].path)
            return error_set(error, STATUS_ENVIRONMENT, "%s lacks its %s; %s", profile->name, parts[i].what,
                             parts[i].install);
    return true;
}

/* A compiler is known by its version line and the bytes of the device libraries that it links. */
static bool find_identity(struct toolchain *toolchain, struct error *error)
{
    const struct profile *profile = &toolchain->profile;
    toolchain->identity = hash_bytes(profile->version, strlen(profile->version));
    if (profile->kind == PROFILE_ROCM)
        return true;
    for (unsigned wave_size = 32; wave_size <= 64; wave_size += 32)
        for (const char *const *name = profile_bitcode(wave_size); *name; name++) {
            char path[PATH_MAX + 64], *data;
            size_t n_bytes;
            snprintf(path, sizeof path, "%s/%s.bc", profile->bitcode, *name);
            if (!file_read(path, &data, &n_bytes, error))
                return false;
            toolchain->identity = hash_more(toolchain->identity, data, n_bytes);
            free(data);
        }
    return true;
}

/* A run needs no cache: one line says that it goes on without. */
static void lose_cache(struct toolchain *toolchain, const char *why)
{
    if (!atomic_exchange(&toolchain->cache_lost, true))
        fprintf(stderr,
                "%s; the run goes on and keeps no more of what it compiles: make room there, or set HIPCONTRACT_CACHE to "
                "another folder\n",
                why);
}

static bool find_cache(struct toolchain *toolchain, const char *given, struct error *error)
{
    struct error reason;
    if (!cache_folder(given, toolchain->cache, sizeof toolchain->cache, error))
        return false;
    if (!file_make_directories(toolchain->cache, &reason))
        lose_cache(toolchain, reason.text);
    return true;
}

struct toolchain *toolchain_open_profile(const struct profile *profile, const char *cache_directory, struct error *error)
{
    struct toolchain *toolchain = calloc(1, sizeof *toolchain);
    if (!toolchain) {
        error_set(error, STATUS_ENVIRONMENT, "out of memory");
        return NULL;
    }
    toolchain->profile = *profile;
    toolchain->time_limit_s = TOOLCHAIN_SECONDS;
    pthread_mutex_init(&toolchain->manifests.lock, NULL);
    if (check_parts(&toolchain->profile, error) && project_root(toolchain->root, sizeof toolchain->root, error) &&
        find_cache(toolchain, cache_directory, error) && find_identity(toolchain, error))
        return toolchain;
    free(toolchain);
    return NULL;
}

struct toolchain *toolchain_open(const char *cache_directory, struct error *error)
{
    struct profile profile;
    return profile_find(&profile, error) ? toolchain_open_profile(&profile, cache_directory, error) : NULL;
}

void toolchain_limit_time(struct toolchain *toolchain, int seconds)
{
    toolchain->time_limit_s = seconds;
}

void toolchain_close(struct toolchain *toolchain)
{
    free(toolchain);
}

const char *toolchain_name(const struct toolchain *toolchain)
{
    return toolchain->profile.name;
}

const char *toolchain_short_name(const struct toolchain *toolchain)
{
    return profile_short_name(&toolchain->profile);
}

const char *toolchain_cache(const struct toolchain *toolchain)
{
    return toolchain->cache;
}

const char *toolchain_executable(const struct toolchain *toolchain)
{
    return toolchain->profile.executable;
}

const char *toolchain_version(const struct toolchain *toolchain)
{
    return toolchain->profile.version;
}

void compiled_free(struct compiled *compiled)
{
    free(compiled->bytes);
    *compiled = (struct compiled){0};
}

/* What the cache holds under a key, for the caller to free. A damaged entry is as good as none, and is reported. */
static bool look_up(const struct toolchain *toolchain, struct hash128 key, const struct compile_request *request,
                    unsigned char **bytes, size_t *n_bytes)
{
    char path[PATH_MAX + 64];
    struct error reason;
    enum cache_answer answer = cache_load(toolchain->cache, key, bytes, n_bytes, &reason);
    if (answer == CACHE_UNREADABLE)
        fprintf(stderr, "%s; family %s is compiled for %s anew\n", reason.text, request->family, request->chip);
    if (answer == CACHE_DAMAGED) {
        cache_path(toolchain->cache, key, path, sizeof path);
        fprintf(stderr, "%s: damaged cache entry; family %s is compiled for %s anew\n", path, request->family,
                request->chip);
    }
    return answer == CACHE_HIT;
}

static void keep(struct toolchain *toolchain, struct hash128 key, const unsigned char *bytes, size_t n_bytes)
{
    struct error reason;
    if (!atomic_load(&toolchain->cache_lost) && !cache_store(toolchain->cache, key, bytes, n_bytes, &reason))
        lose_cache(toolchain, reason.text);
}

/* An empty file for a compiler to read or write, where compilers have their own; the caller removes it. */
static bool make_temporary(const char *suffix, char path[PATH_MAX], struct error *error)
{
    const char *folder = getenv("TMPDIR");
    if (snprintf(path, PATH_MAX, "%s/hipcontract-XXXXXX%s", folder && *folder == '/' ? folder : "/tmp", suffix) >= PATH_MAX)
        return error_set(error, STATUS_ENVIRONMENT, "TMPDIR: %s", strerror(ENAMETOOLONG));
    int descriptor = mkostemps(path, (int)strlen(suffix), O_CLOEXEC);
    if (descriptor < 0)
        return error_set(error, STATUS_ENVIRONMENT, "%s: cannot be made: %s; set TMPDIR to a folder that can be written",
                         path, strerror(errno));
    close(descriptor);
    return true;
}

/* The first line with an error of a compiler's output, else its first line. */
static const char *first_error(const char *words)
{
    const char *at = strstr(words, "error:");
    while (at && at > words && at[-1] != '\n')
        at--;
    return at ? at : words;
}

/* Runs a command; false where it failed, with the compiler's words whole on standard error and the first error in *error.
 */
static bool run(const struct toolchain *toolchain, const struct command_line *line, const struct compile_request *request,
                struct process_result *result, struct error *error)
{
    if (line->overflow)
        return error_set(error, STATUS_USAGE, "family %s: more than %d compiler flags", request->family,
                         COMMAND_MOST_WORDS);
    const char *root = request->root ? request->root : toolchain->root;
    if (!process_run_for(line->words, root, toolchain->time_limit_s, result, error))
        return false;
    const char *words = result->err.data ? result->err.data : "";
    if (!request->is_quiet)
        fputs(words, stderr);
    if (result->exit_status == 0)
        return true;
    if (result->is_late)
        return error_set(error, STATUS_RED, "family %s for %s: the compiler took longer than %d s and was ended",
                         request->family, request->chip, toolchain->time_limit_s);
    if (result->signal)
        return error_set(error, STATUS_RED, "family %s for %s: the compiler was ended by signal %d (%s)", request->family,
                         request->chip, result->signal, strsignal(result->signal));
    const char *shown = first_error(words);
    return error_set(error, STATUS_RED, "family %s for %s does not compile: %.*s", request->family, request->chip,
                     (int)strcspn(shown, "\n"), shown);
}

/* Compiles a line of C into a module of LLVM's, at path. */
static bool compile_module(const struct toolchain *toolchain, const struct compile_request *request, const char *text,
                           const char *path, struct error *error)
{
    char source[PATH_MAX];
    if (!make_temporary(".c", source, error))
        return false;
    struct command_line line = {0};
    command_line_add_module_flags(&line, &toolchain->profile);
    command_line_add(&line, source);
    command_line_add(&line, "-o");
    command_line_add(&line, path);
    struct process_result result = {0};
    bool ok = file_write(source, text, strlen(text), error) && run(toolchain, &line, request, &result, error);
    unlink(source);
    process_result_free(&result);
    command_line_free(&line);
    return ok;
}

static struct hash128 module_key(const struct toolchain *toolchain, const char *text)
{
    struct command_line line = {0};
    command_line_add_module_flags(&line, &toolchain->profile);
    struct hash128 key = command_line_hash(&line, toolchain->identity);
    command_line_free(&line);
    return hash_more(key, text, strlen(text));
}

/* The module that tells the device libraries the chip: Debian's do not have one for every chip, so it is made here, once a
 * cache. It is left at path. */
static bool make_isa_module(struct toolchain *toolchain, const struct compile_request *request, unsigned isa_version,
                            const char *path, struct error *error)
{
    char text[256], *made;
    unsigned char *known;
    size_t n_bytes;
    snprintf(text, sizeof text,
             "__attribute__((address_space(4), visibility(\"hidden\"))) extern const int __oclc_ISA_version;\n"
             "__attribute__((address_space(4))) const int __oclc_ISA_version = %u;\n",
             isa_version);
    struct hash128 key = module_key(toolchain, text);
    if (look_up(toolchain, key, request, &known, &n_bytes)) {
        bool ok = file_write(path, known, n_bytes, error);
        free(known);
        return ok;
    }
    if (!compile_module(toolchain, request, text, path, error) || !file_read(path, &made, &n_bytes, error))
        return false;
    keep(toolchain, key, (unsigned char *)made, n_bytes);
    free(made);
    return true;
}

/* A compile on its way. */
struct job {
    const struct compile_request *request;
    const char *root; /* that the compiler runs in */
    struct target target;
    struct manifest manifest;
};

/* Runs the preprocessor. The key: compiler and device libraries, flags (chip and definitions among them), and what it
 * printed, which the caller frees with the result. */
static bool preprocess(struct toolchain *toolchain, const struct job *job, struct hash128 *key,
                       struct process_result *result, struct error *error)
{
    struct command_line line = {0};
    command_line_add_flags(&line, &toolchain->profile, job->request, &job->target);
    *key = command_line_hash(&line, toolchain->identity);
    command_line_add(&line, "-w"); /* the compile itself warns */
    command_line_add(&line, "-E");
    command_line_add(&line, job->request->source_path);
    bool ok = run(toolchain, &line, job->request, result, error);
    if (ok)
        *key = hash_more(*key, result->out.data, result->out.n_bytes);
    command_line_free(&line);
    return ok;
}

/* All that chooses the files beside their contents. */
static struct hash128 manifest_key(const struct toolchain *toolchain, const struct job *job)
{
    static const char *const variables[] = {"CPATH",     "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "CCC_OVERRIDE_OPTIONS",
                                            "ROCM_PATH", "HIP_PATH",       "HIP_DEVICE_LIB_PATH"};
    struct command_line line = {0};
    command_line_add_flags(&line, &toolchain->profile, job->request, &job->target);
    command_line_add(&line, job->request->source_path);
    command_line_add(&line, job->root);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        command_line_add(&line, getenv(variables[i]) ? getenv(variables[i]) : "");
    command_line_add(&line, toolchain->profile.executable);
    struct hash128 key = command_line_hash(&line, hash_text(toolchain->identity, "manifest"));
    command_line_free(&line);
    return key;
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* The key of the preprocessed source: known again by the files that it is made of, else by preprocessing it. */
static bool find_key(struct toolchain *toolchain, struct job *job, struct hash128 *key, struct error *error)
{
    struct hash128 line = manifest_key(toolchain, job);
    if (manifest_find(&toolchain->manifests, toolchain->cache, line, job->root, &job->manifest)) {
        *key = job->manifest.source;
        return true;
    }
    manifest_free(&job->manifest);
    struct process_result result = {0};
    struct error reason;
    int64_t start_ns = now_ns();
    bool ok = preprocess(toolchain, job, key, &result, error);
    if (ok && manifest_make(result.out.data, *key, job->root, start_ns, &job->manifest) && job->manifest.is_settled &&
        !atomic_load(&toolchain->cache_lost) && !manifest_store(&job->manifest, toolchain->cache, line, &reason))
        lose_cache(toolchain, reason.text);
    process_result_free(&result);
    return ok;
}

/* Compiles into the file `made`, with the module of the ISA version at isa_path where the compiler needs one. */
static bool compile_into(struct toolchain *toolchain, const struct job *job, const char *isa_path, const char *made,
                         struct error *error)
{
    const struct compile_request *request = job->request;
    struct command_line line = {0};
    command_line_add_flags(&line, &toolchain->profile, request, &job->target);
    if (*isa_path)
        command_line_add_bitcode(&line, &toolchain->profile, &job->target, isa_path);
    command_line_add_source(&line, request->source_path);
    command_line_add(&line, "-o");
    command_line_add(&line, made);
    struct process_result result = {0};
    bool ok = run(toolchain, &line, request, &result, error);
    process_result_free(&result);
    command_line_free(&line);
    return ok;
}

static bool compile(struct toolchain *toolchain, const struct job *job, struct compiled *compiled, struct error *error)
{
    char isa_path[PATH_MAX] = "", made[PATH_MAX] = "", *bytes = NULL;
    bool links = toolchain->profile.kind == PROFILE_DEBIAN;
    bool ok = (!links || (make_temporary(".bc", isa_path, error) &&
                          make_isa_module(toolchain, job->request, job->target.isa_version, isa_path, error))) &&
              make_temporary(".co", made, error) && compile_into(toolchain, job, isa_path, made, error) &&
              file_read(made, &bytes, &compiled->n_bytes, error);
    compiled->bytes = (unsigned char *)bytes;
    unlink(isa_path);
    unlink(made);
    return ok;
}

/* Whether what the key was made from is still the same: an edit between preprocessing and compiling would put another
 * source's code under it. Where the times of the files do not rule out an edit that nobody saw, it is preprocessed again.
 */
static bool check_key(struct toolchain *toolchain, const struct job *job, struct hash128 key, struct error *error)
{
    struct hash128 now;
    struct process_result result = {0};
    if (job->manifest.is_settled && manifest_holds(&job->manifest, job->root))
        return true;
    bool ok = preprocess(toolchain, job, &now, &result, error);
    process_result_free(&result);
    return ok && (hash_equal(now, key) || error_set(error, STATUS_USAGE,
                                                    "family %s for %s: %s, or what it includes, changed while it was "
                                                    "compiled; run again",
                                                    job->request->family, job->request->chip, job->request->source_path));
}

bool toolchain_knows_chip(const struct toolchain *toolchain, const char *chip)
{
    char arch[64];
    struct process_result result;
    snprintf(arch, sizeof arch, "--offload-arch=%s", chip);
    const char *const argv[] = {toolchain->profile.executable,
                                "-x",
                                "hip",
                                "--cuda-device-only",
                                "-nogpuinc",
                                "-nogpulib",
                                arch,
                                "-E",
                                "/dev/null",
                                NULL};
    bool knows = !process_run(argv, "/", &result, NULL) || result.exit_status == 0;
    process_result_free(&result);
    return knows;
}

/* What a compiler said of a source that it refuses is kept too, where the words name a line or an operation that it cannot
 * select: then it was neither the disk nor the memory. Only quiet requests are answered by it; others want all of the
 * words. */
static struct hash128 refusal_key(struct hash128 key)
{
    return hash_text(key, "refused");
}

static const char refusal_magic[] = "refused: ";

static bool was_refused(struct toolchain *toolchain, const struct job *job, struct hash128 key, struct error *error)
{
    unsigned char *words;
    size_t n_bytes;
    if (!job->request->is_quiet || !look_up(toolchain, refusal_key(key), job->request, &words, &n_bytes))
        return false;
    size_t lead = strlen(refusal_magic);
    bool ok = n_bytes > lead && memcmp(words, refusal_magic, lead) == 0;
    if (ok)
        error_set(error, STATUS_RED, "%.*s", (int)(n_bytes - lead), (const char *)words + lead);
    free(words);
    return ok;
}

static bool names_the_source(const char *words)
{
    const char *error = strstr(words, ": error: ");
    return strstr(words, "error in backend: Cannot select") ||
           (error && error > words && isdigit((unsigned char)error[-1]));
}

static void keep_refusal(struct toolchain *toolchain, const struct job *job, struct hash128 key, const struct error *error)
{
    char words[sizeof error->text + sizeof refusal_magic];
    if (!job->request->is_quiet || error->status != STATUS_RED || !names_the_source(error->text))
        return;
    int n_bytes = snprintf(words, sizeof words, "%s%s", refusal_magic, error->text);
    keep(toolchain, refusal_key(key), (const unsigned char *)words, (size_t)n_bytes);
}

/* Compiles what the cache does not have. */
static bool make(struct toolchain *toolchain, struct job *job, struct compiled *compiled, struct error *error)
{
    if (was_refused(toolchain, job, compiled->key, error))
        return false;
    if (!compile(toolchain, job, compiled, error)) {
        keep_refusal(toolchain, job, compiled->key, error);
        return false;
    }
    if (!check_key(toolchain, job, compiled->key, error))
        return false;
    keep(toolchain, compiled->key, compiled->bytes, compiled->n_bytes);
    return true;
}

bool toolchain_compile(struct toolchain *toolchain, const struct compile_request *request, struct compiled *compiled,
                       struct error *error)
{
    *compiled = (struct compiled){0};
    struct job job = {.request = request, .root = request->root ? request->root : toolchain->root};
    if (!target_of(request, &job.target))
        return error_set(error, STATUS_USAGE, "%s is not a chip's name; gfx1151 is one", request->chip);
    bool ok = find_key(toolchain, &job, &compiled->key, error);
    if (ok) {
        compiled->from_cache = look_up(toolchain, compiled->key, request, &compiled->bytes, &compiled->n_bytes);
        ok = compiled->from_cache || make(toolchain, &job, compiled, error);
    }
    manifest_free(&job.manifest);
    if (!ok)
        compiled_free(compiled);
    return ok;
}
