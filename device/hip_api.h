/*
 * The HIP runtime functions that the project uses, with HIP's names and signatures, as one table. It is the only path to a
 * device: device/rocm.c fills it from libamdhip64, device/emulator/hip_emulator.c from the emulator, tests from a fake.
 *
 * Types and numbers are declared here, not taken from a HIP header: they are ABI facts that hold for libamdhip64 5, 6 and 7
 * (docs/dependencies.md), and the project must build where no HIP is installed.
 */
#ifndef DEVICE_HIP_API_H
#define DEVICE_HIP_API_H

#include <stddef.h>
#include <stdint.h>

typedef int hipError_t;
typedef struct ihipModule_t *hipModule_t;
typedef struct ihipModuleSymbol_t *hipFunction_t;
typedef struct ihipStream_t *hipStream_t;
typedef struct ihipEvent_t *hipEvent_t;
typedef void *hipDeviceptr_t;

/* X(name, value): the error codes that the project produces or names. */
#define HIP_ERRORS(X)                                                                                                      \
    X(hipSuccess, 0)                                                                                                       \
    X(hipErrorInvalidValue, 1)                                                                                             \
    X(hipErrorOutOfMemory, 2)                                                                                              \
    X(hipErrorInvalidConfiguration, 9)                                                                                     \
    X(hipErrorNoDevice, 100)                                                                                               \
    X(hipErrorInvalidDevice, 101)                                                                                          \
    X(hipErrorInvalidImage, 200)                                                                                           \
    X(hipErrorNoBinaryForGpu, 209)                                                                                         \
    X(hipErrorSharedObjectInitFailed, 303)                                                                                 \
    X(hipErrorInvalidHandle, 400)                                                                                          \
    X(hipErrorNotFound, 500)                                                                                               \
    X(hipErrorIllegalAddress, 700)                                                                                         \
    X(hipErrorLaunchOutOfResources, 701)                                                                                   \
    X(hipErrorLaunchTimeOut, 702)                                                                                          \
    X(hipErrorPeerAccessAlreadyEnabled, 704)                                                                               \
    X(hipErrorPeerAccessNotEnabled, 705)                                                                                   \
    X(hipErrorLaunchFailure, 719)                                                                                          \
    X(hipErrorNotSupported, 801)                                                                                           \
    X(hipErrorUnknown, 999)

#define HIP_ERROR_ENUM(name, value) name = value,
enum hip_error { HIP_ERRORS(HIP_ERROR_ENUM) };
#undef HIP_ERROR_ENUM

/* Kinds of hipMemcpy. */
enum hip_memcpy_kind { hipMemcpyHostToHost, hipMemcpyHostToDevice, hipMemcpyDeviceToHost, hipMemcpyDeviceToDevice };

/* Flags of hipStreamCreateWithFlags and hipEventCreateWithFlags. */
enum { hipStreamDefault = 0, hipStreamNonBlocking = 1, hipEventDefault = 0, hipEventDisableTiming = 2 };

/* hipDeviceAttribute_t: only values that are the same in HIP 5, 6 and 7. */
enum hip_device_attribute {
    hipDeviceAttributeMaxBlockDimX = 26,
    hipDeviceAttributeMaxGridDimX = 29,
    hipDeviceAttributeMaxGridDimY = 30,
    hipDeviceAttributeMaxGridDimZ = 31,
    hipDeviceAttributeMaxThreadsPerBlock = 56,
    hipDeviceAttributeMultiprocessorCount = 63,
    hipDeviceAttributeMaxSharedMemoryPerBlock = 74,
    hipDeviceAttributeWarpSize = 87,
};

/* hipFunction_attribute. */
enum hip_function_attribute {
    HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
    HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
    HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
    HIP_FUNC_ATTRIBUTE_NUM_REGS = 4,
};

/* hipDeviceProp_t has another layout in each HIP; a caller passes this many zeroed bytes, and rocm.c knows where the fields
 * that the project reads lie. */
enum { HIP_DEVICE_PROP_BYTES = 4096 };

/* X(return type, name, parameters) */
#define HIP_FUNCTIONS(X)                                                                                                   \
    X(hipError_t, hipRuntimeGetVersion, (int *version))                                                                    \
    X(hipError_t, hipDriverGetVersion, (int *version))                                                                     \
    X(hipError_t, hipGetDeviceCount, (int *count))                                                                         \
    X(hipError_t, hipSetDevice, (int device))                                                                              \
    X(hipError_t, hipGetDevice, (int *device))                                                                             \
    X(hipError_t, hipDeviceGetName, (char *name, int n_bytes, int device))                                                 \
    X(hipError_t, hipDeviceGetAttribute, (int *value, int attribute, int device))                                          \
    X(hipError_t, hipDeviceCanAccessPeer, (int *can, int device, int peer))                                                \
    X(hipError_t, hipDeviceEnablePeerAccess, (int peer, unsigned flags))                                                   \
    X(hipError_t, hipDeviceDisablePeerAccess, (int peer))                                                                  \
    X(hipError_t, hipMalloc, (void **pointer, size_t n_bytes))                                                             \
    X(hipError_t, hipFree, (void *pointer))                                                                                \
    X(hipError_t, hipMemcpy, (void *to, const void *from, size_t n_bytes, int kind))                                       \
    X(hipError_t, hipMemset, (void *to, int byte, size_t n_bytes))                                                         \
    X(hipError_t, hipHostMalloc, (void **pointer, size_t n_bytes, unsigned flags))                                         \
    X(hipError_t, hipHostFree, (void *pointer))                                                                            \
    X(hipError_t, hipMemcpyAsync, (void *to, const void *from, size_t n_bytes, int kind, hipStream_t stream))              \
    X(hipError_t, hipStreamCreateWithFlags, (hipStream_t * stream, unsigned flags))                                        \
    X(hipError_t, hipStreamDestroy, (hipStream_t stream))                                                                  \
    X(hipError_t, hipStreamSynchronize, (hipStream_t stream))                                                              \
    X(hipError_t, hipEventCreateWithFlags, (hipEvent_t * event, unsigned flags))                                           \
    X(hipError_t, hipEventDestroy, (hipEvent_t event))                                                                     \
    X(hipError_t, hipEventRecord, (hipEvent_t event, hipStream_t stream))                                                  \
    X(hipError_t, hipEventSynchronize, (hipEvent_t event))                                                                 \
    X(hipError_t, hipModuleLoadData, (hipModule_t * module, const void *image))                                            \
    X(hipError_t, hipModuleUnload, (hipModule_t module))                                                                   \
    X(hipError_t, hipModuleGetFunction, (hipFunction_t * function, hipModule_t module, const char *name))                  \
    X(hipError_t, hipFuncGetAttribute, (int *value, int attribute, const void *function))                                  \
    X(hipError_t, hipModuleLaunchKernel,                                                                                   \
      (hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,      \
       unsigned block_z, unsigned lds_bytes, hipStream_t stream, void **parameters, void **extra))                         \
    X(hipError_t, hipDeviceSynchronize, (void))                                                                            \
    X(hipError_t, hipGetLastError, (void))                                                                                 \
    X(const char *, hipGetErrorName, (hipError_t error))                                                                   \
    X(const char *, hipGetErrorString, (hipError_t error))

#define HIP_TABLE_FIELD(type, name, parameters) type(*name) parameters;
struct hip_api {
    HIP_FUNCTIONS(HIP_TABLE_FIELD)
};
#undef HIP_TABLE_FIELD

/* The name of an error code of HIP_ERRORS, or "hipErrorUnknown"; never NULL. For devices, and where no runtime is loaded.
 */
const char *hip_error_name(hipError_t error);

#endif
