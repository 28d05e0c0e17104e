#include "reports/diagnosis_text.h"

#include <inttypes.h>

static bool is_same_place(const struct diagnosed_output *a, const struct diagnosed_output *b)
{
    return a->row == b->row && a->column == b->column;
}

static void output_line(const struct diagnosis *diagnosis, const struct diagnosed_output *output, int indent,
                        struct text *text)
{
    const char *word = is_same_place(output, &diagnosis->worst)   ? "worst"
                       : is_same_place(output, &diagnosis->first) ? "first"
                                                                  : "near";
    text_append(text,
                "%*s%-5s  %s[%" PRId64 "][%" PRId64 "]  got %.9g = 0x%" PRIx64 ", reference %.17g, bound %.3g: ", indent,
                "", word, diagnosis->tensor, output->row, output->column, output->got, output->got_bits, output->reference,
                output->bound);
    text_append(text, "%.4g bounds, %.4g ulps\n", output->ratio, output->ulps);
}

void diagnosis_lines(const struct diagnosis *diagnosis, int indent, struct text *text)
{
    bool has_first = false;
    if (!*diagnosis->tensor)
        return;
    for (int i = 0; i < diagnosis->n_near; i++)
        has_first |= is_same_place(&diagnosis->near[i], &diagnosis->first);
    if (!has_first)
        output_line(diagnosis, &diagnosis->first, indent, text);
    for (int i = 0; i < diagnosis->n_near; i++)
        output_line(diagnosis, &diagnosis->near[i], indent, text);
    diagnosis_guess(diagnosis, indent, text);
}

void diagnosis_guess(const struct diagnosis *diagnosis, int indent, struct text *text)
{
    if (*diagnosis->guess)
        text_append(text, "%*sguess: %s\n", indent, "", diagnosis->guess);
}
