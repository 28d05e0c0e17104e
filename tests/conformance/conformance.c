/*
 * conformance DIR|- [CHIP…]: holds the emulator of every chip (or of those named) to the published instruction vectors of
 * DIR (*.jsonl; -: none), to the tree's own cases (tests/conformance/, the .cases files) and to the kernels that chip and
 * host compile alike (tests/kernels/agreement/), at -O0 and -O3, in each wave size. One line a chip; what fails or is left
 * out is named before it, with the reason. Exit 1 where anything fails, 2 where a file cannot be read.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/base/project.h"
#include "records/chips.h"
#include "tests/support/case_file.h"
#include "tests/support/chip_names.h"
#include "tests/support/kernel_agreement.h"
#include "tests/support/vector_run.h"

static const char *const files[] = {"rdna3.jsonl", "rdna4.jsonl", "cdna.jsonl"};

enum { N_FILES = sizeof files / sizeof *files };

struct material {
    struct arena arena;
    struct vector *vectors[N_FILES];
    size_t n_vectors[N_FILES];
    glob_t case_files;
};

struct tallies {
    struct vector_tally vectors;
    struct case_tally cases;
    struct kernel_tally kernels;
};

/* Vectors of a chip that the table lacks would be run by none. */
static bool know_chips(const char *path, const struct vector *vectors, size_t n, struct error *error)
{
    for (size_t i = 0; i < n; i++)
        if (!chip_find(vectors[i].chip))
            return error_set(error, STATUS_USAGE, "%s: %s: no chip %s", path, vectors[i].id, vectors[i].chip);
    return true;
}

static bool read_material(const char *folder, struct material *material, struct error *error)
{
    char pattern[4096];
    for (size_t i = 0; i < N_FILES && strcmp(folder, "-") != 0; i++) {
        const char *path = arena_format(&material->arena, "%s/%s", folder, files[i]);
        if (!path)
            return error_set(error, STATUS_ENVIRONMENT, "out of memory");
        if (!vectors_read(path, &material->arena, &material->vectors[i], &material->n_vectors[i], error) ||
            !know_chips(path, material->vectors[i], material->n_vectors[i], error))
            return false;
    }
    if (!project_path("tests/conformance/*.cases", pattern, sizeof pattern, error))
        return false;
    return glob(pattern, 0, NULL, &material->case_files) == 0 ||
           error_set(error, STATUS_USAGE, "%s: no such files", pattern);
}

static void free_material(struct material *material)
{
    globfree(&material->case_files);
    arena_free(&material->arena);
}

static void run_vectors(const struct material *material, const char *chip, struct vector_tally *tally)
{
    for (size_t f = 0; f < N_FILES; f++)
        for (size_t i = 0; i < material->n_vectors[f]; i++)
            if (strcmp(material->vectors[f][i].chip, chip) == 0)
                vector_run(&material->vectors[f][i], stdout, tally);
}

static bool run_cases(const struct material *material, const char *chip, struct case_tally *tally, struct error *error)
{
    for (size_t i = 0; i < material->case_files.gl_pathc; i++)
        if (!case_file_run(material->case_files.gl_pathv[i], chip, stdout, tally, error))
            return false;
    return true;
}

static void run_kernels(const struct chip *chip, struct kernel_tally *tally)
{
    static const char *const optimisations[] = {"-O0", "-O3"};
    for (unsigned wave_size = chip->has_wave32 ? 32 : 64; wave_size <= 64; wave_size *= 2)
        for (size_t i = 0; i < sizeof optimisations / sizeof *optimisations; i++)
            kernels_agree(&(struct kernel_build){chip->name, optimisations[i], wave_size}, stdout, tally);
}

/* Whether all that was run agrees; *error where a file could not be read. */
static bool run_chip(const struct material *material, const struct chip *chip, struct error *error)
{
    struct tallies t = {0};
    run_vectors(material, chip->name, &t.vectors);
    if (!run_cases(material, chip->name, &t.cases, error))
        return false;
    run_kernels(chip, &t.kernels);
    printf("%s: vectors passed/total %zu/%zu (%zu left out, %zu agree in all that they leave), own cases passed/total "
           "%zu/%zu, kernels agreeing/total %zu/%zu\n",
           chip->name, t.vectors.n_passed, t.vectors.n_run, t.vectors.n_left_out, t.vectors.n_whole,
           t.cases.n_run - t.cases.n_failed, t.cases.n_run, t.kernels.n_agreed, t.kernels.n_run);
    fflush(stdout);
    return t.vectors.n_passed == t.vectors.n_run && t.cases.n_failed == 0 && t.kernels.n_agreed == t.kernels.n_run;
}

static int run_all(const struct material *material, char **names, struct error *error)
{
    size_t n_chips;
    bool agree = true;
    const struct chip *chips = chip_table(&n_chips);
    for (size_t i = 0; i < n_chips && error->status == STATUS_OK; i++)
        if (chip_names_have(names, &chips[i]))
            agree &= run_chip(material, &chips[i], error);
    return agree ? STATUS_OK : STATUS_RED;
}

int main(int argc, char **argv)
{
    struct error error = {0};
    struct material material = {0};
    if (argc < 2) {
        fprintf(stderr,
                "usage: conformance DIR|- [CHIP...] (DIR holds rdna3.jsonl, rdna4.jsonl, cdna.jsonl; -: no vectors)\n");
        return STATUS_USAGE;
    }
    if (!chip_names_check(argv + 2))
        return STATUS_USAGE;
    if (strcmp(argv[1], "-") == 0)
        puts("vectors are not run: no folder was given (make conformance VECTORS=DIR)");
    bool read = read_material(argv[1], &material, &error);
    int result = read ? run_all(&material, argv + 2, &error) : STATUS_USAGE;
    free_material(&material);
    if (error.status == STATUS_OK)
        return result;
    fprintf(stderr, "conformance: %s\n", error.text);
    return STATUS_USAGE;
}
