#include "device/device.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *finding_kind_name(enum finding_kind kind)
{
    static const char *const names[] = {
#define FINDING_NAME(kind, name) [FINDING_##kind] = name,
        FINDING_KINDS(FINDING_NAME)
#undef FINDING_NAME
    };
    return (unsigned)kind < FINDING_KIND_COUNT ? names[kind] : "unknown";
}

enum finding_kind finding_kind_find(const char *name, size_t n_bytes)
{
    unsigned kind = 0;
    for (; kind < FINDING_KIND_COUNT; kind++) {
        const char *known = finding_kind_name((enum finding_kind)kind);
        if (strlen(known) == n_bytes && memcmp(known, name, n_bytes) == 0)
            break;
    }
    return (enum finding_kind)kind;
}

/* A line of limited length. */
struct line {
    char *text;
    size_t used, capacity;
};

static void append(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(struct line *line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(line->text + line->used, line->capacity - line->used, format, arguments);
    va_end(arguments);
    size_t left = line->capacity - 1 - line->used;
    line->used += n < 0 ? 0 : (size_t)n < left ? (size_t)n : left;
}

/* "saxpy+0x1c4 global_load_b32 v2, v[2:3], off (saxpy.hip:7)" */
static void append_instruction(struct line *line, const struct finding_place *place)
{
    int64_t offset = place->offset_bytes;
    append(line, "%s%c0x%" PRIx64 " %s", place->kernel[0] ? place->kernel : "code", offset < 0 ? '-' : '+',
           offset < 0 ? -(uint64_t)offset : (uint64_t)offset, place->instruction);
    if (place->file[0])
        append(line, " (%s:%" PRIu32 ")", place->file, place->line);
}

void finding_kinds_list(unsigned kinds, const char *separator, char *text, size_t capacity)
{
    struct line line = {.text = text, .capacity = capacity};
    *text = '\0';
    for (int kind = 0; kind < FINDING_KIND_COUNT; kind++)
        if (kinds >> kind & 1)
            append(&line, "%s%s", line.used ? separator : "", finding_kind_name((enum finding_kind)kind));
}

/* "workgroup 1,0,0 wave 2 lane 7" */
static void append_where(struct line *line, const struct finding_place *place)
{
    append(line, "workgroup %" PRIu32 ",%" PRIu32 ",%" PRIu32, place->workgroup[0], place->workgroup[1],
           place->workgroup[2]);
    if (place->wave >= 0)
        append(line, " wave %" PRId32, place->wave);
    if (place->lane >= 0)
        append(line, " lane %" PRId32, place->lane);
}

void finding_compose(struct finding *finding)
{
    struct line line = {.text = finding->text, .capacity = sizeof finding->text};
    if (finding->place.instruction[0]) {
        append_instruction(&line, &finding->place);
        append(&line, ": ");
        append_where(&line, &finding->place);
        append(&line, ": ");
    } else if (finding->place.kernel[0]) {
        append(&line, "%s: ", finding->place.kernel);
    }
    append(&line, "%s", finding->message);
    if (!finding->has_other)
        return;
    append(&line, "; the other: ");
    append_instruction(&line, &finding->other);
    append(&line, " in ");
    append_where(&line, &finding->other);
}

/* Lines first to last of those that are listed, and what they take with their ends. */
struct extent {
    int first, last;
    size_t n_bytes;
};

static bool widen(struct extent *extent, const char *const *lines, int n, int to)
{
    size_t n_bytes = to < 0 || to >= n ? SIZE_MAX : extent->n_bytes + strlen(lines[to]) + 1;
    if (n_bytes >= sizeof((struct finding_listing *)0)->text)
        return false;
    extent->n_bytes = n_bytes;
    extent->first = to < extent->first ? to : extent->first;
    extent->last = to > extent->last ? to : extent->last;
    return true;
}

void finding_listing_make(struct finding_listing *listing, const char *const *lines, int n, int at)
{
    struct extent extent = {at, at, strlen(lines[at]) + 1};
    bool before = true, after = true;
    while (before || after) {
        before = before && widen(&extent, lines, n, extent.first - 1);
        after = after && widen(&extent, lines, n, extent.last + 1);
    }
    struct line line = {.text = listing->text, .capacity = sizeof listing->text};
    for (int i = extent.first; i <= extent.last; i++)
        append(&line, "%.*s\n", (int)sizeof listing->text - 2, lines[i]);
    listing->at = at - extent.first;
}

void instruction_profile_add(struct instruction_profile *to, const struct instruction_profile *from)
{
    to->n_executed += from->n_executed;
    to->n_lanes += from->n_lanes;
    to->n_taken += from->n_taken;
    for (int space = 0; space < PROFILE_SPACES; space++) {
        to->read_bytes[space] += from->read_bytes[space];
        to->written_bytes[space] += from->written_bytes[space];
    }
    to->n_accesses += from->n_accesses;
    to->n_lines += from->n_lines;
    to->n_lds_accesses += from->n_lds_accesses;
    to->n_passes += from->n_passes;
    to->n_least_passes += from->n_least_passes;
}
