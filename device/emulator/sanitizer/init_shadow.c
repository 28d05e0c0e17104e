/*
 * Instructions that move lanes about tell where each lane went when they run on the undefined bits in place of the values;
 * matrix instructions tell which results depend on undefined values when they run on two choices of them. Both leave the
 * registers as they were.
 */
#include <stdalign.h>
#include <string.h>

#include "device/emulator/sanitizer/init.h"
#include "device/emulator/sanitizer/lane_move.h"

enum { KEPT_ROWS = 128 };

/* Rows put aside. */
struct kept {
    unsigned n_rows;
    uint16_t row[KEPT_ROWS];
    alignas(64) uint32_t values[KEPT_ROWS][MAX_LANES];
};

static uint32_t *row_of(const struct wave *wave, unsigned row)
{
    return wave->vgpr + (size_t)row * wave->n_lanes;
}

static bool keep(const struct wave *wave, const struct flow_range *range, struct kept *kept)
{
    if (range->first >= FLOW_SCALAR)
        return true;
    for (unsigned i = 0; i < range->n; i++) {
        if (kept->n_rows == KEPT_ROWS)
            return false;
        kept->row[kept->n_rows] = (uint16_t)(range->first + i);
        memcpy(kept->values[kept->n_rows++], row_of(wave, range->first + i), 4 * (size_t)wave->n_lanes);
    }
    return true;
}

static void restore(const struct wave *wave, const struct kept *kept)
{
    for (unsigned i = 0; i < kept->n_rows; i++)
        memcpy(row_of(wave, kept->row[i]), kept->values[i], 4 * (size_t)wave->n_lanes);
}

/* Ones in the bytes of a row that are undefined, in place of the values at another. */
static void show_undefined_at(const struct wave *wave, unsigned row, unsigned at)
{
    const uint64_t *bytes = wave->checks->init->rows[row];
    uint32_t *values = row_of(wave, at);
    for (unsigned lane = 0; lane < wave->n_lanes; lane++) {
        values[lane] = 0;
        for (unsigned b = 0; b < ROW_BYTES; b++)
            values[lane] |= (bytes[b] >> lane & 1 ? 0xffu : 0u) << 8 * b;
    }
}

static void show_undefined(const struct wave *wave, unsigned row)
{
    show_undefined_at(wave, row, row);
}

static void take_undefined(const struct wave *wave, const uint32_t *values, uint64_t bytes[ROW_BYTES])
{
    for (unsigned b = 0; b < ROW_BYTES; b++) {
        bytes[b] = 0;
        for (unsigned lane = 0; lane < wave->n_lanes; lane++)
            bytes[b] |= (uint64_t)((values[lane] >> 8 * b & 0xff) != 0) << lane;
    }
}

static bool any_undefined(const struct wave *wave, const struct flow_range *range)
{
    const struct init_wave *init = wave->checks->init;
    uint64_t all = 0;
    for (unsigned i = 0; i < range->n; i++)
        all |= range->first < FLOW_SCALAR ? row_any(init->rows[range->first + i])
                                          : init->scalars[range->first - FLOW_SCALAR + i];
    return all != 0;
}

/* Bits of RULE_PERMUTE's detail: the source whose lanes move; each lane says where its own goes, not which it takes. */
enum { PERMUTE_DATA = 1, PERMUTE_GIVES = 2 };

/* Lanes that are on and whose choice of a lane is undefined: all of them where it is a scalar's. */
static uint64_t choice_undefined(const struct wave *wave, const struct flow *flow, unsigned data)
{
    uint64_t exec = wave_exec(wave), lanes = 0;
    for (unsigned k = 0; k < flow->n_reads; k++) {
        const struct flow_range *range = &flow->reads[k];
        if (k == data || !range->n)
            continue;
        bool vector = range->first < FLOW_SCALAR;
        lanes |= vector ? row_any(wave->checks->init->rows[range->first]) : any_undefined(wave, range) ? UINT64_MAX : 0;
    }
    return lanes & exec;
}

/* The handler on registers that are named already: gfx9's indexing has been done. */
static void run_handler(struct wave *wave, const struct instruction *in)
{
    wave->code->handlers[in->opcode->index](wave, in);
}

static bool takes_part(const struct flow *flow, unsigned row)
{
    for (unsigned k = 0; k < flow->n_reads; k++)
        if (row - flow->reads[k].first < flow->reads[k].n)
            return true;
    for (unsigned k = 0; k < flow->n_writes; k++)
        if (row - flow->writes[k].first < flow->writes[k].n)
            return true;
    return false;
}

/* Puts aside a row from `row` on that the instruction has nothing to do with, to stand in for the operand. */
static unsigned borrow(const struct wave *wave, const struct flow *flow, unsigned row, struct operand *operand,
                       struct kept *kept)
{
    while (takes_part(flow, row))
        row++;
    struct flow_range range = {.first = (uint16_t)row, .n = 1};
    keep(wave, &range, kept);
    operand->kind = OPERAND_VGPR;
    operand->index = (uint16_t)row;
    return row;
}

/* The data and the result stand in borrowed rows, so that an address in the same register stays what it is. */
static void permute_undefined(struct wave *wave, const struct instruction *in, const struct flow *flow, unsigned operand)
{
    unsigned to = flow->writes[0].first;
    struct instruction copy = *in;
    struct kept kept = {0};
    copy.plain = 0;
    unsigned data_row = borrow(wave, flow, 0, &copy.src[operand], &kept);
    unsigned result_row = borrow(wave, flow, data_row + 1, &copy.dst[0], &kept);
    show_undefined_at(wave, flow->reads[operand].first, data_row);
    show_undefined_at(wave, to, result_row);
    run_handler(wave, &copy);
    take_undefined(wave, row_of(wave, result_row), wave->checks->init->rows[to]);
    restore(wave, &kept);
}

void init_permute(struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    struct init_wave *init = wave->checks->init;
    unsigned operand = flow->detail & PERMUTE_DATA;
    const struct flow_range *data = &flow->reads[operand], *to = &flow->writes[0];
    if (!flow->n_dst || to->first >= FLOW_SCALAR || data->first >= FLOW_SCALAR)
        return;
    uint64_t chance = choice_undefined(wave, flow, operand);
    bool moves = any_undefined(wave, data) || any_undefined(wave, to);
    if (!chance && !moves)
        return;
    if (chance && flow->detail & PERMUTE_GIVES)
        chance = wave_exec(wave);
    if (moves)
        permute_undefined(wave, in, flow, operand);
    for (unsigned b = 0; b < ROW_BYTES; b++)
        init->rows[to->first][b] |= chance;
    init_pass_origin(init, flow);
}

void init_swap_lanes(struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    struct init_wave *init = wave->checks->init;
    unsigned a = flow->writes[0].first, b = flow->reads[0].first;
    if (!any_undefined(wave, &flow->writes[0]) && !any_undefined(wave, &flow->reads[0]))
        return;
    struct kept kept = {0};
    keep(wave, &flow->writes[0], &kept);
    keep(wave, &flow->reads[0], &kept);
    show_undefined(wave, a);
    show_undefined(wave, b);
    run_handler(wave, in);
    take_undefined(wave, row_of(wave, a), init->rows[a]);
    take_undefined(wave, row_of(wave, b), init->rows[b]);
    restore(wave, &kept);
    init_pass_origin(init, flow);
}

/* Values that tell a lane that the move writes from one that it leaves. */
#define LEFT UINT32_C(0x5a5a5a5a)

uint64_t init_dpp(struct wave *wave, const struct instruction *in, unsigned row, unsigned n_rows,
                  uint64_t moved[][ROW_BYTES])
{
    uint64_t written = wave_exec(wave);
    for (unsigned i = 0; i < n_rows; i++) {
        /* The row above is borrowed as the destination. */
        unsigned from = row + i, to = from ^ 1;
        struct instruction move;
        struct kept kept = {0};
        struct flow_range both[2] = {{.first = (uint16_t)from, .n = 1}, {.first = (uint16_t)to, .n = 1}};
        if (!lane_move_make(wave, in, from, to, &move) || !keep(wave, &both[0], &kept) || !keep(wave, &both[1], &kept))
            return written;
        show_undefined(wave, from);
        uint32_t *result = row_of(wave, to);
        for (unsigned lane = 0; lane < wave->n_lanes; lane++)
            result[lane] = LEFT;
        move.run(wave, &move);
        for (unsigned lane = 0; lane < wave->n_lanes; lane++)
            if (result[lane] == LEFT) {
                written &= ~(UINT64_C(1) << lane);
                result[lane] = 0;
            }
        take_undefined(wave, result, moved[i]);
        restore(wave, &kept);
    }
    return written;
}

/* A small positive number in every format of a byte or more, so that no product of two is 0 and no sum of some is the sum
 * of fewer. To FP4 and FP6 it is a mixture that has zeros of either sign: there an undefined element may pass for defined.
 */
#define MATRIX_PATTERN UINT32_C(0x38383838)

static bool is_factor(unsigned k)
{
    return k < 2;
}

static bool is_sum(const struct instruction *in, const struct flow *flow, unsigned k)
{
    bool sparse = strstr(in->opcode->mnemonic, "smfmac") || strstr(in->opcode->mnemonic, "swmmac");
    return sparse ? k >= flow->n_src : k == 2;
}

/* Operands as matrices: undefined elements are 0 or the pattern as `choice` says, defined ones the pattern (factors) or 0
 * (the accumulator). Indices and scales stay. */
static void fill_matrices(const struct wave *wave, const struct instruction *in, const struct flow *flow, uint32_t choice)
{
    for (unsigned k = 0; k < flow->n_reads; k++) {
        const struct flow_range *range = &flow->reads[k];
        bool factor = is_factor(k);
        if (range->first >= FLOW_SCALAR || !(factor || is_sum(in, flow, k)))
            continue;
        for (unsigned i = 0; i < range->n; i++) {
            uint32_t *values = row_of(wave, range->first + i);
            show_undefined(wave, range->first + i);
            for (unsigned lane = 0; lane < wave->n_lanes; lane++)
                values[lane] = (values[lane] & choice) | (factor ? ~values[lane] & MATRIX_PATTERN : 0);
        }
    }
}

static void undefine_all(struct wave *wave, const struct flow *flow)
{
    for (unsigned i = 0; i < flow->writes[0].n; i++)
        for (unsigned b = 0; b < ROW_BYTES; b++)
            wave->checks->init->rows[flow->writes[0].first + i][b] = wave->full_exec;
    init_pass_origin(wave->checks->init, flow);
}

/* Sparse indices say which elements meet, and scales multiply them all. */
static bool indices_or_scales_undefined(const struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    for (unsigned k = 0; k < flow->n_reads; k++)
        if (!is_factor(k) && !is_sum(in, flow, k) && any_undefined(wave, &flow->reads[k]))
            return true;
    return false;
}

/* Halves that the two choices make different are undefined. */
static void take_differences(struct wave *wave, const struct flow_range *to, uint32_t first[][MAX_LANES])
{
    for (unsigned i = 0; i < to->n; i++) {
        uint32_t differs[MAX_LANES];
        const uint32_t *second = row_of(wave, to->first + i);
        for (unsigned lane = 0; lane < wave->n_lanes; lane++) {
            uint32_t bits = first[i][lane] ^ second[lane];
            differs[lane] = (bits & 0xffff ? 0xffffu : 0) | (bits >> 16 ? 0xffff0000u : 0);
        }
        take_undefined(wave, differs, wave->checks->init->rows[to->first + i]);
    }
}

enum { MATRIX_ROWS = 32 };

void init_matrix(struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    const struct flow_range to = flow->writes[0];
    struct kept kept = {0};
    uint32_t first[MATRIX_ROWS][MAX_LANES];
    bool ok = flow->n_dst == 1 && to.first < FLOW_SCALAR && to.n <= MATRIX_ROWS;
    ok = ok && !indices_or_scales_undefined(wave, in, flow);
    for (unsigned k = 0; k < flow->n_reads; k++)
        ok = ok && keep(wave, &flow->reads[k], &kept);
    if (!ok || !keep(wave, &to, &kept)) {
        undefine_all(wave, flow);
        return;
    }
    fill_matrices(wave, in, flow, 0);
    run_handler(wave, in);
    for (unsigned i = 0; i < to.n; i++)
        memcpy(first[i], row_of(wave, to.first + i), 4 * (size_t)wave->n_lanes);
    fill_matrices(wave, in, flow, MATRIX_PATTERN);
    run_handler(wave, in);
    take_differences(wave, &to, first);
    restore(wave, &kept);
    init_pass_origin(wave->checks->init, flow);
}
