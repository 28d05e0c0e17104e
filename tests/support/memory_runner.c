#include "tests/support/memory_runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint8_t memory_runner_byte(size_t i)
{
    return (uint8_t)(i * 37 + (i / 3 % 2 ? 0x80 : 0) + (i >> 8));
}

uint64_t memory_runner_value(size_t i, unsigned n_bytes)
{
    uint64_t value = 0;
    for (unsigned b = 0; b < n_bytes; b++)
        value |= (uint64_t)memory_runner_byte(i + b) << 8 * b;
    return value;
}

struct memory_runner memory_runner_open(const char *chip, uint32_t n_lanes, size_t n_bytes)
{
    struct memory_runner runner = {.wave = wave_runner_open(chip, n_lanes), .memory = memory_open(), .n_bytes = n_bytes};
    struct wave *wave = &runner.wave->wave;
    runner.address = memory_allocate(runner.memory, n_bytes, 0, "buffer");
    runner.bytes = memory_host(runner.memory, runner.address, n_bytes);
    for (size_t i = 0; i < n_bytes; i++)
        runner.bytes[i] = memory_runner_byte(i);
    for (size_t i = 0; i < WAVE_RUNNER_LDS_BYTES; i++)
        runner.wave->group.lds[i] = memory_runner_byte(i);
    runner.wave->dispatch.memory = runner.memory;
    wave->private_stride = MEMORY_RUNNER_SCRATCH_BYTES;
    wave->private_bytes = calloc(n_lanes, MEMORY_RUNNER_SCRATCH_BYTES);
    memcpy(&wave->sgpr[2], &runner.address, 8);
    return runner;
}

void memory_runner_close(struct memory_runner *runner)
{
    free(runner->wave->wave.private_bytes);
    wave_runner_close(runner->wave);
    memory_close(runner->memory);
}

void memory_runner_addresses(struct memory_runner *runner, unsigned first, uint64_t base, int64_t stride)
{
    for (uint32_t lane = 0; lane < runner->wave->wave.n_lanes; lane++) {
        uint64_t address = base + (uint64_t)(lane * stride);
        wave_runner_vgpr(runner->wave, first)[lane] = (uint32_t)address;
        wave_runner_vgpr(runner->wave, first + 1)[lane] = (uint32_t)(address >> 32);
    }
}

uint32_t memory_runner_get(struct memory_runner *runner, unsigned vgpr, unsigned lane)
{
    return wave_runner_vgpr(runner->wave, vgpr)[lane];
}

void memory_runner_set(struct memory_runner *runner, unsigned vgpr, uint32_t value, uint32_t step)
{
    for (uint32_t lane = 0; lane < runner->wave->wave.n_lanes; lane++)
        wave_runner_vgpr(runner->wave, vgpr)[lane] = value + lane * step;
}

bool memory_runner_finds(struct memory_runner *runner, const char *text, const char *part)
{
    struct dispatch *dispatch = &runner->wave->dispatch;
    bool clean = wave_runner_run(runner->wave, text);
    const char *found = dispatch->n_findings ? dispatch->findings[0].text : "";
    bool as_told = !clean && dispatch->n_findings == 1 && dispatch->findings[0].kind == FINDING_MEM && strstr(found, part);
    if (!as_told)
        fprintf(stderr, "%s: %u findings, the first: %s\n", text, dispatch->n_findings, found);
    dispatch->n_findings = 0;
    return as_told;
}
