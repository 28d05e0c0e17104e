#include "contract/harness_fault.h"

enum harness_fault harness_fault_planted = HARNESS_SOUND;

void harness_fault_plant(enum harness_fault fault)
{
    harness_fault_planted = fault;
}

const char *harness_fault_name(enum harness_fault fault)
{
    static const char *const names[] = {[HARNESS_SOUND] = "none",
#define HARNESS_FAULT_NAME(fault, name) [HARNESS_##fault] = (name),
                                        HARNESS_FAULTS(HARNESS_FAULT_NAME)
#undef HARNESS_FAULT_NAME
    };
    return names[fault];
}
