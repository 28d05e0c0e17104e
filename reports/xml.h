/*
 * Text in XML 1.0. Inner header of reports/.
 */
#ifndef REPORTS_XML_H
#define REPORTS_XML_H

#include <stdio.h>

/* As the content of an element, or of an attribute in quotes: what has a meaning in XML is escaped, line ends and tabs too,
 * since attributes would lose them. What XML 1.0 does not have (control characters, bytes that are no UTF-8) becomes
 * U+FFFD. */
void xml_write_text(FILE *out, const char *text);

#endif
