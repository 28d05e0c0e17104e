#include "commands/slurm_scripts.h"

#include "contract/base/error.h"

bool slurm_can_name(const char *folder)
{
    for (; *folder; folder++)
        if ((unsigned char)*folder < ' ' || *folder == '"' || *folder == '\\' || *folder == 0x7f)
            return false;
    return true;
}

static void append_options(struct text *script, const char *const *options, size_t n)
{
    for (size_t i = 0; i < n; i++)
        text_append(script, "#SBATCH %s\n", options[i]);
}

/* In a name of a file sbatch reads %a as the task's number, and %% as one %. */
static void append_output(struct text *script, const char *folder, const char *file)
{
    text_append(script, "#SBATCH --output=\"");
    for (; *folder; folder++)
        text_append(script, *folder == '%' ? "%%%%" : "%c", *folder);
    text_append(script, "/%s\"\n", file);
}

static void append_start(struct text *script, const struct slurm_run *run)
{
    text_append(script, "\ncd");
    text_append_word(script, run->cwd);
    text_append(script, " || exit %d\nfolder=", STATUS_ENVIRONMENT);
    struct text word = {0};
    text_append_word(&word, run->folder);
    text_append(script, "%s\n", word.data ? word.data + 1 : "");
    script->failed |= word.failed;
    text_free(&word);
}

static void append_program(struct text *script, const struct slurm_run *run, const char *command)
{
    text_append(script, "exec");
    text_append_word(script, run->program);
    text_append(script, " %s", command);
}

/* `exec`: the job's status is the shard's, and the signal that comes before the time limit reaches it. */
void slurm_shards_script(const struct slurm_run *run, struct text *script)
{
    text_append(script,
                "#!/bin/bash\n# The shards, a task each.\n#SBATCH --job-name=hipcontract-shards\n#SBATCH --array=1-%d\n",
                run->n_shards);
    append_output(script, run->folder, "shard%a.out");
    text_append(script, "#SBATCH --open-mode=append\n#SBATCH --signal=B:TERM@60\n");
    if (run->n_cpus)
        text_append(script, "#SBATCH --cpus-per-task=%s\n", run->n_cpus);
    append_options(script, run->sbatch, run->n_sbatch);
    append_options(script, run->sbatch_shards, run->n_sbatch_shards);
    append_start(script, run);
    text_append(script, "log=$folder/shard$SLURM_ARRAY_TASK_ID.jsonl\nhow=--log\n");
    if (run->can_resume)
        text_append(script, "# One that is started again goes on from its log.\n"
                            "[ -s \"$log\" ] && [ \"$(wc -l <\"$log\")\" -gt 0 ] && how=--resume\n");
    append_program(script, run, "contract");
    text_append(script, "%s --jobs %s --no-db --shard \"$SLURM_ARRAY_TASK_ID/%d\" \"$how\" \"$log\"\n",
                run->shard_words ? run->shard_words : "", run->n_cpus ? run->n_cpus : "\"${SLURM_CPUS_ON_NODE:-1}\"",
                run->n_shards);
}

void slurm_merge_script(const struct slurm_run *run, struct text *script)
{
    text_append(script, "#!/bin/bash\n# What the shards come to, after the last of them ended, however it did.\n"
                        "#SBATCH --job-name=hipcontract-merge\n");
    append_output(script, run->folder, "merge.out");
    append_options(script, run->sbatch, run->n_sbatch);
    append_start(script, run);
    text_append(script,
                "logs=()\n"
                "for log in \"$folder\"/shard*.jsonl; do\n"
                "    # A shard that was killed before its first line left none.\n"
                "    [ -s \"$log\" ] && [ \"$(wc -l <\"$log\")\" -gt 0 ] && logs+=(\"$log\")\n"
                "done\n"
                "[ ${#logs[@]} -gt 0 ] || { echo \"no shard left a log; $folder/shard*.out say why\" >&2; exit %d; }\n",
                STATUS_INTERRUPTED);
    append_program(script, run, "report");
    text_append(script, " \"${logs[@]}\"%s\n", run->merge_words ? run->merge_words : "");
}
