/*
 * Findings of a launch as they are made: described from the wave's place, the first few of each launch kept.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "device/emulator/wave.h"

static bool ends_dispatch(enum finding_kind kind)
{
    return kind == FINDING_TRAP || kind == FINDING_WATCHDOG || kind == FINDING_UNSUPPORTED;
}

static struct finding_place describe_place(const struct dispatch *dispatch, const struct wave_place *at)
{
    struct finding_place place = {.wave = at->wave, .lane = at->lane};
    const struct code_kernel *kernel = dispatch->kernel;
    place.offset_bytes = (int64_t)at->in->offset_bytes - (kernel ? (int64_t)kernel->entry_address : 0);
    snprintf(place.kernel, sizeof place.kernel, "%s", kernel ? kernel->name : "");
    snprintf(place.instruction, sizeof place.instruction, "%s", at->in->text);
    memcpy(place.workgroup, at->workgroup, sizeof place.workgroup);
    return place;
}

uint32_t finding_n_faults(const struct dispatch *dispatch)
{
    uint32_t n = 0;
    while (n < dispatch->n_findings && dispatch->findings[n].kind != FINDING_NAN)
        n++;
    return n;
}

/* Under the dispatch's lock. */
static void keep_finding(struct dispatch *dispatch, uint64_t rank, const struct finding *finding)
{
    bool is_note = finding->kind == FINDING_NAN;
    uint32_t n_faults = finding_n_faults(dispatch), first = is_note ? n_faults : 0;
    uint32_t end = is_note ? dispatch->n_findings : n_faults, place = end;
    dispatch->n_findings_seen++;
    dispatch->n_notes_seen += is_note;
    dispatch->kinds_found |= 1u << finding->kind;
    while (place > first && dispatch->finding_rank[place - 1] > rank)
        place--;
    if (place - first == FINDINGS_OF_A_SORT)
        return;
    uint32_t n_after = dispatch->n_findings - place;
    if (end - first == FINDINGS_OF_A_SORT)
        n_after = end - 1 - place; /* the last of its sort goes */
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

static void record_finding(struct wave *wave, struct finding *finding)
{
    struct dispatch *dispatch = wave->dispatch;
    finding_compose(finding);
    pthread_mutex_lock(&dispatch->lock);
    keep_finding(dispatch, wave->group->rank, finding);
    if (ends_dispatch(finding->kind))
        abandon(dispatch, wave->group->rank, finding);
    pthread_mutex_unlock(&dispatch->lock);
    if (ends_dispatch(finding->kind)) {
        wave->state = WAVE_ENDED;
        wave->stop = true;
    }
}

struct wave_place wave_place_of(const struct wave *wave, int lane)
{
    const uint32_t *id = wave->group->id;
    return (struct wave_place){wave->current, {id[0], id[1], id[2]}, wave->index_in_group, lane};
}

static bool is_wanted(const struct wave *wave, enum finding_kind kind)
{
    return ends_dispatch(kind) || wave->dispatch->checks_wanted >> kind & 1;
}

/* other NULL: no second party. */
static void add_finding(struct wave *wave, enum finding_kind kind, int lane, const struct wave_place *other,
                        const char *format, va_list arguments)
{
    if (!is_wanted(wave, kind))
        return;
    struct wave_place at = wave_place_of(wave, lane);
    struct finding finding = {.kind = kind, .has_other = other != NULL};
    finding.place = describe_place(wave->dispatch, &at);
    if (other)
        finding.other = describe_place(wave->dispatch, other);
    vsnprintf(finding.message, sizeof finding.message, format, arguments);
    record_finding(wave, &finding);
}

void wave_finding(struct wave *wave, enum finding_kind kind, int lane, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_finding(wave, kind, lane, NULL, format, arguments);
    va_end(arguments);
}

void wave_finding_with(struct wave *wave, enum finding_kind kind, int lane, const struct wave_place *other,
                       const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_finding(wave, kind, lane, other, format, arguments);
    va_end(arguments);
}
