#include "records/audit_diff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "records/chips.h"

const char *audit_grade_word(enum audit_grade grade)
{
    static const char *const words[] = {
#define GRADE_WORD(grade, word, why) [AUDIT_##grade] = (word),
        AUDIT_GRADES(GRADE_WORD)
#undef GRADE_WORD
    };
    return words[grade];
}

/* What more of a figure means. */
enum meaning {
    OTHER,    /* neither good nor bad */
    RESOURCE, /* takes room from other waves, or will at the next step */
    SCRATCH   /* memory traffic that the source does not have */
};

/* The figures in words, in the order in which a line tells them. Occupancy is told apart, as their consequence. */
static const struct {
    enum record_figure figure;
    enum meaning meaning;
    const char *words; /* after the number */
} figures[] = {
    {RECORD_private, SCRATCH, "bytes of scratch"},
    {RECORD_vspills, SCRATCH, "spilled VGPRs"},
    {RECORD_sspills, SCRATCH, "spilled SGPRs"},
    {RECORD_vgprs, RESOURCE, "VGPRs"},
    {RECORD_agprs, RESOURCE, "AGPRs"},
    {RECORD_sgprs, OTHER, "SGPRs"}, /* a fixed set a wave on RDNA; elsewhere a limit only at steps, which the waves tell */
    {RECORD_lds, RESOURCE, "bytes of LDS"},
    {RECORD_bound, OTHER, "threads at most"},
    {RECORD_wave, OTHER, "lanes a wave"},
    {RECORD_code, OTHER, "bytes of code"},
    {RECORD_kernarg, OTHER, "bytes of arguments"},
    {RECORD_dynamic, SCRATCH, "dynamic stacks"},
};

enum { N_FIGURES = sizeof figures / sizeof *figures };
_Static_assert(N_FIGURES + 2 == RECORD_FIGURE_COUNT, "every figure but the occupancy and its limit has a row");

/* Older record files lack figures: those are in no comparison. */
static bool is_known(const struct audit_change *change, enum record_figure figure)
{
    return change->before->figure[figure] != RECORD_ABSENT && change->after->figure[figure] != RECORD_ABSENT;
}

static bool differs(const struct audit_change *change, enum record_figure figure)
{
    return is_known(change, figure) && change->before->figure[figure] != change->after->figure[figure];
}

/* Lanes that a SIMD holds: waves of 32 and of 64 compare by them. */
static double lanes_of(const struct record *record)
{
    return (double)record->figure[RECORD_occupancy] * record->figure[RECORD_wave];
}

/* How much more there is of the figures of a meaning, and how much less: of resources, which have different units, as a
 * share of what there was. */
struct shift {
    double more, less;
};

static struct shift shift_of(const struct audit_change *change, enum meaning meaning)
{
    struct shift shift = {0, 0};
    for (size_t i = 0; i < N_FIGURES; i++) {
        if (figures[i].meaning != meaning || !is_known(change, figures[i].figure))
            continue;
        double old = change->before->figure[figures[i].figure], now = change->after->figure[figures[i].figure];
        double by = meaning == RESOURCE && old > 0 ? (now - old) / old : now - old;
        *(by > 0 ? &shift.more : &shift.less) += by > 0 ? by : -by;
    }
    return shift;
}

/* Grade and weight of a kernel that is in both sets; scratch outweighs waves, and waves outweigh what they are made of. */
static void grade_both(struct audit_change *change)
{
    struct shift scratch = shift_of(change, SCRATCH), resources = shift_of(change, RESOURCE);
    bool has_lanes = is_known(change, RECORD_occupancy) && is_known(change, RECORD_wave);
    double lanes_before = has_lanes ? lanes_of(change->before) : 0, lanes_after = has_lanes ? lanes_of(change->after) : 0;
    change->grade = AUDIT_CHANGED;
    if (scratch.more > 0) {
        change->grade = AUDIT_SPILLS;
        change->weight = scratch.more;
    } else if (lanes_after < lanes_before) {
        change->grade = AUDIT_WAVES;
        change->weight = 1 - lanes_after / lanes_before;
    } else if (lanes_after > lanes_before || scratch.less > 0) {
        change->grade = AUDIT_BETTER;
    } else if (resources.more > 0 && resources.less == 0) {
        change->grade = AUDIT_LARGER;
        change->weight = resources.more;
    } else if (resources.less > 0 && resources.more == 0) {
        change->grade = AUDIT_BETTER;
    }
}

static bool is_unchanged(const struct audit_change *change)
{
    bool same = change->before && change->after;
    for (int i = 0; i < RECORD_FIGURE_COUNT && same; i++)
        same = !differs(change, (enum record_figure)i);
    return same;
}

static bool is_over(struct audit_change *change, const struct audit_budgets *budgets)
{
    if (!budgets || !change->after)
        return false;
    struct budget budget = budgets->find(budgets->context, change->kernel, change->chip);
    return !budget_holds(&budget, change->after, change->over);
}

/* Adds a pair, either of which may be NULL, by the names of the other, unless nothing about it is to be told. */
static void add(struct audit_diff *diff, const struct record *before, const struct record *after,
                const struct record *names, const struct audit_budgets *budgets)
{
    struct audit_change change = {.kernel = names->kernel, .chip = names->chip, .before = before, .after = after};
    if (before && after)
        grade_both(&change);
    else
        change.grade = after ? AUDIT_NEW : AUDIT_GONE;
    if (is_over(&change, budgets)) {
        change.weight = is_unchanged(&change) ? 0 : AUDIT_GRADE_COUNT - change.grade;
        change.grade = AUDIT_OVER;
    } else if (is_unchanged(&change)) {
        diff->n_unchanged++;
        return;
    }
    diff->n_of[change.grade]++;
    diff->changes[diff->n_changes++] = change;
}

static int compare_names(const struct record *a, const struct record *b)
{
    int order = strcmp(a->kernel, b->kernel);
    return order ? order : strcmp(a->chip, b->chip);
}

static int compare_pointers(const void *a, const void *b)
{
    return compare_names(*(const struct record *const *)a, *(const struct record *const *)b);
}

/* Pointers to the records by kernel and chip; NULL out of memory. */
static const struct record **sorted(struct arena *arena, const struct record *records, size_t n)
{
    const struct record **list = arena_alloc(arena, (n + 1) * sizeof(const struct record *));
    for (size_t i = 0; list && i < n; i++)
        list[i] = &records[i];
    if (list)
        qsort(list, n, sizeof(const struct record *), compare_pointers);
    return list;
}

static int compare_changes(const void *a, const void *b)
{
    const struct audit_change *left = a, *right = b;
    if (left->grade != right->grade)
        return left->grade < right->grade ? -1 : 1;
    if (left->weight != right->weight)
        return left->weight > right->weight ? -1 : 1;
    return compare_names(left->after ? left->after : left->before, right->after ? right->after : right->before);
}

bool audit_diff_make(const struct record *before, size_t n_before, const struct record *after, size_t n_after,
                     const struct audit_budgets *budgets, struct audit_diff *diff, struct error *error)
{
    *diff = (struct audit_diff){0};
    const struct record **old = sorted(&diff->arena, before, n_before), **now = sorted(&diff->arena, after, n_after);
    diff->changes = arena_alloc(&diff->arena, (n_before + n_after + 1) * sizeof *diff->changes);
    if (!old || !now || !diff->changes) {
        audit_diff_free(diff);
        return error_set(error, STATUS_ENVIRONMENT, "out of memory");
    }
    for (size_t i = 0, j = 0; i < n_before || j < n_after;) {
        int order = i == n_before ? 1 : j == n_after ? -1 : compare_names(old[i], now[j]);
        const struct record *names = order <= 0 ? old[i] : now[j];
        add(diff, order <= 0 ? old[i] : NULL, order >= 0 ? now[j] : NULL, names, budgets);
        i += order <= 0;
        j += order >= 0;
    }
    qsort(diff->changes, diff->n_changes, sizeof *diff->changes, compare_changes);
    return true;
}

void audit_diff_free(struct audit_diff *diff)
{
    arena_free(&diff->arena);
    *diff = (struct audit_diff){0};
}

/* "205 → 211 VGPRs, 0 → 64 bytes of scratch", or nothing where they are alike. */
static void figures_text(const struct audit_change *change, struct text *text)
{
    const char *gap = "";
    for (size_t i = 0; i < N_FIGURES; i++) {
        uint32_t old = change->before->figure[figures[i].figure], now = change->after->figure[figures[i].figure];
        if (!differs(change, figures[i].figure))
            continue;
        text_append(text, "%s%" PRIu32 " → %" PRIu32 " %s", gap, old, now, figures[i].words);
        gap = ", ";
    }
    if (!*gap)
        text_append(text, is_unchanged(change) ? "unchanged" : "all else unchanged");
}

/* What a new kernel takes, as far as it takes any. */
static void whole_text(const struct record *record, struct text *text)
{
    text_append(text, "new");
    const char *gap = ": ";
    for (size_t i = 0; i < N_FIGURES; i++) {
        uint32_t now = record->figure[figures[i].figure];
        if (figures[i].meaning == OTHER || !now || now == RECORD_ABSENT)
            continue;
        text_append(text, "%s%" PRIu32 " %s", gap, now, figures[i].words);
        gap = ", ";
    }
}

static void waves_text(const struct audit_change *change, struct text *text)
{
    uint32_t now = change->after->figure[RECORD_occupancy];
    bool both = change->before && is_known(change, RECORD_occupancy);
    if (both && differs(change, RECORD_occupancy))
        text_append(text, ": %" PRIu32 " → %" PRIu32 " waves a SIMD", change->before->figure[RECORD_occupancy], now);
    else
        text_append(text, ": %s%" PRIu32 " waves a SIMD", both ? "still " : "", now);
}

/* What would have to shrink for another wave; nothing where the SIMD is full. */
static void limit_text(const struct record *record, struct text *text)
{
    static const char *const words[] = {[CHIP_LIMIT_VGPRS] = "VGPRs",
                                        [CHIP_LIMIT_SGPRS] = "SGPRs",
                                        [CHIP_LIMIT_WORKGROUP] = "the size of a workgroup",
                                        [CHIP_LIMIT_LDS] = "LDS"};
    uint32_t limit = record->figure[RECORD_limit];
    if (limit < sizeof words / sizeof *words && words[limit])
        text_append(text, ", limited by %s", words[limit]);
}

void audit_change_text(const struct audit_change *change, struct text *text)
{
    if (!change->after) {
        text_append(text, "gone on %s", change->chip);
        return;
    }
    if (change->before)
        figures_text(change, text);
    else
        whole_text(change->after, text);
    waves_text(change, text);
    text_append(text, " on %s", change->chip);
    limit_text(change->after, text);
    if (change->grade == AUDIT_OVER)
        text_append(text, "; over budget: %s", change->over);
    if (change->note)
        text_append(text, "; %s", change->note);
}
