/*
 * Registration: what a kernel family declares, and all that the harness knows of it. A family is one folder under kernels/:
 * its .hip source and C files that register kernels with REG_KERNEL and, under controls/, planted faults with REG_CONTROL.
 * No list is kept elsewhere: the linker collects them.
 *
 * Callers may rely on: functions given here are pure functions of their arguments (no global state), may be called from
 * several threads, and never see a device; only a launcher does, through the HIP API table that it is given.
 */
#ifndef CONTRACT_REGISTRY_H
#define CONTRACT_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/base/error.h"
#include "contract/base/random.h"
#include "device/hip_api.h"
#include "reference/audit.h"
#include "reference/bound.h"
#include "reference/depth.h"
#include "reference/exact.h"
#include "reference/format.h"
#include "reference/policy.h"

enum {
    REG_MAX_DIMS = 6,
    REG_MAX_TENSORS = 12,
    REG_MAX_ARGS = 24,
    REG_MAX_KERNELS = 8,
    REG_MAX_DEVICES = 64,
    REG_MAX_FILE_TENSORS = 8,
    REG_FILE_DIMS = 4
};

/* X(name, text): what the inputs of a case look like. */
#define REG_PATTERNS(X)                                                                                                    \
    X(SIGNED, "signed")     /* zero-mean */                                                                                \
    X(ONESIDED, "onesided") /* all terms positive: a lost bit is relatively largest */                                     \
    X(EDGES, "edges")       /* largest finite, smallest normal, subnormals, signed zeros */                                \
    X(CLASSES, "classes")   /* gate 2: planted NaN, infinities, inf - inf, overflow in some rows */                        \
    X(EXACT, "exact")       /* gate 4: every partial sum an integer below 2^24 times a power of two */

#define REG_PATTERN_ENUM(name, text) REG_PATTERN_##name,
enum reg_pattern { REG_PATTERNS(REG_PATTERN_ENUM) REG_PATTERN_COUNT };
#undef REG_PATTERN_ENUM

const char *reg_pattern_name(enum reg_pattern pattern);

enum reg_role { REG_INPUT, REG_OUTPUT, REG_WORKSPACE };

struct reg_shape {
    const char *label;         /* "64x512x128": unique in its registration, stable */
    int64_t dim[REG_MAX_DIMS]; /* meaning is the registration's */
    bool heavy;                /* only with --full */
    bool quick;                /* also with --quick */
};

struct reg_tensor {
    const char *name;
    enum number_format format;
    enum reg_role role;
    int64_t rows, columns; /* row-major, no gap: rows * columns elements */
};

enum reg_arg_kind { REG_ARG_TENSOR, REG_ARG_I32, REG_ARG_I64, REG_ARG_F32 };

struct reg_arg {
    enum reg_arg_kind kind;
    int tensor; /* REG_ARG_TENSOR: index into tensors */
    int64_t integer;
    float real;
};

/* One launch of the kernel on one shape. */
struct reg_plan {
    int n_tensors;
    struct reg_tensor tensor[REG_MAX_TENSORS];
    int n_args;
    struct reg_arg arg[REG_MAX_ARGS];
    uint32_t grid[3], block[3]; /* workgroups, and work-items of one */
    uint32_t lds_bytes;         /* dynamic LDS */
};

struct registration;
struct reg_file;

/* A case on the host: inputs are filled, outputs are space. */
struct reg_case {
    const struct registration *registration;
    const struct reg_shape *shape;
    enum reg_pattern pattern;
    uint64_t seed;
    const struct reg_plan *plan;
    void *data[REG_MAX_TENSORS]; /* host bytes of each tensor, in its format */
    int n_threads;               /* that reference() and model() may use; results do not depend on it */
    const struct reg_file *file; /* of a case whose weights come from a file; else NULL */
};

/* A tensor that a registration looks for in a weights file, under the name NAME.suffix (`run --weights FILE:NAME`). */
struct reg_file_tensor {
    const char *suffix; /* "trellis" */
    const char *dtype;  /* as safetensors spells it: "F16" */
    int n_dims;
    const char *input;   /* the plan's input that takes its bytes; NULL: shape() or fill() reads it */
    const char *missing; /* what it means that a file has none, for the error's line; may be NULL */
    const char *refused; /* not NULL: a file must not have it, for this reason; no other member but suffix counts */
};

/* What a file holds of a registration's file tensors, in their order; of those that it must not have, nothing. */
struct reg_file {
    int64_t dim[REG_MAX_FILE_TENSORS][REG_FILE_DIMS];
    const void *data[REG_MAX_FILE_TENSORS];
    size_t n_bytes[REG_MAX_FILE_TENSORS];
};

/* How a registration's cases take their weights from a safetensors file. Those have the patterns of every registration:
 * SIGNED, ONESIDED and CLASSES. */
struct reg_weights {
    const struct reg_file_tensor *tensors;
    size_t n_tensors;
    /* The dimensions of the shape with `rows` rows of activations. false where the file's tensors do not fit together or
     * are not this kernel's: what was found and what is wanted, in a line. */
    bool (*shape)(const struct registration *registration, const struct reg_file *file, int64_t rows,
                  int64_t dim[REG_MAX_DIMS], struct error *error);
    /* As the registration's fill, for inputs that no file tensor feeds; c->file is there. NULL: the registration's. */
    void (*fill)(const struct reg_case *c, int tensor, void *data);
};

/* X(gate number). Known findings and controls name gates by number: 1 bytes and memory, 2 classes, 3 bound, 4 exact, 5
 * limits. */
enum { GATE_BYTES = 1, GATE_CLASSES = 2, GATE_BOUND = 3, GATE_EXACT = 4, GATE_LIMITS = 5 };

/* A finding that is known and not yet mended: still run, printed and counted apart; red past its date, and red when it is
 * no longer found. */
struct reg_known_finding {
    int gate;
    const char *owner, *reason, *link, *expires; /* expires: YYYY-MM-DD */
};

/* Rows first ... first + rows - 1 of a launch. */
struct reg_window {
    int64_t first, rows;
};

/* Metamorphic relations: inputs that are changed so, and what the outputs must then be, bit for bit. They hold for other
 * reasons than a reference does, and see what stays inside every bound. */

/* Inputs times a power of two give outputs times it, where no intermediate result under- or overflows. The harness derives
 * the smallest and the largest power for which none does, from the case's inputs and from what is said here, and launches
 * both. Every intermediate result is a sum of products; a product has at most one element of each of `factors`, one of them
 * scaled, and at most one number beside them (a block's weight, a scalar argument). */
struct reg_scaling {
    unsigned inputs, outputs;    /* bits 1 << tensor of those that are scaled; other outputs keep their bytes */
    unsigned factors;            /* bits 1 << tensor of the inputs of float formats that are multiplied, those scaled too */
    enum number_format sums;     /* of the narrowest range among the intermediate results */
    enum number_format rounded;  /* to which the kernel rounds the scaled inputs; as wide as their own: it does not */
    int beside_unit, beside_log; /* numbers beside the factors: multiples of 2^beside_unit, at most 2^beside_log */
};

/* Items in another order give outputs in that order: rows or columns of tensors, in equal runs one an item. */
struct reg_permutation {
    int dim;                              /* the dimension of a shape that counts the items, */
    int64_t group;                        /* which has so many for each item; 0: one */
    unsigned row_tensors, column_tensors; /* bits 1 << tensor of those whose rows, or columns, are the items' */
};

/* A larger shape, whose inputs begin as the contract's and go on with a number that adds nothing, gives outputs that begin
 * as the contract's: rows and columns of a tensor from the first on. */
struct reg_padding {
    struct reg_shape shape;
    double number; /* what tensors of float formats go on with; others with zero bytes */
};

/* A byte contract: a check of gate 1 beside its runs, on a shape of its own, which may stand outside shape hygiene. One of
 * `windows`: a launch of some of the rows gives each row the bytes that it has in the launch of all; `expect`: the outputs
 * are these bytes; and the three relations. */
struct reg_bytes {
    const char *name; /* unique in its registration: "rows" */
    const char *what; /* what holds, in a few words, for output lines */
    struct reg_shape shape;
    enum reg_pattern pattern;                                       /* of its inputs */
    void (*fill)(const struct reg_case *c, int tensor, void *data); /* NULL: the registration's */
    const struct reg_window *windows;
    size_t n_windows;
    int row_dim;          /* windows: the dimension of a shape that counts rows */
    unsigned row_tensors; /* windows: bits 1 << tensor of those whose rows are the launch's rows */
    /* The bytes of output tensor `tensor`, all of its elements, by the kernel's documented steps on the host. False where
     * that is out of memory. */
    bool (*expect)(const struct reg_case *c, int tensor, void *bytes);
    const struct reg_scaling *scaling;
    const struct reg_permutation *permutation;
    const struct reg_padding *padding;
};

/* What a launcher is called with. */
struct reg_call {
    const struct hip_api *hip;
    int device;                     /* the current one */
    const hipFunction_t *functions; /* the launcher's kernels, loaded on it; NULL for one that this chip's code lacks */
    const struct reg_case *c;       /* shape, and the inputs in host memory, as a model file would hold them */
    void *const *tensors;           /* on the device, in the plan's order */
};

/* A production launcher: host code that chooses a variant by the device's wave size, keeps scratch and caches, and launches
 * through the HIP API. Registered instead of a bare kernel, it is held to the gates as that is, and beside them to the
 * checks of REG_LAUNCHER_CHECKS. */
struct reg_launcher {
    const char *kernels[REG_MAX_KERNELS]; /* symbols of `source` that it launches, of which a chip's code may lack some */
    const char *devices_shape;            /* label of the shape that is run on several devices */
    int n_devices;                        /* that it wants there, where --device-count does not say; 2 to REG_MAX_DEVICES */
    /* Makes what it keeps between calls, on all devices of a process; *state may stay NULL. False where it refuses or
     * failed, with the reason: then nothing is kept, and close is not called. */
    bool (*open)(const struct hip_api *hip, void **state, struct error *error);
    /* May return before the device has done the work. False where it refuses or a HIP call failed, with the reason. */
    bool (*launch)(void *state, const struct reg_call *call, struct error *error);
    void (*close)(void *state); /* once for each open that succeeded */
};

/* X(check, name): checks of gate 1 that launchers have beside their runs. */
#define REG_LAUNCHER_CHECKS(X)                                                                                             \
    X(DEVICES, "devices") /* interleaved on several devices in one process, it leaves the same bytes on each */            \
    X(WAVE, "wave size")  /* a device whose wave size it does not know is refused, with nothing launched */

#define REG_LAUNCHER_CHECK_ENUM(check, name) REG_LAUNCHER_##check,
enum reg_launcher_check { REG_LAUNCHER_CHECKS(REG_LAUNCHER_CHECK_ENUM) REG_LAUNCHER_CHECK_COUNT };
#undef REG_LAUNCHER_CHECK_ENUM

const char *reg_launcher_check_name(enum reg_launcher_check check);
/* REG_LAUNCHER_CHECK_COUNT where no check is named so. */
enum reg_launcher_check reg_launcher_check_find(const char *name);

/* Ceilings for what the compiler may make of a registration's kernels; gate 5 and `audit` hold every row that is for the
 * chip. At least one of them is set. */
struct reg_budget {
    const char *chips;    /* comma list; NULL: all of the registration */
    bool no_scratch;      /* no scratch, known when it runs or before, and no spilled register */
    uint32_t most_vgprs;  /* a lane, AGPRs included where they share a file; 0: any number */
    uint32_t least_waves; /* a SIMD, in every registered launch; 0: any number */
};

struct registration {
    const char *name;                    /* of the registration: what `--only` matches and output lines print */
    const char *family;                  /* folder under kernels/ */
    const char *source;                  /* path of the .hip below the root */
    const char *root;                    /* set by the harness: the folder of a file of kernels; NULL: the project's */
    const char *file;                    /* set by the harness: of the C source where REG_KERNEL stands, as it was */
    int line;                            /* compiled; NULL and 0: in a registry made by hand */
    const char *symbol;                  /* the kernel's name in the code object; NULL where a launcher launches */
    const struct reg_launcher *launcher; /* NULL: the kernel is launched as its plan says; else plans need no arguments */
    const char *chips;                   /* NULL: every chip; else a comma list of those it is registered for */
    const struct reg_shape *shapes;
    size_t n_shapes;
    /* Why a rule of shape hygiene does not apply here, one line; NULL where all hold. */
    const char *shape_note;
    unsigned patterns; /* bit 1 << REG_PATTERN_x for the gate-3 patterns it has beside SIGNED and ONESIDED */
    /* Fills tensors, arguments and geometry for a shape; false refuses the shape, as the production launcher would. */
    bool (*plan)(const struct reg_shape *shape, struct reg_plan *plan, struct error *error);
    /* Fills input tensor `tensor` of the case (c->pattern says how); inputs before it are already filled. NULL: reg_fill.
     */
    void (*fill)(const struct reg_case *c, int tensor, void *data);
    /* Bounded outputs of output tensor `tensor`, all of its elements in order. Threaded by c->n_threads. */
    void (*reference)(const struct reg_case *c, int tensor, struct bound *out);
    /* The exact value of one output in MPFR, left in slot 0. */
    void (*audit)(const struct reg_case *c, int tensor, int64_t element, struct audit *audit);
    /* The kernel's formula in float64 with the policy's faults, all elements of the output tensor; not rounded to the
     * stored format (the harness does that). */
    void (*model)(const struct reg_case *c, int tensor, const struct policy *policy, double *out);
    /* Gate 4 (pattern EXACT): the sums behind n outputs from element `first` on (neighbours often share one). NULL:
     * exact_note says why there is no exact-sum proof. */
    void (*exact)(const struct reg_case *c, int tensor, int64_t first, int64_t n, struct exact_sum *sums);
    bool exact_needs_one_sign;
    /* Set where an output rounding hides the miss of narrow sums (or where there is no sum): the reason, and the
     * registration that carries the proof. */
    const char *exact_note, *exact_sibling;
    /* Teeth that no gate catches and why that is legitimate: comma list of teeth names, and the reason. NULL: none. */
    const char *blind_teeth, *blind_reason;
    /* The depth of output tensor `tensor`: the additions that round on the longest way from an input to an element of it,
     * on any of its chips (reference/depth.h). A function of shape and plan alone, c->data holds nothing; its numbers are
     * those that reference() takes. NULL: depth_note says why there is nothing to count ("it moves bytes and adds
     * nothing"). */
    void (*depth)(const struct reg_case *c, int tensor, struct depth *depth);
    const char *depth_note;
    /* Name of a registration that computes the same: it has the same shapes, patterns and tensors (by name).
     * Each gate-3 case of this one also runs the twin on its inputs, where both are for the chip, and the outputs may be
     * apart by what their references are and by both bounds together. NULL: none. */
    const char *twin;
    /* What the family's own functions want to know of this registration; the harness does not look at it. */
    const void *variant;
    const struct reg_known_finding *known;
    size_t n_known;
    const struct reg_bytes *bytes;
    size_t n_bytes;
    const struct reg_weights *weights; /* NULL: none of its inputs is found in files */
    const struct reg_budget *budgets;
    size_t n_budgets;
    unsigned wave_size; /* lanes of a wave that its source or its launch is written for, 32 or 64; 0: any */
};

/* X(how, text): how a control's launch is wrong. */
enum control_how {
    CONTROL_POINTER, /* tensor's pointer moved by offset_rows rows or offset_bytes bytes (the harness allocates room) */
    CONTROL_SWAP,    /* the two tensor arguments arg and other_arg exchanged */
    CONTROL_SCALAR,  /* integer argument arg plus delta */
    CONTROL_GRID,    /* the grid one block short in dimension arg (0, 1, 2) */
    CONTROL_STALE,   /* input `tensor` still holds the previous case's values (another seed) */
    CONTROL_BUILD,   /* the family built with -D define */
    CONTROL_RECORD,  /* gate 5: the launch asks for `delta` threads a block beside the compiled bound */
    CONTROL_LAUNCHER /* another launcher in the place of the registration's */
};

struct control {
    const char *name;         /* unique */
    const char *registration; /* its kernel's registration */
    const char *what;         /* the fault in a few words */
    const char *shape;        /* label of the shape it runs on */
    enum reg_pattern pattern;
    int gate;            /* that must turn red */
    const char *bytes;   /* gate 1: the byte contract that must turn red, at its shape and pattern; `shape` stays NULL */
    const char *finding; /* gate 1: the check that must find it, "race"; then it alone judges. NULL: any reason will do */
    const char *chips;   /* comma list of those where it must be red; NULL: all of its registration but green_chips */
    /* Comma list of the chips where the same fault must stay green, because the code is right there by coincidence: a mask
     * of 64 lanes on waves of 32. */
    const char *green_chips;
    double least_factor; /* gate 3: at least so many times the bound; 0 elsewhere */
    enum control_how how;
    int tensor, arg, other_arg;
    int64_t offset_rows, offset_bytes, delta;
    const char *define;
    const struct reg_launcher *launcher;
    const char *check; /* gate 1: the launcher's check that must turn red, by its name; then it alone judges */
};

/* Members of a registration that list all of an array. */
#define REG_SHAPES(array)  .shapes = (array), .n_shapes = sizeof(array) / sizeof(array)[0]
#define REG_BYTES(array)   .bytes = (array), .n_bytes = sizeof(array) / sizeof(array)[0]
#define REG_BUDGETS(array) .budgets = (array), .n_budgets = sizeof(array) / sizeof(array)[0]

#define REG_PASTE_(a, b) a##b
#define REG_PASTE(a, b)  REG_PASTE_(a, b)
/* What REG_KERNEL puts into its section: a registration, and where that is said. */
struct reg_entry {
    const struct registration *registration;
    const char *file;
    int line;
};

/* REG_KERNEL(&x) at file scope registers a struct registration; REG_CONTROL likewise a struct control. The sections hold
 * pointers, which lie without gaps whatever the compiler would align a structure to. */
#define REG_KERNEL(pointer)                                                                                                \
    static const struct reg_entry *const REG_PASTE(reg_entry_, __COUNTER__)                                                \
        __attribute__((section("hc_registrations"), used)) = &(const struct reg_entry)                                     \
    {                                                                                                                      \
        (pointer), __FILE__, __LINE__                                                                                      \
    }
#define REG_CONTROL(pointer)                                                                                               \
    static const struct control *const REG_PASTE(ctl_entry_, __COUNTER__) __attribute__((section("hc_controls"), used)) =  \
        (pointer)

/* Registers a control whose name is its variable's; the members follow. */
#define REG_NAMED_CONTROL(variable, ...)                                                                                   \
    static const struct control variable = {.name = #variable, __VA_ARGS__};                                               \
    REG_CONTROL(&variable)

/* The key for a tensor of a case: a function of (seed, registration, shape, pattern, tensor) alone. */
struct random_key reg_key(const struct reg_case *c, int tensor);
/* The default fill by the tensor's format and the case's pattern: values of order 1 (SIGNED uniform in [-1,1), ONESIDED in
 * [0.5,1), EDGES a mix with the format's extreme values, CLASSES as SIGNED with NaN, infinities and overflow planted in
 * rows r with r % 4 == 1 (rows of one-row tensors: in columns), EXACT small integers). */
void reg_fill(const struct reg_case *c, int tensor, void *data);
/* Numbers of either sign from 1/16 to 1, whatever the pattern: none is so near to 0 that scaling it leaves the normal
 * numbers of a float format soon. */
void reg_fill_scalable(const struct reg_case *c, int tensor, void *data);

#endif
