/*
 * Teeth: plausible wrong arithmetics, and outputs that a broken launch leaves, judged on the host by the same gates and the
 * same inputs as the kernel. A tooth that no gate catches is BLIND.
 */
#ifndef CONTRACT_TEETH_H
#define CONTRACT_TEETH_H

#include "contract/gates.h"

/* X(kind, name): order of the table. The first eight are policies of the family's model. */
#define TEETH(X)                                                                                                           \
    X(SUM_FP16, "sum_fp16") /* partial sums kept in fp16 */                                                                \
    X(SUM_BF16, "sum_bf16")                                                                                                \
    X(PRODUCT_FP16, "product_fp16") /* products rounded to fp16 */                                                         \
    X(RESULT_FP16, "result_fp16")   /* the result rounded through fp16 before the store */                                 \
    X(RESULT_BF16, "result_bf16")                                                                                          \
    X(DROP_LAST, "drop_last") /* the last term of each sum left out */                                                     \
    X(DROP_TAIL, "drop_tail") /* terms past the last whole tile of 32 left out */                                          \
    X(ROW_LATE, "row_late")   /* rows read one late */                                                                     \
    X(ZEROS, "zeros")                                                                                                      \
    X(UNTOUCHED, "untouched") /* the poison is still there */                                                              \
    X(NAN, "nan")                                                                                                          \
    X(COPIED_INPUT, "copied_input")                                                                                        \
    X(FIRST_RUN_ONLY, "first_run_only") /* later runs write nothing */

#define TOOTH_ENUM(kind, name) TOOTH_##kind,
enum tooth { TEETH(TOOTH_ENUM) TOOTH_COUNT };
#undef TOOTH_ENUM

enum { TOOTH_TAIL_TILE = 32, TEETH_N_POLICIES = TOOTH_ZEROS };

/* What is known so far of one registration's teeth. */
struct teeth {
    const struct registration *registration;
    struct verdict best[TOOTH_COUNT]; /* the strongest catch; gate 0: none yet */
    bool differs[TOOTH_COUNT];        /* some output differed from the true one somewhere */
    int n_tried[TOOTH_COUNT];         /* cases */
};

const char *tooth_name(enum tooth tooth);
void teeth_begin(struct teeth *teeth, const struct registration *registration);
/* No further case can tell more. */
bool teeth_done(const struct teeth *teeth);
/* Tries the teeth that are not yet caught twice over on a case whose reference is computed. false out of host memory, or
 * where the model without a fault does not pass (STATUS_USAGE: the registration is invalid). */
bool teeth_try(struct teeth *teeth, const struct host_case *host, struct error *error);
/* The verdict on one tooth once all cases were tried: PASS (caught), EXCUSED, BLIND; or NOT_RUN where it cannot be told:
 * the stored format already is the tooth's, or `partial` says that shapes were left out. */
struct verdict teeth_verdict(const struct teeth *teeth, enum tooth tooth, bool partial);

#endif
