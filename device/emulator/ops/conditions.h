/*
 * The conditions of vector compares, as formulas over the lanes where source 0 is less than, equal to, greater than or
 * unordered with source 1. compare.def makes the opcode rows of them, compare.c the handlers.
 */
#ifndef EMULATOR_CONDITIONS_H
#define EMULATOR_CONDITIONS_H

/* X(condition, lanes, …) */
#define FLOAT_CONDITIONS(X, ...)                                                                                           \
    X(f, 0, __VA_ARGS__)                                                                                                   \
    X(lt, less, __VA_ARGS__)                                                                                               \
    X(eq, equal, __VA_ARGS__)                                                                                              \
    X(le, less | equal, __VA_ARGS__)                                                                                       \
    X(gt, greater, __VA_ARGS__)                                                                                            \
    X(lg, less | greater, __VA_ARGS__)                                                                                     \
    X(ge, greater | equal, __VA_ARGS__)                                                                                    \
    X(o, ~unordered, __VA_ARGS__)                                                                                          \
    X(u, unordered, __VA_ARGS__)                                                                                           \
    X(nge, ~(greater | equal), __VA_ARGS__)                                                                                \
    X(nlg, ~(less | greater), __VA_ARGS__)                                                                                 \
    X(ngt, ~greater, __VA_ARGS__)                                                                                          \
    X(nle, ~(less | equal), __VA_ARGS__)                                                                                   \
    X(neq, ~equal, __VA_ARGS__)                                                                                            \
    X(nlt, ~less, __VA_ARGS__)                                                                                             \
    X(t, UINT64_MAX, __VA_ARGS__)

#define INTEGER_CONDITIONS(X, ...)                                                                                         \
    X(f, 0, __VA_ARGS__)                                                                                                   \
    X(lt, less, __VA_ARGS__)                                                                                               \
    X(eq, equal, __VA_ARGS__)                                                                                              \
    X(le, less | equal, __VA_ARGS__)                                                                                       \
    X(gt, greater, __VA_ARGS__)                                                                                            \
    X(ne, ~equal, __VA_ARGS__)                                                                                             \
    X(ge, greater | equal, __VA_ARGS__)                                                                                    \
    X(t, UINT64_MAX, __VA_ARGS__)

#endif
