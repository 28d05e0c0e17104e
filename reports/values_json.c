#include "reports/values_json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *number_to_json(double value)
{
    if (isnan(value))
        return json_string("nan");
    if (isinf(value))
        return json_string(value > 0 ? "inf" : "-inf");
    return json_real(value);
}

bool number_from_json(const json_t *json, double *value)
{
    if (json_is_number(json)) {
        *value = json_number_value(json);
        return true;
    }
    const char *text = json_string_value(json);
    if (!text || (strcmp(text, "nan") != 0 && strcmp(text, "inf") != 0 && strcmp(text, "-inf") != 0))
        return false;
    *value = strcmp(text, "nan") == 0 ? (double)NAN : *text == '-' ? -(double)INFINITY : (double)INFINITY;
    return true;
}

json_t *number_bits_to_json(uint64_t bits)
{
    char text[20];
    snprintf(text, sizeof text, "0x%" PRIx64, bits);
    return json_string(text);
}

bool number_bits_from_json(const json_t *json, uint64_t *bits)
{
    const char *text = json_string_value(json);
    *bits = text ? strtoull(text, NULL, 16) : 0;
    return text != NULL;
}

bool text_copy(const char *text, char *to, size_t capacity)
{
    size_t n_bytes = strlen(text) + 1;
    if (n_bytes > capacity)
        return false;
    memcpy(to, text, n_bytes);
    return true;
}
