#include "commands/audit_against.h"

#include <stdio.h>

#include "commands/audit_review.h"
#include "reports/audit_changes.h"

/* Beside a table for programs the problems stand on standard error. */
static void tell(void *context, const struct limits_result *result)
{
    const struct arguments *arguments = context;
    fprintf(audit_format_is_for_programs(arguments->format) ? stderr : stdout, "LIMIT %s %s  %s\n", result->chip,
            result->name, result->text);
}

/* A number of each kind, what is worst first. */
static void print_counts(const struct audit_diff *diff)
{
    static const struct {
        enum audit_grade first, last;
        const char *words;
    } counts[] = {{AUDIT_OVER, AUDIT_OVER, "over budget"},   {AUDIT_SPILLS, AUDIT_LARGER, "worse"},
                  {AUDIT_GONE, AUDIT_GONE, "gone"},          {AUDIT_NEW, AUDIT_NEW, "new"},
                  {AUDIT_CHANGED, AUDIT_CHANGED, "changed"}, {AUDIT_BETTER, AUDIT_BETTER, "better"}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        size_t n = 0;
        for (int grade = counts[i].first; grade <= (int)counts[i].last; grade++)
            n += diff->n_of[grade];
        printf("%zu %s, ", n, counts[i].words);
    }
    printf("%zu unchanged", diff->n_unchanged);
}

static void print_summary(const struct session *session, const struct audit_review *review)
{
    const struct arguments *arguments = session->arguments;
    printf("SUMMARY ");
    for (size_t i = 0; i < arguments->n_chips; i++)
        printf("%s%s", i ? "," : "", arguments->chips[i]);
    printf(" against %s: ", review->origin.data);
    print_counts(&review->diff);
    if (review->n_left_out)
        printf("; %zu not compared: not compiled on one side", review->n_left_out);
    if (review->n_problems)
        printf("; %zu limit problems", review->n_problems);
    printf(" (%s)\n", toolchain_version(session->toolchain));
}

static bool check_arguments(const struct arguments *arguments, struct error *error)
{
    const char *other = arguments->update      ? "update"
                        : arguments->record    ? "record"
                        : arguments->compilers ? "compiler"
                                               : NULL;
    return !other || error_set(error, STATUS_USAGE,
                               "--against compares, with the compiler that is used by default: leave --%s out", other);
}

static bool make(const struct session *session, struct audit_review *review, struct error *error)
{
    const struct arguments *arguments = session->arguments;
    const struct limits_options options = {.chips = arguments->chips,
                                           .n_chips = arguments->n_chips,
                                           .only = arguments->only,
                                           .n_only = arguments->n_only,
                                           .n_jobs = arguments->n_jobs};
    return check_arguments(arguments, error) &&
           audit_review_make(&session->registry, session->toolchain, &options, arguments->against, tell, (void *)arguments,
                             review, error);
}

static enum status status_of(const struct audit_review *review)
{
    if (review->notes.length)
        return STATUS_USAGE;
    return review->diff.n_of[AUDIT_OVER] || review->n_problems ? STATUS_RED : STATUS_OK;
}

int audit_against(const struct session *session)
{
    enum audit_format format = session->arguments->format;
    struct audit_review review = {0};
    struct error error = {0};
    bool ok = make(session, &review, &error);
    if (ok && !audit_changes_write(stdout, format, &review.diff))
        ok = error_set(&error, STATUS_ENVIRONMENT, "out of memory");
    if (ok && review.notes.length)
        fputs(review.notes.data, stderr);
    if (ok && !audit_format_is_for_programs(format))
        print_summary(session, &review);
    int status = ok ? (int)status_of(&review) : command_fail("audit", &error);
    audit_review_free(&review);
    return status;
}
