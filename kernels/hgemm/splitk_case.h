/* What the registered launchers of split-K share with those that their controls put in their place. */
#ifndef KERNELS_HGEMM_SPLITK_CASE_H
#define KERNELS_HGEMM_SPLITK_CASE_H

#include "contract/registry.h"
#include "kernels/hgemm/splitk.h"

#define HGEMM_SPLITK_DEVICES_SHAPE "1x33x640"

/* The state of a process: a pool for each device. */
enum { HGEMM_MOST_DEVICES = 64 };
struct hgemm_splitk_state {
    const struct hip_api *hip;
    struct launch_scratch pool[HGEMM_MOST_DEVICES];
};
bool hgemm_splitk_open(const struct hip_api *hip, void **state, struct error *error);
void hgemm_splitk_close(void *state);

/* The case's device, with the pool of device `pool_of`, and its product. STATUS_USAGE where there is no state for it, or
 * waves of its size are not known. */
bool hgemm_splitk_case(struct hgemm_splitk_state *state, const struct reg_call *call, int pool_of,
                       struct hgemm_device *device, struct hgemm_product *product, struct error *error);

/* The kernels of a launcher: the product's variants, then those that follow. */
#define HGEMM_SPLITK_NAME(variant, threads, m, n, k) "hgemm_splitk_" #variant,
#define HGEMM_ATOMIC_NAME(variant, threads, m, n, k) "hgemm_atomic_" #variant,
/* A launcher with that launch function; the arguments are its kernels. */
#define HGEMM_SPLITK_LAUNCHER(variable, function, ...)                                                                     \
    static const struct reg_launcher variable = {.kernels = {__VA_ARGS__},                                                 \
                                                 .devices_shape = HGEMM_SPLITK_DEVICES_SHAPE,                              \
                                                 .n_devices = 2,                                                           \
                                                 .open = hgemm_splitk_open,                                                \
                                                 .launch = (function),                                                     \
                                                 .close = hgemm_splitk_close}

#endif
