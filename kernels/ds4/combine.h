/*
 * The launcher of moe_combine_gate where the router runs on the host: gate weights lie in host memory, and reach the device
 * through staging buffers, some tokens at a time, while the host goes on.
 */
#ifndef KERNELS_DS4_COMBINE_H
#define KERNELS_DS4_COMBINE_H

#include "kernels/ds4/staging.h"
#include "kernels/launch/scratch.h"

struct ds4_combine_call {
    const float *gate; /* [tokens][experts], in host memory; the caller's again when the launch returns */
    const float *y;    /* [tokens][experts][dim] */
    float *out;        /* [tokens][dim] */
    int64_t tokens, experts, dim;
};

/* What one device keeps between launches. */
struct ds4_combine_device {
    const struct hip_api *hip;
    hipStream_t stream; /* NULL: not opened */
    struct launch_scratch gates;
    struct ds4_staging staging;
};

/* On the device that is current; buffer_bytes is the size of a staging buffer. ds4_combine_close in either case. */
bool ds4_combine_open(struct ds4_combine_device *device, const struct hip_api *hip, size_t buffer_bytes,
                      struct error *error);
void ds4_combine_close(struct ds4_combine_device *device);

/* Tokens whose gate weights a staging buffer holds. */
int64_t ds4_combine_tokens_of_buffer(const struct ds4_combine_device *device, const struct ds4_combine_call *call);
/* Room on the device for the gate weights of all tokens. False, with STATUS_USAGE, where a buffer does not hold those of
 * one. */
bool ds4_combine_gates(struct ds4_combine_device *device, const struct ds4_combine_call *call, float **gates,
                       struct error *error);
/* Starts tokens first … first + n - 1 on the device's stream; `gates` holds their gate weights when it comes so far. */
bool ds4_combine_tokens(struct ds4_combine_device *device, hipFunction_t kernel, const struct ds4_combine_call *call,
                        const float *gates, int64_t first, int64_t n, struct error *error);

/* Starts all tokens on the device's stream. */
bool ds4_combine_launch(struct ds4_combine_device *device, hipFunction_t kernel, const struct ds4_combine_call *call,
                        struct error *error);

#endif
