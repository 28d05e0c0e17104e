/*
 * Gates 1 to 4. Each fills the numbers of a verdict and sets its status to VERDICT_PASS, VERDICT_FAIL,
 * VERDICT_LAUNCH_FAILED or VERDICT_INVALID. The judges of gates 2 to 4 are pure functions of a host case and output bytes:
 * the same code judges the device, the controls and the teeth.
 */
#ifndef CONTRACT_GATES_H
#define CONTRACT_GATES_H

#include "contract/host_case.h"
#include "contract/launch.h"
#include "contract/verdict.h"

/* Bytes of each output tensor, in its format; others NULL. */
struct outputs {
    const void *data[REG_MAX_TENSORS];
};

/* A number that a double cannot be: no allowed error, and a difference. */
#define RATIO_UNBOUNDED ((double)INFINITY)

/* |got - bound.value| in units of bound.error: 0 where they are equal, infinite where error is 0 or got is not finite. */
double bound_ratio(double got, const struct bound *bound);

/* One output against its bound. Classes come first: where the reference's is undecided (its bound straddles overflow) any
 * output will do and ratio is 0; where it is not finite the class must be the same; where it is finite a non-finite output
 * is infinitely far. */
struct judgement {
    enum value_class expected, got;
    double value, ratio;
};
struct judgement judge_output(const struct host_case *host, int tensor, int64_t index, const void *data);

/* How gate 1 runs a case. */
struct gate1_options {
    int n_runs;        /* at least 2, for the two poisons; 1: only the device's checks judge */
    uint64_t seed;     /* of the schedules */
    uint64_t schedule; /* of every run but the first, to repeat one; 0: each its own */
    bool guarded_only; /* leave out the run in the tight layout */
    unsigned checks;   /* bits 1 << FINDING_… that the device makes: the cheap ones in every run, all in the last */
};

/* Gate 1: n_runs launches from freshly poisoned outputs, in different schedules where the device takes them. The bytes of
 * the first run's outputs go to *first (allocated in arena), also when the gate is red; left empty when the first launch
 * failed. */
void gate1_run(const struct launch_target *target, const struct host_case *host, const struct launch_fault *fault,
               const struct gate1_options *options, struct arena *arena, struct outputs *first, struct verdict *verdict);
/* One launch with guards and those of the checks that cost nothing; false when it failed or could not be made, with the
 * verdict saying so. */
bool gate1_once(const struct launch_target *target, const struct host_case *host, const struct launch_fault *fault,
                unsigned checks, struct arena *arena, struct outputs *first, struct verdict *verdict);

/* One launch of gate 1. */
struct gate1_launch {
    const char *name; /* "run 1": what reasons call it */
    enum poison poison;
    enum workspace_layout layout;
    uint64_t schedule; /* 0: the natural order */
    unsigned checks;   /* bits 1 << FINDING_… that the device makes */
    bool straddles;    /* each tensor lies across a multiple of 4 GiB, where the device can place it so */
};

/* The outputs of a workspace that was read back; the bytes stay the workspace's. */
struct outputs workspace_outputs(const struct workspace *ws);
/* Launches on a workspace and reads it back. A failed launch, a finding, a guard that was written and a changed input are
 * the verdict's. True when there are outputs to look at, which a finding does not exclude; workspace_close in either case.
 */
bool gate1_launch(const struct launch_target *target, const struct host_case *host, const struct launch_fault *fault,
                  const struct gate1_launch *launch, struct workspace *ws, struct verdict *verdict);
/* The two halves of gate1_launch, for launches on several devices at a time: each on the device that is current.
 * gate1_start is false where nothing was started, with the verdict saying so. */
bool gate1_start(const struct launch_target *target, const struct host_case *host, const struct launch_fault *fault,
                 const struct gate1_launch *launch, struct workspace *ws, struct launch_result *result,
                 struct verdict *verdict);
bool gate1_finish(const struct launch_target *target, const struct gate1_launch *launch, struct workspace *ws,
                  struct launch_result *result, struct verdict *verdict);
/* After workspace_read: whether what was refused left guards and inputs as they were, without a finding; else the verdict
 * says what it did. */
bool gate1_did_nothing(const struct launch_result *result, const struct workspace *ws, const char *name,
                       struct verdict *verdict);
/* A copy of the target with its launcher's state open; false where that failed, with the verdict saying so. launch_close of
 * the copy in either case. */
bool gate1_open(const struct launch_target *target, struct launch_target *opened, struct verdict *verdict);
/* Copies the outputs of a launch into the arena, and their hash into the verdict; false out of host memory, which the
 * verdict says. */
bool gate1_keep(const struct workspace *ws, const struct gate1_launch *launch, struct arena *arena, struct outputs *kept,
                struct verdict *verdict);
/* The schedule of the n-th launch: 0 for the first, then `schedule`, or where that is 0 each its own. */
uint64_t gate1_schedule(uint64_t seed, uint64_t schedule, int n);
/* Notes the schedule of a red launch, in its field and in the reason, on a device that takes schedules. */
void gate1_name_schedule(const struct device *device, const struct gate1_launch *launch, struct verdict *verdict);
/* Notes which checks the device makes. */
void gate1_name_checks(const struct device *device, unsigned checks, struct verdict *verdict);
/* Compares a run's outputs with the first run's: an element that holds its poison in both was never written, any other
 * difference is one between runs, which the verdict calls by their names. True when they are the same. */
bool gate1_compare(const struct reg_plan *plan, const struct outputs *first, enum poison first_poison,
                   const struct outputs *later, enum poison later_poison, const char *first_name, const char *later_name,
                   struct verdict *verdict);

/* Gate 2 (pattern CLASSES): every output's class, and gate 3's bound on those that are finite. */
void gate2_judge(const struct host_case *host, const struct outputs *outputs, struct verdict *verdict);
/* Gate 3: every finite output within its bound. */
void gate3_judge(const struct host_case *host, const struct outputs *outputs, struct verdict *verdict);
/* Gate 4 (pattern EXACT): the premise in integers, then bit for bit. */
void gate4_judge(const struct host_case *host, const struct outputs *outputs, struct verdict *verdict);
/* Gate 4: by how many bounds sums kept in fp16 and in bf16 would miss on these inputs: miss_fp16 and miss_bf16. */
bool gate4_misses(const struct host_case *host, struct verdict *verdict, struct error *error);

/* The gate that judges a pattern beside gate 1. */
int gate_of_pattern(enum reg_pattern pattern);
/* Calls the judge of the case's pattern. */
void gate_judge(const struct host_case *host, const struct outputs *outputs, struct verdict *verdict);

/* Audits the reference itself in MPFR on a fixed sample of outputs: false with STATUS_USAGE where the float64 value is
 * further than 2^-10 of its bound, or of half a spacing of the output, from the 256-bit one. *n_audited: elements compared.
 */
bool audit_reference(const struct host_case *host, int64_t *n_audited, struct error *error);

/* A verdict about a case, with names and hash in place and status PASS. */
struct verdict verdict_for_case(const struct host_case *host, const struct launch_target *target, int gate);
/* Notes one output element in the verdict. */
void verdict_element(struct verdict *verdict, const struct host_case *host, int tensor, int64_t index, const void *data);

#endif
