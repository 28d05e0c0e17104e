/* `hipcontract slurm`: the shards of a run as a job array of Slurm, and a job after it that merges their logs. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/commands.h"
#include "commands/options.h"
#include "commands/slurm_scripts.h"
#include "contract/base/arena.h"
#include "contract/base/file.h"
#include "toolchain/process.h"

static const char usage[] =
    "usage: hipcontract slurm --shards N [OPTIONS]\n\n"
    "Writes and submits two jobs: an array of N tasks, each `hipcontract contract --shard I/N` with the options given "
    "here,\n"
    "and, after the last task, `hipcontract report` of their logs, which writes the formats asked for. Folders must be\n"
    "shared by the cluster's machines. Status 3 where sbatch is missing or refuses a job.\n";

/* What a submission is made of. */
struct submission {
    struct arguments arguments;
    struct slurm_run run;
    struct text shard_words, merge_words, shards, merge;
    struct arena arena;
    char program[PATH_MAX], cwd[PATH_MAX];
    const char *shards_path, *merge_path;
};

/* What both contract and report take is of the whole run, and goes to the merge. */
static void take_words(void *context, int commands, const char *name, const char *value)
{
    struct submission *s = context;
    struct text *words = commands & FOR_REPORT ? &s->merge_words : &s->shard_words;
    if (strcmp(name, "jobs") == 0)
        s->run.n_cpus = value;
    else if (commands & (FOR_REPORT | FOR_CONTRACT)) {
        text_append(words, " --%s", name);
        if (value)
            text_append_word(words, value);
    }
}

static bool check_sbatch(const char *option, const char *const *values, size_t n, struct error *error)
{
    for (size_t i = 0; i < n; i++)
        if (values[i][0] != '-' || strpbrk(values[i], "\r\n"))
            return error_set(error, STATUS_USAGE, "--%s %.200s: give an option of sbatch, as --partition=P", option,
                             values[i][0] == '-' ? "with a line end" : values[i]);
    return true;
}

static bool no_memory(struct error *error)
{
    return error_set(error, STATUS_ENVIRONMENT, "out of host memory for the scripts");
}

static bool find_places(struct submission *s, struct error *error)
{
    const char *folder = s->arguments.folder ? s->arguments.folder : SLURM_FOLDER;
    ssize_t length = readlink("/proc/self/exe", s->program, sizeof s->program - 1);
    if (length < 0 || !getcwd(s->cwd, sizeof s->cwd))
        return error_set(error, STATUS_USAGE, "the program's path or the current folder cannot be read: %s",
                         strerror(errno));
    s->run.folder = folder[0] == '/' ? folder : arena_format(&s->arena, "%s/%s", s->cwd, folder);
    if (!s->run.folder)
        return no_memory(error);
    s->shards_path = arena_format(&s->arena, "%s/shards.sh", s->run.folder);
    s->merge_path = arena_format(&s->arena, "%s/merge.sh", s->run.folder);
    if (!s->shards_path || !s->merge_path)
        return no_memory(error);
    return slurm_can_name(s->run.folder) ||
           error_set(error, STATUS_USAGE, "--folder: a path without quotes, backslashes and line ends, please");
}

static bool make_scripts(struct submission *s, struct error *error)
{
    const struct arguments *a = &s->arguments;
    if (!check_sbatch("sbatch", a->sbatch, a->n_sbatch, error) ||
        !check_sbatch("sbatch-shards", a->sbatch_shards, a->n_sbatch_shards, error) || !find_places(s, error))
        return false;
    s->run.program = s->program;
    s->run.cwd = s->cwd;
    s->run.n_shards = a->n_shards;
    s->run.can_resume = !a->hash_outputs && !a->keep_outputs;
    s->run.shard_words = s->shard_words.data;
    s->run.merge_words = s->merge_words.data;
    s->run.sbatch = a->sbatch;
    s->run.n_sbatch = a->n_sbatch;
    s->run.sbatch_shards = a->sbatch_shards;
    s->run.n_sbatch_shards = a->n_sbatch_shards;
    slurm_shards_script(&s->run, &s->shards);
    slurm_merge_script(&s->run, &s->merge);
    return !(s->shard_words.failed || s->merge_words.failed || s->shards.failed || s->merge.failed) || no_memory(error);
}

/* Logs of an earlier run would be merged with this one's. */
static bool write_scripts(const struct submission *s, struct error *error)
{
    if (file_exists(s->shards_path))
        return error_set(error, STATUS_USAGE, "%s holds a run already; give another --folder, or remove it", s->run.folder);
    return report_files_check(&s->arguments.report_files, error) && file_make_directories(s->run.folder, error) &&
           file_write(s->merge_path, s->merge.data, s->merge.length, error) &&
           file_write(s->shards_path, s->shards.data, s->shards.length, error);
}

/* What sbatch said, as one line. */
static bool refused(const char *what, const struct process_result *result, struct error *error)
{
    struct text said = {0};
    char *rest = NULL;
    for (char *line = result->err.data ? strtok_r(result->err.data, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest)) {
        static const char start[] = "sbatch: error: ";
        bool has_start = strncmp(line, start, strlen(start)) == 0;
        text_append(&said, "%s%s", said.length ? "; " : "", has_start ? line + strlen(start) : line);
    }
    error_set(error, STATUS_ENVIRONMENT, "sbatch refuses the job of the %s: %.800s", what,
              said.data ? said.data : "it says no reason");
    text_free(&said);
    return false;
}

/* Submits argv, an sbatch --parsable, and gives the job's number. *status is that of the command. */
static bool submit(const char *const *argv, const char *what, long *job, int *status, struct error *error)
{
    struct process_result result;
    if (!process_run(argv, ".", &result, error))
        return error_set(error, STATUS_ENVIRONMENT,
                         "sbatch cannot be run: install Slurm's commands, or see the scripts with --dry-run");
    const char *out = result.out.data;
    bool ok = out && isdigit((unsigned char)*out);
    *job = ok ? strtol(out, NULL, 10) : 0;
    *status = result.exit_status;
    if (!ok)
        refused(what, &result, error);
    process_result_free(&result);
    return ok;
}

static bool submit_shards(const struct submission *s, long *job, struct error *error)
{
    int status = 0;
    const char *const argv[] = {"sbatch", "--parsable", s->shards_path, NULL};
    if (!submit(argv, "shards", job, &status, error)) {
        /* Nothing was started: the folder may be used again. */
        unlink(s->shards_path);
        unlink(s->merge_path);
        return false;
    }
    printf("shards: job %ld, %d tasks; logs %s/shard*.jsonl, lines shard*.out\n", *job, s->run.n_shards, s->run.folder);
    fflush(stdout);
    return true;
}

static bool submit_merge(struct submission *s, long shards_job, int *status, struct error *error)
{
    long job = 0;
    const char *dependency = arena_format(&s->arena, "--dependency=afterany:%ld", shards_job);
    const char *argv[] = {"sbatch", "--parsable", dependency, s->merge_path, NULL, NULL};
    if (!dependency)
        return no_memory(error);
    if (s->arguments.wait) {
        argv[3] = "--wait";
        argv[4] = s->merge_path;
    }
    if (!submit(argv, "merge", &job, status, error)) {
        error_prefix(error, "job %ld runs the shards all the same, and `bash %s` merges them then", shards_job,
                     s->merge_path);
        return false;
    }
    printf("merge: job %ld, after them; lines %s/merge.out\n", job, s->run.folder);
    fflush(stdout);
    return true;
}

/* The merge ended with this status, sbatch says: one of report's, or larger where a signal ended it. */
static int show_merge(struct submission *s, int job_status)
{
    char *lines;
    size_t n_bytes;
    struct error error;
    const char *path = arena_format(&s->arena, "%s/merge.out", s->run.folder);
    if (!path || !file_read(path, &lines, &n_bytes, &error))
        fprintf(stderr, "hipcontract slurm: %s\n", path ? error.text : "out of host memory");
    else {
        fwrite(lines, 1, n_bytes, stdout);
        free(lines);
    }
    if (job_status >= STATUS_OK && job_status <= STATUS_INTERRUPTED)
        return job_status;
    fprintf(stderr, "hipcontract slurm: the merge did not come to its end (status %d of sbatch --wait)\n", job_status);
    return STATUS_INTERRUPTED;
}

static int run_jobs(struct submission *s, struct error *error)
{
    long shards_job = 0;
    int job_status = 0;
    if (!write_scripts(s, error) || !submit_shards(s, &shards_job, error) ||
        !submit_merge(s, shards_job, &job_status, error))
        return command_fail(s->arguments.command, error);
    return s->arguments.wait ? show_merge(s, job_status) : STATUS_OK;
}

static int run(struct submission *s, struct error *error)
{
    if (s->arguments.help) {
        arguments_print_help(FOR_SLURM, usage);
        return STATUS_OK;
    }
    if (!make_scripts(s, error))
        return command_fail(s->arguments.command, error);
    if (!s->arguments.dry_run)
        return run_jobs(s, error);
    printf("==> %s\n%s\n==> %s\n%s", s->shards_path, s->shards.data, s->merge_path, s->merge.data);
    return STATUS_OK;
}

int command_slurm(int argc, char **argv)
{
    struct submission s = {0};
    struct error error = {0};
    arguments_visit(argc, argv, FOR_SLURM, take_words, &s);
    int status =
        arguments_parse(argc, argv, FOR_SLURM, &s.arguments, &error) ? run(&s, &error) : command_fail(argv[0], &error);
    text_free(&s.shard_words);
    text_free(&s.merge_words);
    text_free(&s.shards);
    text_free(&s.merge);
    arena_free(&s.arena);
    return status;
}
