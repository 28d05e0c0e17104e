#include "commands/run_environment.h"

#include "commands/matrix_model.h"
#include "commands/registrations.h"
#include "contract/version.h"

/* A comma list of n words; `none` where there are none. */
static const char *comma_list(struct arena *arena, const char *const *words, size_t n, const char *none)
{
    const char *list = n ? words[0] : none;
    for (size_t i = 1; i < n && list; i++)
        list = arena_format(arena, "%s,%s", list, words[i]);
    return list;
}

/* Checks that the emulator is to make. */
static const char *checks_list(struct session *session)
{
    char checks[VERDICT_CHECKS_BYTES];
    finding_kinds_list(session->arguments->checks, " ", checks, sizeof checks);
    return *checks ? arena_format(&session->arena, "%s", checks) : "none";
}

struct log_environment run_environment(struct session *session)
{
    const struct arguments *a = session->arguments;
    const char *chips = comma_list(&session->arena, a->chips, a->n_chips, DEFAULT_CHIP);
    return (struct log_environment){.version = HIPCONTRACT_VERSION,
                                    .commit = *session->commit ? session->commit : NULL,
                                    .records = session->records,
                                    .toolchain = toolchain_name(session->toolchain),
                                    .compiler = toolchain_version(session->toolchain),
                                    .device = a->on_gpu ? "rocm" : "emulator",
                                    .chips = chips ? chips : "",
                                    .scope = arguments_scope(a),
                                    .checks = a->on_gpu ? NULL : checks_list(session),
                                    .matrix_model = a->on_gpu ? NULL : matrix_model_name(a->matrix_model),
                                    .seed = a->seed,
                                    .n_runs = a->n_runs,
                                    .n_devices = a->n_devices,
                                    .kernels = registrations_files(a, &session->arena),
                                    .command = a->command,
                                    .only = a->kernel ? a->kernel : comma_list(&session->arena, a->only, a->n_only, NULL),
                                    .shard = a->shard,
                                    .n_shards = a->n_shards,
                                    .outputs = a->keep_outputs};
}
