#include "tests/support/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "contract/base/file.h"
#include "toolchain/process.h"

bool scratch_open(char folder[SCRATCH_PATH_BYTES])
{
    const char *parent = getenv("TMPDIR");
    snprintf(folder, SCRATCH_PATH_BYTES, "%s/hipcontract-test-XXXXXX", parent && *parent ? parent : "/tmp");
    if (mkdtemp(folder))
        return true;
    perror(folder);
    return false;
}

void scratch_close(const char *folder)
{
    file_remove_tree(folder);
}

bool scratch_write(const char *folder, const char *name, const char *text, char path[SCRATCH_PATH_BYTES])
{
    struct error error;
    if (snprintf(path, SCRATCH_PATH_BYTES, "%s/%s", folder, name) < SCRATCH_PATH_BYTES &&
        file_write(path, text, strlen(text), &error))
        return true;
    fprintf(stderr, "%s/%s cannot be written\n", folder, name);
    return false;
}

char *scratch_run(const char *const *argv)
{
    struct process_result result;
    struct error error;
    if (!process_run(argv, "/", &result, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return NULL;
    }
    char *out = NULL;
    if (result.exit_status == 0)
        out = strdup(result.out.data ? result.out.data : "");
    else
        fprintf(stderr, "%s: exit status %d\n%s", argv[0], result.exit_status, result.err.data ? result.err.data : "");
    process_result_free(&result);
    return out;
}
