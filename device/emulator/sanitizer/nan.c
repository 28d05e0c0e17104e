#include "device/emulator/sanitizer/checks.h"

void nan_before(struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    (void)wave;
    (void)in;
    (void)flow;
}

void nan_after(struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    (void)wave;
    (void)in;
    (void)flow;
}
