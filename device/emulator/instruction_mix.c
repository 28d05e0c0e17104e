#include "device/emulator/instruction_mix.h"

#include <stdlib.h>
#include <string.h>

bool instruction_mix_count(const struct emulated_code *code, struct arena *arena, struct instruction_mix *mix)
{
    size_t n_opcodes;
    opcode_table(&n_opcodes);
    uint32_t *by_opcode = arena_alloc(arena, n_opcodes * sizeof *by_opcode);
    if (!by_opcode)
        return false;
    *mix = (struct instruction_mix){.n_instructions = code->n_instructions, .by_opcode = by_opcode};
    for (uint32_t i = 0; i < code->n_instructions; i++) {
        const struct instruction *in = &code->instructions[i];
        mix->n_bytes += in->size_bytes;
        if (!in->opcode) {
            mix->n_unknown++;
            continue;
        }
        mix->by_class[in->class]++;
        by_opcode[in->opcode->index]++;
    }
    return true;
}

static uint32_t distance(const struct mix_change *change)
{
    return change->before > change->after ? change->before - change->after : change->after - change->before;
}

static int compare_changes(const void *a, const void *b)
{
    const struct mix_change *left = a, *right = b;
    uint32_t of_left = distance(left), of_right = distance(right);
    if (of_left != of_right)
        return of_left < of_right ? 1 : -1;
    return strcmp(left->name, right->name);
}

static void add_change(struct mix_change *changes, size_t *n_changes, struct mix_change change)
{
    if (change.before != change.after)
        changes[(*n_changes)++] = change;
}

bool instruction_mix_compare(const struct instruction_mix *before, const struct instruction_mix *after, struct arena *arena,
                             struct mix_difference *difference)
{
    size_t n_opcodes;
    const struct opcode *opcodes = opcode_table(&n_opcodes);
    *difference = (struct mix_difference){.classes = arena_alloc(arena, CLASS_COUNT * sizeof *difference->classes),
                                          .mnemonics = arena_alloc(arena, n_opcodes * sizeof *difference->mnemonics)};
    if (!difference->classes || !difference->mnemonics)
        return false;
    for (int c = 0; c < CLASS_COUNT; c++)
        add_change(difference->classes, &difference->n_classes,
                   (struct mix_change){opcode_class_name((uint8_t)c), before->by_class[c], after->by_class[c]});
    for (size_t i = 0; i < n_opcodes; i++)
        add_change(difference->mnemonics, &difference->n_mnemonics,
                   (struct mix_change){opcodes[i].mnemonic, before->by_opcode[i], after->by_opcode[i]});
    qsort(difference->classes, difference->n_classes, sizeof *difference->classes, compare_changes);
    qsort(difference->mnemonics, difference->n_mnemonics, sizeof *difference->mnemonics, compare_changes);
    return true;
}
