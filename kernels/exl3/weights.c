/*
 * Weights of an exllamav3 checkpoint: of a layer NAME, NAME.trellis holds the tiles [K/16][N/16][16 * bits], NAME.suh and
 * NAME.svh the scales of inputs and outputs. Which codebook decodes the tiles is said by a marker that holds the codebook's
 * multiplier: mul1 or mcg; without one it is the first codebook, 3inst.
 */
#include "kernels/exl3/exl3.h"

#include <inttypes.h>
#include <string.h>

#include "reference/exl3_trellis.h"

#define ONLY_MUL1 "this kernel decodes codebook mul1 only"

enum { TRELLIS, SUH, SVH, MUL1, MCG };

static const struct reg_file_tensor linear_tensors[] = {
    [TRELLIS] = {.suffix = "trellis", .dtype = "I16", .n_dims = 3, .input = "w"},
    [SUH] = {.suffix = "suh", .dtype = "F16", .n_dims = 1},
    [SVH] = {.suffix = "svh", .dtype = "F16", .n_dims = 1, .input = "svh"},
    [MUL1] = {.suffix = "mul1", .dtype = "I32", .missing = "its codebook is another one, and " ONLY_MUL1},
    [MCG] = {.suffix = "mcg", .refused = "its codebook is mcg, and " ONLY_MUL1},
};

static bool is_mul1(const struct reg_file *file, struct error *error)
{
    uint32_t multiplier;
    memcpy(&multiplier, file->data[MUL1], sizeof multiplier);
    return multiplier == EXL3_MUL1 ||
           error_set(error, STATUS_USAGE, "mul1 holds the multiplier 0x%08" PRIX32 "; the kernel's is 0x%08" PRIX32,
                     multiplier, EXL3_MUL1);
}

static bool scales_fit(const struct reg_file *file, int64_t k, int64_t n, struct error *error)
{
    int64_t suh = file->dim[SUH][0], svh = file->dim[SVH][0];
    return (suh == k && svh == n) || error_set(error, STATUS_USAGE,
                                               "trellis is for K = %" PRId64 " and N = %" PRId64 ", but suh has %" PRId64
                                               " and svh %" PRId64 " elements",
                                               k, n, suh, svh);
}

static const struct reg_tensor *input_w(const struct reg_plan *plan)
{
    const struct reg_tensor *tensor = plan->tensor;
    while (strcmp(tensor->name, linear_tensors[TRELLIS].input) != 0)
        tensor++;
    return tensor;
}

/* The launcher refuses a K, an N or a number of waves; a width of weights is in the size of its W alone. */
static bool width_fits(const struct registration *registration, const struct reg_file *file, const struct reg_shape *shape,
                       struct error *error)
{
    struct reg_plan plan = {0};
    int64_t words = file->dim[TRELLIS][2];
    if (!registration->plan(shape, &plan, error))
        return false;
    int64_t n_tiles = file->dim[TRELLIS][0] * file->dim[TRELLIS][1];
    int64_t wanted = input_w(&plan)->rows * input_w(&plan)->columns / n_tiles;
    return words == wanted ||
           error_set(error, STATUS_USAGE,
                     "trellis has %" PRId64 " words a tile, %.3g bits a weight; the kernel takes %" PRId64 ", %.3g bits",
                     words, (double)words / EXL3_TILE, wanted, (double)wanted / EXL3_TILE);
}

static bool linear_shape(const struct registration *registration, const struct reg_file *file, int64_t rows,
                         int64_t dim[REG_MAX_DIMS], struct error *error)
{
    struct reg_shape shape = {.label = "",
                              .dim = {rows, file->dim[TRELLIS][0] * EXL3_TILE, file->dim[TRELLIS][1] * EXL3_TILE}};
    memcpy(dim, shape.dim, sizeof shape.dim);
    return is_mul1(file, error) && scales_fit(file, dim[1], dim[2], error) && width_fits(registration, file, &shape, error);
}

/* x is what rot_in makes of rows and this layer's suh. */
static void fill_x(const struct reg_case *c, int tensor, void *data)
{
    const struct reg_tensor *x = &c->plan->tensor[tensor];
    const struct exl3_rot_in rows = {.rows = x->rows,
                                     .k = x->columns,
                                     .x_format = FORMAT_F16,
                                     .scale = EXL3_SCALE,
                                     .x = data,
                                     .suh = c->file->data[SUH],
                                     .n_threads = c->n_threads};
    reg_fill(c, tensor, data);
    exl3_rot_in_bytes(&rows, data);
}

const struct reg_weights exl3_linear_weights = {.tensors = linear_tensors,
                                                .n_tensors = sizeof linear_tensors / sizeof linear_tensors[0],
                                                .shape = linear_shape,
                                                .fill = fill_x};

static const struct reg_file_tensor rot_in_tensors[] = {{.suffix = "suh", .dtype = "F16", .n_dims = 1, .input = "suh"}};

static bool rot_in_shape(const struct registration *registration, const struct reg_file *file, int64_t rows,
                         int64_t dim[REG_MAX_DIMS], struct error *error)
{
    (void)registration;
    (void)error;
    dim[0] = rows;
    dim[1] = file->dim[0][0];
    return true;
}

const struct reg_weights exl3_rot_in_weights = {
    .tensors = rot_in_tensors, .n_tensors = sizeof rot_in_tensors / sizeof rot_in_tensors[0], .shape = rot_in_shape};
