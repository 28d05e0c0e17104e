/*
 * --matrix-model: how the emulator's dot and matrix instructions add up.
 */
#ifndef COMMANDS_MATRIX_MODEL_H
#define COMMANDS_MATRIX_MODEL_H

#include <stdbool.h>

#include "contract/base/error.h"
#include "device/device.h"

#define MATRIX_MODEL_HELP "chip or ieee: dot and matrix sums by the chip's rule, or as chains of fma (default: chip)"

/* The model of that name. Errors: STATUS_USAGE, one line. */
bool matrix_model_parse(const char *text, enum matrix_model *model, struct error *error);
/* Its name. */
const char *matrix_model_name(enum matrix_model model);

#endif
