/* What the files of the split-K product share. */
#ifndef KERNELS_HGEMM_SPLITK_H
#define KERNELS_HGEMM_SPLITK_H

#define HGEMM_SPLITK_SOURCE "kernels/hgemm/splitk.hip"

enum { HGEMM_REDUCE_THREADS = 256, HGEMM_REDUCE_OF_BLOCK = 4 * HGEMM_REDUCE_THREADS };

#endif
