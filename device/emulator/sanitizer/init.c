#include "device/emulator/sanitizer/checks.h"

bool init_group_open(const struct dispatch *dispatch, struct group_checks *checks)
{
    (void)dispatch;
    (void)checks;
    return true;
}

void init_group_close(struct group_checks *checks)
{
    (void)checks;
}

void init_group_start(struct workgroup *group, bool poisoned)
{
    (void)group;
    (void)poisoned;
}

bool init_wave_open(const struct dispatch *dispatch, struct wave_checks *checks)
{
    (void)dispatch;
    (void)checks;
    return true;
}

void init_wave_close(struct wave_checks *checks)
{
    (void)checks;
}

void init_wave_start(struct wave *wave, const struct start_poison *poison)
{
    (void)wave;
    (void)poison;
}

void init_before(struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    (void)wave;
    (void)in;
    (void)flow;
}

void init_access(struct wave *wave, const struct access_record *record)
{
    (void)wave;
    (void)record;
}
