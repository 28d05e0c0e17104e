#include "device/emulator/liveness.h"

#include <stdlib.h>
#include <string.h>

#include "device/emulator/sanitizer/flow.h"
#include "device/emulator/wave.h"

/* Two bits a vector register, its halves, then one a scalar place: 16-bit instructions write one half and keep the other.
 */
enum { FIRST_SCALAR_BIT = 2 * VGPR_ROWS, SET_BITS = FIRST_SCALAR_BIT + SREG_COUNT + 1, SET_WORDS = (SET_BITS + 63) / 64 };

struct place_set {
    uint64_t words[SET_WORDS];
};

struct block_sets {
    struct place_set live_in, live_out; /* needed later */
    struct place_set set_in, set_out;   /* written on some way there */
};

const char *register_file_name(enum register_file file)
{
    static const char *const names[] = {
#define REGISTER_FILE_NAME(name, text) [FILE_##name] = text,
        REGISTER_FILES(REGISTER_FILE_NAME)
#undef REGISTER_FILE_NAME
    };
    return names[file];
}

static void set_bits(struct place_set *set, unsigned first, unsigned n)
{
    for (unsigned bit = first; bit < first + n && bit < SET_BITS; bit++)
        set->words[bit / 64] |= UINT64_C(1) << bit % 64;
}

static void add_range(struct place_set *set, struct flow_range range)
{
    if (range.first >= FLOW_SCALAR) {
        set_bits(set, FIRST_SCALAR_BIT + range.first - FLOW_SCALAR, range.n);
        return;
    }
    for (unsigned row = range.first; row < range.first + range.n && row < VGPR_ROWS; row++)
        set_bits(set, 2 * row + (range.part == FLOW_HIGH), range.part == FLOW_WHOLE ? 2 : 1);
}

static void unite(struct place_set *set, const struct place_set *with)
{
    for (int w = 0; w < SET_WORDS; w++)
        set->words[w] |= with->words[w];
}

static struct place_set both(const struct place_set *a, const struct place_set *b)
{
    struct place_set set;
    for (int w = 0; w < SET_WORDS; w++)
        set.words[w] = a->words[w] & b->words[w];
    return set;
}

/* Controls that find a source lane for every lane, so that the result is written whole. */
static bool has_all_source_lanes(uint8_t dpp_kind)
{
    const unsigned kinds = 1u << DPP_QUAD_PERM | 1u << DPP_ROW_ROR | 1u << DPP_ROW_MIRROR | 1u << DPP_ROW_HALF_MIRROR |
                           1u << DPP_ROW_SHARE | 1u << DPP_ROW_XMASK | 1u << DPP_ROW_NEWBCAST | 1u << DPP_WAVE_ROL |
                           1u << DPP_WAVE_ROR;
    return kinds >> dpp_kind & 1;
}

/* DPP leaves lanes of its result as they were where a mask says so, or where they have no source lane (RDNA3.5 ISA,
 * "DPP16", BOUND_CTRL). */
static bool keeps_lanes(const struct instruction *in)
{
    return in->form == FORM_DPP16 && (in->row_mask != 0xf || in->bank_mask != 0xf ||
                                      (!(in->flags & FLAG_BOUND_CTRL) && !has_all_source_lanes(in->dpp_kind)));
}

/* The old value ends where all of what is named is overwritten: a half that a range names, but not bytes of one (SDWA). */
static bool ends_old_value(const struct instruction *in, const struct flow *flow, struct flow_range range)
{
    bool keeps_bytes = flow->flags & FLOW_PARTIAL && range.part == FLOW_WHOLE;
    return !keeps_bytes && !keeps_lanes(in) && flow->rule != RULE_RELATIVE;
}

static struct place_set writes_of(const struct flow *flow)
{
    struct place_set set = {0};
    for (unsigned i = 0; i < flow->n_writes; i++)
        add_range(&set, flow->writes[i]);
    return set;
}

/* What is live before an instruction, from what is after it. */
static void step_back(const struct instruction *in, const struct flow *flow, struct place_set *live)
{
    struct place_set ended = {0};
    for (unsigned i = 0; i < flow->n_writes; i++)
        if (ends_old_value(in, flow, flow->writes[i]))
            add_range(&ended, flow->writes[i]);
    for (int w = 0; w < SET_WORDS; w++)
        live->words[w] &= ~ended.words[w];
    for (unsigned i = 0; i < flow->n_reads; i++)
        add_range(live, flow->reads[i]);
}

/* One pass over the blocks, the last first, as most of what follows a block stands behind it; true where something grew. */
static bool flow_back(struct liveness *liveness)
{
    const struct emulated_code *code = liveness->code;
    bool changed = false;
    for (uint32_t b = liveness->flow.n_blocks; b-- > 0;) {
        const struct basic_block *block = &liveness->flow.blocks[b];
        struct block_sets *sets = &liveness->sets[b];
        for (unsigned i = 0; i < block->n_next; i++)
            unite(&sets->live_out, &liveness->sets[block->next[i]].live_in);
        struct place_set live = sets->live_out;
        for (uint32_t i = block->end; i-- > block->first;)
            step_back(&code->instructions[i], &code->flow[i], &live);
        changed |= memcmp(&live, &sets->live_in, sizeof live) != 0;
        sets->live_in = live;
    }
    return changed;
}

static bool flow_on(struct liveness *liveness)
{
    bool changed = false;
    for (uint32_t b = 0; b < liveness->flow.n_blocks; b++) {
        const struct basic_block *block = &liveness->flow.blocks[b];
        struct block_sets *sets = &liveness->sets[b];
        struct place_set set = sets->set_in;
        for (uint32_t i = block->first; i < block->end; i++) {
            struct place_set written = writes_of(&liveness->code->flow[i]);
            unite(&set, &written);
        }
        changed |= memcmp(&set, &sets->set_out, sizeof set) != 0;
        sets->set_out = set;
        for (unsigned i = 0; i < block->n_next; i++)
            unite(&liveness->sets[block->next[i]].set_in, &set);
    }
    return changed;
}

/* What the wave starts with: ids of its work-items in v0 … v2, and any scalar (AMDGPUUsage, "Initial Kernel Execution
 * State"). */
static struct place_set start_set(void)
{
    struct place_set set = {0};
    set_bits(&set, 0, 2 * 3);
    set_bits(&set, FIRST_SCALAR_BIT, SREG_COUNT + 1);
    return set;
}

/* Registers of a file in a set: a vector register for either half. */
static unsigned count_file(const struct place_set *set, enum register_file file)
{
    const uint64_t low_halves = UINT64_C(0x5555555555555555);
    unsigned n = 0;
    if (file == FILE_SGPR) {
        for (unsigned bit = FIRST_SCALAR_BIT; bit < FIRST_SCALAR_BIT + SREG_VCC_LO; bit++)
            n += set->words[bit / 64] >> bit % 64 & 1;
        return n;
    }
    unsigned first = file == FILE_AGPR ? 2 * AGPR_FIRST_ROW / 64 : 0;
    for (unsigned w = first; w < first + 2 * AGPR_FIRST_ROW / 64; w++)
        n += (unsigned)__builtin_popcountll((set->words[w] | set->words[w] >> 1) & low_halves);
    return n;
}

/* Live before and after one instruction, what it writes included, of what is written on some way there. */
struct live_pair {
    struct place_set before, after;
};

/* Of the instructions of a block, from its last back. */
static void pairs_of_block(const struct liveness *liveness, uint32_t b, struct live_pair *pairs)
{
    const struct emulated_code *code = liveness->code;
    const struct basic_block *block = &liveness->flow.blocks[b];
    struct place_set live = liveness->sets[b].live_out, set = liveness->sets[b].set_in;
    for (uint32_t i = block->end; i-- > block->first;) {
        struct live_pair *pair = &pairs[i - block->first];
        struct place_set written = writes_of(&code->flow[i]);
        pair->after = live;
        unite(&pair->after, &written);
        step_back(&code->instructions[i], &code->flow[i], &live);
        pair->before = live;
    }
    for (uint32_t i = block->first; i < block->end; i++) {
        struct live_pair *pair = &pairs[i - block->first];
        struct place_set written = writes_of(&code->flow[i]);
        pair->before = both(&pair->before, &set);
        unite(&set, &written);
        pair->after = both(&pair->after, &set);
    }
}

static void count_all(struct liveness *liveness, struct live_pair *pairs)
{
    for (uint32_t b = 0; b < liveness->flow.n_blocks; b++) {
        const struct basic_block *block = &liveness->flow.blocks[b];
        pairs_of_block(liveness, b, pairs);
        for (uint32_t i = block->first; i < block->end; i++)
            for (int file = 0; file < REGISTER_FILE_COUNT; file++) {
                unsigned before = count_file(&pairs[i - block->first].before, (enum register_file)file);
                unsigned after = count_file(&pairs[i - block->first].after, (enum register_file)file);
                liveness->at[i].n[file] = (uint16_t)(before > after ? before : after);
            }
    }
}

static void find_peaks(struct liveness *liveness)
{
    for (int file = 0; file < REGISTER_FILE_COUNT; file++) {
        unsigned peak = 0;
        liveness->peak[file] = NO_INSTRUCTION;
        for (uint32_t i = 0; i < liveness->code->n_instructions; i++)
            if (liveness->at[i].n[file] > peak) {
                peak = liveness->at[i].n[file];
                liveness->peak[file] = i;
            }
    }
}

static const char *why_incomplete(const struct liveness *liveness)
{
    const struct emulated_code *code = liveness->code;
    if (liveness->flow.jumps_by_register)
        return "it calls functions, whose registers are not counted";
    if (code->wraps_vectors)
        return "it picks registers by index";
    for (uint32_t i = 0; i < code->n_instructions; i++)
        if (!code->instructions[i].opcode)
            return "it has instructions that the emulator does not know";
        else if (code->flow[i].rule == RULE_RELATIVE)
            return "it picks registers by index";
    return NULL;
}

bool liveness_make(const struct emulated_code *code, struct liveness *liveness)
{
    *liveness = (struct liveness){.code = code};
    struct arena *arena = &liveness->arena;
    liveness->at = arena_alloc(arena, ((size_t)code->n_instructions + 1) * sizeof *liveness->at);
    struct live_pair *pairs = malloc(((size_t)code->n_instructions + 1) * sizeof *pairs);
    bool ok = liveness->at && pairs && control_flow_make(code, arena, &liveness->flow);
    liveness->sets = ok ? arena_alloc(arena, ((size_t)liveness->flow.n_blocks + 1) * sizeof *liveness->sets) : NULL;
    if (liveness->sets) {
        liveness->sets[0].set_in = start_set();
        while (flow_back(liveness))
            continue;
        while (flow_on(liveness))
            continue;
        count_all(liveness, pairs);
        find_peaks(liveness);
        liveness->incomplete = why_incomplete(liveness);
    }
    free(pairs);
    return liveness->sets;
}

void liveness_free(struct liveness *liveness)
{
    arena_free(&liveness->arena);
    *liveness = (struct liveness){0};
}

/* A search back from an instruction for who wrote what is live there. */
struct search {
    const struct liveness *liveness;
    bool wanted[FLOW_PLACES];
    uint32_t writer[FLOW_PLACES];
    unsigned n_wanted;
    bool *seen;      /* [n_blocks] */
    uint32_t *queue; /* [n_blocks]: to search whole */
    uint32_t n_queued;
};

static void note_writes(struct search *search, uint32_t i)
{
    const struct flow *flow = &search->liveness->code->flow[i];
    for (unsigned k = 0; k < flow->n_writes; k++)
        for (unsigned p = flow->writes[k].first; p < (unsigned)flow->writes[k].first + flow->writes[k].n; p++)
            if (p < FLOW_PLACES && search->wanted[p]) {
                search->wanted[p] = false;
                search->writer[p] = i;
                search->n_wanted--;
            }
}

/* Instructions before `end` of a block, the last first; then the blocks before it. */
static void search_block(struct search *search, uint32_t b, uint32_t end)
{
    const struct control_flow *flow = &search->liveness->flow;
    for (uint32_t i = end; i-- > flow->blocks[b].first && search->n_wanted;)
        note_writes(search, i);
    for (uint32_t before = 0; before < flow->n_blocks; before++)
        for (unsigned k = 0; k < flow->blocks[before].n_next; k++)
            if (flow->blocks[before].next[k] == b && !search->seen[before]) {
                search->seen[before] = true;
                search->queue[search->n_queued++] = before;
            }
}

static void search_back(struct search *search, uint32_t instruction, bool includes_it)
{
    const struct control_flow *flow = &search->liveness->flow;
    search_block(search, flow->block_of[instruction], instruction + includes_it);
    for (uint32_t i = 0; i < search->n_queued && search->n_wanted; i++)
        search_block(search, search->queue[i], flow->blocks[search->queue[i]].end);
}

static bool holds_place(const struct place_set *set, unsigned place)
{
    unsigned bit = place < FLOW_SCALAR ? 2 * place : FIRST_SCALAR_BIT + place - FLOW_SCALAR;
    uint64_t mask = (place < FLOW_SCALAR ? UINT64_C(3) : UINT64_C(1)) << bit % 64;
    return set->words[bit / 64] & mask;
}

bool liveness_before(const struct liveness *liveness, uint32_t instruction, bool *is_live)
{
    uint32_t b = liveness->flow.block_of[instruction];
    const struct basic_block *block = &liveness->flow.blocks[b];
    struct live_pair *pairs = calloc(block->end - block->first, sizeof *pairs);
    if (!pairs)
        return false;
    pairs_of_block(liveness, b, pairs);
    for (unsigned place = 0; place < FLOW_PLACES; place++)
        is_live[place] = holds_place(&pairs[instruction - block->first].before, place);
    free(pairs);
    return true;
}

static void file_places(enum register_file file, unsigned *first, unsigned *end)
{
    static const uint16_t firsts[] = {[FILE_VGPR] = 0, [FILE_AGPR] = AGPR_FIRST_ROW, [FILE_SGPR] = FLOW_SCALAR};
    static const uint16_t ends[] = {
        [FILE_VGPR] = AGPR_FIRST_ROW, [FILE_AGPR] = VGPR_ROWS, [FILE_SGPR] = FLOW_SCALAR + SREG_VCC_LO};
    *first = firsts[file];
    *end = ends[file];
}

/* The greater of before and after, which at[instruction] counts. */
static struct place_set counted_set(const struct liveness *liveness, uint32_t instruction, enum register_file file,
                                    struct live_pair *pairs, bool *is_after)
{
    uint32_t b = liveness->flow.block_of[instruction];
    pairs_of_block(liveness, b, pairs);
    const struct live_pair *pair = &pairs[instruction - liveness->flow.blocks[b].first];
    *is_after = count_file(&pair->after, file) > count_file(&pair->before, file);
    return *is_after ? pair->after : pair->before;
}

/* NO_INSTRUCTION is all ones. */
static void want(struct search *search, const struct place_set *set, enum register_file file)
{
    unsigned first, end;
    file_places(file, &first, &end);
    memset(search->writer, 0xff, sizeof search->writer);
    for (unsigned place = first; place < end; place++) {
        search->wanted[place] = holds_place(set, place);
        search->n_wanted += search->wanted[place];
    }
}

static size_t list_values(const struct search *search, const struct place_set *set, enum register_file file,
                          struct live_value *values)
{
    unsigned first, end;
    size_t n = 0;
    file_places(file, &first, &end);
    for (unsigned place = first; place < end; place++)
        if (holds_place(set, place))
            values[n++] = (struct live_value){.place = (uint16_t)place, .writer = search->writer[place]};
    return n;
}

size_t liveness_values(const struct liveness *liveness, uint32_t instruction, enum register_file file,
                       struct live_value *values)
{
    const struct basic_block *block = &liveness->flow.blocks[liveness->flow.block_of[instruction]];
    struct live_pair *pairs = calloc(block->end - block->first, sizeof *pairs);
    struct search search = {.liveness = liveness,
                            .seen = calloc(liveness->flow.n_blocks, sizeof *search.seen),
                            .queue = calloc(liveness->flow.n_blocks, sizeof *search.queue)};
    size_t n = 0;
    if (pairs && search.seen && search.queue) {
        bool is_after;
        struct place_set set = counted_set(liveness, instruction, file, pairs, &is_after);
        want(&search, &set, file);
        search_back(&search, instruction, is_after);
        n = list_values(&search, &set, file, values);
    }
    free(pairs);
    free(search.seen);
    free(search.queue);
    return n;
}
