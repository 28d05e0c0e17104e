#include "contract/finding_source.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "contract/base/file.h"
#include "contract/base/project.h"

enum { LINES_AROUND = 2, LINES = 2 * LINES_AROUND + 1 };

/* Cuts the text at its line ends; the lines from `first` (from 1) on that there are. */
static int cut_lines(char *text, uint32_t first, const char *lines[LINES])
{
    int n = 0;
    uint32_t number = 1;
    for (char *line; text && *text && n < LINES; number++) {
        line = strsep(&text, "\n");
        if (number >= first)
            lines[n++] = line;
    }
    return n;
}

static void read_place(struct finding_place *place)
{
    char path[PATH_MAX], *text = NULL;
    const char *lines[LINES];
    size_t n_bytes;
    if (!place->file[0] || place->line == 0 || !project_path(place->file, path, sizeof path, NULL) ||
        !file_read(path, &text, &n_bytes, NULL))
        return;
    uint32_t first = place->line > LINES_AROUND ? place->line - LINES_AROUND : 1;
    int n = cut_lines(text, first, lines), at = (int)(place->line - first);
    if (at < n)
        finding_listing_make(&place->source, lines, n, at);
    free(text);
}

void finding_read_source(struct finding *finding)
{
    read_place(&finding->place);
    if (finding->has_other)
        read_place(&finding->other);
}
