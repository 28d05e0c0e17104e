/*
 * A case on the host: one registration, shape and pattern, with its inputs, and its reference once asked for. Everything in
 * it lives in one arena and dies with it.
 */
#ifndef CONTRACT_HOST_CASE_H
#define CONTRACT_HOST_CASE_H

#include "contract/base/arena.h"
#include "contract/base/error.h"
#include "contract/registry.h"

struct host_case {
    struct reg_case c;
    struct reg_plan plan;
    const struct bound *bounds[REG_MAX_TENSORS]; /* of each output tensor's elements; NULL until host_case_reference */
    struct arena arena;
};

/* Plans the shape and fills the inputs; data of outputs and workspaces is zeroed space. Errors: STATUS_USAGE where the plan
 * refuses the shape, STATUS_ENVIRONMENT when out of host memory. host_case_close in either case. */
bool host_case_open(struct host_case *host, const struct registration *registration, const struct reg_shape *shape,
                    enum reg_pattern pattern, uint64_t seed, int n_threads, struct error *error);
/* Likewise with the weights of a file that weights_shape has found to be the shape's; NULL: none. The file is borrowed. */
bool host_case_open_file(struct host_case *host, const struct registration *registration, const struct reg_shape *shape,
                         const struct reg_file *file, enum reg_pattern pattern, uint64_t seed, int n_threads,
                         struct error *error);
/* Likewise for a registration with the tensors of another's: its case of the other's shape and pattern, with the bytes of
 * the other's inputs by name. */
bool host_case_open_on(struct host_case *host, const struct registration *registration, const struct host_case *other,
                       struct error *error);
/* Computes bounds of all outputs. */
bool host_case_reference(struct host_case *host, struct error *error);
void host_case_close(struct host_case *host);

int64_t tensor_elements(const struct reg_tensor *tensor);
size_t tensor_bytes(const struct reg_tensor *tensor);
/* Index of the tensor of that name, or -1. */
int plan_tensor(const struct reg_plan *plan, const char *name);
/* Of all output tensors together. */
int64_t plan_outputs(const struct reg_plan *plan);
/* Index of the next output tensor at or after `from`, or -1: for (t = next_output(p, 0); t >= 0; t = next_output(p, t +
 * 1)). */
int next_output(const struct reg_plan *plan, int from);

#endif
