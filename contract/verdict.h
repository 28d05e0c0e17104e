/*
 * A verdict: one gate result as fields. Text is made last, and no verdict is ever read back from text that was made for
 * people.
 *
 * Every verdict goes into one stream as it is decided. The log, the console, the counts and the coverage are sinks of that
 * stream: they format and add up, and never judge.
 */
#ifndef CONTRACT_VERDICT_H
#define CONTRACT_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/base/error.h"
#include "contract/base/hash.h"
#include "contract/registry.h"
#include "device/device.h"
#include "records/record_file.h"

/* X(kind, name in the log): what a verdict is about. */
#define VERDICT_SUBJECTS(X)                                                                                                \
    X(GATE, "gate")       /* one gate on one case of a registration */                                                     \
    X(CONTROL, "control") /* a planted fault */                                                                            \
    X(TOOTH, "tooth")     /* a plausible wrong arithmetic, on the host */                                                  \
    X(KNOWN, "known")     /* a known finding that was not found */                                                         \
    X(LIMIT, "limit")     /* gate 5 */

/* X(kind, name in the log, red): red says that the contract does not hold. */
#define VERDICT_STATUSES(X)                                                                                                \
    X(PASS, "pass", false)                                                                                                 \
    X(FAIL, "fail", true)                                                                                                  \
    X(KNOWN_FINDING, "known", false) /* fails, and is registered as a known finding */                                     \
    X(EXPIRED, "expired", true)      /* likewise, but past its date */                                                     \
    X(NOT_FOUND, "not-found", true)  /* a known finding is found no longer */                                              \
    X(NOT_RUN, "not-run", false)     /* with the reason */                                                                 \
    X(LAUNCH_FAILED, "launch-failed", true)                                                                                \
    X(BUILD_FAILED, "build-failed", true)                                                                                  \
    X(DIED, "died", true)        /* the process that ran it ended: a signal, or a limit of time or memory */               \
    X(INVALID, "invalid", false) /* the registration is wrong, not the kernel: exit status 2 */                            \
    X(RED, "red", false)         /* a control is red as planted */                                                         \
    X(MISS, "miss", true)        /* a control stayed green, or is red elsewhere */                                         \
    X(GREEN, "green", false)     /* a control stayed green on a chip where the code is right by coincidence */             \
    X(BLIND, "blind", true)      /* no gate catches this wrong arithmetic */                                               \
    X(EXCUSED, "excused", false) /* likewise, and the registration says why that is legitimate */                          \
    X(LIMIT_PROBLEM, "limit", true)

#define SUBJECT_ENUM(kind, name) SUBJECT_##kind,
enum verdict_subject { VERDICT_SUBJECTS(SUBJECT_ENUM) SUBJECT_COUNT };
#undef SUBJECT_ENUM
#define STATUS_ENUM(kind, name, red) VERDICT_##kind,
enum verdict_status { VERDICT_STATUSES(STATUS_ENUM) VERDICT_STATUS_COUNT };
#undef STATUS_ENUM

enum {
    VERDICT_NAME_BYTES = 96,
    VERDICT_REASON_BYTES = 1200,
    VERDICT_MODELLED_BYTES = 240,
    VERDICT_CHECKS_BYTES = 48,
    VERDICT_FILE_BYTES = 128,
    VERDICT_DEPTH_BYTES = 240,
    VERDICT_GUESS_BYTES = 240
};

/* Bins of the ratios to the bound, by powers of two (contract/error_map.h), and the map's size. 32 columns show what
 * repeats with the lanes of a wave or the columns of a tile. */
enum { RATIO_BIN_BOUND = 13, RATIO_BIN_INFINITE = 19, RATIO_BINS, ERROR_MAP_ROWS = 16, ERROR_MAP_COLUMNS = 32 };
#define ERROR_MAP_UNDECIDED '.'
#define ERROR_MAP_FIRST     'a' /* the letter of bin 0 */

/* Where in an output the distances from the reference are large: each cell is the letter of the largest bin in it. */
struct error_map {
    char tensor[32];       /* "" where there is no map */
    int64_t rows, columns; /* of the tensor */
    int n_rows, n_columns; /* of the map: at most as many */
    char cell[ERROR_MAP_ROWS][ERROR_MAP_COLUMNS + 1];
};

/* It has its rows and columns, no more than the tensor, and each cell is the letter of a bin or says that it is
 * undecided. */
bool error_map_is_whole(const struct error_map *map);

/* One output element against its reference. */
struct verdict_element {
    char tensor[32];
    int64_t index;     /* row-major; -1: none */
    uint64_t got_bits; /* as stored, in the low end */
    double got, reference, bound;
};

/* One output beside others of its tensor. */
struct diagnosed_output {
    int64_t row, column;
    uint64_t got_bits;            /* as stored, in the low end */
    double got, reference, bound; /* bound: infinite where the reference decides nothing */
    double ratio;                 /* |got - reference| / bound; above 1 it is wrong */
    double ulps;                  /* |got - reference| in spacings of the tensor's format at the reference */
};

/* What the wrong outputs of a tensor look like (contract/diagnosis.h). */
enum { DIAGNOSIS_NEAR = 9 };
struct diagnosis {
    char tensor[32], format[8]; /* "f32"; tensor "": there is no diagnosis */
    int64_t rows, columns;      /* of the tensor */
    int64_t n_wrong;            /* in it */
    struct diagnosed_output first, worst, near[DIAGNOSIS_NEAR];
    int n_near;                      /* the worst and those around it, row by row */
    char guess[VERDICT_GUESS_BYTES]; /* "they are 0; they fill …"; "" where nothing is telling */
};

/* What a compiled kernel needs, as it was measured. */
struct verdict_resources {
    bool are_known;
    uint32_t figure[RECORD_FIGURE_COUNT]; /* RECORD_ABSENT: not known */
};

struct verdict {
    enum verdict_subject subject;
    enum verdict_status status;
    int gate; /* GATE_x; a control's: the gate that it names */
    char chip[32];
    char device[16]; /* "emulator", "rocm", "host" */
    char registration[VERDICT_NAME_BYTES];
    char file[VERDICT_FILE_BYTES];         /* of the C source that registers it; "" where that is not known */
    int line;                              /* there; 0 likewise */
    char name[VERDICT_NAME_BYTES];         /* of the control, tooth or byte contract; else "" */
    char shape[VERDICT_NAME_BYTES];        /* "" where it concerns all */
    char pattern[16];                      /* "" likewise */
    struct hash128 code;                   /* of the code object that ran; zero where none did */
    struct hash128 output;                 /* gate 1: of all outputs */
    int n_runs;                            /* gate 1 */
    uint64_t schedule;                     /* gate 1: of the run that is red; 0: the natural order, or none is */
    char checks[VERDICT_CHECKS_BYTES];     /* gate 1: the device's checks in the last run that began, "mem init …" */
    int64_t n_compared, n_wrong;           /* elements */
    int64_t n_undecided;                   /* gates 2 and 3: elements of which the reference makes no claim */
    int64_t n_finite, n_nonfinite;         /* gate 2: classes that matched */
    double worst_ratio;                    /* gate 3: largest |got - reference| / bound; a tooth's or control's factor */
    double signed_mean;                    /* gate 3: mean of (got - reference) / bound */
    char twin[VERDICT_NAME_BYTES];         /* gate 3: the registration's twin, "" where it has none */
    struct hash128 twin_code;              /* of the twin's code object; zero where it is not for the chip */
    int64_t n_twin;                        /* gate 3: elements compared with the twin's */
    double twin_ratio;                     /* gate 3: the largest distance from the twin's, in units of both bounds */
    int64_t depth_declared;                /* gate 3, with depth_tensor: the additions that round on its longest way, */
    int64_t depth_measured;                /* and as the device counted them */
    char depth_tensor[32];                 /* the output nearest to its declared depth; "" where none was measured */
    char depth_parts[VERDICT_DEPTH_BYTES]; /* what was declared, part by part */
    int64_t ratio_histogram[RATIO_BINS];   /* gate 3: elements that the reference decides, by their ratio to the bound */
    struct error_map error_map;            /* gate 3: of the worst element's tensor */
    struct diagnosis diagnosis;            /* gate 3 where it fails, a control too: of the worst element's tensor */
    double miss_fp16, miss_bf16;           /* gate 4: by how many bounds such sums would miss here */
    struct verdict_element worst;          /* gate 3: the worst element; else the first wrong one */
    uint64_t duration_ns;                  /* never compared */
    char modelled[VERDICT_MODELLED_BYTES]; /* gates 2 to 4, expected bytes: instructions that rest on an assumption */
    bool replayed;                         /* decided by the run that this one resumes; not logged */
    struct verdict_resources resources;    /* gate 5: of a kernel with a record */
    bool has_finding;
    struct finding finding;            /* gate 1: the device's first, where has_finding */
    char reason[VERDICT_REASON_BYTES]; /* for people; "" where the numbers say it all */
};

const char *verdict_subject_name(enum verdict_subject subject);
const char *verdict_status_name(enum verdict_status status);
/* The contract does not hold because of this status. */
bool verdict_status_is_red(enum verdict_status status);
/* The exit status that a verdict leads to: 0, 1 (red) or 2 (an invalid registration). */
enum status verdict_exit(const struct verdict *verdict);
/* Fills file and line: where the registration stands. A name that has no room is left out. */
void verdict_place(struct verdict *verdict, const struct registration *registration);
/* These and the registration's name. */
void verdict_registration(struct verdict *verdict, const struct registration *registration);
/* Fills reason with a printf-style line, cut at its end if too long. */
void verdict_reason(struct verdict *verdict, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A registration that is done on a chip. Strings are borrowed. */
struct registration_end {
    const char *registration, *chip;
    uint64_t duration_ns; /* of all of it, references, teeth and controls included; 0 where replayed; never compared */
    bool replayed;        /* its verdicts were decided by the run that this one resumes */
};

/* An instruction that a case executed, as the emulator calls it. */
struct executed {
    const char *mnemonic, *class; /* "v_add_f32", "VALU" */
    uint64_t n_executed;          /* by waves */
};

/* What gate 1's first run of a case left. Borrowed for the call. */
struct case_outputs {
    const char *registration, *chip, *shape, *pattern;
    struct hash128 code;               /* of the code object that ran */
    const struct reg_plan *plan;       /* its tensors */
    const void *data[REG_MAX_TENSORS]; /* of outputs; others NULL */
    const struct executed *executed;   /* by gate 1's runs, where the device counts them */
    size_t n_executed;
};

/* A reader of the stream. Members may be NULL. `registration_end` follows the last verdict of a registration on a chip (its
 * gates, teeth and controls); limits come after all of those. */
struct verdict_sink {
    void (*verdict)(void *context, const struct verdict *verdict);
    void (*registration_end)(void *context, const struct registration_end *end);
    void (*outputs)(void *context, const struct case_outputs *outputs); /* before gate 1's verdict on the case */
    void *context;
};

/* Verdicts that an earlier run has decided: a registration that it finished with the same code object is not run again,
 * unless a launcher is part of it. */
struct decided {
    /* The finished registration's verdicts on the chip; NULL and none where there are none. */
    const struct verdict *const *(*find)(void *context, const char *registration, const char *chip, size_t *n_verdicts);
    void *context;
};

/* What is told to whoever shows progress. */
struct progress_sink {
    void (*step)(void *context, const char *registration, const char *shape, double done_share);
    void *context;
};

enum { VERDICT_SINKS = 8 };
struct verdict_stream {
    struct verdict_sink sinks[VERDICT_SINKS];
    size_t n_sinks;
    enum status worst; /* largest exit status of the verdicts so far */
};

/* Adds a sink; at most VERDICT_SINKS. */
void stream_add(struct verdict_stream *stream, struct verdict_sink sink);
/* Hands a verdict to every sink in the order they were added. */
void stream_put(struct verdict_stream *stream, const struct verdict *verdict);
void stream_registration_end(struct verdict_stream *stream, const struct registration_end *end);
/* Some sink takes outputs: they need not be gathered else. */
bool stream_wants_outputs(const struct verdict_stream *stream);
void stream_put_outputs(struct verdict_stream *stream, const struct case_outputs *outputs);

#endif
