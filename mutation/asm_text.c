#include "mutation/asm_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool copy(char *to, size_t capacity, const char *from, size_t n_bytes)
{
    if (n_bytes >= capacity)
        return false;
    memcpy(to, from, n_bytes);
    to[n_bytes] = '\0';
    return true;
}

/* Bytes up to the first of `ends` that no bracket holds, at most n_bytes. */
static size_t part_length(const char *text, size_t n_bytes, const char *ends)
{
    int depth = 0;
    for (size_t i = 0; i < n_bytes; i++) {
        depth += text[i] == '(' || text[i] == '[';
        depth -= text[i] == ')' || text[i] == ']';
        if (depth == 0 && strchr(ends, text[i]))
            return i;
    }
    return n_bytes;
}

bool asm_split(const char *text, size_t n_bytes, struct asm_text *parts)
{
    *parts = (struct asm_text){0};
    size_t at = part_length(text, n_bytes, " ");
    bool more = at < n_bytes;
    if (!copy(parts->mnemonic, sizeof parts->mnemonic, text, at))
        return false;
    while (more) {
        at++; /* past the blank */
        size_t length = part_length(text + at, n_bytes - at, ", ");
        if (parts->n_operands == ASM_OPERANDS ||
            !copy(parts->operand[parts->n_operands++], ASM_OPERAND_BYTES, text + at, length))
            return false;
        at += length;
        more = at + 1 < n_bytes && text[at] == ',';
        at += more;
    }
    return at >= n_bytes || copy(parts->modifiers, sizeof parts->modifiers, text + at, n_bytes - at);
}

bool asm_join(const struct asm_text *parts, char text[ASM_TEXT_BYTES])
{
    size_t n = (size_t)snprintf(text, ASM_TEXT_BYTES, "%s", parts->mnemonic);
    for (int i = 0; i < parts->n_operands && n < ASM_TEXT_BYTES; i++)
        n += (size_t)snprintf(text + n, ASM_TEXT_BYTES - n, "%s%s", i ? ", " : " ", parts->operand[i]);
    if (n < ASM_TEXT_BYTES)
        n += (size_t)snprintf(text + n, ASM_TEXT_BYTES - n, "%s", parts->modifiers);
    return n < ASM_TEXT_BYTES;
}

bool asm_rename(struct asm_text *parts, const char *from, const char *to)
{
    char renamed[2 * ASM_MNEMONIC_BYTES];
    const char *at = strstr(parts->mnemonic, from);
    if (!at)
        return false;
    int n =
        snprintf(renamed, sizeof renamed, "%.*s%s%s", (int)(at - parts->mnemonic), parts->mnemonic, to, at + strlen(from));
    return n > 0 && copy(parts->mnemonic, sizeof parts->mnemonic, renamed, (size_t)n);
}

bool asm_append(struct asm_text *parts, const char *suffix)
{
    size_t n = strlen(parts->mnemonic);
    return copy(parts->mnemonic + n, sizeof parts->mnemonic - n, suffix, strlen(suffix));
}

bool asm_is(const struct asm_text *parts, const char *stem)
{
    size_t n = strlen(stem);
    return strncmp(parts->mnemonic, stem, n) == 0 && (parts->mnemonic[n] == '\0' || parts->mnemonic[n] == '_');
}

void asm_remove(struct asm_text *parts, int operand)
{
    for (int i = operand; i + 1 < parts->n_operands; i++)
        memcpy(parts->operand[i], parts->operand[i + 1], ASM_OPERAND_BYTES);
    parts->n_operands--;
}

bool asm_number(const char *operand, long long *value)
{
    char *end;
    *value = strtoll(operand, &end, 0);
    return end != operand && *end == '\0' && !isspace((unsigned char)*operand);
}

bool asm_modifier(const struct asm_text *parts, const char *name, long long *value, size_t *first, size_t *end)
{
    char wanted[32], *after;
    snprintf(wanted, sizeof wanted, " %s:", name);
    const char *at = strstr(parts->modifiers, wanted);
    if (!at)
        return false;
    at += strlen(wanted);
    *value = strtoll(at, &after, 0);
    *first = (size_t)(at - parts->modifiers);
    *end = (size_t)(after - parts->modifiers);
    return after != at && (*after == ' ' || *after == '\0');
}
