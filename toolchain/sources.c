#include "toolchain/sources.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "contract/base/file.h"

enum { MAX_FOLDERS = 512, FIRST_LINE_BYTES = 8192 };

/* Has the list this line of n_bytes? */
static bool holds(const struct text *list, const char *path, size_t n_bytes)
{
    for (const char *at = list->data; at && *at; at = strchr(at, '\n') + 1)
        if (strncmp(at, path, n_bytes) == 0 && at[n_bytes] == '\n')
            return true;
    return false;
}

/* `# 1 "kernels/lanes.h" 1 3 4`: flag 1 says that a file begins, 3 that it is of the system (GCC manual, "Preprocessor
 * Output"). The main file has no flag. */
static void take_marker(const char *marker, size_t length, struct sources *sources)
{
    char line[FIRST_LINE_BYTES];
    if (length >= sizeof line)
        return;
    memcpy(line, marker, length);
    line[length] = '\0';
    char *path = strchr(line, '"'), *end = strrchr(line, '"');
    bool begins = path && end > path && (strstr(end, " 1") || strncmp(line, "# 1 \"", 5) == 0);
    if (!begins || path[1] == '<')
        return;
    *end = '\0';
    path++;
    struct text *list = strstr(end + 1, " 3") ? &sources->system : &sources->own;
    if (!holds(list, path, strlen(path)))
        text_append(list, "%s\n", path);
}

bool sources_of(const char *preprocessed, struct sources *sources)
{
    *sources = (struct sources){0};
    for (const char *line = preprocessed; line && *line;) {
        const char *end = strchr(line, '\n');
        size_t length = end ? (size_t)(end - line) : strlen(line);
        if (length > 3 && line[0] == '#' && line[1] == ' ')
            take_marker(line, length, sources);
        line = end ? end + 1 : NULL;
    }
    return !sources->own.failed && !sources->system.failed;
}

void sources_free(struct sources *sources)
{
    text_free(&sources->own);
    text_free(&sources->system);
    *sources = (struct sources){0};
}

/* A fingerprint as it grows. */
struct taking {
    const char *root;
    struct fingerprint made;
    struct hash128 folders[MAX_FOLDERS]; /* of the paths of those that are in it */
    size_t n_folders;
};

static void note_change(struct taking *taking, const struct stat *facts)
{
    int64_t modified_ns = facts->st_mtim.tv_sec * INT64_C(1000000000) + facts->st_mtim.tv_nsec;
    int64_t changed_ns = facts->st_ctim.tv_sec * INT64_C(1000000000) + facts->st_ctim.tv_nsec;
    int64_t last_ns = modified_ns > changed_ns ? modified_ns : changed_ns;
    if (last_ns > taking->made.changed_ns)
        taking->made.changed_ns = last_ns;
}

/* Names by which a source might be included. */
static bool may_be_included(const char *name)
{
    static const char *const suffixes[] = {"h", "hpp", "hh", "hip", "cuh", "inc", "def", "tcc", "ipp", "c", "cpp"};
    const char *suffix = strrchr(name, '.');
    if (!suffix)
        return true; /* <vector>, or a folder */
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes && suffix > name; i++)
        if (strcmp(suffix + 1, suffixes[i]) == 0)
            return true;
    return false;
}

/* The names in a folder, in whatever order they are read. */
static struct hash128 names_in(struct taking *taking, const char *path)
{
    struct hash128 sum = {0, 0};
    struct stat facts;
    DIR *folder = opendir(path);
    if (!folder)
        return sum;
    if (fstat(dirfd(folder), &facts) == 0)
        note_change(taking, &facts);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        if (!may_be_included(entry->d_name))
            continue;
        struct hash128 name = hash_bytes(entry->d_name, strlen(entry->d_name));
        sum.high += name.high;
        sum.low += name.low;
    }
    closedir(folder);
    return sum;
}

/* Where a path lies; "" where it is too long for any file. */
static void find_full(const struct taking *taking, const char *path, char full[PATH_MAX])
{
    const char *root = *path == '/' ? "" : taking->root;
    if (snprintf(full, PATH_MAX, "%s%s%s", root, *root ? "/" : "", path) >= PATH_MAX)
        *full = '\0';
}

/* false where it is in already, and with it those above. */
static bool add_folder(struct taking *taking, const char *path)
{
    struct hash128 name = hash_bytes(path, strlen(path));
    for (size_t i = taking->n_folders; i-- > 0;)
        if (hash_equal(taking->folders[i], name))
            return false;
    if (taking->n_folders < MAX_FOLDERS)
        taking->folders[taking->n_folders++] = name;
    char full[PATH_MAX];
    find_full(taking, path, full);
    struct hash128 names = names_in(taking, full);
    taking->made.hash = hash_more(taking->made.hash, path, strlen(path));
    taking->made.hash = hash_more(taking->made.hash, &names, sizeof names);
    return true;
}

/* The folder of a file and those above it, up to the root or, elsewhere, to the second below "/". */
static void add_folders(struct taking *taking, const char *file)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", file);
    for (char *slash; (slash = strrchr(path, '/')) && slash > path;) {
        *slash = '\0';
        if ((*path == '/' && !strchr(path + 1, '/')) || !add_folder(taking, path))
            return;
    }
}

static void add_file(struct taking *taking, const char *file)
{
    char full[PATH_MAX], *data;
    size_t n_bytes;
    struct stat facts;
    find_full(taking, file, full);
    struct hash128 contents = {0, 0};
    if (stat(full, &facts) == 0)
        note_change(taking, &facts);
    if (file_read(full, &data, &n_bytes, NULL)) {
        contents = hash_bytes(data, n_bytes);
        free(data);
    }
    taking->made.hash = hash_more(taking->made.hash, file, strlen(file));
    taking->made.hash = hash_more(taking->made.hash, &contents, sizeof contents);
}

struct fingerprint fingerprint_of(const char *paths, const char *root)
{
    struct taking taking = {.root = root};
    add_folder(&taking, ".");
    add_folder(&taking, "/usr/local/include");
    for (const char *at = paths; at && *at;) {
        size_t length = strcspn(at, "\n");
        char file[PATH_MAX];
        snprintf(file, sizeof file, "%.*s", (int)length, at);
        add_file(&taking, file);
        add_folders(&taking, file);
        at += length + (at[length] == '\n');
    }
    return taking.made;
}
