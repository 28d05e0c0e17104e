#include "device/emulator/memory_order.h"

#include <stdbool.h>
#include <string.h>

#include "device/emulator/sanitizer/wait_events.h"

static bool is_rdna4(const struct chip *chip)
{
    return chip->family == CHIP_RDNA4;
}

static bool has_scope_bits(const struct chip *chip)
{
    return chip->family == CHIP_CDNA3 || chip->family == CHIP_CDNA4;
}

static bool is_mnemonic(const struct instruction *in, const char *mnemonic)
{
    return strcmp(in->opcode->mnemonic, mnemonic) == 0;
}

/* gfx12 names the scope; sc0 and sc1 are it on gfx942 and gfx950; before, atomic and volatile loads have glc and stores, if
 * anything, dlc, each without the slc of nontemporal ones. */
static bool is_coherent(const struct chip *chip, const struct instruction *in)
{
    if (is_rdna4(chip))
        return strstr(in->text, " scope:SCOPE_") != NULL;
    if (has_scope_bits(chip))
        return in->flags & (FLAG_GLC | FLAG_DLC);
    return in->flags & (in->n_dst ? FLAG_GLC : FLAG_DLC) && !(in->flags & FLAG_SLC);
}

/* Of agent scope or wider; what a workgroup's own acquire invalidates says nothing about other workgroups. */
static bool invalidates(const struct instruction *in)
{
    if (is_mnemonic(in, "global_inv") || is_mnemonic(in, "global_wbinv"))
        return strstr(in->text, "SCOPE_DEV") || strstr(in->text, "SCOPE_SYS");
    if (is_mnemonic(in, "buffer_inv"))
        return strstr(in->text, " sc1") != NULL;
    return is_mnemonic(in, "buffer_gl1_inv") || is_mnemonic(in, "buffer_wbinvl1") || is_mnemonic(in, "buffer_wbinvl1_vol");
}

static bool waits_for_stores(const struct chip *chip, const struct instruction *in)
{
    uint8_t limits[COUNTER_COUNT];
    wait_limits_of(chip, in, limits);
    return limits[wait_counter_of(chip, EVENT_STORE, false)] == 0;
}

uint8_t memory_order_of(const struct chip *chip, const struct instruction *in)
{
    if (!in->opcode)
        return 0;
    switch (in->class) {
    case CLASS_GLOBAL:
    case CLASS_FLAT:
    case CLASS_BUFFER:
        return is_coherent(chip, in) ? MEMORY_COHERENT : 0;
    case CLASS_HINT:
        return invalidates(in) ? MEMORY_INVALIDATES : 0;
    case CLASS_WAIT:
        return waits_for_stores(chip, in) ? MEMORY_STORES_DONE : 0;
    case CLASS_CONTROL:
        return strncmp(in->opcode->mnemonic, "s_barrier_signal", 16) == 0 ? MEMORY_SIGNALS : 0;
    case CLASS_BARRIER:
        return is_mnemonic(in, "s_barrier_wait") ? MEMORY_WAITS : 0;
    default:
        return 0;
    }
}
