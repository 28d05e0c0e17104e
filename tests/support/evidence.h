/*
 * Which instruction of which chip was compared with what. Runners of tests call this; where HIPCONTRACT_EVIDENCE names a
 * file, each note becomes a line there, "chip mnemonic means", from which docs/fidelity.md is made (tests/fidelity/). The
 * means is a word: "vector" (a published vector of hardware), "case" (a case of tests/conformance), else the name of the
 * test program that runs. Notes of a test that fails count for nothing, as `make fidelity` stops there.
 */
#ifndef TESTS_SUPPORT_EVIDENCE_H
#define TESTS_SUPPORT_EVIDENCE_H

#include "device/device.h"
#include "device/emulator/code.h"

/* Whether HIPCONTRACT_EVIDENCE names a file. */
bool evidence_is_wanted(void);
/* means NULL: the test program's name. */
void evidence_note(const struct chip *chip, const char *mnemonic, const char *means);
/* Every instruction of the code that decode knows, the halves of dual ones each by itself. counts: one an instruction of
 * the code, those with n_executed 0 are left out; NULL: all were executed. */
void evidence_note_code(const struct emulated_code *code, const struct instruction_profile *counts, const char *means);
/* What launches on an emulator that was opened with count_profile executed; compared by the test program. */
void evidence_note_launches(const struct chip *chip, struct device *device);

#endif
