/*
 * Byte contracts (struct reg_bytes): a check of gate 1 on a shape of its own, beside the runs of a registration's shapes.
 *
 * Each launch is guarded and made with those of the device's checks that cost nothing. A contract of windows launches all
 * rows in the natural order, then each window in a schedule of its own; a contract of expected bytes launches once.
 */
#ifndef CONTRACT_BYTES_H
#define CONTRACT_BYTES_H

#include "contract/gates.h"

/* An element whose bytes are not those that the contract asks for; row and column are of the tensor in the launch of all.
 */
struct bytes_difference {
    const struct reg_tensor *tensor;
    int64_t row, column;
    uint64_t got_bits, expected_bits;
    double got, expected;
};

struct bytes_options {
    uint64_t seed;     /* of inputs */
    uint64_t schedule; /* of every window's launch; 0: each its own */
    int n_threads;
    unsigned checks; /* bits 1 << FINDING_… */
    /* Told of each difference; may be NULL. */
    void (*differs)(void *context, const struct bytes_difference *difference);
    void *context;
};

/* A case of a contract: its inputs, and the registration as the contract fills it. */
struct bytes_case {
    const struct reg_bytes *contract;
    struct registration registration;
    struct host_case host;
};

/* Plans the contract's shape and fills its inputs, as host_case_open does. bytes_close in either case; `open` stays where
 * it is until then. */
bool bytes_open(struct bytes_case *open, const struct reg_bytes *contract, const struct registration *registration,
                const struct bytes_options *options, struct error *error);
void bytes_close(struct bytes_case *open);

/* A verdict about a contract, with its name, and status PASS. */
struct verdict bytes_verdict(const struct bytes_case *open, const struct launch_target *target);
/* Holds a kernel to an opened contract and fills its verdict. A fault is planted in the launch of all rows alone: what is
 * to be wrong in every launch is a build. */
void bytes_judge(const struct bytes_case *open, const struct launch_target *target, const struct launch_fault *fault,
                 const struct bytes_options *options, struct verdict *verdict);

/* Launches that the contract makes. */
int bytes_launches(const struct reg_bytes *contract);
/* The contract's shape with the rows of a window. */
struct reg_shape bytes_window_shape(const struct reg_bytes *contract, const struct reg_window *window);

#endif
