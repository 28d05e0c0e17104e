#include "tests/fuzz/input_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/must.h"
#include "tests/support/scratch.h"

const char *input_file(const uint8_t *data, size_t n_bytes)
{
    static int descriptor = -1;
    static char path[40];
    if (descriptor < 0) {
        descriptor = memfd_create("input", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    }
    must(ftruncate(descriptor, 0) == 0 && pwrite(descriptor, data, n_bytes, 0) == (ssize_t)n_bytes);
    return path;
}

static char folder[SCRATCH_PATH_BYTES];

static void remove_folder(void)
{
    scratch_close(folder);
}

const char *input_folder(void)
{
    if (!folder[0]) {
        must(scratch_open(folder));
        atexit(remove_folder);
    }
    return folder;
}
