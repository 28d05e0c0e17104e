#include "device/emulator/operand.h"

#include <stdlib.h>
#include <string.h>

/* A slice of the text that is read from its left end. */
struct cursor {
    const char *text;
    size_t length;
};

static bool skip(struct cursor *cursor, const char *prefix)
{
    size_t n = strlen(prefix);
    if (cursor->length < n || memcmp(cursor->text, prefix, n) != 0)
        return false;
    cursor->text += n;
    cursor->length -= n;
    return true;
}

static bool skip_end(struct cursor *cursor, const char *suffix)
{
    size_t n = strlen(suffix);
    if (cursor->length < n || memcmp(cursor->text + cursor->length - n, suffix, n) != 0)
        return false;
    cursor->length -= n;
    return true;
}

static bool equals(const struct cursor *cursor, const char *word)
{
    return cursor->length == strlen(word) && !memcmp(cursor->text, word, cursor->length);
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/* Digits of the base; false where there are none. */
static bool take_digits(struct cursor *cursor, unsigned base, uint64_t *value)
{
    size_t n = 0;
    *value = 0;
    while (n < cursor->length && (unsigned)digit_value(cursor->text[n]) < base)
        *value = *value * base + (unsigned)digit_value(cursor->text[n++]);
    cursor->text += n;
    cursor->length -= n;
    return n != 0;
}

/* "-12" or "0x1f", to the end of the cursor. */
static bool take_integer(struct cursor cursor, int64_t *value, bool *is_hex)
{
    bool negative = skip(&cursor, "-");
    *is_hex = skip(&cursor, "0x");
    uint64_t magnitude;
    if (!take_digits(&cursor, *is_hex ? 16 : 10, &magnitude) || cursor.length)
        return false;
    *value = (int64_t)(negative ? 0 - magnitude : magnitude);
    return true;
}

/* The inline float constants (ISA, "Inline constants"), in each format. */
static const struct inline_float {
    const char *text;
    uint16_t f16, bf16;
    uint32_t f32;
    uint64_t f64;
} inline_floats[] = {
    {"0.5", 0x3800, 0x3f00, 0x3f000000, UINT64_C(0x3fe0000000000000)},
    {"1.0", 0x3c00, 0x3f80, 0x3f800000, UINT64_C(0x3ff0000000000000)},
    {"2.0", 0x4000, 0x4000, 0x40000000, UINT64_C(0x4000000000000000)},
    {"4.0", 0x4400, 0x4080, 0x40800000, UINT64_C(0x4010000000000000)},
    {"-0.5", 0xb800, 0xbf00, 0xbf000000, UINT64_C(0xbfe0000000000000)},
    {"-1.0", 0xbc00, 0xbf80, 0xbf800000, UINT64_C(0xbff0000000000000)},
    {"-2.0", 0xc000, 0xc000, 0xc0000000, UINT64_C(0xc000000000000000)},
    {"-4.0", 0xc400, 0xc080, 0xc0800000, UINT64_C(0xc010000000000000)},
    {"0.15915494", 0x3118, 0x3e22, 0x3e22f983, UINT64_C(0x3fc45f306dc9c882)},
    {"0.15915494309189532", 0x3118, 0x3e22, 0x3e22f983, UINT64_C(0x3fc45f306dc9c882)},
};

static const struct inline_float *find_inline_float(const struct cursor *cursor)
{
    for (size_t i = 0; i < sizeof inline_floats / sizeof *inline_floats; i++)
        if (equals(cursor, inline_floats[i].text))
            return &inline_floats[i];
    return NULL;
}

static uint64_t float_bits(const struct inline_float *value, uint8_t type, bool mix_is_f16)
{
    switch (type) {
    case TYPE_F16:
    case TYPE_PF16: /* fills the low half; the high one is 0 */
    case TYPE_B16:
    case TYPE_I16:
    case TYPE_U16:
        return value->f16;
    case TYPE_BF16:
    case TYPE_PBF16:
        return value->bf16;
    case TYPE_MIX:
        return mix_is_f16 ? value->f16 : value->f32;
    case TYPE_F64:
    case TYPE_B64:
    case TYPE_I64:
    case TYPE_U64:
        return value->f64;
    default:
        return value->f32;
    }
}

static unsigned type_bits(uint8_t type)
{
    static const uint16_t bits[] = {32,
#define TYPE_BITS(name, bits, text) bits,
                                    OPERAND_TYPES(TYPE_BITS)
#undef TYPE_BITS
    };
    return bits[type];
}

static uint64_t narrow(uint64_t value, uint8_t type)
{
    unsigned bits = type_bits(type);
    return bits >= 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

/* neg and abs of a constant, where the type's sign bit is the float's. */
static void apply_sign(struct operand *operand)
{
    bool is_float =
        operand->type == TYPE_F16 || operand->type == TYPE_BF16 || operand->type == TYPE_F32 || operand->type == TYPE_F64;
    if (!is_float)
        return;
    uint64_t sign = UINT64_C(1) << (type_bits(operand->type) - 1);
    if (operand->modifiers & MODIFIER_ABS)
        operand->constant &= ~sign;
    if (operand->modifiers & MODIFIER_NEG)
        operand->constant ^= sign;
    operand->modifiers = 0;
}

/* Decimal integers are inline constants, sign-extended to the type; hex ones are literals: 32 bits zero-extended, but the
 * high half of a double. lit(…) marks a literal whose value has an inline form too. */
static bool parse_constant(struct cursor cursor, bool mix_is_f16, struct operand *operand)
{
    bool whole64 = skip(&cursor, "lit64(");
    bool literal = whole64 || skip(&cursor, "lit(");
    if (literal && !skip_end(&cursor, ")"))
        return false;
    operand->kind = OPERAND_CONSTANT;
    const struct inline_float *value = find_inline_float(&cursor);
    if (value) {
        operand->constant = float_bits(value, operand->type, mix_is_f16);
        apply_sign(operand);
        return true;
    }
    int64_t integer;
    bool is_hex;
    if (!take_integer(cursor, &integer, &is_hex))
        return false;
    if (is_hex && operand->type == TYPE_F64 && !whole64 && (uint64_t)integer <= UINT32_MAX)
        integer = (int64_t)((uint64_t)integer << 32);
    operand->constant = narrow((uint64_t)integer, operand->type);
    apply_sign(operand);
    return true;
}

/* X(name, kind, index, dwords) */
static const struct named_register {
    const char *name;
    uint8_t kind;
    uint16_t index;
    uint8_t n_dwords;
} named_registers[] = {
    {"off", OPERAND_OFF, 0, 0},
    {"null", OPERAND_OFF, 0, 0},
    {"vcc", OPERAND_SCALAR, SREG_VCC_LO, 2},
    {"vcc_lo", OPERAND_SCALAR, SREG_VCC_LO, 1},
    {"vcc_hi", OPERAND_SCALAR, SREG_VCC_HI, 1},
    {"exec", OPERAND_SCALAR, SREG_EXEC_LO, 2},
    {"exec_lo", OPERAND_SCALAR, SREG_EXEC_LO, 1},
    {"exec_hi", OPERAND_SCALAR, SREG_EXEC_HI, 1},
    {"m0", OPERAND_SCALAR, SREG_M0, 1},
    {"flat_scratch", OPERAND_SCALAR, SREG_FLAT_SCRATCH_LO, 2},
    {"flat_scratch_lo", OPERAND_SCALAR, SREG_FLAT_SCRATCH_LO, 1},
    {"flat_scratch_hi", OPERAND_SCALAR, SREG_FLAT_SCRATCH_HI, 1},
    {"xnack_mask", OPERAND_SCALAR, SREG_XNACK_MASK_LO, 2},
    {"xnack_mask_lo", OPERAND_SCALAR, SREG_XNACK_MASK_LO, 1},
    {"xnack_mask_hi", OPERAND_SCALAR, SREG_XNACK_MASK_HI, 1},
    {"scc", OPERAND_SPECIAL, SPECIAL_SCC, 1},
    {"src_scc", OPERAND_SPECIAL, SPECIAL_SCC, 1},
    {"vccz", OPERAND_SPECIAL, SPECIAL_VCCZ, 1},
    {"src_vccz", OPERAND_SPECIAL, SPECIAL_VCCZ, 1},
    {"execz", OPERAND_SPECIAL, SPECIAL_EXECZ, 1},
    {"src_execz", OPERAND_SPECIAL, SPECIAL_EXECZ, 1},
    {"src_shared_base", OPERAND_SPECIAL, SPECIAL_SHARED_BASE, 2},
    {"src_shared_limit", OPERAND_SPECIAL, SPECIAL_SHARED_LIMIT, 2},
    {"src_private_base", OPERAND_SPECIAL, SPECIAL_PRIVATE_BASE, 2},
    {"src_private_limit", OPERAND_SPECIAL, SPECIAL_PRIVATE_LIMIT, 2},
    {"src_pops_exiting_wave_id", OPERAND_SPECIAL, SPECIAL_POPS_EXITING_WAVE_ID, 1},
    {"lds_direct", OPERAND_SPECIAL, SPECIAL_LDS_DIRECT, 1},
    {"src_lds_direct", OPERAND_SPECIAL, SPECIAL_LDS_DIRECT, 1},
};

static bool parse_named(const struct cursor *cursor, struct operand *operand)
{
    for (size_t i = 0; i < sizeof named_registers / sizeof *named_registers; i++) {
        const struct named_register *row = &named_registers[i];
        if (!equals(cursor, row->name))
            continue;
        operand->kind = row->kind;
        operand->index = row->index;
        operand->n_dwords = row->n_dwords;
        return true;
    }
    return false;
}

/* "v7" or "v[4:7]" after the file's letter. */
static bool parse_range(struct cursor cursor, uint64_t *first, uint64_t *count)
{
    if (!skip(&cursor, "[")) {
        *count = 1;
        return take_digits(&cursor, 10, first) && !cursor.length;
    }
    uint64_t last;
    if (!take_digits(&cursor, 10, first))
        return false;
    last = *first;
    if (skip(&cursor, ":") && !take_digits(&cursor, 10, &last))
        return false;
    *count = last - *first + 1;
    return equals(&cursor, "]") && last >= *first && *count <= 32;
}

/* X(letters, kind, index of register 0, number of registers) */
static const struct register_file {
    const char *prefix;
    uint8_t kind;
    uint16_t first, n_registers;
} register_files[] = {
    {"ttmp", OPERAND_SCALAR, SREG_TTMP0, 16},
    {"v", OPERAND_VGPR, 0, 256},
    {"s", OPERAND_SCALAR, 0, SREG_VCC_LO},
    {"a", OPERAND_AGPR, 0, 256},
};

static bool parse_register(struct cursor cursor, struct operand *operand)
{
    if (skip_end(&cursor, ".l"))
        operand->half = HALF_LOW;
    else if (skip_end(&cursor, ".h"))
        operand->half = HALF_HIGH;
    for (size_t i = 0; i < sizeof register_files / sizeof *register_files; i++) {
        const struct register_file *file = &register_files[i];
        struct cursor rest = cursor;
        uint64_t first, count;
        if (!skip(&rest, file->prefix) || !parse_range(rest, &first, &count) || first + count > file->n_registers)
            continue;
        operand->kind = file->kind;
        operand->index = (uint16_t)(file->first + first);
        operand->n_dwords = (uint8_t)count;
        return true;
    }
    return false;
}

static bool is_letter(char c)
{
    return c >= 'a' && c <= 'z';
}

/* neg(x), abs(x), sext(x), -x, |x|, outermost first. A minus before a digit belongs to the number. */
static bool strip_modifiers(struct cursor *cursor, struct operand *operand)
{
    static const struct {
        const char *open, *close;
        uint8_t modifier;
    } forms[] = {
        {"neg(", ")", MODIFIER_NEG}, {"abs(", ")", MODIFIER_ABS}, {"sext(", ")", MODIFIER_SEXT}, {"|", "|", MODIFIER_ABS}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (!skip(cursor, forms[i].open))
            continue;
        operand->modifiers |= forms[i].modifier;
        return skip_end(cursor, forms[i].close) && strip_modifiers(cursor, operand);
    }
    bool minus = cursor->length > 1 && cursor->text[0] == '-' && (cursor->text[1] == '|' || is_letter(cursor->text[1]));
    if (!minus)
        return true;
    operand->modifiers |= MODIFIER_NEG;
    return skip(cursor, "-") && strip_modifiers(cursor, operand);
}

bool operand_parse(const char *text, size_t length, uint8_t type, bool mix_is_f16, struct operand *operand)
{
    *operand = (struct operand){.type = type, .sdwa_select = operand->sdwa_select};
    struct cursor cursor = {text, length};
    if (type == TYPE_RAW)
        return true;
    return strip_modifiers(&cursor, operand) && (parse_register(cursor, operand) || parse_named(&cursor, operand) ||
                                                 parse_constant(cursor, mix_is_f16, operand));
}
