/*
 * The page of the HTML report as it was bundled into the program, with a mark in the place of the data. Inner header of
 * reports/.
 */
#ifndef REPORTS_HTML_PAGE_H
#define REPORTS_HTML_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "contract/base/error.h"
#include "reports/report.h"

struct html_page {
    const char *text;  /* not terminated */
    size_t n_bytes;    /* 0 where the page could not be bundled */
    size_t most_bytes; /* of a report: HTML_BYTES */
};

struct html_page html_page(void);
/* html_write into a page. */
bool html_write_page(FILE *out, const struct html_page *page, const struct report *report, struct error *error);

#endif
