/* What the registrations of the hgemm family share. Dimensions of a shape: m, n, k. */
#ifndef KERNELS_HGEMM_FAMILY_H
#define KERNELS_HGEMM_FAMILY_H

#include "contract/registry.h"
#include "kernels/hgemm/tile.h"
#include "kernels/relations.h"

/* Of record, by what they sum with. */
#define HGEMM_FMA_CHIPS  "gfx1030"
#define HGEMM_CDNA_CHIPS "gfx90a,gfx942,gfx950"
#define HGEMM_WMMA_CHIPS "gfx1100,gfx1101,gfx1102,gfx1103,gfx1150,gfx1151,gfx1152,gfx1153,gfx1200,gfx1201"

#define HGEMM_SHAPE(m, n, k, ...)                                                                                          \
    {                                                                                                                      \
        .label = #m "x" #n "x" #k, .dim = {m, n, k}, __VA_ARGS__                                                           \
    }
/* Every batch that is decoded, by a matrix of n columns. */
#define HGEMM_BATCHES(n)                                                                                                   \
    HGEMM_SHAPE(1, n, 7168, .heavy = true), HGEMM_SHAPE(2, n, 7168, .heavy = true),                                        \
        HGEMM_SHAPE(4, n, 7168, .heavy = true), HGEMM_SHAPE(8, n, 7168, .heavy = true),                                    \
        HGEMM_SHAPE(16, n, 7168, .heavy = true), HGEMM_SHAPE(32, n, 7168, .heavy = true)

enum { HGEMM_A, HGEMM_B, HGEMM_C }; /* tensors, of every registration the first */

/* Relations of every product whose bytes repeat. */
#define HGEMM_RELATION(...)                                                                                                \
    {                                                                                                                      \
        __VA_ARGS__, .shape = HGEMM_SHAPE(33, 70, 72, .quick = true), .fill = reg_fill_scalable                            \
    }
#define HGEMM_RELATIONS                                                                                                    \
    HGEMM_RELATION(SCALE("a", 1u << HGEMM_A, 1u << HGEMM_C, 1u << HGEMM_A | 1u << HGEMM_B, )),                             \
        HGEMM_RELATION(SCALE("b", 1u << HGEMM_B, 1u << HGEMM_C, 1u << HGEMM_A | 1u << HGEMM_B, )),                         \
        HGEMM_RELATION(PERMUTE("rows of a", 0, .row_tensors = 1u << HGEMM_A | 1u << HGEMM_C)),                             \
        HGEMM_RELATION(PERMUTE("rows of b", 1, .row_tensors = 1u << HGEMM_B, .column_tensors = 1u << HGEMM_C))

/* A and B of a case: for edges numbers from 0 to 2^55, which no sum makes overflow, and every second row of A subnormal or
 * barely not; exact integers, all of a sum's products with the sign of its row of A. */
void hgemm_fill(const struct reg_case *c, int tensor, void *data);

#endif
