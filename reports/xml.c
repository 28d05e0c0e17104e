#include "reports/xml.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "reports/utf8.h"

/* The production Char of XML 1.0. */
static bool is_character(uint32_t point)
{
    return point == '\t' || point == '\n' || point == '\r' || (point >= 0x20 && point != 0xfffe && point != 0xffff);
}

static void write_escaped(FILE *out, const char *text, const char *special)
{
    for (const char *at = text; *at;) {
        uint32_t point = 0;
        size_t n_bytes = utf8_decode(at, &point);
        if (n_bytes == 0 || !is_character(point))
            fputs(UTF8_REPLACEMENT, out);
        else if (point < 0x80 && strchr(special, (int)point))
            fprintf(out, "&#%u;", point);
        else
            fwrite(at, 1, n_bytes, out);
        at += n_bytes ? n_bytes : 1;
    }
}

/* ">" too: "]]>" may not stand in content. */
void xml_write_text(FILE *out, const char *text)
{
    write_escaped(out, text, "&<>\r");
}

void xml_write_value(FILE *out, const char *text)
{
    write_escaped(out, text, "&<>\"'\t\n\r");
}
