#include "device/emulator/sanitizer/checks.h"

bool wait_wave_open(const struct dispatch *dispatch, struct wave_checks *checks)
{
    (void)dispatch;
    (void)checks;
    return true;
}

void wait_wave_close(struct wave_checks *checks)
{
    (void)checks;
}

void wait_wave_start(struct wave *wave)
{
    (void)wave;
}

void wait_before(struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    (void)wave;
    (void)in;
    (void)flow;
}
