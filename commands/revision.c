#include "commands/revision.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/base/file.h"
#include "toolchain/process.h"

/* The first line that a program printed on standard error, for a message of one line. */
static void first_line(const struct process_result *result, char *line, size_t n_bytes)
{
    const char *text = result->err.data ? result->err.data : "no word why";
    snprintf(line, n_bytes, "%.*s", (int)strcspn(text, "\n"), text);
}

/* Runs a program that must end well; what it says otherwise is the error. */
static bool run(const char *const *argv, const char *directory, struct error *error)
{
    struct process_result result;
    if (!process_run(argv, directory, &result, error))
        return false;
    bool ok = result.exit_status == 0;
    if (!ok) {
        char line[400];
        first_line(&result, line, sizeof line);
        error_set(error, STATUS_ENVIRONMENT, "%s %s: %s", argv[0], argv[1], line);
    }
    process_result_free(&result);
    return ok;
}

/* git's word on the name: a commit, none of this repository, or that there is no repository. */
static bool find_commit(const char *root, const char *name, char commit[REVISION_COMMIT_BYTES], struct error *error)
{
    char wanted[512];
    const char *const argv[] = {"git", "rev-parse", "--verify", "--quiet", wanted, NULL};
    struct process_result result;
    if (*name == '-' || snprintf(wanted, sizeof wanted, "%s^{commit}", name) >= (int)sizeof wanted)
        return error_set(error, STATUS_USAGE, "%.200s is no revision of %s", name, root);
    if (!process_run(argv, root, &result, error))
        return false;
    size_t n = 0;
    while (n < result.out.n_bytes && n + 1 < REVISION_COMMIT_BYTES && isxdigit((unsigned char)result.out.data[n]))
        n++;
    bool ok = result.exit_status == 0 && n > 0;
    memcpy(commit, n ? result.out.data : "", n);
    commit[n] = '\0';
    if (!ok && result.err.n_bytes) {
        char line[400];
        first_line(&result, line, sizeof line);
        error_set(error, STATUS_USAGE, "%s is no revision: %s: git: %s", name, root, line);
    } else if (!ok) {
        error_set(error, STATUS_USAGE, "%s is no revision of %s", name, root);
    }
    process_result_free(&result);
    return ok;
}

/* Through a file: git's archive of a large project need not fit memory. */
static bool unpack(const char *root, const struct revision *revision, struct error *error)
{
    char archive[PATH_MAX], output[PATH_MAX + 16];
    if (snprintf(archive, sizeof archive, "%s/revision.tar", revision->folder) >= (int)sizeof archive)
        return error_set(error, STATUS_USAGE, "%s: the path is too long", revision->folder);
    snprintf(output, sizeof output, "--output=%s", archive);
    const char *const pack[] = {"git", "archive", "--format=tar", output, revision->commit, NULL};
    const char *const extract[] = {"tar", "-xf", archive, NULL};
    if (!run(pack, root, error) || !run(extract, revision->folder, error))
        return false;
    remove(archive);
    return true;
}

bool revision_open(const char *root, const char *name, struct revision *revision, struct error *error)
{
    *revision = (struct revision){0};
    if (!find_commit(root, name, revision->commit, error))
        return false;
    char folder[PATH_MAX];
    const char *parent = getenv("TMPDIR");
    if (snprintf(folder, sizeof folder, "%s/hipcontract-revision-XXXXXX", parent && *parent ? parent : "/tmp") >=
            (int)sizeof folder ||
        !mkdtemp(folder))
        return error_set(error, STATUS_ENVIRONMENT, "%s: no folder can be made: %s", folder, strerror(errno));
    memcpy(revision->folder, folder, sizeof folder);
    if (unpack(root, revision, error))
        return true;
    revision_close(revision);
    return false;
}

void revision_close(struct revision *revision)
{
    if (*revision->folder)
        file_remove_tree(revision->folder);
    *revision->folder = '\0';
}
