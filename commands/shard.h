/*
 * --shard: which registrations of a run are this shard's, and how the log says so.
 */
#ifndef COMMANDS_SHARD_H
#define COMMANDS_SHARD_H

#include "commands/options.h"
#include "contract/base/arena.h"
#include "contract/registry_list.h"
#include "contract/run.h"
#include "reports/log_environment.h"

/* Splits what the options select and sets options->part, the environment's `split` and `registrations`; does nothing
 * without --shard. Costs are those of the history of --costs, and where that does not know one its estimate, in the ratio
 * of the others. Where `earlier` is the environment of the log that is resumed, its registrations are taken instead. All of
 * it belongs to the arena. Errors: STATUS_USAGE where the history cannot be read, or the earlier log names a registration
 * that there is no more, STATUS_ENVIRONMENT out of host memory. */
bool shard_choose(const struct arguments *arguments, const struct registry *registry, const struct log_environment *earlier,
                  struct arena *arena, struct run_options *options, struct log_environment *environment,
                  struct error *error);
/* Gate 5 is of whole families, and takes little time: the first shard passes all of it. */
bool shard_has_limits(const struct arguments *arguments);

#endif
