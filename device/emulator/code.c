#include "device/emulator/code.h"

#include <stdio.h>
#include <string.h>

#include "device/emulator/decode.h"
#include "device/emulator/memory_order.h"
#include "device/emulator/sanitizer/flow.h"
#include "device/emulator/vgpr_index.h"
#include "device/emulator/wave.h"

enum { TEXT_CAPACITY = 512, TEXT_BLOCK = 32 << 10 };

/* Where texts go: one block of the arena after another. */
struct text_pool {
    struct arena *arena;
    char *block;
    size_t left;
};

static const char *pool_text(struct text_pool *pool, const char *text)
{
    size_t n = strlen(text) + 1;
    if (pool->left < n) {
        pool->block = arena_alloc(pool->arena, TEXT_BLOCK);
        pool->left = pool->block ? (size_t)TEXT_BLOCK : 0;
        if (pool->left < n)
            return NULL;
    }
    char *copy = memcpy(pool->block, text, n);
    pool->block += n;
    pool->left -= n;
    return copy;
}

static uint32_t read_u32(const uint8_t *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, 4);
    return word;
}

/* What the text shows in words only: SIMM16 of SOPP and SOPK, the message of s_sendmsg_rtn (SOP1), the enable bits of
 * s_set_gpr_idx_on (SOPC), the swizzle of DS. */
static void read_raw_fields(const uint8_t *bytes, struct instruction *in)
{
    uint32_t word = read_u32(bytes);
    bool is_sop1 = word >> 23 == 0x17d, is_sopc = word >> 23 == 0x17e;
    if (is_sop1)
        in->immediate = (int32_t)(word & 0xff);
    else if (word >> 28 == 0xb && !is_sopc)
        in->immediate = (int16_t)(word & 0xffff);
    else if (is_sopc && strstr(in->text, "gpr_idx("))
        in->immediate = (int32_t)(word >> 8 & 0xf);
    if (strncmp(in->text, "tbuffer_", 8) == 0)
        in->immediate = (int32_t)(in->size_bytes == 12 ? read_u32(bytes + 4) >> 23 & 0x7f : word >> 19 & 0x7f);
    if (word >> 26 == 0x36 && strstr(in->text, "swizzle("))
        in->offset = (int32_t)(word & 0xffff);
}

static void choose_handlers(struct instruction *in, handler *const *handlers)
{
    in->run = in->opcode ? handlers[in->opcode->index] : instruction_unsupported;
    if (!in->pair)
        return;
    for (int half = 0; half < 2; half++) {
        struct instruction *single = (struct instruction *)&in->pair[half];
        single->run = single->opcode ? handlers[single->opcode->index] : instruction_unsupported;
    }
}

static bool decode_all(struct emulated_code *code, struct disassembler *disassembler, const uint8_t *image, size_t first,
                       size_t n_bytes, handler *const *handlers)
{
    struct text_pool pool = {.arena = &code->arena};
    char buffer[TEXT_CAPACITY];
    for (size_t at = 0; at + 4 <= n_bytes;) {
        struct instruction *in = &code->instructions[code->n_instructions];
        const uint8_t *bytes = image + first + at;
        size_t size = disassembler_next(disassembler, bytes, n_bytes - at, buffer, sizeof buffer);
        if (!size) {
            size = 4;
            snprintf(buffer, sizeof buffer, ".long 0x%08x", read_u32(bytes));
        }
        const char *text = pool_text(&pool, buffer);
        if (!text)
            return false;
        parse_instruction(code->chip, text, &code->arena, in);
        in->size_bytes = (uint8_t)size;
        in->offset_bytes = (uint32_t)(first + at);
        in->target = UINT32_MAX;
        read_raw_fields(bytes, in);
        in->ordering = memory_order_of(code->chip, in);
        choose_handlers(in, handlers);
        code->has_global_atomics |= in->class == CLASS_ATOMIC || in->ordering & MEMORY_COHERENT;
        code->has_acquires |= (in->ordering & MEMORY_INVALIDATES) != 0;
        code->index_of_dword[in->offset_bytes / 4] = code->n_instructions++;
        at += size;
    }
    return true;
}

/* Branch targets: SIMM16 dwords from the next instruction. */
static void resolve_targets(struct emulated_code *code)
{
    for (uint32_t i = 0; i < code->n_instructions; i++) {
        struct instruction *in = &code->instructions[i];
        if (in->class != CLASS_BRANCH)
            continue;
        int64_t offset = (int64_t)in->offset_bytes + in->size_bytes + 4 * (int64_t)in->immediate;
        in->target = offset < 0 ? UINT32_MAX : code_index(code, code->load_address + (uint64_t)offset);
    }
}

/* Instructions after which the next one follows whatever happens: no branch, no stop, no other wave in between. */
static bool is_straight(const struct instruction *in)
{
    return in->opcode && (in->class == CLASS_SALU || in->class == CLASS_WAIT || instruction_is_vector_alu(in));
}

static bool writes_exec(const struct instruction *in)
{
    if (in->pair) /* no half of a dual instruction does: all write VGPRs, and v_cmpx is none of them */
        return false;
    for (unsigned i = 0; i < in->n_dst; i++)
        if (in->dst[i].kind == OPERAND_SCALAR && in->dst[i].index + in->dst[i].n_dwords > SREG_EXEC_LO &&
            in->dst[i].index <= SREG_EXEC_HI)
            return true;
    const char *mnemonic = in->opcode->mnemonic;
    return strstr(mnemonic, "cmpx") || strstr(mnemonic, "saveexec") || strstr(mnemonic, "wrexec");
}

/* From the last instruction back: each knows how far its straight run goes. */
static void find_straight_runs(struct emulated_code *code)
{
    for (uint32_t i = code->n_instructions + 1; i-- > 0;) {
        struct instruction *in = &code->instructions[i], *next = in + 1;
        in->n_straight = 1;
        in->n_straight_vector = instruction_is_vector(in);
        bool goes_on = i + 1 < code->n_instructions && is_straight(in) && is_straight(next) && !writes_exec(in);
        if (!goes_on || next->n_straight == MAX_STRAIGHT)
            continue;
        in->n_straight += next->n_straight;
        in->n_straight_vector += next->n_straight_vector;
    }
}

/* What runs when control falls off the last instruction. */
static void add_end(struct emulated_code *code, size_t offset_bytes)
{
    code->instructions[code->n_instructions] = (struct instruction){
        .run = instruction_off_end,
        .class = CLASS_CONTROL,
        .offset_bytes = (uint32_t)offset_bytes,
        .target = UINT32_MAX,
        .text = "(end of code)",
    };
}

bool code_decode(const struct chip *chip, uint32_t n_lanes, const uint8_t *image, size_t image_bytes, size_t first,
                 size_t n_bytes, struct emulated_code *code, struct error *error)
{
    *code = (struct emulated_code){.chip = chip, .n_lanes = n_lanes, .n_dwords = (uint32_t)(image_bytes / 4)};
    if (first % 4 || first > image_bytes || n_bytes > image_bytes - first || image_bytes > UINT32_MAX)
        return error_set(error, STATUS_USAGE, "code at bytes %zu to %zu lies outside the image of %zu bytes", first,
                         first + n_bytes, image_bytes);
    handler *const *handlers = opcode_handlers(n_lanes);
    if (!handlers)
        return error_set(error, STATUS_ENVIRONMENT,
                         "no instruction handlers for this processor; build with LEVELS=v1 or unset HIPCONTRACT_LEVEL");
    struct disassembler *disassembler = disassembler_open(chip, n_lanes, error);
    if (!disassembler)
        return false;
    code->instructions = arena_alloc(&code->arena, (n_bytes / 4 + 1) * sizeof *code->instructions);
    code->index_of_dword = arena_alloc(&code->arena, ((size_t)code->n_dwords + 1) * sizeof *code->index_of_dword);
    bool ok = code->instructions && code->index_of_dword;
    if (ok) {
        memset(code->index_of_dword, 0xff, (size_t)code->n_dwords * sizeof *code->index_of_dword);
        ok = decode_all(code, disassembler, image, first, n_bytes, handlers);
    }
    code->handlers = handlers;
    disassembler_close(disassembler);
    if (ok) {
        resolve_targets(code);
        vgpr_index_prepare(code);
        add_end(code, first + n_bytes);
        find_straight_runs(code);
        ok = flow_make(code);
    }
    if (ok)
        return true;
    code_free(code);
    return error_set(error, STATUS_ENVIRONMENT, "out of memory while decoding %zu bytes of code", n_bytes);
}

void code_free(struct emulated_code *code)
{
    arena_free(&code->arena);
    *code = (struct emulated_code){0};
}

uint32_t code_index(const struct emulated_code *code, uint64_t address)
{
    uint64_t offset = address - code->load_address;
    return offset % 4 || offset / 4 >= code->n_dwords ? UINT32_MAX : code->index_of_dword[offset / 4];
}

static bool jumps_by_register(const struct instruction *in)
{
    static const char *const mnemonics[] = {"s_swappc_b64", "s_setpc_b64", "s_call_b64"};
    for (size_t i = 0; in->opcode && i < sizeof mnemonics / sizeof *mnemonics; i++)
        if (strcmp(in->opcode->mnemonic, mnemonics[i]) == 0)
            return true;
    return false;
}

/* A branch to where no instruction starts ends the wave. */
static bool branches_out(const struct emulated_code *code, const struct instruction *in, uint64_t first, uint64_t n_bytes)
{
    if (in->class != CLASS_BRANCH || in->target == UINT32_MAX)
        return false;
    uint64_t to = code->instructions[in->target].offset_bytes;
    return to < first || to - first >= n_bytes;
}

bool code_stays_within(const struct emulated_code *code, uint64_t first, uint64_t n_bytes)
{
    uint32_t i = n_bytes ? code_index(code, code->load_address + first) : UINT32_MAX;
    if (i == UINT32_MAX)
        return false;
    for (; i < code->n_instructions && code->instructions[i].offset_bytes - first < n_bytes; i++)
        if (jumps_by_register(&code->instructions[i]) || branches_out(code, &code->instructions[i], first, n_bytes))
            return false;
    return true;
}
