#include "commands/compiler_name.h"

#include <string.h>

#include "toolchain/profile.h"

bool compiler_is_name(const char *name)
{
    static const char *const vendors[] = {"debian-", "rocm-"};
    const char *rest = name;
    for (size_t i = 0; i < sizeof vendors / sizeof *vendors; i++)
        if (strncmp(name, vendors[i], strlen(vendors[i])) == 0)
            rest = name + strlen(vendors[i]);
    const char *digits = rest + strlen("clang-");
    return strncmp(rest, "clang-", strlen("clang-")) == 0 && *digits && strspn(digits, "0123456789") == strlen(digits);
}

struct toolchain *compiler_open(const char *name, const char *cache_directory, struct error *error)
{
    static const struct profile none;
    struct profile profiles[PROFILE_MOST] = {none};
    size_t n_profiles = profile_find_all(profiles, PROFILE_MOST);
    for (size_t i = 0; i < n_profiles; i++)
        if (strcmp(profiles[i].name, name) == 0 || strcmp(profile_short_name(&profiles[i]), name) == 0)
            return toolchain_open_profile(&profiles[i], cache_directory, error);
    error_set(error, STATUS_ENVIRONMENT, "that compiler is not installed; `hipcontract doctor` shows those that are");
    return NULL;
}
