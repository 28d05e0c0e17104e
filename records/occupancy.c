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

/* CUs that one workgroup may use. */
static uint32_t cus_of_workgroup(const struct chip *chip, const struct chip_usage *usage)
{
    return chip->has_wgp && !usage->cu_mode ? 2 : 1;
}

/* Whole workgroups share the LDS and the wave slots of a CU, or of a WGP where the workgroup may spread over its two CUs:
 * waves per SIMD if so many of them do. */
static uint32_t waves_of(const struct chip *chip, const struct chip_usage *usage, uint32_t n_cus, uint32_t n_workgroups)
{
    uint32_t waves_per_workgroup = divide_up(usage->workgroup_threads, usage->wave_size);
    return divide_up(n_workgroups * waves_per_workgroup, n_cus * chip->simds_per_cu);
}

static uint32_t workgroups_by_slots(const struct chip *chip, const struct chip_usage *usage, uint32_t n_cus)
{
    return n_cus * chip->simds_per_cu * chip->max_waves_per_simd / divide_up(usage->workgroup_threads, usage->wave_size);
}

struct chip_occupancy chip_occupancy(const struct chip *chip, const struct chip_usage *usage)
{
    uint32_t n_cus = cus_of_workgroup(chip, usage);
    uint32_t by_slots = workgroups_by_slots(chip, usage, n_cus);
    uint32_t by_lds = usage->lds_bytes ? n_cus * chip->lds_bytes_per_cu / usage->lds_bytes : by_slots;
    const uint32_t waves[CHIP_LIMIT_COUNT] = {
        [CHIP_LIMIT_SLOTS] = chip->max_waves_per_simd,
        [CHIP_LIMIT_VGPRS] = waves_by_vgprs(chip, usage),
        [CHIP_LIMIT_SGPRS] = waves_by_sgprs(chip, usage),
        [CHIP_LIMIT_WORKGROUP] = waves_of(chip, usage, n_cus, by_slots),
        [CHIP_LIMIT_LDS] = waves_of(chip, usage, n_cus, by_lds),
    };
    struct chip_occupancy occupancy = {waves[CHIP_LIMIT_SLOTS], CHIP_LIMIT_SLOTS};
    for (int limit = 0; limit < CHIP_LIMIT_COUNT; limit++)
        if (waves[limit] < occupancy.waves)
            occupancy = (struct chip_occupancy){waves[limit], (enum chip_limit)limit};
    if (!occupancy.waves)
        occupancy.waves = 1;
    return occupancy;
}

const char *chip_limit_name(enum chip_limit limit)
{
    static const char *const names[] = {
#define CHIP_LIMIT_NAME(limit, name) name,
        CHIP_LIMITS(CHIP_LIMIT_NAME)
#undef CHIP_LIMIT_NAME
    };
    return names[limit];
}

uint32_t chip_workgroup_waves(const struct chip *chip, const struct chip_usage *usage)
{
    uint32_t waves = least(waves_by_vgprs(chip, usage), waves_by_sgprs(chip, usage));
    return least(waves, chip->max_waves_per_simd) * cus_of_workgroup(chip, usage) * chip->simds_per_cu;
}
