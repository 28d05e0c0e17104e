/*
 * A process with little memory, for tests of what happens where there is none: each in a process of its own.
 */
#ifndef SUPPORT_ROOM_H
#define SUPPORT_ROOM_H

#include <stddef.h>

/* From now on this process gets so many bytes of address space beside what it has. It ends with status 1 where that cannot
 * be known. */
void room_limit(size_t n_bytes);

#endif
