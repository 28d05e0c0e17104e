#include "device/emulator/code.h"

#include <stdlib.h>
#include <string.h>

#include "device/emulator/operand.h"
#include "device/emulator/wave.h"

/* A piece of the text. */
struct word {
    const char *text;
    size_t length;
};

enum { MAX_WORDS = 16, MAX_OPERANDS = MAX_DESTINATIONS + MAX_SOURCES };

struct words {
    struct word operands[MAX_OPERANDS], modifiers[MAX_WORDS];
    unsigned n_operands, n_modifiers;
};

static bool starts(const char *text, const char *prefix)
{
    return !strncmp(text, prefix, strlen(prefix));
}

/* The length of a word: up to a comma or blank outside brackets. */
static size_t word_length(const char *text)
{
    int depth = 0;
    size_t n = 0;
    for (; text[n]; n++) {
        char c = text[n];
        depth += (c == '[' || c == '(') - (c == ']' || c == ')');
        if (!depth && (c == ',' || c == ' '))
            break;
    }
    return n;
}

/* "v0, v1 clamp": what follows a comma is an operand, what follows a blank alone is a modifier; the first word is either.
 */
static bool split(const char *text, struct words *words)
{
    bool operand = !modifier_is_known(text, word_length(text));
    while (*text) {
        struct word word = {text, word_length(text)};
        if (operand ? words->n_operands == MAX_OPERANDS : words->n_modifiers == MAX_WORDS)
            return false;
        if (operand)
            words->operands[words->n_operands++] = word;
        else
            words->modifiers[words->n_modifiers++] = word;
        text += word.length;
        operand = *text == ',';
        text += operand;
        text += *text == ' ';
    }
    return true;
}

/* The stem of a mnemonic: without what names the encoding. */
static size_t stem_length(const char *mnemonic, size_t length)
{
    static const char *const suffixes[] = {"_e64_dpp", "_dpp", "_sdwa", "_e32", "_e64"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t n = strlen(suffixes[i]);
        if (length > n && !memcmp(mnemonic + length - n, suffixes[i], n))
            return length - n;
    }
    return length;
}

static bool is_16_bit(uint8_t type)
{
    return type == TYPE_B16 || type == TYPE_I16 || type == TYPE_U16 || type == TYPE_F16 || type == TYPE_BF16;
}

static bool is_vector(const struct operand *operand)
{
    return operand->kind == OPERAND_VGPR || operand->kind == OPERAND_AGPR;
}

/* Halves of 16-bit operands: the suffix .l or .h, else the bit of op_sel, else the low half. SDWA selects by itself; a
 * scalar register without op_sel needs no half. */
static void set_half(const struct instruction *in, struct operand *operand, unsigned op_sel_bit)
{
    if (operand->half != HALF_NONE || !is_16_bit(operand->type) || in->form == FORM_SDWA)
        return;
    if (in->op_sel >> op_sel_bit & 1 && (is_vector(operand) || operand->kind == OPERAND_SCALAR))
        operand->half = HALF_HIGH;
    else if (is_vector(operand))
        operand->half = HALF_LOW;
}

static bool is_packed(uint8_t type)
{
    return type == TYPE_P16 || type == TYPE_PF16 || type == TYPE_PBF16 || type == TYPE_PF32;
}

/* LLVM leaves op_sel_hi out where it is the default: all ones for packed sources, zero for mixed ones. */
static void default_op_sel_hi(const struct opcode_signature *signature, struct instruction *in)
{
    for (unsigned k = 0; k < signature->n_src; k++)
        if (is_packed(signature->src[k]))
            in->op_sel_hi |= (uint8_t)(1 << k);
}

/* How the operands that are printed fill the signature. */
struct layout {
    unsigned n_dst, n_src;
    bool adds_vcc;
};

/* Fewer words than the signature has: an optional destination that this form does not write, or a mask source that the text
 * leaves implicit: VCC (v_dual_cndmask_b32). */
static bool lay_out(const struct opcode_signature *signature, unsigned n_words, struct layout *layout)
{
    *layout = (struct layout){signature->n_dst, signature->n_src, false};
    unsigned n_all = layout->n_dst + layout->n_src;
    if (n_words == n_all)
        return true;
    if (n_words + 1 != n_all)
        return false;
    if (signature->optional_dst)
        layout->n_dst = 0;
    else if (signature->n_src && signature->src[signature->n_src - 1] == TYPE_MASK) {
        layout->n_src--;
        layout->adds_vcc = true;
    } else
        return false;
    return true;
}

static void add_vcc(struct instruction *in)
{
    in->src[in->n_src++] = (struct operand){.kind = OPERAND_SCALAR, .type = TYPE_MASK, .n_dwords = 2, .index = SREG_VCC_LO};
}

static bool parse_operands(const struct words *words, const struct opcode_signature *signature, struct instruction *in)
{
    struct layout layout;
    if (!lay_out(signature, words->n_operands, &layout))
        return false;
    const struct word *word = words->operands;
    in->n_dst = (uint8_t)layout.n_dst;
    for (unsigned k = 0; k < layout.n_dst; k++, word++) {
        if (!operand_parse(word->text, word->length, signature->dst[k], false, &in->dst[k]))
            return false;
        set_half(in, &in->dst[k], layout.n_src);
    }
    for (unsigned k = 0; k < layout.n_src; k++, word++) {
        bool mix_is_f16 = in->op_sel_hi >> k & 1;
        if (!operand_parse(word->text, word->length, signature->src[k], mix_is_f16, &in->src[k]))
            return false;
        set_half(in, &in->src[k], k);
    }
    in->n_src = (uint8_t)layout.n_src;
    if (layout.adds_vcc)
        add_vcc(in);
    return true;
}

/* 16-bit results of gfx9 clear the other half, but for the three-operand instructions that came with gfx9 (LLVM,
 * GCNSubtarget::zeroesHigh16BitsOfDest) and those of gfx942 and gfx950 that pick their half; gfx8's forms of the former,
 * now called legacy, clear it (CDNA3 ISA, V_MAD_LEGACY_F16). */
static bool clears_other_half(const struct chip *chip, const struct instruction *in)
{
    static const char *const keeping[] = {"v_mad_",          "v_fma_",       "v_div_fixup_", "v_min3_",
                                          "v_max3_",         "v_med3_",      "v_cvt_sr_",    "v_cvt_pk_",
                                          "v_cvt_scalef32_", "v_mad_mixlo_", "v_bitop3_",    "v_ashr_pk_"};
    if (!chip_is_cdna(chip) || !is_16_bit(in->dst[0].type) || !is_vector(&in->dst[0]))
        return false;
    if (strstr(in->opcode->mnemonic, "_legacy_"))
        return true;
    for (size_t i = 0; i < sizeof keeping / sizeof *keeping; i++)
        if (starts(in->opcode->mnemonic, keeping[i]))
            return false;
    return in->class >= CLASS_VALU && in->class <= CLASS_MATRIX;
}

static uint16_t row_of(const struct operand *vector)
{
    return (uint16_t)(vector->index + (vector->kind == OPERAND_AGPR ? AGPR_FIRST_ROW : 0));
}

void instruction_mark_plain(struct instruction *in)
{
    in->plain = 0;
    if (in->form != FORM_PLAIN)
        return;
    for (unsigned k = 0; k < in->n_src; k++) {
        const struct operand *operand = &in->src[k];
        if (!is_vector(operand) || operand->modifiers | operand->half | operand->sdwa_select)
            continue;
        in->plain |= (uint8_t)(1 << k);
        in->plain_row[k] = row_of(operand);
    }
    if (!in->n_dst || !is_vector(&in->dst[0]) || in->dst[0].half || in->omod || in->flags & FLAG_CLAMP)
        return;
    in->plain |= PLAIN_RESULT;
    in->plain_result_row = row_of(&in->dst[0]);
}

static bool parse_single(const struct chip *chip, const char *text, size_t mnemonic_offset, struct instruction *in)
{
    /* "v_dual_" stands in the halves of a dual instruction: their stem is the single one's, "v_" and the rest. */
    char stem[64];
    size_t length = strcspn(text, " ");
    const char *rest = text + length + (text[length] == ' ');
    length -= mnemonic_offset;
    if (length >= sizeof stem)
        return false;
    memcpy(stem, text + mnemonic_offset, length);
    if (mnemonic_offset)
        memcpy(stem, "v_", 2);
    in->opcode = opcode_find(stem, stem_length(stem, length));
    if (!in->opcode)
        return false;
    in->class = in->opcode->class;
    if (length > 5 && !memcmp(stem + length - 5, "_sdwa", 5))
        in->form = FORM_SDWA;
    const struct opcode_signature *signature = opcode_signature(in->opcode);
    if (signature->n_dst + signature->n_src == 0)
        return true;
    struct words words = {0};
    default_op_sel_hi(signature, in);
    if (!split(rest, &words))
        return false;
    for (unsigned i = 0; i < words.n_modifiers; i++)
        if (!modifier_parse(words.modifiers[i].text, words.modifiers[i].length, in))
            return false;
    if (!parse_operands(&words, signature, in))
        return false;
    if (clears_other_half(chip, in))
        in->flags |= FLAG_ZERO_OTHER_HALF;
    instruction_mark_plain(in);
    return true;
}

static bool parse_dual(const struct chip *chip, const char *text, const char *middle, struct arena *arena,
                       struct instruction *in)
{
    enum { DUAL_PREFIX = sizeof "v_dual_" - 1 - 2 };
    struct instruction *pair = arena_alloc(arena, 2 * sizeof *pair);
    char *first = arena_format(arena, "%.*s", (int)(middle - text), text);
    const char *second = middle + 4;
    if (!pair || !first || !starts(second, "v_dual_") || !parse_single(chip, first, DUAL_PREFIX, &pair[0]) ||
        !parse_single(chip, second, DUAL_PREFIX, &pair[1]))
        return false;
    pair[0].text = first;
    pair[1].text = second;
    in->opcode = opcode_find("v_dual", 6);
    in->class = CLASS_VALU;
    in->pair = pair;
    return in->opcode;
}

bool parse_instruction(const struct chip *chip, const char *text, struct arena *arena, struct instruction *in)
{
    in->text = text;
    const char *middle = starts(text, "v_dual_") ? strstr(text, " :: ") : NULL;
    bool known = middle ? parse_dual(chip, text, middle, arena, in) : parse_single(chip, text, 0, in);
    if (!known)
        *in = (struct instruction){.text = text, .class = CLASS_CONTROL};
    return known;
}
