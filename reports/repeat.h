/*
 * The command that repeats a verdict: what somebody types next who has read it.
 */
#ifndef REPORTS_REPEAT_H
#define REPORTS_REPEAT_H

#include "contract/base/text.h"
#include "contract/verdict.h"
#include "reports/log_environment.h"

/* "hipcontract run KERNEL --shape LABEL --pattern signed --chip gfx1151 --seed 1 …" for a case, "… run KERNEL --bytes NAME
 * …" for a byte contract, "… limits --only KERNEL …" for gate 5, and "… gates --only KERNEL …" for what takes all cases of
 * a registration: controls, teeth and proofs. Of the environment that the verdict is from, chip, seed and runs follow, and
 * what is not the default. Words are quoted for a shell where they must be. */
void repeat_command(const struct verdict *verdict, const struct log_environment *environment, struct text *text);
/* The options at the end of it, from " --pattern" on. */
void repeat_options(const struct verdict *verdict, const struct log_environment *environment, struct text *text);

#endif
