#include "contract/base/words.h"

#include <stdio.h>
#include <string.h>

bool words_hold(const char *list, const char *word, size_t n_bytes)
{
    for (const char *at = list; *at; at += strspn(at, ", ")) {
        size_t n = strcspn(at, ",");
        if (n == n_bytes && memcmp(at, word, n) == 0)
            return true;
        at += n;
    }
    return false;
}

bool words_add(char *list, size_t capacity, const char *word, size_t n_bytes)
{
    size_t used = strlen(list), separator = used ? 2 : 0;
    if (words_hold(list, word, n_bytes) || used + separator + n_bytes >= capacity)
        return false;
    snprintf(list + used, capacity - used, "%s%.*s", separator ? ", " : "", (int)n_bytes, word);
    return true;
}

void words_add_list(char *list, size_t capacity, const char *more)
{
    for (const char *at = more; *at; at += strspn(at, ", ")) {
        size_t n = strcspn(at, ",");
        words_add(list, capacity, at, n);
        at += n;
    }
}
