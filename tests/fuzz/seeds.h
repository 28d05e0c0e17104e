/*
 * What fuzzing starts from, made by a program from what the project has. Each function fills FOLDER/TARGET for its targets.
 */
#ifndef FUZZ_SEEDS_H
#define FUZZ_SEEDS_H

#include <stdbool.h>
#include <stddef.h>

#include "contract/base/error.h"

/* FOLDER/TARGET/NAME. */
bool seed_write(const char *folder, const char *target, const char *name, const void *bytes, size_t n_bytes,
                struct error *error);

/* code_object, disasm, metadata, decode, execute and kernels; FOLDER/objects holds the code objects that kernels refers to.
 */
bool seeds_of_code(const char *folder, struct error *error);
/* log, records and safetensors. */
bool seeds_of_files(const char *folder, struct error *error);

#endif
