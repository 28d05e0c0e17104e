/* `hipcontract cache`: what was compiled and kept. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/commands.h"
#include "commands/options.h"
#include "device/code_object.h"
#include "toolchain/cache.h"
#include "toolchain/cache_entries.h"
#include "toolchain/manifest.h"

static const char help[] =
    "usage: hipcontract cache list|verify|prune [OPTIONS]\n\n"
    "The code objects that runs compiled and kept, each under the hash of all that it was made from.\n\n"
    "  list                      each one's key, size, last use, chip and kernels\n"
    "  verify                    holds each one's bytes to the hash stored with them\n"
    "  prune                     removes what is damaged, what was not used lately, and what was longest not used where "
    "all\n"
    "                            is too much; a run compiles again what it lacks\n\n"
    "  --directory DIR           the cache's folder; the default is $HIPCONTRACT_CACHE, else build/cache under the "
    "project\n"
    "  --older-than DAYS         (prune) what was not used for that many days; the default is 30\n"
    "  --max-size MIB            (prune) how much is kept; the default is 1024\n"
    "  --dry-run                 (prune) prints what would be removed, and removes nothing\n"
    "  --help                    prints this\n\n"
    "Exit status: 0 done, 1 verify found a damaged one, 2 wrong usage, no such folder, or a file that cannot be read or "
    "removed,\n"
    "3 out of memory.\n";

enum { DAY_S = 86400, DEFAULT_DAYS = 30, DEFAULT_MIB = 1024, NAMED_KERNELS = 3 };

struct cache_arguments {
    const char *directory; /* NULL: the default */
    int n_days, n_mib;
    const char *prune_option; /* the last option given that only prune has; NULL: none */
    bool dry_run, help;
};

/* The folder and all in it. */
struct cache_view {
    char directory[PATH_MAX];
    struct cache_entries entries;
};

static void print_total(const struct cache_view *view)
{
    uint64_t n_bytes = 0;
    for (size_t i = 0; i < view->entries.n_entries; i++)
        n_bytes += view->entries.entries[i].n_bytes;
    printf("%zu entries, %.1f MiB in %s", view->entries.n_entries, (double)n_bytes / (1 << 20), view->directory);
}

static void print_object(const struct code_object *object)
{
    printf("%-8s", object->chip);
    for (size_t i = 0; i < object->n_kernels && i < NAMED_KERNELS; i++)
        printf(" %s", object->kernels[i].name);
    if (object->n_kernels > NAMED_KERNELS)
        printf(" and %zu more", object->n_kernels - NAMED_KERNELS);
    putchar('\n');
}

/* What an entry is that is no code object. */
static const char *describe(const unsigned char *bytes, size_t n_bytes)
{
    static const struct {
        const char *magic, *what;
    } kinds[] = {
        {"BC\xC0\xDE", "a module that is linked into code objects"},
        {MANIFEST_MAGIC, "the files that a source is made of"},
        {MANIFEST_LIST_MAGIC, "headers of the system that sources are made of"},
        {"refused: ", "what a compiler said of a source that it refuses"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (n_bytes > strlen(kinds[i].magic) && memcmp(bytes, kinds[i].magic, strlen(kinds[i].magic)) == 0)
            return kinds[i].what;
    return "no code object";
}

/* The chip and kernels, as the code object itself says. */
static void print_contents(const struct cache_view *view, const struct cache_entry *entry)
{
    char path[PATH_MAX + CACHE_NAME_BYTES + 1];
    unsigned char *bytes;
    size_t n_bytes;
    struct code_object object;
    snprintf(path, sizeof path, "%s/%s", view->directory, entry->name);
    struct error ignored;
    if (entry->leftover || cache_read(path, &bytes, &n_bytes, &ignored) != CACHE_HIT) {
        const char *why = entry->unreadable ? "cannot be read" : "damaged";
        printf("-        %s\n", entry->leftover ? "not whole: a run writes it, or was cut off" : why);
        return;
    }
    if (code_object_parse(bytes, n_bytes, path, &object, NULL)) {
        print_object(&object);
        code_object_free(&object);
    } else {
        printf("-        %s\n", describe(bytes, n_bytes));
    }
    free(bytes);
}

static int list(const struct cache_view *view, const struct cache_arguments *arguments)
{
    (void)arguments;
    if (view->entries.n_entries)
        printf("%-32s %9s %-16s %-8s KERNELS\n", "KEY", "BYTES", "USED", "CHIP");
    for (size_t i = 0; i < view->entries.n_entries; i++) {
        const struct cache_entry *entry = &view->entries.entries[i];
        char used[32] = "-";
        struct tm date;
        if (localtime_r(&entry->used, &date))
            strftime(used, sizeof used, "%Y-%m-%d %H:%M", &date);
        printf("%.32s %9" PRIu64 " %-16s ", entry->name, entry->n_bytes, used);
        print_contents(view, entry);
    }
    print_total(view);
    putchar('\n');
    return STATUS_OK;
}

static int verify(const struct cache_view *view, const struct cache_arguments *arguments)
{
    (void)arguments;
    size_t n_damaged = 0, n_unreadable = 0;
    for (size_t i = 0; i < view->entries.n_entries; i++) {
        const struct cache_entry *entry = &view->entries.entries[i];
        if (entry->damaged)
            printf("%s/%s: damaged; a run that wants it compiles it anew, and `hipcontract cache prune` removes it\n",
                   view->directory, entry->name);
        if (entry->unreadable)
            fprintf(stderr,
                    "hipcontract cache: %s/%s: cannot be read, so it was not verified; make it a file that can be\n",
                    view->directory, entry->name);
        n_damaged += entry->damaged;
        n_unreadable += entry->unreadable;
    }
    print_total(view);
    printf(": %zu damaged\n", n_damaged);
    if (n_unreadable)
        return STATUS_USAGE;
    return n_damaged ? STATUS_RED : STATUS_OK;
}

/* Another process may have removed it before. */
static bool remove_entry(const struct cache_view *view, const struct cache_entry *entry)
{
    char path[PATH_MAX + CACHE_NAME_BYTES + 1];
    snprintf(path, sizeof path, "%s/%s", view->directory, entry->name);
    if (unlink(path) == 0 || errno == ENOENT)
        return true;
    fprintf(stderr, "hipcontract cache: %s: cannot be removed: %s\n", path, strerror(errno));
    return false;
}

static int prune_as_judged(const struct cache_view *view, const enum cache_fate *fates, bool dry_run)
{
    size_t n_removed = 0;
    uint64_t n_bytes = 0;
    int status = STATUS_OK;
    for (size_t i = 0; i < view->entries.n_entries; i++) {
        const struct cache_entry *entry = &view->entries.entries[i];
        if (fates[i] == CACHE_FATE_KEPT)
            continue;
        if (!dry_run && !remove_entry(view, entry)) {
            status = STATUS_USAGE;
            continue;
        }
        printf("%s %s: %s, %" PRIu64 " bytes\n", dry_run ? "would remove" : "removed", entry->name,
               cache_fate_text(fates[i]), entry->n_bytes);
        n_removed++;
        n_bytes += entry->n_bytes;
    }
    print_total(view);
    printf(": %zu of them, %.1f MiB, %s\n", n_removed, (double)n_bytes / (1 << 20),
           dry_run ? "would be removed" : "removed");
    return status;
}

static int prune(const struct cache_view *view, const struct cache_arguments *arguments)
{
    const struct cache_limits limits = {.now = time(NULL),
                                        .most_age_s = (int64_t)arguments->n_days * DAY_S,
                                        .most_bytes = (uint64_t)arguments->n_mib << 20};
    enum cache_fate *fates = calloc(view->entries.n_entries + 1, sizeof *fates);
    if (!fates) {
        fputs("hipcontract cache: out of memory\n", stderr);
        return STATUS_ENVIRONMENT;
    }
    cache_judge(&view->entries, &limits, fates);
    int status = prune_as_judged(view, fates, arguments->dry_run);
    free(fates);
    return status;
}

static const struct cache_action {
    const char *name;
    int (*act)(const struct cache_view *view, const struct cache_arguments *arguments);
    bool prunes;
} actions[] = {{"list", list, false}, {"verify", verify, false}, {"prune", prune, true}};

static const struct cache_action *find_action(const char *name)
{
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (strcmp(actions[i].name, name) == 0)
            return &actions[i];
    return NULL;
}

static bool take_option(int option, struct cache_arguments *arguments, struct error *error)
{
    if (option == 'o' || option == 'm' || option == 'd')
        arguments->prune_option = option == 'o' ? "older-than" : option == 'm' ? "max-size" : "dry-run";
    arguments->dry_run |= option == 'd';
    arguments->help |= option == 'h';
    if (option == 'D')
        arguments->directory = optarg;
    if (option == 'o')
        return arguments_number("older-than", optarg, 0, INT_MAX, &arguments->n_days, error);
    return option != 'm' || arguments_number("max-size", optarg, 0, INT_MAX, &arguments->n_mib, error);
}

/* *action is NULL where help is wanted. */
static bool parse_line(int argc, char **argv, struct cache_arguments *arguments, const struct cache_action **action,
                       struct error *error)
{
    static const struct option options[] = {{"directory", required_argument, NULL, 'D'},
                                            {"older-than", required_argument, NULL, 'o'},
                                            {"max-size", required_argument, NULL, 'm'},
                                            {"dry-run", no_argument, NULL, 'd'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    *arguments = (struct cache_arguments){.n_days = DEFAULT_DAYS, .n_mib = DEFAULT_MIB};
    *action = NULL;
    optind = 0;
    opterr = 0;
    for (int got; (got = getopt_long(argc, argv, ":", options, NULL)) != -1;) {
        if (got == ':' || got == '?')
            return error_set(error, STATUS_USAGE, "%s %s; `hipcontract cache --help` lists the options", argv[optind - 1],
                             got == ':' ? "needs a value" : "is no option here");
        if (!take_option(got, arguments, error))
            return false;
    }
    if (arguments->help)
        return true;
    *action = optind + 1 == argc ? find_action(argv[optind]) : NULL;
    if (!*action)
        return error_set(error, STATUS_USAGE, "give one of list, verify, prune, or --help");
    return !arguments->prune_option || (*action)->prunes ||
           error_set(error, STATUS_USAGE, "--%s is of prune; leave it out with %s", arguments->prune_option,
                     (*action)->name);
}

/* A folder that is given is below the current one, the default below the project. */
static bool open_view(const char *given, struct cache_view *view, struct error *error)
{
    bool found = given ? snprintf(view->directory, sizeof view->directory, "%s", given) < (int)sizeof view->directory ||
                             error_set(error, STATUS_USAGE, "--directory: %s", strerror(ENAMETOOLONG))
                       : cache_folder(NULL, view->directory, sizeof view->directory, error);
    return found && cache_entries_read(view->directory, &view->entries, error);
}

int command_cache(int argc, char **argv)
{
    struct error error;
    struct cache_arguments arguments;
    const struct cache_action *action;
    struct cache_view view;
    if (!parse_line(argc, argv, &arguments, &action, &error))
        return command_fail("cache", &error);
    if (!action) {
        fputs(help, stdout);
        return STATUS_OK;
    }
    if (!open_view(arguments.directory, &view, &error))
        return command_fail("cache", &error);
    int status = action->act(&view, &arguments);
    cache_entries_free(&view.entries);
    return status;
}
