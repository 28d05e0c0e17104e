/*
 * Reading scalar operands that are neither plain registers nor constants.
 */
#include "device/emulator/lanes.h"

static uint64_t special_value(struct wave *wave, unsigned index)
{
    switch (index) {
    case SPECIAL_SCC:
        return wave->scc;
    case SPECIAL_VCCZ:
        return vcc_read(wave) == 0;
    case SPECIAL_EXECZ:
        return exec_read(wave) == 0;
    case SPECIAL_SHARED_BASE:
        return SHARED_APERTURE;
    case SPECIAL_SHARED_LIMIT:
        return SHARED_APERTURE + UINT32_MAX;
    case SPECIAL_PRIVATE_BASE:
        return PRIVATE_APERTURE;
    case SPECIAL_PRIVATE_LIMIT:
        return PRIVATE_APERTURE + UINT32_MAX;
    default:
        wave_finding(wave, FINDING_UNSUPPORTED, -1, "the emulator has no such source register");
        return 0;
    }
}

uint64_t VARIANT(scalar_read64)(struct wave *wave, const struct operand *operand)
{
    return operand->kind == OPERAND_SPECIAL ? special_value(wave, operand->index) : 0;
}

uint32_t VARIANT(scalar_read_slow)(struct wave *wave, const struct operand *operand)
{
    return (uint32_t)VARIANT(scalar_read64)(wave, operand);
}
