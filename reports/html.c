#include "reports/html.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reports/html_data.h"
#include "reports/html_page.h"
#include "reports/json_text.h"

#define DATA_MARK "@REPORT@"

/* Nine digits tell every f32 from the next. NULL when out of host memory. */
static char *dump(const struct report *report, struct arena *arena, enum html_detail detail)
{
    return json_text(html_data(report, arena, detail), JSON_COMPACT | JSON_REAL_PRECISION(9));
}

/* With as much detail as fits. */
static char *dump_within(const struct report *report, struct arena *arena, size_t n_bytes)
{
    char *text = dump(report, arena, HTML_ALL_CASES);
    for (int detail = HTML_ALL_CASES + 1; text && strlen(text) > n_bytes && detail < HTML_DETAIL_COUNT; detail++) {
        free(text);
        text = dump(report, arena, (enum html_detail)detail);
    }
    return text;
}

/* In a script element "</script>" and "<!--" would be read as markup, even in a string. */
static void write_escaped(FILE *out, const char *text)
{
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, "<");
        fwrite(at, 1, length, out);
        at += length;
        if (*at == '<') {
            fputs("\\u003c", out);
            at++;
        }
    }
}

bool html_write_page(FILE *out, const struct html_page *page, const struct report *report, struct error *error)
{
    const char *mark = memmem(page->text, page->n_bytes, DATA_MARK, strlen(DATA_MARK));
    if (!mark)
        return error_set(error, STATUS_ENVIRONMENT,
                         "this program was built without the page of the HTML report: install nodejs and npm, and build "
                         "it again");
    struct arena arena = {0};
    char *text = dump_within(report, &arena, page->most_bytes - page->n_bytes);
    arena_free(&arena);
    if (!text)
        return error_set(error, STATUS_ENVIRONMENT, "out of host memory for the HTML report");
    const char *rest = mark + strlen(DATA_MARK);
    fwrite(page->text, 1, (size_t)(mark - page->text), out);
    write_escaped(out, text);
    fwrite(rest, 1, (size_t)(page->text + page->n_bytes - rest), out);
    free(text);
    if (fflush(out) != 0 || ferror(out))
        return error_set(error, STATUS_USAGE, "%s", strerror(errno));
    return true;
}

bool html_write(FILE *out, const struct report *report, struct error *error)
{
    struct html_page page = html_page();
    return html_write_page(out, &page, report, error);
}
