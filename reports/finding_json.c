#include "reports/finding_json.h"

#include <string.h>

/* One party. What it does not know is left out. */
static json_t *place_to_json(const struct finding_place *place)
{
    json_t *object =
        json_pack("{s:s, s:I, s:[I,I,I]}", "kernel", place->kernel, "offset", (json_int_t)place->offset_bytes, "workgroup",
                  (json_int_t)place->workgroup[0], (json_int_t)place->workgroup[1], (json_int_t)place->workgroup[2]);
    if (place->instruction[0])
        json_object_set_new(object, "instruction", json_string(place->instruction));
    if (place->file[0]) {
        json_object_set_new(object, "file", json_string(place->file));
        json_object_set_new(object, "line", json_integer(place->line));
    }
    if (place->wave >= 0)
        json_object_set_new(object, "wave", json_integer(place->wave));
    if (place->lane >= 0)
        json_object_set_new(object, "lane", json_integer(place->lane));
    return object;
}

static bool copy_text(const char *text, char *to, size_t capacity)
{
    size_t n_bytes = strlen(text) + 1;
    if (n_bytes > capacity)
        return false;
    memcpy(to, text, n_bytes);
    return true;
}

static bool place_from_json(const json_t *object, struct finding_place *place)
{
    const char *kernel, *instruction = "", *file = "";
    json_int_t offset, x, y, z, line = 0, wave = -1, lane = -1;
    if (json_unpack((json_t *)object, "{s:s, s:I, s:[I,I,I], s?s, s?s, s?I, s?I, s?I}", "kernel", &kernel, "offset",
                    &offset, "workgroup", &x, &y, &z, "instruction", &instruction, "file", &file, "line", &line, "wave",
                    &wave, "lane", &lane) != 0)
        return false;
    *place = (struct finding_place){.offset_bytes = offset,
                                    .line = (uint32_t)line,
                                    .workgroup = {(uint32_t)x, (uint32_t)y, (uint32_t)z},
                                    .wave = (int32_t)wave,
                                    .lane = (int32_t)lane};
    return copy_text(kernel, place->kernel, sizeof place->kernel) &&
           copy_text(instruction, place->instruction, sizeof place->instruction) &&
           copy_text(file, place->file, sizeof place->file);
}

json_t *finding_to_json(const struct finding *finding)
{
    json_t *object = json_pack("{s:s, s:s, s:o}", "kind", finding_kind_name(finding->kind), "message", finding->message,
                               "at", place_to_json(&finding->place));
    if (object && finding->has_other)
        json_object_set_new(object, "other", place_to_json(&finding->other));
    return object;
}

bool finding_from_json(const json_t *object, struct finding *finding)
{
    const char *kind, *message;
    json_t *place, *other = NULL;
    *finding = (struct finding){0};
    if (json_unpack((json_t *)object, "{s:s, s:s, s:o, s?o}", "kind", &kind, "message", &message, "at", &place, "other",
                    &other) != 0)
        return false;
    finding->has_other = other != NULL;
    finding->kind = finding_kind_find(kind, strlen(kind));
    if (finding->kind == FINDING_KIND_COUNT || !copy_text(message, finding->message, sizeof finding->message) ||
        !place_from_json(place, &finding->place) || (other && !place_from_json(other, &finding->other)))
        return false;
    finding_compose(finding);
    return true;
}
