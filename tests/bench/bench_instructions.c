/*
 * How fast one wave runs loops of one instruction on one core, and how fast code is decoded. Prints figures, asserts
 * nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "contract/base/text.h"
#include "tests/support/wave_runner.h"

/* What HIP kernels run with: round to nearest, denormals kept in every format, DX10_CLAMP and IEEE. */
#define MODE_AS_COMPILED (MODE_DENORM_F32 | MODE_DENORM_F16_F64 | MODE_DX10_CLAMP | MODE_IEEE)

static const char chip_name[] = "gfx1151";

enum { UNROLL = 32, LOOPS = 200000, N_LANES = 32, BLOCKS_TO_DECODE = 20000 };

/* Time that this process computed: other load on the machine does not count. */
static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A loop of UNROLL copies, each on registers of its own so that none waits for another. */
static void loop_text(struct text *text, const char *format)
{
    text_append(text, "s_mov_b32 s0, %d\nloop:\n", LOOPS);
    for (int i = 0; i < UNROLL; i++) {
        text_append(text, format, 8 + i);
        text_append(text, "\n");
    }
    text_append(text, "s_sub_u32 s0, s0, 1\ns_cmp_lg_u32 s0, 0\ns_cbranch_scc1 loop\ns_endpgm\n");
}

static void measure_loop(const char *name, const char *format, uint64_t exec)
{
    struct text text = {0};
    loop_text(&text, format);
    struct wave_runner *runner = wave_runner_open(chip_name, N_LANES);
    if (runner && wave_runner_load(runner, text.data)) {
        for (int lane = 0; lane < N_LANES; lane++)
            wave_runner_vgpr(runner, 1)[lane] = wave_runner_vgpr(runner, 2)[lane] = 0x3c003c00;
        runner->wave.exec = exec;
        wave_runner_set_mode(runner, MODE_AS_COMPILED);
        runner->dispatch.max_instructions = UINT64_MAX;
        double start = cpu_seconds();
        bool ended = wave_runner_run_next(runner);
        double seconds = cpu_seconds() - start;
        double lanes = (double)LOOPS * UNROLL * __builtin_popcountll(exec), rows = (double)LOOPS * UNROLL * N_LANES;
        if (ended)
            printf("%-28s %7.2f e9 lane-instructions/s (%.2f e9 lanes/s computed, %.2f ns an instruction)\n", name,
                   lanes / seconds * 1e-9, rows / seconds * 1e-9, seconds * 1e9 / ((double)LOOPS * UNROLL));
    }
    if (runner)
        wave_runner_close(runner);
    text_free(&text);
}

/* Decodes a long text of a few kinds of instructions, as a code object's loading does. */
static void measure_decode(void)
{
    struct text text = {0};
    for (int i = 0; i < BLOCKS_TO_DECODE / 4; i++)
        text_append(&text,
                    "v_fma_f32 v%d, v1, v2, v3\nv_add_nc_u32 v4, s3, v5\ns_load_b64 s[4:5], s[0:1], 0x10\nglobal_load_b128 "
                    "v[4:7], v[2:3], off offset:16\n",
                    i % 200);
    uint8_t *bytes;
    size_t n_bytes;
    if (wave_runner_assemble(chip_name, N_LANES, text.data, &bytes, &n_bytes)) {
        for (int pass = 0; pass < 2; pass++) { /* the first one also loads and initialises LLVM */
            struct emulated_code code;
            struct error error;
            double start = cpu_seconds();
            if (!code_decode(chip_find(chip_name), N_LANES, bytes, n_bytes, 0, n_bytes, &code, &error))
                break;
            printf("%-28s %7.2f us an instruction\n", pass ? "decode" : "decode, first",
                   (cpu_seconds() - start) * 1e6 / code.n_instructions);
            code_free(&code);
        }
        free(bytes);
    }
    text_free(&text);
}

int main(void)
{
    printf("instructions on one core, %s, one wave of %d\n", chip_name, N_LANES);
    measure_loop("v_fma_f32, all lanes", "v_fma_f32 v%d, v1, v2, v3", 0xffffffff);
    measure_loop("v_fma_f32, half the lanes", "v_fma_f32 v%d, v1, v2, v3", 0x55555555);
    measure_loop("v_dot2_f32_f16, all lanes", "v_dot2_f32_f16 v%d, v1, v2, v3", 0xffffffff);
    measure_loop("v_add_nc_u32, all lanes", "v_add_nc_u32_e32 v%d, v1, v2", 0xffffffff);
    measure_decode();
    return 0;
}
