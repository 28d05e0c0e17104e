/*
 * A device as the contract sees it: the HIP API table, and what a HIP runtime has no function for (findings of the
 * sanitizer and the schedule), which a real GPU leaves out. Callers may rely on hip being complete and on optional
 * members being NULL where the device lacks them.
 */
#ifndef DEVICE_DEVICE_H
#define DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/base/error.h"
#include "contract/base/hash.h"
#include "device/hip_api.h"

/* X(kind, name): what a finding is about; the names are those of `--check` and of the log. */
#define FINDING_KINDS(X)                                                                                                   \
    X(MEM, "mem")                 /* outside an allocation, null, freed, misaligned, LDS outside the workgroup's */        \
    X(INIT, "init")               /* a value that nobody wrote reaches an address, a branch, a store or an atomic */       \
    X(RACE, "race")               /* two accesses to a byte, one a write, that nothing orders */                           \
    X(SYNC, "sync")               /* a barrier that not all waves reach */                                                 \
    X(WAIT, "wait")               /* a register used before the wait that its value needs */                               \
    X(NAN, "nan")                 /* a note: where a NaN or infinity first appears that no operand held */                 \
    X(TRAP, "trap")               /* s_trap */                                                                             \
    X(WATCHDOG, "watchdog")       /* more instructions than allowed */                                                     \
    X(UNSUPPORTED, "unsupported") /* an instruction that the emulator does not implement */

#define FINDING_ENUM(kind, name) FINDING_##kind,
enum finding_kind { FINDING_KINDS(FINDING_ENUM) FINDING_KIND_COUNT };
#undef FINDING_ENUM

const char *finding_kind_name(enum finding_kind kind);
/* The kind of a name of n_bytes; FINDING_KIND_COUNT where there is none. */
enum finding_kind finding_kind_find(const char *name, size_t n_bytes);
/* Writes the names of kinds (bits 1 << FINDING_…) in their order, parted by the separator: "mem init race". */
void finding_kinds_list(unsigned kinds, const char *separator, char *text, size_t capacity);

/* The line that a place is on, with some before and after it as far as they fit; '\n' after each. */
struct finding_listing {
    char text[360]; /* "" where none are known */
    int at;         /* which of its lines is meant, from 0 */
};
/* Makes one of lines[at] and its neighbours among n, the nearest first. A line that is alone too long is cut. */
void finding_listing_make(struct finding_listing *listing, const char *const *lines, int n, int at);

/* Where in the program and in the launch. */
struct finding_place {
    char kernel[96];       /* its symbol; "" where none is known */
    int64_t offset_bytes;  /* of the instruction from the kernel's first byte; from the code's where kernel is "" */
    char instruction[128]; /* its text; "" where it concerns no instruction */
    char file[128];        /* of the source, as the compiler was given it; "" where the code has no line tables */
    uint32_t line;         /* from 1 */
    uint32_t workgroup[3];
    int32_t wave, lane;                  /* of the workgroup, of the wave; -1: not one alone */
    struct finding_listing instructions; /* round its own, as LLVM writes them */
    struct finding_listing source;       /* round its line, where the file could be read */
};

/* Checks that can be asked for, as bits 1 << FINDING_…. A trap, the watchdog and an unsupported instruction are always
 * reported. NAN is a note that fails no launch, so it is no part of CHECKS_ALL. */
#define CHECKS_BASIC (1u << FINDING_MEM | 1u << FINDING_SYNC)
#define CHECKS_ALL   (CHECKS_BASIC | 1u << FINDING_INIT | 1u << FINDING_RACE | 1u << FINDING_WAIT)

struct finding {
    enum finding_kind kind;
    bool has_other;
    struct finding_place place, other; /* other: the second party of a race, and the like */
    char message[400];
    /* One line of all that, without the kind, made by finding_compose:
     * "saxpy+0x1c4 global_load_b32 v2, v[2:3], off (saxpy.hip:7): workgroup 1,0,0 wave 2 lane 7: address …" */
    char text[1000];
};

/* Fills text from the other fields. */
void finding_compose(struct finding *finding);

/* Where the counts of depth_of end: what has that many additions may have more. */
enum { DEVICE_DEPTH_MOST = INT16_MAX - 1 };

/* What one instruction of a code object did in all launches since the emulator was opened. Bytes are sums over lanes. */
enum profile_space { PROFILE_GLOBAL, PROFILE_LDS, PROFILE_SCRATCH, PROFILE_SPACES };
struct instruction_profile {
    uint64_t n_executed; /* by waves */
    uint64_t n_lanes;    /* that were on, vector instructions only */
    uint64_t n_taken;    /* branches: executions after which another instruction than the next one came */
    uint64_t read_bytes[PROFILE_SPACES], written_bytes[PROFILE_SPACES];
    uint64_t n_accesses, n_lines; /* vector accesses to global memory with a lane on; cache lines they touched */
    /* LDS accesses with a lane on; passes that the banks needed for them, and would need without any conflict. */
    uint64_t n_lds_accesses, n_passes, n_least_passes;
};
/* Adds counts to others. */
void instruction_profile_add(struct instruction_profile *to, const struct instruction_profile *from);
struct profiled_instruction {
    struct hash128 code;  /* of the code object */
    uint64_t address;     /* of the ELF */
    uint32_t n_lanes;     /* wave size */
    const char *text;     /* as disassembled */
    const char *mnemonic; /* without _e32 and the like; "" where the emulator does not know it */
    const char *class;    /* VALU, SMEM … */
    bool is_vector;       /* works on lanes */
    const struct instruction_profile *counts;
};
/* What is visited is borrowed for the call. */
typedef void profile_visitor(void *context, const struct profiled_instruction *instruction);

struct device {
    const struct hip_api *hip;
    const char *kind; /* "emulator" or "rocm" */
    char chip[32];    /* gfxNNNN of device 0 */
    int n_devices;
    int wave_size; /* 32 or 64, of device 0 */
    /* Emulator: the order of workgroups, waves and switch points of later launches. 0 is the natural order, any other value
     * a permutation of its own. NULL where the device cannot be told. */
    void (*set_schedule)(struct device *device, uint64_t seed);
    /* Emulator: names an allocation in findings ("input x"); pointer is its first byte. May be NULL. */
    void (*name_allocation)(struct device *device, const void *pointer, const char *name);
    /* Emulator: allocations from now on each have a multiple of 4 GiB in their middle, so that sums of addresses carry into
     * the high half, as long as there is room for that. NULL where the device places memory as it likes. */
    void (*straddle)(struct device *device, bool on);
    /* Emulator: the checks (bits 1 << FINDING_…) of later launches. NULL where the device has none. */
    void (*set_checks)(struct device *device, unsigned checks);
    /* Emulator: n_bytes at a device pointer count as never written until the next write of them, whatever they hold. NULL
     * where the device keeps no such record. */
    void (*forget)(struct device *device, void *pointer, size_t n_bytes);
    /* Emulator: what hipDeviceAttributeWarpSize gives from now on, whatever the chip has; 0: the chip's. NULL where the
     * device is what it is. */
    void (*report_wave_size)(struct device *device, int wave_size);
    /* Emulator: calls of hipModuleLaunchKernel since it was opened, refused ones too. NULL where report_wave_size is. */
    uint64_t (*count_launches)(struct device *device);
    /* Moves up to capacity findings since the last call into out and returns their number: of each launch its faults, then
     * its notes. NULL: the device has none. */
    size_t (*take_findings)(struct device *device, struct finding *out, size_t capacity);
    /* Emulator: the instructions of a loaded kernel whose arithmetic is an assumption that no public source confirms
     * (docs/fidelity.md) and that no bound covers, as "v_a, v_b"; returns their number. NULL where the device is the truth.
     */
    size_t (*modelled)(struct device *device, hipFunction_t function, char *text, size_t capacity);
    /* Emulator: later launches count the additions that round on the longest way to each value (docs/numerics.md, "Depth"),
     * from what memory holds as data; off forgets the counts. The largest count in n_bytes at a device pointer, and in *at
     * the offset of the first byte that has it; DEVICE_DEPTH_MOST at the most. NULL where the device cannot. */
    void (*measure_depth)(struct device *device, bool on);
    uint32_t (*depth_of)(struct device *device, const void *pointer, size_t n_bytes, size_t *at);
    /* Emulator: visits the executed instructions of all loaded modules in address order. NULL where it was not opened with
     * count_profile, and where the device cannot tell. */
    void (*visit_profile)(struct device *device, profile_visitor *visit, void *context);
    void (*close)(struct device *device);
    void *context;
};

/* X(name, text): how dot and matrix instructions add up. */
#define MATRIX_MODELS(X)                                                                                                   \
    X(CHIP, "chip") /* by the chip's rule (docs/fidelity.md) */                                                            \
    X(IEEE, "ieee") /* a chain of fused multiply-adds in rising k, in f32 (f64 for f64) */

#define MATRIX_MODEL_ENUM(name, text) MATRIX_MODEL_##name,
enum matrix_model { MATRIX_MODELS(MATRIX_MODEL_ENUM) MATRIX_MODEL_COUNT };
#undef MATRIX_MODEL_ENUM

struct emulator_options {
    const char *chip;          /* gfxNNNN */
    int n_devices;             /* at least 1 */
    int n_threads;             /* host threads for workgroups; results do not depend on it */
    uint64_t max_instructions; /* that a wave may execute before the watchdog ends the launch; 0: the default (2^28) */
    enum matrix_model matrix_model;
    unsigned checks;      /* bits 1 << FINDING_… of the checks wanted: CHECKS_BASIC, CHECKS_ALL …; 0: none */
    bool count_profile;   /* for visit_profile; launches are slower with it */
    uint64_t approx_seed; /* 0: correctly rounded; else perturbs approximate functions within their documented ulp */
};

/* Opens the emulator as a device. Only one may be open in a process (HIP's API has no context argument). Errors:
 * STATUS_ENVIRONMENT for a chip that is not emulated. The caller closes it with device->close. */
bool emulator_open(const struct emulator_options *options, struct device **device, struct error *error);
/* Executed wave-instructions and lane-instructions of all launches since open or the last call, and the most
 * instructions that one wave executed. */
struct emulator_statistics {
    uint64_t wave_instructions, lane_instructions, longest_wave, launch_ns;
};
struct emulator_statistics emulator_take_statistics(struct device *device);
/* As emulator_options.max_instructions, for later launches. */
void emulator_limit_instructions(struct device *device, uint64_t max_instructions);
/* Why the emulator refused the last hipModuleLoadData or hipModuleLaunchKernel, in one line; "" where it did not. Valid
 * until the next of these calls. */
const char *emulator_refusal(const struct device *device);

/* Opens GPU `index` of the real HIP runtime through dlopen of libamdhip64. Errors: STATUS_ENVIRONMENT, with HIP's error
 * name and what to do. The caller closes it with device->close. */
bool rocm_open(int index, struct device **device, struct error *error);

#endif
