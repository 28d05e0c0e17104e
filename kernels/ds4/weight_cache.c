#include "kernels/ds4/weight_cache.h"

/* The matrix's entry, or NULL. */
static struct ds4_cached_matrix *find(struct ds4_weight_cache *cache, const void *model)
{
    for (int i = 0; i < cache->n_matrices; i++)
        if (cache->matrices[i].model == model)
            return &cache->matrices[i];
    return NULL;
}

/* Not of those that there are too many of to keep. */
static void remember(struct ds4_weight_cache *cache, const void *model)
{
    if (cache->n_matrices < DS4_CACHED_MATRICES)
        cache->matrices[cache->n_matrices++] = (struct ds4_cached_matrix){.model = model};
}

/* False where the budget or the device has no room, and then the budget is what is used already. */
static bool allocate(struct ds4_weight_cache *cache, const struct hip_api *hip, size_t n_bytes, void **copy)
{
    if (n_bytes > cache->budget_bytes - cache->used_bytes)
        return false;
    if (hip->hipMalloc(copy, n_bytes) != hipSuccess) {
        *copy = NULL;
        cache->budget_bytes = cache->used_bytes;
        hip->hipGetLastError(); /* the launch goes on without a copy, so this is no error of its */
        return false;
    }
    cache->used_bytes += n_bytes;
    return true;
}

enum ds4_weight_use ds4_weight_cache_use(struct ds4_weight_cache *cache, const struct hip_api *hip, const void *model,
                                         size_t n_bytes, void **copy)
{
    struct ds4_cached_matrix *matrix = find(cache, model);
    if (!matrix) {
        remember(cache, model);
        return DS4_WEIGHTS_PACKED;
    }
    if (!matrix->copy && allocate(cache, hip, n_bytes, &matrix->copy))
        matrix->n_bytes = n_bytes;
    if (!matrix->copy || matrix->n_bytes != n_bytes)
        return DS4_WEIGHTS_PACKED;
    *copy = matrix->copy;
    return matrix->is_filled ? DS4_WEIGHTS_COPY : DS4_WEIGHTS_FILL;
}

void ds4_weight_cache_filled(struct ds4_weight_cache *cache, const void *model)
{
    struct ds4_cached_matrix *matrix = find(cache, model);
    if (matrix)
        matrix->is_filled = true;
}

void ds4_weight_cache_free(struct ds4_weight_cache *cache, const struct hip_api *hip)
{
    for (int i = 0; i < cache->n_matrices; i++)
        if (cache->matrices[i].copy)
            hip->hipFree(cache->matrices[i].copy);
    *cache = (struct ds4_weight_cache){.budget_bytes = cache->budget_bytes};
}
