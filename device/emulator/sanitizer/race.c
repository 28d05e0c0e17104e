#include "device/emulator/sanitizer/checks.h"

bool race_dispatch_open(struct dispatch *dispatch)
{
    (void)dispatch;
    return true;
}

void race_dispatch_close(struct dispatch *dispatch)
{
    (void)dispatch;
}

bool race_group_open(const struct dispatch *dispatch, struct group_checks *checks)
{
    (void)dispatch;
    (void)checks;
    return true;
}

void race_group_close(struct group_checks *checks)
{
    (void)checks;
}

void race_group_start(struct workgroup *group)
{
    (void)group;
}

void race_group_end(struct workgroup *group)
{
    (void)group;
}

void race_barrier(struct workgroup *group)
{
    (void)group;
}

void race_before(struct wave *wave, const struct instruction *in)
{
    (void)wave;
    (void)in;
}

void race_access(struct wave *wave, const struct access_record *record)
{
    (void)wave;
    (void)record;
}
