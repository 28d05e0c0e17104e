/*
 * One vector instruction applied to arrays of operands, without assembler or decoder: for tests that sweep millions of
 * inputs. Sources lie in v8, v10, v12 …, destinations in v0 and v2; 16-bit operands use low halves.
 *
 *     struct lane_op *op = lane_op_open("v_fma_f32", 32, LANE_OP_PLAIN_MODE);
 *     lane_op_run(op, n, (const uint64_t *[]){a, b, c}, result);
 *     lane_op_close(op);
 */
#ifndef SUPPORT_LANE_OP_H
#define SUPPORT_LANE_OP_H

#include <stddef.h>
#include <stdint.h>

#include "device/emulator/instruction.h"
#include "device/emulator/wave.h"

/* Nearest even, every denormal kept, DX10_CLAMP and IEEE on. */
#define LANE_OP_PLAIN_MODE (0xf0u | MODE_DX10_CLAMP | MODE_IEEE)

struct lane_op {
    struct wave wave;
    struct dispatch dispatch;
    struct instruction instruction; /* may be changed between runs */
};

/* On gfx1151, or on another chip. v_dual_…: a half of a dual instruction, for chips that have it as nothing else. NULL
 * (with a line on standard error) where the table lacks the mnemonic. */
struct lane_op *lane_op_open(const char *mnemonic, uint32_t n_lanes, uint32_t mode);
struct lane_op *lane_op_open_on(const char *chip, const char *mnemonic, uint32_t n_lanes, uint32_t mode);
void lane_op_close(struct lane_op *op);
void lane_op_set_mode(struct lane_op *op, uint32_t mode);
/* Must follow a change of the instruction's operands where its handler is then called directly. */
void lane_op_prepare(struct lane_op *op);
/* result[i] = op(source[0][i], source[1][i] …) for n elements; result holds what the destination held before, so that
 * accumulators and kept halves can be given. */
void lane_op_run(struct lane_op *op, size_t n, const uint64_t *const *source, uint64_t *result);
/* The lanes of a VGPR. */
uint32_t *lane_op_row(struct lane_op *op, unsigned vgpr);

#endif
