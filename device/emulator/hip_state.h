/*
 * The one process-wide HIP state that HIP's API, which has no context argument, forces: shared by hip_emulator.c (devices
 * and memory), hip_module.c, hip_launch.c and hip_stream.c, and by nobody else. Every HIP call holds its lock.
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

struct hip_operation;

/* A stream does what it is given as late as HIP allows: when something waits for it. Whatever reads or overwrites a result
 * without waiting so goes wrong each time. */
struct ihipStream_t {
    struct ihipStream_t *next;
    int device;
    bool waits_for_null;                /* and the null stream for it */
    struct hip_operation *first, **end; /* not done yet, in order */
    uint64_t n_given, n_done;
};

struct ihipEvent_t {
    struct ihipEvent_t *next;
    int device;                  /* only that one's streams record it */
    struct ihipStream_t *stream; /* NULL: nothing to wait for */
    uint64_t n_operations;       /* of the stream, that come before it */
};

/* Host memory that copies may read and write while the host goes on. */
struct pinned {
    struct pinned *next;
    uint8_t *host;
    size_t n_bytes;
    int device;
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
    struct ihipStream_t *streams; /* in the order of their making */
    struct ihipEvent_t *events;
    struct pinned *pinned;
    uint64_t peers[MAX_DEVICES]; /* bit P of [D]: kernels on D may use P's memory; off at first, as HIP has it */
    uint64_t schedule_seed, n_stream_choices; /* made with the seed */
    uint32_t reported_wave_size;              /* 0: the chip's */
    uint64_t n_launches;                      /* calls of hipModuleLaunchKernel, whatever became of them */
    bool measures_depth;                      /* later launches are of the depth audit */
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
#define ENTER_OR_FAIL(emulator)                                                                                            \
    struct emulator *emulator = hip_enter();                                                                               \
    if (!emulator)                                                                                                         \
    return hipErrorNoDevice

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

enum { MEMCPY_DEFAULT = 4 };
/* Refuses a copy whose pointers are not where its kind says, or of no kind; *kind is then none that stands for others. */
hipError_t hip_copy_check(struct emulator *emulator, const void *to, const void *from, size_t n_bytes, int *kind);
/* A copy that was not refused, done. */
hipError_t hip_copy(struct emulator *emulator, void *to, const void *from, size_t n_bytes, int kind);

/* HIP_LAUNCH_PARAM_BUFFER_POINTER, _SIZE and _END. */
enum { EXTRA_POINTER = 1, EXTRA_SIZE = 2, EXTRA_END = 3 };

struct hip_launch {
    const struct ihipModuleSymbol_t *function;
    int device;
    uint32_t grid[3], block[3], dynamic_lds_bytes;
    void **parameters, **extra;
};
hipError_t hip_launch_run(struct emulator *emulator, const struct hip_launch *request);
/* Refuses what hip_launch_run would refuse. */
hipError_t hip_launch_check(struct emulator *emulator, const struct hip_launch *request);
/* Bytes of the kernel's explicit arguments, and their values as `extra` gives them. */
uint32_t hip_launch_argument_bytes(const struct hip_launch *request);
hipError_t hip_launch_arguments(struct emulator *emulator, const struct hip_launch *request, uint8_t *bytes);

/* The null stream, by any of its names. */
bool hip_is_null_stream(hipStream_t stream);
/* Waits for all streams of a device, or for those that the null stream waits for. The first error of what is done. */
hipError_t hip_drain_device(struct emulator *emulator, int device);
hipError_t hip_drain_for_null(struct emulator *emulator, int device);
/* Adds a launch to a stream. */
hipError_t hip_stream_launch(struct emulator *emulator, hipStream_t stream, struct hip_launch *request);
/* Drops what was not done. */
void hip_streams_close(struct emulator *emulator);

/* HIP's functions for streams, events and pinned memory, under the emulator's names. */
hipError_t emu_host_malloc(void **pointer, size_t n_bytes, unsigned flags);
hipError_t emu_host_free(void *pointer);
hipError_t emu_memcpy_async(void *to, const void *from, size_t n_bytes, int kind, hipStream_t stream);
hipError_t emu_stream_create(hipStream_t *stream, unsigned flags);
hipError_t emu_stream_destroy(hipStream_t stream);
hipError_t emu_stream_synchronize(hipStream_t stream);
hipError_t emu_event_create(hipEvent_t *event, unsigned flags);
hipError_t emu_event_destroy(hipEvent_t event);
hipError_t emu_event_record(hipEvent_t event, hipStream_t stream);
hipError_t emu_event_synchronize(hipEvent_t event);

#endif
