#include "device/emulator/control_flow.h"

#include <fnmatch.h>
#include <string.h>

#include "device/emulator/sanitizer/flow.h"

/* Where control goes after an instruction that may not go on to the next. */
enum way {
    WAY_ON = 1 << 0,       /* to the next instruction */
    WAY_TARGET = 1 << 1,   /* to instruction.target */
    WAY_REGISTER = 1 << 2, /* to the address in a register */
};

/* First matching row (opcodes.def, "Branches"; RDNA3.5 ISA, "SOPP"). What no row names goes on. */
static unsigned ways_of(const struct instruction *in)
{
    static const struct {
        const char *pattern;
        unsigned ways;
    } rows[] = {
        {"s_branch", WAY_TARGET},
        {"s_setpc_b64", WAY_REGISTER},
        {"s_swappc_b64", WAY_ON | WAY_REGISTER},
        {"s_call_b64", WAY_ON | WAY_REGISTER}, /* what is called is another function */
        {"s_cbranch_?_fork", WAY_ON | WAY_REGISTER},
        {"s_cbranch_join", WAY_ON | WAY_REGISTER},
        {"s_cbranch_*", WAY_ON | WAY_TARGET},
        {"s_subvector_loop_*", WAY_ON | WAY_TARGET},
        {"s_endpgm*", 0},
        {"s_sendmsghalt", 0},
        {"s_code_end", 0},
        {"v_illegal", 0},
    };
    bool may_leave = in->opcode && (in->class == CLASS_BRANCH || in->class == CLASS_CONTROL);
    for (size_t i = 0; may_leave && i < sizeof rows / sizeof *rows; i++)
        if (fnmatch(rows[i].pattern, in->opcode->mnemonic, 0) == 0)
            return rows[i].ways;
    return WAY_ON;
}

enum exec_change {
    EXEC_STAYS,
    EXEC_NARROWS,  /* some lanes go off */
    EXEC_WIDENS,   /* they come back */
    EXEC_SWITCHES, /* to those that were off: the other side of a condition */
    EXEC_OPENS,    /* all lanes on, whatever the condition: whole-wave code */
    EXEC_UNKNOWN,
};

static bool is_all_ones(const struct instruction *in)
{
    const struct operand *source = &in->src[0];
    return in->n_src && source->kind == OPERAND_CONSTANT && (int32_t)source->constant == -1;
}

/* What instructions do that compilers write EXEC with; first matching row. */
static enum exec_change exec_change_of(const struct emulated_code *code, const struct instruction *in)
{
    static const struct {
        const char *pattern;
        enum exec_change change;
    } rows[] = {
        {"v_cmpx_*", EXEC_NARROWS},
        {"s_and_saveexec_b*", EXEC_NARROWS},
        {"s_and_b*", EXEC_NARROWS},
        {"s_and_not1_b*", EXEC_NARROWS},
        {"s_andn2_b*", EXEC_NARROWS},
        {"s_xor_b*", EXEC_NARROWS},
        {"s_and_not*exec_b*", EXEC_SWITCHES},
        {"s_andn?_*exec_b*", EXEC_SWITCHES},
        {"s_or_saveexec_b*", EXEC_WIDENS},
        {"s_or_b*", EXEC_WIDENS},
        {"s_mov_b*", EXEC_WIDENS},
    };
    if (!(flow_of(code, in)->flags & FLOW_EXPLICIT_EXEC))
        return EXEC_STAYS;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (fnmatch(rows[i].pattern, in->opcode->mnemonic, 0) == 0)
            return rows[i].change == EXEC_WIDENS && is_all_ones(in) ? EXEC_OPENS : rows[i].change;
    return EXEC_UNKNOWN;
}

/* The instruction at which the lanes that instruction i turns off come back, where no branch lies between; UINT32_MAX where
 * there is none. */
static uint32_t lanes_return_at(const struct emulated_code *code, uint32_t i)
{
    enum exec_change change = exec_change_of(code, &code->instructions[i]);
    if (change != EXEC_NARROWS && change != EXEC_SWITCHES)
        return UINT32_MAX;
    unsigned depth = 1;
    for (uint32_t k = i + 1; k < code->n_instructions; k++) {
        if (ways_of(&code->instructions[k]) != WAY_ON)
            return UINT32_MAX;
        change = exec_change_of(code, &code->instructions[k]);
        if ((change == EXEC_SWITCHES && depth == 1) || (change == EXEC_WIDENS && --depth == 0))
            return k;
        if (change == EXEC_UNKNOWN)
            return UINT32_MAX;
        depth += change == EXEC_NARROWS || change == EXEC_OPENS;
    }
    return UINT32_MAX;
}

/* Whether a block begins at each instruction, and one past the last. */
static void mark_firsts(const struct emulated_code *code, const uint32_t *returns, bool *is_first)
{
    is_first[0] = true;
    for (uint32_t i = 0; i < code->n_instructions; i++) {
        const struct instruction *in = &code->instructions[i];
        unsigned ways = ways_of(in);
        if (ways & WAY_TARGET && in->target < code->n_instructions)
            is_first[in->target] = true;
        if (returns[i] != UINT32_MAX)
            is_first[returns[i]] = true;
        if (ways != WAY_ON || returns[i] != UINT32_MAX)
            is_first[i + 1] = true;
    }
}

static void cut_blocks(const struct emulated_code *code, const bool *is_first, struct control_flow *flow)
{
    for (uint32_t i = 0; i < code->n_instructions; i++) {
        if (is_first[i])
            flow->blocks[flow->n_blocks++].first = i;
        flow->blocks[flow->n_blocks - 1].end = i + 1;
        flow->block_of[i] = flow->n_blocks - 1;
    }
}

static void add_next(const struct emulated_code *code, struct control_flow *flow, struct basic_block *block, uint32_t to)
{
    if (to < code->n_instructions)
        block->next[block->n_next++] = flow->block_of[to];
}

static void join_blocks(const struct emulated_code *code, const uint32_t *returns, struct control_flow *flow)
{
    for (uint32_t b = 0; b < flow->n_blocks; b++) {
        struct basic_block *block = &flow->blocks[b];
        const struct instruction *last = &code->instructions[block->end - 1];
        unsigned ways = ways_of(last);
        if (ways & WAY_ON)
            add_next(code, flow, block, block->end);
        if (ways & WAY_TARGET)
            add_next(code, flow, block, last->target);
        add_next(code, flow, block, returns[block->end - 1]);
        flow->jumps_by_register |= (ways & WAY_REGISTER) != 0;
    }
}

bool control_flow_make(const struct emulated_code *code, struct arena *arena, struct control_flow *flow)
{
    size_t n = (size_t)code->n_instructions + 1;
    uint32_t *returns = arena_alloc(arena, n * sizeof *returns);
    bool *is_first = arena_alloc(arena, n * sizeof *is_first);
    *flow = (struct control_flow){.blocks = arena_alloc(arena, n * sizeof *flow->blocks),
                                  .block_of = arena_alloc(arena, n * sizeof *flow->block_of)};
    if (!returns || !is_first || !flow->blocks || !flow->block_of)
        return false;
    for (uint32_t i = 0; i < code->n_instructions; i++)
        returns[i] = lanes_return_at(code, i);
    mark_firsts(code, returns, is_first);
    cut_blocks(code, is_first, flow);
    join_blocks(code, returns, flow);
    return true;
}
