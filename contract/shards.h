/*
 * Shards: the registrations of a run split into parts of about equal cost, the same split wherever it is made of the same
 * costs.
 */
#ifndef CONTRACT_SHARDS_H
#define CONTRACT_SHARDS_H

#include "contract/base/hash.h"
#include "contract/registry_list.h"
#include "contract/run.h"

/* What a registration costs on a chip by estimate, in no unit but one for all: elements of the tensors of its cases, byte
 * contracts and controls, times the runs of gate 1. */
double shards_estimate(const struct registry *registry, const struct run_options *options, size_t index);

/* Gives each of n costs a shard, 1 to n_shards: the dearest first, each to the shard that has the least so far. A negative
 * cost takes no part: 0. Ties go by index. False out of host memory. */
bool shards_split(const double *costs, size_t n, int n_shards, int *shard_of);

/* Names the split: of the names of the registrations and the shards that they are in. */
struct hash128 shards_hash(const struct registry *registry, const int *shard_of);

#endif
