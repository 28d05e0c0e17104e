#include "contract/base/project.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "contract/base/file.h"

static bool has_folder(const char *directory, const char *name)
{
    char path[PATH_MAX];
    return snprintf(path, sizeof path, "%s/%s", directory, name) < (int)sizeof path && file_is_folder(path);
}

/* Cuts the last part off an absolute path; false at the top. */
static bool to_parent(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash || slash == path)
        return false;
    *slash = 0;
    return true;
}

static bool root_above_executable(char path[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (length <= 0)
        return false;
    path[length] = 0;
    while (to_parent(path))
        if (has_folder(path, "kernels") && has_folder(path, "records"))
            return true;
    return false;
}

bool project_root(char *root, size_t n_bytes, struct error *error)
{
    char path[PATH_MAX];
    const char *given = getenv("HIPCONTRACT_ROOT");
    bool found = given && *given ? realpath(given, path) != NULL : root_above_executable(path) || getcwd(path, sizeof path);
    if (!found)
        return error_set(error, STATUS_USAGE, "%s: %s", given && *given ? given : "current directory", strerror(errno));
    if (snprintf(root, n_bytes, "%s", path) >= (int)n_bytes)
        return error_set(error, STATUS_USAGE, "%s: %s", path, strerror(ENAMETOOLONG));
    return true;
}

bool project_path(const char *relative, char *path, size_t n_bytes, struct error *error)
{
    char root[PATH_MAX] = "";
    if (*relative != '/' && !project_root(root, sizeof root, error))
        return false;
    if (snprintf(path, n_bytes, "%s%s%s", root, *root ? "/" : "", relative) >= (int)n_bytes)
        return error_set(error, STATUS_USAGE, "%s: %s", relative, strerror(ENAMETOOLONG));
    return true;
}
