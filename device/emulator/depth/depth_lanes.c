/*
 * Counts where lanes trade places: the instruction's own handler moves them, in a small register file that takes the place
 * of the wave's. And where many lanes meet in one: matrix instructions.
 */
#include <stdalign.h>
#include <string.h>

#include "device/emulator/depth/depth_state.h"
#include "device/emulator/sanitizer/lane_move.h"

enum { FILE_ROWS = 8 };

struct file {
    alignas(64) uint32_t rows[FILE_ROWS * MAX_LANES];
};

static uint32_t *file_row(struct file *file, const struct wave *wave, unsigned row)
{
    return file->rows + (size_t)row * wave->n_lanes;
}

static void run_in(struct wave *wave, struct file *file, handler *run, const struct instruction *in)
{
    uint32_t *registers = wave->vgpr;
    wave->vgpr = file->rows;
    run(wave, in);
    wave->vgpr = registers;
}

static void show_counts(const struct wave *wave, unsigned row, uint32_t *to)
{
    for (unsigned lane = 0; lane < wave->n_lanes; lane++)
        to[lane] = depth_lane(wave, row, lane);
}

/* Of lanes that are not written: no count and no zero. */
#define LEFT UINT32_MAX

uint64_t depth_dpp(struct wave *wave, const struct instruction *in, const uint32_t *lanes, uint32_t *moved)
{
    enum { FROM, TO };
    struct file file;
    struct instruction move;
    uint64_t written = depth_exec(wave);
    uint32_t *to = file_row(&file, wave, TO);
    memcpy(file_row(&file, wave, FROM), lanes, wave->n_lanes * sizeof *lanes);
    for (unsigned lane = 0; lane < wave->n_lanes; lane++)
        to[lane] = LEFT;
    if (lane_move_make(wave, in, FROM, TO, &move))
        run_in(wave, &file, move.run, &move);
    for (unsigned lane = 0; lane < wave->n_lanes; lane++)
        written &= ~((uint64_t)(to[lane] == LEFT) << lane);
    memcpy(moved, to, wave->n_lanes * sizeof *moved);
    return written;
}

static void stand_in(struct operand *operand, unsigned row)
{
    operand->kind = OPERAND_VGPR;
    operand->index = (uint16_t)row;
}

/* Bit of RULE_PERMUTE's detail: source 1's lanes move, not source 0's (rules.def). */
enum { PERMUTE_DATA = 1 };

void depth_permute(struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    enum { RESULT, SOURCES };
    const struct depth_wave *depth = wave->checks->depth;
    const unsigned data = flow->detail & PERMUTE_DATA;
    if (!flow->n_dst || flow->writes[0].first >= FLOW_SCALAR || flow->n_src + SOURCES > FILE_ROWS)
        return;
    struct file file;
    struct instruction copy = *in;
    copy.plain = 0;
    for (unsigned k = 0; k < flow->n_src; k++) {
        const struct flow_range *range = &flow->reads[k];
        bool is_vector = range->n && range->first < FLOW_SCALAR;
        uint32_t *row = file_row(&file, wave, SOURCES + k);
        if (k == data && is_vector)
            show_counts(wave, range->first, row);
        else if (k == data)
            for (unsigned lane = 0; lane < wave->n_lanes; lane++)
                row[lane] = range->n ? depth->scalars[range->first - FLOW_SCALAR] : 0;
        else if (is_vector)
            memcpy(row, wave->vgpr + (size_t)range->first * wave->n_lanes, wave->n_lanes * sizeof *row);
        if (k == data || is_vector)
            stand_in(&copy.src[k], SOURCES + k);
    }
    stand_in(&copy.dst[0], RESULT);
    show_counts(wave, flow->writes[0].first, file_row(&file, wave, RESULT));
    run_in(wave, &file, wave->code->handlers[in->opcode->index], &copy);
    depth_set_lanes(wave, flow->writes[0].first, wave->full_exec, file_row(&file, wave, RESULT));
}

/* v_permlane16_swap, v_permlane32_swap: both registers change. */
void depth_swap_lanes(struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    struct file file;
    struct instruction copy = *in;
    unsigned rows[] = {flow->writes[0].first, flow->reads[0].first};
    copy.plain = 0;
    stand_in(&copy.dst[0], 0);
    stand_in(&copy.src[0], rows[0] == rows[1] ? 0 : 1);
    for (unsigned i = 0; i < 2; i++)
        show_counts(wave, rows[i], file_row(&file, wave, i));
    run_in(wave, &file, wave->code->handlers[in->opcode->index], &copy);
    for (unsigned i = 0; i < (rows[0] == rows[1] ? 1u : 2u); i++)
        depth_set_lanes(wave, rows[i], wave->full_exec, file_row(&file, wave, i));
}

/* Moves and exchanges of registers, by index in M0 among them: on the counts of all registers. */
void depth_move_registers(struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    struct depth_wave *depth = wave->checks->depth;
    uint32_t *registers = wave->vgpr;
    if (flow->n_src && (!flow->reads[0].n || flow->reads[0].first >= FLOW_SCALAR)) {
        depth_set_all(wave, flow->writes[0].first, depth_exec(wave), depth_both(DEPTH_DATA)); /* a scalar, somewhere */
        return;
    }
    for (unsigned row = 0; row < VGPR_ROWS; row++)
        depth_spread(wave, row);
    wave->vgpr = depth->lanes;
    wave->code->handlers[in->opcode->index](wave, in);
    wave->vgpr = registers;
    for (unsigned row = 0; row < VGPR_ROWS; row++)
        depth_settle(wave, row);
}

/* v_readlane (from the lane that source 1 names) and v_readfirstlane. */
void depth_read_lane(struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    struct depth_wave *depth = wave->checks->depth;
    uint64_t exec = depth_exec(wave);
    unsigned lane = exec ? (unsigned)__builtin_ctzll(exec) : 0;
    if (flow->reads[0].first >= FLOW_SCALAR || !flow->reads[0].n || !flow->n_dst || !flow->writes[0].n)
        return;
    if (flow->n_src > 1) {
        const struct flow_range *select = &flow->reads[1];
        uint32_t value = select->n ? wave->sgpr[select->first - FLOW_SCALAR] : (uint32_t)in->src[1].constant;
        lane = value & (wave->n_lanes - 1);
    }
    depth->scalars[flow->writes[0].first - FLOW_SCALAR] = depth_lane(wave, flow->reads[0].first, lane);
}

void depth_write_lane(struct wave *wave, const struct instruction *in, const struct flow *flow)
{
    const struct flow_range *data = &flow->reads[0], *select = &flow->reads[1];
    uint32_t lane = select->n ? wave->sgpr[select->first - FLOW_SCALAR] : (uint32_t)in->src[1].constant;
    uint32_t halves = data->n ? wave->checks->depth->scalars[data->first - FLOW_SCALAR] : depth_both(DEPTH_CONSTANT);
    depth_set_all(wave, flow->writes[0].first, UINT64_C(1) << (lane & (wave->n_lanes - 1)), halves);
}

/* ---- matrices ---- */

static uint32_t largest_of(struct wave *wave, const struct flow_range *range)
{
    const struct depth_wave *depth = wave->checks->depth;
    uint32_t count = 0;
    for (unsigned i = 0; i < range->n; i++) {
        unsigned row = range->first + i;
        if (range->first >= FLOW_SCALAR)
            count = depth_larger(count, depth_any(depth->scalars[row - FLOW_SCALAR]));
        else if (!depth->mixed[row])
            count = depth_larger(count, depth_any(depth->all[row]));
        else
            for (unsigned lane = 0; lane < wave->n_lanes; lane++)
                count = depth_larger(count, depth_any(depth_lane(wave, row, lane)));
    }
    return count;
}

/* The accumulator has the result's layout, register by register and lane by lane. A sparse one is the destination. */
static const struct flow_range *accumulator_of(const struct flow *flow)
{
    const struct flow_range *last = &flow->reads[flow->n_reads - 1];
    return flow->n_reads > flow->n_src ? last : &flow->reads[2];
}

/* Any factor may meet any result: its largest count counts for all of them. EXEC has no say. */
void depth_matrix(struct wave *wave, const struct flow *flow, const struct depth_opcode *opcode)
{
    const struct flow_range *to = &flow->writes[0], *from = accumulator_of(flow);
    struct depth_wave *depth = wave->checks->depth;
    uint32_t factors = depth_larger(largest_of(wave, &flow->reads[0]), largest_of(wave, &flow->reads[1]));
    uint32_t products = depth_plus(factors, opcode->once + opcode->steps);
    bool in_registers = from->n && from->first < FLOW_SCALAR;
    if (to->first >= FLOW_SCALAR)
        return;
    for (unsigned i = 0; i < to->n; i++) {
        unsigned row = from->first + (i < from->n ? i : 0);
        if (!in_registers || !depth->mixed[row]) {
            uint32_t held = in_registers ? depth_any(depth->all[row]) : DEPTH_CONSTANT;
            uint32_t count = depth_larger(products, depth_plus(held, opcode->steps));
            depth_set_all(wave, to->first + i, wave->full_exec, depth_both(count));
            continue;
        }
        uint32_t halves[MAX_LANES];
        for (unsigned lane = 0; lane < wave->n_lanes; lane++) {
            uint32_t held = depth_plus(depth_any(depth_lane(wave, row, lane)), opcode->steps);
            halves[lane] = depth_both(depth_larger(products, held));
        }
        depth_set_lanes(wave, to->first + i, wave->full_exec, halves);
    }
}
