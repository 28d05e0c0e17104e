/* The chips of ds4's variants, and those on which its controls find a fault or none. */
#ifndef KERNELS_DS4_CHIPS_H
#define KERNELS_DS4_CHIPS_H

/* Waves of 64 lanes, and MFMA. */
#define DS4_CDNA_CHIPS "gfx90a,gfx942,gfx950"
#define DS4_WMMA_CHIPS "gfx1100,gfx1101,gfx1102,gfx1103,gfx1150,gfx1151,gfx1152,gfx1153,gfx1200,gfx1201"
/* One of each family with waves of 32 lanes. */
#define DS4_WAVE32_CHIPS "gfx1030,gfx1100,gfx1151,gfx1201"

#endif
