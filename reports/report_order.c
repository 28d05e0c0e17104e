/* Which verdict is worse: the order in which problems are told. */
#include <math.h>
#include <string.h>

#include "reports/report_entries.h"

/* Smaller is worse. Without a code object, a process that lives or a launch nothing of the kernel is known; a wrong
 * registration makes its other verdicts worthless; then the gates in the order in which they rest on each other. */
static int kind_of(const struct verdict *v)
{
    enum { BUILD, DEATH, LAUNCH, REGISTRATION, GATES, CONTROLS = GATES + GATE_LIMITS, TEETH, KNOWN, LIMITS };
    if (v->status == VERDICT_BUILD_FAILED)
        return BUILD;
    if (v->status == VERDICT_DIED)
        return DEATH;
    if (v->status == VERDICT_LAUNCH_FAILED)
        return LAUNCH;
    if (v->status == VERDICT_INVALID)
        return REGISTRATION;
    static const int kinds[] = {[SUBJECT_CONTROL] = CONTROLS,
                                [SUBJECT_TOOTH] = TEETH,
                                [SUBJECT_KNOWN] = KNOWN,
                                [SUBJECT_LIMIT] = LIMITS,
                                [SUBJECT_GATE] = GATES};
    return kinds[v->subject] + (v->subject == SUBJECT_GATE ? v->gate : 0);
}

/* How far it is off: in bounds at gate 3, elsewhere the share of wrong elements. */
static double miss(const struct verdict *v)
{
    if (v->subject == SUBJECT_GATE && v->gate == GATE_BOUND)
        return isnan(v->worst_ratio) ? (double)INFINITY : v->worst_ratio;
    return v->n_compared > 0 ? (double)v->n_wrong / (double)v->n_compared : 0;
}

int report_by_severity(const void *a, const void *b)
{
    const struct verdict *x = *(const struct verdict *const *)a, *y = *(const struct verdict *const *)b;
    int order = kind_of(x) - kind_of(y);
    if (order == 0)
        order = (miss(x) < miss(y)) - (miss(x) > miss(y));
    const char *const names[][2] = {{x->chip, y->chip},   {x->registration, y->registration}, {x->name, y->name},
                                    {x->shape, y->shape}, {x->pattern, y->pattern},           {x->reason, y->reason}};
    for (size_t i = 0; order == 0 && i < sizeof names / sizeof *names; i++)
        order = strcmp(names[i][0], names[i][1]);
    return order;
}
