#include "device/emulator/ops/dpp.h"

enum { ROW_LANES = 16, OUT_OF_RANGE = 0x80 /* above every lane number */ };

/* source[lane] = expression, or OUT_OF_RANGE where it leaves the lane's row of 16. */
#define EACH_LANE_OF_ROW(expression)                                                                                       \
    EACH_LANE                                                                                                              \
    {                                                                                                                      \
        int from = (expression);                                                                                           \
        source[lane] = ((from ^ lane) & ~(ROW_LANES - 1)) ? OUT_OF_RANGE : (uint32_t)from;                                 \
    }

static void row_sources(const struct instruction *in, uint32_t *source)
{
    int amount = in->dpp_amount;
    switch ((enum dpp_kind)in->dpp_kind) {
    case DPP_QUAD_PERM:
        EACH_LANE source[lane] = ((uint32_t)lane & ~3u) | (((uint32_t)amount >> 2 * (lane & 3)) & 3);
        break;
    case DPP_ROW_SHL:
        EACH_LANE_OF_ROW(lane + amount);
        break;
    case DPP_ROW_SHR:
        EACH_LANE_OF_ROW(lane - amount);
        break;
    case DPP_ROW_ROR:
        EACH_LANE source[lane] = ((uint32_t)lane & ~15u) | ((uint32_t)(lane - amount) & 15);
        break;
    case DPP_ROW_MIRROR:
        EACH_LANE source[lane] = (uint32_t)lane ^ 15;
        break;
    case DPP_ROW_HALF_MIRROR:
        EACH_LANE source[lane] = (uint32_t)lane ^ 7;
        break;
    case DPP_ROW_SHARE:
    case DPP_ROW_NEWBCAST:
        EACH_LANE source[lane] = ((uint32_t)lane & ~15u) | (uint32_t)amount;
        break;
    case DPP_ROW_XMASK:
        EACH_LANE source[lane] = (uint32_t)(lane ^ amount);
        break;
    default:
        EACH_LANE source[lane] = OUT_OF_RANGE;
        break;
    }
}

/* gfx9's controls that cross rows. */
static void wave_sources(const struct instruction *in, uint32_t *source)
{
    switch ((enum dpp_kind)in->dpp_kind) {
    case DPP_WAVE_SHL:
        EACH_LANE source[lane] = lane + 1 < WAVE_LANES ? (uint32_t)lane + 1 : OUT_OF_RANGE;
        break;
    case DPP_WAVE_ROL:
        EACH_LANE source[lane] = (uint32_t)(lane + 1) % WAVE_LANES;
        break;
    case DPP_WAVE_SHR:
        EACH_LANE source[lane] = lane > 0 ? (uint32_t)lane - 1 : OUT_OF_RANGE;
        break;
    case DPP_WAVE_ROR:
        EACH_LANE source[lane] = (uint32_t)(lane + WAVE_LANES - 1) % WAVE_LANES;
        break;
    case DPP_ROW_BCAST15:
        EACH_LANE source[lane] = lane >= 16 ? ((uint32_t)lane & ~15u) - 1 : OUT_OF_RANGE;
        break;
    case DPP_ROW_BCAST31:
        EACH_LANE source[lane] = lane >= 32 ? 31 : OUT_OF_RANGE;
        break;
    default:
        row_sources(in, source);
        break;
    }
}

static void find_lanes(const struct instruction *in, uint32_t *source)
{
    if (in->form == FORM_DPP8) {
        EACH_LANE source[lane] = ((uint32_t)lane & ~7u) | (in->dpp8 >> 3 * (lane & 7) & 7);
        return;
    }
    wave_sources(in, source);
}

void VARIANT(dpp_find_sources)(struct wave *wave, const struct instruction *in, struct dpp_sources *sources)
{
    find_lanes(in, sources->lane);
    EACH_LANE sources->valid[lane] = sources->lane[lane] < WAVE_LANES ? UINT32_MAX : 0;
    EACH_LANE sources->lane[lane] &= WAVE_LANES - 1;
    if (exec_read(wave) == wave->full_exec || in->flags & FLAG_FETCH_INACTIVE)
        return;
    const uint32_t *on = exec_lanes(wave);
    EACH_LANE sources->valid[lane] &= on[sources->lane[lane]];
}

void VARIANT(dpp_gather)(const struct dpp_sources *sources, const uint32_t *row, uint32_t *result)
{
    EACH_LANE result[lane] = row[sources->lane[lane]] & sources->valid[lane];
}

/* row_mask has a bit for each row of 16 lanes, bank_mask one for each four lanes of a row. */
static uint64_t unmasked_lanes(const struct instruction *in)
{
    uint64_t row = 0, lanes = 0;
    for (int bank = 0; bank < 4; bank++)
        row |= (in->bank_mask >> bank & 1) ? UINT64_C(0xf) << 4 * bank : 0;
    for (int i = 0; i < WAVE_LANES / ROW_LANES; i++)
        lanes |= (in->row_mask >> i & 1) ? row << ROW_LANES * i : 0;
    return lanes;
}

/* Controls under which every lane has a source in its row. */
static bool stays_in_row(const struct instruction *in)
{
    const uint32_t kinds = 1u << DPP_QUAD_PERM | 1u << DPP_ROW_ROR | 1u << DPP_ROW_MIRROR | 1u << DPP_ROW_HALF_MIRROR |
                           1u << DPP_ROW_SHARE | 1u << DPP_ROW_XMASK | 1u << DPP_ROW_NEWBCAST;
    return kinds >> in->dpp_kind & 1;
}

uint64_t VARIANT(dpp_write_mask)(struct wave *wave, const struct instruction *in)
{
    uint64_t exec = exec_read(wave);
    if (in->form != FORM_DPP16)
        return exec; /* DPP8 reads 0 from lanes that are off, and writes */
    uint64_t lanes = exec & unmasked_lanes(in);
    bool all_read = exec == wave->full_exec || in->flags & FLAG_FETCH_INACTIVE;
    if (in->flags & FLAG_BOUND_CTRL || (all_read && stays_in_row(in)))
        return lanes;
    struct dpp_sources sources;
    VARIANT(dpp_find_sources)(wave, in, &sources);
    return lanes & mask_of_lanes(sources.valid);
}
