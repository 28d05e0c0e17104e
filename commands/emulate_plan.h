/*
 * What a command line of `hipcontract emulate` asks for: a code object, how the emulator is set, and launches with their
 * arguments. Strings are borrowed from argv.
 */
#ifndef COMMANDS_EMULATE_PLAN_H
#define COMMANDS_EMULATE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/base/error.h"
#include "device/device.h"
#include "reference/format.h"

/* X(name, bytes, number format that holds it exactly or FORMAT_COUNT, signed integer): element types of arguments. */
#define EMULATE_TYPES(X)                                                                                                   \
    X(i8, 1, FORMAT_COUNT, true)                                                                                           \
    X(u8, 1, FORMAT_COUNT, false)                                                                                          \
    X(i16, 2, FORMAT_COUNT, true)                                                                                          \
    X(u16, 2, FORMAT_COUNT, false)                                                                                         \
    X(i32, 4, FORMAT_COUNT, true)                                                                                          \
    X(u32, 4, FORMAT_COUNT, false)                                                                                         \
    X(i64, 8, FORMAT_COUNT, true)                                                                                          \
    X(u64, 8, FORMAT_COUNT, false)                                                                                         \
    X(f16, 2, FORMAT_F16, false)                                                                                           \
    X(bf16, 2, FORMAT_BF16, false)                                                                                         \
    X(f32, 4, FORMAT_F32, false)                                                                                           \
    X(f64, 8, FORMAT_F64, false)

struct emulate_type {
    const char *name;
    size_t n_bytes;
    enum number_format format; /* FORMAT_COUNT: an integer */
    bool is_signed;
};

/* X(kind, word, takes a count): buffers, by the word before the first colon. */
#define EMULATE_BUFFERS(X)                                                                                                 \
    X(IN, "in", false)                                                                                                     \
    X(INOUT, "inout", false)                                                                                               \
    X(OUT, "out", true)                                                                                                    \
    X(RAND, "rand", true)                                                                                                  \
    X(ZERO, "zero", true)                                                                                                  \
    X(SPARSE, "sparse", true)

#define EMULATE_BUFFER_ENUM(kind, word, takes_count) ARGUMENT_##kind,
enum emulate_argument_kind {
    EMULATE_BUFFERS(EMULATE_BUFFER_ENUM) ARGUMENT_VALUE, /* a scalar or a struct's bytes */
    ARGUMENT_NULL,
    ARGUMENT_SAME /* as argument `same` of the first launch */
};
#undef EMULATE_BUFFER_ENUM

enum { EMULATE_VALUE_BYTES = 256, EMULATE_ARGUMENTS = 64, EMULATE_LAUNCHES = 16, EMULATE_GUARD_BYTES = 64 << 10 };

struct emulate_argument {
    enum emulate_argument_kind kind;
    const struct emulate_type *type;
    uint8_t value[EMULATE_VALUE_BYTES]; /* VALUE */
    size_t value_bytes;
    size_t same;
    char *contents; /* IN, INOUT: the file's bytes; owned */
    uint64_t count; /* elements of a buffer */
    char *out_path; /* INOUT, OUT: NULL where only the hash is printed; owned */
    uint64_t offset_bytes;
    char name[48]; /* in findings and notes: "argument 1 (in:f32 1024)" */
};

struct emulate_launch {
    const char *kernel; /* NULL: the only one of the code object */
    uint32_t grid[3], block[3], lds_bytes;
    int device;
    struct emulate_argument arguments[EMULATE_ARGUMENTS];
    size_t n_arguments;
};

struct emulate_plan {
    const char *path, *chip; /* chip NULL: the code object's */
    const char *profile;     /* file to write, or NULL */
    unsigned checks;         /* bits 1 << FINDING_… */
    uint64_t schedule, max_instructions, approx_seed;
    enum matrix_model matrix_model;
    int n_devices, n_jobs;
    bool stats, peer_access, help;
    struct emulate_launch *launches; /* EMULATE_LAUNCHES, owned */
    size_t n_launches;
};

/* Parses a command line; reads the files of in: and inout: arguments. Errors: STATUS_USAGE, one line. The caller frees with
 * emulate_plan_free in any case. */
bool emulate_plan_parse(int argc, char **argv, struct emulate_plan *plan, struct error *error);
void emulate_plan_free(struct emulate_plan *plan);
void emulate_print_help(void);

/* Parses one --arg as argument `index` of its launch. */
bool emulate_argument_parse(const char *text, size_t index, struct emulate_argument *argument, struct error *error);
void emulate_argument_free(struct emulate_argument *argument);
static inline bool emulate_is_buffer(const struct emulate_argument *argument)
{
    return argument->kind < ARGUMENT_VALUE;
}
/* Fills a buffer's initial bytes (count * type bytes); `poison` seeds what fills OUT. */
void emulate_argument_fill(const struct emulate_argument *argument, uint64_t poison, uint8_t *bytes);
/* The poison byte i of an OUT buffer. */
uint8_t emulate_poison_byte(uint64_t poison, uint64_t i);
/* An unsigned number in decimal or 0x hex, the whole text; false otherwise. */
bool emulate_number(const char *text, uint64_t limit, uint64_t *value);

#endif
