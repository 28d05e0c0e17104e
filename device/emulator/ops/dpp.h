/*
 * Data-parallel primitives: which lane each lane reads, and which lanes may be written (ISA, "Data Parallel Processing").
 */
#ifndef EMULATOR_DPP_H
#define EMULATOR_DPP_H

#include "device/emulator/lanes.h"

/* Lanes that cannot read their source: it lies outside the row, or is off and not fetched. */
struct dpp_sources {
    LANE_ARRAY32(lane);  /* source of each lane, always below WAVE_LANES */
    LANE_ARRAY32(valid); /* all ones where that source may be read, else 0 */
};

/* The sources of a DPP16 or DPP8 instruction under the current exec. */
void VARIANT(dpp_find_sources)(struct wave *wave, const struct instruction *in, struct dpp_sources *sources);
/* result[lane] = row[source of lane], or 0 without a valid source. result is not row. */
void VARIANT(dpp_gather)(const struct dpp_sources *sources, const uint32_t *row, uint32_t *result);

#endif
