#include "contract/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_all(int descriptor, char *data, size_t n_bytes)
{
    for (size_t done = 0; done < n_bytes;) {
        ssize_t got = read(descriptor, data + done, n_bytes - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            if (got == 0)
                errno = EIO;
            return false;
        }
        done += (size_t)got;
    }
    return true;
}

bool file_read(const char *path, char **data, size_t *n_bytes, struct error *error)
{
    *data = NULL;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe is refused, and not waited for */
    if (descriptor < 0)
        return error_set(error, STATUS_USAGE, "%s: %s", path, strerror(errno));
    struct stat facts;
    bool ok = fstat(descriptor, &facts) == 0;
    if (ok && !S_ISREG(facts.st_mode)) {
        errno = S_ISDIR(facts.st_mode) ? EISDIR : EINVAL;
        ok = false;
    }
    if (ok) {
        *n_bytes = (size_t)facts.st_size;
        *data = malloc(*n_bytes + 1);
        ok = *data && read_all(descriptor, *data, *n_bytes);
    }
    if (!ok) {
        error_set(error, STATUS_USAGE, "%s: %s", path, strerror(errno));
        free(*data);
        *data = NULL;
    } else {
        (*data)[*n_bytes] = 0;
    }
    close(descriptor);
    return ok;
}

static bool write_all(int descriptor, const char *data, size_t n_bytes)
{
    for (size_t done = 0; done < n_bytes;) {
        ssize_t wrote = write(descriptor, data + done, n_bytes - done);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            return false;
        done += (size_t)wrote;
    }
    return true;
}

bool file_write(const char *path, const void *data, size_t n_bytes, struct error *error)
{
    char temporary[PATH_MAX];
    if (snprintf(temporary, sizeof temporary, "%s.XXXXXX", path) >= (int)sizeof temporary)
        return error_set(error, STATUS_USAGE, "%s: %s", path, strerror(ENAMETOOLONG));
    int descriptor = mkostemp(temporary, O_CLOEXEC);
    if (descriptor < 0)
        return error_set(error, STATUS_USAGE, "%s: cannot be written: %s", path, strerror(errno));
    bool ok = write_all(descriptor, data, n_bytes) && fchmod(descriptor, 0644) == 0 && fsync(descriptor) == 0;
    int reason = errno;
    if (close(descriptor) != 0 && ok) {
        reason = errno;
        ok = false;
    }
    if (ok && rename(temporary, path) != 0) {
        reason = errno;
        ok = false;
    }
    if (!ok) {
        unlink(temporary);
        return error_set(error, STATUS_USAGE, "%s: cannot be written: %s", path, strerror(reason));
    }
    return true;
}

/* errno says why not. */
static bool make_directory(const char *path)
{
    struct stat facts;
    if (mkdir(path, 0777) == 0)
        return true;
    if (errno != EEXIST || stat(path, &facts) != 0)
        return false;
    errno = ENOTDIR;
    return S_ISDIR(facts.st_mode);
}

bool file_make_directories(const char *path, struct error *error)
{
    char part[PATH_MAX];
    if (snprintf(part, sizeof part, "%s", path) >= (int)sizeof part)
        return error_set(error, STATUS_USAGE, "%s: %s", path, strerror(ENAMETOOLONG));
    for (char *slash = part + 1;; slash++) {
        if (*slash && *slash != '/')
            continue;
        char kept = *slash;
        *slash = 0;
        if (!make_directory(part))
            return error_set(error, STATUS_USAGE, "%s: cannot make the directory: %s", part, strerror(errno));
        *slash = kept;
        if (!kept)
            return true;
    }
}

bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

bool file_is_folder(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

static int remove_entry(const char *path, const struct stat *facts, int kind, struct FTW *position)
{
    (void)facts, (void)kind, (void)position;
    remove(path);
    return 0;
}

void file_remove_tree(const char *path)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}
