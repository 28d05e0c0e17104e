#include "reference/lanes.h"

#include "contract/base/host_levels.h"

#define DECLARE_LANES(level, has) extern const struct lanes lanes_##level;
HOST_LEVELS(DECLARE_LANES)
#undef DECLARE_LANES

const struct lanes *lanes_of_host(void)
{
#define TRY_LEVEL(level, has)                                                                                              \
    if ((has) && host_level_is_wanted(#level))                                                                             \
        return &lanes_##level;
    HOST_LEVELS(TRY_LEVEL)
#undef TRY_LEVEL
    return &lanes_v1;
}
