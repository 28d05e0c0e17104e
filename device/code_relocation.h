/*
 * Dynamic relocations of a code object (AMDGPUUsage, "Relocation Records"). Inner header of device/code_object.c.
 */
#ifndef DEVICE_CODE_RELOCATION_H
#define DEVICE_CODE_RELOCATION_H

#include <libelf.h>

#include "device/code_object.h"

/* Reads and checks the relocations that a loader applies; the object's segments are known. Errors: STATUS_USAGE. */
bool code_relocations_parse(Elf *elf, struct code_object *object, struct error *error);
/* Writes one checked relocation into the object's image. */
void code_relocation_apply(const struct code_relocation *relocation, uint64_t load_address, uint8_t *image);

#endif
