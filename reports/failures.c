#include "reports/failures.h"

#include <inttypes.h>
#include <string.h>

#include "reports/diagnosis_text.h"

static void end_registration(struct failures *failures)
{
    int64_t n_more = failures->n_here - failures->n_here_repeated;
    if (n_more && failures->n_here_repeated)
        text_append(&failures->lines, "%*sand %" PRId64 " more of %s on %s\n", FAILURES_INDENT, "", n_more,
                    failures->registration, failures->chip);
    failures->n_here = failures->n_here_repeated = 0;
}

static void append(struct failures *failures, const struct verdict *verdict, const char *line)
{
    text_append(&failures->lines, "%s\n", line);
    diagnosis_guess(&verdict->diagnosis, FAILURES_INDENT, &failures->lines);
    if (failures->environment) {
        text_append(&failures->lines, "%*s", FAILURES_INDENT, "");
        repeat_command(verdict, failures->environment, &failures->lines);
        text_append(&failures->lines, "\n");
    }
    failures->n_repeated++;
    failures->n_here_repeated++;
}

void failures_note(struct failures *failures, const struct verdict *verdict, const char *line)
{
    if (verdict_exit(verdict) == STATUS_OK)
        return;
    if (strcmp(failures->registration, verdict->registration) != 0 || strcmp(failures->chip, verdict->chip) != 0) {
        end_registration(failures);
        snprintf(failures->registration, sizeof failures->registration, "%s", verdict->registration);
        snprintf(failures->chip, sizeof failures->chip, "%s", verdict->chip);
    }
    failures->n++;
    failures->n_here++;
    if (failures->n_here_repeated < FAILURES_EACH && failures->n_repeated < FAILURES_ALL)
        append(failures, verdict, line);
}

void failures_print(struct failures *failures, FILE *out)
{
    if (!failures->n)
        return;
    end_registration(failures);
    fprintf(out, "FAILURES %" PRId64 "\n%s", failures->n, failures->lines.data ? failures->lines.data : "");
    if (failures->n_repeated == FAILURES_ALL && failures->n > FAILURES_ALL)
        fprintf(out, "%*sonly %d of them are repeated here\n", FAILURES_INDENT, "", FAILURES_ALL);
}

void failures_free(struct failures *failures)
{
    text_free(&failures->lines);
}
