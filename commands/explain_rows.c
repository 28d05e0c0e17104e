#include "commands/explain_rows.h"

#include <stdlib.h>
#include <string.h>

/* Rows being gathered, from one build and then, into the same rows, from the other. */
struct gathering {
    struct arena *arena;
    struct explain_row *rows;
    size_t n_rows, capacity;
    bool of_before; /* the build at hand is the one before */
    bool failed;
};

static struct explain_row *row_of(struct gathering *to, const char *what, const char *where)
{
    for (size_t i = 0; i < to->n_rows; i++)
        if (strcmp(to->rows[i].what, what) == 0 && strcmp(to->rows[i].where, where) == 0)
            return &to->rows[i];
    if (to->n_rows == to->capacity)
        return NULL;
    to->rows[to->n_rows] = (struct explain_row){.what = what, .where = where, .note = ""};
    return &to->rows[to->n_rows++];
}

/* note, where it says something, is of the build that came last. */
static void put(struct gathering *to, const char *what, const char *where, uint32_t value, const char *note)
{
    struct explain_row *row = what && where && note ? row_of(to, what, where) : NULL;
    to->failed |= !row;
    if (!row)
        return;
    *(to->of_before ? &row->has_before : &row->has_after) = true;
    *(to->of_before ? &row->before : &row->after) = value;
    row->note = *note ? note : row->note;
}

static const char *place_text(struct arena *arena, const struct source_place *at)
{
    return *at->file ? arena_format(arena, "%s:%u", at->file, (unsigned)at->line) : "(no line)";
}

static uint32_t allocated(const struct code_kernel *kernel, enum register_file file)
{
    const uint32_t figures[REGISTER_FILE_COUNT] = {
        [FILE_VGPR] = kernel->vgprs, [FILE_AGPR] = kernel->agprs, [FILE_SGPR] = kernel->sgprs};
    return figures[file];
}

/* Where the most registers of a file are live; nothing of a file that is not used. */
static void put_peak(struct gathering *to, const struct explained_build *build, enum register_file file)
{
    const struct explained_peak *peak = &build->explanation->peak[file];
    if (!peak->n_registers)
        return;
    const char *place = place_text(to->arena, &peak->at);
    char *note =
        place ? arena_format(to->arena, "at %s, +0x%05x: %s", place, (unsigned)peak->offset_bytes, peak->text) : NULL;
    const char *name = register_file_name(file);
    put(to, arena_format(to->arena, "%s allocated", name), "", allocated(build->kernel, file), "");
    put(to, arena_format(to->arena, "%s live", name), "", peak->n_registers, note);
    const char *what = arena_format(to->arena, "%s live, written at", name);
    for (size_t i = 0; i < peak->n_shares; i++)
        put(to, what, peak->shares[i].from_start ? "(the wave's start)" : place_text(to->arena, &peak->shares[i].at),
            peak->shares[i].n_registers, "");
}

static int most_live_first(const void *a, const void *b)
{
    const struct explained_line *const *left = a, *const *right = b;
    int difference = (*right)->live[FILE_VGPR] - (*left)->live[FILE_VGPR];
    return difference ? difference : (*left > *right) - (*left < *right);
}

static void put_lines(struct gathering *to, const struct explained_build *build)
{
    const struct explanation *explanation = build->explanation;
    const struct explained_line **lines =
        arena_alloc(to->arena, (explanation->n_lines + 1) * sizeof(const struct explained_line *));
    to->failed |= !lines;
    for (size_t i = 0; i < explanation->n_lines && lines; i++)
        lines[i] = &explanation->lines[i];
    if (lines)
        qsort(lines, explanation->n_lines, sizeof(const struct explained_line *), most_live_first);
    for (size_t i = 0; i < explanation->n_lines && lines; i++)
        put(to, "most VGPRs live on line", place_text(to->arena, &lines[i]->at), lines[i]->live[FILE_VGPR], "");
}

/* Registers that spills move, by line; "" stands for the whole kernel, which is first. */
static void put_spills(struct gathering *to, const struct explained_build *build)
{
    const struct explanation *explanation = build->explanation;
    for (int kind = 0; kind < SPILL_KIND_COUNT; kind++) {
        char *what = arena_format(to->arena, "spilled: %s", spill_kind_name((enum spill_kind)kind));
        if (explanation->n_spills[kind])
            put(to, what, "", explanation->spilled[kind],
                arena_format(to->arena, "registers, by %u instructions", (unsigned)explanation->n_spills[kind]));
        for (size_t i = 0; i < explanation->n_lines; i++)
            if (explanation->lines[i].n_spills[kind])
                put(to, what, place_text(to->arena, &explanation->lines[i].at), explanation->lines[i].spilled[kind],
                    arena_format(to->arena, "by %u instructions", (unsigned)explanation->lines[i].n_spills[kind]));
    }
}

static void put_classes(struct gathering *to, const struct instruction_mix *mix)
{
    put(to, "instructions", "", mix->n_instructions, arena_format(to->arena, "%u bytes", (unsigned)mix->n_bytes));
    for (int class = 0; class < CLASS_COUNT; class ++)
        if (mix->by_class[class])
            put(to, "instructions of class", opcode_class_name((uint8_t) class), mix->by_class[class], "");
}

static void put_build(struct gathering *to, const struct explained_build *build)
{
    for (int file = 0; file < REGISTER_FILE_COUNT; file++)
        put_peak(to, build, (enum register_file)file);
    put_lines(to, build);
    put_spills(to, build);
    put_classes(to, &build->explanation->mix);
    if (build->explanation->incomplete)
        put(to, "live registers are at least", "", build->explanation->peak[FILE_VGPR].n_registers,
            build->explanation->incomplete);
}

/* Mnemonics whose numbers differ. */
static void put_difference(struct gathering *to, const struct explanation *before, const struct explanation *after)
{
    struct mix_difference difference;
    if (!instruction_mix_compare(&before->mix, &after->mix, to->arena, &difference)) {
        to->failed = true;
        return;
    }
    for (size_t i = 0; i < difference.n_mnemonics; i++) {
        struct explain_row *row = row_of(to, "instructions", difference.mnemonics[i].name);
        to->failed |= !row;
        if (!row)
            return;
        row->has_before = row->has_after = true;
        row->before = difference.mnemonics[i].before;
        row->after = difference.mnemonics[i].after;
    }
}

static bool is_of_whole_kernel(const struct explain_row *row)
{
    return !*row->where;
}

/* A row that is missing on one side stands for 0 there. */
static void keep_changes(struct gathering *to)
{
    size_t n = 0;
    for (size_t i = 0; i < to->n_rows; i++) {
        bool is_equal = to->rows[i].has_before == to->rows[i].has_after && to->rows[i].before == to->rows[i].after;
        if (!is_equal || is_of_whole_kernel(&to->rows[i]))
            to->rows[n++] = to->rows[i];
    }
    to->n_rows = n;
}

/* Rows of one kind together, the kinds as they came, the greatest number first. */
struct ordered_row {
    struct explain_row row;
    size_t kind, index;
};

static int compare_rows(const void *a, const void *b)
{
    const struct ordered_row *left = a, *right = b;
    uint32_t of_left = left->row.after > left->row.before ? left->row.after : left->row.before;
    uint32_t of_right = right->row.after > right->row.before ? right->row.after : right->row.before;
    if (left->kind != right->kind)
        return left->kind < right->kind ? -1 : 1;
    if (is_of_whole_kernel(&left->row) != is_of_whole_kernel(&right->row))
        return is_of_whole_kernel(&left->row) ? -1 : 1;
    if (of_left != of_right)
        return of_left < of_right ? 1 : -1;
    return (left->index > right->index) - (left->index < right->index);
}

static bool order_rows(struct gathering *to)
{
    struct ordered_row *ordered = calloc(to->n_rows + 1, sizeof *ordered);
    if (!ordered)
        return false;
    for (size_t i = 0; i < to->n_rows; i++) {
        size_t kind = 0;
        while (strcmp(to->rows[kind].what, to->rows[i].what) != 0)
            kind++;
        ordered[i] = (struct ordered_row){to->rows[i], kind, i};
    }
    qsort(ordered, to->n_rows, sizeof *ordered, compare_rows);
    for (size_t i = 0; i < to->n_rows; i++)
        to->rows[i] = ordered[i].row;
    free(ordered);
    return true;
}

/* Rows that a build can give at most: what is counted once, and what is counted a line, a share or a class. */
static size_t most_rows(const struct explained_build *build)
{
    const struct explanation *explanation = build->explanation;
    size_t n_rows = 2 * REGISTER_FILE_COUNT + (1 + SPILL_KIND_COUNT) * (explanation->n_lines + 1) + CLASS_COUNT + 2;
    for (int file = 0; file < REGISTER_FILE_COUNT; file++)
        n_rows += explanation->peak[file].n_shares;
    return n_rows;
}

bool explain_rows(const struct explained_build *before, const struct explained_build *after, struct arena *arena,
                  struct explain_report *report)
{
    size_t n_opcodes;
    opcode_table(&n_opcodes);
    struct gathering to = {.arena = arena, .capacity = most_rows(after) + (before ? most_rows(before) + n_opcodes : 0)};
    to.rows = arena_alloc(arena, to.capacity * sizeof *to.rows);
    if (!to.rows)
        return false;
    if (before) {
        to.of_before = true;
        put_build(&to, before);
        to.of_before = false;
    }
    put_build(&to, after);
    if (before) {
        put_difference(&to, before->explanation, after->explanation);
        keep_changes(&to);
    }
    report->rows = to.rows;
    report->n_rows = to.n_rows;
    return !to.failed && order_rows(&to);
}
