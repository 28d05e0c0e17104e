#include "reference/exl3.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "contract/base/parallel.h"
#include "reference/exl3_trellis.h"

enum { GROUP = HADAMARD_SIZE };

static void rot_in_group(const struct exl3_rot_in *p, int64_t row, int64_t first, uint16_t *out)
{
    float v[GROUP];
    for (int i = 0; i < GROUP; i++)
        v[i] = (float)format_load(p->x_format, p->x, row * p->k + first + i) *
               (float)format_load(FORMAT_F16, p->suh, first + i);
    hadamard_f32(v);
    for (int i = 0; i < GROUP; i++)
        format_store(FORMAT_F16, out, row * p->k + first + i, v[i] * p->scale);
}

void exl3_rot_in_bytes(const struct exl3_rot_in *p, uint16_t *out)
{
    for (int64_t row = 0; row < p->rows; row++)
        for (int64_t first = 0; first < p->k; first += GROUP)
            rot_in_group(p, row, first, out);
}

struct job {
    const struct exl3_linear *p;
    const struct exl3_codebook *codebook;
    void *out;
    atomic_bool no_memory;
};

/* Adds the products of one tile row under a group of columns; elements of x that are 0 have none. */
static void add_tile_row(const struct job *job, int64_t tile_row, int64_t group, double (*sums)[GROUP])
{
    const struct exl3_linear *p = job->p;
    double weights[EXL3_TILE][GROUP];
    const uint16_t *tile = exl3_tiles_of_group(p, tile_row, group);
    for (int i = 0; i < GROUP; i += EXL3_TILE, tile += exl3_tile_words(p->bits))
        exl3_decode_tile(job->codebook, tile, p->bits, &weights[0][i], GROUP);
    for (int64_t row = 0; row < p->rows; row++)
        for (int k = 0; k < EXL3_TILE; k++) {
            double x = format_load(FORMAT_F16, p->x, row * p->k + tile_row * EXL3_TILE + k);
            for (int c = 0; x != 0 && c < GROUP; c++)
                sums[row][c] += x * weights[k][c];
        }
}

static void finish_row(const struct job *job, int64_t row, int64_t group, const double *sums)
{
    const struct exl3_linear *p = job->p;
    float v[GROUP];
    for (int c = 0; c < GROUP; c++)
        v[c] = (float)sums[c];
    hadamard_f32(v);
    for (int c = 0; c < GROUP; c++) {
        int64_t column = group * GROUP + c;
        float scaled = v[c] * p->scale;
        format_store(p->out_format, job->out, row * p->n + column, scaled * (float)format_load(FORMAT_F16, p->svh, column));
    }
}

static void linear_group(void *context, int64_t group)
{
    struct job *job = context;
    const struct exl3_linear *p = job->p;
    double(*sums)[GROUP] = calloc((size_t)p->rows, sizeof *sums);
    if (!sums) {
        atomic_store(&job->no_memory, true);
        return;
    }
    for (int64_t tile_row = 0; tile_row < p->k / EXL3_TILE; tile_row++)
        add_tile_row(job, tile_row, group, sums);
    for (int64_t row = 0; row < p->rows; row++)
        finish_row(job, row, group, sums[row]);
    free(sums);
}

bool exl3_linear_bytes(const struct exl3_linear *problem, void *out)
{
    struct exl3_codebook codebook;
    exl3_codebook_init(&codebook);
    struct job job = {.p = problem, .codebook = &codebook, .out = out};
    parallel_for(problem->n_threads, problem->n / GROUP, linear_group, &job);
    return !atomic_load(&job.no_memory);
}
