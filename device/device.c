#include "device/device.h"

const char *finding_kind_name(enum finding_kind kind)
{
    static const char *const names[] = {
#define FINDING_NAME(kind, name) [FINDING_##kind] = name,
        FINDING_KINDS(FINDING_NAME)
#undef FINDING_NAME
    };
    return (unsigned)kind < FINDING_KIND_COUNT ? names[kind] : "unknown";
}
