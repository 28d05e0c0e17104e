/*
 * corpus DIR|- [CHIP…]: what compilers emit for a chip against what the emulator implements, for every chip of the table or
 * those named. Exit 1 where a mnemonic is missing. DIR is the vectors' folder, which every conformance program is given; it
 * is not looked at.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "contract/base/project.h"
#include "tests/support/chip_names.h"
#include "tests/support/corpus.h"

static bool open_cache(char path[PATH_MAX], struct error *error)
{
    const char *given = getenv("HIPCONTRACT_CACHE");
    if (given && *given)
        snprintf(path, PATH_MAX, "%s", given);
    else if (!project_path("build/cache", path, PATH_MAX, error))
        return false;
    mkdir(path, 0777);
    return true;
}

static bool measure(const struct chip *chip, uint32_t n_lanes, const char *cache, bool *failed, struct error *error)
{
    struct corpus_tally tally;
    if (!corpus_measure(chip, n_lanes, cache, stdout, &tally, error))
        return false;
    printf(
        "%s wave%u: corpus mnemonics implemented/occurring %zu/%zu, %zu left out; %llu instructions of %zu code objects\n",
        chip->name, n_lanes, tally.n_implemented, tally.n_occurring, tally.n_excused,
        (unsigned long long)tally.n_instructions, tally.n_objects);
    fflush(stdout);
    *failed |= tally.n_implemented != tally.n_occurring;
    return true;
}

int main(int argc, char **argv)
{
    struct error error = {0};
    char cache[PATH_MAX];
    size_t n_chips;
    if (argc < 2)
        fprintf(stderr, "usage: corpus DIR|- [CHIP...] (DIR is not looked at)\n");
    if (argc < 2 || !chip_names_check(argv + 2))
        return STATUS_USAGE;
    const struct chip *chips = chip_table(&n_chips);
    bool failed = false, ok = open_cache(cache, &error);
    for (size_t i = 0; ok && i < n_chips; i++) {
        if (!chip_names_have(argv + 2, &chips[i]))
            continue;
        ok = measure(&chips[i], chips[i].default_wave, cache, &failed, &error);
        if (ok && chips[i].family == CHIP_RDNA2)
            printf("%s wave64: not measured: HIP's headers refuse waves of 64 on gfx10\n", chips[i].name);
        else if (ok && chips[i].has_wave32)
            ok = measure(&chips[i], 64, cache, &failed, &error);
    }
    if (!ok)
        fprintf(stderr, "corpus: %s\n", error.text);
    return !ok ? STATUS_ENVIRONMENT : failed ? STATUS_RED : STATUS_OK;
}
