/* What the resolvers of access.c share with buffer.c. */
#ifndef EMULATOR_SPACES_H
#define EMULATOR_SPACES_H

#include "device/emulator/ops/access.h"

enum space { SPACE_MEMORY, SPACE_LDS, SPACE_SCRATCH };

#define access_start   VARIANT(access_start)
#define resolve_memory VARIANT(resolve_memory)
#define resolve_region VARIANT(resolve_region)

/* An access that `lanes` may make, and nothing known of it yet. */
void access_start(struct access *access, uint64_t lanes);
/* Ordinary memory: access->offset holds guest addresses. */
void resolve_memory(struct wave *wave, uint64_t lanes, uint32_t n_bytes, enum access_kind kind, struct access *access);
/* LDS or scratch: access->offset holds offsets below 2^32 from the workgroup's or the lane's first byte. */
void resolve_region(struct wave *wave, uint64_t lanes, enum space space, uint32_t n_bytes, enum access_kind kind,
                    struct access *access);

#endif
