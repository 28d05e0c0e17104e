/*
 * The checks as sanitizer.c calls them, each only where it is wanted. Openers give false when the host is out of memory and
 * leave what they have for the closers, which take a check that was never opened.
 */
#ifndef EMULATOR_CHECKS_H
#define EMULATOR_CHECKS_H

#include "device/emulator/sanitizer/sanitizer.h"

struct flow;

/* init.c */
bool init_group_open(const struct dispatch *dispatch, struct group_checks *checks);
void init_group_close(struct group_checks *checks);
/* poisoned: LDS counts as never written; else as set. */
void init_group_start(struct workgroup *group, bool poisoned);
bool init_wave_open(const struct dispatch *dispatch, struct wave_checks *checks);
void init_wave_close(struct wave_checks *checks);
void init_wave_start(struct wave *wave, const struct start_poison *poison);
void init_before(struct wave *wave, const struct instruction *in, const struct flow *flow);
void init_access(struct wave *wave, const struct access_record *record);

/* wait.c */
bool wait_wave_open(const struct dispatch *dispatch, struct wave_checks *checks);
void wait_wave_close(struct wave_checks *checks);
void wait_wave_start(struct wave *wave);
void wait_before(struct wave *wave, const struct instruction *in, const struct flow *flow);

/* For flat accesses: which went to LDS. */
void wait_access(struct wave *wave, const struct access_record *record);
/* For the race check, on waves of any checks. The current instruction writes LDS at a clock of its wave, later than that of
 * any before. */
void wait_lds_write(struct wave *wave, uint32_t clock);
/* The wave's writes to LDS up to this clock are done by what it has waited for; all where the wait check is off. */
uint32_t wait_lds_landed(struct wave *wave);
/* Whether an instruction that writes LDS is a load from memory to it: another counter, so what wait_lds_landed says is not
 * of it. */
bool wait_is_load(const struct emulated_code *code, const struct instruction *in);

/* nan.c */
bool nan_wave_open(struct wave_checks *checks);
void nan_wave_close(struct wave_checks *checks);
void nan_wave_start(struct wave *wave);
void nan_before(struct wave *wave, const struct instruction *in, const struct flow *flow);
void nan_after(struct wave *wave, const struct instruction *in, const struct flow *flow);

/* race.c. dispatch->checks->race and group_checks.race are its own. Groups of a dispatch run on several host threads. */
bool race_dispatch_open(struct dispatch *dispatch);
void race_dispatch_close(struct dispatch *dispatch);
bool race_group_open(const struct dispatch *dispatch, struct group_checks *checks);
void race_group_close(struct group_checks *checks);
void race_group_start(struct workgroup *group);
void race_group_end(struct workgroup *group);
void race_barrier(struct workgroup *group);
/* Every instruction, for cache controls and waits. */
void race_before(struct wave *wave, const struct instruction *in);
void race_access(struct wave *wave, const struct access_record *record);

#endif
