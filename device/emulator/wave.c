#include "device/emulator/wave.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "device/emulator/code.h"

void wave_mode_changed(struct wave *wave)
{
    uint32_t mode = wave->mode;
    wave->plain_f32 = (mode & (MODE_ROUND_F32 | MODE_DENORM_F32)) == MODE_DENORM_F32;
    wave->plain_f16_f64 = (mode & (MODE_ROUND_F16_F64 | MODE_DENORM_F16_F64)) == MODE_DENORM_F16_F64;
}

static bool ends_dispatch(enum finding_kind kind)
{
    return kind == FINDING_TRAP || kind == FINDING_WATCHDOG || kind == FINDING_UNSUPPORTED;
}

/* "kernel+0x1c4 TEXT: workgroup 1,0,0 wave 2 lane 7: " */
static size_t describe_place(const struct wave *wave, int lane, char *text, size_t capacity)
{
    const struct instruction *in = wave->current;
    const struct code_kernel *kernel = wave->dispatch->kernel;
    const uint32_t *id = wave->group->id;
    int64_t offset = (int64_t)in->offset_bytes - (kernel ? (int64_t)kernel->entry_address : 0);
    int n = snprintf(text, capacity, "%s%c0x%llx %s: workgroup %u,%u,%u wave %u", kernel ? kernel->name : "code",
                     offset < 0 ? '-' : '+', (unsigned long long)(offset < 0 ? -offset : offset), in->text, id[0], id[1],
                     id[2], wave->index_in_group);
    if (lane >= 0 && n >= 0 && (size_t)n < capacity)
        n += snprintf(text + n, capacity - (size_t)n, " lane %d", lane);
    if (n >= 0 && (size_t)n < capacity)
        n += snprintf(text + n, capacity - (size_t)n, ": ");
    return n < 0 ? 0 : (size_t)n < capacity ? (size_t)n : capacity - 1;
}

/* Under the dispatch's lock. */
static void keep_finding(struct dispatch *dispatch, uint64_t rank, const struct finding *finding)
{
    uint32_t place = dispatch->n_findings;
    dispatch->n_findings_seen++;
    dispatch->kinds_found |= 1u << finding->kind;
    while (place > 0 && dispatch->finding_rank[place - 1] > rank)
        place--;
    if (place == FINDINGS_KEPT)
        return;
    uint32_t n_after = dispatch->n_findings - place;
    if (dispatch->n_findings == FINDINGS_KEPT)
        n_after--;
    else
        dispatch->n_findings++;
    memmove(&dispatch->findings[place + 1], &dispatch->findings[place], n_after * sizeof *dispatch->findings);
    memmove(&dispatch->finding_rank[place + 1], &dispatch->finding_rank[place], n_after * sizeof *dispatch->finding_rank);
    dispatch->findings[place] = *finding;
    dispatch->finding_rank[place] = rank;
}

/* Under the dispatch's lock; workgroups look at it without. */
static void abandon(struct dispatch *dispatch, uint64_t rank, const struct finding *finding)
{
    if (dispatch->abandoned && dispatch->abandoned_rank <= rank)
        return;
    dispatch->abandoned_by = *finding;
    __atomic_store_n(&dispatch->abandoned_rank, rank, __ATOMIC_RELEASE);
    __atomic_store_n(&dispatch->abandoned, true, __ATOMIC_RELEASE);
}

void wave_finding(struct wave *wave, enum finding_kind kind, int lane, const char *format, ...)
{
    struct dispatch *dispatch = wave->dispatch;
    if (dispatch->checks_off >> kind & 1)
        return;
    struct finding finding = {.kind = kind};
    size_t used = describe_place(wave, lane, finding.text, sizeof finding.text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding.text + used, sizeof finding.text - used, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&dispatch->lock);
    keep_finding(dispatch, wave->group->rank, &finding);
    if (ends_dispatch(kind))
        abandon(dispatch, wave->group->rank, &finding);
    pthread_mutex_unlock(&dispatch->lock);
    if (ends_dispatch(kind)) {
        wave->state = WAVE_ENDED;
        wave->stop = true;
    }
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
        execute(wave, &instructions[wave->pc]);
        switches = is_switch_point(instructions[wave->pc].class);
    }
}

void wave_run(struct wave *wave)
{
    uint64_t limit = instruction_limit(wave);
    wave->stop = false;
    if (wave->group->schedule)
        run_scheduled(wave, limit);
    else
        run_natural(wave, limit);
    if (!wave->stop && wave->n_executed >= limit)
        wave_finding(wave, FINDING_WATCHDOG, -1, "more than %llu instructions executed", (unsigned long long)limit);
}
