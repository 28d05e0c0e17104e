#include "reports/error_map_json.h"

#include <string.h>

json_t *error_map_to_json(const struct error_map *map)
{
    json_t *cells = json_array();
    for (int row = 0; row < map->n_rows; row++)
        json_array_append_new(cells, json_string(map->cell[row]));
    return json_pack("{s:s, s:I, s:I, s:o}", "tensor", map->tensor, "rows", (json_int_t)map->rows, "columns",
                     (json_int_t)map->columns, "cells", cells);
}

static bool row_from_json(const char *letters, struct error_map *map)
{
    size_t n_columns = letters ? strlen(letters) : 0;
    if (n_columns == 0 || n_columns > ERROR_MAP_COLUMNS || (map->n_rows && (int)n_columns != map->n_columns))
        return false;
    map->n_columns = (int)n_columns;
    memcpy(map->cell[map->n_rows++], letters, n_columns + 1);
    return true;
}

bool error_map_from_json(const json_t *object, struct error_map *map)
{
    const char *tensor;
    json_int_t rows, columns;
    json_t *cells;
    if (json_unpack((json_t *)object, "{s:s, s:I, s:I, s:o}", "tensor", &tensor, "rows", &rows, "columns", &columns,
                    "cells", &cells) != 0)
        return false;
    size_t n_rows = json_array_size(cells);
    if (strlen(tensor) >= sizeof map->tensor || n_rows > ERROR_MAP_ROWS)
        return false;
    *map = (struct error_map){.rows = rows, .columns = columns};
    memcpy(map->tensor, tensor, strlen(tensor) + 1);
    for (size_t i = 0; i < n_rows; i++)
        if (!row_from_json(json_string_value(json_array_get(cells, i)), map))
            return false;
    return error_map_is_whole(map);
}
