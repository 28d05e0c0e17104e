#include "records/chips.h"

static uint32_t divide_up(uint32_t a, uint32_t b)
{
    return a / b + (a % b != 0);
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Waves that share a SIMD's vector registers. */
static uint32_t waves_by_vgprs(const struct chip *chip, const struct chip_usage *usage)
{
    int size = usage->wave_size == 64;
    uint32_t granule = chip->vgpr_alloc_granule[size];
    uint32_t needed = usage->vgprs ? usage->vgprs : 1;
    return granule ? chip->vgprs_per_simd[size] / (divide_up(needed, granule) * granule) : 0;
}

/* gfx9 has 800 scalar registers a SIMD; the steps are clang-22's. RDNA gives each wave a fixed set. */
static uint32_t waves_by_sgprs(const struct chip *chip, const struct chip_usage *usage)
{
    static const struct {
        uint32_t most_sgprs, waves;
    } steps[] = {{80, 10}, {88, 9}, {100, 8}, {UINT32_MAX, 7}};
    if (chip->has_wgp)
        return chip->max_waves_per_simd;
    size_t i = 0;
    while (usage->sgprs > steps[i].most_sgprs)
        i++;
    return steps[i].waves;
}

/* SIMDs that one workgroup may use. */
static uint32_t simds_of_workgroup(const struct chip *chip, const struct chip_usage *usage)
{
    return (chip->has_wgp && !usage->cu_mode ? 2 : 1) * chip->simds_per_cu;
}

/* Whole workgroups share the LDS and the wave slots of a CU, or of a WGP where the workgroup may spread over its two CUs.
 */
static uint32_t waves_by_workgroups(const struct chip *chip, const struct chip_usage *usage)
{
    uint32_t n_cus = chip->has_wgp && !usage->cu_mode ? 2 : 1;
    uint32_t simds = simds_of_workgroup(chip, usage);
    uint32_t waves_per_workgroup = divide_up(usage->workgroup_threads, usage->wave_size);
    uint32_t by_slots = simds * chip->max_waves_per_simd / waves_per_workgroup;
    uint32_t by_lds = usage->lds_bytes ? n_cus * chip->lds_bytes_per_cu / usage->lds_bytes : by_slots;
    return divide_up(least(by_slots, by_lds) * waves_per_workgroup, simds);
}

uint32_t chip_occupancy(const struct chip *chip, const struct chip_usage *usage)
{
    uint32_t waves = least(waves_by_vgprs(chip, usage), waves_by_sgprs(chip, usage));
    waves = least(waves, waves_by_workgroups(chip, usage));
    waves = least(waves, chip->max_waves_per_simd);
    return waves ? waves : 1;
}

uint32_t chip_workgroup_waves(const struct chip *chip, const struct chip_usage *usage)
{
    uint32_t waves = least(waves_by_vgprs(chip, usage), waves_by_sgprs(chip, usage));
    return least(waves, chip->max_waves_per_simd) * simds_of_workgroup(chip, usage);
}
