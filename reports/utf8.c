#include "reports/utf8.h"

#include <stdbool.h>

/* Of sequences of 1 to 4 bytes: the bits of the first byte that say so, and the least code point that needs so many. */
static const struct {
    unsigned char mask, lead;
    uint32_t least;
} forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
enum { N_FORMS = sizeof forms / sizeof *forms };

size_t utf8_decode(const char *at, uint32_t *point)
{
    const unsigned char *bytes = (const unsigned char *)at;
    size_t form = 0;
    while (form < N_FORMS && (*bytes & forms[form].mask) != forms[form].lead)
        form++;
    if (form == N_FORMS)
        return 0;
    *point = *bytes & (unsigned char)~forms[form].mask;
    for (size_t i = 1; i <= form; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        *point = *point << 6 | (bytes[i] & 0x3f);
    }
    bool is_surrogate = *point >= 0xd800 && *point <= 0xdfff;
    return *point >= forms[form].least && *point <= 0x10ffff && !is_surrogate ? form + 1 : 0;
}

void utf8_mend(char *text)
{
    uint32_t point;
    while (*text) {
        size_t n_bytes = utf8_decode(text, &point);
        if (n_bytes == 0)
            *text = '?';
        text += n_bytes ? n_bytes : 1;
    }
}
