#include "tests/support/vector_run.h"

#include <string.h>

#include "tests/support/agreement.h"
#include "tests/support/evidence.h"
#include "tests/support/group_runner.h"

enum { MAX_REASON = 1024 };

/* s[0:1] of every wave holds the address of the kernarg segment, which holds that of the output buffer. 0: out of memory.
 */
static uint64_t place_buffers(struct group_runner *runner, size_t output_bytes)
{
    uint64_t output = group_runner_allocate(runner, output_bytes, "output");
    uint64_t kernarg = group_runner_allocate(runner, 8, "kernarg");
    if (!output || !kernarg)
        return 0;
    memcpy(memory_host(runner->memory, kernarg, 8), &output, 8);
    for (uint32_t i = 0; i < runner->group.n_waves; i++)
        memcpy(runner->group.waves[i].sgpr, &kernarg, 8);
    return output;
}

/* Runs one vector; false with the reason where it does not agree: *differs where it ran and left other values. */
static bool run_vector(const struct vector *vector, FILE *out, struct vector_tally *tally, char *reason, bool *differs)
{
    struct error error = {0};
    struct group_launch launch = {.chip = vector->chip,
                                  .n_lanes = vector->n_lanes,
                                  .n_items = vector->n_items,
                                  .code = vector->code,
                                  .code_bytes = vector->code_bytes,
                                  .lds_bytes = vector->lds_bytes,
                                  .scratch_bytes = vector->scratch_bytes};
    struct group_runner *runner = group_runner_open(&launch, &error);
    uint64_t output = runner ? place_buffers(runner, vector->output_bytes) : 0;
    bool ok = false;
    if (!output) {
        snprintf(reason, MAX_REASON, "%s", runner ? "out of memory" : error.text);
    } else if (!group_runner_run(runner)) {
        snprintf(reason, MAX_REASON, "%s: %s", finding_kind_name(runner->findings[0].kind), runner->findings[0].text);
    } else {
        const uint8_t *bytes = memory_host(runner->memory, output, vector->output_bytes);
        size_t failed = agreement_first_failure(vector, bytes);
        ok = failed == vector->n_checks;
        if (ok)
            evidence_note_code(&runner->code, NULL, "vector");
        bool whole = agreement_whole(vector, bytes);
        tally->n_whole += whole;
        *differs = !ok;
        if (!ok)
            agreement_describe(vector, bytes, failed, reason, MAX_REASON);
        else if (!whole)
            fprintf(out, "note %s: passes, and differs where nothing is asserted\n", vector->id);
    }
    group_runner_close(runner);
    return ok;
}

void vector_run(const struct vector *vector, FILE *out, struct vector_tally *tally)
{
    char reason[MAX_REASON];
    bool differs = false;
    if (run_vector(vector, out, tally, reason, &differs)) {
        tally->n_run++;
        tally->n_passed++;
        return;
    }
    if (vector->optional && differs)
        fprintf(out, "left out %s: optional, and differs: %s\n", vector->id, reason);
    else if (vector->optional)
        fprintf(out, "left out %s: its encoding is not one that the instruction set allows; %s\n", vector->id, reason);
    else
        fprintf(out, "FAIL %s: %s\n", vector->id, reason);
    tally->n_run += !vector->optional;
    tally->n_left_out += vector->optional;
}
