#include "device/hip_api.h"

const char *hip_error_name(hipError_t error)
{
    static const struct {
        int value;
        const char *name;
    } names[] = {
#define HIP_ERROR_ROW(name, value) {value, #name},
        HIP_ERRORS(HIP_ERROR_ROW)
#undef HIP_ERROR_ROW
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].value == error)
            return names[i].name;
    return "hipErrorUnknown";
}
