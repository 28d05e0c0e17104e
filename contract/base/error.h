/*
 * Errors are values: a function that can fail returns false (or NULL) and fills the caller's struct error.
 * Nothing below main() exits. The text is one line that says what, where and what to do: control characters become '?'.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>

/* The exit status that an error leads to; the numbers are the documented ones (docs/exit-status.md). */
enum status {
    STATUS_OK = 0,
    STATUS_RED = 1,         /* the contract does not hold, or a kernel does not compile */
    STATUS_USAGE = 2,       /* wrong usage, a wrong file, or a registration that is itself invalid */
    STATUS_ENVIRONMENT = 3, /* no such device, compiler, chip or kernel */
    STATUS_INTERRUPTED = 4, /* stopped by a signal; the log so far is whole */
    STATUS_UNSUPPORTED = 5, /* `emulate` met an instruction that the emulator does not implement */
};

struct error {
    enum status status;
    char text[1000];
};

/* Fills *error with a printf-style line (cut at its end if too long) and returns false, so that
 * `return error_set(error, STATUS_USAGE, …)` reads as one thought. error may be NULL. */
bool error_set(struct error *error, enum status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Puts "prefix: " before the text already in *error, keeps its status, and returns false. */
bool error_prefix(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
