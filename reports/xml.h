/*
 * Text in XML 1.0. Inner header of reports/.
 */
#ifndef REPORTS_XML_H
#define REPORTS_XML_H

#include <stdio.h>

/* As the content of an element: what has a meaning in XML is escaped. What XML 1.0 does not have (control characters, bytes
 * that are no UTF-8) becomes U+FFFD. */
void xml_write_text(FILE *out, const char *text);
/* As the value of an attribute, within its quotes: line ends and tabs are escaped too, as a reader would make spaces of
 * them. */
void xml_write_value(FILE *out, const char *text);

#endif
