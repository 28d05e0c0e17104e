/*
 * One of the two runs that are compared: the cases of a run log, each with the hashes of what gate 1's first run left.
 */
#ifndef REPORTS_COMPARE_SIDE_H
#define REPORTS_COMPARE_SIDE_H

#include <stdbool.h>
#include <stddef.h>

#include "contract/base/arena.h"
#include "contract/verdict.h"
#include "reports/log_environment.h"
#include "reports/outputs_json.h"

/* A case, a byte contract or a launcher's check. */
struct side_case {
    const char *registration, *name, *chip, *shape, *pattern; /* name: "" of a case */
    enum verdict_status status;                               /* gate 1's */
    struct hash128 code, output;          /* output: over all outputs; zero where the launch left none */
    const struct logged_outputs *outputs; /* NULL: the log has no such record */
    const char *modelled;                 /* instructions that its gates rest on, "v_a, v_b" */
};

struct compare_side {
    const char *path; /* of the log */
    struct log_environment environment;
    struct side_case *cases; /* in the order of the log; of one that is there twice the last counts */
    size_t n_cases;
    bool is_cut; /* its last line was cut short */
};

/* Reads a log, or FOLDER/run.jsonl of a folder of --keep-outputs; everything but *cases is the arena's. Errors:
 * STATUS_USAGE, "PATH: reason", "PATH:LINE: reason". compare_side_free in either case. */
bool compare_side_read(struct compare_side *side, const char *path, struct arena *arena, struct error *error);
void compare_side_free(struct compare_side *side);

/* Reads the file of an output that the run kept: from the log's own folder, from the folder of --keep-outputs's name beside
 * the log, or from where --keep-outputs said. *data is malloc'ed and the caller's; NULL where there is no file. Errors:
 * STATUS_USAGE where files are there and none has the bytes that the log has the hash of. */
bool compare_side_kept(const struct compare_side *side, const struct side_case *c, const struct logged_tensor *tensor,
                       void **data, struct error *error);

#endif
