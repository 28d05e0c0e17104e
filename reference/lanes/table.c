#include "reference/lanes/vector.h"

extern const struct lanes LEVEL_NAME(lanes, HOST_LEVEL);
const struct lanes LEVEL_NAME(lanes, HOST_LEVEL) = {
#define LANES_ENTRY(name, arguments) .name = AT_LEVEL(name),
    LANE_FUNCTIONS(LANES_ENTRY)
#undef LANES_ENTRY
};
