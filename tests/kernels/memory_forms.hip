/*
 * Memory instructions that a compiler only emits on request: loads to LDS, transposed loads, packed atomics, buffers by
 * descriptor. One work-item a lane of one wave; `out` gets the lanes' values. tests/unit/test_memory_forms.c runs them.
 */
typedef unsigned uint32_t;
typedef short short4 __attribute__((ext_vector_type(4)));
typedef short short8 __attribute__((ext_vector_type(8)));
typedef _Float16 half2 __attribute__((ext_vector_type(2)));
typedef int int2 __attribute__((ext_vector_type(2)));

#define KERNEL extern "C" __attribute__((global, amdgpu_flat_work_group_size(1, 256))) void
#define SHARED __attribute__((shared))
#define GLOBAL_AS __attribute__((address_space(1)))
#define LDS_AS __attribute__((address_space(3)))

__attribute__((device)) static uint32_t item()
{
    return __builtin_amdgcn_workitem_id_x();
}

__attribute__((device)) static void group_barrier()
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

/* Four waves move their dwords to LDS, and each lane reads one of another wave. */
#if defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__)
KERNEL to_lds(const uint32_t *in, uint32_t *out)
{
    SHARED static uint32_t values[256];
    uint32_t wave = __builtin_amdgcn_readfirstlane(item() / 64);
#if defined(__gfx90a__)
    __amdgpu_buffer_rsrc_t buffer = __builtin_amdgcn_make_buffer_rsrc((void *)in, 0, 1024, 0);
    __builtin_amdgcn_raw_ptr_buffer_load_lds(buffer, (LDS_AS void *)(values + 64 * wave), 4, 4 * item(), 0, 0, 0);
#else
    __builtin_amdgcn_global_load_lds((GLOBAL_AS void *)(in + item()), (LDS_AS void *)(values + 64 * wave), 4, 0, 0);
#endif
    __builtin_amdgcn_s_waitcnt(0);
    group_barrier();
    out[item()] = values[(item() + 100) % 256];
}
#endif

/* A buffer that is shorter than its grid: the lanes past it read 0 and store nothing. */
KERNEL clipped_buffer(const uint32_t *in, uint32_t *out, uint32_t n_bytes)
{
#if defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__)
    const uint32_t flags = 0x00027000;
#elif defined(__gfx1030__)
    const uint32_t flags = 0x31014000;
#else
    const uint32_t flags = 0x31004000;
#endif
    __amdgpu_buffer_rsrc_t from = __builtin_amdgcn_make_buffer_rsrc((void *)in, 0, n_bytes, flags);
    __amdgpu_buffer_rsrc_t to = __builtin_amdgcn_make_buffer_rsrc((void *)out, 0, n_bytes, flags);
    uint32_t value = __builtin_amdgcn_raw_buffer_load_b32(from, 4 * item(), 0, 0);
    __builtin_amdgcn_raw_buffer_store_b32(value + 1, to, 4 * item(), 0, 0);
    out[256 + item()] = value;
}

/* in holds 16 matrices of 4 rows of 16 words; each lane gets its column of its matrix. */
#if defined(__gfx950__)
KERNEL columns(const short4 *in, short4 *out)
{
    SHARED static short4 rows[256];
    rows[item()] = in[item()];
    group_barrier();
    out[item()] = __builtin_amdgcn_ds_read_tr16_b64_v4i16((LDS_AS short4 *)&rows[item()]);
}
#elif defined(__gfx1201__)
/* in holds 32 matrices of eight rows of eight words. */
KERNEL columns(const short8 *in, short8 *out)
{
    out[item()] = __builtin_amdgcn_global_load_tr_b128_v8i16((GLOBAL_AS short8 *)&in[item()]);
}
#endif

/* All lanes add to one pair of halves in memory and to one in LDS. */
#if !defined(__gfx1030__) && !defined(__gfx1151__) && !defined(__gfx908__)
KERNEL packed_sums(half2 *sum, half2 *out)
{
#if defined(__gfx942__) || defined(__gfx950__) || defined(__gfx1201__)
    SHARED static half2 local;
    if (item() == 0)
        local = (half2){0, 0};
    group_barrier();
    __builtin_amdgcn_ds_atomic_fadd_v2f16((LDS_AS half2 *)&local, (half2){1, 2});
    group_barrier();
    if (item() == 0)
        out[0] = local;
#else
    if (item() == 0)
        out[0] = (half2){256, 512};
#endif
    __builtin_amdgcn_global_atomic_fadd_v2f16((GLOBAL_AS half2 *)sum, (half2){1, -1});
}
#endif

/* A normalised byte by the format of a buffer, which no builtin reaches. */
#if defined(__gfx90a__)
typedef uint32_t uint4_t __attribute__((ext_vector_type(4)));
KERNEL typed(const uint32_t *in, float *out)
{
    uint4_t buffer = {(uint32_t)(unsigned long)in, (uint32_t)((unsigned long)in >> 32), 256, 1 << 15 | 4};
    float value;
    asm volatile("buffer_load_format_x %0, %1, %2, 0 offen\n\ts_waitcnt vmcnt(0)"
                 : "=v"(value)
                 : "v"(item()), "s"(buffer)
                 : "memory");
    out[item()] = value;
}
#endif
