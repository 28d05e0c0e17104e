/*
 * To include before HIP's headers: they refuse waves of 64 on gfx1030, which the chip has (OpenCL and graphics use them),
 * by a test of __AMDGCN_WAVEFRONT_SIZE in the preprocessor. The name stays a constant 64 for everything else.
 */
#if defined(__gfx1030__) && defined(__AMDGCN_WAVEFRONT_SIZE) && __AMDGCN_WAVEFRONT_SIZE == 64
#undef __AMDGCN_WAVEFRONT_SIZE
enum { gfx10_wave_size = 64 };
#define __AMDGCN_WAVEFRONT_SIZE gfx10_wave_size
#endif
