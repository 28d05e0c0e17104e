/*
 * UTF-8 (RFC 3629), for formats that refuse a file with anything else in it: texts of a verdict are cut to their room,
 * which may be in the midst of a character. Inner header of reports/.
 */
#ifndef REPORTS_UTF8_H
#define REPORTS_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* U+FFFD, which stands for what is no character. */
#define UTF8_REPLACEMENT "\xef\xbf\xbd"

/* The bytes of the sequence that begins here, 1 to 4, with its code point; 0 where none does. */
size_t utf8_decode(const char *at, uint32_t *point);
/* Each byte that belongs to no character becomes '?'. */
void utf8_mend(char *text);

#endif
