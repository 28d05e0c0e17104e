/* Writes the inputs that fuzzing starts from. Usage: seeds FOLDER, in the project's root. */
#include "tests/fuzz/seeds.h"

#include <stdio.h>

#include "contract/base/file.h"

bool seed_write(const char *folder, const char *target, const char *name, const void *bytes, size_t n_bytes,
                struct error *error)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, target);
    if (!file_make_directories(path, error))
        return false;
    snprintf(path, sizeof path, "%s/%s/%s", folder, target, name);
    return file_write(path, bytes, n_bytes, error);
}

int main(int argc, char **argv)
{
    struct error error;
    if (argc != 2) {
        fprintf(stderr, "usage: seeds FOLDER\n");
        return STATUS_USAGE;
    }
    bool ok = seeds_of_code(argv[1], &error) && seeds_of_files(argv[1], &error);
    if (!ok)
        fprintf(stderr, "seeds: %s\n", error.text);
    return ok ? STATUS_OK : (int)error.status;
}
