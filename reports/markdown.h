/*
 * Text in Markdown as forges read it. Inner header of reports/.
 */
#ifndef REPORTS_MARKDOWN_H
#define REPORTS_MARKDOWN_H

#include <stdio.h>

/* As running text or in a cell of a table: nothing in it is markup, mentions somebody or refers to an issue, and line ends
 * become spaces. */
void markdown_write_text(FILE *out, const char *words);
/* As a block of code of its own, whatever rows of backticks it holds. */
void markdown_write_block(FILE *out, const char *text);

#endif
