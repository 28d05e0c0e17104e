#include "mutation/operators_values.h"

#include <stdio.h>
#include <string.h>

/* The type of an operand as the text counts them: destinations first. */
static enum operand_type type_of(const struct instruction *in, int operand)
{
    int source = operand - in->n_dst;
    if (operand < in->n_dst)
        return (enum operand_type)in->dst[operand].type;
    return source < in->n_src ? (enum operand_type)in->src[source].type : TYPE_NONE;
}

/* How much more makes a float of the type twice as large: one in its exponent; 0 for other types. A literal of f64 is its
 * high half. */
static long long exponent_step(enum operand_type type)
{
    static const long long steps[TYPE_COUNT] = {[TYPE_F16] = 0x0400,
                                                [TYPE_BF16] = 0x0080,
                                                [TYPE_F32] = 0x00800000,
                                                [TYPE_F64] = 0x00100000,
                                                [TYPE_MIX] = 0x00800000};
    return steps[type];
}

static bool is_packed_float(enum operand_type type)
{
    return type == TYPE_PF16 || type == TYPE_PBF16 || type == TYPE_PF32;
}

/* Bits that are moved or chosen, and are a float of an ordinary size: 2^-40 to 2^40. */
static bool looks_like_float(enum operand_type type, const struct asm_text *text, long long number)
{
    enum { EXPONENT_SHIFT = 23, EXPONENT_MASK = 0xff, BIAS = 127, ORDINARY = 40 };
    bool moves = strstr(text->mnemonic, "mov") || strstr(text->mnemonic, "cndmask") || strstr(text->mnemonic, "cselect");
    int exponent = (int)(number >> EXPONENT_SHIFT & EXPONENT_MASK) - BIAS;
    return type == TYPE_B32 && moves && exponent >= -ORDINARY && exponent <= ORDINARY;
}

static bool is_float(enum operand_type type, const struct asm_text *text, const char *operand)
{
    long long number;
    if (strchr(operand, '.'))
        return true;
    return asm_number(operand, &number) &&
           (exponent_step(type) || is_packed_float(type) || looks_like_float(type, text, number));
}

bool operand_is_integer(const struct instruction *in, int operand, const struct asm_text *text)
{
    long long number;
    bool calculates = in->class == CLASS_SALU || (in->class >= CLASS_VALU && in->class <= CLASS_CROSS_LANE);
    return calculates && asm_number(text->operand[operand], &number) &&
           !is_float(type_of(in, operand), text, text->operand[operand]);
}

bool integer_step(char operand[ASM_OPERAND_BYTES], int by)
{
    long long number;
    bool is_hex = strncmp(operand, "0x", 2) == 0;
    if (!asm_number(operand, &number) || (is_hex && number + by < 0))
        return false;
    snprintf(operand, ASM_OPERAND_BYTES, is_hex ? "0x%llx" : "%lld", number + by);
    return true;
}

/* The constants that an instruction holds without a literal, as LLVM writes them. */
static bool double_inline(char operand[ASM_OPERAND_BYTES])
{
    static const struct {
        const char *from, *to;
    } doubles[] = {{"0", "1.0"}, {"0.5", "1.0"}, {"1.0", "2.0"}, {"2.0", "4.0"}, {"4.0", "2.0"}, {"0.15915494", "0.5"}};
    bool minus = operand[0] == '-';
    for (size_t i = 0; i < sizeof doubles / sizeof *doubles; i++) {
        bool is_prefix = i + 1 == sizeof doubles / sizeof *doubles; /* 1 / (2 pi) has digits as its type has */
        size_t n = is_prefix ? strlen(doubles[i].from) : ASM_OPERAND_BYTES;
        if (strncmp(operand + minus, doubles[i].from, n) != 0)
            continue;
        snprintf(operand, ASM_OPERAND_BYTES, "%s%s", minus ? "-" : "", doubles[i].to);
        return true;
    }
    return false;
}

bool operand_double(const struct instruction *in, int operand, struct asm_text *text)
{
    enum operand_type type = type_of(in, operand);
    char *value = text->operand[operand];
    long long number;
    bool calculates = in->class >= CLASS_VALU && in->class <= CLASS_MATRIX;
    calculates |= in->class == CLASS_SALU;
    if (!calculates || !is_float(type, text, value))
        return false;
    if (strncmp(value, "0x", 2) != 0)
        return double_inline(value);
    long long step = exponent_step(type == TYPE_B32 ? TYPE_F32 : type);
    if (!step || !asm_number(value, &number))
        return false;
    snprintf(value, ASM_OPERAND_BYTES, "0x%llx", number + step);
    return true;
}
