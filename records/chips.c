#include "records/chips.h"

#include <string.h>

/* Figures that the chips of one family share. Sources: docs/chips.md. */
#define RDNA_COMMON                                                                                                        \
    .default_wave = 32, .has_wave32 = true, .has_wave64 = true, .addressable_vgprs = 256, .vgpr_encode_granule = {8, 4},   \
    .max_waves_per_simd = 16, .simds_per_cu = 2, .lds_bytes_per_cu = 65536, .lds_max_per_workgroup = 65536,                \
    .lds_alloc_granule = 1024, .max_threads_per_workgroup = 1024, .has_wgp = true
#define RDNA_VGPRS_1024 .vgprs_per_simd = {1024, 512}, .vgpr_alloc_granule = {16, 8}
#define RDNA_VGPRS_1536 .vgprs_per_simd = {1536, 768}, .vgpr_alloc_granule = {24, 12}
#define GFX9_COMMON                                                                                                        \
    .default_wave = 64, .has_wave64 = true, .addressable_vgprs = 256, .simds_per_cu = 4, .max_threads_per_workgroup = 1024
#define CDNA_COMMON                                                                                                        \
    GFX9_COMMON, .vgprs_per_simd = {0, 512}, .vgpr_alloc_granule = {0, 8}, .vgpr_encode_granule = {0, 8},                  \
                 .max_waves_per_simd = 8, .unified_agprs = true
/* AGPRs in a file of their own, as large as the VGPRs'. */
#define CDNA1_COMMON                                                                                                       \
    GFX9_COMMON, .vgprs_per_simd = {0, 256}, .vgpr_alloc_granule = {0, 4}, .vgpr_encode_granule = {0, 4},                  \
                 .max_waves_per_simd = 10
#define CDNA_LDS(bytes, granule)                                                                                           \
    .lds_bytes_per_cu = (bytes), .lds_max_per_workgroup = (bytes), .lds_alloc_granule = (granule)

#define ROW(chip_name, chip_family, machine, isa, n_cus, llvm)                                                             \
    .name = (chip_name), .family = (chip_family), .elf_machine = (machine), .isa_version = (isa),                          \
    .n_compute_units = (n_cus), .llvm_since = (llvm)

static const struct chip chips[] = {
    {ROW("gfx1030", CHIP_RDNA2, 0x36, 10300, 80, 19), RDNA_COMMON, RDNA_VGPRS_1024, .of_record = true},
    {ROW("gfx1100", CHIP_RDNA3, 0x41, 11000, 96, 19), RDNA_COMMON, RDNA_VGPRS_1536, .of_record = true},
    {ROW("gfx1151", CHIP_RDNA35, 0x4a, 11501, 40, 19), RDNA_COMMON, RDNA_VGPRS_1536, .of_record = true},
    {ROW("gfx1201", CHIP_RDNA4, 0x4e, 12001, 64, 19), RDNA_COMMON, RDNA_VGPRS_1536, .of_record = true},
    {ROW("gfx90a", CHIP_CDNA2, 0x3f, 9010, 110, 19), CDNA_COMMON, CDNA_LDS(65536, 512), .of_record = true},
    {ROW("gfx942", CHIP_CDNA3, 0x4c, 9402, 304, 19), CDNA_COMMON, CDNA_LDS(65536, 512), .of_record = true},
    {ROW("gfx950", CHIP_CDNA4, 0x4f, 9500, 256, 20), CDNA_COMMON, CDNA_LDS(163840, 1280), .of_record = true},
    {ROW("gfx1101", CHIP_RDNA3, 0x46, 11001, 60, 19), RDNA_COMMON, RDNA_VGPRS_1536},
    {ROW("gfx1102", CHIP_RDNA3, 0x47, 11002, 32, 19), RDNA_COMMON, RDNA_VGPRS_1024},
    {ROW("gfx1103", CHIP_RDNA3, 0x44, 11003, 12, 19), RDNA_COMMON, RDNA_VGPRS_1024},
    {ROW("gfx1150", CHIP_RDNA35, 0x43, 11500, 16, 19), RDNA_COMMON, RDNA_VGPRS_1024},
    {ROW("gfx1152", CHIP_RDNA35, 0x55, 11502, 8, 19), RDNA_COMMON, RDNA_VGPRS_1024},
    {ROW("gfx1153", CHIP_RDNA35, 0x58, 11503, 0, 20), RDNA_COMMON, RDNA_VGPRS_1024},
    {ROW("gfx908", CHIP_CDNA1, 0x30, 9008, 120, 19), CDNA1_COMMON, CDNA_LDS(65536, 512)},
    {ROW("gfx1200", CHIP_RDNA4, 0x48, 12000, 32, 19), RDNA_COMMON, RDNA_VGPRS_1536},
};

enum { N_CHIPS = sizeof chips / sizeof *chips };

const struct chip *chip_find(const char *name)
{
    for (size_t i = 0; i < N_CHIPS; i++)
        if (strcmp(chips[i].name, name) == 0)
            return &chips[i];
    return NULL;
}

const struct chip *chip_of_family(enum chip_family family)
{
    const struct chip *chip = chips;
    while (chip->family != family)
        chip++;
    return chip;
}

const struct chip *chip_find_machine(uint32_t elf_machine)
{
    for (size_t i = 0; i < N_CHIPS; i++)
        if (chips[i].elf_machine == elf_machine)
            return &chips[i];
    return NULL;
}

const struct chip *chip_table(size_t *n_chips)
{
    *n_chips = N_CHIPS;
    return chips;
}
