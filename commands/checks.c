#include "commands/checks.h"

#include <string.h>

#include "device/device.h"

/* Every kind that can be asked for; NAN with them, though it fails no launch. */
#define CHOICES (CHECKS_ALL | 1u << FINDING_NAN)

static bool is_word(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && memcmp(word, name, length) == 0;
}

/* The bits of a list; *fixed is a kind of it that is always on, or FINDING_KIND_COUNT. */
static bool read_list(const char *option, const char *list, unsigned *checks, enum finding_kind *fixed, struct error *error)
{
    *checks = 0;
    *fixed = FINDING_KIND_COUNT;
    for (const char *at = list;; at++) {
        size_t length = strcspn(at, ",");
        enum finding_kind kind = finding_kind_find(at, length);
        if (is_word(at, length, "all")) {
            *checks |= CHECKS_ALL;
        } else if (kind < FINDING_KIND_COUNT) {
            *checks |= CHOICES & 1u << kind;
            *fixed = CHOICES >> kind & 1 ? *fixed : kind;
        } else if (!is_word(at, length, "none")) {
            char choices[120];
            finding_kinds_list(CHOICES, ", ", choices, sizeof choices);
            return error_set(error, STATUS_USAGE, "--%s %s: no kind %.*s; kinds are %s, all and none", option, list,
                             (int)length, at, choices);
        }
        at += length;
        if (*at == 0)
            return true;
    }
}

bool checks_parse(const char *option, const char *list, unsigned *checks, struct error *error)
{
    enum finding_kind fixed;
    return read_list(option, list, checks, &fixed, error);
}

bool checks_leave_out(const char *option, const char *list, unsigned *checks, struct error *error)
{
    unsigned left_out;
    enum finding_kind fixed;
    if (!read_list(option, list, &left_out, &fixed, error))
        return false;
    if (fixed != FINDING_KIND_COUNT)
        return error_set(error, STATUS_USAGE, "--%s %s: %s is always reported and cannot be left out", option, list,
                         finding_kind_name(fixed));
    *checks &= ~left_out;
    return true;
}
