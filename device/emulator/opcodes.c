#include "device/emulator/code.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "contract/base/host_levels.h"

enum { FIRST_ROW = __COUNTER__ + 1 };
static const struct opcode opcodes[] = {
#define OP(mnemonic, class, signature, name) {mnemonic, CLASS_##class, signature, (uint16_t)(__COUNTER__ - FIRST_ROW)},
#include "device/emulator/opcodes.def"
#undef OP
};
enum { N_OPCODES = sizeof opcodes / sizeof *opcodes, HASH_SLOTS = 8192 };
_Static_assert(N_OPCODES < HASH_SLOTS / 2, "the hash table of opcodes has room");

/* Made from the table once, before the first look-up returns, and constant after. */
static struct {
    pthread_once_t once;
    uint16_t slots[HASH_SLOTS]; /* row + 1; 0: empty */
    struct opcode_signature signatures[N_OPCODES];
} derived = {.once = PTHREAD_ONCE_INIT};

/* FNV-1a. */
static uint32_t hash_stem(const char *stem, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (uint8_t)stem[i]) * 16777619u;
    return (hash ^ hash >> 15) % HASH_SLOTS;
}

static uint8_t parse_type(const char *text, size_t length)
{
    static const char *const names[] = {"",
#define TYPE_NAME(type, bits, name) name,
                                        OPERAND_TYPES(TYPE_NAME)
#undef TYPE_NAME
    };
    for (unsigned type = 1; type < TYPE_COUNT; type++)
        if (strlen(names[type]) == length && !memcmp(names[type], text, length))
            return (uint8_t)type;
    return TYPE_NONE;
}

/* Types up to end of text or '=', their number; "?" is read apart. A type that does not exist stays TYPE_NONE, which a unit
 * test looks for. */
static uint8_t parse_types(const char **text, uint8_t *types, size_t capacity)
{
    uint8_t count = 0;
    while (**text && **text != '=') {
        size_t length = strcspn(*text, ",=");
        if (count < capacity)
            types[count++] = parse_type(*text, strcspn(*text, "?,="));
        *text += length;
        *text += **text == ',';
    }
    return count;
}

static void derive(void)
{
    for (unsigned row = 0; row < N_OPCODES; row++) {
        struct opcode_signature *signature = &derived.signatures[row];
        const char *text = opcodes[row].signature;
        signature->optional_dst = strchr(text, '?');
        signature->n_dst = parse_types(&text, signature->dst, MAX_DESTINATIONS);
        text += *text == '=';
        signature->n_src = parse_types(&text, signature->src, MAX_SOURCES);
        uint32_t slot = hash_stem(opcodes[row].mnemonic, strlen(opcodes[row].mnemonic));
        while (derived.slots[slot])
            slot = (slot + 1) % HASH_SLOTS;
        derived.slots[slot] = (uint16_t)(row + 1);
    }
}

const struct opcode *opcode_find(const char *stem, size_t length)
{
    pthread_once(&derived.once, derive);
    for (uint32_t slot = hash_stem(stem, length); derived.slots[slot]; slot = (slot + 1) % HASH_SLOTS) {
        const struct opcode *opcode = &opcodes[derived.slots[slot] - 1];
        if (!strncmp(opcode->mnemonic, stem, length) && !opcode->mnemonic[length])
            return opcode;
    }
    return NULL;
}

const struct opcode *opcode_table(size_t *n_opcodes)
{
    *n_opcodes = N_OPCODES;
    return opcodes;
}

const char *opcode_class_name(uint8_t class)
{
#define CLASS_NAME(name) [CLASS_##name] = #name,
    static const char *const names[] = {OPCODE_CLASSES(CLASS_NAME)};
#undef CLASS_NAME
    return class < CLASS_COUNT ? names[class] : "unknown";
}

const struct opcode_signature *opcode_signature(const struct opcode *opcode)
{
    pthread_once(&derived.once, derive);
    return &derived.signatures[opcode->index];
}

#define DECLARE_HANDLERS(level, has)                                                                                       \
    extern handler *const handlers_w32_##level[N_OPCODES];                                                                 \
    extern handler *const handlers_w64_##level[N_OPCODES];
HOST_LEVELS(DECLARE_HANDLERS)
#undef DECLARE_HANDLERS

handler *const *opcode_handlers(uint32_t n_lanes)
{
#define TRY_LEVEL(level, has)                                                                                              \
    if ((has) && host_level_is_wanted(#level))                                                                             \
        return n_lanes == 64 ? handlers_w64_##level : handlers_w32_##level;
    HOST_LEVELS(TRY_LEVEL)
#undef TRY_LEVEL
    return NULL;
}
