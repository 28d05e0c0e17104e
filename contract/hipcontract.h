/*
 * The one header of kernels that live outside this repository: all of contract/registry.h, and what makes a shared object a
 * file of kernels. Its C files register with REG_KERNEL and REG_CONTROL; one of them says HIPCONTRACT_KERNELS("..") at file
 * scope; and `hipcontract contract --kernels FILE.so` holds what it finds (docs/out-of-tree.md). The functions that these
 * headers declare are in the program: leave them undefined when linking.
 */
#ifndef CONTRACT_HIPCONTRACT_H
#define CONTRACT_HIPCONTRACT_H

#include "contract/registry.h"

/* Raised with each change of what the two sides mean that HIPCONTRACT_LAYOUT does not show. */
enum { HIPCONTRACT_ABI = 2 };

/* X(what, number): what a file and the program must have alike, since each reads what the other wrote. */
#define HIPCONTRACT_LAYOUT(X)                                                                                              \
    X("bytes of struct registration", sizeof(struct registration))                                                         \
    X("bytes of struct control", sizeof(struct control))                                                                   \
    X("bytes of struct reg_shape", sizeof(struct reg_shape))                                                               \
    X("bytes of struct reg_plan", sizeof(struct reg_plan))                                                                 \
    X("bytes of struct reg_case", sizeof(struct reg_case))                                                                 \
    X("bytes of struct reg_bytes", sizeof(struct reg_bytes))                                                               \
    X("bytes of struct reg_window", sizeof(struct reg_window))                                                             \
    X("bytes of struct reg_scaling", sizeof(struct reg_scaling))                                                           \
    X("bytes of struct reg_permutation", sizeof(struct reg_permutation))                                                   \
    X("bytes of struct reg_padding", sizeof(struct reg_padding))                                                           \
    X("bytes of struct reg_weights", sizeof(struct reg_weights))                                                           \
    X("bytes of struct reg_file_tensor", sizeof(struct reg_file_tensor))                                                   \
    X("bytes of struct reg_file", sizeof(struct reg_file))                                                                 \
    X("bytes of struct reg_launcher", sizeof(struct reg_launcher))                                                         \
    X("bytes of struct reg_call", sizeof(struct reg_call))                                                                 \
    X("bytes of struct reg_budget", sizeof(struct reg_budget))                                                             \
    X("bytes of struct reg_entry", sizeof(struct reg_entry))                                                               \
    X("bytes of struct reg_known_finding", sizeof(struct reg_known_finding))                                               \
    X("bytes of struct hip_api", sizeof(struct hip_api))                                                                   \
    X("bytes of struct bound", sizeof(struct bound))                                                                       \
    X("bytes of struct format_facts", sizeof(struct format_facts))                                                         \
    X("bytes of struct random_key", sizeof(struct random_key))                                                             \
    X("bytes of struct depth", sizeof(struct depth))                                                                       \
    X("bytes of struct policy", sizeof(struct policy))                                                                     \
    X("bytes of struct exact_sum", sizeof(struct exact_sum))                                                               \
    X("bytes of struct error", sizeof(struct error))                                                                       \
    X("patterns", REG_PATTERN_COUNT)                                                                                       \
    X("number formats", FORMAT_COUNT)                                                                                      \
    X("checks of launchers", REG_LAUNCHER_CHECK_COUNT)

/* What the program looks up in a file of kernels, under the name hipcontract_kernels. */
struct hipcontract_kernels {
    uint32_t abi;      /* HIPCONTRACT_ABI; first in every version */
    uint32_t n_layout; /* numbers of HIPCONTRACT_LAYOUT */
    const uint32_t *layout;
    const char *folder; /* of HIPCONTRACT_KERNELS */
    const struct reg_entry *const *registrations, *const *registrations_end;
    const struct control *const *controls, *const *controls_end;
};

#define HIPCONTRACT_LAYOUT_NUMBER(what, number) (uint32_t)(number),

/* Once in a file of kernels. The sources of its registrations, and records/, are below `folder`: absolute, or from the
 * folder that the file itself is in ("" for that one). The linker gives the bounds of the two sections; they are weak, as a
 * file may have no control, and hidden, as those of the program are not meant. */
#define HIPCONTRACT_KERNELS(folder)                                                                                        \
    extern const struct reg_entry *const __start_hc_registrations[] __attribute__((weak, visibility("hidden")));           \
    extern const struct reg_entry *const __stop_hc_registrations[] __attribute__((weak, visibility("hidden")));            \
    extern const struct control *const __start_hc_controls[] __attribute__((weak, visibility("hidden")));                  \
    extern const struct control *const __stop_hc_controls[] __attribute__((weak, visibility("hidden")));                   \
    static const uint32_t hipcontract_layout[] = {HIPCONTRACT_LAYOUT(HIPCONTRACT_LAYOUT_NUMBER)};                          \
    extern const struct hipcontract_kernels hipcontract_kernels __attribute__((visibility("default")));                    \
    const struct hipcontract_kernels hipcontract_kernels = {                                                               \
        HIPCONTRACT_ABI,          sizeof hipcontract_layout / sizeof *hipcontract_layout,                                  \
        hipcontract_layout,       folder,                                                                                  \
        __start_hc_registrations, __stop_hc_registrations,                                                                 \
        __start_hc_controls,      __stop_hc_controls}

#endif
