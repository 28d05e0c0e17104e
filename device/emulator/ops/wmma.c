/* WMMA names that gfx11 and gfx12 share: other layouts, other adders. */
#include "device/emulator/matrix_rule.h"
#include "device/emulator/wmma.h"

#define WMMA(shape)                                                                                                        \
    HANDLER(wmma_##shape)                                                                                                  \
    {                                                                                                                      \
        if (wave->chip->family == CHIP_RDNA4)                                                                              \
            HANDLER_NAME(wmma12_##shape)(wave, in);                                                                        \
        else                                                                                                               \
            HANDLER_NAME(wmma11_##shape)(wave, in);                                                                        \
    }
WMMA_SHARED(WMMA)
