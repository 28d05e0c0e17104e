/*
 * gfx950's conversions with a scale, as tables: rows of the opcode table (convert.def) and handlers (convert_scaled.c) are
 * made from them.
 */
#ifndef EMULATOR_SCALED_FORMS_H
#define EMULATOR_SCALED_FORMS_H

/* X(name after "v_cvt_scalef32_", signature, small format, number of elements, wide format): small to wide. */
#define SCALED_WIDENING(X)                                                                                                 \
    X(f32_fp8, "f32=b32,f32", fp8, 1, f32)                                                                                 \
    X(f32_bf8, "f32=b32,f32", bf8, 1, f32)                                                                                 \
    X(f16_fp8, "f16=b32,f32", fp8, 1, f16)                                                                                 \
    X(f16_bf8, "f16=b32,f32", bf8, 1, f16)                                                                                 \
    X(pk_f32_fp8, "b64=b32,f32", fp8, 2, f32)                                                                              \
    X(pk_f32_bf8, "b64=b32,f32", bf8, 2, f32)                                                                              \
    X(pk_f32_fp4, "b64=b32,f32", fp4, 2, f32)                                                                              \
    X(pk_f16_fp8, "b32=b32,f32", fp8, 2, f16)                                                                              \
    X(pk_f16_bf8, "b32=b32,f32", bf8, 2, f16)                                                                              \
    X(pk_f16_fp4, "b32=b32,f32", fp4, 2, f16)                                                                              \
    X(pk_bf16_fp8, "b32=b32,f32", fp8, 2, bf16)                                                                            \
    X(pk_bf16_bf8, "b32=b32,f32", bf8, 2, bf16)                                                                            \
    X(pk_bf16_fp4, "b32=b32,f32", fp4, 2, bf16)                                                                            \
    X(pk32_f32_fp6, "b1024=b192,f32", fp6, 32, f32)                                                                        \
    X(pk32_f32_bf6, "b1024=b192,f32", bf6, 32, f32)                                                                        \
    X(pk32_f16_fp6, "b512=b192,f32", fp6, 32, f16)                                                                         \
    X(pk32_f16_bf6, "b512=b192,f32", bf6, 32, f16)                                                                         \
    X(pk32_bf16_fp6, "b512=b192,f32", fp6, 32, bf16)                                                                       \
    X(pk32_bf16_bf6, "b512=b192,f32", bf6, 32, bf16)

/* X(name after "v_cvt_scalef32_", signature, wide format, number of elements, small format): wide to small. Two f32 that
 * are sources 0 and 1: PAIR; the random source is 1: STOCHASTIC; elements of two sources in turn: INTERLEAVED. */
#define SCALED_NARROWING(X)                                                                                                \
    X(pk_fp8_f32, "b16=f32,f32,f32", f32, 2, fp8, PAIR)                                                                    \
    X(pk_bf8_f32, "b16=f32,f32,f32", f32, 2, bf8, PAIR)                                                                    \
    X(pk_fp4_f32, "b32=f32,f32,f32", f32, 2, fp4, PAIR)                                                                    \
    X(pk_fp8_f16, "b16=pf16,f32", f16, 2, fp8, PLAIN)                                                                      \
    X(pk_bf8_f16, "b16=pf16,f32", f16, 2, bf8, PLAIN)                                                                      \
    X(pk_fp4_f16, "b32=pf16,f32", f16, 2, fp4, PLAIN)                                                                      \
    X(pk_fp8_bf16, "b16=pbf16,f32", bf16, 2, fp8, PLAIN)                                                                   \
    X(pk_bf8_bf16, "b16=pbf16,f32", bf16, 2, bf8, PLAIN)                                                                   \
    X(pk_fp4_bf16, "b32=pbf16,f32", bf16, 2, fp4, PLAIN)                                                                   \
    X(sr_fp8_f32, "b32=f32,u32,f32", f32, 1, fp8, STOCHASTIC)                                                              \
    X(sr_bf8_f32, "b32=f32,u32,f32", f32, 1, bf8, STOCHASTIC)                                                              \
    X(sr_fp8_f16, "b32=f16,u32,f32", f16, 1, fp8, STOCHASTIC)                                                              \
    X(sr_bf8_f16, "b32=f16,u32,f32", f16, 1, bf8, STOCHASTIC)                                                              \
    X(sr_fp8_bf16, "b32=bf16,u32,f32", bf16, 1, fp8, STOCHASTIC)                                                           \
    X(sr_bf8_bf16, "b32=bf16,u32,f32", bf16, 1, bf8, STOCHASTIC)                                                           \
    X(sr_pk_fp4_f32, "b32=pf32,u32,f32", f32, 2, fp4, STOCHASTIC)                                                          \
    X(sr_pk_fp4_f16, "b32=pf16,u32,f32", f16, 2, fp4, STOCHASTIC)                                                          \
    X(sr_pk_fp4_bf16, "b32=pbf16,u32,f32", bf16, 2, fp4, STOCHASTIC)                                                       \
    X(2xpk16_fp6_f32, "b192=b512,b512,f32", f32, 32, fp6, INTERLEAVED)                                                     \
    X(2xpk16_bf6_f32, "b192=b512,b512,f32", f32, 32, bf6, INTERLEAVED)                                                     \
    X(pk32_fp6_f16, "b192=b512,f32", f16, 32, fp6, PLAIN)                                                                  \
    X(pk32_bf6_f16, "b192=b512,f32", f16, 32, bf6, PLAIN)                                                                  \
    X(pk32_fp6_bf16, "b192=b512,f32", bf16, 32, fp6, PLAIN)                                                                \
    X(pk32_bf6_bf16, "b192=b512,f32", bf16, 32, bf6, PLAIN)                                                                \
    X(sr_pk32_fp6_f32, "b192=b1024,u32,f32", f32, 32, fp6, STOCHASTIC)                                                     \
    X(sr_pk32_bf6_f32, "b192=b1024,u32,f32", f32, 32, bf6, STOCHASTIC)                                                     \
    X(sr_pk32_fp6_f16, "b192=b512,u32,f32", f16, 32, fp6, STOCHASTIC)                                                      \
    X(sr_pk32_bf6_f16, "b192=b512,u32,f32", f16, 32, bf6, STOCHASTIC)                                                      \
    X(sr_pk32_fp6_bf16, "b192=b512,u32,f32", bf16, 32, fp6, STOCHASTIC)                                                    \
    X(sr_pk32_bf6_bf16, "b192=b512,u32,f32", bf16, 32, bf6, STOCHASTIC)

#endif
