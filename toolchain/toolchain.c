#include "toolchain/toolchain.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "contract/base/arena.h"
#include "contract/base/file.h"
#include "contract/base/project.h"
#include "toolchain/cache.h"
#include "toolchain/process.h"
#include "toolchain/profile.h"

enum { MAX_FLAGS = 192 };

struct toolchain {
    struct profile profile;
    char root[PATH_MAX];     /* compilers run there, or in a request's root, so that paths in code objects do not name the
                                machine */
    char cache[PATH_MAX];    /* absolute */
    atomic_bool cache_lost;  /* it cannot be written, and that was said */
    struct hash128 identity; /* of the compiler and the device libraries' contents */
};

/* A compiler's command line as it grows; strings live in the arena. */
struct command {
    struct arena arena;
    const char *argv[MAX_FLAGS + 1];
    size_t n;
    bool overflow;
};

static void add(struct command *command, const char *word)
{
    if (!word || command->n == MAX_FLAGS)
        command->overflow = true;
    else
        command->argv[command->n++] = word;
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
    static const char debian[] = "debian-";
    const char *name = toolchain->profile.name;
    return strncmp(name, debian, strlen(debian)) == 0 ? name + strlen(debian) : name;
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

/* __oclc_ISA_version is the processor's name as a number: 1000 * major + 100 * minor + stepping, where the last two digits
 * of gfxNNNN are minor and stepping in hexadecimal (AMDGPUUsage, "Processors"). */
static bool isa_of_chip(const char *chip, unsigned *isa_version, unsigned *default_wave)
{
    size_t length = strlen(chip);
    if (length < 6 || length > 7 || strncmp(chip, "gfx", 3) != 0)
        return false;
    unsigned major = 0;
    for (size_t i = 3; i < length - 2; i++) {
        if (!isdigit((unsigned char)chip[i]))
            return false;
        major = major * 10 + (unsigned)(chip[i] - '0');
    }
    const char *last = chip + length - 2;
    if (!isxdigit((unsigned char)last[0]) || !isxdigit((unsigned char)last[1]))
        return false;
    unsigned minor_stepping = (unsigned)strtoul(last, NULL, 16);
    *isa_version = 1000 * major + 100 * (minor_stepping >> 4) + (minor_stepping & 15);
    *default_wave = major >= 10 ? 32 : 64;
    return true;
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
static bool run(const struct toolchain *toolchain, struct command *command, const struct compile_request *request,
                struct process_result *result, struct error *error)
{
    if (command->overflow)
        return error_set(error, STATUS_USAGE, "family %s: more than %d compiler flags", request->family, MAX_FLAGS);
    command->argv[command->n] = NULL;
    if (!process_run(command->argv, request->root ? request->root : toolchain->root, result, error))
        return false;
    const char *words = result->err.data ? result->err.data : "";
    if (!request->is_quiet)
        fputs(words, stderr);
    if (result->exit_status == 0)
        return true;
    if (result->signal)
        return error_set(error, STATUS_ENVIRONMENT, "family %s for %s: the compiler was ended by signal %d",
                         request->family, request->chip, result->signal);
    const char *shown = first_error(words);
    return error_set(error, STATUS_RED, "family %s for %s does not compile: %.*s", request->family, request->chip,
                     (int)strcspn(shown, "\n"), shown);
}

/* Everything but input and output of the command that compiles a module; part of the module's key. */
static const char *const module_flags[] = {
    "-x", "c", "--target=amdgcn-amd-amdhsa", "-nogpulib", "-mcode-object-version=5", "-O2", "-emit-llvm", "-c"};

/* Compiles a line of C into a module of LLVM's, at path. */
static bool compile_module(const struct toolchain *toolchain, const struct compile_request *request, const char *text,
                           const char *path, struct error *error)
{
    char source[PATH_MAX];
    if (!make_temporary(".c", source, error))
        return false;
    struct command command = {0};
    add(&command, toolchain->profile.executable);
    for (size_t i = 0; i < sizeof module_flags / sizeof *module_flags; i++)
        add(&command, module_flags[i]);
    add(&command, source);
    add(&command, "-o");
    add(&command, path);
    struct process_result result = {0};
    bool ok = file_write(source, text, strlen(text), error) && run(toolchain, &command, request, &result, error);
    unlink(source);
    process_result_free(&result);
    return ok;
}

static struct hash128 module_key(const struct toolchain *toolchain, const char *text)
{
    struct hash128 key = toolchain->identity;
    for (size_t i = 0; i < sizeof module_flags / sizeof *module_flags; i++)
        key = hash_more(key, module_flags[i], strlen(module_flags[i]) + 1);
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

/* Everything but input, output and device libraries: what the cache key holds of the command line. */
static void add_flags(const struct toolchain *toolchain, struct command *command, const struct compile_request *request,
                      unsigned wave_size, unsigned default_wave)
{
    /* No cuid and no folder: they would put the project's path into the code object. Line tables change no instruction. */
    static const char *const common[] = {"-x",
                                         "hip",
                                         "--cuda-device-only",
                                         "--no-gpu-bundle-output",
                                         "-std=c++17",
                                         "-mcode-object-version=5",
                                         "-fuse-cuid=none",
                                         "-gline-tables-only",
                                         "-ffile-compilation-dir=.",
                                         "-I."};
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        add(command, common[i]);
    add(command, arena_format(&command->arena, "--offload-arch=%s", request->chip));
    add(command, request->optimisation ? request->optimisation : "-O3");
    if (wave_size != default_wave)
        add(command, wave_size == 64 ? "-mwavefrontsize64" : "-mno-wavefrontsize64");
    if (toolchain->profile.kind == PROFILE_DEBIAN) {
        add(command, "-nogpulib");
        /* HIP 5's headers ask for what clang 22 no longer defines. */
        add(command, arena_format(&command->arena, "-D__AMDGCN_WAVEFRONT_SIZE=%u", wave_size));
    }
    for (const char *const *flag = profile_flags(&toolchain->profile); *flag; flag++)
        add(command, *flag);
    for (size_t i = 0; i < request->n_defines; i++)
        add(command, arena_format(&command->arena, "-D%s", request->defines[i]));
}

static void add_bitcode(const struct toolchain *toolchain, struct command *command, const char *isa_path,
                        unsigned wave_size)
{
    const char *const *names = profile_bitcode(wave_size);
    for (bool more = true; more; names++) {
        more = *names;
        add(command, "-Xclang");
        add(command, "-mlink-builtin-bitcode");
        add(command, "-Xclang");
        add(command, more ? arena_format(&command->arena, "%s/%s.bc", toolchain->profile.bitcode, *names) : isa_path);
    }
}

/* The key: compiler and device libraries, flags (chip and definitions among them), and the preprocessed source. */
static bool find_key(struct toolchain *toolchain, const struct compile_request *request, unsigned wave_size,
                     unsigned default_wave, struct hash128 *key, struct error *error)
{
    struct command command = {0};
    add(&command, toolchain->profile.executable);
    add_flags(toolchain, &command, request, wave_size, default_wave);
    *key = toolchain->identity;
    for (size_t i = 1; i < command.n; i++)
        *key = hash_more(*key, command.argv[i], strlen(command.argv[i]) + 1);
    add(&command, "-w"); /* the compile itself warns */
    add(&command, "-E");
    add(&command, request->source_path);
    struct process_result result = {0};
    bool ok = run(toolchain, &command, request, &result, error);
    if (ok)
        *key = hash_more(*key, result.out.data, result.out.n_bytes);
    process_result_free(&result);
    arena_free(&command.arena);
    return ok;
}

/* A source outside the project is named by its folder on this machine: line tables must not hold it. */
static void name_folder_dot(struct command *command, const char *source_path)
{
    const char *last = strrchr(source_path, '/');
    if (*source_path == '/')
        add(command, arena_format(&command->arena, "-ffile-prefix-map=%.*s=.", (int)(last - source_path), source_path));
}

/* Compiles into the file `made`, with the module of the ISA version at isa_path where the compiler needs one. */
static bool compile_into(struct toolchain *toolchain, const struct compile_request *request, const char *isa_path,
                         unsigned wave_size, unsigned default_wave, const char *made, struct error *error)
{
    struct command command = {0};
    add(&command, toolchain->profile.executable);
    add_flags(toolchain, &command, request, wave_size, default_wave);
    if (*isa_path)
        add_bitcode(toolchain, &command, isa_path, wave_size);
    name_folder_dot(&command, request->source_path);
    add(&command, request->source_path);
    add(&command, "-o");
    add(&command, made);
    struct process_result result = {0};
    bool ok = run(toolchain, &command, request, &result, error);
    process_result_free(&result);
    arena_free(&command.arena);
    return ok;
}

static bool compile(struct toolchain *toolchain, const struct compile_request *request, unsigned isa_version,
                    unsigned wave_size, unsigned default_wave, struct compiled *compiled, struct error *error)
{
    char isa_path[PATH_MAX] = "", made[PATH_MAX] = "", *bytes = NULL;
    bool links = toolchain->profile.kind == PROFILE_DEBIAN;
    bool ok = (!links || (make_temporary(".bc", isa_path, error) &&
                          make_isa_module(toolchain, request, isa_version, isa_path, error))) &&
              make_temporary(".co", made, error) &&
              compile_into(toolchain, request, isa_path, wave_size, default_wave, made, error) &&
              file_read(made, &bytes, &compiled->n_bytes, error);
    compiled->bytes = (unsigned char *)bytes;
    unlink(isa_path);
    unlink(made);
    return ok;
}

/* Whether what the key was made from is still the same: an edit between preprocessing and compiling would put another
 * source's code under it. */
static bool check_key(struct toolchain *toolchain, const struct compile_request *request, unsigned wave_size,
                      unsigned default_wave, struct hash128 key, struct error *error)
{
    struct hash128 now;
    if (!find_key(toolchain, request, wave_size, default_wave, &now, error))
        return false;
    return hash_equal(now, key) ||
           error_set(error, STATUS_USAGE,
                     "family %s for %s: %s, or what it includes, changed while it was compiled; run "
                     "again",
                     request->family, request->chip, request->source_path);
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

bool toolchain_compile(struct toolchain *toolchain, const struct compile_request *request, struct compiled *compiled,
                       struct error *error)
{
    *compiled = (struct compiled){0};
    unsigned isa_version, default_wave;
    if (!isa_of_chip(request->chip, &isa_version, &default_wave))
        return error_set(error, STATUS_USAGE, "%s is not a chip's name; gfx1151 is one", request->chip);
    unsigned wave_size = request->wave_size ? request->wave_size : default_wave;
    if (!find_key(toolchain, request, wave_size, default_wave, &compiled->key, error))
        return false;
    compiled->from_cache = look_up(toolchain, compiled->key, request, &compiled->bytes, &compiled->n_bytes);
    if (compiled->from_cache)
        return true;
    if (!compile(toolchain, request, isa_version, wave_size, default_wave, compiled, error) ||
        !check_key(toolchain, request, wave_size, default_wave, compiled->key, error)) {
        compiled_free(compiled);
        return false;
    }
    keep(toolchain, compiled->key, compiled->bytes, compiled->n_bytes);
    return true;
}
