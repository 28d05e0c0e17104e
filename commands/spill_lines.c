#include "commands/spill_lines.h"

#include "device/emulator/explain.h"

enum { LINES_TOLD = 3 };

static uint32_t spills_of(const struct explained_line *line)
{
    uint32_t n = 0;
    for (int kind = 0; kind < SPILL_KIND_COUNT; kind++)
        n += line->n_spills[kind];
    return n;
}

/* The line with the most after `last`, in the order of falling numbers and of the lines themselves; NULL: there is none. */
static const struct explained_line *next_line(const struct explanation *explanation, const struct explained_line *last)
{
    const struct explained_line *next = NULL;
    for (size_t i = 0; i < explanation->n_lines; i++) {
        const struct explained_line *line = &explanation->lines[i];
        uint32_t n = spills_of(line);
        bool is_left = n && (!last || n < spills_of(last) || (n == spills_of(last) && line > last));
        if (is_left && (!next || n > spills_of(next)))
            next = line;
    }
    return next;
}

static void append_line(struct text *text, const struct explained_line *line, size_t index)
{
    uint32_t n = spills_of(line);
    text_append(text, index ? ", " : "spills at ");
    if (line->at.line)
        text_append(text, "%s:%u", line->at.file, line->at.line);
    else
        text_append(text, "no line");
    text_append(text, " (%u instruction%s)", n, n == 1 ? "" : "s");
}

void spill_lines_text(const struct code_object *object, const struct code_kernel *kernel, struct text *text)
{
    struct explanation explanation;
    size_t n_lines = 0;
    if (!explain_kernel(object, kernel, &explanation, NULL))
        return;
    const struct explained_line *line = NULL;
    while ((line = next_line(&explanation, line)))
        if (n_lines++ < LINES_TOLD)
            append_line(text, line, n_lines - 1);
    if (n_lines > LINES_TOLD)
        text_append(text, " and %zu line%s more", n_lines - LINES_TOLD, n_lines == LINES_TOLD + 1 ? "" : "s");
    explanation_free(&explanation);
}
