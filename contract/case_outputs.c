#include "contract/case_outputs.h"

#include <string.h>

#include "contract/executed.h"

static void put(const struct launch_target *target, const struct host_case *host, const struct outputs *first,
                const struct executed_list *executed, struct verdict_stream *stream)
{
    struct case_outputs outputs = {.registration = host->c.registration->name,
                                   .chip = target->device->chip,
                                   .shape = host->c.shape->label,
                                   .pattern = reg_pattern_name(host->c.pattern),
                                   .code = target->code,
                                   .plan = &host->plan,
                                   .executed = executed->rows,
                                   .n_executed = executed->n};
    memcpy(outputs.data, first->data, sizeof outputs.data);
    stream_put_outputs(stream, &outputs);
}

bool case_outputs_run(const struct launch_target *target, struct host_case *host, const struct gate1_options *options,
                      struct verdict_stream *stream, struct outputs *first, struct verdict *verdict, struct error *error)
{
    struct launch_fault fault = launch_as_planned(host);
    struct executed_list before = {0}, executed = {0};
    bool wanted = stream_wants_outputs(stream);
    bool ok = !wanted || executed_count(target->device, target->code, &host->arena, &before, error);
    gate1_run(target, host, &fault, options, &host->arena, first, verdict);
    if (!ok || !wanted || !first->data[next_output(&host->plan, 0)])
        return ok;
    if (!executed_count(target->device, target->code, &host->arena, &executed, error))
        return false;
    executed_since(&before, &executed);
    put(target, host, first, &executed, stream);
    return true;
}
