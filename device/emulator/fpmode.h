/*
 * MODE as the float handlers use it (RDNA3.5 ISA, "MODE register", "Denormals", "Output modifiers"): which environment an
 * operation runs in, and whether the plain one (round to nearest even, denormals kept) lets it run on the host's
 * arithmetic.
 */
#ifndef EMULATOR_FPMODE_H
#define EMULATOR_FPMODE_H

#include "device/emulator/softfloat.h"
#include "device/emulator/wave.h"

enum { DENORM_IN = 1, DENORM_OUT = 2 };

static inline struct float_env env_f32(const struct wave *wave)
{
    unsigned denorm = (wave->mode & MODE_DENORM_F32) >> 4;
    return (struct float_env){
        .rounding = wave->mode & MODE_ROUND_F32, .flush_in = !(denorm & DENORM_IN), .flush_out = !(denorm & DENORM_OUT)};
}

static inline struct float_env env_f64(const struct wave *wave)
{
    unsigned denorm = (wave->mode & MODE_DENORM_F16_F64) >> 6;
    return (struct float_env){.rounding = (wave->mode & MODE_ROUND_F16_F64) >> 2,
                              .flush_in = !(denorm & DENORM_IN),
                              .flush_out = !(denorm & DENORM_OUT)};
}

static inline struct float_env env_f16(const struct wave *wave)
{
    struct float_env env = env_f64(wave);
    env.saturate = (wave->mode & MODE_FP16_OVFL) != 0;
    return env;
}

/* f32 operands, f16 result: denormals in as f32's mode says, the rest as f16's. */
static inline struct float_env env_f32_to_f16(const struct wave *wave)
{
    struct float_env env = env_f16(wave);
    env.flush_in = env_f32(wave).flush_in;
    return env;
}

/* f64 operand, f32 result: rounding is that of f64 (LLVM's SIModeRegister sets it so), denormals each as its format's mode.
 */
static inline struct float_env env_f64_to_f32(const struct wave *wave)
{
    struct float_env env = env_f64(wave);
    env.flush_out = env_f32(wave).flush_out;
    return env;
}

static inline bool plain_f16(const struct wave *wave)
{
    return wave->plain_f16_f64 && !(wave->mode & MODE_FP16_OVFL);
}

/* omod counts only with IEEE 0 and denormal results flushed (RDNA3.5 ISA, "Output modifiers"); always on gfx12, which has
 * no IEEE bit and was measured with denormals kept (rocjitsu). Modelled: there a result that is tiny before its denormal is
 * rounded counts by its bits. */
static inline bool omod_counts(const struct wave *wave, struct float_env env)
{
    if (wave->chip && wave->chip->family == CHIP_RDNA4)
        return true;
    return !(wave->mode & MODE_IEEE) && env.flush_out;
}

#endif
