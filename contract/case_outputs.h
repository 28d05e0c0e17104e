/*
 * Gate 1 of a case, with what its first run left handed to the stream for those who keep or hash it.
 */
#ifndef CONTRACT_CASE_OUTPUTS_H
#define CONTRACT_CASE_OUTPUTS_H

#include "contract/gates.h"

/* As gate1_run, the launch as planned; then the outputs of the first run, if there are any, go to the stream's sinks,
 * before the verdict does. Errors: STATUS_ENVIRONMENT, out of host memory; the verdict is decided all the same. */
bool case_outputs_run(const struct launch_target *target, struct host_case *host, const struct gate1_options *options,
                      struct verdict_stream *stream, struct outputs *first, struct verdict *verdict, struct error *error);

#endif
