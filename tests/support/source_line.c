#include "tests/support/source_line.h"

#include <stdio.h>
#include <string.h>

uint32_t source_line(const char *path, const char *text)
{
    char line[1000];
    uint32_t n = 0;
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    while (fgets(line, sizeof line, file)) {
        n++;
        if (strstr(line, text)) {
            fclose(file);
            return n;
        }
    }
    fclose(file);
    return 0;
}
