#include "reports/finding_json.h"

#include <stdio.h>
#include <string.h>

#include "reports/cells.h"
#include "reports/values_json.h"

/* A new reference: its lines, and which of them is meant. */
static json_t *listing_to_json(const struct finding_listing *listing)
{
    json_t *lines = json_array();
    for (const char *at = listing->text; *at;) {
        char line[sizeof listing->text];
        size_t length = strcspn(at, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, at);
        json_array_append_new(lines, cell_text_to_json(line));
        at += length + (at[length] == '\n');
    }
    return json_pack("{s:o, s:i}", "lines", lines, "at", listing->at);
}

static void add_listing(json_t *place, const char *key, const struct finding_listing *listing)
{
    if (listing->text[0])
        json_object_set_new(place, key, listing_to_json(listing));
}

static bool listing_from_json(const json_t *object, struct finding_listing *listing)
{
    json_t *lines;
    size_t used = 0;
    *listing = (struct finding_listing){0};
    if (json_unpack((json_t *)object, "{s:o, s:i}", "lines", &lines, "at", &listing->at) != 0)
        return false;
    for (size_t i = 0; i < json_array_size(lines); i++) {
        const char *line = json_string_value(json_array_get(lines, i));
        size_t length = line ? strlen(line) : sizeof listing->text;
        if (used + length + 1 >= sizeof listing->text)
            return false;
        memcpy(listing->text + used, line, length);
        used += length;
        listing->text[used++] = '\n';
    }
    return listing->at >= 0 && (size_t)listing->at < json_array_size(lines);
}

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
    add_listing(object, "disassembly", &place->instructions);
    add_listing(object, "source", &place->source);
    return object;
}

static bool place_from_json(const json_t *object, struct finding_place *place)
{
    const char *kernel, *instruction = "", *file = "";
    json_t *instructions = NULL, *source = NULL;
    json_int_t offset, x, y, z, line = 0, wave = -1, lane = -1;
    if (json_unpack((json_t *)object, "{s:s, s:I, s:[I,I,I], s?s, s?s, s?I, s?I, s?I, s?o, s?o}", "kernel", &kernel,
                    "offset", &offset, "workgroup", &x, &y, &z, "instruction", &instruction, "file", &file, "line", &line,
                    "wave", &wave, "lane", &lane, "disassembly", &instructions, "source", &source) != 0)
        return false;
    *place = (struct finding_place){.offset_bytes = offset,
                                    .line = (uint32_t)line,
                                    .workgroup = {(uint32_t)x, (uint32_t)y, (uint32_t)z},
                                    .wave = (int32_t)wave,
                                    .lane = (int32_t)lane};
    return text_copy(kernel, place->kernel, sizeof place->kernel) &&
           text_copy(instruction, place->instruction, sizeof place->instruction) &&
           text_copy(file, place->file, sizeof place->file) &&
           (!instructions || listing_from_json(instructions, &place->instructions)) &&
           (!source || listing_from_json(source, &place->source));
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
    if (finding->kind == FINDING_KIND_COUNT || !text_copy(message, finding->message, sizeof finding->message) ||
        !place_from_json(place, &finding->place) || (other && !place_from_json(other, &finding->other)))
        return false;
    finding_compose(finding);
    return true;
}
