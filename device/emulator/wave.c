#include "device/emulator/wave.h"

#include "device/emulator/code.h"
#include "device/emulator/sanitizer/sanitizer.h"

void wave_mode_changed(struct wave *wave)
{
    uint32_t mode = wave->mode;
    wave->plain_f32 = (mode & (MODE_ROUND_F32 | MODE_DENORM_F32)) == MODE_DENORM_F32;
    wave->plain_f16_f64 = (mode & (MODE_ROUND_F16_F64 | MODE_DENORM_F16_F64)) == MODE_DENORM_F16_F64;
}

void instruction_unsupported(struct wave *wave, const struct instruction *in)
{
    (void)in;
    wave_finding(wave, FINDING_UNSUPPORTED, -1, "the emulator does not implement this instruction");
}

void instruction_off_end(struct wave *wave, const struct instruction *in)
{
    (void)in;
    wave_finding(wave, FINDING_TRAP, -1, "control ran past the last instruction of the code");
}

void wave_jump(struct wave *wave, uint64_t address)
{
    uint32_t target = code_index(wave->code, address);
    if (target != UINT32_MAX)
        wave->pc = target;
    else
        wave_finding(wave, FINDING_TRAP, -1, "jump to 0x%llx, where no instruction starts", (unsigned long long)address);
}

/* Runs a straight run to its end: nothing in it branches, stops the wave or changes EXEC before its last instruction. */
static inline void execute(struct wave *wave, const struct instruction *in)
{
    const struct instruction *end = in + in->n_straight;
    unsigned n_active = __builtin_expect(wave->exec == wave->full_exec, 1)
                            ? wave->n_lanes
                            : (unsigned)__builtin_popcountll(wave->exec & wave->full_exec);
    wave->pc += in->n_straight;
    wave->n_executed += in->n_straight;
    wave->n_lanes_executed += in->n_straight_vector * n_active;
    for (; in < end; in++) {
        wave->current = in;
        in->run(wave, in);
    }
}

/* The same with the sanitizer around each instruction. */
static void execute_watched(struct wave *wave, const struct instruction *in)
{
    const struct instruction *end = in + in->n_straight;
    unsigned n_active = (unsigned)__builtin_popcountll(wave->exec & wave->full_exec);
    wave->pc += in->n_straight;
    wave->n_executed += in->n_straight;
    wave->n_lanes_executed += in->n_straight_vector * n_active;
    for (; in < end; in++) {
        wave->current = in;
        sanitizer_before(wave, in);
        in->run(wave, in);
        sanitizer_after(wave, in);
    }
}

static uint64_t instruction_limit(const struct wave *wave)
{
    uint64_t limit = wave->dispatch->max_instructions;
    return limit ? limit : UINT64_MAX;
}

static void run_natural(struct wave *wave, uint64_t limit)
{
    const struct instruction *instructions = wave->code->instructions;
    while (!wave->stop && wave->n_executed < limit)
        execute(wave, &instructions[wave->pc]);
}

static void run_natural_watched(struct wave *wave, uint64_t limit)
{
    const struct instruction *instructions = wave->code->instructions;
    while (!wave->stop && wave->n_executed < limit)
        execute_watched(wave, &instructions[wave->pc]);
}

/* Where another wave may go first: whatever others can see, or that sees what others did. */
static bool is_switch_point(uint8_t class)
{
    return class == CLASS_SMEM || class == CLASS_BARRIER || (class >= CLASS_LDS && class <= CLASS_ATOMIC);
}

/* Runs up to the next switch point, which the caller's schedule then decides about; at least one instruction. */
static void run_scheduled(struct wave *wave, uint64_t limit)
{
    const struct instruction *instructions = wave->code->instructions;
    bool switches = false;
    while (!wave->stop && !switches && wave->n_executed < limit) {
        if (wave->watched)
            execute_watched(wave, &instructions[wave->pc]);
        else
            execute(wave, &instructions[wave->pc]);
        switches = is_switch_point(instructions[wave->pc].class);
    }
}

/* That a wave runs before the next one's turn, where nothing else stops it. */
enum { NATURAL_SLICE = 1 << 18 };

void wave_run(struct wave *wave)
{
    uint64_t limit = instruction_limit(wave), slice = wave->n_executed + NATURAL_SLICE;
    wave->stop = false;
    if (wave->group->schedule)
        run_scheduled(wave, limit);
    else if (wave->watched)
        run_natural_watched(wave, slice < limit ? slice : limit);
    else
        run_natural(wave, slice < limit ? slice : limit);
    if (!wave->stop && wave->n_executed >= limit)
        wave_finding(wave, FINDING_WATCHDOG, -1, "more than %llu instructions executed", (unsigned long long)limit);
}
