/*
 * What a failing gate 3 tells beside its numbers: the first wrong output and the worst, those around it, and a guess where
 * the pattern is telling (contract/hypotheses.h). For people; nothing is judged by it.
 */
#ifndef CONTRACT_DIAGNOSIS_H
#define CONTRACT_DIAGNOSIS_H

#include "contract/gates.h"

/* Fills the diagnosis of a gate-3 verdict that fails, from the tensor of its worst output. Does nothing for others, nor
 * where all outputs of that tensor are within their bounds (then the twin or the depth failed), nor out of host memory. */
void diagnosis_make(const struct host_case *host, const struct outputs *outputs, struct verdict *verdict);

#endif
