/*
 * How much work a run has before it, by estimate: for progress, and for splitting it.
 */
#ifndef CONTRACT_WORK_H
#define CONTRACT_WORK_H

#include "contract/run.h"

/* Elements of all tensors of one of the shape's cases; 0 where the plan refuses the shape. */
double work_of_case(const struct registration *registration, const struct reg_shape *shape);
/* Of all its cases, one a shape and pattern, and byte contracts that the options select. */
double work_of_registration(const struct registration *registration, const struct run_options *options);

#endif
