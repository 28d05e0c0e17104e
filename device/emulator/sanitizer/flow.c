#include "device/emulator/sanitizer/flow.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

/* What flow.def says of a mnemonic. */
enum implicit {
    READS_SCC = 1 << 0,
    WRITES_SCC = 1 << 1,
    LEAVES_SCC = 1 << 2, /* takes WRITES_SCC of another row back */
    READS_VCC = 1 << 3,
    READS_EXEC = 1 << 4,
    WRITES_EXEC = 1 << 5,
    SAVES_EXEC = READS_EXEC | WRITES_EXEC,
    READS_M0 = 1 << 6,
    READS_DST = 1 << 7,
    SWAPS = 1 << 8, /* source 0 is written too, the destination read */
    BRANCHES = 1 << 9,
    LOW_RESULT = 1 << 10,
    HIGH_RESULT = 1 << 11,
    HIGH_DATA = 1 << 12,
    RETURNS_INTO_DATA = 1 << 13, /* with glc */
};

static unsigned implicit_of(const char *mnemonic)
{
    static const struct {
        const char *pattern;
        unsigned bits;
    } rows[] = {
#define IMPLICIT(pattern, bits) {pattern, bits},
#include "device/emulator/sanitizer/flow.def"
#undef IMPLICIT
    };
    unsigned bits = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (fnmatch(rows[i].pattern, mnemonic, 0) == 0)
            bits |= rows[i].bits;
    return bits & LEAVES_SCC ? bits & ~(unsigned)WRITES_SCC : bits;
}

static bool is_memory(uint8_t class)
{
    return class == CLASS_SMEM || (class >= CLASS_LDS && class <= CLASS_ATOMIC);
}

struct rule {
    const char *pattern;
    uint8_t rule, detail;
};

static const struct rule *rule_of(const char *mnemonic)
{
    static const struct rule rows[] = {
#define RULE(pattern, rule, detail) {pattern, RULE_##rule, detail},
#include "device/emulator/sanitizer/rules.def"
#undef RULE
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (fnmatch(rows[i].pattern, mnemonic, 0) == 0)
            return &rows[i];
    return NULL;
}

/* What the tables say of an opcode, looked up once for all of a code's instructions that have it. */
struct opcode_flow {
    uint16_t implicit; /* enum implicit bits */
    uint8_t rule, detail, event;
    bool known;
};

static void note_opcode(struct emulated_code *code, const struct opcode *opcode)
{
    struct opcode_flow *noted = opcode ? &code->opcode_flows[opcode->index] : NULL;
    if (!noted || noted->known)
        return;
    const struct rule *rule = rule_of(opcode->mnemonic);
    *noted = (struct opcode_flow){.implicit = (uint16_t)implicit_of(opcode->mnemonic),
                                  .rule = rule ? rule->rule : RULE_MIX,
                                  .detail = rule ? rule->detail : 0,
                                  .event = (uint8_t)wait_event_of(opcode),
                                  .known = true};
}

/* What init.c asks of a row besides its registers. */
static void set_rule(const struct instruction *in, const struct opcode_flow *noted, struct flow *flow)
{
    flow->rule = noted->rule;
    flow->detail = noted->detail;
    if (flow->rule == RULE_MIX && is_memory(in->class))
        flow->rule = RULE_MEMORY;
    if (flow->rule == RULE_BITWISE && !flow->detail)
        flow->detail = (uint8_t)in->immediate; /* v_bitop3 */
}

/* LDS: the first source. Buffers: all from the address register on. Others: what the signature calls an address. */
static uint8_t address_reads(const struct instruction *in)
{
    uint8_t bits = 0;
    bool is_buffer = strstr(in->opcode->mnemonic, "buffer_") != NULL, seen = false;
    for (unsigned k = 0; k < in->n_src; k++) {
        bool is_scalar_address = strncmp(in->opcode->mnemonic, "s_", 2) == 0 && (in->n_dst || k > 0);
        bool is_address = is_scalar_address || in->src[k].type == TYPE_ADDRESS || (is_buffer && seen) ||
                          (in->class == CLASS_LDS && k == 0 && !strstr(in->opcode->mnemonic, "addtid"));
        seen = seen || is_address;
        bits |= (uint8_t)(is_address << k);
    }
    return bits;
}

/* Lane masks of wave32 take one register though the text may name two (vcc). */
static uint8_t n_places(const struct emulated_code *code, const struct operand *operand)
{
    bool mask32 = operand->type == TYPE_MASK && code->n_lanes == 32;
    return mask32 ? 1 : operand->n_dwords;
}

static struct flow_range range_of(const struct emulated_code *code, const struct operand *operand)
{
    struct flow_range range = {.n = n_places(code, operand)};
    switch (operand->kind) {
    case OPERAND_VGPR:
        range.first = operand->index;
        break;
    case OPERAND_AGPR:
        range.first = (uint16_t)(AGPR_FIRST_ROW + operand->index);
        break;
    case OPERAND_SCALAR:
        range.first = (uint16_t)(FLOW_SCALAR + operand->index);
        break;
    case OPERAND_SPECIAL: {
        static const uint16_t places[] = {[SPECIAL_SCC] = FLOW_SCC,
                                          [SPECIAL_VCCZ] = FLOW_SCALAR + SREG_VCC_LO,
                                          [SPECIAL_EXECZ] = FLOW_SCALAR + SREG_EXEC_LO};
        bool has_place = operand->index <= SPECIAL_EXECZ;
        range.first = has_place ? places[operand->index] : 0;
        range.n = !has_place ? 0 : operand->index == SPECIAL_SCC ? 1 : (uint8_t)(code->n_lanes / 32);
        break;
    }
    default:
        range.n = 0;
    }
    if (operand->half != HALF_NONE)
        range.part = operand->half == HALF_LOW ? FLOW_LOW : FLOW_HIGH;
    return range;
}

/* A 16-bit source without a half is the low one; a mixed source that op_sel_hi makes an f16 is the half of op_sel. */
static struct flow_range source_range(const struct emulated_code *code, const struct instruction *in, unsigned k)
{
    const struct operand *operand = &in->src[k];
    const uint32_t types = 1u << TYPE_B16 | 1u << TYPE_I16 | 1u << TYPE_U16 | 1u << TYPE_F16 | 1u << TYPE_BF16;
    struct flow_range range = range_of(code, operand);
    if (operand->half == HALF_NONE && types >> operand->type & 1)
        range.part = FLOW_LOW;
    if (operand->type == TYPE_MIX && in->op_sel_hi >> k & 1)
        range.part = in->op_sel >> k & 1 ? FLOW_HIGH : FLOW_LOW;
    return range;
}

static void add_read(struct flow *flow, struct flow_range range)
{
    if (flow->n_reads < FLOW_MAX_READS)
        flow->reads[flow->n_reads++] = range;
}

static void add_write(struct flow *flow, struct flow_range range)
{
    if (flow->n_writes < FLOW_MAX_WRITES)
        flow->writes[flow->n_writes++] = range;
}

static struct flow_range scalar_range(uint16_t place, uint32_t n)
{
    return (struct flow_range){.first = (uint16_t)(FLOW_SCALAR + place), .n = (uint8_t)n};
}

static void add_implicit(const struct emulated_code *code, unsigned bits, struct flow *flow)
{
    const struct flow_range scc = {.first = FLOW_SCC, .n = 1};
    uint32_t mask_dwords = code->n_lanes / 32;
    for (unsigned i = 0; i < flow->n_dst && bits & READS_DST; i++)
        add_read(flow, flow->writes[i]);
    if (bits & SWAPS && flow->n_src && flow->n_dst) {
        add_read(flow, flow->writes[0]);
        add_write(flow, flow->reads[0]);
    }
    if (bits & READS_SCC)
        add_read(flow, scc);
    if (bits & READS_VCC)
        add_read(flow, scalar_range(SREG_VCC_LO, mask_dwords));
    if (bits & READS_EXEC)
        add_read(flow, scalar_range(SREG_EXEC_LO, mask_dwords));
    if (bits & READS_M0)
        add_read(flow, scalar_range(SREG_M0, 1));
    if (bits & WRITES_SCC)
        add_write(flow, scc);
    if (bits & WRITES_EXEC)
        add_write(flow, scalar_range(SREG_EXEC_LO, mask_dwords));
    flow->flags |= bits & BRANCHES ? FLOW_BRANCHES : 0;
}

/* Loads and stores of half a register, and buffer atomics, which return into their data register. */
static void adjust_memory(const struct instruction *in, unsigned bits, struct flow *flow)
{
    if (bits & HIGH_DATA)
        flow->reads[in->class == CLASS_BUFFER ? 0 : 1].part = FLOW_HIGH;
    if (bits & RETURNS_INTO_DATA && in->flags & FLAG_GLC && flow->n_dst == 0) {
        struct flow_range result = flow->reads[0];
        if (strstr(in->opcode->mnemonic, "cmpswap"))
            result.n /= 2;
        add_write(flow, result);
    }
}

static bool writes_exec(const struct flow *flow)
{
    for (unsigned i = 0; i < flow->n_writes; i++)
        if (flow->writes[i].first == FLOW_SCALAR + SREG_EXEC_LO || flow->writes[i].first == FLOW_SCALAR + SREG_EXEC_HI)
            return true;
    return false;
}

void flow_place_name(unsigned place, char *text, size_t capacity)
{
    unsigned index = place - FLOW_SCALAR;
    if (place < AGPR_FIRST_ROW)
        snprintf(text, capacity, "v%u", place);
    else if (place < FLOW_SCALAR)
        snprintf(text, capacity, "a%u", place - AGPR_FIRST_ROW);
    else if (index < SREG_VCC_LO)
        snprintf(text, capacity, "s%u", index);
    else
        snprintf(text, capacity, "%s",
                 index == SREG_COUNT                              ? "scc"
                 : index == SREG_VCC_LO || index == SREG_VCC_HI   ? "vcc"
                 : index == SREG_M0                               ? "m0"
                 : index == SREG_EXEC_LO || index == SREG_EXEC_HI ? "exec"
                                                                  : "a scalar register");
}

void flow_make_row(const struct emulated_code *code, const struct instruction *in, struct flow *flow)
{
    *flow = (struct flow){.rule = RULE_NONE};
    if (!in->opcode)
        return;
    const struct opcode_flow *noted = &code->opcode_flows[in->opcode->index];
    unsigned bits = noted->implicit;
    set_rule(in, noted, flow);
    flow->event = noted->event;
    if (flow->event == EVENT_WAIT)
        wait_limits_of(code->chip, in, flow->wait_limits);
    flow->n_src = in->n_src;
    flow->n_dst = in->n_dst;
    for (unsigned k = 0; k < in->n_src; k++)
        add_read(flow, source_range(code, in, k));
    for (unsigned k = 0; k < in->n_dst; k++)
        add_write(flow, range_of(code, &in->dst[k]));
    bool zeroes_other = in->flags & FLAG_ZERO_OTHER_HALF;
    if (in->n_dst && in->dst[0].half != HALF_NONE && zeroes_other)
        flow->writes[0].part = FLOW_WHOLE;
    if (in->n_dst && (flow->writes[0].part != FLOW_WHOLE || in->flags & FLAG_DST_UNUSED_PRESERVE))
        flow->flags |= FLOW_PARTIAL;
    if (bits & (LOW_RESULT | HIGH_RESULT) && flow->n_dst) {
        flow->writes[0].part = bits & HIGH_RESULT ? FLOW_HIGH : FLOW_LOW;
        flow->flags |= FLOW_PARTIAL;
    }
    if (is_memory(in->class)) {
        adjust_memory(in, bits, flow);
        flow->address_reads = address_reads(in);
    }
    add_implicit(code, bits, flow);
    if (writes_exec(flow))
        flow->flags |= FLOW_EXPLICIT_EXEC;
}

static bool make_pair(struct emulated_code *code, const struct instruction *in, struct flow *flow)
{
    struct flow *pair = arena_alloc(&code->arena, 2 * sizeof *pair);
    if (!pair)
        return false;
    *flow = (struct flow){.rule = RULE_NONE, .pair = pair};
    for (int half = 0; half < 2; half++) {
        note_opcode(code, in->pair[half].opcode);
        flow_make_row(code, &in->pair[half], &pair[half]);
        for (unsigned i = 0; i < pair[half].n_reads; i++)
            add_read(flow, pair[half].reads[i]);
        for (unsigned i = 0; i < pair[half].n_writes; i++)
            add_write(flow, pair[half].writes[i]);
    }
    return true;
}

bool flow_make(struct emulated_code *code)
{
    size_t n_opcodes;
    opcode_table(&n_opcodes);
    struct flow *rows = arena_alloc(&code->arena, (code->n_instructions + 1) * sizeof *rows);
    code->opcode_flows = arena_alloc(&code->arena, n_opcodes * sizeof *code->opcode_flows);
    if (!rows || !code->opcode_flows)
        return false;
    for (uint32_t i = 0; i <= code->n_instructions; i++) {
        note_opcode(code, code->instructions[i].opcode);
        if (!code->instructions[i].pair)
            flow_make_row(code, &code->instructions[i], &rows[i]);
        else if (!make_pair(code, &code->instructions[i], &rows[i]))
            return false;
    }
    code->flow = rows;
    return true;
}
