#include "records/budget.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The lower of two ceilings, of which 0 is none. */
static uint32_t lower(uint32_t a, uint32_t b)
{
    return a && (!b || a < b) ? a : b;
}

struct budget budget_both(struct budget a, struct budget b)
{
    return (struct budget){
        .no_scratch = a.no_scratch || b.no_scratch,
        .most_vgprs = lower(a.most_vgprs, b.most_vgprs),
        .least_waves = a.least_waves > b.least_waves ? a.least_waves : b.least_waves,
    };
}

__attribute__((format(printf, 2, 3))) static void say(char text[BUDGET_TEXT_BYTES], const char *format, ...)
{
    size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    if (length)
        length += (size_t)snprintf(text + length, BUDGET_TEXT_BYTES - length, "; ");
    if (length < BUDGET_TEXT_BYTES)
        vsnprintf(text + length, BUDGET_TEXT_BYTES - length, format, arguments);
    va_end(arguments);
}

/* What a spill or scratch is counted in. */
static const struct {
    enum record_figure figure;
    const char *what;
} scratch[] = {{RECORD_private, "bytes of scratch"},
               {RECORD_vspills, "spilled VGPRs"},
               {RECORD_sspills, "spilled SGPRs"},
               {RECORD_dynamic, "dynamic stacks"}};

bool budget_holds(const struct budget *budget, const struct record *record, char text[BUDGET_TEXT_BYTES])
{
    uint32_t vgprs = record->figure[RECORD_vgprs], waves = record->figure[RECORD_occupancy];
    *text = '\0';
    for (size_t i = 0; budget->no_scratch && i < sizeof scratch / sizeof *scratch; i++)
        if (record->figure[scratch[i].figure])
            say(text, "%" PRIu32 " %s, the budget is none", record->figure[scratch[i].figure], scratch[i].what);
    if (budget->most_vgprs && vgprs > budget->most_vgprs)
        say(text, "%" PRIu32 " VGPRs, the budget is %" PRIu32, vgprs, budget->most_vgprs);
    if (waves < budget->least_waves)
        say(text, "%" PRIu32 " waves a SIMD, the budget wants %" PRIu32, waves, budget->least_waves);
    return !*text;
}
