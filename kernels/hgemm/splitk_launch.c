#include "kernels/hgemm/splitk.h"

#include "contract/base/divide.h"
#include "kernels/launch/start.h"

#define LAUNCHER "split-K" /* in messages */

enum { MOST_SPLITS = 16, LEAST_TILES_OF_SPLIT = 2, MOST_BLOCKS = 65535 };

/* Blocks that fill a device: about one for each compute unit of the larger chips with such waves. */
static const struct fill {
    int wave_size;
    int64_t blocks;
} fills[] = {{32, 96}, {64, 304}};

const struct hgemm_tile *hgemm_splitk_tile(enum hgemm_function variant)
{
#define TILE(variant, threads, m, n, k) [HGEMM_FUNCTION_##variant] = {threads, m, n, k},
    static const struct hgemm_tile tiles[] = {HGEMM_TILES(TILE)};
#undef TILE
    return &tiles[variant];
}

static int64_t at_most(int64_t value, int64_t limit)
{
    return value < limit ? value : limit;
}

static const struct fill *find_fill(int wave_size)
{
    for (size_t i = 0; i < sizeof fills / sizeof *fills; i++)
        if (fills[i].wave_size == wave_size)
            return &fills[i];
    return NULL;
}

struct hgemm_split hgemm_split_of(int wave_size, const struct hgemm_tile *tile, int64_t m, int64_t n, int64_t k)
{
    const struct fill *fill = find_fill(wave_size);
    int64_t blocks = divide_up(m, tile->m) * divide_up(n, tile->n), k_tiles = divide_up(k, tile->k);
    int64_t wanted = at_most(fill ? fill->blocks / blocks : 1, MOST_SPLITS);
    int64_t most = k_tiles / LEAST_TILES_OF_SPLIT, splits = at_most(wanted, most);
    int64_t k_of_split = divide_up(k_tiles, splits > 1 ? splits : 1) * tile->k;
    return (struct hgemm_split){k_of_split, divide_up(k, k_of_split)};
}

/* The tile of the variant that the device's code has, and its kernel; NULL with the reason. */
static const struct hgemm_tile *find_variant(const struct hgemm_device *device, hipFunction_t *kernel, struct error *error)
{
    for (int i = 0; find_fill(device->wave_size) && i < HGEMM_N_VARIANTS; i++)
        if (device->functions[i]) {
            *kernel = device->functions[i];
            return hgemm_splitk_tile((enum hgemm_function)i);
        }
    error_set(error, STATUS_USAGE, "split-K has no variant for device %d, with waves of %d; it is built for 32 and 64",
              device->index, device->wave_size);
    return NULL;
}

/* The kernels count elements of C, and columns of A and B, in 32 bits, some past the end. */
static bool shape_fits(const struct hgemm_product *p, const struct hgemm_tile *tile, struct error *error)
{
    return launch_in_range(LAUNCHER, "m", p->m, (int64_t)MOST_BLOCKS * tile->m, error) &&
           launch_in_range(LAUNCHER, "k", p->k, INT32_MAX - 2 * (int64_t)tile->k * MOST_SPLITS, error) &&
           launch_in_range(LAUNCHER, "n", p->n, (INT32_MAX - HGEMM_REDUCE_OF_BLOCK) / p->m, error);
}

static bool pointers_fit(const struct hgemm_product *p, struct error *error)
{
    bool aligned = ((uintptr_t)p->a | (uintptr_t)p->b | (uintptr_t)p->c) % HGEMM_VECTOR_BYTES == 0;
    return aligned || error_set(error, STATUS_USAGE, "split-K takes A, B and C at multiples of %d bytes, not %p, %p and %p",
                                HGEMM_VECTOR_BYTES, p->a, p->b, p->c);
}

/* Partial sums are of f32 whatever C is. */
static bool lds_fits(const struct hgemm_device *device, const struct hgemm_tile *tile, struct error *error)
{
    int wanted = hgemm_lds_bytes(*tile, sizeof(float)), has = 0;
    hipError_t code = device->hip->hipDeviceGetAttribute(&has, hipDeviceAttributeMaxSharedMemoryPerBlock, device->index);
    if (code != hipSuccess)
        return error_set(error, STATUS_ENVIRONMENT, "the LDS of device %d: hipDeviceGetAttribute: %s", device->index,
                         device->hip->hipGetErrorName(code));
    return has >= wanted || error_set(error, STATUS_USAGE, "split-K takes %d bytes of LDS a block; device %d has %d",
                                      wanted, device->index, has);
}

/* All but the pool. */
static bool choose(const struct hgemm_device *device, const struct hgemm_product *p, struct hgemm_work *work,
                   struct error *error)
{
    *work = (struct hgemm_work){0};
    work->tile = find_variant(device, &work->partials, error);
    if (!work->tile || !shape_fits(p, work->tile, error) || !pointers_fit(p, error) || !lds_fits(device, work->tile, error))
        return false;
    work->split = hgemm_split_of(device->wave_size, work->tile, p->m, p->n, p->k);
    return true;
}

bool hgemm_splitk_prepare(const struct hgemm_device *device, const struct hgemm_product *p, struct hgemm_work *work,
                          struct error *error)
{
    return choose(device, p, work, error) &&
           launch_scratch_take(device->pool, device->hip,
                               (size_t)work->split.n_splits * (size_t)(p->m * p->n) * sizeof(float), &work->pool, error);
}

bool hgemm_splitk_start_partials(const struct hgemm_device *device, const struct hgemm_product *p,
                                 const struct hgemm_work *work, void *partials, struct error *error)
{
    const struct hgemm_tile *tile = work->tile;
    const void *a = p->a, *b = p->b;
    int m = (int)p->m, n = (int)p->n, k = (int)p->k, k_of_split = (int)work->split.k_of_split;
    void *parameters[] = {&a, &b, &partials, &m, &n, &k, &k_of_split};
    const int64_t grid[] = {divide_up(n, tile->n), divide_up(m, tile->m), work->split.n_splits};
    return launch_start(LAUNCHER, device->hip, work->partials, grid, tile->threads, NULL, parameters, error);
}

bool hgemm_splitk_start_sum(const struct hgemm_device *device, const struct hgemm_product *p, const struct hgemm_work *work,
                            int64_t n_splits, struct error *error)
{
    const void *partials = work->pool;
    void *c = p->c;
    int n_out = (int)(p->m * p->n), splits = (int)n_splits;
    void *parameters[] = {&partials, &c, &n_out, &splits};
    const int64_t grid[] = {divide_up(n_out, HGEMM_REDUCE_OF_BLOCK), 1, 1};
    return launch_start(LAUNCHER, device->hip, device->functions[HGEMM_FUNCTION_SUM], grid, HGEMM_REDUCE_THREADS, NULL,
                        parameters, error);
}

bool hgemm_splitk_launch(const struct hgemm_device *device, const struct hgemm_product *p, struct error *error)
{
    struct hgemm_work work;
    return hgemm_splitk_prepare(device, p, &work, error) &&
           hgemm_splitk_start_partials(device, p, &work, work.pool, error) &&
           hgemm_splitk_start_sum(device, p, &work, work.split.n_splits, error);
}

bool hgemm_atomic_launch(const struct hgemm_device *device, const struct hgemm_product *p, struct error *error)
{
    struct hgemm_work work;
    if (!choose(device, p, &work, error))
        return false;
    hipError_t code = device->hip->hipMemset(p->c, 0, (size_t)(p->m * p->n) * sizeof(float));
    if (code != hipSuccess)
        return error_set(error, STATUS_ENVIRONMENT, "hipMemset of C: %s", device->hip->hipGetErrorName(code));
    return hgemm_splitk_start_partials(device, p, &work, p->c, error);
}
