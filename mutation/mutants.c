#include "mutation/mutants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/base/random.h"
#include "contract/registry_list.h"
#include "device/code_lines.h"
#include "device/emulator/decode.h"

/* An edited text, before anybody knows whether it is an instruction. */
struct edit {
    enum mutation_operator op;
    int variant, half;
    const struct code_kernel *kernel;
    struct executed_at at;
    uint64_t key;
    size_t n_bytes, turn; /* of its operator: the sample takes first turns first */
    const char *before, *after;
};

struct making {
    const struct mutant_request *request;
    const struct chip *chip;
    struct code_object object;
    uint8_t *image;
    size_t image_bytes;
    struct edit *edits;
    size_t n_edits, capacity;
    struct arena *arena;
    struct mutant_list *list;
};

static bool no_memory(struct error *error)
{
    return error_set(error, STATUS_ENVIRONMENT, "out of host memory for the mutants of a kernel");
}

int executed_compare(const void *a, const void *b)
{
    const struct executed_at *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

/* How often waves executed the instruction at an address. */
static struct executed_at executions(const struct mutant_request *request, uint64_t address)
{
    struct executed_at key = {.address = address};
    const struct executed_at *found =
        request->n_executed ? bsearch(&key, request->executed, request->n_executed, sizeof key, executed_compare) : NULL;
    return found ? *found : key;
}

/* One operator may come to the text of another. */
static bool is_known(const struct making *making, uint64_t address, const char *text)
{
    for (size_t i = making->n_edits; i-- > 0 && making->edits[i].at.address == address;)
        if (strcmp(making->edits[i].after, text) == 0)
            return true;
    return false;
}

static bool grow(struct making *making)
{
    if (making->n_edits < making->capacity)
        return true;
    size_t capacity = making->capacity ? 2 * making->capacity : 1024;
    struct edit *edits = realloc(making->edits, capacity * sizeof *edits);
    if (!edits)
        return false;
    making->edits = edits;
    making->capacity = capacity;
    return true;
}

/* Where it depends on: the place in the kernel, and the edit there. */
static uint64_t edit_key(const struct making *making, const struct edit *edit)
{
    const struct mutant_request *request = making->request;
    struct random_key key = random_key_for(request->seed, request->registration->name);
    key = random_key_for(key.value, edit->kernel->name);
    key = random_key_for(key.value, mutation_operator_name(edit->op));
    return random_bits(key, ((edit->at.address - edit->kernel->entry_address) * 32 + (uint64_t)edit->variant) * 2 +
                                (uint64_t)edit->half);
}

static bool add_edit(struct making *making, const struct edit *edit, const char *before, const char *after)
{
    if (strcmp(before, after) == 0 || is_known(making, edit->at.address, after))
        return true;
    const char *kept_before = arena_format(making->arena, "%s", before);
    const char *kept_after = arena_format(making->arena, "%s", after);
    if (!kept_before || !kept_after || !grow(making))
        return false;
    struct edit *made = &making->edits[making->n_edits++];
    *made = *edit;
    made->before = kept_before;
    made->after = kept_after;
    made->key = edit_key(making, made);
    return true;
}

/* A text, or the half of a dual one, that is edited; what stands before and after it stays. */
struct part {
    struct mutation_site site;
    const char *text, *first; /* the whole, and where the part begins */
    size_t n_bytes;
};

static bool edit_part(struct making *making, const struct part *part, const struct edit *edit)
{
    struct asm_text parts;
    char edited[ASM_TEXT_BYTES], whole[2 * ASM_TEXT_BYTES];
    if (!asm_split(part->first, part->n_bytes, &parts) || !mutation_edit(&part->site, edit->op, edit->variant, &parts) ||
        !asm_join(&parts, edited))
        return true;
    snprintf(whole, sizeof whole, "%.*s%s%s", (int)(part->first - part->text), part->text, edited,
             part->first + part->n_bytes);
    return add_edit(making, edit, part->text, whole);
}

static bool edit_with_all(struct making *making, const struct part *part, const struct edit *place)
{
    struct edit edit = *place;
    for (int op = 0; op < MUTATION_OPERATOR_COUNT; op++) {
        edit.op = (enum mutation_operator)op;
        for (edit.variant = 0; edit.variant < mutation_operator_variants(edit.op); edit.variant++)
            if (!edit_part(making, part, &edit))
                return false;
    }
    return true;
}

/* "v_dual_mul_f32 v0, v1, v2 :: v_dual_mov_b32 v3, v4" has two. */
static bool edit_instruction(struct making *making, const struct emulated_code *code, uint32_t index,
                             const struct edit *place)
{
    static const char between[] = " :: ";
    const struct instruction *in = &code->instructions[index];
    const char *second = in->pair ? strstr(in->text, between) : NULL;
    struct part part = {{code, index, in->pair ? &in->pair[0] : in}, in->text, in->text, strlen(in->text)};
    struct edit edit = *place;
    if (!in->opcode)
        return true;
    if (!second)
        return edit_with_all(making, &part, &edit);
    part.n_bytes = (size_t)(second - in->text);
    if (!edit_with_all(making, &part, &edit))
        return false;
    part.site.in = &in->pair[1];
    part.first = second + strlen(between);
    part.n_bytes = strlen(part.first);
    edit.half = 1;
    return edit_with_all(making, &part, &edit);
}

static bool is_padding(const struct instruction *in)
{
    return strcmp(in->text, "s_code_end") == 0;
}

static bool edit_code(struct making *making, const struct code_kernel *kernel, const struct emulated_code *code)
{
    for (uint32_t i = 0; i < code->n_instructions; i++) {
        const struct instruction *in = &code->instructions[i];
        struct edit place = {
            .kernel = kernel, .at = executions(making->request, in->offset_bytes), .n_bytes = in->size_bytes};
        making->list->n_instructions += !is_padding(in);
        making->list->n_executed += place.at.n_executed > 0;
        if (place.at.n_executed && !edit_instruction(making, code, i, &place))
            return false;
    }
    return true;
}

static bool edit_kernel(struct making *making, const struct code_kernel *kernel, struct error *error)
{
    struct emulated_code code;
    uint32_t n_lanes = kernel->wave_size ? kernel->wave_size : making->chip->default_wave;
    if (!registration_has_kernel(making->request->registration, kernel->name) || !kernel->code_bytes)
        return true;
    if (!code_decode(making->chip, n_lanes, making->image, making->image_bytes, kernel->entry_address, kernel->code_bytes,
                     &code, error))
        return error_prefix(error, "%s", kernel->name);
    bool ok = edit_code(making, kernel, &code) || no_memory(error);
    code_free(&code);
    return ok;
}

static int compare_keys(const void *a, const void *b)
{
    const struct edit *x = a, *y = b;
    if (x->op != y->op)
        return x->op < y->op ? -1 : 1;
    return (x->key > y->key) - (x->key < y->key);
}

static int compare_turns(const void *a, const void *b)
{
    const struct edit *x = a, *y = b;
    if (x->turn != y->turn)
        return x->turn < y->turn ? -1 : 1;
    return (x->key > y->key) - (x->key < y->key);
}

static void take_turns(struct making *making)
{
    struct edit *edits = making->edits;
    if (!making->n_edits)
        return;
    qsort(edits, making->n_edits, sizeof *edits, compare_keys);
    for (size_t i = 1; i < making->n_edits; i++)
        edits[i].turn = edits[i].op == edits[i - 1].op ? edits[i - 1].turn + 1 : 0;
    qsort(edits, making->n_edits, sizeof *edits, compare_turns);
}

/* The tools of one wave size: kernels of a launcher may have two. */
struct tools {
    uint32_t n_lanes;
    struct assembler *assembler;
    struct disassembler *disassembler;
};

static void tools_close(struct tools *tools)
{
    assembler_close(tools->assembler);
    disassembler_close(tools->disassembler);
    *tools = (struct tools){0};
}

static bool tools_for(struct tools *tools, const struct chip *chip, uint32_t n_lanes, struct error *error)
{
    if (tools->n_lanes == n_lanes)
        return true;
    tools_close(tools);
    tools->assembler = assembler_open(chip, n_lanes, error);
    tools->disassembler = disassembler_open(chip, n_lanes, error);
    tools->n_lanes = n_lanes;
    return tools->assembler && tools->disassembler;
}

static void place_mutant(const struct making *making, const struct edit *edit, struct mutant *mutant)
{
    const struct code_segment *segment = code_segment_at(&making->object, edit->at.address, edit->n_bytes);
    mutant->op = edit->op;
    mutant->variant = edit->variant;
    mutant->offset_bytes = edit->at.address - edit->kernel->entry_address;
    mutant->file_offset = segment->file_offset + (edit->at.address - segment->address);
    mutant->n_executed = edit->at.n_executed;
    mutant->n_taken = edit->at.n_taken;
    mutant->n_bytes = edit->n_bytes;
    mutant->before = edit->before;
}

/* What LLVM takes the emulator may not have, and then says so of whatever executes it: no verdict on a kernel. */
static bool is_emulated(const struct making *making, const struct mutant *mutant, size_t n_bytes, uint32_t n_lanes,
                        bool *emulated, struct error *error)
{
    struct emulated_code code;
    if (!code_decode(making->chip, n_lanes, mutant->bytes, n_bytes, 0, n_bytes, &code, error))
        return false;
    *emulated = code.n_instructions == 1 && code.instructions[0].opcode;
    code_free(&code);
    return true;
}

/* The edit as an instruction, with its text as the disassembler reads it back. *is_one is false where it is none, of
 * another size, one that the emulator does not have, or says what the original says. */
static bool assemble(const struct making *making, struct tools *tools, const struct edit *edit, struct mutant *mutant,
                     bool *is_one, struct error *error)
{
    char text[2 * ASM_TEXT_BYTES];
    uint32_t n_lanes = edit->kernel->wave_size ? edit->kernel->wave_size : making->chip->default_wave;
    *is_one = false;
    if (!tools_for(tools, making->chip, n_lanes, error))
        return false;
    size_t size = assembler_one(tools->assembler, edit->after, mutant->bytes);
    if (size != edit->n_bytes ||
        disassembler_next(tools->disassembler, mutant->bytes, size, text, sizeof text) != edit->n_bytes ||
        strcmp(text, edit->before) == 0)
        return true;
    if (!is_emulated(making, mutant, size, n_lanes, is_one, error))
        return false;
    place_mutant(making, edit, mutant);
    mutant->kernel = arena_format(making->arena, "%s", edit->kernel->name);
    mutant->after = arena_format(making->arena, "%s", text);
    return (mutant->kernel && mutant->after) || no_memory(error);
}

static bool assemble_sample(struct making *making, struct tools *tools, struct error *error)
{
    struct mutant_list *list = making->list;
    size_t sample =
        making->request->sample && making->request->sample < making->n_edits ? making->request->sample : making->n_edits;
    list->mutants = arena_alloc(making->arena, (sample + 1) * sizeof *list->mutants);
    if (!list->mutants)
        return no_memory(error);
    for (size_t i = 0; i < making->n_edits && list->n < sample; i++) {
        struct mutant mutant = {0};
        bool is_one;
        if (!assemble(making, tools, &making->edits[i], &mutant, &is_one, error))
            return false;
        if (is_one)
            list->mutants[list->n++] = mutant;
    }
    return true;
}

static int compare_places(const void *a, const void *b)
{
    const struct mutant *x = a, *y = b;
    int order = strcmp(x->kernel, y->kernel);
    if (!order)
        order = (x->offset_bytes > y->offset_bytes) - (x->offset_bytes < y->offset_bytes);
    if (!order)
        order = (x->op > y->op) - (x->op < y->op);
    return order ? order : strcmp(x->after, y->after);
}

static void find_lines(const struct making *making, struct mutant_list *list)
{
    struct code_lines *lines = code_lines_open(making->request->code, making->request->n_bytes);
    for (size_t i = 0; lines && i < list->n; i++) {
        struct mutant *mutant = &list->mutants[i];
        const struct code_kernel *kernel = code_object_kernel(&making->object, mutant->kernel);
        if (!code_lines_find(lines, kernel->entry_address + mutant->offset_bytes, mutant->file, sizeof mutant->file,
                             &mutant->line))
            mutant->file[0] = '\0';
    }
    code_lines_close(lines);
}

static bool make_edits(struct making *making, struct error *error)
{
    making->image_bytes = code_object_image_bytes(&making->object);
    making->image = malloc(making->image_bytes + 1);
    bool ok =
        making->image ? code_object_load(&making->object, 0, making->image, making->image_bytes, error) : no_memory(error);
    for (size_t i = 0; i < making->object.n_kernels && ok; i++)
        ok = edit_kernel(making, &making->object.kernels[i], error);
    free(making->image);
    return ok;
}

static bool make_from_object(struct making *making, struct error *error)
{
    struct tools tools = {0};
    making->chip = chip_find(making->object.chip);
    if (!making->chip)
        return error_set(error, STATUS_ENVIRONMENT, "%s: no known chip", making->object.chip);
    bool ok = make_edits(making, error);
    if (ok) {
        take_turns(making);
        making->list->n_edits = making->n_edits;
        ok = assemble_sample(making, &tools, error);
    }
    if (ok && making->list->n) {
        qsort(making->list->mutants, making->list->n, sizeof *making->list->mutants, compare_places);
        find_lines(making, making->list);
    }
    tools_close(&tools);
    return ok;
}

bool mutants_make(const struct mutant_request *request, struct arena *arena, struct mutant_list *list, struct error *error)
{
    struct making making = {.request = request, .arena = arena, .list = list};
    *list = (struct mutant_list){0};
    if (!code_object_parse(request->code, request->n_bytes, request->registration->source, &making.object, error))
        return false;
    bool ok = make_from_object(&making, error);
    free(making.edits);
    code_object_free(&making.object);
    return ok;
}
