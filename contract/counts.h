/*
 * What a run comes to, as folds over the verdict stream: counts for the SUMMARY line, and coverage: which gates of which
 * kernels ran on which chips.
 */
#ifndef CONTRACT_COUNTS_H
#define CONTRACT_COUNTS_H

#include "contract/verdict.h"

/* For one chip. */
struct chip_counts {
    char chip[32];
    int64_t n_kernels, n_pass, n_fail,
        n_known; /* registrations; a registration with only known findings passes and is counted apart */
    int64_t n_controls, n_red, n_green, n_missed, n_controls_not_run;
    int64_t n_limits, n_limit_problems;
    int64_t n_invalid;
    int64_t n_cells_run, n_cells_modelled, n_cells_not_run; /* registrations x gates */
    char modelled[1000]; /* instructions that modelled cells rest on, as "v_a, v_b", those left out that have no room */
    int64_t n_shapes_left_out, n_bytes_left_out, n_kernels_left_out; /* bytes: byte contracts */
    uint64_t gates_ns, limits_ns; /* these, and gate 5's cells, are set by who runs the passes */
};

enum { COUNTS_CHIPS = 32, COUNTS_GATES = 6 };

struct counts {
    struct chip_counts chips[COUNTS_CHIPS];
    size_t n_chips;
    /* Of the registration whose verdicts come now: */
    bool fails, knows, is_invalid, ran[COUNTS_GATES];
    bool modelled[COUNTS_GATES]; /* the gate's numbers rest on an assumption of the emulator */
};

struct verdict_sink counts_sink(struct counts *counts);
/* The row of a chip, made when it is new. The last row serves all further chips when there are too many. */
struct chip_counts *counts_of(struct counts *counts, const char *chip);
/* So many cells of gate 5 of a chip were run, or not. */
void counts_limits(struct counts *counts, const char *chip, int64_t n_cells, bool ran);

#endif
