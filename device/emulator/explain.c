#include "device/emulator/explain.h"

#include <stdlib.h>
#include <string.h>

#include "device/code_lines.h"
#include "device/emulator/sanitizer/flow.h"

enum { FILE_CAPACITY = 512 };

/* What is at hand while one kernel is explained. */
struct work {
    const struct code_kernel *kernel;
    struct emulated_code code;
    struct liveness liveness;
    uint32_t *line_of; /* [n_instructions]: its row in lines */
    struct explained_line *lines;
    size_t n_lines;
    struct explanation *to;
};

static int compare_places(const struct source_place *a, const struct source_place *b)
{
    int order = strcmp(a->file, b->file);
    return order ? order : a->line < b->line ? -1 : a->line > b->line;
}

static bool decode(const struct code_object *object, struct work *work, struct error *error)
{
    const struct code_kernel *kernel = work->kernel;
    const struct chip *chip = chip_find(object->chip);
    size_t n_bytes = code_object_image_bytes(object);
    if (!chip)
        return error_set(error, STATUS_ENVIRONMENT, "%s: no known chip; docs/chips.md lists them", object->chip);
    if (!kernel->code_bytes)
        return error_set(error, STATUS_USAGE, "kernel %s: its symbol is stripped, so where its code ends is not known",
                         kernel->name);
    uint8_t *image = malloc(n_bytes + 1);
    bool ok = image ? code_object_load(object, 0, image, n_bytes, error)
                    : error_set(error, STATUS_ENVIRONMENT, "out of memory for %zu bytes of code", n_bytes);
    ok = ok && code_decode(chip, kernel->wave_size ? kernel->wave_size : chip->default_wave, image, n_bytes,
                           kernel->entry_address, kernel->code_bytes, &work->code, error);
    free(image);
    return ok;
}

/* The row of a place, made where there is none; rows are few, and neighbours are mostly of one line. */
static uint32_t row_of(struct work *work, uint32_t guess, const char *file, uint32_t line)
{
    const struct source_place wanted = {file, line};
    if (guess < work->n_lines && compare_places(&work->lines[guess].at, &wanted) == 0)
        return guess;
    for (uint32_t i = 0; i < work->n_lines; i++)
        if (compare_places(&work->lines[i].at, &wanted) == 0)
            return i;
    char *name = arena_format(&work->to->arena, "%s", file);
    if (!name)
        return UINT32_MAX;
    work->lines[work->n_lines].at = (struct source_place){name, line};
    return (uint32_t)work->n_lines++;
}

static bool find_lines(const struct code_object *object, struct work *work)
{
    struct code_lines *tables = code_lines_open(object->bytes, object->n_bytes);
    bool ok = true;
    uint32_t row = UINT32_MAX;
    for (uint32_t i = 0; i < work->code.n_instructions && ok; i++) {
        char file[FILE_CAPACITY] = "";
        uint32_t line = 0;
        if (tables)
            code_lines_find(tables, work->code.instructions[i].offset_bytes, file, sizeof file, &line);
        row = work->line_of[i] = row_of(work, row, file, line);
        ok = row != UINT32_MAX;
    }
    code_lines_close(tables);
    return ok;
}

static void sum_line(struct work *work, uint32_t i)
{
    struct explained_line *line = &work->lines[work->line_of[i]];
    unsigned n_registers;
    enum spill_kind kind = spill_kind_of(work->kernel, &work->code.instructions[i], &n_registers);
    line->n_instructions++;
    for (int file = 0; file < REGISTER_FILE_COUNT; file++)
        if (work->liveness.at[i].n[file] > line->live[file])
            line->live[file] = work->liveness.at[i].n[file];
    if (kind == SPILL_NONE)
        return;
    line->n_spills[kind]++;
    line->spilled[kind] += n_registers;
    work->to->n_spills[kind]++;
    work->to->spilled[kind] += n_registers;
}

static int compare_shares(const void *a, const void *b)
{
    const struct peak_share *left = a, *right = b;
    if (left->n_registers != right->n_registers)
        return left->n_registers < right->n_registers ? 1 : -1;
    return compare_places(&left->at, &right->at);
}

static void add_share(struct peak_share *shares, size_t *n_shares, struct source_place at, bool from_start)
{
    for (size_t i = 0; i < *n_shares; i++)
        if (shares[i].from_start == from_start && compare_places(&shares[i].at, &at) == 0) {
            shares[i].n_registers++;
            return;
        }
    shares[(*n_shares)++] = (struct peak_share){.at = at, .n_registers = 1, .from_start = from_start};
}

static bool share_peak(struct work *work, enum register_file file, uint32_t instruction, struct explained_peak *peak)
{
    static const struct source_place nowhere = {"", 0};
    struct live_value *values = malloc(FLOW_PLACES * sizeof *values);
    struct peak_share *shares = arena_alloc(&work->to->arena, (peak->n_registers + 1) * sizeof *shares);
    bool ok = values && shares && liveness_values(&work->liveness, instruction, file, values) == peak->n_registers;
    for (uint32_t i = 0; ok && i < peak->n_registers; i++) {
        bool from_start = values[i].writer == NO_INSTRUCTION;
        add_share(shares, &peak->n_shares, from_start ? nowhere : work->lines[work->line_of[values[i].writer]].at,
                  from_start);
    }
    if (ok)
        qsort(shares, peak->n_shares, sizeof *shares, compare_shares);
    peak->shares = shares;
    free(values);
    return ok;
}

static bool find_peak(struct work *work, enum register_file file)
{
    struct explained_peak *peak = &work->to->peak[file];
    uint32_t i = work->liveness.peak[file];
    *peak = (struct explained_peak){.text = "", .at = {"", 0}};
    if (i == NO_INSTRUCTION)
        return true;
    const struct instruction *in = &work->code.instructions[i];
    peak->n_registers = work->liveness.at[i].n[file];
    peak->offset_bytes = in->offset_bytes - (uint32_t)work->kernel->entry_address;
    peak->text = arena_format(&work->to->arena, "%s", in->text);
    peak->at = work->lines[work->line_of[i]].at;
    return peak->text && share_peak(work, file, i, peak);
}

static int compare_lines(const void *a, const void *b)
{
    const struct explained_line *left = a, *right = b;
    return compare_places(&left->at, &right->at);
}

/* Last, as it moves the rows that line_of names. */
static void sort_lines(struct work *work)
{
    qsort(work->lines, work->n_lines, sizeof *work->lines, compare_lines);
    work->to->lines = work->lines;
    work->to->n_lines = work->n_lines;
}

static bool explain_code(const struct code_object *object, struct work *work)
{
    struct arena *arena = &work->to->arena;
    size_t n = (size_t)work->code.n_instructions + 1;
    work->line_of = arena_alloc(arena, n * sizeof *work->line_of);
    work->lines = arena_alloc(arena, n * sizeof *work->lines);
    if (!work->liveness.at || !work->line_of || !work->lines ||
        !instruction_mix_count(&work->code, arena, &work->to->mix) || !find_lines(object, work))
        return false;
    for (uint32_t i = 0; i < work->code.n_instructions; i++)
        sum_line(work, i);
    for (int file = 0; file < REGISTER_FILE_COUNT; file++)
        if (!find_peak(work, (enum register_file)file))
            return false;
    work->to->incomplete = work->liveness.incomplete;
    sort_lines(work);
    return true;
}

bool explain_kernel(const struct code_object *object, const struct code_kernel *kernel, struct explanation *explanation,
                    struct error *error)
{
    struct work work = {.kernel = kernel, .to = explanation};
    *explanation = (struct explanation){0};
    if (!decode(object, &work, error))
        return false;
    bool ok = liveness_make(&work.code, &work.liveness) && explain_code(object, &work);
    liveness_free(&work.liveness);
    code_free(&work.code);
    if (ok)
        return true;
    explanation_free(explanation);
    return error_set(error, STATUS_ENVIRONMENT, "out of memory while explaining %s", kernel->name);
}

void explanation_free(struct explanation *explanation)
{
    arena_free(&explanation->arena);
    *explanation = (struct explanation){0};
}
