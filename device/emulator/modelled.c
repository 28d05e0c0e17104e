#include "device/emulator/modelled.h"

#include <fnmatch.h>
#include <string.h>

#include "contract/base/words.h"

static const struct modelled rows[] = {
#define FAMILY(name)                                     (1u << CHIP_##name)
#define MODELLED(pattern, families, bounded, assumption) {pattern, families, bounded, assumption},
#include "device/emulator/modelled.def"
#undef MODELLED
#undef FAMILY
};

const struct modelled *modelled_table(size_t *n_rows)
{
    *n_rows = sizeof rows / sizeof *rows;
    return rows;
}

const struct modelled *modelled_find(const struct chip *chip, const char *mnemonic)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].families >> chip->family & 1 && fnmatch(rows[i].pattern, mnemonic, 0) == 0)
            return &rows[i];
    return NULL;
}

static bool lies_in(const struct instruction *in, uint64_t first, uint64_t n_bytes)
{
    return in->offset_bytes >= first && in->offset_bytes - first < n_bytes;
}

static size_t add_mnemonic(const struct chip *chip, const struct instruction *in, char *text, size_t capacity)
{
    const struct modelled *row = in->opcode ? modelled_find(chip, in->opcode->mnemonic) : NULL;
    return row && !row->bounded && words_add(text, capacity, in->opcode->mnemonic, strlen(in->opcode->mnemonic));
}

size_t modelled_in_code(const struct emulated_code *code, uint64_t first, uint64_t n_bytes, char *text, size_t capacity)
{
    bool everywhere = !code_stays_within(code, first, n_bytes);
    size_t n = 0;
    *text = 0;
    for (uint32_t i = 0; i < code->n_instructions; i++) {
        const struct instruction *in = &code->instructions[i];
        if (!everywhere && !lies_in(in, first, n_bytes))
            continue;
        if (in->pair)
            n += add_mnemonic(code->chip, &in->pair[0], text, capacity) +
                 add_mnemonic(code->chip, &in->pair[1], text, capacity);
        else
            n += add_mnemonic(code->chip, in, text, capacity);
    }
    return n;
}
