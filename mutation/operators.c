#include "mutation/operators.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mutation/operators_values.h"

typedef bool edit_function(const struct mutation_site *site, int variant, struct asm_text *text);

/* The first pair of a table of which one stands in the mnemonic becomes the other. */
struct pair {
    const char *one, *other;
};

static bool exchange(const struct pair *pairs, size_t n, struct asm_text *text)
{
    for (size_t i = 0; i < n; i++)
        if (asm_rename(text, pairs[i].one, pairs[i].other) || asm_rename(text, pairs[i].other, pairs[i].one))
            return true;
    return false;
}
#define EXCHANGE(pairs, text) exchange(pairs, sizeof(pairs) / sizeof(pairs)[0], text)

static bool set_operand(struct asm_text *text, int operand, const char *value)
{
    return (size_t)snprintf(text->operand[operand], ASM_OPERAND_BYTES, "%s", value) < ASM_OPERAND_BYTES;
}

static void swap_operands(struct asm_text *text, int a, int b)
{
    char kept[ASM_OPERAND_BYTES];
    memcpy(kept, text->operand[a], sizeof kept);
    memcpy(text->operand[a], text->operand[b], sizeof kept);
    memcpy(text->operand[b], kept, sizeof kept);
}

static void become(struct asm_text *text, const char *mnemonic)
{
    *text = (struct asm_text){0};
    snprintf(text->mnemonic, sizeof text->mnemonic, "%s", mnemonic);
}

static void become_nop(struct asm_text *text)
{
    become(text, "s_nop");
    set_operand(text, 0, "0");
    text->n_operands = 1;
}

/* v_add_f64 has no v_sub_f64 beside it, nor packed f16 additions: there the second source is negated. */
static bool negate_second(struct asm_text *text)
{
    char negated[ASM_OPERAND_BYTES + 1];
    long long number;
    bool is_register = text->n_operands > 2 && text->operand[2][0] == 'v' && !asm_number(text->operand[2], &number);
    if (!is_register)
        return false;
    if (strncmp(text->mnemonic, "v_pk_", 5) == 0)
        return !*text->modifiers && snprintf(text->modifiers, sizeof text->modifiers, " neg_lo:[0,1] neg_hi:[0,1]") > 0;
    snprintf(negated, sizeof negated, "-%s", text->operand[2]);
    return set_operand(text, 2, negated);
}

static bool edit_add_sub(const struct mutation_site *site, int variant, struct asm_text *text)
{
    static const struct pair pairs[] = {{"_add_", "_sub_"}, {"_addc_", "_subb_"}};
    (void)site, (void)variant;
    if (asm_is(text, "v_add_f64") || asm_is(text, "v_pk_add_f16") || asm_is(text, "v_pk_add_f32"))
        return negate_second(text);
    return asm_rename(text, "_subrev_", "_add_") || EXCHANGE(pairs, text);
}

/* "-v1", "-|v1|" and "neg(1.0)" lose the sign; numbers keep theirs. */
static bool drop_sign(char operand[ASM_OPERAND_BYTES])
{
    long long number;
    size_t length = strlen(operand);
    if (strncmp(operand, "neg(", 4) == 0 && operand[length - 1] == ')') {
        operand[length - 1] = '\0';
        memmove(operand, operand + 4, length - 4);
        return true;
    }
    if (operand[0] != '-' || asm_number(operand, &number) || strchr(operand, '.'))
        return false;
    memmove(operand, operand + 1, length);
    return true;
}

/* Clears the bit of a source in "neg_lo:[0,1,0]". */
static bool clear_bit(struct asm_text *text, const char *list, int source)
{
    char *at = strstr(text->modifiers, list);
    char *bit = at ? at + strlen(list) + 2 * (size_t)source : NULL;
    bool is_set = bit && bit < text->modifiers + strlen(text->modifiers) && *bit == '1';
    if (is_set)
        *bit = '0';
    return is_set;
}

/* Variants 0 to 5 are operands, 6 to 8 sources of a packed operation. */
static bool edit_negation(const struct mutation_site *site, int variant, struct asm_text *text)
{
    enum { FIRST_PACKED = 6, PACKED_SOURCES = 3 };
    (void)site;
    if (variant < FIRST_PACKED)
        return variant < text->n_operands && drop_sign(text->operand[variant]);
    if (variant >= FIRST_PACKED + PACKED_SOURCES)
        return false;
    bool low = clear_bit(text, "neg_lo:[", variant - FIRST_PACKED),
         high = clear_bit(text, "neg_hi:[", variant - FIRST_PACKED);
    return low || high;
}

/* Even variants add one, odd ones take one away. */
static bool edit_immediate(const struct mutation_site *site, int variant, struct asm_text *text)
{
    int operand = variant / 2;
    return operand < text->n_operands && operand_is_integer(site->in, operand, text) &&
           integer_step(text->operand[operand], variant % 2 ? -1 : 1);
}

static bool edit_constant(const struct mutation_site *site, int variant, struct asm_text *text)
{
    return variant < text->n_operands && operand_double(site->in, variant, text);
}

/* "one element" of an access of bytes or halves is as long, of all others a dword. */
static int element_bytes(const struct asm_text *text)
{
    static const char *const bytes[] = {"_b8", "_u8", "_i8", "byte"}, *const halves[] = {"_b16", "_u16", "_i16", "short",
                                                                                         "d16"};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
        if (strstr(text->mnemonic, bytes[i]))
            return 1;
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++)
        if (strstr(text->mnemonic, halves[i]))
            return 2;
    return 4;
}

/* A modifier that is 0 is left out of the text. */
static bool step_modifier(struct asm_text *text, const char *name, int by)
{
    char stepped[ASM_MODIFIERS_BYTES];
    long long value;
    size_t first, end;
    if (asm_modifier(text, name, &value, &first, &end))
        snprintf(stepped, sizeof stepped, "%.*s%lld%s", (int)first, text->modifiers, value + by, text->modifiers + end);
    else if (by > 0 && !strstr(text->modifiers, name))
        snprintf(stepped, sizeof stepped, " %s:%d%.100s", name, by, text->modifiers);
    else
        return false;
    memcpy(text->modifiers, stepped, sizeof stepped);
    return true;
}

/* Variants 2 and 3 are of the second offset of accesses that have two. */
static bool edit_offset(const struct mutation_site *site, int variant, struct asm_text *text)
{
    bool is_memory = site->in->class >= CLASS_LDS && site->in->class <= CLASS_ATOMIC, minus = variant % 2;
    bool is_pair = strstr(text->mnemonic, "2addr") || strncmp(text->mnemonic, "ds_read2", 8) == 0 ||
                   strncmp(text->mnemonic, "ds_write2", 9) == 0;
    if (site->in->class == CLASS_SMEM)
        return variant < 2 && text->n_operands == 3 && integer_step(text->operand[2], minus ? -4 : 4);
    if (!is_memory || strstr(text->modifiers, "swizzle") || strstr(text->mnemonic, "permute"))
        return false;
    if (is_pair)
        return step_modifier(text, variant < 2 ? "offset0" : "offset1", minus ? -1 : 1);
    return variant < 2 && step_modifier(text, "offset", minus ? -element_bytes(text) : element_bytes(text));
}

/* Where a change of places is another mnemonic, it has that: e32 encodings want a register as the second source. */
static bool exchange_by_name(struct asm_text *text)
{
    static const struct pair compares[] = {{"_lt_", "_gt_"}, {"_le_", "_ge_"}};
    if (strstr(text->mnemonic, "_cmp_") || strstr(text->mnemonic, "_cmpx_") || strstr(text->mnemonic, "_cmpk_"))
        return EXCHANGE(compares, text);
    if (text->mnemonic[0] != 'v' || strstr(text->mnemonic, "_pk_"))
        return false;
    return asm_rename(text, "_subrev_", "_sub_") || asm_rename(text, "_sub_", "_subrev_") ||
           asm_rename(text, "_subbrev_", "_subb_") || asm_rename(text, "_subb_", "_subbrev_");
}

/* Variant 1 exchanges the second factor of a multiply-add and its addend. */
static bool edit_operands(const struct mutation_site *site, int variant, struct asm_text *text)
{
    static const char *const not_commutative[] = {"_sub_",     "_subb_", "shl",    "shr",       "ashr",    "cndmask",
                                                  "_ldexp_",   "_bfe_",  "_bfm_",  "cselect",   "_perm_",  "alignbit",
                                                  "alignbyte", "andn2",  "orn2",   "and_not1",  "or_not1", "_pack_",
                                                  "_bfi_",     "_lshl_", "cvt_pk", "ds_permute"};
    int first = site->in->n_dst;
    if (variant == 1) {
        bool is_fma = asm_is(text, "v_fma") || asm_is(text, "v_mad") || asm_is(text, "v_pk_fma");
        if (is_fma && text->n_operands == first + 3)
            swap_operands(text, first + 1, first + 2);
        return is_fma && text->n_operands == first + 3;
    }
    if (exchange_by_name(text))
        return true;
    for (size_t i = 0; i < sizeof not_commutative / sizeof *not_commutative; i++)
        if (strstr(text->mnemonic, not_commutative[i]) && text->n_operands >= first + 2) {
            swap_operands(text, first, first + 1);
            return strcmp(text->operand[first], text->operand[first + 1]) != 0;
        }
    return false;
}

/* gfx12 parts a barrier in two, of which the wait is what orders. */
static bool edit_barrier(const struct mutation_site *site, int variant, struct asm_text *text)
{
    (void)site, (void)variant;
    bool is_barrier = strcmp(text->mnemonic, "s_barrier") == 0 || strcmp(text->mnemonic, "s_barrier_wait") == 0;
    if (is_barrier)
        become_nop(text);
    return is_barrier;
}

/* Waits for hazards inside the pipeline order no values that software sees. */
static bool edit_wait(const struct mutation_site *site, int variant, struct asm_text *text)
{
    (void)variant;
    bool is_wait = site->in->class == CLASS_WAIT && !asm_is(text, "s_wait_alu") && !asm_is(text, "s_waitcnt_depctr") &&
                   !asm_is(text, "s_wait_idle") && !asm_is(text, "s_wait_event");
    if (is_wait)
        become_nop(text);
    return is_wait;
}

/* Takes the third entry out of every list of modifiers: "op_sel_hi:[1,0,1]" becomes "op_sel_hi:[1,0]". */
static void cut_lists(char *modifiers)
{
    for (char *list = strchr(modifiers, '['); list; list = strchr(list + 1, '[')) {
        char *third = list + strlen("[0,0");
        if (strlen(list) >= strlen("[0,0,0]") && *third == ',')
            memmove(third, third + 2, strlen(third + 2) + 1);
    }
}

/* A multiply-add by its product's name. */
static bool as_product(const struct mutation_site *site, struct asm_text *text)
{
    static const struct pair stems[] = {{"_fma_f", "_mul_f"},
                                        {"_fmac_f", "_mul_f"},
                                        {"_mac_f", "_mul_f"},
                                        {"_mad_f", "_mul_f"},
                                        {"v_fmaak_f", "v_mul_f"},
                                        {"v_fmamk_f", "v_mul_f"},
                                        {"_mad_u32_u24", "_mul_u32_u24"},
                                        {"_mad_i32_i24", "_mul_i32_i24"}};
    bool adds_constant = strstr(text->mnemonic, "fmaak"), scales = strstr(text->mnemonic, "fmamk"),
         in_place = strstr(text->mnemonic, "mac_"), dual = strstr(text->mnemonic, "_dual_");
    bool renamed = false;
    for (size_t i = 0; i < sizeof stems / sizeof *stems && !renamed; i++)
        renamed = asm_rename(text, stems[i].one, stems[i].other);
    if (!renamed || (dual && (adds_constant || scales)))
        return false;
    cut_lists(text->modifiers);
    if (!in_place && text->n_operands == site->in->n_dst + 3)
        asm_remove(text, text->n_operands - 1);
    if (scales) /* the constant stands first, which is where a literal may be */
        swap_operands(text, 1, 2);
    bool is_vop3 = !in_place && !scales && !dual && !strstr(text->mnemonic, "_pk_") && !strstr(text->mnemonic, "_e64");
    return !is_vop3 || text->mnemonic[0] != 'v' || asm_append(text, "_e64");
}

/* Where no product has that name the addend becomes 0. */
static bool edit_fma(const struct mutation_site *site, int variant, struct asm_text *text)
{
    static const char *const sums[] = {"v_fma_mix", "v_dot", "v_wmma", "v_mfma", "v_mad_u64", "v_mad_i64"};
    if (variant == 0)
        return as_product(site, text);
    int addend = site->in->n_dst + 2;
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        if (strncmp(text->mnemonic, sums[i], strlen(sums[i])) == 0 && addend < text->n_operands)
            return set_operand(text, addend, "0");
    return false;
}

static bool is_hint(const struct asm_text *text)
{
    static const char *const hints[] = {"s_delay_alu", "s_nop", "s_clause", "s_setprio", "s_wait_alu", "s_waitcnt_depctr"};
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (strcmp(text->mnemonic, hints[i]) == 0)
            return true;
    return false;
}

static void become_two(struct asm_text *text, const char *mnemonic, const char *first, const char *second)
{
    become(text, mnemonic);
    set_operand(text, 0, first);
    set_operand(text, 1, second);
    text->n_operands = 2;
}

/* There is no room for an instruction more: the place is that of one that only hints, or of one that sets EXEC. */
static bool edit_lane(const struct mutation_site *site, int variant, struct asm_text *text)
{
    bool wave32 = site->code->n_lanes == 32, last = variant == 1;
    const char *exec = wave32 ? "exec_lo" : "exec";
    char lane[ASM_OPERAND_BYTES];
    if (is_hint(text)) {
        snprintf(lane, sizeof lane, "%u", last ? site->code->n_lanes - 1 : 0);
        become_two(text, wave32 ? "s_bitset0_b32" : "s_bitset0_b64", exec, lane);
        return true;
    }
    if (last || !asm_is(text, wave32 ? "s_mov_b32" : "s_mov_b64") || strcmp(text->operand[0], exec) != 0)
        return false;
    snprintf(lane, sizeof lane, "%s", text->operand[1]);
    become_two(text, wave32 ? "s_and_b32" : "s_and_b64", exec, lane);
    text->n_operands = 3;
    return set_operand(text, 2, "-2");
}

/* A conditional branch to what comes before it. s_cbranch_execz only spares a wave what none of its lanes would do. */
static bool jumps_back(const struct emulated_code *code, uint32_t index)
{
    const struct instruction *in = &code->instructions[index];
    return in->class == CLASS_BRANCH && strncmp(in->text, "s_cbranch_", 10) == 0 && in->target <= index &&
           strncmp(in->text, "s_cbranch_execz", 15) != 0;
}

static bool edit_loop_round(const struct mutation_site *site, int variant, struct asm_text *text)
{
    (void)variant;
    bool is_loop = jumps_back(site->code, site->index);
    if (is_loop)
        become_nop(text);
    return is_loop;
}

/* A comparison is a loop's where the next branch, not far behind it, jumps back. */
static bool ends_loop(const struct mutation_site *site)
{
    enum { FARTHEST = 12 };
    for (uint32_t i = site->index + 1; i < site->code->n_instructions && i <= site->index + FARTHEST; i++)
        if (site->code->instructions[i].class == CLASS_BRANCH)
            return jumps_back(site->code, i);
    return false;
}

static bool edit_loop_bound(const struct mutation_site *site, int variant, struct asm_text *text)
{
    static const struct pair orders[] = {{"_lt_", "_le_"}, {"_gt_", "_ge_"}};
    (void)variant;
    return strstr(text->mnemonic, "_cmp") && ends_loop(site) && EXCHANGE(orders, text);
}

static edit_function *const edits[MUTATION_OPERATOR_COUNT] = {
    [MUTATION_ADD_SUB] = edit_add_sub,
    [MUTATION_NEGATION] = edit_negation,
    [MUTATION_IMMEDIATE] = edit_immediate,
    [MUTATION_CONSTANT] = edit_constant,
    [MUTATION_OFFSET] = edit_offset,
    [MUTATION_OPERANDS] = edit_operands,
    [MUTATION_BARRIER] = edit_barrier,
    [MUTATION_WAIT] = edit_wait,
    [MUTATION_FMA] = edit_fma,
    [MUTATION_LANE] = edit_lane,
    [MUTATION_LOOP_ROUND] = edit_loop_round,
    [MUTATION_LOOP_BOUND] = edit_loop_bound,
};

static const struct {
    const char *name;
    int n_variants;
    const char *what, *advice;
} rows[] = {
#define MUTATION_OPERATOR_ROW(id, name, n_variants, what, advice) {name, n_variants, what, advice},
    MUTATION_OPERATORS(MUTATION_OPERATOR_ROW)
#undef MUTATION_OPERATOR_ROW
};

const char *mutation_operator_name(enum mutation_operator op)
{
    return rows[op].name;
}

const char *mutation_operator_what(enum mutation_operator op)
{
    return rows[op].what;
}

const char *mutation_operator_advice(enum mutation_operator op)
{
    return rows[op].advice;
}

int mutation_operator_variants(enum mutation_operator op)
{
    return rows[op].n_variants;
}

bool mutation_edit(const struct mutation_site *site, enum mutation_operator op, int variant, struct asm_text *text)
{
    return variant < rows[op].n_variants && edits[op](site, variant, text);
}
