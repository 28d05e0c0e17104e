#include "reports/diagnosis_json.h"

#include <string.h>

#include "reports/values_json.h"

static json_t *output_to_json(const struct diagnosed_output *output)
{
    return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "row", (json_int_t)output->row, "column",
                     (json_int_t)output->column, "got_bits", number_bits_to_json(output->got_bits), "got",
                     number_to_json(output->got), "reference", number_to_json(output->reference), "bound",
                     number_to_json(output->bound), "ratio", number_to_json(output->ratio), "ulps",
                     number_to_json(output->ulps));
}

static bool output_from_json(const json_t *object, struct diagnosed_output *output)
{
    json_int_t row, column;
    if (json_unpack((json_t *)object, "{s:I, s:I}", "row", &row, "column", &column) != 0)
        return false;
    output->row = row;
    output->column = column;
    return number_bits_from_json(json_object_get(object, "got_bits"), &output->got_bits) &&
           number_from_json(json_object_get(object, "got"), &output->got) &&
           number_from_json(json_object_get(object, "reference"), &output->reference) &&
           number_from_json(json_object_get(object, "bound"), &output->bound) &&
           number_from_json(json_object_get(object, "ratio"), &output->ratio) &&
           number_from_json(json_object_get(object, "ulps"), &output->ulps);
}

json_t *diagnosis_to_json(const struct diagnosis *diagnosis)
{
    json_t *near = json_array();
    for (int i = 0; i < diagnosis->n_near; i++)
        json_array_append_new(near, output_to_json(&diagnosis->near[i]));
    json_t *object = json_pack("{s:s, s:s, s:I, s:I, s:I, s:o, s:o, s:o}", "tensor", diagnosis->tensor, "format",
                               diagnosis->format, "rows", (json_int_t)diagnosis->rows, "columns",
                               (json_int_t)diagnosis->columns, "wrong", (json_int_t)diagnosis->n_wrong, "first",
                               output_to_json(&diagnosis->first), "worst", output_to_json(&diagnosis->worst), "near", near);
    if (object && *diagnosis->guess)
        json_object_set_new(object, "guess", json_string(diagnosis->guess));
    return object;
}

static bool near_from_json(const json_t *array, struct diagnosis *diagnosis)
{
    size_t n = json_array_size(array);
    if (!json_is_array(array) || n > DIAGNOSIS_NEAR)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!output_from_json(json_array_get(array, i), &diagnosis->near[i]))
            return false;
    diagnosis->n_near = (int)n;
    return true;
}

bool diagnosis_from_json(const json_t *object, struct diagnosis *diagnosis)
{
    const char *tensor, *format, *guess = "";
    json_int_t rows, columns, n_wrong;
    json_t *first, *worst, *near;
    *diagnosis = (struct diagnosis){0};
    if (json_unpack((json_t *)object, "{s:s, s:s, s:I, s:I, s:I, s:o, s:o, s:o, s?s}", "tensor", &tensor, "format", &format,
                    "rows", &rows, "columns", &columns, "wrong", &n_wrong, "first", &first, "worst", &worst, "near", &near,
                    "guess", &guess) != 0)
        return false;
    diagnosis->rows = rows;
    diagnosis->columns = columns;
    diagnosis->n_wrong = n_wrong;
    return text_copy(tensor, diagnosis->tensor, sizeof diagnosis->tensor) &&
           text_copy(format, diagnosis->format, sizeof diagnosis->format) &&
           text_copy(guess, diagnosis->guess, sizeof diagnosis->guess) && output_from_json(first, &diagnosis->first) &&
           output_from_json(worst, &diagnosis->worst) && near_from_json(near, diagnosis);
}
