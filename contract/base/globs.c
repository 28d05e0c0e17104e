#include "contract/base/globs.h"

#include <fnmatch.h>

bool globs_choose(const char *const *globs, size_t n_globs, const char *name)
{
    for (size_t i = 0; i < n_globs; i++)
        if (fnmatch(globs[i], name, 0) == 0)
            return true;
    return n_globs == 0;
}
