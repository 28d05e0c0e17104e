#include "device/emulator/llvm_target.h"

#include <stdio.h>

bool llvm_has_halves(const struct chip *chip)
{
    return chip->family == CHIP_RDNA3 || chip->family == CHIP_RDNA35 || chip->family == CHIP_RDNA4;
}

void llvm_features(const struct chip *chip, uint32_t n_lanes, char features[LLVM_FEATURES_BYTES])
{
    bool halves = llvm_has_halves(chip), wave64 = n_lanes == 64 && chip->has_wave32;
    snprintf(features, LLVM_FEATURES_BYTES, "%s%s%s", halves ? "+real-true16" : "", halves && wave64 ? "," : "",
             wave64 ? "+wavefrontsize64" : "");
}
