/*
 * One kernel that uses whatever a launch sets up: arguments, identifiers, implicit arguments, the dispatch packet, scratch,
 * calls, dynamic LDS. Without HIP's headers, so that it compiles for every chip, wave size and code object version.
 */
typedef unsigned uint32_t;
typedef unsigned long uint64_t;

#define KERNEL extern "C" __attribute__((global, amdgpu_flat_work_group_size(1, 256))) void
#define DEVICE __attribute__((device))

DEVICE __attribute__((noinline)) static uint32_t plus(uint32_t a, uint32_t b)
{
    return a + b;
}

DEVICE __attribute__((noinline)) static uint32_t times(uint32_t a, uint32_t b)
{
    return a * b;
}

/* Deep enough for several frames on the stack. */
DEVICE __attribute__((noinline)) static uint32_t fibonacci(uint32_t n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

extern __attribute__((shared)) uint32_t dynamic_lds[];

/* 16 dwords a work-item, in order of the work-items of the whole grid. */
KERNEL start_up(uint32_t *out, uint32_t small, uint64_t large, unsigned char byte)
{
    const uint32_t group[3] = {__builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(),
                               __builtin_amdgcn_workgroup_id_z()};
    const uint32_t item[3] = {__builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(),
                              __builtin_amdgcn_workitem_id_z()};
    const uint32_t *implicit = (const uint32_t *)__builtin_amdgcn_implicitarg_ptr();
    const unsigned short *sizes = (const unsigned short *)(implicit + 3);
    const uint32_t *packet = (const uint32_t *)__builtin_amdgcn_dispatch_ptr();
    uint32_t x = group[0] * sizes[0] + item[0], y = group[1] * sizes[1] + item[1], z = group[2] * sizes[2] + item[2];
    uint32_t place = (z * implicit[1] * sizes[1] + y) * implicit[0] * sizes[0] + x;
    uint32_t *o = out + 16 * place;
    uint32_t in_group = (item[2] * sizes[1] + item[1]) * sizes[0] + item[0];

    uint32_t table[16];
    for (uint32_t i = 0; i < 16; i++)
        table[(i * 5 + place) % 16] = i * 100 + small;
    uint32_t (*chosen)(uint32_t, uint32_t) = place & 1 ? plus : times;
    dynamic_lds[in_group] = place;
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");

    o[0] = group[0] | group[1] << 8 | group[2] << 16;
    o[1] = item[0] | item[1] << 8 | item[2] << 16;
    o[2] = implicit[0] | implicit[1] << 8 | implicit[2] << 16;
    o[3] = sizes[0] | (uint32_t)sizes[1] << 8 | (uint32_t)sizes[2] << 16;
    o[4] = packet[3];
    o[5] = packet[4];
    o[6] = packet[5];
    o[7] = small;
    o[8] = (uint32_t)large;
    o[9] = (uint32_t)(large >> 32);
    o[10] = byte;
    o[11] = table[(place * 3) % 16];
    o[12] = chosen(place, small);
    o[13] = dynamic_lds[in_group ^ 1];
    o[14] = fibonacci(place % 8);
    o[15] = __builtin_amdgcn_wavefrontsize();
}

#if defined(__gfx1200__) || defined(__gfx1201__)
/* gfx12's barrier in its two parts: wave 0 signals that its values are there and does not wait for the readers; one wave of
 * each group is the first. */
KERNEL split_barrier(uint32_t *out)
{
    __attribute__((shared)) static uint32_t values[32], firsts[256];
    uint32_t item = __builtin_amdgcn_workitem_id_x(), wave = __builtin_amdgcn_readfirstlane(item / 32);
    if (wave == 0)
        values[item % 32] = 100 + item + 1000 * __builtin_amdgcn_workgroup_id_x();
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier_signal(-1);
    __builtin_amdgcn_s_barrier_wait(-1);
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    uint32_t value = values[item % 32];
    firsts[item] = __builtin_amdgcn_s_barrier_signal_isfirst(-1);
    __builtin_amdgcn_s_barrier_wait(-1);
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "workgroup");
    uint32_t n_firsts = 0;
    __builtin_amdgcn_s_barrier();
    for (uint32_t w = 0; w < 256; w += 32)
        n_firsts += firsts[w];
    out[__builtin_amdgcn_workgroup_id_x() * 256 + item] = value + 100000 * n_firsts;
}
#endif
