/*
 * Live registers, while kernels run: before each instruction every register that holds no needed value is overwritten, in
 * the lanes that run it, and the results stay the same bytes. A value that the analysis forgot would change them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contract/base/random.h"
#include "device/emulator/hip_state.h"
#include "device/emulator/liveness.h"
#include "device/emulator/sanitizer/flow.h"
#include "tests/support/kernel_module.h"

static const char source[] = "tests/kernels/everyday.hip";

enum { BUFFER_BYTES = 64 << 10, JUNK = 0x7fc0dead };

/* Two buffers, the first of numbers from 1 to 1000; sums of them as floats are exact subnormal ones. */
static const struct {
    const char *kernel;
    unsigned grid[2], block[2];
    uint32_t scalars[2];
    int n_scalars;
} calls[] = {
    {"transpose", {2, 3}, {32, 8}, {70, 45}, 2},     {"block_sum", {4, 1}, {256, 1}, {1000}, 1},
    {"inclusive_scan", {4, 1}, {256, 1}, {1000}, 1}, {"scratch_sort", {2, 1}, {128, 1}, {200}, 1},
    {"shuffles", {2, 1}, {256, 1}, {500}, 1},        {"histogram", {3, 1}, {256, 1}, {5000}, 1},
    {"collatz", {4, 1}, {256, 1}, {1000}, 1},        {"interpreter", {4, 1}, {256, 1}, {1000, 150}, 2},
};

/* The code at hand, for the handler, which is given no context. */
static struct {
    const struct emulated_code *code;
    uint32_t first, n; /* the kernel's instructions in it */
    bool (*is_live)[FLOW_PLACES];
    uint32_t n_vgprs;
    uint64_t n_overwritten;
} watched;

static void overwrite(struct wave *wave, const bool *is_live)
{
    for (uint32_t row = 0; row < watched.n_vgprs; row++)
        for (uint32_t lane = 0; lane < wave->n_lanes && !is_live[row]; lane++)
            if (wave->exec >> lane & 1) {
                wave->vgpr[row * wave->n_lanes + lane] = (uint32_t)JUNK;
                watched.n_overwritten++;
            }
    for (uint32_t index = 0; index < SREG_VCC_LO; index++)
        if (!is_live[FLOW_SCALAR + index])
            wave->sgpr[index] = (uint32_t)JUNK;
}

static void run_overwritten(struct wave *wave, const struct instruction *in)
{
    overwrite(wave, watched.is_live[in - watched.code->instructions - watched.first]);
    watched.code->handlers[in->opcode->index](wave, in);
}

/* The emulator's own code of a kernel. */
static struct emulated_code *code_of(struct kernel_module *module, const char *kernel, const struct code_kernel **facts)
{
    hipFunction_t function;
    assert_int_equal(module->device->hip->hipModuleGetFunction(&function, module->module, kernel), hipSuccess);
    const struct ihipModuleSymbol_t *symbol = (const struct ihipModuleSymbol_t *)function;
    struct emulated_code *code =
        (struct emulated_code *)(uintptr_t)hip_function_code((struct emulator *)module->device, symbol);
    assert_non_null(code);
    *facts = symbol->kernel;
    return code;
}

/* Instructions of one kernel as a code of its own: targets are counted from its first. */
static struct emulated_code part_of(const struct emulated_code *code, uint32_t first, uint32_t n, struct arena *arena)
{
    struct emulated_code part = *code;
    part.instructions = arena_alloc(arena, (n + 1) * sizeof *part.instructions);
    assert_non_null(part.instructions);
    memcpy(part.instructions, code->instructions + first, n * sizeof *part.instructions);
    part.n_instructions = n;
    part.flow = code->flow + first;
    for (uint32_t i = 0; i < n; i++)
        if (part.instructions[i].target != UINT32_MAX)
            part.instructions[i].target -= first;
    return part;
}

static void watch(struct kernel_module *module, const char *kernel, struct arena *arena)
{
    const struct code_kernel *facts;
    struct liveness liveness;
    struct emulated_code *code = code_of(module, kernel, &facts);
    watched.code = code;
    watched.first = code_index(code, code->load_address + facts->entry_address);
    watched.n_vgprs = facts->vgprs;
    for (watched.n = 0;
         watched.first + watched.n < code->n_instructions &&
         code->instructions[watched.first + watched.n].offset_bytes < facts->entry_address + facts->code_bytes;)
        watched.n++;
    struct emulated_code part = part_of(code, watched.first, watched.n, arena);
    assert_true(liveness_make(&part, &liveness));
    assert_null(liveness.incomplete);
    watched.is_live = arena_alloc(arena, watched.n * sizeof *watched.is_live);
    assert_non_null(watched.is_live);
    for (uint32_t i = 0; i < watched.n; i++) {
        assert_true(liveness_before(&liveness, i, watched.is_live[i]));
        code->instructions[watched.first + i].run = run_overwritten;
    }
    liveness_free(&liveness);
}

static void run(struct kernel_module *module, size_t c, uint8_t *buffers[2])
{
    struct kernel_call call = {.kernel = calls[c].kernel,
                               .grid = {calls[c].grid[0], calls[c].grid[1]},
                               .block = {calls[c].block[0], calls[c].block[1]},
                               .n_scalars = calls[c].n_scalars};
    for (int b = 0; b < 2; b++) {
        for (size_t i = 0; i < BUFFER_BYTES / 4; i++) {
            uint32_t value = b ? 0 : 1 + (uint32_t)(random_bits(random_key_for(5, calls[c].kernel), i) % 1000);
            memcpy(buffers[b] + 4 * i, &value, 4);
        }
        call.buffers[b] = (struct kernel_buffer){buffers[b], BUFFER_BYTES};
    }
    memcpy(call.scalars, calls[c].scalars, sizeof calls[c].scalars);
    if (!kernel_module_call(module, &call))
        fail_msg("%s did not run", calls[c].kernel);
}

static void check_call(const struct kernel_build *build, size_t c)
{
    static uint8_t whole[2][BUFFER_BYTES], overwritten[2][BUFFER_BYTES];
    struct kernel_module module;
    struct arena arena = {0};
    assert_true(kernel_module_open(&module, source, build, 1)); /* one thread: the handler has one place to look */
    run(&module, c, (uint8_t *[]){whole[0], whole[1]});
    watched.n_overwritten = 0;
    watch(&module, calls[c].kernel, &arena);
    run(&module, c, (uint8_t *[]){overwritten[0], overwritten[1]});
    assert_true(watched.n_overwritten > 0);
    if (memcmp(whole, overwritten, sizeof whole) != 0)
        fail_msg("%s on %s: a register that is not live is needed", calls[c].kernel, build->chip);
    kernel_module_close(&module);
    arena_free(&arena);
}

static void registers_that_are_not_live_are_not_needed(void **state)
{
    (void)state;
    static const struct kernel_build builds[] = {
        {"gfx1030", "-O3", 0}, {"gfx1151", "-O3", 0}, {"gfx1151", "-O3", 64},
        {"gfx1201", "-O3", 0}, {"gfx90a", "-O3", 0},  {"gfx942", "-O3", 0},
    };
    for (size_t b = 0; b < sizeof builds / sizeof *builds; b++)
        for (size_t c = 0; c < sizeof calls / sizeof *calls; c++)
            check_call(&builds[b], c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(registers_that_are_not_live_are_not_needed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
