#include "tests/support/instruction_set.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/emulator/code.h"
#include "device/emulator/decode.h"
#include "toolchain/process.h"

enum { SLOTS = 8192, MAX_KNOWN = 4096, TEXTS_A_PATTERN = 2, MAX_TEXTS = 65536, MAX_BYTES = 20 };

/* What stands around the bits that are walked: low half of the first dword, further dwords, and the upper halves that look
 * at them: below 0x8000 VOP1, VOP2 and VOPC, from 0xb800 what has a second dword, between them scalar instructions. */
static const struct pattern {
    uint32_t first, end;
    uint16_t low;
    uint32_t rest[3];
} patterns[] = {
    {0, 0x10000, 0x0000, {0, 0, 0}},
    {0x8000, 0x10000, 0x00c1, {0, 0, 0}},                            /* an inline constant */
    {0xc000, 0x10000, 0x0100, {0x04020100, 0, 0}},                   /* every source a vector register */
    {0xc000, 0x10000, 0x4000, {0x1c020100, 0, 0}},                   /* the same with both halves of packed operands */
    {0xc000, 0x10000, 0x0000, {0x04020000, 0, 0}},                   /* first source scalar */
    {0xc000, 0x10000, 0x0000, {0x00020100, 0, 0}},                   /* third source scalar */
    {0xc000, 0x10000, 0x0000, {0x007f0000, 0, 0}},                   /* no address register: gfx9 */
    {0xc000, 0x10000, 0x0000, {0x007d0000, 0, 0}},                   /* gfx10 */
    {0xc000, 0x10000, 0x007c, {0x007c0000, 0, 0}},                   /* gfx11 */
    {0xc000, 0x10000, 0x007c, {0, 0, 0}},                            /* gfx12 */
    {0xc000, 0x10000, 0x007c, {0x00100000, 0, 0}},                   /* gfx12, an atomic that returns */
    {0xc000, 0x10000, 0x0000, {0xf8000000, 0, 0}},                   /* no offset register: gfx12 scalar memory */
    {0xc000, 0x10000, 0x0000, {0x040200fa, 0xff00e400, 0}},          /* VOP3 with DPP16 */
    {0xc000, 0x10000, 0x0000, {0x040200e9, 0x76543210, 0}},          /* VOP3 with DPP8 */
    {0xc000, 0x10000, 0x0301, {0x02000502, 0, 0}},                   /* dual: registers of different banks */
    {0xc000, 0x10000, 0x0000, {0x00020100, 0xd3ad0800, 0x04020100}}, /* gfx950: scales before a matrix instruction */
    {0xc000, 0x10000, 0x0000, {0x00020100, 0xd3ae0800, 0x04020100}},
    {0, 0x8000, 0x0100, {0, 0, 0}},          /* a vector register */
    {0, 0x8000, 0x00ff, {0x12345678, 0, 0}}, /* a literal */
    {0, 0x8000, 0x00f9, {0x06060600, 0, 0}}, /* SDWA, whole dwords */
    {0, 0x8000, 0x00f9, {0x05040300, 0, 0}}, /* SDWA, a byte and words */
    {0, 0x8000, 0x00fa, {0xff00e400, 0, 0}}, /* DPP16 quad_perm */
    {0, 0x8000, 0x00fa, {0xff015000, 0, 0}}, /* DPP16 row_newbcast */
    {0, 0x8000, 0x00e9, {0x76543210, 0, 0}}, /* DPP8 */
};
enum { N_PATTERNS = sizeof patterns / sizeof *patterns };

static const struct {
    const char *pattern, *reason;
} rules[] = {
    {"image_*", "images, samplers and ray tracing"},
    {"ds_bvh_stack_*", "ray tracing"},
    {"exp", "exports"},
    {"export", "exports"},
    {"v_interp_*", "interpolation"},
    {"*_param_load", "interpolation"},
    {"v_screen_partition_*", "rasterisation"},
    {"*_gs_reg_rtn", "streamout"},
    {"ds_ordered_count", "the global data share"},
    {"s_endpgm_ordered_ps_done", "pixel shaders"},
    {"ds_gws_sema_*", "semaphores of the global wave sync, which no library uses"},
    {"s_rfe_*", "legal in a trap handler alone"},
};
enum { N_RULES = sizeof rules / sizeof *rules };

const char *instruction_rule(size_t index, const char **reason)
{
    if (index >= N_RULES)
        return NULL;
    *reason = rules[index].reason;
    return rules[index].pattern;
}

const char *instruction_left_out(const char *stem)
{
    for (size_t i = 0; i < N_RULES; i++)
        if (fnmatch(rules[i].pattern, stem, 0) == 0)
            return rules[i].reason;
    return NULL;
}

/* A text that was seen, to be confirmed. */
struct candidate {
    size_t instruction;
    const char *text;
    bool parsed, refused;
};

struct walk {
    const struct chip *chip;
    struct disassembler *disassembler;
    struct instruction_set *set;
    struct arena scratch;
    uint16_t slots[SLOTS]; /* index + 1 in the set */
    uint8_t n_texts[MAX_KNOWN];
    struct candidate *candidates;
    size_t n_candidates;
    bool is_full; /* an instruction or a text had no room */
    const struct pattern *pattern;
    char text[256];
};

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

/* A half of a dual instruction is the single one's row. */
static const struct opcode *opcode_of(const char *stem)
{
    char single[64] = "v_";
    if (strncmp(stem, "v_dual_", 7) != 0)
        return opcode_find(stem, strlen(stem));
    snprintf(single + 2, sizeof single - 2, "%s", stem + 7);
    return opcode_find(single, strlen(single));
}

/* The instruction with this stem, added if new; SIZE_MAX where there is no room. */
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
    if (!copy || set->n_instructions == MAX_KNOWN)
        return SIZE_MAX;
    set->instructions[set->n_instructions] =
        (struct known_instruction){.stem = copy, .opcode = opcode_of(copy), .left_out = instruction_left_out(copy)};
    walk->slots[slot] = (uint16_t)++set->n_instructions;
    return set->n_instructions - 1;
}

static void note(struct walk *walk, const char *stem, size_t length)
{
    size_t index = find_or_add(walk, stem, length);
    if (index != SIZE_MAX && walk->n_texts[index] >= TEXTS_A_PATTERN)
        return;
    walk->is_full |= index == SIZE_MAX || walk->n_candidates == MAX_TEXTS;
    if (walk->is_full)
        return;
    walk->n_texts[index]++;
    struct candidate *candidate = &walk->candidates[walk->n_candidates++];
    struct instruction in = {0};
    candidate->instruction = index;
    candidate->text = arena_format(&walk->set->arena, "%s", walk->text);
    candidate->parsed = parse_instruction(walk->chip, candidate->text, &walk->scratch, &in);
}

/* Disassembles into walk->text; 0: no instruction. LLVM remarks on what it prints all the same. */
static size_t probe(struct walk *walk, uint32_t first)
{
    uint32_t words[MAX_BYTES / 4] = {first};
    memcpy(words + 1, walk->pattern->rest, sizeof walk->pattern->rest);
    size_t size =
        disassembler_next(walk->disassembler, (const uint8_t *)words, sizeof words, walk->text, sizeof walk->text);
    return strstr(walk->text, "/*") ? 0 : size;
}

static void note_text(struct walk *walk)
{
    const char *second = strstr(walk->text, " :: ");
    if (!strncmp(walk->text, "v_dual_", 7) && second)
        note(walk, second + 4, stem_of(second + 4));
    note(walk, walk->text, stem_of(walk->text));
}

/* Which of the bits 8 to 15 change the mnemonic. */
static uint32_t bits_of_opcode(struct walk *walk, uint32_t base)
{
    char before[64] = "";
    if (probe(walk, base)) {
        memcpy(before, walk->text, stem_of(walk->text));
        note_text(walk);
    }
    uint32_t bits = 0;
    for (uint32_t bit = 1 << 8; bit <= 1 << 15; bit <<= 1) {
        size_t length = probe(walk, base ^ bit) ? stem_of(walk->text) : 0;
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

static void walk_patterns(struct walk *walk)
{
    for (walk->pattern = patterns; walk->pattern < patterns + N_PATTERNS; walk->pattern++) {
        memset(walk->n_texts, 0, sizeof walk->n_texts);
        for (uint32_t high = walk->pattern->first; high < walk->pattern->end; high++)
            walk_low_bits(walk, high << 16 | walk->pattern->low);
    }
}

/* Marks the lines of "PATH:LINE:COLUMN: error: …". Whether the line after the last text, which is no instruction, is among
 * them: else the assembler did not read them all. */
static bool read_refusals(const char *messages, const char *path, struct walk *walk)
{
    size_t length = strlen(path);
    bool read_all = false;
    for (const char *line = messages; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        unsigned long number;
        int end = 0;
        if (strncmp(line, path, length) != 0 || sscanf(line + length, ":%lu:%*u: error%n", &number, &end) != 1 || !end)
            continue;
        if (number >= 1 && number <= walk->n_candidates)
            walk->candidates[number - 1].refused = true;
        read_all |= number == walk->n_candidates + 1;
    }
    return read_all;
}

static bool assemble(struct walk *walk, const char *path, struct error *error)
{
    char cpu[32];
    struct process_result result;
    const char *asked = getenv("LLVM_MC"), *assembler = asked && *asked ? asked : "llvm-mc-22";
    bool halves = walk->chip->family >= CHIP_RDNA3 && walk->chip->family <= CHIP_RDNA4;
    snprintf(cpu, sizeof cpu, "-mcpu=%s", walk->chip->name);
    const char *const argv[] = {assembler, "-triple=amdgcn-amd-amdhsa",           cpu, "-filetype=obj", "-o", "/dev/null",
                                path,      halves ? "-mattr=+real-true16" : NULL, NULL};
    if (!process_run(argv, "/", &result, error))
        return false;
    const char *messages = result.err.data ? result.err.data : "";
    bool ok = read_refusals(messages, path, walk);
    if (!ok)
        error_set(error, STATUS_ENVIRONMENT, "%s %s: %.300s", assembler, cpu, *messages ? messages : "no message");
    process_result_free(&result);
    return ok;
}

/* The assembler's word on every text, a line each. */
static bool confirm(struct walk *walk, struct error *error)
{
    char path[] = "/tmp/instruction_set_XXXXXX";
    int descriptor = mkstemp(path);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (!file)
        return error_set(error, STATUS_ENVIRONMENT, "cannot write %s", path);
    for (size_t i = 0; i < walk->n_candidates; i++)
        fprintf(file, "%s\n", walk->candidates[i].text);
    fputs("not_an_instruction\n", file);
    bool ok = fclose(file) == 0 || error_set(error, STATUS_ENVIRONMENT, "cannot write %s", path);
    ok = ok && assemble(walk, path, error);
    unlink(path);
    return ok;
}

static int compare_stems(const void *a, const void *b)
{
    return strcmp(((const struct known_instruction *)a)->stem, ((const struct known_instruction *)b)->stem);
}

/* Forms of compute's instructions that no compute kernel needs: in the global data share (gds), of partially resident
 * textures (tfe). */
static bool is_form_left_out(const char *text)
{
    return strstr(text, " gds") || strstr(text, " tfe");
}

/* Gives each instruction its texts, drops those that the assembler refuses in every form, and sorts. */
static void settle(struct walk *walk)
{
    struct instruction_set *set = walk->set;
    for (size_t i = 0; i < walk->n_candidates; i++) {
        const struct candidate *candidate = &walk->candidates[i];
        struct known_instruction *known = &set->instructions[candidate->instruction];
        if (candidate->refused)
            continue;
        known->text = known->text ? known->text : candidate->text;
        if (known->opcode && !candidate->parsed && !known->unread && !is_form_left_out(candidate->text))
            known->unread = candidate->text;
    }
    size_t n = 0;
    for (size_t i = 0; i < set->n_instructions; i++)
        if (set->instructions[i].text)
            set->instructions[n++] = set->instructions[i];
    set->n_instructions = n;
    qsort(set->instructions, n, sizeof *set->instructions, compare_stems);
}

bool instruction_set_walk(const struct chip *chip, struct instruction_set *set, struct error *error)
{
    *set = (struct instruction_set){0};
    struct walk *walk = arena_alloc(&set->arena, sizeof *walk);
    set->instructions = arena_alloc(&set->arena, MAX_KNOWN * sizeof *set->instructions);
    struct candidate *candidates = arena_alloc(&set->arena, MAX_TEXTS * sizeof *candidates);
    if (!walk || !set->instructions || !candidates)
        return error_set(error, STATUS_ENVIRONMENT, "out of memory");
    *walk = (struct walk){.chip = chip, .set = set, .candidates = candidates};
    walk->disassembler = disassembler_open(chip, chip->default_wave, error);
    if (!walk->disassembler)
        return false;
    walk_patterns(walk);
    disassembler_close(walk->disassembler);
    arena_free(&walk->scratch);
    if (walk->is_full)
        return error_set(error, STATUS_ENVIRONMENT, "%s: more than %d instructions or %d texts", chip->name, MAX_KNOWN,
                         MAX_TEXTS);
    if (!confirm(walk, error))
        return false;
    settle(walk);
    return true;
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
