/*
 * Runs a few instructions on one wave of a chip and gives back its registers: no HIP, no code object, no dispatch. Text is
 * assembled by llvm-mc-22 (or what LLVM_MC names). Members may be set and read between runs; every test gets a runner of
 * its own.
 *
 *     struct wave_runner *runner = wave_runner_open("gfx1151", 32);
 *     runner->wave.sgpr[1] = 7;
 *     wave_runner_vgpr(runner, 2)[5] = 42;            // v2 of lane 5
 *     assert_true(wave_runner_run(runner, "v_add_nc_u32 v3, s1, v2"));
 *     … wave_runner_vgpr(runner, 3)[lane] …
 *     wave_runner_close(runner);
 */
#ifndef SUPPORT_WAVE_RUNNER_H
#define SUPPORT_WAVE_RUNNER_H

#include <stdbool.h>
#include <stdint.h>

#include "device/emulator/code.h"
#include "device/emulator/wave.h"

enum { WAVE_RUNNER_LDS_BYTES = 64 << 10, WAVE_RUNNER_FINDINGS = FINDINGS_KEPT };

/* The MODE that HSA starts a wave with: nearest even, f32 denormals flushed, f16 and f64 kept, DX10_CLAMP and IEEE on. */
#define WAVE_RUNNER_HSA_MODE (0xc0u | MODE_DX10_CLAMP | MODE_IEEE)

struct wave_runner {
    struct wave wave;
    struct workgroup group;   /* of this wave alone; lds: WAVE_RUNNER_LDS_BYTES, zeroed */
    struct dispatch dispatch; /* memory is NULL until a test sets one */
    struct emulated_code code;
    uint8_t *image;
    struct group_checks *checks; /* NULL: not watched */
    struct finding findings[WAVE_RUNNER_FINDINGS];
    struct instruction_profile *executed; /* of the code, for evidence.h; NULL where none is wanted */
};

/* A wave with all lanes on, registers 0, the HSA MODE. Prints the reason and gives NULL where the chip or memory is
 * lacking. */
struct wave_runner *wave_runner_open(const char *chip, uint32_t n_lanes);
void wave_runner_close(struct wave_runner *runner);
/* Assembles lines of text with an s_endpgm after them and runs them from the first instruction, registers as they are. True
 * where the wave ended without a finding; what went wrong otherwise is on standard error and in findings. */
bool wave_runner_run(struct wave_runner *runner, const char *assembly);
/* For tables of cases, whose programs are assembled together: loads text that holds several programs, each ending in
 * s_endpgm, and runs the first, then with each further call the next, registers as they are. */
bool wave_runner_load(struct wave_runner *runner, const char *assembly);
bool wave_runner_run_next(struct wave_runner *runner);
/* wave_runner_run for machine code in hex ("7e000280…", bytes in memory order), which must hold its own s_endpgm. */
bool wave_runner_run_hex(struct wave_runner *runner, const char *hex);
/* Runs the code of the last run once more from its first instruction, registers as they are; spares the assembler. */
bool wave_runner_repeat(struct wave_runner *runner);
/* Machine code of assembly text; the caller frees *bytes. */
bool wave_runner_assemble(const char *chip, uint32_t n_lanes, const char *assembly, uint8_t **bytes, size_t *n_bytes);
/* The lanes of a VGPR (256 and up: AGPRs); n_lanes values. */
uint32_t *wave_runner_vgpr(struct wave_runner *runner, unsigned index);
/* Watches later runs with the checks (bits 1 << FINDING_…): every register counts as set. */
bool wave_runner_watch(struct wave_runner *runner, unsigned checks);
/* The last run's only finding is of the kind and its text holds `part`; prints what there was where it is not. */
bool wave_runner_found(const struct wave_runner *runner, enum finding_kind kind, const char *part);
/* Sets MODE. */
void wave_runner_set_mode(struct wave_runner *runner, uint32_t mode);

#endif
