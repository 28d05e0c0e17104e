/*
 * Every function of a code object, decoded for the emulator.
 */
#ifndef TESTS_SUPPORT_OBJECT_CODE_H
#define TESTS_SUPPORT_OBJECT_CODE_H

#include "device/emulator/code.h"

/* Called with each function's code; the code lives as long as the call. */
typedef void object_code_visitor(void *context, const char *function, const struct emulated_code *code);

/* n_lanes: the wave size of objects that hold no kernel; a kernel's own counts otherwise. Errors: bytes that are no code
 * object of a known chip. */
bool object_code_visit(const unsigned char *bytes, size_t n_bytes, uint32_t n_lanes, object_code_visitor *visit,
                       void *context, struct error *error);

#endif
