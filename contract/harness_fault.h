/*
 * Faults of the harness itself, which `hipcontract selftest` plants one at a time to see who notices.
 *
 * Callers may rely on: without that command none is ever planted, as harness_fault_plant is called nowhere else; a process
 * that has one says so in the first line of a run and cannot end with status 0 (docs/selftest.md). A place that can have a
 * fault compares one variable, which stays 0, once a case, a launch, a tensor or an output, and in no loop over terms.
 */
#ifndef CONTRACT_HARNESS_FAULT_H
#define CONTRACT_HARNESS_FAULT_H

#include <stdbool.h>

/* X(fault, name): in the order in which a case meets them. */
#define HARNESS_FAULTS(X)                                                                                                  \
    X(SEED_IGNORED, "inputs are the same for every seed")                                                                  \
    X(REFERENCE_ULP, "the reference is off by an ulp")                                                                     \
    X(BOUNDS_WIDE, "bounds are 4096 times as wide")                                                                        \
    X(AUDIT_ACCEPTS, "the audit accepts every reference")                                                                  \
    X(POISONS_ALIKE, "both poisons are the same")                                                                          \
    X(SCHEDULE_NATURAL, "every run has the natural schedule")                                                              \
    X(FINDINGS_DROPPED, "findings of the device are dropped")                                                              \
    X(GUARDS_UNSEEN, "guards are not looked at")                                                                           \
    X(INPUTS_UNSEEN, "changed inputs are not looked for")                                                                  \
    X(HASH_CONSTANT, "the hash of outputs ignores them")                                                                   \
    X(GATE_1_PASSES, "gate 1 takes all runs for equal")                                                                    \
    X(GATE_1_SKIPS_LAST, "gate 1 leaves out the last element")                                                             \
    X(BYTES_EQUAL, "byte contracts take all bytes for equal")                                                              \
    X(GATE_2_PASSES, "gate 2 always passes")                                                                               \
    X(GATE_3_PASSES, "gate 3 always passes")                                                                               \
    X(GATE_3_SKIPS_LAST, "gate 3 leaves out the last element")                                                             \
    X(TWIN_PASSES, "the twin is not compared")                                                                             \
    X(DEPTH_PASSES, "the depth is not measured")                                                                           \
    X(GATE_4_PASSES, "gate 4 always passes")                                                                               \
    X(PROOFS_UNASKED, "no gate has to prove that it bites")                                                                \
    X(PREMISE_HOLDS, "gate 4 accepts every premise")                                                                       \
    X(LAUNCHES_FIT, "every launch fits")                                                                                   \
    X(KNOWN_FOREVER, "known findings never expire")                                                                        \
    X(TEETH_CAUGHT, "every tooth is taken for caught")                                                                     \
    X(CONTROLS_RED, "every control is taken for red")                                                                      \
    X(FACTOR_IGNORED, "a control may be red by any factor")                                                                \
    X(ANY_GATE, "a control may be red at any gate")                                                                        \
    X(CONTROLS_LEFT_OUT, "controls are not run")                                                                           \
    X(SHAPE_LEFT_OUT, "the last shape is not run")                                                                         \
    X(STATUS_FORGOTTEN, "the exit status forgets red verdicts")

#define HARNESS_FAULT_ENUM(fault, name) HARNESS_##fault,
enum harness_fault { HARNESS_SOUND, HARNESS_FAULTS(HARNESS_FAULT_ENUM) HARNESS_FAULT_COUNT };
#undef HARNESS_FAULT_ENUM

/* The planted one; HARNESS_SOUND: none. */
extern enum harness_fault harness_fault_planted;

static inline bool harness_has(enum harness_fault fault)
{
    return __builtin_expect(harness_fault_planted == fault, 0);
}

/* Plants a fault in this process, for good; selftest does in a process of its own. */
void harness_fault_plant(enum harness_fault fault);
const char *harness_fault_name(enum harness_fault fault);

#endif
