/*
 * Instruction cases as text: state before, assembly, state after. A file holds many; each runs on a wave of its own:
 *
 *     chip gfx1151               # for the cases that follow; several names: each case runs on each chip
 *     wave 32                    # likewise
 *     case v_add_co_u32 carries out of bit 31
 *     set v1 = 1 0xffffffff      # lanes 0, 1; the last value stands for all further lanes
 *     set s4 = 7
 *     run
 *         v_add_co_u32 v2, vcc_lo, v1, s4
 *     expect v2 = 8 6
 *     expect vcc = 0xfffffffe
 *
 * Places: vN, v[N:N+1], aN (AGPRs), sN, s[N:N+1], vcc, exec, scc, m0, mode, memory[BYTE], lds[BYTE] (both in dwords from
 * there; s[2:3] holds the address of memory, 4096 bytes). Values: integers; 1.5f, 1.5h, 1.5b, 1.5d for the bits of f32,
 * f16, bf16, f64 (inf and nan too); lane*A+B; N:VALUE for N times the same; _ for "not looked at". Expected values are
 * derived by hand or from IEEE, never copied from a run.
 */
#ifndef SUPPORT_CASE_FILE_H
#define SUPPORT_CASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "contract/base/error.h"

struct case_tally {
    size_t n_run, n_failed;
};

/* Runs the cases of a file that are for a chip (NULL: for each of theirs), counts a case once a chip, and prints one line a
 * failure to out: file, line, case, place, got and expected. false: the file cannot be read, parsed ("PATH:LINE: reason")
 * or assembled. */
bool case_file_run(const char *path, const char *chip, FILE *out, struct case_tally *tally, struct error *error);

#endif
