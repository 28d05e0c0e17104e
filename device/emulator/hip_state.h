/*
 * The one process-wide HIP state that HIP's API, which has no context argument, forces: shared by hip_emulator.c (devices
 * and memory), hip_module.c and hip_launch.c, and by nobody else. Every HIP call holds its lock.
 */
#ifndef EMULATOR_HIP_STATE_H
#define EMULATOR_HIP_STATE_H

#include <pthread.h>

#include "device/device.h"
#include "device/emulator/dispatch.h"

enum { REFUSAL_BYTES = 400, MAX_DEVICES = 64 };

struct ihipModuleSymbol_t {
    struct ihipModule_t *module;
    const struct code_kernel *kernel;
};

struct ihipModule_t {
    struct ihipModule_t *next;
    int device;
    uint8_t *file; /* the code object's bytes, which object borrows */
    struct code_object object;
    uint64_t address; /* of the loaded image in guest memory */
    /* Decoded once for each wave size that a kernel asks for: [0] 32, [1] 64. n_lanes is 0 where that is not yet. */
    struct emulated_code code[2];
    struct instruction_profile *profile[2]; /* of the code, where launches are counted; else NULL */
    struct ihipModuleSymbol_t *functions;   /* one a kernel of the object */
};

/* Guest memory that launches on one device use again and again. */
struct launch_memory {
    uint64_t packet_address, queue_address, kernarg_address;
    uint32_t kernarg_bytes;
};

struct emulator {
    struct device device; /* first: a struct device * of the emulator is a struct emulator * */
    pthread_mutex_t lock;
    struct emulator_options options;
    const struct chip *chip;
    struct memory *memory;
    struct dispatch_storage *storage;
    struct ihipModule_t *modules;
    struct launch_memory launch_memory[MAX_DEVICES];
    uint64_t peers[MAX_DEVICES]; /* bit P of [D]: kernels on D may use P's memory; off at first, as HIP has it */
    uint64_t schedule_seed;
    uint32_t reported_wave_size; /* 0: the chip's */
    hipError_t last_error;
    struct emulator_statistics statistics;
    struct finding *findings; /* not yet taken */
    size_t n_findings, findings_capacity;
    char refusal[REFUSAL_BYTES];
};

/* The open emulator, locked, or NULL; and its release with a call's result, which it returns and remembers. */
struct emulator *hip_enter(void);
hipError_t hip_leave(struct emulator *emulator, hipError_t result);
int hip_current_device(void);

/* Says why a call is refused and gives the error back. */
hipError_t hip_refuse(struct emulator *emulator, hipError_t error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

hipError_t hip_module_load(struct emulator *emulator, const void *image, hipModule_t *module);
hipError_t hip_module_unload(struct emulator *emulator, hipModule_t module);
/* NULL where function is none of a loaded module. */
const struct ihipModuleSymbol_t *hip_function_find(const struct emulator *emulator, const void *function);
/* Counts of the instructions of a function's code, which is decoded; NULL where launches are not counted. */
struct instruction_profile *hip_function_profile(const struct ihipModuleSymbol_t *function,
                                                 const struct emulated_code *code);
/* The code of a function's wave size, decoded at first use; NULL, and hip_refuse's text, when that fails. */
const struct emulated_code *hip_function_code(struct emulator *emulator, const struct ihipModuleSymbol_t *function);

struct hip_launch {
    const struct ihipModuleSymbol_t *function;
    uint32_t grid[3], block[3], dynamic_lds_bytes;
    void **parameters, **extra;
};
hipError_t hip_launch_run(struct emulator *emulator, const struct hip_launch *request);

#endif
