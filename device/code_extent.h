/*
 * How long an ELF file is by its own headers.
 */
#ifndef DEVICE_CODE_EXTENT_H
#define DEVICE_CODE_EXTENT_H

#include <stdint.h>

/* Bytes to the end of the last header, segment or section of a 64-bit little-endian ELF file, as a loader takes it. Reads
 * nothing past `available` bytes (at least an ELF header; UINT64_MAX where the caller cannot know, as in HIP's API). 0
 * where it is no such file, its figures cannot be, or its headers lie past `available`. */
uint64_t code_extent(const uint8_t *bytes, uint64_t available);

#endif
