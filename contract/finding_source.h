/*
 * The source round a finding's places, as the file is when the finding is made.
 */
#ifndef CONTRACT_FINDING_SOURCE_H
#define CONTRACT_FINDING_SOURCE_H

#include "device/device.h"

/* Fills `source` of both places from their files, which are named from the project's root. One that cannot be read, or that
 * has no such line, leaves it empty. */
void finding_read_source(struct finding *finding);

#endif
