/*
 * Fuzz target: any bytes executed as machine code of any chip, on two waves whose registers hold addresses of guest memory
 * and numbers. Whatever the code is, it must end in a finding or at its end: no crash, no hang, and no access to the host's
 * memory but the guest's own.
 */
#include <stdlib.h>
#include <string.h>

#include "contract/base/random.h"
#include "device/emulator/sanitizer/profile.h"
#include "device/emulator/sanitizer/sanitizer.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/support/group_runner.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

enum { N_WAVES = 2, BUFFER_BYTES = 4096, MAX_INSTRUCTIONS = 2000, LDS_BYTES = 1024, SCRATCH_BYTES = 64 };

/* Registers in blocks of eight: an address, a buffer resource, and two numbers. */
static void fill_scalars(struct wave *wave, uint64_t buffer, struct random_key key)
{
    for (unsigned i = 0; i + 8 <= SREG_VCC_LO; i += 8) {
        uint64_t bits = random_bits(key, i), address = buffer + (bits & 0x3fc);
        memcpy(&wave->sgpr[i], &address, 8);
        memcpy(&wave->sgpr[i + 4], &address, 8);
        wave->sgpr[i + 2] = (uint32_t)(bits >> 32) & 0xff;
        wave->sgpr[i + 3] = (uint32_t)(bits >> 40);
        wave->sgpr[i + 6] = BUFFER_BYTES / 2;
        wave->sgpr[i + 7] = (uint32_t)random_bits(key, i + 1);
    }
    wave->vcc = random_bits(key, 1000) & wave->full_exec;
    wave->sgpr[SREG_M0] = (uint32_t)random_bits(key, 1001) & 0x1ff;
    wave->mode = (uint32_t)random_bits(key, 1002) & 0x3ff;
}

/* Rows in blocks of four: an address, a small offset, and any bits. */
static void fill_rows(struct wave *wave, uint64_t buffer, struct random_key key)
{
    for (uint32_t row = 1; row + 4 <= VGPR_ROWS; row += 4)
        for (uint32_t lane = 0; lane < wave->n_lanes; lane++) {
            uint32_t *at = wave->vgpr + (size_t)row * wave->n_lanes + lane;
            uint64_t bits = random_bits(key, 2000 + (uint64_t)row * wave->n_lanes + lane);
            uint64_t address = buffer + 4 * (uint64_t)lane + (bits & 0x700);
            at[0] = (uint32_t)bits;
            at[wave->n_lanes] = (uint32_t)address;
            at[2 * wave->n_lanes] = (uint32_t)(address >> 32);
            at[3 * wave->n_lanes] = (uint32_t)(bits >> 40) & 0x1ff;
        }
}

static void prepare(struct group_runner *runner, const struct fuzz_input *input, uint64_t buffer)
{
    struct random_key key = random_key_for(input->seed, "fuzz");
    runner->dispatch.max_instructions = MAX_INSTRUCTIONS;
    runner->group.schedule = input->flags & FUZZ_SCHEDULED ? (uint64_t)input->seed | 1 : 0;
    for (uint32_t i = 0; i < runner->group.n_waves; i++) {
        struct wave *wave = &runner->group.waves[i];
        fill_scalars(wave, buffer, key);
        fill_rows(wave, buffer, key);
        wave_mode_changed(wave);
    }
}

/* Runs with every check of the sanitizer, and counted. */
static void run_checked(struct group_runner *runner)
{
    struct dispatch *dispatch = &runner->dispatch;
    struct group_checks *checks = NULL;
    struct instruction_profile *profile = profile_open(runner->code.n_instructions);
    dispatch->checks_wanted = CHECKS_ALL | 1u << FINDING_NAN;
    if (profile && sanitizer_dispatch_open(dispatch) && sanitizer_group_open(dispatch, runner->group.n_waves, &checks)) {
        sanitizer_group_start(&runner->group, checks, NULL);
        for (uint32_t i = 0; i < runner->group.n_waves; i++)
            runner->group.waves[i].profile = profile;
        group_runner_run(runner);
        sanitizer_group_end(&runner->group);
    }
    sanitizer_group_close(checks);
    sanitizer_dispatch_close(dispatch);
    free(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    struct fuzz_input input;
    struct error error;
    if (!fuzz_input_read(data, n_bytes, &input))
        return 0;
    struct group_launch launch = {
        .chip = input.chip->name,
        .n_lanes = input.n_lanes,
        .n_items = N_WAVES * input.n_lanes - 5,
        .code = input.code,
        .code_bytes = input.code_bytes,
        .lds_bytes = LDS_BYTES,
        .scratch_bytes = SCRATCH_BYTES,
    };
    struct group_runner *runner = group_runner_open(&launch, &error);
    uint64_t buffer = runner ? group_runner_allocate(runner, BUFFER_BYTES, "buffer") : 0;
    if (buffer) {
        prepare(runner, &input, buffer);
        if (input.flags & FUZZ_CHECKED)
            run_checked(runner);
        else
            group_runner_run(runner);
    }
    group_runner_close(runner);
    fuzz_input_free(&input);
    return 0;
}
