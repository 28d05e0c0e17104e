#include "reports/html_page.h"

#include "reports/html.h"

/* The Makefile names the file that was bundled. */
#ifndef HTML_PAGE
#define HTML_PAGE "/dev/null"
#endif

__asm__(".pushsection .rodata\n"
        "html_page_start:\n"
        ".incbin \"" HTML_PAGE "\"\n"
        "html_page_end:\n"
        ".byte 0\n"
        ".popsection\n");
extern const char html_page_start[], html_page_end[];

struct html_page html_page(void)
{
    return (struct html_page){html_page_start, (size_t)(html_page_end - html_page_start), HTML_BYTES};
}
