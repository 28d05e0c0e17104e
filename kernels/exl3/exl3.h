/* What the files of the exl3 family share. */
#ifndef KERNELS_EXL3_H
#define KERNELS_EXL3_H

#include "contract/registry.h"
#include "reference/exl3.h"

#define EXL3_SOURCE     "kernels/exl3/exl3.hip"
#define EXL3_SHAPE_NOTE "K and N are multiples of 128 (whole Hadamard groups): no odd or ragged width exists"

enum { EXL3_GROUP = HADAMARD_SIZE };

/* Arguments in the order of a kernel's parameters. */
static inline struct reg_arg exl3_tensor_arg(int tensor)
{
    return (struct reg_arg){.kind = REG_ARG_TENSOR, .tensor = tensor};
}

static inline struct reg_arg exl3_int_arg(int64_t value)
{
    return (struct reg_arg){.kind = REG_ARG_I32, .integer = value};
}

static inline struct reg_arg exl3_scale_arg(void)
{
    return (struct reg_arg){.kind = REG_ARG_F32, .real = EXL3_SCALE};
}

#endif
