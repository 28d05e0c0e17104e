/*
 * JSON values as text, all of them or nothing: jansson goes on where a member had no memory, and leaves it out. Inner
 * header of reports/ and commands/.
 */
#ifndef REPORTS_JSON_TEXT_H
#define REPORTS_JSON_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

/* Takes the reference. malloc'ed text, by jansson's flags; NULL where the value is NULL, or jansson was short of memory on
 * this thread since the last call, as when a part of the value was made. */
char *json_text(json_t *value, size_t flags);
/* The text and a newline. Takes the reference. False where there is no text; what cannot be written shows in ferror(out).
 */
bool json_write(FILE *out, json_t *value, size_t flags);

#endif
