/*
 * AMD code objects (ELF amdgcn-amd-amdhsa, code object versions 4 to 6): the metadata note, kernel descriptors, segments,
 * symbols. The bytes come from outside and are never trusted: every offset is checked. Format: LLVM's AMDGPUUsage,
 * "Code Object", "Code Object Metadata", "Kernel Descriptor", "Initial Kernel Execution State".
 */
#ifndef DEVICE_CODE_OBJECT_H
#define DEVICE_CODE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/base/arena.h"
#include "contract/base/error.h"
#include "contract/base/hash.h"

/* X(kind, name in the metadata): how an argument gets its value. */
#define CODE_ARG_KINDS(X)                                                                                                  \
    X(BY_VALUE, "by_value")                                                                                                \
    X(GLOBAL_BUFFER, "global_buffer")                                                                                      \
    X(DYNAMIC_SHARED_POINTER, "dynamic_shared_pointer")                                                                    \
    X(HIDDEN_GLOBAL_OFFSET_X, "hidden_global_offset_x")                                                                    \
    X(HIDDEN_GLOBAL_OFFSET_Y, "hidden_global_offset_y")                                                                    \
    X(HIDDEN_GLOBAL_OFFSET_Z, "hidden_global_offset_z")                                                                    \
    X(HIDDEN_NONE, "hidden_none")                                                                                          \
    X(HIDDEN_PRINTF_BUFFER, "hidden_printf_buffer")                                                                        \
    X(HIDDEN_HOSTCALL_BUFFER, "hidden_hostcall_buffer")                                                                    \
    X(HIDDEN_DEFAULT_QUEUE, "hidden_default_queue")                                                                        \
    X(HIDDEN_COMPLETION_ACTION, "hidden_completion_action")                                                                \
    X(HIDDEN_MULTIGRID_SYNC_ARG, "hidden_multigrid_sync_arg")                                                              \
    X(HIDDEN_HEAP_V1, "hidden_heap_v1")                                                                                    \
    X(HIDDEN_DYNAMIC_LDS_SIZE, "hidden_dynamic_lds_size")                                                                  \
    X(HIDDEN_BLOCK_COUNT_X, "hidden_block_count_x")                                                                        \
    X(HIDDEN_BLOCK_COUNT_Y, "hidden_block_count_y")                                                                        \
    X(HIDDEN_BLOCK_COUNT_Z, "hidden_block_count_z")                                                                        \
    X(HIDDEN_GROUP_SIZE_X, "hidden_group_size_x")                                                                          \
    X(HIDDEN_GROUP_SIZE_Y, "hidden_group_size_y")                                                                          \
    X(HIDDEN_GROUP_SIZE_Z, "hidden_group_size_z")                                                                          \
    X(HIDDEN_REMAINDER_X, "hidden_remainder_x")                                                                            \
    X(HIDDEN_REMAINDER_Y, "hidden_remainder_y")                                                                            \
    X(HIDDEN_REMAINDER_Z, "hidden_remainder_z")                                                                            \
    X(HIDDEN_GRID_DIMS, "hidden_grid_dims")                                                                                \
    X(HIDDEN_PRIVATE_BASE, "hidden_private_base")                                                                          \
    X(HIDDEN_SHARED_BASE, "hidden_shared_base")                                                                            \
    X(HIDDEN_QUEUE_PTR, "hidden_queue_ptr")                                                                                \
    X(OTHER, "other")

#define CODE_ARG_ENUM(kind, name) CODE_ARG_##kind,
enum code_arg_kind { CODE_ARG_KINDS(CODE_ARG_ENUM) };
#undef CODE_ARG_ENUM

struct code_arg {
    uint32_t offset_bytes, size_bytes; /* in the kernarg segment */
    enum code_arg_kind kind;
    const char *name; /* may be "" */
};

/* The 64 bytes of a kernel descriptor, in host order. */
struct code_descriptor {
    uint32_t group_segment_bytes, private_segment_bytes, kernarg_bytes;
    int64_t entry_offset_bytes; /* from the descriptor's address */
    uint32_t rsrc3, rsrc1, rsrc2;
    uint16_t kernel_code_properties, kernarg_preload;
};

/* Larger kernarg segments are refused: no kernel of any compiler comes near it. */
enum { CODE_KERNARG_LIMIT = 1 << 20 };

struct code_kernel {
    const char *name;            /* of the descriptor's symbol, without ".kd" */
    uint64_t descriptor_address; /* in the ELF's address space */
    uint64_t entry_address;      /* likewise */
    uint32_t code_bytes;         /* size of the function symbol; 0 where the symbol is stripped */
    struct code_descriptor descriptor;
    /* From the metadata note: */
    uint32_t vgprs, agprs, sgprs, vgpr_spills, sgpr_spills, lds_bytes, private_bytes, kernarg_bytes, kernarg_align_bytes;
    uint32_t max_workgroup_threads, wave_size;
    uint32_t required_workgroup[3]; /* 0 where not given */
    bool uses_dynamic_stack;
    const struct code_arg *args;
    size_t n_args;
};

struct code_segment {
    uint64_t address, file_offset, file_bytes, memory_bytes;
    bool executable, writable;
};

struct code_symbol {
    const char *name;
    uint64_t address, size_bytes;
    bool is_function;
};

/* A dynamic relocation: value = symbol + addend, or load address + addend, written at `offset` when the object is placed.
 */
struct code_relocation {
    uint64_t offset; /* in the ELF's address space */
    uint32_t type;   /* R_AMDGPU_... */
    bool absolute;   /* the symbol's value does not move with the load address */
    uint64_t symbol_value;
    int64_t addend;
};

struct code_object {
    const uint8_t *bytes; /* borrowed from the caller, who keeps them alive */
    size_t n_bytes;
    struct hash128 hash; /* of all bytes: what verdicts name */
    char chip[32];       /* gfxNNNN */
    int version;         /* 4, 5 or 6 */
    const struct code_kernel *kernels;
    size_t n_kernels;
    const struct code_segment *segments; /* PT_LOAD, by address */
    size_t n_segments;
    const struct code_symbol *symbols; /* by address */
    size_t n_symbols;
    const struct code_relocation *relocations;
    size_t n_relocations;
    struct arena arena;
};

/* Parses n_bytes at bytes; name stands in the error's text. A corrupt, truncated or foreign file gives false with
 * STATUS_USAGE and one line that says what is wrong and at which offset. On success the caller calls code_object_free. */
bool code_object_parse(const void *bytes, size_t n_bytes, const char *name, struct code_object *object,
                       struct error *error);
void code_object_free(struct code_object *object);
/* NULL if there is no such kernel. Borrowed. */
const struct code_kernel *code_object_kernel(const struct code_object *object, const char *name);
/* The segment whose memory holds [address, address + n_bytes) of the ELF's address space; NULL where none does. Borrowed.
 */
const struct code_segment *code_segment_at(const struct code_object *object, uint64_t address, uint64_t n_bytes);
/* Copies segments to image (image_bytes long, address 0 of the ELF at its start) and applies the dynamic relocations, with
 * the object placed at load_address. */
bool code_object_load(const struct code_object *object, uint64_t load_address, uint8_t *image, size_t image_bytes,
                      struct error *error);
/* Bytes that code_object_load's image needs: the end of the last segment. */
uint64_t code_object_image_bytes(const struct code_object *object);

#endif
