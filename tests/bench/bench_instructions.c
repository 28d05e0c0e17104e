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

static const char decoded_chip[] = "gfx1151";

enum { UNROLL = 32, LOOPS = 100000, MATRIX_LOOPS = 500, BLOCKS_TO_DECODE = 20000, FIRST_ROW = 64 };

/* One chip of each family; instructions write the register numbered by %d, and matrix ones the eight or four from it. */
static const struct {
    const char *chip;
    uint32_t n_lanes;
    const char *add, *matrix; /* matrix NULL: the family has none */
} families[] = {
    {"gfx1030", 32, "v_add_nc_u32_e32 v%d, v1, v2", NULL},
    {"gfx1151", 32, "v_add_nc_u32_e32 v%d, v1, v2", "v_wmma_f32_16x16x16_f16 v[%d:%d], v[8:15], v[16:23], v[24:31]"},
    {"gfx1201", 32, "v_add_nc_u32_e32 v%d, v1, v2", "v_wmma_f32_16x16x16_f16 v[%d:%d], v[8:11], v[16:19], v[24:31]"},
    {"gfx90a", 64, "v_add_u32_e32 v%d, v1, v2", "v_mfma_f32_16x16x16f16 v[%d:%d], v[8:9], v[16:17], v[24:27]"},
    {"gfx942", 64, "v_add_u32_e32 v%d, v1, v2", "v_mfma_f32_16x16x16_f16 v[%d:%d], v[8:9], v[16:17], v[24:27]"},
    {"gfx950", 64, "v_add_u32_e32 v%d, v1, v2", "v_mfma_f32_16x16x32_f16 v[%d:%d], v[8:11], v[16:19], v[24:27]"},
};

/* Time that this process computed: other load on the machine does not count. */
static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A loop of UNROLL copies, each on registers of its own so that none waits for another. n_rows is what one writes. */
static void loop_text(struct text *text, const char *format, int n_loops, int n_rows)
{
    text_append(text, "s_mov_b32 s0, %d\nloop:\n", n_loops);
    for (int i = 0; i < UNROLL; i++) {
        int row = FIRST_ROW + i % 16 * n_rows;
        text_append(text, format, row, row + n_rows - 1);
        text_append(text, "\n");
    }
    text_append(text, "s_sub_u32 s0, s0, 1\ns_cmp_lg_u32 s0, 0\ns_cbranch_scc1 loop\ns_endpgm\n");
}

/* Seconds of the loop; less than 0 where it could not run. */
static double loop_seconds(const char *chip, uint32_t n_lanes, const char *assembly, uint64_t exec)
{
    struct wave_runner *runner = wave_runner_open(chip, n_lanes);
    double seconds = -1;
    if (runner && wave_runner_load(runner, assembly)) {
        for (unsigned row = 1; row < 32; row++)
            for (uint32_t lane = 0; lane < n_lanes; lane++)
                wave_runner_vgpr(runner, row)[lane] = 0x3c003c00;
        runner->wave.exec = exec;
        wave_runner_set_mode(runner, MODE_AS_COMPILED);
        runner->dispatch.max_instructions = UINT64_MAX;
        double start = cpu_seconds();
        bool ended = wave_runner_run_next(runner);
        seconds = ended ? cpu_seconds() - start : -1;
    }
    if (runner)
        wave_runner_close(runner);
    return seconds;
}

static void measure_loop(const char *chip, uint32_t n_lanes, const char *name, const char *format, uint64_t exec,
                         int n_loops, int n_rows)
{
    struct text text = {0};
    loop_text(&text, format, n_loops, n_rows);
    double seconds = loop_seconds(chip, n_lanes, text.data, exec), executed = (double)n_loops * UNROLL;
    if (seconds > 0)
        printf("%-8s %-26s %7.2f e9 lane-instructions/s, %.2f ns an instruction\n", chip, name,
               executed * __builtin_popcountll(exec) / seconds * 1e-9, seconds * 1e9 / executed);
    else
        printf("%-8s %-26s did not run\n", chip, name);
    text_free(&text);
}

static void measure_family(size_t index)
{
    const char *chip = families[index].chip;
    uint32_t n_lanes = families[index].n_lanes;
    uint64_t all = n_lanes == 64 ? UINT64_MAX : UINT32_MAX, half = all / 3; /* 0x5555… */
    measure_loop(chip, n_lanes, "v_fma_f32, all lanes", "v_fma_f32 v%d, v1, v2, v3", all, LOOPS, 1);
    measure_loop(chip, n_lanes, "v_fma_f32, half the lanes", "v_fma_f32 v%d, v1, v2, v3", half, LOOPS, 1);
    measure_loop(chip, n_lanes, "integer add, all lanes", families[index].add, all, LOOPS, 1);
    measure_loop(chip, n_lanes, "v_dot2_f32_f16, all lanes", "v_dot2_f32_f16 v%d, v1, v2, v3", all, LOOPS / 10, 1);
    if (families[index].matrix)
        measure_loop(chip, n_lanes, "16x16 f16 matrix product", families[index].matrix, all, MATRIX_LOOPS,
                     n_lanes == 64 ? 4 : 8);
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
    if (wave_runner_assemble(decoded_chip, 32, text.data, &bytes, &n_bytes)) {
        for (int pass = 0; pass < 2; pass++) { /* the first one also loads and initialises LLVM */
            struct emulated_code code;
            struct error error;
            double start = cpu_seconds();
            if (!code_decode(chip_find(decoded_chip), 32, bytes, n_bytes, 0, n_bytes, &code, &error))
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
    printf("instructions on one core, one wave\n");
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        measure_family(i);
    measure_decode();
    return 0;
}
