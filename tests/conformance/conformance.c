/*
 * conformance DIR: runs the published instruction vectors of DIR (*.jsonl) on the emulator and compares what they leave
 * behind. Exit 1 when a vector of an emulated chip fails that the instruction set does not leave open, 2 when a file cannot
 * be read.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/base/project.h"
#include "tests/support/agreement.h"
#include "tests/support/case_file.h"
#include "tests/support/vector.h"
#include "tests/support/group_runner.h"

static const char *const files[] = {"rdna3.jsonl", "rdna4.jsonl", "cdna.jsonl"};

struct tally {
    size_t n_total, n_passed, n_failed, n_optional_failed, n_whole;
};

enum { MAX_REASON = 1024 };

/* s[0:1] of every wave holds the address of the kernarg segment, which holds that of the output buffer. 0: out of memory.
 */
static uint64_t place_buffers(struct group_runner *runner, size_t output_bytes)
{
    uint64_t output = group_runner_allocate(runner, output_bytes, "output");
    uint64_t kernarg = group_runner_allocate(runner, 8, "kernarg");
    if (!output || !kernarg)
        return 0;
    memcpy(memory_host(runner->memory, kernarg, 8), &output, 8);
    for (uint32_t i = 0; i < runner->group.n_waves; i++)
        memcpy(runner->group.waves[i].sgpr, &kernarg, 8);
    return output;
}

/* Runs one vector; false with the reason where it does not agree. */
static bool run_vector(const struct vector *vector, struct tally *tally, char *reason)
{
    struct error error = {0};
    struct group_launch launch = {.chip = vector->chip,
                                  .n_lanes = vector->n_lanes,
                                  .n_items = vector->n_items,
                                  .code = vector->code,
                                  .code_bytes = vector->code_bytes,
                                  .lds_bytes = vector->lds_bytes,
                                  .scratch_bytes = vector->scratch_bytes};
    struct group_runner *runner = group_runner_open(&launch, &error);
    uint64_t output = runner ? place_buffers(runner, vector->output_bytes) : 0;
    bool ok = false;
    if (!output) {
        snprintf(reason, MAX_REASON, "%s", runner ? "out of memory" : error.text);
    } else if (!group_runner_run(runner)) {
        snprintf(reason, MAX_REASON, "%s: %s", finding_kind_name(runner->findings[0].kind), runner->findings[0].text);
    } else {
        const uint8_t *bytes = memory_host(runner->memory, output, vector->output_bytes);
        size_t failed = agreement_first_failure(vector, bytes);
        ok = failed == vector->n_checks;
        bool whole = agreement_whole(vector, bytes);
        tally->n_whole += whole;
        if (!ok)
            agreement_describe(vector, bytes, failed, reason, MAX_REASON);
        else if (!whole)
            printf("note %s: passes, and differs where nothing is asserted\n", vector->id);
    }
    group_runner_close(runner);
    return ok;
}

static void count_vector(const struct vector *vector, struct tally *tally)
{
    char reason[MAX_REASON];
    tally->n_total++;
    if (run_vector(vector, tally, reason)) {
        tally->n_passed++;
        return;
    }
    printf("%s %s: %s\n", vector->optional ? "fail (optional)" : "FAIL", vector->id, reason);
    tally->n_failed += !vector->optional;
    tally->n_optional_failed += vector->optional;
}

static bool is_emulated(const char *name)
{
    const struct chip *chip = chip_find(name);
    return chip;
}

/* Vectors of one chip, which stand together in a file. */
static size_t run_chip(const struct vector *vectors, size_t n_vectors, bool *failed)
{
    const char *chip = vectors[0].chip;
    struct tally tally = {0};
    size_t n = 0;
    while (n < n_vectors && strcmp(vectors[n].chip, chip) == 0)
        n++;
    if (!is_emulated(chip)) {
        printf("%s: %zu not run: the chip is not emulated\n", chip, n);
        for (size_t i = 0; i < n; i++)
            printf("  not run %s\n", vectors[i].id);
        return n;
    }
    for (size_t i = 0; i < n; i++)
        count_vector(&vectors[i], &tally);
    printf("%s: %zu of %zu passed, %zu failed, %zu optional failed; %zu agree in the whole output buffer\n", chip,
           tally.n_passed, tally.n_total, tally.n_failed, tally.n_optional_failed, tally.n_whole);
    *failed |= tally.n_failed > 0;
    return n;
}

static bool run_file(const char *folder, const char *file, bool *failed, struct error *error)
{
    struct arena arena = {0};
    struct vector *vectors;
    size_t n_vectors;
    const char *path = arena_format(&arena, "%s/%s", folder, file);
    bool ok = path && vectors_read(path, &arena, &vectors, &n_vectors, error);
    for (size_t done = 0; ok && done < n_vectors;)
        done += run_chip(vectors + done, n_vectors - done, failed);
    arena_free(&arena);
    return ok;
}

/* The cases of the tree. */
static bool run_cases(bool *failed, struct error *error)
{
    char pattern[4096];
    struct case_tally tally = {0};
    glob_t found;
    if (!project_path("tests/conformance/*.cases", pattern, sizeof pattern, error))
        return false;
    if (glob(pattern, 0, NULL, &found) != 0)
        return error_set(error, STATUS_USAGE, "%s: no such files", pattern);
    bool ok = true;
    for (size_t i = 0; ok && i < found.gl_pathc; i++)
        ok = case_file_run(found.gl_pathv[i], NULL, stdout, &tally, error);
    globfree(&found);
    printf("own cases: %zu of %zu passed\n", tally.n_run - tally.n_failed, tally.n_run);
    *failed |= tally.n_failed > 0;
    return ok;
}

int main(int argc, char **argv)
{
    bool failed = false, ok = true;
    struct error error = {0};
    if (argc != 2) {
        fprintf(stderr, "usage: conformance DIR (the folder of rdna3.jsonl, rdna4.jsonl, cdna.jsonl)\n");
        return STATUS_USAGE;
    }
    for (size_t i = 0; ok && i < sizeof files / sizeof *files; i++)
        ok = run_file(argv[1], files[i], &failed, &error);
    if (!ok || !run_cases(&failed, &error)) {
        fprintf(stderr, "conformance: %s\n", error.text);
        return STATUS_USAGE;
    }
    return failed ? STATUS_RED : STATUS_OK;
}
