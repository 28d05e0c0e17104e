/*
 * What is known of each chip, as one table with sources (docs/chips.md): limits that a launch is checked against, register
 * granules for occupancy, and which instruction set the emulator runs for it.
 */
#ifndef RECORDS_CHIPS_H
#define RECORDS_CHIPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum chip_family { CHIP_RDNA2, CHIP_RDNA3, CHIP_RDNA35, CHIP_RDNA4, CHIP_CDNA1, CHIP_CDNA2, CHIP_CDNA3, CHIP_CDNA4 };

enum { CHIP_FAMILIES = CHIP_CDNA4 + 1 };

struct chip {
    const char *name; /* gfxNNNN */
    enum chip_family family;
    uint32_t elf_machine; /* EF_AMDGPU_MACH of its code objects (AMDGPUUsage, "ELF Header") */
    uint32_t isa_version; /* __oclc_ISA_version: 11501 for gfx1151 */
    uint8_t llvm_since;   /* first LLVM that disassembles it; 19 also stands for older ones, which are not tested */
    uint8_t default_wave; /* 32 or 64 */
    bool has_wave32, has_wave64;
    bool of_record;             /* one of the seven chips that records/ covers and `--chip all` means */
    uint32_t addressable_vgprs; /* a wave's */
    uint32_t vgprs_per_simd[2]; /* by wave size: [0] wave32, [1] wave64 */
    uint32_t vgpr_alloc_granule[2], vgpr_encode_granule[2];
    uint32_t max_waves_per_simd, simds_per_cu;
    uint32_t lds_bytes_per_cu, lds_max_per_workgroup, lds_alloc_granule;
    uint32_t max_threads_per_workgroup; /* 1024 */
    uint32_t n_compute_units;           /* of its largest product; 0: no source gives it */
    bool unified_agprs;                 /* VGPRs and AGPRs share one file (gfx90a and later CDNA) */
    bool has_wgp;                       /* two CUs pool their LDS and SIMDs in WGP mode (RDNA) */
};

/* Whether it runs gfx9's instruction set; the others are RDNA. */
static inline bool chip_is_cdna(const struct chip *chip)
{
    return chip->family >= CHIP_CDNA1;
}

/* NULL for an unknown name. */
const struct chip *chip_find(const char *name);
/* The chip that stands for a family, whose instruction set is one: the first row of it. */
const struct chip *chip_of_family(enum chip_family family);
/* NULL for a machine that no row has. */
const struct chip *chip_find_machine(uint32_t elf_machine);
/* All rows, those of record first in their customary order. */
const struct chip *chip_table(size_t *n_chips);

/* What one workgroup of a kernel takes. */
struct chip_usage {
    uint32_t wave_size;
    uint32_t vgprs;                        /* as the metadata counts them: on a unified file AGPRs included */
    uint32_t sgprs;                        /* likewise, VCC and the like included */
    uint32_t lds_bytes, workgroup_threads; /* workgroup_threads >= 1 */
    bool cu_mode;                          /* RDNA: the workgroup stays on one CU */
};

/* X(what, name): what holds the number of waves down. Where several do, the first. */
#define CHIP_LIMITS(X)                                                                                                     \
    X(SLOTS, "slots")         /* the SIMD has no more places for waves: nothing that the kernel takes */                   \
    X(VGPRS, "vgprs")         /* vector registers */                                                                       \
    X(SGPRS, "sgprs")         /* scalar registers */                                                                       \
    X(WORKGROUP, "workgroup") /* workgroups come whole, and one more would not fit the places */                           \
    X(LDS, "lds")             /* local memory, shared by the workgroups of a CU or WGP */

#define CHIP_LIMIT_ENUM(limit, name) CHIP_LIMIT_##limit,
enum chip_limit { CHIP_LIMITS(CHIP_LIMIT_ENUM) CHIP_LIMIT_COUNT };
#undef CHIP_LIMIT_ENUM

struct chip_occupancy {
    uint32_t waves; /* per SIMD, at least 1 */
    enum chip_limit limit;
};

/* Waves per SIMD that fit by registers, LDS and slots (LLVM's AMDGPUBaseInfo formulas; docs/chips.md). */
struct chip_occupancy chip_occupancy(const struct chip *chip, const struct chip_usage *usage);
const char *chip_limit_name(enum chip_limit limit);
/* Waves of one workgroup that its CU, or its WGP where it may spread over both CUs, can hold at once, by registers and
 * slots: a workgroup of more can never start. */
uint32_t chip_workgroup_waves(const struct chip *chip, const struct chip_usage *usage);

#endif
