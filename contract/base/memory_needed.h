/*
 * Memory for code whose callers cannot be told that there is none: references and models give numbers and nothing else, and
 * numbers without memory would make verdicts that are wrong.
 */
#ifndef BASE_MEMORY_NEEDED_H
#define BASE_MEMORY_NEEDED_H

/* The memory, if there is some; else one line on standard error, and the process ends with STATUS_ENVIRONMENT. What was
 * decided until then is in the log, and can be gone on from. */
void *memory_needed(void *memory);

#endif
