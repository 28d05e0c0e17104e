/*
 * Shapes of scalar ALU handlers: sources as 32 or 64 bits, a result, and SCC. `a` and `b` are the sources, `d` the result;
 * an instruction that leaves SCC alone passes wave->scc.
 */
#ifndef EMULATOR_SCALAR_FORMS_H
#define EMULATOR_SCALAR_FORMS_H

#include "device/emulator/lanes.h"

#define SCALAR_UNARY(name, source_type, read, result_type, write, result, condition)                                       \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        const source_type a = read(wave, &in->src[0]);                                                                     \
        const result_type d = (result_type)(result);                                                                       \
        (void)a;                                                                                                           \
        wave->scc = (condition);                                                                                           \
        write(wave, &in->dst[0], d);                                                                                       \
    }

#define SCALAR_BINARY(name, a_type, read_a, b_type, read_b, result_type, write, result, condition)                         \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        const a_type a = read_a(wave, &in->src[0]);                                                                        \
        const b_type b = read_b(wave, &in->src[1]);                                                                        \
        const result_type d = (result_type)(result);                                                                       \
        (void)a;                                                                                                           \
        (void)b;                                                                                                           \
        wave->scc = (condition);                                                                                           \
        write(wave, &in->dst[0], d);                                                                                       \
    }

#define UNARY32(name, result, condition)                                                                                   \
    SCALAR_UNARY(name, uint32_t, scalar_read32, uint32_t, scalar_write32, result, condition)
#define UNARY64(name, result, condition)                                                                                   \
    SCALAR_UNARY(name, uint64_t, scalar_read64, uint64_t, scalar_write64, result, condition)
/* A 64-bit source, a 32-bit result. */
#define UNARY64_32(name, result, condition)                                                                                \
    SCALAR_UNARY(name, uint64_t, scalar_read64, uint32_t, scalar_write32, result, condition)
#define UNARY32_64(name, result, condition)                                                                                \
    SCALAR_UNARY(name, uint32_t, scalar_read32, uint64_t, scalar_write64, result, condition)
#define BINARY32(name, result, condition)                                                                                  \
    SCALAR_BINARY(name, uint32_t, scalar_read32, uint32_t, scalar_read32, uint32_t, scalar_write32, result, condition)
#define BINARY64(name, result, condition)                                                                                  \
    SCALAR_BINARY(name, uint64_t, scalar_read64, uint64_t, scalar_read64, uint64_t, scalar_write64, result, condition)
/* 64 bits by a 32-bit amount. */
#define SHIFT64(name, result, condition)                                                                                   \
    SCALAR_BINARY(name, uint64_t, scalar_read64, uint32_t, scalar_read32, uint64_t, scalar_write64, result, condition)
/* Two 32-bit sources, a 64-bit result. */
#define BINARY32_64(name, result, condition)                                                                               \
    SCALAR_BINARY(name, uint32_t, scalar_read32, uint32_t, scalar_read32, uint64_t, scalar_write64, result, condition)

/* Compares: SCC only. */
#define SCALAR_COMPARE(name, a_type, read_a, b_type, read_b, condition)                                                    \
    HANDLER(name)                                                                                                          \
    {                                                                                                                      \
        const a_type a = (a_type)read_a(wave, &in->src[0]);                                                                \
        const b_type b = (b_type)read_b(wave, &in->src[1]);                                                                \
        wave->scc = (condition);                                                                                           \
    }

#endif
