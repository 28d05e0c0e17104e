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

struct chip {
    const char *name; /* gfxNNNN */
    enum chip_family family;
    uint32_t isa_version;         /* __oclc_ISA_version: 11501 for gfx1151 */
    uint8_t default_wave;         /* 32 or 64 */
    bool has_wave32, has_wave64;
    bool emulated;                /* the emulator runs it */
    bool of_record;               /* one of the seven chips that records/ covers and `--chip all` means */
    uint32_t addressable_vgprs;   /* a wave's */
    uint32_t vgprs_per_simd[2];   /* by wave size: [0] wave32, [1] wave64 */
    uint32_t vgpr_alloc_granule[2], vgpr_encode_granule[2];
    uint32_t max_waves_per_simd, simds_per_cu;
    uint32_t lds_bytes_per_cu, lds_max_per_workgroup, lds_alloc_granule;
    uint32_t max_threads_per_workgroup; /* 1024 */
    uint32_t n_compute_units;
    bool unified_agprs; /* VGPRs and AGPRs share one file (gfx90a and later CDNA) */
};

/* NULL for an unknown name. */
const struct chip *chip_find(const char *name);
/* All rows, those of record first in their customary order. */
const struct chip *chip_table(size_t *n_chips);
/* Waves per SIMD that fit by registers, LDS and slots (LLVM's AMDGPUBaseInfo formulas; chips.md). waves_per_workgroup >= 1. */
uint32_t chip_occupancy(const struct chip *chip, uint32_t wave_size, uint32_t vgprs, uint32_t agprs, uint32_t lds_bytes,
                        uint32_t waves_per_workgroup);

#endif
