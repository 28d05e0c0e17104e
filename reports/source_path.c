#include "reports/source_path.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool is_word(const char *at, size_t n, const char *word)
{
    return n == strlen(word) && memcmp(at, word, n) == 0;
}

/* The length of a path without its last part; the same where it has none that ".." can take away. The root is above
 * itself. */
static size_t parent(const char *path, size_t length)
{
    size_t at = length;
    while (at > 0 && path[at - 1] != '/')
        at--;
    if (at == length || is_word(path + at, length - at, ".."))
        return length;
    return at > 1 ? at - 1 : at;
}

void source_path(const char *path, char *plain, size_t n_bytes)
{
    size_t length = *path == '/' ? 1 : 0;
    snprintf(plain, n_bytes, "%s", path);
    if (strlen(path) >= n_bytes)
        return;
    for (const char *at = path; *at;) {
        size_t n = strcspn(at, "/");
        bool is_up = is_word(at, n, ".."), is_root = length == 1 && *plain == '/';
        size_t above = is_up ? parent(plain, length) : length;
        if (above < length) {
            length = above;
        } else if (n && !is_word(at, n, ".") && !(is_up && is_root)) {
            if (length && plain[length - 1] != '/')
                plain[length++] = '/';
            memcpy(plain + length, at, n);
            length += n;
        }
        at += n + (at[n] == '/');
    }
    plain[length] = '\0';
}
