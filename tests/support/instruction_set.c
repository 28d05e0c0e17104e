#include "tests/support/instruction_set.h"

#include <stdlib.h>
#include <string.h>

#include "device/emulator/code.h"
#include "device/emulator/decode.h"

enum { SLOTS = 8192, CAPACITY = 512, TEXTS_READ = 3, MAX_BYTES = 20 };

/* What stands around the bits that are walked. low: of the first dword; vector_alu: only encodings 0 … 0x7fff of the upper
 * half (VOP1, VOP2, VOPC) look at it. */
static const struct pattern {
    uint16_t low;
    bool vector_alu;
    uint32_t rest[3];
} patterns[] = {
    {0x0000, false, {0, 0, 0}},
    {0x0100, false, {0x04020100, 0, 0}},                   /* every source a vector register */
    {0x4000, false, {0x1c020100, 0, 0}},                   /* the same with both halves of packed operands */
    {0x0000, false, {0x04020000, 0, 0}},                   /* first source scalar */
    {0x0000, false, {0x00020100, 0, 0}},                   /* third source scalar */
    {0x0000, false, {0x007f0000, 0, 0}},                   /* no address register: gfx9 */
    {0x0000, false, {0x007d0000, 0, 0}},                   /* gfx10 */
    {0x007c, false, {0x007c0000, 0, 0}},                   /* gfx11, gfx12 */
    {0x0000, false, {0xf8000000, 0, 0}},                   /* no offset register: gfx12 scalar memory */
    {0x0000, false, {0x040200fa, 0xff00e400, 0}},          /* VOP3 with DPP16 */
    {0x0000, false, {0x040200e9, 0x76543210, 0}},          /* VOP3 with DPP8 */
    {0x0301, false, {0x02000502, 0, 0}},                   /* dual: registers of different banks */
    {0x0000, false, {0x04020100, 0xd3ad0000, 0x04020100}}, /* gfx950: scales before a matrix instruction */
    {0x0000, false, {0x04020100, 0xd3ae0000, 0x04020100}},
    {0x00ff, true, {0x12345678, 0, 0}}, /* a literal */
    {0x00f9, true, {0x06060600, 0, 0}}, /* SDWA, whole dwords */
    {0x00f9, true, {0x05040300, 0, 0}}, /* SDWA, a byte and words */
    {0x00fa, true, {0xff00e400, 0, 0}}, /* DPP16 quad_perm */
    {0x00fa, true, {0xff015000, 0, 0}}, /* DPP16 row_newbcast */
    {0x00e9, true, {0x76543210, 0, 0}}, /* DPP8 */
};
enum { N_PATTERNS = sizeof patterns / sizeof *patterns };

struct walk {
    const struct chip *chip;
    struct disassembler *disassembler;
    struct instruction_set *set;
    struct arena *scratch;
    uint16_t slots[SLOTS]; /* index + 1 in the set */
    uint8_t n_read[CAPACITY * 8];
    uint32_t pattern;
    char text[256];
    bool failed;
};

bool instruction_is_graphics(const char *stem)
{
    static const char *const prefixes[] = {"image_",        "exp",     "export",     "v_interp_", "lds_param_load",
                                           "ds_param_load", "ds_gws_", "ds_ordered", "s_ordered", "lds_direct_load",
                                           "ds_direct_load"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (!strncmp(stem, prefixes[i], strlen(prefixes[i])) && strcmp(stem, "v_exp_f32"))
            return true;
    return false;
}

/* Length of the mnemonic's stem at text. */
static size_t stem_of(const char *text)
{
    static const char *const suffixes[] = {"_e64_dpp", "_dpp", "_sdwa", "_e32", "_e64"};
    size_t length = strcspn(text, " ");
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t n = strlen(suffixes[i]);
        if (length > n && !memcmp(text + length - n, suffixes[i], n))
            return length - n;
    }
    return length;
}

static uint32_t hash(const char *text, size_t length)
{
    uint32_t value = 2166136261u;
    for (size_t i = 0; i < length; i++)
        value = (value ^ (uint8_t)text[i]) * 16777619u;
    return (value ^ value >> 15) % SLOTS;
}

/* The instruction with this stem, added if new; SIZE_MAX without memory. */
static size_t find_or_add(struct walk *walk, const char *stem, size_t length)
{
    struct instruction_set *set = walk->set;
    uint32_t slot = hash(stem, length);
    for (; walk->slots[slot]; slot = (slot + 1) % SLOTS) {
        const char *known = set->instructions[walk->slots[slot] - 1].stem;
        if (!strncmp(known, stem, length) && !known[length])
            return walk->slots[slot] - 1u;
    }
    char *copy = arena_format(&set->arena, "%.*s", (int)length, stem);
    bool dual = !strncmp(stem, "v_dual_", 7) && length < 60;
    char *text = arena_format(&set->arena, "%s", walk->text);
    if (!copy || !text || set->n_instructions == CAPACITY * 8) {
        walk->failed = true;
        return SIZE_MAX;
    }
    char single[64] = "v_";
    memcpy(single + dual * 2, stem + dual * 7, length - dual * 7);
    set->instructions[set->n_instructions] =
        (struct known_instruction){.stem = copy,
                                   .text = text,
                                   .implemented = opcode_find(single, length - dual * 5),
                                   .graphics = instruction_is_graphics(copy)};
    walk->slots[slot] = (uint16_t)++set->n_instructions;
    return set->n_instructions - 1;
}

static void note(struct walk *walk, const char *stem, size_t length)
{
    if (strstr(walk->text, "/*") || strstr(walk->text, "scale_offset") || strstr(walk->text, " nv") ||
        strstr(walk->text, "th:0x"))
        return;
    size_t index = find_or_add(walk, stem, length);
    if (index == SIZE_MAX || walk->n_read[index] >= TEXTS_READ)
        return;
    walk->n_read[index]++;
    struct known_instruction *known = &walk->set->instructions[index];
    struct instruction in = {0};
    if (known->implemented && !known->unread && !parse_instruction(walk->chip, walk->text, walk->scratch, &in))
        known->unread = arena_format(&walk->set->arena, "%s", walk->text);
}

/* Disassembles; *stem is the first mnemonic in walk->text. 0: no instruction. */
static size_t probe(struct walk *walk, uint32_t first)
{
    uint32_t words[MAX_BYTES / 4] = {first};
    memcpy(words + 1, patterns[walk->pattern].rest, sizeof patterns->rest);
    return disassembler_next(walk->disassembler, (const uint8_t *)words, sizeof words, walk->text, sizeof walk->text);
}

static void note_text(struct walk *walk)
{
    const char *second = strstr(walk->text, " :: ");
    if (!strncmp(walk->text, "v_dual_", 7) && second) {
        char stem[64] = "v_";
        size_t length = stem_of(second + 4);
        memcpy(stem, second + 4, length);
        note(walk, stem, length);
    }
    note(walk, walk->text, stem_of(walk->text));
}

/* Which of the bits 8 to 15 change the mnemonic. */
static uint32_t bits_of_opcode(struct walk *walk, uint32_t base)
{
    char before[64] = "";
    if (probe(walk, base)) {
        size_t length = stem_of(walk->text);
        memcpy(before, walk->text, length);
        note_text(walk);
    }
    uint32_t bits = 0;
    for (uint32_t bit = 1 << 8; bit <= 1 << 15; bit <<= 1) {
        bool known = probe(walk, base ^ bit);
        size_t length = known ? stem_of(walk->text) : 0;
        if (strlen(before) != length || memcmp(before, walk->text, length) != 0)
            bits |= bit;
    }
    return bits;
}

static void walk_low_bits(struct walk *walk, uint32_t base)
{
    uint32_t bits = bits_of_opcode(walk, base);
    for (uint32_t chosen = bits; chosen; chosen = (chosen - 1) & bits)
        if (probe(walk, base ^ chosen))
            note_text(walk);
}

static int compare_stems(const void *a, const void *b)
{
    return strcmp(((const struct known_instruction *)a)->stem, ((const struct known_instruction *)b)->stem);
}

bool instruction_set_walk(const struct chip *chip, struct instruction_set *set, struct error *error)
{
    *set = (struct instruction_set){0};
    struct arena scratch = {0};
    struct walk *walk = calloc(1, sizeof *walk);
    set->instructions = arena_alloc(&set->arena, CAPACITY * 8 * sizeof *set->instructions);
    if (!walk || !set->instructions) {
        free(walk);
        return error_set(error, STATUS_ENVIRONMENT, "out of memory");
    }
    *walk = (struct walk){.chip = chip, .set = set, .scratch = &scratch};
    walk->disassembler = disassembler_open(chip, chip->default_wave, error);
    for (uint32_t p = 0; walk->disassembler && p < N_PATTERNS; p++) {
        walk->pattern = p;
        memset(walk->n_read, 0, sizeof walk->n_read);
        uint32_t n = patterns[p].vector_alu ? 0x8000 : 0x10000;
        for (uint32_t high = 0; high < n; high++)
            walk_low_bits(walk, high << 16 | patterns[p].low);
    }
    bool ok = walk->disassembler && !walk->failed;
    disassembler_close(walk->disassembler);
    free(walk);
    arena_free(&scratch);
    qsort(set->instructions, set->n_instructions, sizeof *set->instructions, compare_stems);
    return ok;
}

void instruction_set_free(struct instruction_set *set)
{
    arena_free(&set->arena);
    *set = (struct instruction_set){0};
}

const struct known_instruction *instruction_set_find(const struct instruction_set *set, const char *stem)
{
    struct known_instruction key = {.stem = stem};
    return bsearch(&key, set->instructions, set->n_instructions, sizeof key, compare_stems);
}
