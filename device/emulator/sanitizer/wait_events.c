#include "device/emulator/sanitizer/wait_events.h"

#include <fnmatch.h>
#include <string.h>

enum wait_event wait_event_of(const struct opcode *opcode)
{
    static const struct {
        const char *pattern;
        uint8_t event;
    } rows[] = {
#define EVENT(pattern, event) {pattern, EVENT_##event},
#include "device/emulator/sanitizer/wait.def"
#undef EVENT
    };
    if (opcode->class == CLASS_WAIT)
        return EVENT_WAIT;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (fnmatch(rows[i].pattern, opcode->mnemonic, 0) == 0)
            return (enum wait_event)rows[i].event;
    return EVENT_NONE;
}

static enum wait_counter on_chip(const struct chip *chip, enum wait_counter counter)
{
    if (counter == COUNTER_STORE && chip_is_cdna(chip))
        return COUNTER_LOAD;
    return counter == COUNTER_KM && chip->family != CHIP_RDNA4 ? COUNTER_DS : counter;
}

enum wait_counter wait_counter_of(const struct chip *chip, enum wait_event event, bool returns)
{
    static const uint8_t counters[] = {
        [EVENT_LOAD] = COUNTER_LOAD, [EVENT_STORE] = COUNTER_STORE,      [EVENT_FLAT] = COUNTER_LOAD,
        [EVENT_LDS] = COUNTER_DS,    [EVENT_FLAT_STORE] = COUNTER_STORE, [EVENT_SCALAR] = COUNTER_KM,
        [EVENT_DIRECT] = COUNTER_EXP};
    bool is_store = (event == EVENT_ATOMIC || event == EVENT_FLAT) && !returns;
    if (event == EVENT_ATOMIC || is_store)
        return on_chip(chip, is_store ? COUNTER_STORE : COUNTER_LOAD);
    return on_chip(chip, (enum wait_counter)counters[event]);
}

/* Fields of s_waitcnt's immediate: the low bits, and on gfx9 and gfx10 two more of vmcnt above. */
struct fields {
    uint8_t shift[COUNTER_COUNT], bits[COUNTER_COUNT]; /* 0 bits: not there */
    uint8_t high_shift;                                /* of COUNTER_LOAD's bits 4 and 5; 0: none */
};

static const struct fields *waitcnt_fields(const struct chip *chip)
{
    static const struct fields gfx9 = {.shift = {[COUNTER_LOAD] = 0, [COUNTER_EXP] = 4, [COUNTER_DS] = 8},
                                       .bits = {[COUNTER_LOAD] = 4, [COUNTER_EXP] = 3, [COUNTER_DS] = 4},
                                       .high_shift = 14};
    static const struct fields gfx10 = {.shift = {[COUNTER_LOAD] = 0, [COUNTER_EXP] = 4, [COUNTER_DS] = 8},
                                        .bits = {[COUNTER_LOAD] = 4, [COUNTER_EXP] = 3, [COUNTER_DS] = 6},
                                        .high_shift = 14};
    static const struct fields gfx11 = {.shift = {[COUNTER_LOAD] = 10, [COUNTER_EXP] = 0, [COUNTER_DS] = 4},
                                        .bits = {[COUNTER_LOAD] = 6, [COUNTER_EXP] = 3, [COUNTER_DS] = 6}};
    if (chip_is_cdna(chip))
        return &gfx9;
    return chip->family == CHIP_RDNA2 ? &gfx10 : &gfx11;
}

static void waitcnt(const struct chip *chip, uint32_t immediate, uint8_t limits[COUNTER_COUNT])
{
    const struct fields *fields = waitcnt_fields(chip);
    for (unsigned c = 0; c < COUNTER_COUNT; c++)
        if (fields->bits[c])
            limits[c] = (uint8_t)(immediate >> fields->shift[c] & ((1u << fields->bits[c]) - 1));
    if (fields->high_shift)
        limits[COUNTER_LOAD] |= (uint8_t)((immediate >> fields->high_shift & 3) << 4);
}

/* Waits on one counter, or on two in gfx12's pairs, whose first has the high byte. */
static const struct {
    const char *mnemonic;
    uint8_t low, high; /* COUNTER_COUNT: none */
} single_waits[] = {
    {"s_waitcnt_vmcnt", COUNTER_LOAD, COUNTER_COUNT},     {"s_waitcnt_vscnt", COUNTER_STORE, COUNTER_COUNT},
    {"s_waitcnt_lgkmcnt", COUNTER_DS, COUNTER_COUNT},     {"s_waitcnt_expcnt", COUNTER_EXP, COUNTER_COUNT},
    {"s_wait_loadcnt", COUNTER_LOAD, COUNTER_COUNT},      {"s_wait_storecnt", COUNTER_STORE, COUNTER_COUNT},
    {"s_wait_dscnt", COUNTER_DS, COUNTER_COUNT},          {"s_wait_kmcnt", COUNTER_KM, COUNTER_COUNT},
    {"s_wait_expcnt", COUNTER_EXP, COUNTER_COUNT},        {"s_wait_loadcnt_dscnt", COUNTER_DS, COUNTER_LOAD},
    {"s_wait_storecnt_dscnt", COUNTER_DS, COUNTER_STORE},
};

void wait_limits_of(const struct chip *chip, const struct instruction *in, uint8_t limits[COUNTER_COUNT])
{
    enum { COUNT_MASK = 0x3f, HIGH_SHIFT = 8 };
    const char *mnemonic = in->opcode->mnemonic;
    uint32_t immediate = (uint32_t)in->immediate & 0xffff;
    memset(limits, strcmp(mnemonic, "s_wait_idle") == 0 ? 0 : WAIT_ANY, COUNTER_COUNT);
    if (strcmp(mnemonic, "s_waitcnt") == 0)
        waitcnt(chip, immediate, limits);
    for (size_t i = 0; i < sizeof single_waits / sizeof *single_waits; i++) {
        if (strcmp(mnemonic, single_waits[i].mnemonic) != 0)
            continue;
        limits[single_waits[i].low] = immediate & COUNT_MASK;
        if (single_waits[i].high != COUNTER_COUNT)
            limits[single_waits[i].high] = immediate >> HIGH_SHIFT & COUNT_MASK;
    }
}
