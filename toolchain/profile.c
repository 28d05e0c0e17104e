#include "toolchain/profile.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "toolchain/process.h"

static const char install_compiler[] = "apt-get install clang-22 lld-22";

/* Where compilers are looked for, in this order: the first that is found is the default. A leading $NAME/ stands for an
 * environment variable; patterns are glob's. */
static const struct {
    const char *pattern;
    enum profile_kind kind;
    bool not_default; /* only among all */
} places[] = {
    {"$HIPCONTRACT_CLANG", PROFILE_DEBIAN, false}, /* its version line tells what it is */
    {"$ROCM_PATH/bin/amdclang++", PROFILE_ROCM, false},   {"$ROCM_PATH/llvm/bin/clang++", PROFILE_ROCM, false},
    {"/opt/rocm/bin/amdclang++", PROFILE_ROCM, false},    {"/opt/rocm*/bin/amdclang++", PROFILE_ROCM, false},
    {"/opt/rocm*/llvm/bin/clang++", PROFILE_ROCM, false}, {"/opt/rocm*/bin/hipcc", PROFILE_ROCM, false},
    {"/usr/bin/clang-22", PROFILE_DEBIAN, false},         {"/usr/lib/llvm-22/bin/clang", PROFILE_DEBIAN, false},
    {"/usr/local/bin/clang-22", PROFILE_DEBIAN, false},   {"/usr/lib/llvm-15/bin/clang", PROFILE_DEBIAN, true},
    {"/usr/lib/llvm-16/bin/clang", PROFILE_DEBIAN, true}, {"/usr/lib/llvm-19/bin/clang", PROFILE_DEBIAN, true},
};

enum { N_PLACES = sizeof places / sizeof *places };

static const char *const bitcode_folders[] = {"/usr/lib/x86_64-linux-gnu/amdgcn/bitcode", "/usr/lib/amdgcn/bitcode",
                                              "/usr/lib/aarch64-linux-gnu/amdgcn/bitcode"};

/* Puts an environment variable in place of a leading "$NAME"; false where it is not set. */
static bool expand(const char *pattern, char path[PATH_MAX])
{
    if (*pattern != '$')
        return snprintf(path, PATH_MAX, "%s", pattern) < PATH_MAX;
    size_t length = strcspn(pattern, "/");
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length - 1, pattern + 1);
    const char *value = getenv(name);
    return value && *value && snprintf(path, PATH_MAX, "%s%s", value, pattern + length) < PATH_MAX;
}

/* The last (newest) executable file that a pattern matches. */
static bool find_executable(const char *pattern, char path[PATH_MAX])
{
    char expanded[PATH_MAX];
    glob_t matches;
    if (!expand(pattern, expanded) || glob(expanded, 0, NULL, &matches) != 0)
        return false;
    bool found = false;
    for (size_t i = matches.gl_pathc; i-- > 0 && !found;)
        found = access(matches.gl_pathv[i], X_OK) == 0 && snprintf(path, PATH_MAX, "%s", matches.gl_pathv[i]) < PATH_MAX;
    globfree(&matches);
    return found;
}

const char *profile_short_name(const struct profile *profile)
{
    static const char debian[] = "debian-";
    return strncmp(profile->name, debian, strlen(debian)) == 0 ? profile->name + strlen(debian) : profile->name;
}

/* The digits after "clang version ". */
int profile_major(const struct profile *profile)
{
    const char *at = strstr(profile->version, "clang version ");
    return at ? atoi(at + strlen("clang version ")) : 0;
}

static bool read_version(struct profile *profile, struct error *error)
{
    struct process_result result;
    if (!process_run((const char *const[]){profile->executable, "--version", NULL}, "/", &result, error))
        return false;
    const char *text = result.out.data ? result.out.data : "";
    /* hipcc prints its own line first. */
    const char *line = strstr(text, "clang version");
    while (line && line > text && line[-1] != '\n')
        line--;
    if (line)
        snprintf(profile->version, sizeof profile->version, "%.*s", (int)strcspn(line, "\n"), line);
    process_result_free(&result);
    if (!line)
        return error_set(error, STATUS_ENVIRONMENT, "%s --version names no clang version; %s", profile->executable,
                         install_compiler);
    if (strstr(profile->version, "AMD clang"))
        profile->kind = PROFILE_ROCM;
    snprintf(profile->name, sizeof profile->name, "%s-%d", profile->kind == PROFILE_ROCM ? "rocm-clang" : "debian-clang",
             profile_major(profile));
    return true;
}

static void find_bitcode(char path[PATH_MAX])
{
    *path = 0;
    for (size_t i = 0; i < sizeof bitcode_folders / sizeof *bitcode_folders && !*path; i++)
        if (access(bitcode_folders[i], R_OK) == 0)
            snprintf(path, PATH_MAX, "%s", bitcode_folders[i]);
}

static bool take(size_t place, const char *executable, struct profile *profile, struct error *error)
{
    *profile = (struct profile){.kind = places[place].kind};
    snprintf(profile->executable, sizeof profile->executable, "%s", executable);
    find_bitcode(profile->bitcode);
    return read_version(profile, error);
}

bool profile_find(struct profile *profile, struct error *error)
{
    const char *given = getenv("HIPCONTRACT_CLANG");
    char path[PATH_MAX];
    for (size_t i = 0; i < N_PLACES; i++) {
        if (i > 0 && given && *given)
            return error_set(error, STATUS_ENVIRONMENT, "HIPCONTRACT_CLANG=%s is not an executable file; %s", given,
                             install_compiler);
        if (!places[i].not_default && find_executable(places[i].pattern, path))
            return take(i, path, profile, error);
    }
    return error_set(error, STATUS_ENVIRONMENT, "no HIP compiler: neither ROCm's nor clang-22 is installed; %s",
                     install_compiler);
}

static bool holds(const struct profile *profiles, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(profiles[i].name, name) == 0)
            return true;
    return false;
}

size_t profile_find_all(struct profile *profiles, size_t n_most)
{
    size_t n = 0;
    char path[PATH_MAX];
    struct error ignored;
    for (size_t i = 0; i < N_PLACES && n < n_most; i++)
        if (find_executable(places[i].pattern, path) && take(i, path, &profiles[n], &ignored) &&
            !holds(profiles, n, profiles[n].name))
            n++;
    return n;
}

/* What Debian's compilers before a major version need on the command line: where HIP's headers are, and in the words of
 * their time the built-in functions that came later (llvm.exp2 was v_exp_f32 itself; a product and a sum are fused). */
static const struct {
    int before;
    const char *flag;
} old_flags[] = {
    {16, "--rocm-path=/usr"},
    {19, "-D__builtin_amdgcn_wavefrontsize()=__AMDGCN_WAVEFRONT_SIZE"},
    {19, "-D__builtin_amdgcn_exp2f(x)=__builtin_exp2f(x)"},
    {19, "-D__builtin_elementwise_fma(a,b,c)=((a)*(b)+(c))"},
};

size_t profile_flags(const struct profile *profile, const char *flags[PROFILE_MAX_FLAGS])
{
    size_t n = 0;
    for (size_t i = 0; i < sizeof old_flags / sizeof *old_flags; i++)
        if (profile->kind == PROFILE_DEBIAN && profile_major(profile) < old_flags[i].before)
            flags[n++] = old_flags[i].flag;
    return n;
}

const char *const *profile_bitcode(unsigned wave_size)
{
#define COMMON_BITCODE                                                                                                     \
    "hip", "ocml", "ockl", "oclc_daz_opt_off", "oclc_unsafe_math_off", "oclc_finite_only_off",                             \
        "oclc_correctly_rounded_sqrt_on", "oclc_abi_version_500"
    static const char *const wave32[] = {COMMON_BITCODE, "oclc_wavefrontsize64_off", NULL};
    static const char *const wave64[] = {COMMON_BITCODE, "oclc_wavefrontsize64_on", NULL};
#undef COMMON_BITCODE
    return wave_size == 64 ? wave64 : wave32;
}

/* The linker that clang runs for this target lies beside the real clang, or in PATH. */
static void find_linker(const struct profile *profile, char path[PATH_MAX])
{
    char real[PATH_MAX];
    *path = 0;
    if (!realpath(profile->executable, real))
        return;
    char *slash = strrchr(real, '/');
    if (slash)
        *slash = 0;
    if (snprintf(path, PATH_MAX, "%s/ld.lld", real) >= PATH_MAX || access(path, X_OK) != 0)
        *path = 0;
}

static void find_first(const char *const *names, size_t n_names, char path[PATH_MAX])
{
    *path = 0;
    for (size_t i = 0; i < n_names && !*path; i++)
        if (access(names[i], R_OK) == 0)
            snprintf(path, PATH_MAX, "%s", names[i]);
}

/* The folder of the device libraries if every file that a compile links is there; the first missing one is named in what.
 */
static void check_bitcode(const struct profile *profile, struct profile_part *part)
{
    snprintf(part->path, sizeof part->path, "%s", profile->bitcode);
    for (unsigned wave_size = 32; wave_size <= 64; wave_size += 32)
        for (const char *const *name = profile_bitcode(wave_size); *name && *part->path; name++) {
            char file[PATH_MAX + 64];
            snprintf(file, sizeof file, "%s/%s.bc", profile->bitcode, *name);
            if (access(file, R_OK) == 0)
                continue;
            snprintf(part->what, sizeof part->what, "device library %s.bc", *name);
            *part->path = 0;
        }
}

size_t profile_parts(const struct profile *profile, struct profile_part parts[PROFILE_MAX_PARTS])
{
    if (profile->kind == PROFILE_ROCM)
        return 0; /* ROCm's compiler brings its own */
    static const char *const headers[] = {"/usr/include/hip/hip_runtime.h", "/usr/local/include/hip/hip_runtime.h"};
    parts[0] = (struct profile_part){.what = "linker"};
    snprintf(parts[0].install, sizeof parts[0].install, "apt-get install lld-%d", profile_major(profile));
    find_linker(profile, parts[0].path);
    parts[1] = (struct profile_part){.what = "HIP headers", .install = "apt-get install libamdhip64-dev"};
    find_first(headers, sizeof headers / sizeof *headers, parts[1].path);
    parts[2] = (struct profile_part){.what = "device libraries", .install = "apt-get install rocm-device-libs"};
    check_bitcode(profile, &parts[2]);
    return 3;
}
