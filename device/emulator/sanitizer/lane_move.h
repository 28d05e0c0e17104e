/*
 * The lane movement of a DPP instruction by itself, as a plain move: how the checks see source 0 as each lane does.
 */
#ifndef EMULATOR_LANE_MOVE_H
#define EMULATOR_LANE_MOVE_H

#include "device/emulator/code.h"
#include "device/emulator/wave.h"

/* Makes *move the instruction's DPP control on a v_mov_b32 from register row to row. False where there is none. */
bool lane_move_make(const struct wave *wave, const struct instruction *in, unsigned from_row, unsigned to_row,
                    struct instruction *move);

#endif
