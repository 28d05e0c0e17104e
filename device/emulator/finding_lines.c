#include "device/emulator/finding_lines.h"

#include <inttypes.h>
#include <stdio.h>

#include "device/code_lines.h"

enum { LINES_AROUND = 3, LINES = 2 * LINES_AROUND + 1, LINE_BYTES = 160 };

static void find_line(const struct code_lines *lines, uint64_t address, struct finding_place *place)
{
    if (lines)
        code_lines_find(lines, address, place->file, sizeof place->file, &place->line);
}

/* Of the kernel, whose end is not known where its symbol is stripped. */
static bool is_in_kernel(const struct code_kernel *kernel, const struct instruction *in)
{
    return in->offset_bytes >= kernel->entry_address &&
           (kernel->code_bytes == 0 || in->offset_bytes < kernel->entry_address + kernel->code_bytes);
}

/* "+0x1c4 global_load_b32 v2, v[2:3], off" for the instruction at an address of the image and those round it. */
static void list_instructions(const struct dispatch *dispatch, uint64_t address, struct finding_place *place)
{
    const struct emulated_code *code = dispatch->code;
    char text[LINES][LINE_BYTES];
    const char *lines[LINES];
    int n = 0, at = -1;
    if (address / 4 >= code->n_dwords || code->index_of_dword[address / 4] == UINT32_MAX)
        return;
    int64_t index = code->index_of_dword[address / 4];
    for (int64_t i = index - LINES_AROUND; i <= index + LINES_AROUND; i++) {
        if (i < 0 || i >= code->n_instructions || !is_in_kernel(dispatch->kernel, &code->instructions[i]))
            continue;
        const struct instruction *in = &code->instructions[i];
        snprintf(text[n], sizeof text[n], "+0x%" PRIx64 " %s", in->offset_bytes - dispatch->kernel->entry_address,
                 in->text);
        at = i == index ? n : at;
        lines[n] = text[n];
        n++;
    }
    if (at >= 0)
        finding_listing_make(&place->instructions, lines, n, at);
}

static void fill_place(const struct code_lines *lines, const struct dispatch *dispatch, struct finding_place *place)
{
    uint64_t address = dispatch->kernel->entry_address + (uint64_t)place->offset_bytes;
    find_line(lines, address, place);
    if (place->instruction[0])
        list_instructions(dispatch, address, place);
}

void finding_lines_fill(const struct ihipModule_t *module, const struct dispatch *dispatch)
{
    struct code_lines *lines = dispatch->n_findings ? code_lines_open(module->file, module->object.n_bytes) : NULL;
    for (uint32_t i = 0; i < dispatch->n_findings; i++) {
        struct finding *finding = &dispatch->findings[i];
        fill_place(lines, dispatch, &finding->place);
        if (finding->has_other)
            fill_place(lines, dispatch, &finding->other);
        finding_compose(finding);
    }
    code_lines_close(lines);
}
