/*
 * What stands round the places of findings: source lines by the code object's line tables, and the instructions.
 */
#ifndef EMULATOR_FINDING_LINES_H
#define EMULATOR_FINDING_LINES_H

#include "device/emulator/hip_state.h"
#include "device/emulator/wave.h"

/* Fills file, line and instructions of the findings that a launch of the module's code has kept, and their text anew. */
void finding_lines_fill(const struct ihipModule_t *module, const struct dispatch *dispatch);

#endif
