/*
 * Instructions that read or write other lanes or registers than their own: readlane, permlane, lane counts, swaps, and
 * relative register moves (ISA, "Vector ALU Operations" and "VGPR indexing").
 */
#include "device/emulator/ops/int_loops.h"

HANDLER(v_nop)
{
    (void)wave;
    (void)in;
}

/* The lowest active lane; lane 0 where none is (ISA, V_READFIRSTLANE_B32). */
HANDLER(v_readfirstlane_b32)
{
    LANES32(a, 0);
    uint64_t exec = exec_read(wave);
    scalar_write32(wave, &in->dst[0], a[exec ? __builtin_ctzll(exec) : 0]);
}

/* Lane numbers wrap at the wave size; exec does not matter. */
HANDLER(v_readlane_b32)
{
    LANES32(a, 0);
    scalar_write32(wave, &in->dst[0], a[scalar_read32(wave, &in->src[1]) % WAVE_LANES]);
}

HANDLER(v_writelane_b32)
{
    uint32_t *row = vgpr_row(wave, operand_row(&in->dst[0]));
    row[scalar_read32(wave, &in->src[1]) % WAVE_LANES] = scalar_read32(wave, &in->src[0]);
}

/* Ones of the mask below this lane, in its low or high 32 lanes, plus source 1. */
static void count_lanes_below(struct wave *wave, const struct instruction *in, int first_lane)
{
    LANES32(a, 0);
    LANES32(b, 1);
    RESULT32(d);
    EACH_LANE
    {
        int below = lane - first_lane;
        uint32_t mask = below <= 0 ? 0 : below >= 32 ? UINT32_MAX : (1u << (below & 31)) - 1;
        d[lane] = count_ones(a[lane] & mask) + b[lane];
    }
    commit32(wave, in, d);
}

HANDLER(v_mbcnt_lo_u32_b32)
{
    count_lanes_below(wave, in, 0);
}

HANDLER(v_mbcnt_hi_u32_b32)
{
    count_lanes_below(wave, in, 32);
}

/* op_sel bits of permlane16 and its kin: 0 fetches from lanes that are off, 1 gives 0 for them instead of no write. */
enum { PERMLANE_FETCH_INACTIVE = 1, PERMLANE_BOUND_CONTROL = 2 };

/* d = a[from[lane]] where the source lane is on or fetched. */
static void permute(struct wave *wave, const struct instruction *in, const uint32_t *from)
{
    LANES32(a, 0);
    const uint32_t *on = exec_lanes(wave);
    LANE_ARRAY32(result);
    LANE_ARRAY32(writes);
    uint32_t fetch = in->op_sel & PERMLANE_FETCH_INACTIVE ? UINT32_MAX : 0;
    uint32_t zero = in->op_sel & PERMLANE_BOUND_CONTROL ? UINT32_MAX : 0;
    EACH_LANE
    {
        uint32_t valid = on[from[lane]] | fetch;
        result[lane] = a[from[lane]] & valid;
        writes[lane] = on[lane] & (valid | zero);
    }
    blend32(vgpr_row(wave, operand_row(&in->dst[0])), result, writes);
}

/* Each lane of a row of 16 takes the lane that its nibble of two scalars names, in its own row or in the other of the pair.
 */
static void permute_row(struct wave *wave, const struct instruction *in, uint32_t other_row)
{
    uint64_t nibbles = (uint64_t)scalar_read32(wave, &in->src[2]) << 32 | scalar_read32(wave, &in->src[1]);
    LANE_ARRAY32(from);
    EACH_LANE from[lane] = (((uint32_t)lane & ~15u) ^ other_row) | (nibbles >> 4 * (lane & 15) & 15);
    permute(wave, in, from);
}

HANDLER(v_permlane16_b32)
{
    permute_row(wave, in, 0);
}

HANDLER(v_permlanex16_b32)
{
    permute_row(wave, in, 16);
}

static void permute_row_by_lanes(struct wave *wave, const struct instruction *in, uint32_t other_row)
{
    LANES32(select, 1);
    LANE_ARRAY32(from);
    EACH_LANE from[lane] = (((uint32_t)lane & ~15u) ^ other_row) | (select[lane] & 15);
    permute(wave, in, from);
}

HANDLER(v_permlane16_var_b32)
{
    permute_row_by_lanes(wave, in, 0);
}

HANDLER(v_permlanex16_var_b32)
{
    permute_row_by_lanes(wave, in, 16);
}

/* Swaps the halves of a wave64; nothing on wave32. Lanes that are off are read. */
HANDLER(v_permlane64_b32)
{
    if (WAVE_LANES == 32)
        return;
    LANES32(a, 0);
    LANE_ARRAY32(result);
    EACH_LANE result[lane] = a[lane ^ 32 % WAVE_LANES];
    commit_row(wave, operand_row(&in->dst[0]), result);
}

/* Lanes of the source with the bit clear change places with the lanes of the destination that have it set (CDNA4 ISA,
 * V_PERMLANE32_SWAP_B32). A lane whose partner is off keeps its value, or becomes 0 with bound_ctrl, or fetches all the
 * same with fi, as under DPP. */
static void swap_across(struct wave *wave, const struct instruction *in, int bit)
{
    const uint32_t *on = exec_lanes(wave);
    uint32_t *upper = vgpr_row(wave, operand_row(&in->dst[0])), *lower = vgpr_row(wave, operand_row(&in->src[0]));
    uint32_t fetch = in->flags & FLAG_FETCH_INACTIVE ? UINT32_MAX : 0;
    uint32_t zero = in->flags & FLAG_BOUND_CTRL ? UINT32_MAX : 0;
    LANE_ARRAY32(to_upper);
    LANE_ARRAY32(to_lower);
    LANE_ARRAY32(upper_writes);
    LANE_ARRAY32(lower_writes);
    EACH_LANE
    {
        uint32_t has_bit = lane & bit ? UINT32_MAX : 0, valid = on[lane ^ bit % WAVE_LANES] | fetch;
        uint32_t writes = on[lane] & (valid | zero);
        to_upper[lane] = lower[lane ^ bit % WAVE_LANES] & valid;
        to_lower[lane] = upper[lane ^ bit % WAVE_LANES] & valid;
        upper_writes[lane] = writes & has_bit;
        lower_writes[lane] = writes & ~has_bit;
    }
    blend32(upper, to_upper, upper_writes);
    blend32(lower, to_lower, lower_writes);
}

HANDLER(v_permlane16_swap_b32)
{
    swap_across(wave, in, 16);
}

HANDLER(v_permlane32_swap_b32)
{
    swap_across(wave, in, 32);
}

static void swap_rows(struct wave *wave, unsigned first, unsigned second)
{
    LANE_ARRAY32(saved);
    uint32_t *row = vgpr_row(wave, first);
    EACH_LANE saved[lane] = row[lane];
    commit_row(wave, first, vgpr_row(wave, second));
    commit_row(wave, second, saved);
}

HANDLER(v_swap_b32)
{
    swap_rows(wave, operand_row(&in->dst[0]), operand_row(&in->src[0]));
}

/* Puts 16-bit values into one half of a row under exec. */
static void put_half(struct wave *wave, const struct operand *operand, const uint32_t *value)
{
    unsigned left = operand->half == HALF_HIGH ? 16 : 0;
    const uint32_t *row = vgpr_row(wave, operand_row(operand));
    LANE_ARRAY32(merged);
    EACH_LANE merged[lane] = (row[lane] & ~(0xffffu << left)) | (value[lane] & 0xffff) << left;
    commit_row(wave, operand_row(operand), merged);
}

HANDLER(v_swap_b16)
{
    const uint32_t *first = vgpr_row(wave, operand_row(&in->dst[0])), *second = vgpr_row(wave, operand_row(&in->src[0]));
    unsigned first_right = in->dst[0].half == HALF_HIGH ? 16 : 0, second_right = in->src[0].half == HALF_HIGH ? 16 : 0;
    LANE_ARRAY32(first_value);
    LANE_ARRAY32(second_value);
    EACH_LANE first_value[lane] = first[lane] >> first_right;
    EACH_LANE second_value[lane] = second[lane] >> second_right;
    put_half(wave, &in->dst[0], second_value);
    put_half(wave, &in->src[0], first_value);
}

/* Relative moves: a register number plus an index in M0. Past the last register a source is v0 and a result is dropped
 * (ISA, "VGPR out of range"). */
enum { N_VGPRS = 256 };

static unsigned relative_row(const struct operand *operand, uint32_t index)
{
    uint64_t row = (uint64_t)operand->index + index;
    return row < N_VGPRS ? (unsigned)row : N_VGPRS;
}

static void move_relative(struct wave *wave, const struct instruction *in, uint32_t source_index, uint32_t result_index)
{
    LANE_ARRAY32(scratch);
    const uint32_t *source = scratch;
    if (in->src[0].kind == OPERAND_VGPR) {
        unsigned row = relative_row(&in->src[0], source_index);
        source = vgpr_row(wave, row == N_VGPRS ? 0 : row);
    } else {
        source = source32(wave, in, 0, scratch);
    }
    unsigned result = relative_row(&in->dst[0], result_index);
    if (result != N_VGPRS)
        commit_row(wave, result, source);
}

HANDLER(v_movreld_b32)
{
    move_relative(wave, in, 0, wave->sgpr[SREG_M0]);
}

HANDLER(v_movrels_b32)
{
    move_relative(wave, in, wave->sgpr[SREG_M0], 0);
}

HANDLER(v_movrelsd_b32)
{
    move_relative(wave, in, wave->sgpr[SREG_M0], wave->sgpr[SREG_M0]);
}

/* Two indices of ten bits each. */
HANDLER(v_movrelsd_2_b32)
{
    uint32_t m0 = wave->sgpr[SREG_M0];
    move_relative(wave, in, m0 & 0x3ff, m0 >> 16 & 0x3ff);
}

HANDLER(v_swaprel_b32)
{
    uint32_t m0 = wave->sgpr[SREG_M0];
    unsigned first = relative_row(&in->dst[0], m0 >> 16 & 0x3ff), second = relative_row(&in->src[0], m0 & 0x3ff);
    if (first != N_VGPRS && second != N_VGPRS)
        swap_rows(wave, first, second);
}
