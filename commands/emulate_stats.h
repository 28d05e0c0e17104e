/*
 * What `emulate --stats` prints and `emulate --profile` writes: the counts of the emulator's profile.
 */
#ifndef COMMANDS_EMULATE_STATS_H
#define COMMANDS_EMULATE_STATS_H

#include <stdbool.h>

#include "contract/base/error.h"
#include "device/device.h"

/* Tables by class, mnemonic and memory space on standard output. False when out of memory. */
bool emulate_print_stats(struct device *device, struct error *error);
/* One line an executed instruction, for `disasm --profile` (commands/profile_file.h). */
bool emulate_write_profile(struct device *device, const char *path, struct error *error);

#endif
