#include "device/emulator/operand.h"

#include <string.h>

/* Modifiers that are a word of their own. "gds" and "tfe" are none: compute has neither GDS nor partly resident memory, and
 * an instruction with them is unsupported. */
static const struct word_modifier {
    const char *word;
    uint32_t flags;
    uint8_t omod;
} word_modifiers[] = {
    {"clamp", FLAG_CLAMP, 0},
    {"glc", FLAG_GLC, 0},
    {"sc0", FLAG_GLC, 0},
    {"slc", FLAG_SLC, 0},
    {"nt", FLAG_SLC, 0},
    {"dlc", FLAG_DLC, 0},
    {"sc1", FLAG_DLC, 0},
    {"scc", FLAG_DLC, 0},
    {"offen", FLAG_OFFEN, 0},
    {"idxen", FLAG_IDXEN, 0},
    {"lds", 0, 0}, /* says why there is no destination */
    {"mul:2", FLAG_MUL, 1},
    {"mul:4", FLAG_MUL, 2},
    {"div:2", FLAG_MUL, 3},
    {"dst_unused:UNUSED_PAD", 0, 0},
    {"dst_unused:UNUSED_SEXT", FLAG_DST_UNUSED_SEXT, 0},
    {"dst_unused:UNUSED_PRESERVE", FLAG_DST_UNUSED_PRESERVE, 0},
    {"row_mirror", 0, 0},
    {"row_half_mirror", 0, 0},
};

/* What sets the value of "name:value" or of "name:[v,v,…]". */
enum value_target {
    VALUE_OFFSET,
    VALUE_OFFSET1,
    VALUE_OP_SEL,
    VALUE_OP_SEL_HI,
    VALUE_NEG_LO,
    VALUE_NEG_HI,
    VALUE_DPP,
    VALUE_QUAD_PERM,
    VALUE_DPP8,
    VALUE_ROW_MASK,
    VALUE_BANK_MASK,
    VALUE_FLAG,
    VALUE_SDWA_DST,
    VALUE_SDWA_SRC0,
    VALUE_SDWA_SRC1,
    VALUE_CBSZ,
    VALUE_ABID,
    VALUE_BLGP,
    VALUE_INDEX_KEY,
    VALUE_IMMEDIATE,
    VALUE_THROUGH, /* th:TH_ATOMIC_RETURN returns, other temporal hints say nothing about values */
    VALUE_IGNORED,
};

/* Modifiers with a value. detail: the enum dpp_kind or the flag. */
static const struct value_modifier {
    const char *name;
    uint8_t target;
    uint16_t detail;
} value_modifiers[] = {
    {"offset:", VALUE_OFFSET, 0},
    {"offset0:", VALUE_OFFSET, 0},
    {"offset1:", VALUE_OFFSET1, 0},
    {"op_sel:", VALUE_OP_SEL, 0},
    {"byte_sel:", VALUE_OP_SEL, 0},
    {"op_sel_hi:", VALUE_OP_SEL_HI, 0},
    {"neg_lo:", VALUE_NEG_LO, 0},
    {"neg:", VALUE_NEG_LO, 0},
    {"neg_hi:", VALUE_NEG_HI, 0},
    {"quad_perm:", VALUE_QUAD_PERM, 0},
    {"dpp8:", VALUE_DPP8, 0},
    {"row_shl:", VALUE_DPP, DPP_ROW_SHL},
    {"row_shr:", VALUE_DPP, DPP_ROW_SHR},
    {"row_ror:", VALUE_DPP, DPP_ROW_ROR},
    {"row_share:", VALUE_DPP, DPP_ROW_SHARE},
    {"row_xmask:", VALUE_DPP, DPP_ROW_XMASK},
    {"row_newbcast:", VALUE_DPP, DPP_ROW_NEWBCAST},
    {"wave_shl:", VALUE_DPP, DPP_WAVE_SHL},
    {"wave_rol:", VALUE_DPP, DPP_WAVE_ROL},
    {"wave_shr:", VALUE_DPP, DPP_WAVE_SHR},
    {"wave_ror:", VALUE_DPP, DPP_WAVE_ROR},
    {"row_bcast:", VALUE_DPP, DPP_ROW_BCAST15},
    {"row_mask:", VALUE_ROW_MASK, 0},
    {"bank_mask:", VALUE_BANK_MASK, 0},
    {"bound_ctrl:", VALUE_FLAG, FLAG_BOUND_CTRL}, /* old and new LLVM print 0 or 1 for the same bit, set */
    {"fi:", VALUE_FLAG, FLAG_FETCH_INACTIVE},
    {"dst_sel:", VALUE_SDWA_DST, 0},
    {"src0_sel:", VALUE_SDWA_SRC0, 0},
    {"src1_sel:", VALUE_SDWA_SRC1, 0},
    {"cbsz:", VALUE_CBSZ, 0},
    {"abid:", VALUE_ABID, 0},
    {"blgp:", VALUE_BLGP, 0},
    {"index_key:", VALUE_INDEX_KEY, 0},
    {"bitop3:", VALUE_IMMEDIATE, 0},
    {"th:", VALUE_THROUGH, 0},
    {"scope:", VALUE_IGNORED, 0},
    {"format:", VALUE_IGNORED, 0}, /* read from the encoding: code.c */
    {"wait_exp:", VALUE_IGNORED, 0},
    {"wait_vdst:", VALUE_IGNORED, 0},
    {"wait_va_vdst:", VALUE_IGNORED, 0},
    {"wait_vm_vsrc:", VALUE_IGNORED, 0},
};

static bool same(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && !memcmp(text, word, length);
}

static const struct word_modifier *find_word(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof word_modifiers / sizeof *word_modifiers; i++)
        if (same(text, length, word_modifiers[i].word))
            return &word_modifiers[i];
    return NULL;
}

static const struct value_modifier *find_value(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof value_modifiers / sizeof *value_modifiers; i++) {
        size_t n = strlen(value_modifiers[i].name);
        if (n <= length && !memcmp(text, value_modifiers[i].name, n))
            return &value_modifiers[i];
    }
    return NULL;
}

bool modifier_is_known(const char *text, size_t length)
{
    return find_word(text, length) || find_value(text, length);
}

/* One number, decimal or hex, signed; *text moves behind it. */
static int64_t take_number(const char **text, const char *end)
{
    bool negative = *text < end && **text == '-';
    *text += negative;
    bool hex = end - *text > 2 && (*text)[0] == '0' && (*text)[1] == 'x';
    *text += hex ? 2 : 0;
    int64_t value = 0;
    for (; *text < end; ++*text) {
        char c = **text;
        int digit = c >= '0' && c <= '9' ? c - '0' : hex && c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0)
            break;
        value = value * (hex ? 16 : 10) + digit;
    }
    return negative ? -value : value;
}

/* "[1,0,1]" packed with the first value lowest, bits_each bits a value; a bare number is itself. */
static uint32_t take_list(const char *text, const char *end, unsigned bits_each)
{
    if (text == end || *text != '[')
        return (uint32_t)take_number(&text, end);
    uint32_t packed = 0;
    for (unsigned shift = 0; text < end && *text != ']' && shift < 32; shift += bits_each) {
        text++;
        packed |= (uint32_t)take_number(&text, end) << shift;
    }
    return packed;
}

static uint8_t sdwa_select(const char *text, size_t length)
{
    static const char *const names[] = {"DWORD", "BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1"};
    for (size_t select = 0; select < sizeof names / sizeof *names; select++)
        if (same(text, length, names[select]))
            return (uint8_t)select;
    return SDWA_DWORD;
}

/* DPP without masks printed writes every row and bank; the masks follow in the text where they are printed. */
static void set_dpp16(struct instruction *in, unsigned kind, unsigned amount)
{
    in->form = FORM_DPP16;
    in->dpp_kind = (uint8_t)kind;
    in->dpp_amount = (uint8_t)amount;
    in->row_mask = in->bank_mask = 0xf;
    if (kind == DPP_ROW_BCAST15 && amount == 31)
        in->dpp_kind = DPP_ROW_BCAST31;
}

static void set_value(struct instruction *in, const struct value_modifier *modifier, const char *text, const char *end)
{
    uint32_t bits = take_list(text, end, 1);
    switch (modifier->target) {
    case VALUE_OFFSET:
        in->offset = (int32_t)take_number(&text, end);
        break;
    case VALUE_OFFSET1:
        in->offset1 = (uint16_t)bits;
        break;
    case VALUE_OP_SEL:
        in->op_sel = (uint8_t)bits;
        break;
    case VALUE_OP_SEL_HI:
        in->op_sel_hi = (uint8_t)bits;
        break;
    case VALUE_NEG_LO:
        in->neg_lo = (uint8_t)bits;
        break;
    case VALUE_NEG_HI:
        in->neg_hi = (uint8_t)bits;
        break;
    case VALUE_DPP:
        set_dpp16(in, modifier->detail, bits);
        break;
    case VALUE_QUAD_PERM:
        set_dpp16(in, DPP_QUAD_PERM, take_list(text, end, 2));
        break;
    case VALUE_DPP8:
        in->form = FORM_DPP8;
        in->dpp8 = take_list(text, end, 3);
        break;
    case VALUE_ROW_MASK:
        in->row_mask = (uint8_t)bits;
        break;
    case VALUE_BANK_MASK:
        in->bank_mask = (uint8_t)bits;
        break;
    case VALUE_FLAG:
        in->flags |= modifier->detail;
        break;
    case VALUE_SDWA_DST:
        in->dst_sdwa_select = sdwa_select(text, (size_t)(end - text));
        break;
    case VALUE_SDWA_SRC0:
    case VALUE_SDWA_SRC1:
        in->src[modifier->target - VALUE_SDWA_SRC0].sdwa_select = sdwa_select(text, (size_t)(end - text));
        break;
    case VALUE_CBSZ:
        in->cbsz = (uint8_t)bits;
        break;
    case VALUE_ABID:
        in->abid = (uint8_t)bits;
        break;
    case VALUE_BLGP:
        in->blgp = (uint8_t)bits;
        break;
    case VALUE_INDEX_KEY:
        in->index_key = (uint8_t)bits;
        break;
    case VALUE_IMMEDIATE:
        in->immediate = (int32_t)bits;
        break;
    case VALUE_THROUGH:
        if (end - text > 7 && strstr(text, "_RETURN") && strstr(text, "_RETURN") < end)
            in->flags |= FLAG_GLC;
        break;
    }
}

bool modifier_parse(const char *text, size_t length, struct instruction *in)
{
    const struct word_modifier *word = find_word(text, length);
    if (word) {
        in->flags |= word->flags;
        in->omod |= word->omod;
        if (same(text, length, "row_mirror"))
            set_dpp16(in, DPP_ROW_MIRROR, 0);
        if (same(text, length, "row_half_mirror"))
            set_dpp16(in, DPP_ROW_HALF_MIRROR, 0);
        return true;
    }
    const struct value_modifier *value = find_value(text, length);
    if (!value)
        return false;
    set_value(in, value, text + strlen(value->name), text + length);
    return true;
}
