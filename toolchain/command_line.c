#include "toolchain/command_line.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* __oclc_ISA_version is the processor's name as a number: 1000 * major + 100 * minor + stepping, where the last two digits
 * of gfxNNNN are minor and stepping in hexadecimal (AMDGPUUsage, "Processors"). */
static bool read_chip(const char *chip, struct target *target)
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
    target->isa_version = 1000 * major + 100 * (minor_stepping >> 4) + (minor_stepping & 15);
    target->default_wave = major >= 10 ? 32 : 64;
    return true;
}

bool target_of(const struct compile_request *request, struct target *target)
{
    if (!read_chip(request->chip, target))
        return false;
    target->wave_size = request->wave_size ? request->wave_size : target->default_wave;
    return true;
}

void command_line_add(struct command_line *line, const char *word)
{
    if (!word || line->n_words == COMMAND_MOST_WORDS)
        line->overflow = true;
    else
        line->words[line->n_words++] = word;
}

static void add_all(struct command_line *line, const char *const *words, size_t n_words)
{
    for (size_t i = 0; i < n_words; i++)
        command_line_add(line, words[i]);
}

void command_line_add_flags(struct command_line *line, const struct profile *profile, const struct compile_request *request,
                            const struct target *target)
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
    command_line_add(line, profile->executable);
    add_all(line, common, sizeof common / sizeof *common);
    command_line_add(line, arena_format(&line->arena, "--offload-arch=%s", request->chip));
    command_line_add(line, request->optimisation ? request->optimisation : "-O3");
    if (target->wave_size != target->default_wave)
        command_line_add(line, target->wave_size == 64 ? "-mwavefrontsize64" : "-mno-wavefrontsize64");
    if (profile->kind == PROFILE_DEBIAN) {
        command_line_add(line, "-nogpulib");
        /* HIP 5's headers ask for what clang 22 no longer defines. */
        command_line_add(line, arena_format(&line->arena, "-D__AMDGCN_WAVEFRONT_SIZE=%u", target->wave_size));
    }
    const char *own[PROFILE_MAX_FLAGS];
    add_all(line, own, profile_flags(profile, own));
    for (size_t i = 0; i < request->n_defines; i++)
        command_line_add(line, arena_format(&line->arena, "-D%s", request->defines[i]));
}

static void add_module(struct command_line *line, const char *path)
{
    const char *const words[] = {"-Xclang", "-mlink-builtin-bitcode", "-Xclang", path};
    add_all(line, words, sizeof words / sizeof *words);
}

void command_line_add_bitcode(struct command_line *line, const struct profile *profile, const struct target *target,
                              const char *isa_path)
{
    for (const char *const *name = profile_bitcode(target->wave_size); *name; name++)
        add_module(line, arena_format(&line->arena, "%s/%s.bc", profile->bitcode, *name));
    add_module(line, isa_path);
}

void command_line_add_source(struct command_line *line, const char *source_path)
{
    const char *last = strrchr(source_path, '/');
    if (*source_path == '/')
        command_line_add(line,
                         arena_format(&line->arena, "-ffile-prefix-map=%.*s=.", (int)(last - source_path), source_path));
    command_line_add(line, source_path);
}

void command_line_add_module_flags(struct command_line *line, const struct profile *profile)
{
    static const char *const words[] = {
        "-x", "c", "--target=amdgcn-amd-amdhsa", "-nogpulib", "-mcode-object-version=5", "-O2", "-emit-llvm", "-c"};
    command_line_add(line, profile->executable);
    add_all(line, words, sizeof words / sizeof *words);
}

struct hash128 command_line_hash(const struct command_line *line, struct hash128 hash)
{
    for (size_t i = 1; i < line->n_words; i++)
        hash = hash_more(hash, line->words[i], strlen(line->words[i]) + 1);
    return hash;
}

void command_line_free(struct command_line *line)
{
    arena_free(&line->arena);
    *line = (struct command_line){0};
}
