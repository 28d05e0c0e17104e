#include "commands/limits_line.h"

#include <stdio.h>

void limits_print_record(const struct record *record, const char *compiler)
{
    printf("RECORD %s %s", record->chip, record->kernel);
    for (int i = 0; i < RECORD_FIGURE_COUNT; i++) {
        char word[RECORD_WORD_BYTES];
        record_figure_text(record, (enum record_figure)i, word);
        printf(" %s %s", record_figure_name((enum record_figure)i), word);
    }
    if (compiler)
        printf(" compiler %s", compiler);
    putchar('\n');
}
